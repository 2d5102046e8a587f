#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what scripts/portability.sh has found out as a table in Markdown.

usage: scripts/portability-table.py FOLDER NAME...

A cell holds tests passed/failed/skipped. Speed is the geometric mean of the
frames per second of each line, over those of pocl3.
"""
import math
import os
import sys

PARTS = ['unit', 'kernels', 'elements', 'digests', 'pipelines']


def read_lines(*path):
    try:
        with open(os.path.join(*path), encoding='utf-8') as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def read_rates(folder, name):
    """Frames per second by launch line."""
    return {line: float(rate) for rate, line in
            (row.split(' ', 1) for row in read_lines(folder, name, 'speed'))}


def relative_speed(folder, name):
    base, own = read_rates(folder, 'pocl3'), read_rates(folder, name)
    logs = [math.log(own[line] / base[line]) for line in own if line in base]
    return f'{math.exp(sum(logs) / len(logs)):.2f}' if logs else ''


def main():
    folder, *names = sys.argv[1:]
    print('| name | device, platform, driver |', ' | '.join(PARTS),
          '| speed |')
    print('|---|---|' + '---|' * len(PARTS) + '---|')
    for name in names:
        results = dict(line.split(' ', 1)
                       for line in read_lines(folder, name, 'results'))
        if not results:
            continue
        device = ' '.join(read_lines(folder, name, 'device'))
        cells = [results.get(part, '').replace(' ', '/') for part in PARTS]
        print(f'| {name} | {device} |', ' | '.join(cells),
              f'| {relative_speed(folder, name)} |')


if __name__ == '__main__':
    main()
