#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""framesumlines.py: prints the statistics of every frame that a file holds.

usage: framesumlines.py < FILE

Reads what clframesum location=FILE writes, one line of JSON a frame; a pipe
from `tail -f` prints them as they come.
"""
import json
import sys


def print_statistics(line):
    """One line a frame: its number and time, then each component."""
    seconds = line['timestamp'] / 1e9 if line['timestamp'] is not None else 0
    text = f'frame {line["frame"]} at {seconds:.3f} s'
    fields = [line[name] for name in (
        'components', 'sum', 'mean', 'stddev', 'min', 'max')]
    for name, total, mean, stddev, low, high in zip(*fields):
        text += (f' | {name} sum {total} mean {mean:.3f} stddev {stddev:.3f} '
                 f'min {low} max {high}')
    print(text, flush=True)


for text_line in sys.stdin:
    if not text_line.endswith('\n'):
        break  # cut: the writer was killed
    result = json.loads(text_line)
    if result['type'] == 'frame':
        print_statistics(result)
