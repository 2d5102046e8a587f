# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the pictures of demo.py: the plot, the contact sheet and the page."""
import matplotlib.pyplot as plt
import numpy as np

COLOURS = {'Y': 'black', 'U': 'tab:blue', 'V': 'tab:red', 'R': 'tab:red',
           'G': 'tab:green', 'B': 'tab:blue', 'A': 'tab:gray'}


def read_caps(caps):
    """The media type and the fields as text. From the text of fixed caps: what
    Python gets from get_structure() differs from 1.26 on."""
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


def draw_contact_sheet(pictures, mean_title, path):
    """One row a frame: the frame, its local mean, its integral image, and how
    that differs from the one of a frame of even brightness.
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
    """Grey pictures of one size, @columns a row. @pictures: pairs of
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
    """The sums as they are, and what makes this frame special in them: red
    where more light lies above and to the left than the average gives."""
    axis.imshow(sums, cmap='viridis')
    if min(sums.shape) > 1 and sums.max() > 0:
        axis.contour(sums, levels=sums.max() * np.linspace(.1, .9, 9),
                     colors='white', linewidths=.7)
    rows, columns = (np.arange(1, n + 1) / n for n in sums.shape)
    difference = sums - float(sums[-1, -1]) * np.outer(rows, columns)
    limit = max(abs(difference).max(), 1)
    difference_axis.imshow(difference, cmap='RdBu_r', vmin=-limit, vmax=limit)
