#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The functions of gst/opencl/statistics.h are those of the schema's fields
that belong to a flag of `statistics`, for frames, zones, regions of interest
and fields.

usage: test_statisticsheader.py HEADER
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELPERS = {'uint64', 'uint', 'int', 'double', 'string', 'numbers', 'packed',
           'shape'}


def main():
    header = pathlib.Path(sys.argv[1]).read_text(encoding='utf-8')
    schema = json.loads((ROOT / 'docs/statistics.schema.json').read_text(
        encoding='utf-8'))['$defs']['frame']
    named = {name for name, value in schema['properties'].items()
             if 'statistics' in value}
    expected = set(named)
    for pattern in schema['patternProperties']:
        found = re.fullmatch(r'\^\(?([a-z|]+)\)?-\(([a-z|-]+)\)\$', pattern)
        for prefix in found[1].split('|') if found else ():
            expected |= {f'{prefix}-{name}' for name in found[2].split('|')
                         if name in named}
    functions = set(re.findall(r'\bgst_cl_statistics_get_(\w+) \(const',
                               header)) - HELPERS
    missing = {name.replace('-', '_') for name in expected} ^ functions
    if missing or len(named) < 60:
        sys.exit(f'not both in header and schema: {sorted(missing)}')


if __name__ == '__main__':
    main()
