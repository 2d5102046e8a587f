#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the tables and pictures of docs/choosing.md from the files of clbench
in docs/measured.

A table stands between <!-- table: NAME --> and <!-- end --> of the page.
"""
import argparse
import os
import pathlib
import re

import choosing_results
import choosing_tables

DOCS = pathlib.Path(__file__).resolve().parents[1] / 'docs'


def fill_tables(page, machines):
    """The page with its tables made anew."""
    def make(match):
        text = choosing_tables.TABLES[match[2]](machines)
        return f'{match[1]}\n\n{text}\n\n<!-- end -->'

    return re.sub(r'(<!-- table: ([a-z ]+) -->)\n.*?<!-- end -->', make, page,
                  flags=re.DOTALL)


def draw_pictures(machines, folder):
    os.environ['MPLBACKEND'] = 'svg'
    import choosing_pictures  # matplotlib is for the pictures alone

    folder.mkdir(exist_ok=True)
    choosing_pictures.draw(machines, folder)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('docs', nargs='?', type=pathlib.Path, default=DOCS,
                        help='folder of choosing.md; default: docs')
    parser.add_argument('--tables', action='store_true',
                        help='only the tables')
    arguments = parser.parse_args()

    machines = choosing_results.read(arguments.docs / 'measured')
    page = arguments.docs / 'choosing.md'
    page.write_text(fill_tables(page.read_text(encoding='utf-8'), machines),
                    encoding='utf-8')
    if not arguments.tables:
        draw_pictures(machines, arguments.docs / 'pictures')


if __name__ == '__main__':
    main()
