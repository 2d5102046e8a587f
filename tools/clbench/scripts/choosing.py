#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Creates the tables and the picture of docs/choosing.md from the results in
docs/measured, which are files of `clbench all --json`. Reduces these files to
the rows and figures that the page shows, one row per line.

A table is between <!-- table: NAME --> and <!-- end --> of the page. The
fastest values are bold.
"""
import argparse
import json
import os
import pathlib
import re
import textwrap

DOCS = pathlib.Path(__file__).resolve().parents[1] / 'docs'

# --- results of clbench on a machine, by the names of rows -------------------

# Files of docs/measured, in the order of columns, and their names on the page.
MACHINES = {'h100.json': 'H100', 'pocl5.json': 'PoCL 5',
            'pocl3.json': 'PoCL 3.1'}

# The figures of each technique that the page shows.
FIGURES = {
    'barriers': r'groups|ns_with_work|ns_per_(barrier|launch)|wrong_share',
    'reductions': r'median_us|outer_rounds|round_\d+_us',
    'windows': r'median_us|wrong_share',
    'latency': r'median_us|per_second',
    'memory': r'wrong_results|results|ns_per_operation',
}

GROUP_SIZES = [32, 64, 256, 1024]
BARRIERS = ['every-item', 'leader', 'flags', 'atomics']
BLOCKS = [8, 16, 32]
STEPS = [1, 2, 4, 16]
WINDOWS = ['strided copies, one buffer', 'strided copies, four buffers',
           'contiguous copies', 'strided copies of cllocalmean',
           'direct reads', 'direct reads in bands']
LARGE = ', 3840x2160'
COMPLETIONS = ['enqueue', 'finish', 'event wait', 'event polling',
               'event callback', 'blocking read', 'pinned read, event wait',
               'pinned read, polled', 'pinned flag', 'SVM flag']
WAITS = ['event wait', 'event polling', 'event callback',
         'pinned read, event wait', 'pinned read, polled']
LOADS = [0, 600000]  # instructions per compute unit ahead of a launch
FRAMES = [1, 2, 4, 8, 16]
INSTRUCTIONS = [60, 6000, 60000]
ROUNDS = [1, 10, 100, 400]
ATOMICS = [f'{space} {what}' for space in ('global', 'local')
           for what in ('add', 'min', 'max')]


def count(number, word):
    """Returns the number with the word in singular or plural: 1 round."""
    return f'{number} {word}' + ('' if number == 1 else 's')


def barrier_name(kind, items, groups):
    return f'{kind}, {items} items, {count(groups, "group")}'


class Results:
    """The results of clbench on one machine: the object of a JSON file."""

    def __init__(self, found, name='here'):
        self.found, self.name = found, name
        self.shown = set()  # the rows that were read
        self.rows = {(row['technique'], row['row']): row
                     for row in self.found['rows']}
        self.units = int(max(row.get('groups', 0)
                             for row in self.found['rows']))

    def names(self, technique):
        return [name for owner, name in self.rows if owner == technique]

    def row(self, technique, name):
        """Returns the row; None if the device has no such row."""
        self.shown.add((technique, name))
        return self.rows.get((technique, name))

    def figure(self, technique, name, figure='median_us'):
        """Returns the figure; None if there is no such row or no such
        figure."""
        return (self.row(technique, name) or {}).get(figure)

    def barrier_us(self, kind, items, groups):
        """Returns the microseconds of a barrier without the work of the ring;
        None if the time with the barrier is not longer than without."""
        figure = 'ns_per_launch' if kind == 'launches' else 'ns_per_barrier'
        time = self.figure('barriers', barrier_name(kind, items, groups),
                           figure)
        return time / 1000 if time and time > 0 else None

    def barrier_is_skipped(self, kind, items, groups):
        return not self.row('barriers', barrier_name(kind, items, groups))

    def n_rounds(self, method, block, sample):
        """Returns the device time of each round, in microseconds."""
        row = self.row('reductions', f'{method}, block {block}, {sample}') or {}
        return [row[f'round_{n}_us'] for n in range(1, 9)
                if f'round_{n}_us' in row]

    def reduced(self):
        """Returns the JSON text of the file, with the rows that were read and
        the figures that the page shows, rounded to five digits."""
        rows = [{figure: float(f'{value:.5g}') if isinstance(value, float)
                 else value for figure, value in row.items()
                 if figure in ('technique', 'row', 'correct', 'expected_wrong')
                 or re.fullmatch(FIGURES[row['technique']], figure)}
                for name, row in self.rows.items() if name in self.shown]
        parts = self.found | {'rows': rows, 'skipped': []}
        return '{\n' + ',\n'.join(
            f'{json.dumps(part)}: ' + (
                '[\n' + ',\n'.join(map(json.dumps, value)) + ']'
                if part == 'rows' else json.dumps(value))
            for part, value in parts.items()) + '}\n'


def read(folder):
    """Returns the Results of all machines with files in docs/measured."""
    folder = pathlib.Path(folder)
    return [Results(json.loads((folder / file).read_text(encoding='utf-8')),
                    name)
            for file, name in MACHINES.items()]


# --- tables -------------------------------------------------------------------

NO_FIGURE = '-'


# --- cells and rows -----------------------------------------------------------

def number(value):
    """Returns the value with three significant digits: 0.123, 1.23, 12.3, 123,
    12300. Integers, which are published values, are not rounded."""
    if value is None:
        return NO_FIGURE
    if isinstance(value, int):
        return str(value)
    rounded = float(f'{value:.3g}')
    if rounded == 0:
        return '0'
    decimals = max(0, 2 - len(str(int(rounded))) + 1)
    return f'{rounded:.{decimals if rounded >= 1 else 3}f}'


def percent(share):
    """Returns the text for a share of wrong results."""
    if share is None:
        return NO_FIGURE
    if share == 0:
        return 'none'
    if share < 1e-5:
        return '< 0.001 %'
    return f'{100 * share:.2g} %' if share < .1 else f'{100 * share:.0f} %'


def least(values):
    return min((value for value in values if value is not None), default=None)


def bold(values, best, text=number):
    """Returns a cell for each value; cells with the text of the best value are
    bold."""
    return [f'**{text(value)}**'
            if value is not None and text(value) == text(best) else text(value)
            for value in values]


def table(heads, rows):
    lines = [heads, ['---'] * len(heads), *rows]
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in lines)


def by_column(names, columns):
    """Returns a row for each name; in each column the least value is bold.
    @columns: the values of each column; None: there is no value."""
    cells = [bold(column, least(column)) for column in columns]
    return [[name, *line] for name, *line in zip(names, *cells)]


# --- machines -----------------------------------------------------------------

def machines(machines_):
    rows = [[m.name, m.found['device'], str(m.units), m.found['opencl'].split(
        '  ')[0], m.found['driver']] for m in machines_]
    return table(['here', 'device', 'compute units', 'OpenCL', 'driver'], rows)


def sentences(machines_):
    """Returns the conclusions of clbench on the first machine."""
    lines = []
    for note in machines_[0].found['conclusions']:
        lines += textwrap.wrap(f'{note["technique"]}: {note["sentence"]}', 76,
                               initial_indent='    ',
                               subsequent_indent='      ')
    return '\n'.join(lines)


# --- barriers -----------------------------------------------------------------

def barriers(machines_):
    """Microseconds of a barrier across all compute units, for each size of a
    work-group."""
    rows = []
    for m in machines_:
        kinds = [kind for kind in BARRIERS if any(
            m.barrier_us(kind, size, m.units) for size in GROUP_SIZES)]
        times = {kind: [m.barrier_us(kind, size, m.units)
                        for size in GROUP_SIZES]
                 for kind in [*kinds, 'launches']}
        best = [least(times[kind][i] for kind in kinds)
                for i in range(len(GROUP_SIZES))]
        for kind, values in times.items():
            rows.append([f'{m.name}, {m.units} groups', kind, *(
                bold([value], best[i] if kind in kinds else None)[0]
                if value or m.barrier_is_skipped(kind, size, m.units)
                else 'nothing'
                for i, (size, value) in enumerate(zip(GROUP_SIZES, values)))])
        rows.append(['', 'none: wrong', *(
            percent(m.figure('barriers', f'none, {size} items, '
                             f'{count(m.units, "group")}', 'wrong_share'))
            for size in GROUP_SIZES)])
    return table(['device', 'barrier', *(f'{size} items'
                                         for size in GROUP_SIZES)], rows)


# Published microseconds from barrier to barrier, with a ring of 2048 elements
# in work-groups of 64 or 1024.
PUBLISHED_RING = {'every-item': '3.0', 'leader': '1.0', 'flags': '1.4',
                  'none': '0.22'}


def ring(machines_):
    """Microseconds of a barrier and its work, for 2048 work-items in groups of
    64 and of 1024."""
    heads, columns = ['barrier', 'published'], []
    kinds = [*BARRIERS, 'none', 'launches']
    for m in machines_:
        for size in (64, 1024):
            groups = 2048 // size
            if groups <= m.units:
                heads.append(f'{m.name}, {groups} x {size}')
                columns.append([m.figure(
                    'barriers', f'{kind}, {size} items, '
                    f'{count(groups, "group")}', 'ns_with_work')
                    for kind in kinds])
    rows = [[kind, PUBLISHED_RING.get(kind, NO_FIGURE),
             *(number(time and time / 1000) for time in times)]
            for kind, times in zip(kinds, zip(*columns))]
    return table(heads, rows)


# --- reductions ---------------------------------------------------------------

# Published microseconds of each round, for 4096 x 4096 floats in blocks of 16.
PUBLISHED = {'inner': [10880, 180, 90], 'outer': [7670, 140, 80]}


def reduction_rounds(machines_):
    """Microseconds of each round for floats in blocks of 16: published and
    measured."""
    sources = [('GTX 1050, published', PUBLISHED)]
    for m in machines_:
        sources.append((m.name, {method: m.n_rounds(method, 16, 'float')
                                 for method in ('inner', 'outer')}))
    rows = []
    for name, methods in sources:
        best = [min(pair) for pair in zip(*methods.values())]
        for method, times in methods.items():
            rows.append([name, method, *(bold([time], best[i])[0]
                                         for i, time in enumerate(times))])
    return table(['device', 'kernel', 'round 1', 'round 2', 'round 3'], rows)


def reduction_sizes(machines_):
    """Microseconds of whole reductions that run one after the other."""
    heads, columns = ['kernel, block'], []
    names = [f'{method}, block {block}'
             for method in ('inner', 'outer', 'mixed') for block in BLOCKS]
    for m in machines_:
        for sample in ('float', '8-bit'):
            heads.append(f'{m.name}, {sample}')
            columns.append([reduction_us(m, name, sample) for name in names] +
                           [m.figure('reductions', f'clframesum, {sample}')])
    return table(heads, by_column([*names, '`clframesum`'],
                                  columns))


def reduction_us(m, name, sample):
    """Returns the microseconds of a row; None for a mixture whose rounds are
    all inner or all outer."""
    row = m.row('reductions', f'{name}, {sample}')
    if name.startswith('mixed') and row['outer_rounds'] in (
            0, sum(figure.startswith('round_') for figure in row)):
        return None
    return row['median_us']


# --- windows ------------------------------------------------------------------

def windows(machines_):
    """Microseconds of each method without the integral image; below, the
    fastest method with the image, sliding, which needs no image, and the
    share of wrong results without barriers."""
    return '\n\n'.join(
        windows_of(m, suffix) for m in machines_ for suffix in ('', LARGE)
        if m.row('windows', f'integral image{suffix}'))


def windows_of(m, suffix):
    def us(method):
        return [m.figure('windows', f'{method}, step {step}{suffix}')
                for step in STEPS]

    methods = [method for method in WINDOWS if any(us(method))]
    columns = list(zip(*(us(method) for method in methods)))
    rows = by_column(methods, columns)
    image = m.figure('windows', f'integral image{suffix}')
    rows.append(['fastest, and the image', *(
        number(image + least(column)) for column in columns)])
    rows.append(['sliding, no image', *map(number, us('sliding'))])
    rows.append(['no barriers: wrong', *(percent(m.figure(
        'windows', f'strided copies, no barriers, step {step}{suffix}',
        'wrong_share')) for step in STEPS)])
    return table([m.name + (suffix or ', 1920x1080'),
                  *(f'step {step}' for step in STEPS)], rows)


# --- latency ------------------------------------------------------------------

# Published microseconds, on the graphics of an i7-7700.
PUBLISHED_COMPLETIONS = {'enqueue': 50, 'finish': 98, 'SVM flag': 50}


def completions(machines_):
    columns = [[m.figure('latency', name) for name in COMPLETIONS]
               for m in machines_]
    rows = [[name, number(PUBLISHED_COMPLETIONS.get(name))]
            for name in COMPLETIONS]
    for column in columns:  # enqueue does not wait, and is never bold
        cells = bold(column[:1], None) + bold(column[1:], least(column[1:]))
        for row, cell in zip(rows, cells):
            row.append(cell)
    return table(['until the host knows', 'i7-7700, published',
                  *(m.name for m in machines_)], rows)


def waits(machines_):
    """Microseconds of waits for an event and of polling, with and without work
    ahead of the launch."""
    rows = []
    for m in machines_:
        for n in LOADS:
            ahead = f', {n} instructions ahead' if n else ''
            times = [m.figure('latency', method + ahead) for method in WAITS]
            if any(times):
                rows.append([m.name, str(n), *bold(times, least(times))])
    return table(['device', 'instructions ahead', *WAITS], rows)


def batches(machines_):
    """Thousands of frames a second, for each number of frames in a launch."""
    rows = []
    for m in machines_:
        for how in ('waited for', 'back to back'):
            rates = [m.figure('latency', f'{count(n, "frame")} a launch, {how}',
                              'per_second') for n in FRAMES]
            rows.append([f'{m.name}, {how}', *(
                number(rate / 1000 if rate else None) for rate in rates)])
    return table(['thousand frames a second',
                  *(f'{n} a launch' for n in FRAMES)], rows)


def resident(machines_):
    """Microseconds of a job: a row for each number of instructions, a column
    for each number of rounds."""
    rows = []
    for m in machines_:
        for n in INSTRUCTIONS:
            alone = m.figure('latency', f'a launch a job, {n} instructions')
            jobs = [m.figure('latency', f'resident, {n} instructions, '
                             f'{count(r, "round")}') for r in ROUNDS]
            rows.append([m.name, str(n), number(alone),
                         *bold(jobs, least([alone, *jobs]))])
    return table(['device', 'instructions', 'a launch a job',
                  *(f'{count(r, "round")} a launch' for r in ROUNDS)], rows)


# --- memory -------------------------------------------------------------------

def wrong_share(m, name):
    row = m.row('memory', name)
    return row and row['wrong_results'] / row['results']


def variants(machines_):
    """Shares of wrong results of the broken variants."""
    names = []
    for m in machines_:
        names += [name for name in m.names('memory') if name not in names and
                  m.row('memory', name)['expected_wrong']]
    return table(['left out', *(m.name for m in machines_)], [
        [name, *(percent(wrong_share(m, name)) for m in machines_)]
        for name in names])


def atomics(machines_):
    rows = []
    for name in ATOMICS:
        row = [name]
        for m in machines_:
            row += [number(m.figure('memory', name + end, 'ns_per_operation'))
                    for end in ('', ', result')]
        rows.append(row)
    heads = ['ns an atomic']
    for m in machines_:
        heads += [m.name, f'{m.name}, result used']
    return table(heads, rows)


# --- all of them --------------------------------------------------------------

def winners(machines_):
    """The fastest implementation of each technique, on each machine."""
    return table(['technique', *(m.name for m in machines_)], [
        ['barrier across all compute units',
         *(best_barrier(m) for m in machines_)],
        ['sum of 4096x4096 floats', *(best_reduction(m) for m in machines_)],
        *([f'means of 15x15, step {step}',
           *(best_window(m, step) for m in machines_)] for step in STEPS),
        ['end of a launch', *(best_completion(m) for m in machines_)],
    ])


def best_of(pairs):
    time, name = min((time, name) for time, name in pairs if time)
    return f'{name}: {number(time)} us'


def best_barrier(m):
    """Returns the fastest barrier by its time without work, as in the
    conclusion of clbench."""
    times = [(m.barrier_us(kind, size, m.units), f'{kind} of {size}')
             for kind in BARRIERS for size in GROUP_SIZES]
    launch = least(m.barrier_us('launches', size, m.units)
                   for size in GROUP_SIZES)
    best = best_of(times) if any(time for time, _ in times) else 'nothing'
    return f'{best}; a launch {number(launch)}'


def best_reduction(m):
    return best_of((reduction_us(m, f'{method}, block {block}', 'float'),
                    f'{method}, block {block}')
                   for method in ('inner', 'outer', 'mixed')
                   for block in BLOCKS)


def best_window(m, step):
    image = m.figure('windows', 'integral image')
    sliding = m.figure('windows', f'sliding, step {step}')
    times = [(m.figure('windows', f'{method}, step {step}'), method)
             for method in WINDOWS]
    return (f'{best_of(times)}, with the image '
            f'{number(image + least(time for time, _ in times))}; '
            f'sliding {number(sliding)}')


def best_completion(m):
    return best_of((m.figure('latency', name), name)
                   for name in COMPLETIONS[1:])


TABLES = {
    'winners': winners,
    'machines': machines,
    'sentences': sentences,
    'barriers': barriers,
    'ring': ring,
    'reduction rounds': reduction_rounds,
    'reduction sizes': reduction_sizes,
    'windows': windows,
    'completions': completions,
    'waits': waits,
    'batches': batches,
    'resident': resident,
    'variants': variants,
    'atomics': atomics,
}


# --- the page -----------------------------------------------------------------

def fill_tables(page, machines):
    """Returns the page with new contents of its tables."""
    def make(match):
        text = TABLES[match[2]](machines)
        return f'{match[1]}\n\n{text}\n\n<!-- end -->'

    return re.sub(r'(<!-- table: ([a-z ]+) -->)\n.*?<!-- end -->', make, page,
                  flags=re.DOTALL)


# Colour (of Okabe and Ito), marker and line of each barrier.
STYLES = {
    'every-item': ('#d55e00', 'o', '-'),
    'leader': ('#0072b2', 's', '-'),
    'flags': ('#009e73', '^', '-'),
    'atomics': ('#cc79a7', 'D', '-'),
    'launches': ('#444444', 'x', '--'),
}


def draw_barriers(machines_, file):
    """Draws the time of a barrier of groups of 64 work-items, for each number
    of groups."""
    os.environ['MPLBACKEND'] = 'agg'
    import matplotlib.pyplot as plt  # the tables do not need it

    figure, panels = plt.subplots(1, len(machines_), sharey=True,
                                  figsize=(9.6, 3.4), dpi=80)
    for m, axes in zip(machines_, panels):
        counts = sorted({int(row['groups']) for row in m.rows.values()
                         if 'groups' in row})
        for kind, (colour, marker, line) in STYLES.items():
            times = [m.barrier_us(kind, 64, n) for n in counts]
            points = [(i, time) for i, time in enumerate(times) if time]
            axes.plot([x for x, _ in points], [y for _, y in points],
                      color=colour, marker=marker, linestyle=line, label=kind)
        axes.set(title=m.name, xlabel='work-groups', yscale='log')
        axes.set_xticks(range(len(counts)), counts)
        axes.grid(alpha=.35)
    panels[0].set_ylabel('us a barrier or a launch')
    figure.legend(*panels[0].get_legend_handles_labels(), ncol=len(STYLES),
                  loc='lower center')
    figure.subplots_adjust(.075, .28, .99, .92, wspace=.08)
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('docs', nargs='?', type=pathlib.Path, default=DOCS,
                        help='folder of choosing.md; default: docs')
    parser.add_argument('--tables', action='store_true',
                        help='only the tables; the files of results are kept')
    arguments = parser.parse_args()

    machines = read(arguments.docs / 'measured')
    page = arguments.docs / 'choosing.md'
    page.write_text(fill_tables(page.read_text(encoding='utf-8'), machines),
                    encoding='utf-8')
    if not arguments.tables:
        draw_barriers(machines, arguments.docs / 'pictures/barriers.png')
        for file, m in zip(MACHINES, machines):
            (arguments.docs / 'measured' / file).write_text(
                m.reduced(), encoding='utf-8')


if __name__ == '__main__':
    main()
