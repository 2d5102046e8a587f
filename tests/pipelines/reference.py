# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reference results of the elements, computed by NumPy from the
definitions."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def integral(components, layout, power=1):
    """Returns the integral image of equal-sized components: rows x columns x
    channels of exact sums, of the samples' squares if @power is 2."""
    samples = np.stack(components, axis=-1).astype(np.uint64) ** power
    sums = samples.cumsum(axis=0).cumsum(axis=1)
    if layout == 'exclusive':
        sums = np.pad(sums, ((1, 0), (1, 0), (0, 0)))
    return sums


def tilted(samples, layout):
    """Returns the 45-degree sums of one component: rows x columns of exact
    sums."""
    height, width = samples.shape
    border = layout == 'exclusive'
    # sums along each row of the samples left of a column, which may be outside
    spans = np.pad(samples.astype(np.uint64).cumsum(axis=1), ((0, 0), (1, 0)))
    sums = np.zeros((height + border, width + border), np.uint64)
    x = np.arange(-int(border), width)
    for y in range(height):
        for row in range(y + 1):
            reach = y - row
            sums[y + border] += (
                spans[row, np.clip(x + reach + 1, 0, width)]
                - spans[row, np.clip(x - reach, 0, width)])
    return sums


def as_format(sums, sum_format):
    """Converts exact sums to the type of sum-format, wrapped or rounded."""
    if sum_format == 'u32':
        return (sums & 0xffffffff).astype('<u4')
    return sums.astype({'u64': '<u8', 'f32': '<f4', 'f64': '<f8'}[sum_format])


def window_sums(samples, kernel_width, kernel_height):
    """Returns the sums of every whole window of @samples."""
    rows = sliding_window_view(samples, kernel_height, axis=0).sum(axis=-1)
    return sliding_window_view(rows, kernel_width, axis=1).sum(axis=-1)


def local_mean(samples, kernel, anchor=(-1, -1), step=(1, 1), border='shrink'):
    """Means of a window around each sample, halves rounded up.

    @kernel, @anchor and @step are (x, y) in samples of this component.
    """
    sample_type, samples = samples.dtype, samples.astype(np.int64)
    before = [k // 2 if a < 0 else a for k, a in zip(kernel, anchor)]
    after = [k - 1 - b for k, b in zip(kernel, before)]
    margins = ((before[1], after[1]), (before[0], after[0]))
    counts = kernel[0] * kernel[1]
    if border == 'replicate':
        samples = np.pad(samples, margins, mode='edge')
    elif border == 'shrink':
        counts = window_sums(np.pad(np.ones_like(samples), margins), *kernel)
        samples = np.pad(samples, margins)
    means = (window_sums(samples, *kernel) + counts // 2) // counts
    return means[::step[1], ::step[0]].astype(sample_type)


def subsample(samples, step):
    """Returns every step'th sample: the output for a component that is not
    filtered."""
    return samples[::step[1], ::step[0]]


def statistics(samples):
    """Returns the fields of clframesum for one component."""
    values = samples.astype(np.uint64)
    count, total = values.size, int(values.sum())
    squares = int((values * values).sum())
    # In integers up to the last division, so that the result is exact.
    variance = (squares * count - total * total) / (count * count)
    return {
        'count': count, 'sum': total, 'sum-squares': squares,
        'min': int(values.min()), 'max': int(values.max()),
        'mean': total / count, 'variance': variance, 'stddev': variance ** .5,
    }
