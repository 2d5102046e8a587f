#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pagesnippets.py: writes the C blocks of pages into a file that C includes.

usage: pagesnippets.py PAGE... > snippets.inc

A file that defines `#define SNIPPET memory_2` includes the second block of
docs/memory.md.
"""
import pathlib
import sys

import pagecommands


def main(pages):
    number = 0
    for page in pages:
        name = pathlib.Path(page).stem.replace('-', '_')
        for i, text in enumerate(pagecommands.fenced(page, 'c'), 1):
            number += 1
            print(f'#define {name}_{i} {number}\n#if SNIPPET == {name}_{i}\n'
                  f'{text}#endif')


if __name__ == '__main__':
    main(sys.argv[1:])
