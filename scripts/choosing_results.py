# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clbench has found on a machine, by the names of its rows."""
import json
import pathlib

# Files of docs/measured, in the order of columns: name and colour in pictures.
# The colours are of Okabe and Ito, whom all people tell apart.
MACHINES = {
    'clbench-h100.json': ('H100', '#0072b2'),
    'clbench-pocl5.json': ('PoCL 5', '#d55e00'),
    'clbench-pocl3.json': ('PoCL 3.1', '#009e73'),
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
LOADS = [0, 600000]  # instructions of each compute unit ahead of a launch
FRAMES = [1, 2, 4, 8, 16]
INSTRUCTIONS = [60, 6000, 60000]
ROUNDS = [1, 10, 100, 400]
ATOMICS = [f'{space} {what}' for space in ('global', 'local')
           for what in ('add', 'min', 'max')]


def count(number, word):
    """1 round, 2 rounds"""
    return f'{number} {word}' + ('' if number == 1 else 's')


def barrier_name(kind, items, groups):
    return f'{kind}, {items} items, {count(groups, "group")}'


class Results:
    """What clbench has found on one machine: the object of a JSON file."""

    def __init__(self, found, name='here', colour='black'):
        self.found, self.name, self.colour = found, name, colour
        self.rows = {(row['technique'], row['row']): row
                     for row in self.found['rows']}
        self.units = int(max(row.get('groups', 0)
                             for row in self.found['rows']))

    def names(self, technique):
        return [name for owner, name in self.rows if owner == technique]

    def row(self, technique, name):
        """None: the device has no such row."""
        return self.rows.get((technique, name))

    def figure(self, technique, name, figure='median_us'):
        """None: the device has no such row, or its row no such figure."""
        return self.rows.get((technique, name), {}).get(figure)

    def barrier_us(self, kind, items, groups):
        """Microseconds of a barrier without the work beside it. Where the work
        alone takes longer than with the barrier, there is no such figure."""
        figure = 'ns_per_launch' if kind == 'launches' else 'ns_per_barrier'
        time = self.figure('barriers', barrier_name(kind, items, groups),
                           figure)
        return time / 1000 if time and time > 0 else None

    def barrier_is_skipped(self, kind, items, groups):
        return not self.row('barriers', barrier_name(kind, items, groups))

    def n_rounds(self, way, block, sample):
        """(us of each round by the device's clock)"""
        row = self.row('reductions', f'{way}, block {block}, {sample}') or {}
        return [row[f'round_{n}_us'] for n in range(1, 9)
                if f'round_{n}_us' in row]


def read(folder):
    """Results of all machines whose files are in docs/measured."""
    folder = pathlib.Path(folder)
    return [Results(json.loads((folder / file).read_text(encoding='utf-8')),
                    name, colour)
            for file, (name, colour) in MACHINES.items()]
