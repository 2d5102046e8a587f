# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the pictures of demo.py: the plot, the contact sheet, the page, and
what clframesum wrote into a file: statistics, events and the histogram over
time."""
import json

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

COLOURS = {'Y': 'black', 'U': 'tab:blue', 'V': 'tab:red', 'R': 'tab:red',
           'G': 'tab:green', 'B': 'tab:blue', 'A': 'tab:gray'}


def read_caps(caps):
    """Returns the media type and the fields as text. Parses the text of fixed
    caps, because get_structure() differs in Python from GStreamer 1.26 on."""
    media, *fields = caps.to_string().split(', ')
    pairs = (field.split('=(', 1) for field in fields)
    return media, {name: value.split(')', 1)[1] for name, value in pairs}


def to_array(sample):
    """Grey or RGB video or a one-channel integral image as rows x columns
    (x 3)."""
    media, fields = read_caps(sample.get_caps())
    width, height = int(fields['width']), int(fields['height'])
    data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
    if media == 'video/x-integral-image':
        return np.frombuffer(data, '<u4').reshape(height, width)
    rows = np.frombuffer(data, 'u1').reshape(height, -1)  # 4-byte aligned
    if fields['format'] == 'GRAY8':
        return rows[:, :width]
    return rows[:, :3 * width].reshape(height, width, 3)


def plot_statistics(results, name, path):
    """Mean and range of each component over time; beside it the mean alone,
    at a scale of its own. @results: the fields of clframesum, one dictionary a
    frame."""
    components = results[0]['components']
    results = [r for r in results if r['components'] == components]
    has_times = all(result['timestamp'] is not None for result in results)
    x = [result['timestamp'] / 1e9 if has_times else result['frame']
         for result in results]
    marker = '.' if len(results) == 1 else None
    figure, axes = plt.subplots(len(components), 2, sharex=True, squeeze=False,
                                figsize=(12, 1 + 2.2 * len(components)))
    for i, (component, (left, right)) in enumerate(zip(components, axes)):
        mean, deviation, low, high = (
            np.array([result[field][i] for result in results], dtype=float)
            for field in ('mean', 'stddev', 'min', 'max'))
        colour = COLOURS.get(component, 'black')
        left.fill_between(x, low, high, color=colour, alpha=.12, lw=0,
                          label='minimum to maximum')
        left.fill_between(x, mean - deviation, mean + deviation, color=colour,
                          alpha=.25, lw=0, label='mean +/- standard deviation')
        left.plot(x, mean, color=colour, lw=1.5, label='mean', marker=marker)
        left.set(ylim=(0, 255), ylabel=f'{component} [code]')
        right.plot(x, mean, color=colour, lw=1.5, marker=marker)
        right.ticklabel_format(useOffset=False)
        left.grid(alpha=.3)
        right.grid(alpha=.3)
    axes[0, 0].set_title(f'{name}: mean and range of every frame')
    axes[0, 1].set_title('the mean alone')
    figure.align_ylabels()
    for axis in axes[-1]:
        axis.set_xlabel('time [s]' if has_times else 'frame')
    figure.legend(*axes[0, 0].get_legend_handles_labels(), ncol=3, fontsize=8,
                  loc='upper left')
    figure.tight_layout(rect=(0, 0, 1, .97))
    figure.savefig(path, dpi=110)


def draw_borders(frame, line, path):
    """Draws @frame with its active area, and beside it the profiles of its
    rows. @line: the fields of clframesum."""
    rows = np.arange(line['height'])
    count = line['width']
    figure, (left, middle, right) = plt.subplots(
        1, 3, sharey=True, figsize=(10, 4.2), dpi=90,
        gridspec_kw={'width_ratios': (2.2, 1, 1)})
    left.imshow(frame)
    left.add_patch(plt.Rectangle(
        (line['active-x'], line['active-y']), line['active-width'],
        line['active-height'], fill=False, color='tab:orange', lw=2))
    left.set(title='frame and active area', xticks=[], ylabel='row')
    middle.fill_betweenx(rows, line['row-min'][0], line['row-max'][0],
                         alpha=.2, color='black', lw=0, label='min, max')
    middle.plot(np.array(line['row-sum'][0]) / count, rows, color='black',
                lw=1, label='mean')
    middle.set(title='luma of each row', xlabel='code')
    middle.legend(fontsize=8)
    right.plot(np.array(line['row-difference'][0]) / count, rows,
               color='tab:red', lw=1)
    right.set(title='difference to the row above', xlabel='codes')
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def find_combed(frames):
    """Returns the part of a frame in which rows differ most from those above
    and below, compared with how these differ."""
    height, width = 96, 128
    best = -np.inf, None
    for frame in frames:
        rows = frame.mean(axis=2)
        around = rows[:-2] + rows[2:]
        combed = (abs(2 * rows[1:-1] - around) -
                  2 * abs(rows[2:] - rows[:-2]))
        for y in range(0, combed.shape[0] - height, height // 2):
            for x in range(0, combed.shape[1] - width, width // 2):
                part = slice(y, y + height), slice(x, x + width)
                best = max(best, (combed[part].mean(), frame[part]),
                           key=lambda row: row[0])
    return best[-1]


def draw_fields(frames, lines, path):
    """Draws a part of one of @frames that has rows of two moments, and beside
    it the decisions on the fields of each of @lines, the fields of clframesum.
    They are about the frame before."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 3.2), dpi=90, gridspec_kw={'width_ratios': (1, 2)})
    left.imshow(find_combed(frames), interpolation='nearest')
    left.set(title='rows of two moments', xticks=[], yticks=[])
    rows = [(f'repeats its {field} field', 'field-repeated', field)
            for field in ('top', 'bottom')] + [
                (kind, 'field-single', kind)
                for kind in ('progressive', 'tff', 'bff', 'undetermined')]
    for y, (_, key, value) in enumerate(rows):
        found = [number for number, line in enumerate(lines[1:])
                 if line[key] == value]
        right.plot(found, [y] * len(found), 's',
                   color='tab:red' if key == 'field-repeated' else 'black')
    right.set(title='decisions on each frame', xlabel='frame',
              yticks=range(len(rows)), yticklabels=[row[0] for row in rows],
              ylim=(len(rows) - .5, -.5))
    right.grid(alpha=.3)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def draw_blocks(clips, path):
    """Draws a part of a frame of each clip, and below it the differences of
    columns there. @clips: titles, frames, and the fields of clframesum."""
    part = slice(272, 368), slice(320, 448)
    figure, axes = plt.subplots(
        2, len(clips), sharex='col', figsize=(10, 4.6), dpi=90, squeeze=False,
        gridspec_kw={'height_ratios': (2, 1)})
    for (title, frame, line), (above, below) in zip(clips, axes.T):
        first, end = part[1].start, part[1].stop
        above.imshow(frame[part], interpolation='nearest', aspect='auto',
                     extent=(first - .5, end - .5, 0, 1))
        above.set(title=f'{title}: blockiness {line["blockiness"]:.1f}',
                  yticks=[])
        columns = np.array(line['column-difference'][0]) / line['height']
        below.plot(range(first, end), columns[first:end], color='tab:red',
                   lw=1)
        below.set(ylim=(0, 12), xlabel='column', xticks=range(
            first, end, 16))
        below.grid(axis='x', alpha=.3)
    axes[1, 0].set(ylabel='difference to the\ncolumn on the left')
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def draw_contact_sheet(pictures, mean_title, path):
    """Draws a row for each frame: the frame, its local mean, its integral
    image, and the difference to the integral image of an evenly grey frame.
    @pictures: {'frame' | 'mean' | 'integral': {frame number: array}}."""
    numbers = sorted(pictures['frame'])
    height, width = pictures['frame'][numbers[0]].shape[:2]
    figure, axes = plt.subplots(len(numbers), 4, squeeze=False, figsize=(
        16, .5 + len(numbers) * (4 * min(height / width, 2) + .25)))
    titles = ('frame {}', mean_title,
              'clintegral, lines at each tenth of the total',
              'the same minus that of an evenly grey frame')
    for row, number in zip(axes, numbers):
        row[0].imshow(pictures['frame'][number])
        row[1].imshow(pictures['mean'][number])
        draw_integral(row[2], row[3], pictures['integral'][number])
        for axis, title in zip(row, titles):
            axis.set_title(title.format(number), fontsize=9)
            axis.axis('off')
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_pages(pictures, columns, path, dpi=110):
    """Draws grey pictures of one size, @columns in a row. @pictures: pairs of
    title and array."""
    rows = -(-len(pictures) // columns)
    height, width = pictures[0][1].shape
    figure, axes = plt.subplots(rows, columns, squeeze=False, figsize=(
        4 * columns, rows * (4 * height / width + .3)))
    for axis in axes.flat:
        axis.axis('off')
    for axis, (title, picture) in zip(axes.flat, pictures):
        axis.imshow(picture, cmap='gray', vmin=0, vmax=255)
        axis.set_title(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=dpi)


def draw_integral(axis, difference_axis, sums):
    """Draws the integral image, and its difference to the one of an evenly grey
    frame: red where the samples above and to the left are brighter than the
    average."""
    axis.imshow(sums, cmap='viridis')
    if min(sums.shape) > 1 and sums.max() > 0:
        axis.contour(sums, levels=sums.max() * np.linspace(.1, .9, 9),
                     colors='white', linewidths=.7)
    rows, columns = (np.arange(1, n + 1) / n for n in sums.shape)
    difference = sums - float(sums[-1, -1]) * np.outer(rows, columns)
    limit = max(abs(difference).max(), 1)
    difference_axis.imshow(difference, cmap='RdBu_r', vmin=-limit, vmax=limit)


# --- over time ---------------------------------------------------------------

# Distinguishable without red and green: Okabe and Ito, "Color Universal
# Design".
SPANS = {'black': '#0072B2', 'freeze': '#E69F00'}  # colours of long events
ROWS = ('scene', *SPANS)  # of events, from top to bottom
MAX_COLUMNS = 1000  # of the histogram: more frames than that are added up
SHARES = .01, 10    # the range of the colours, in percent of samples
MAX_WORDS = 10      # number of events in the text
NAMES = {'Y': 'luma', 'R': 'red'}


class Lines:
    """The lines of one file. @x: the position of each frame, in seconds, or in
    frames if times are missing. @events: (name, start, end), in the unit of
    @x. Only the histogram of the first component is kept."""

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
        """Returns the values of the first component for all frames; None if
        the lines lack the field."""
        if field not in self.frames[0]:
            return None
        values = [frame[field] for frame in self.frames]
        return np.array([value[0] if isinstance(value, list) else value
                         for value in values], dtype=float)

    def edges(self):
        """Returns the start of each frame, and the end of the last frame."""
        step = np.diff(self.x).mean() if len(self.x) > 1 else 1
        return np.append(self.x, self.x[-1] + step)

    def describe(self):
        """Returns texts for the first MAX_WORDS events."""
        unit, digits = (' s', 2) if self.has_times else ('', 0)
        words = [f'{name} at {start:.{digits}f}{unit}' if name == 'scene' else
                 f'{name} {start:.{digits}f} to {end:.{digits}f}{unit}'
                 for name, start, end in self.events[:MAX_WORDS]]
        if len(self.events) > MAX_WORDS:
            words.append(f'and {len(self.events) - MAX_WORDS} more')
        return words or ['none']


def draw_events(axis, lines):
    """Draws the events, each kind in its own row."""
    for name, start, end in lines.events:
        row = -ROWS.index(name)
        if name == 'scene':
            axis.plot([start, start], [row - .4, row + .4], color='black')
        else:
            axis.broken_barh([(start, end - start)], (row - .35, .7), lw=0,
                             color=SPANS[name])
    axis.set(ylim=(.5 - len(ROWS), .5), yticks=-np.arange(len(ROWS)),
             yticklabels=ROWS)
    axis.tick_params('y', length=0)


def mark_events(axis, lines):
    """Draws the events behind curves."""
    for name, start, end in lines.events:
        if name == 'scene':
            axis.axvline(start, color='black', ls=(0, (4, 3)), lw=.8)
        else:
            axis.axvspan(start, end, color=SPANS[name], alpha=.25, lw=0)
    axis.grid(alpha=.3)


def extend(values):
    """Returns a value for each of Lines.edges(): a frame's value applies until
    its end."""
    return np.append(values, values[-1])


def draw_levels(axis, lines):
    x = lines.edges()
    for low, high, alpha, label in (('min', 'max', .15, 'minimum to maximum'),
                                    ('low', 'high', .4, '10 % to 90 %')):
        axis.fill_between(x, extend(lines.values(low)),
                          extend(lines.values(high)), step='post', lw=0,
                          color='black', alpha=alpha,
                          label=label)
    axis.step(x, extend(lines.values('mean')), where='post', color='black',
              lw=1.5, label='mean')


def draw_curve(axis, lines, field):
    values = lines.values(field)
    if values is None:
        axis.text(.5, .5, 'of YUV only', ha='center', va='center',
                  transform=axis.transAxes)
    else:
        axis.step(lines.edges(), extend(values), where='post', color='black',
                  lw=1.2)


def draw_histogram(axis, lines):
    """Draws the histograms: x is the time, y the code, the colour the
    logarithm of the counts."""
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
    """Creates a column of axes for each clip, and one for the colour scale."""
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
    # frozen pictures are at 0, moving ones near 1, cuts near 100
    column[2].set_yscale('symlog', linthresh=.1)
    column[2].set(ylim=(0, limit), yticks=[0, .1, 1, 10, 100],
                  yticklabels=['0', '0.1', '1', '10', '100'])
    column[3].set(ylim=(0, limit / 2 ** .5))  # the greatest possible value


def draw_timeline(clips, path, width, dpi):
    """Draws a column for each of @clips, (title, Lines), with its own time
    axis. @width: of a column, in inches."""
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
