# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what clframesum wrote into a file: statistics, events and the histogram
over time."""
import json

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

# Told apart without red and green: Okabe and Ito, "Color Universal Design".
SPANS = {'black': '#0072B2', 'freeze': '#E69F00'}  # colour of what lasts
LANES = ('scene', *SPANS)                          # from the top down
MAX_COLUMNS = 1000  # of the histogram; of longer clips frames are added up
SHARES = .01, 10    # per cent of a frame's samples: the ends of the colours
MAX_WORDS = 10      # events that are told
NAMES = {'Y': 'luma', 'R': 'red'}


class Lines:
    """The lines of one file. @events: (name, first, frame after), in the units
    of @x, the place of each frame: seconds, or frames where times are missing.
    Of histograms that of the first component alone is kept."""

    def __init__(self, path):
        frames, events = [], []
        with open(path, encoding='utf-8') as file:
            for line in map(json.loads, file):
                if line['type'] == 'frame':
                    line['histogram'] = np.array(line['histogram'][0])
                    frames.append(line)
                elif line['type'] == 'event':
                    events.append(line)
        self.frames = [frame for frame in frames if frame['components']
                       == frames[0]['components']]
        self.has_times = all(frame['running-time'] is not None
                             for frame in self.frames)
        self.x = np.array([self.place(frame) for frame in self.frames])
        self.events = [(line['event'], self.place(line), self.place(line))
                       for line in events if line['event'] == 'scene']
        self.events += [
            (line['event'], self.place(line, 'start-'), self.place(line))
            for line in events if line['state'] == 'end']
        self.events.sort(key=lambda event: event[1:])

    def place(self, line, begin=''):
        if self.has_times:
            return line[begin + 'running-time'] / 1e9
        return line[begin + 'frame']

    def values(self, field):
        """Of the first component, a value a frame; None if there are none."""
        if field not in self.frames[0]:
            return None
        values = [frame[field] for frame in self.frames]
        return np.array([value[0] if isinstance(value, list) else value
                         for value in values], dtype=float)

    def edges(self):
        """Where each frame begins, and where the last one ends."""
        step = np.diff(self.x).mean() if len(self.x) > 1 else 1
        return np.append(self.x, self.x[-1] + step)

    def describe(self):
        """The first of the events in words, one a string."""
        unit, digits = (' s', 2) if self.has_times else ('', 0)
        words = [f'{name} at {start:.{digits}f}{unit}' if name == 'scene' else
                 f'{name} {start:.{digits}f} to {end:.{digits}f}{unit}'
                 for name, start, end in self.events[:MAX_WORDS]]
        if len(self.events) > MAX_WORDS:
            words.append(f'and {len(self.events) - MAX_WORDS} more')
        return words or ['none']


def draw_events(axis, lines):
    """A lane for each kind."""
    for name, start, end in lines.events:
        lane = -LANES.index(name)
        if name == 'scene':
            axis.plot([start, start], [lane - .4, lane + .4], color='black')
        else:
            axis.broken_barh([(start, end - start)], (lane - .35, .7), lw=0,
                             color=SPANS[name])
    axis.set(ylim=(.5 - len(LANES), .5), yticks=-np.arange(len(LANES)),
             yticklabels=LANES)
    axis.tick_params('y', length=0)


def mark_events(axis, lines):
    """Behind curves."""
    for name, start, end in lines.events:
        if name == 'scene':
            axis.axvline(start, color='black', ls=(0, (4, 3)), lw=.8)
        else:
            axis.axvspan(start, end, color=SPANS[name], alpha=.25, lw=0)
    axis.grid(alpha=.3)


def held(values):
    """A value for each of Lines.edges(): that of a frame holds to its end."""
    return np.append(values, values[-1])


def draw_levels(axis, lines):
    x = lines.edges()
    for low, high, alpha, label in (('min', 'max', .15, 'minimum to maximum'),
                                    ('low', 'high', .4, '10 % to 90 %')):
        axis.fill_between(x, held(lines.values(low)), held(lines.values(high)),
                          step='post', lw=0, color='black', alpha=alpha,
                          label=label)
    axis.step(x, held(lines.values('mean')), where='post', color='black',
              lw=1.5, label='mean')


def draw_curve(axis, lines, field):
    values = lines.values(field)
    if values is None:
        axis.text(.5, .5, 'of YUV only', ha='center', va='center',
                  transform=axis.transAxes)
    else:
        axis.step(lines.edges(), held(values), where='post', color='black',
                  lw=1.2)


def draw_histogram(axis, lines):
    """Time to the right, codes upwards, logarithm of the counts in colour."""
    counts = np.array([frame['histogram'] for frame in lines.frames])
    starts = np.arange(0, len(counts), -(-len(counts) // MAX_COLUMNS))
    codes = np.linspace(0, 2 ** lines.frames[0]['depth'], counts.shape[1] + 1)
    counts = np.add.reduceat(counts, starts)
    share = 100 * counts / counts.sum(axis=1, keepdims=True)
    mesh = axis.pcolormesh(
        np.append(lines.edges()[starts], lines.edges()[-1]), codes,
        np.maximum(share, SHARES[0]).T, cmap='cividis', norm=LogNorm(*SHARES))
    for name, start, end in lines.events:
        for x in {start, end} if name in SPANS else ():
            axis.axvline(x, color='white', ls=':', lw=1)
    axis.set(xlabel='time [s]' if lines.has_times else 'frame')
    return mesh


def make_axes(n_clips, width):
    """A column of axes a clip, and one for the scale of colours."""
    figure, axes = plt.subplots(
        5, n_clips + 1, sharex='col', squeeze=False, layout='constrained',
        figsize=(width * n_clips, 7), gridspec_kw={
            'height_ratios': [.7, 2, 1, 1, 2],
            'width_ratios': [1] * n_clips + [.015]})
    for axis in axes[:-1, -1]:
        axis.remove()
    return figure, axes


def label_axes(column, lines):
    component = lines.frames[0]['components'][0]
    what = NAMES.get(component, component)
    limit = 2 ** lines.frames[0]['depth']
    for axis, label in zip(column[1:], (what, 'temporal\ndifference',
                                        'saturation', f'{what} histogram')):
        axis.set_ylabel(f'{label}\n[code]')
    column[1].set(ylim=(0, limit))
    # what stands still is at 0, what moves near 1, cuts near 100
    column[2].set_yscale('symlog', linthresh=.1)
    column[2].set(ylim=(0, limit), yticks=[0, .1, 1, 10, 100],
                  yticklabels=['0', '0.1', '1', '10', '100'])
    column[3].set(ylim=(0, limit / 2 ** .5))  # the most there is


def draw(clips, path, width, dpi):
    """A column for each of @clips, (title, Lines), on a time axis of its own;
    @width of it in inches."""
    figure, axes = make_axes(len(clips), width)
    for column, (title, lines) in zip(axes.T, clips):
        draw_events(column[0], lines)
        draw_levels(column[1], lines)
        draw_curve(column[2], lines, 'mean-difference')
        draw_curve(column[3], lines, 'saturation-mean')
        mesh = draw_histogram(column[4], lines)
        for axis in column[1:4]:
            mark_events(axis, lines)
        column[0].set(title=title, xlim=lines.edges()[[0, -1]])
        label_axes(column, lines)
    axes[1, 0].legend(ncol=3, fontsize=8, frameon=False, borderaxespad=0,
                      loc='lower left', bbox_to_anchor=(0, 1))
    figure.colorbar(mesh, cax=axes[-1, -1], extend='both',
                    label='samples [%]', format='%g')
    figure.savefig(path, dpi=dpi)
