#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The functions of gst/opencl/statistics.h are those of the schema's fields of
a frame, also of zones, regions of interest and fields, but for the keys of
FFmpeg's filters (key-style=lavfi).

usage: test_statisticsheader.py HEADER
"""
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELPERS = {'uint64', 'uint', 'int', 'double', 'string', 'boolean', 'numbers',
           'doubles', 'packed', 'shape'}
NOT_FIELDS = {'type', 'schema'}  # of lines alone


def expand(pattern):
    """Returns the names that a pattern of the schema matches: parts in
    brackets, of alternatives."""
    parts = [part.split('|') for part in re.split('[()]', pattern)]
    return {''.join(names) for names in itertools.product(*parts)}


def main():
    header = pathlib.Path(sys.argv[1]).read_text(encoding='utf-8')
    schema = json.loads((ROOT / 'docs/statistics.schema.json').read_text(
        encoding='utf-8'))['$defs']['frame']
    expected = {name for name in schema['properties']
                if '.' not in name} - NOT_FIELDS
    for pattern in schema['patternProperties']:
        if not re.search('[A-Z]', pattern):
            expected |= expand(pattern[1:-1])
    # a pattern has more names than there are fields
    expected -= {name for name in expected if re.fullmatch(
        'zone-(reference-sum|gradient-(difference|limit))', name)}
    functions = set(re.findall(r'\bgst_cl_statistics_get_(\w+) \(const',
                               header)) - HELPERS
    missing = {name.replace('-', '_') for name in expected} ^ functions
    if missing or len(expected) < 250:
        sys.exit(f'not both in header and schema: {sorted(missing)}')


if __name__ == '__main__':
    main()
