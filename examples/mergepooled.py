#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mergepooled.py: the statistics of a whole that was measured in parts.

usage: mergepooled.py FILE...

Each FILE is what clframesum location=FILE has written, in lines of JSON. Merges
their lines of the type `pooled` and prints the result as such a line: as
clframesum would have written it of all frames together, but for `frame` and
`end-frame`, which count within the parts. The rules: docs/statistics.md.
"""
import json
import sys
from fractions import Fraction
from math import pi

BEGINS = 'timestamp', 'stream-time', 'running-time', 'frame'
ENDS = tuple(f'end-{name}' for name in BEGINS)
SAME = 'type', 'depth', 'components'
WIDE = 'sum', 'sum-squares'  # 128 bits, in two fields
GREATEST = ('max-cll', 'max-fall', 'robust-max-cll', 'levels-r', 'levels-g',
            'levels-b', 'levels-y')
UNKNOWN = 2 ** 64 - 1


def fail(reason):
    sys.exit(f'mergepooled: {reason}')


def pooled_lines(path):
    """Those of a file, which may be long and may be cut, each with its path."""
    lines = []
    try:
        with open(path, encoding='utf-8') as file:
            for text in file:
                if '"pooled"' in text and text.endswith('\n'):
                    lines.append(json.loads(text))
    except (OSError, ValueError) as error:
        fail(f'{path}: {error}')
    lines = [(path, line) for line in lines
             if isinstance(line, dict) and line.get('type') == 'pooled']
    for _, line in lines:
        line.pop('schema', None)  # of the first line of a file
    if not lines:
        fail(f'{path}: no line is pooled: it was not measured to the end')
    return lines


def known(a, b, choose):
    """Of two times, either of which may be unknown."""
    times = [time for time in (a, b) if time is not None]
    return choose(times) if times else None


def total_time(a, b):
    """Unknown if one is, or if 64 bits do not hold it."""
    if a is None or b is None or a + b >= UNKNOWN:
        return None
    return a + b


def wide(line, name, component):
    return (line[f'{name}-high'][component] << 64) + line[name][component]


def merge_moments(a, b, to):
    """Sums, and what follows from them."""
    n = range(len(to['components']))
    to['count'] = [a['count'][c] + b['count'][c] for c in n]
    totals = {name: [wide(a, name, c) + wide(b, name, c) for c in n]
              for name in WIDE}
    for name, values in totals.items():
        to[name] = [value & (2 ** 64 - 1) for value in values]
        to[f'{name}-high'] = [value >> 64 for value in values]
    means = [Fraction(total, max(count, 1))
             for total, count in zip(totals['sum'], to['count'])]
    variances = [Fraction(total, max(count, 1)) - mean * mean
                 for total, count, mean in zip(totals['sum-squares'],
                                               to['count'], means)]
    to['mean'] = [float(mean) for mean in means]
    to['variance'] = [float(variance) for variance in variances]
    to['stddev'] = [float(variance) ** .5 for variance in variances]


def merge_evidence(a, b, to):
    """Numbers of frames, and the range that nine tenths of them show."""
    numbers = {name: a[f'{name}-frames'] + b[f'{name}-frames']
               for name in ('limited', 'full')}
    to.update((f'{name}-frames', number) for name, number in numbers.items())
    to['range-evidence'] = next(
        (name for name, number in numbers.items()
         if number and 10 * number >= 9 * sum(numbers.values())), 'unknown')


def merge_noise(a, b, to):
    """Sums, and the standard deviation that follows from them."""
    total = sum((line['noise-sum-high'] << 64) + line['noise-sum']
                for line in (a, b))
    to['noise-sum'] = total & (2 ** 64 - 1)
    to['noise-sum-high'] = total >> 64
    to['noise-count'] = count = a['noise-count'] + b['noise-count']
    to['noise'] = (pi / 2) ** .5 / 6 * total / count if count else 0.


def merge_repeats(a, b, to):
    """A number of frames, and its shares."""
    n = a['repeated-frames'] + b['repeated-frames']
    time = to['duration']
    to.update({'repeated-frames': n, 'repeated-share': n / to['frames'],
               'repeated-per-minute': n * 60e9 / time if time else 0.})


def check_same(path, a, b):
    """The line @b, of @path, has to be of what @a is of."""
    if set(a) != set(b):
        fail(f'{path}: other statistics than the files before: '
             + ', '.join(sorted(set(a) ^ set(b))))
    for name in SAME:
        if a[name] != b[name]:
            fail(f'{path}: {name} {b[name]}, of the files before {a[name]}')
    if 'histogram' in a and len(a['histogram'][0]) != len(b['histogram'][0]):
        fail(f'{path}: histograms of {len(b["histogram"][0])} bins, of the '
             f'files before {len(a["histogram"][0])}')


def merge_blockiness(a, b, to):
    units = a['blockiness-units'] + b['blockiness-units']
    to['blockiness-units'] = units
    to['blockiness'] = units / 2 ** 20 / max(to['frames'], 1)


def merge_extremes(a, b, to):
    to['min'] = list(map(min, a['min'], b['min']))
    to['max'] = list(map(max, a['max'], b['max']))


def merge_histograms(a, b, to):
    to['histogram'] = [[x + y for x, y in zip(*bins)]
                       for bins in zip(a['histogram'], b['histogram'])]


def merge_missing(a, b, to):
    to['missing-frames'] = a['missing-frames'] + b['missing-frames']


def merge_greatest(a, b, to):
    to.update((name, max(a[name], b[name])) for name in GREATEST if name in a)


# The rule for each group of fields; a group is present as a whole.
RULES = {
    ('count', 'sum', 'sum-high', 'sum-squares', 'sum-squares-high', 'mean',
     'variance', 'stddev'): merge_moments,
    ('min', 'max'): merge_extremes,
    ('histogram',): merge_histograms,
    ('limited-frames', 'full-frames', 'range-evidence'): merge_evidence,
    ('blockiness-units', 'blockiness'): merge_blockiness,
    ('noise-count', 'noise-sum', 'noise-sum-high', 'noise'): merge_noise,
    ('missing-frames',): merge_missing,
    ('repeated-frames', 'repeated-share', 'repeated-per-minute'):
    merge_repeats,
    GREATEST[:3]: merge_greatest,
    GREATEST[3:]: merge_greatest,
}


def check_known(path, line):
    """No value of a part may stand for the whole."""
    known_names = {*SAME, *BEGINS, *ENDS, 'frames', 'duration', 'complete'}
    known_names.update(*RULES)
    unknown = sorted(set(line) - known_names)
    if unknown:
        fail(f'{path}: there is no rule for {", ".join(unknown)}')


def merge(a, b):
    to = dict(a)
    to.update((name, known(a[name], b[name], min)) for name in BEGINS)
    to.update((name, known(a[name], b[name], max)) for name in ENDS)
    to['frames'] = a['frames'] + b['frames']
    to['duration'] = total_time(a['duration'], b['duration'])
    to['complete'] = a['complete'] and b['complete']
    for names, rule in RULES.items():
        if names[0] in a:
            rule(a, b, to)
    return to


if len(sys.argv) < 2:
    fail('usage: mergepooled.py FILE...')
(_, result), *others = [line for path in sys.argv[1:]
                        for line in pooled_lines(path)]
for other_path, other in others:
    check_known(other_path, other)
    check_same(other_path, result, other)
    result = merge(result, other)
print(json.dumps(result))
