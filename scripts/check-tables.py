#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints each line of gst/ops and gst/elements that decides which
implementation of an op runs, beside the tables of the ops and the two files
that walk them, and then fails; silent when all is well.

Such a line asks a row's conditions, walks a table by itself, calls a condition
of another file's table, or asks for the family of a device.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / 'gst/ops'
IMPLEMENTATION = OPS / 'implementation.c'
CHOOSE = OPS / 'choose.c'

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
TABLE = re.compile(r'^static const GstClImplementation \w+\[', re.MULTILINE)
CONDITION = r'(?:supports|suits|is_candidate)'
# A field that is read; `.supports = ` in a row sets it.
READ_FIELD = re.compile(rf'(?:->|\.){CONDITION}\b(?!\s*=[^=])')
NAMED_CONDITION = re.compile(rf'\.{CONDITION}\s*=\s*(gst_cl_\w+)')
WALK = re.compile(r'\bgst_cl_op_table_(?:first|candidates)\b')
FAMILY = re.compile(r'\bdevice->family\b')


def read_sources():
    """The .c files of ops and elements, and their code: what stands in
    comments is left out, but for the ends of its lines."""
    for folder in (OPS, ROOT / 'gst/elements'):
        for path in sorted(folder.rglob('*.c')):
            yield path, COMMENT.sub(lambda match: '\n' * match[0].count('\n'),
                                    path.read_text(encoding='utf-8'))


def find_lines(path, code, pattern, what):
    """A finding for each place in the code that fits."""
    for match in pattern.finditer(code):
        n = code.count('\n', 0, match.start()) + 1
        yield f'{path.relative_to(ROOT)}:{n}: {what}, beside the tables of ops'


def check(sources):
    """What is wrong with the sources: a line each."""
    tables = {path for path, code in sources.items() if TABLE.search(code)}
    names = {name for path in tables
             for name in NAMED_CONDITION.findall(sources[path])}
    # its definition begins a line
    condition = re.compile(rf'(?<!\n)\b(?:{"|".join(sorted(names))}) \(')

    for path, code in sources.items():
        if path != IMPLEMENTATION:
            yield from find_lines(path, code, READ_FIELD,
                                  "asks a row's condition")
        if (path not in (IMPLEMENTATION, CHOOSE)
                and not path.stem.endswith('prebuild')):
            yield from find_lines(path, code, WALK, 'walks a table')
        if path not in tables:
            yield from find_lines(path, code, condition,
                                  'calls a condition of a table')
        if path not in tables | {IMPLEMENTATION}:
            yield from find_lines(path, code, FAMILY,
                                  'asks for the family of a device')
    if not tables:
        yield 'gst/ops has no table of implementations'


def main():
    findings = list(check(dict(read_sources())))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
