#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernels of examples/kernels compared with FFmpeg's filters, and with
NumPy where FFmpeg has no such filter or another definition.

Windows of the kernels replicate the samples at the border; FFmpeg's filters
have other rules. So FFmpeg filters a picture that is larger by MARGIN pixels
on each side, which repeat those at the border, and the middle is compared."""
import functools
import os
import re
import shutil
import subprocess
import unittest.mock
from typing import NamedTuple

import launch

try:
    import formats
    import numpy as np
    import reference
except ImportError as error:
    launch.skip(str(error))
if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

FOLDER = launch.ROOT / 'examples/kernels'
PAGE = launch.ROOT / 'docs/kernels.md'
SIZE = 101, 67
N_FRAMES = 2
MARGIN = 16
# The name of FFmpeg for a format, and the order of its planes.
PIXELS = {'GRAY8': ('gray', 'Y'), 'GRAY16_LE': ('gray16le', 'Y'),
          'I420': ('yuv420p', 'YUV'), 'Y42B': ('yuv422p', 'YUV'),
          'Y444_10LE': ('yuv444p10le', 'YUV'), 'GBR': ('gbrp', 'GBR'),
          'GBR_10LE': ('gbrp10le', 'GBR'),
          'RGBA': ('rgba', 'RGBA'), 'GBRA': ('gbrap', 'GBRA')}
COMMON = dict.fromkeys(['GRAY8', 'I420', 'Y444_10LE', 'GBR', 'RGBA'], 0)
YUV_8 = dict.fromkeys(['GRAY8', 'I420', 'Y42B'], 0)


# --- pictures ----------------------------------------------------------------

def components(video_format, size):
    wide = formats.wide(video_format)
    return formats.layout(wide[0] if wide else video_format,
                          2 if wide else 1, *size)[0]


def largest(video_format):
    return (1 << formats.depth(video_format)) - 1


def subsampling(video_format):
    """The rows and columns of pixels of a sample of each component."""
    return {c.name: (64 // c.height, 64 // c.width)
            for c in components(video_format, (64, 64))}


@functools.lru_cache(maxsize=None)
def source(video_format, size):
    """Frames of FFmpeg's test picture with noise: dicts of components. Codes
    of more than 8 bits have random ones in the lower bits."""
    random = np.random.default_rng(1)
    width, height = size
    data = ffmpeg('-f', 'lavfi', '-i', f'testsrc2=size={width + 1}x'
                  f'{height + 1}:rate=5,crop={width}:{height}:0:0:exact=1,'
                  'noise=alls=40:allf=t:all_seed=3,format=yuva444p',
                  '-frames:v', N_FRAMES, '-f', 'rawvideo', '-')
    shift = formats.depth(video_format) - 8
    made = []
    for planes in np.frombuffer(data, 'u1').reshape(-1, 4, height, width):
        frame = {}
        for plane, (name, (rows, columns)) in zip(
                planes, subsampling(video_format).items()):
            codes = plane[::rows, ::columns].astype('u2') << shift
            codes |= random.integers(0, 1 << shift, codes.shape, 'u2')
            frame[name] = codes
        made.append(frame)
    return made


def ffmpeg(*words, **options):
    return subprocess.run(['ffmpeg', '-v', 'error', '-y', *map(str, words)],
                          check=True, stdout=subprocess.PIPE, **options).stdout


def to_ffmpeg(video_format, frames):
    unit = 2 if formats.wide(video_format) else 1
    order = PIXELS[video_format][1]
    if video_format == 'RGBA':
        frames = [{0: np.stack([frame[name] for name in order], axis=-1)}
                  for frame in frames]
        order = [0]
    return b''.join(frame[name].astype(f'<u{unit}').tobytes()
                    for frame in frames for name in order)


def from_ffmpeg(video_format, data, size):
    codes = np.frombuffer(data, '<u2' if formats.wide(video_format) else 'u1')
    order = PIXELS[video_format][1]
    if video_format == 'RGBA':
        return [dict(zip(order, np.moveaxis(frame, 2, 0)))
                for frame in codes.reshape(-1, size[1], size[0], 4)]
    shapes = {c.name: (c.height, c.width)
              for c in components(video_format, size)}
    frames = []
    while codes.size:
        frame = {}
        for name in order:
            n = shapes[name][0] * shapes[name][1]
            frame[name], codes = codes[:n].reshape(shapes[name]), codes[n:]
        frames.append(frame)
    return frames


def to_gstreamer(video_format, frames, size):
    unit = 2 if formats.wide(video_format) else 1
    wide = formats.wide(video_format)
    layout, n_bytes = formats.layout(wide[0] if wide else video_format, unit,
                                     *size)
    data = b''
    for frame in frames:
        buffer = bytearray(n_bytes)
        for c in layout:
            np.ndarray((c.height, c.width), f'<u{unit}', buffer, c.offset,
                       (c.stride, c.step))[:] = frame[c.name]
        data += bytes(buffer)
    return data, n_bytes


# --- references --------------------------------------------------------------

def extend(frame, video_format):
    """The frame with MARGIN more pixels on each side."""
    return {name: np.pad(frame[name], [(MARGIN // rows,) * 2,
                                       (MARGIN // columns,) * 2], mode='edge')
            for name, (rows, columns) in subsampling(video_format).items()}


def middle(frame, video_format, size):
    """The part of an extended frame that is not its margin."""
    sub = subsampling(video_format)
    return {c.name: frame[c.name][MARGIN // sub[c.name][0]:,
                                  MARGIN // sub[c.name][1]:
                                  ][:c.height, :c.width]
            for c in components(video_format, size)}


def filtered(case, video_format, size):
    """What FFmpeg's filter makes of the frames."""
    frames, out = source(video_format, size), case.out(size)
    if case.has_window:
        frames = [extend(frame, video_format) for frame in frames]
        out = size = size[0] + 2 * MARGIN, size[1] + 2 * MARGIN
        # FFmpeg's filters of windows have planes, and would convert
        video_format = {'RGBA': 'GBRA'}.get(video_format, video_format)
    pixels = PIXELS[video_format][0]
    data = ffmpeg('-f', 'rawvideo', '-pix_fmt', pixels, '-s',
                  f'{size[0]}x{size[1]}', '-i', '-', '-vf', case.reference,
                  '-f', 'rawvideo', '-pix_fmt', pixels, '-',
                  input=to_ffmpeg(video_format, frames))
    frames = from_ffmpeg(video_format, data, out)
    if not case.has_window:
        return frames
    size = size[0] - 2 * MARGIN, size[1] - 2 * MARGIN
    return [middle(frame, video_format, size) for frame in frames]


def each(function):
    """A reference that treats each component alone: codes, name, format."""
    def apply(frames, video_format, _size):
        return [{name: np.clip(function(codes.astype(np.int64), name,
                                        video_format), 0,
                               largest(video_format))
                 for name, codes in frame.items()} for frame in frames]
    return apply


def mean(columns, rows):
    return each(lambda codes, *_: reference.local_mean(
        codes, (columns, rows), border='replicate'))


def weighted(codes, weights):
    """Sums of windows with @weights, rows of numbers."""
    radius = len(weights) // 2, len(weights[0]) // 2
    height, width = codes.shape
    padded = np.pad(codes, [(r, r) for r in radius], mode='edge')
    return sum(weight * padded[i:i + height, j:j + width]
               for i, row in enumerate(weights)
               for j, weight in enumerate(row))


def gradient(across, down):
    """The length of the gradient of two operators, rounded down: 64-bit floats
    have the root of each sum of squares."""
    return each(lambda codes, *_: np.sqrt(
        weighted(codes, across) ** 2 + weighted(codes, down) ** 2
    ).astype(np.int64))


def binomial(n):
    weights = np.array([1])
    for _ in range(n - 1):
        weights = np.convolve(weights, [1, 1])
    return weights


def convolved(matrix, rdiv, bias, names):
    weights = np.array(matrix).reshape(-1, int(len(matrix) ** .5))

    def apply(codes, name, _format):
        if name not in names:
            return codes
        # the sums are below 2^24, and floats
        product = weighted(codes, weights).astype('f4') * np.float32(rdiv)
        return np.floor(product + np.float32(.5)).astype(np.int64) + bias
    return each(apply)


def sharpened(columns, rows, amount):
    def apply(codes, *_):
        weights = np.outer(binomial(rows), binomial(columns))
        shift = columns + rows - 2
        blurred = weighted(codes, weights) + (1 << shift - 1) >> shift
        return codes + ((codes - blurred) * int(amount * 65536) >> 16)
    return each(apply)


def transposed(frames, video_format, size):
    """The nearest sample of U and V, whose sizes differ from the input's."""
    results = []
    for frame in frames:
        results.append({})
        for c in components(video_format, size[::-1]):
            codes = frame[c.name]
            rows = np.arange(c.width) * codes.shape[0] // c.width
            columns = np.arange(c.height) * codes.shape[1] // c.height
            results[-1][c.name] = codes[rows][:, columns].T
    return results


def around(n, size):
    """The tiles whose centres are before and behind each sample, and the
    weight of the second one in 1/256."""
    position = (2 * np.arange(size) + 1) * n - size
    first = position // (2 * size)
    rest = position - first * 2 * size
    return (np.clip(first, 0, n - 1), np.clip(first + 1, 0, n - 1),
            rest * ((1 << 24) // (2 * size)) >> 16)


def equalized(codes, columns, rows, limit):
    """The new code of each code in each tile."""
    height, width = codes.shape
    n = 1 << (8 if codes.max() < 256 else 10 if codes.max() < 1024 else 16)
    tables = np.empty((rows, columns, n), np.int64)
    for j in range(rows):
        for i in range(columns):
            tile = codes[j * height // rows:(j + 1) * height // rows,
                         i * width // columns:(i + 1) * width // columns]
            counts = np.bincount(tile.ravel(), minlength=n)
            most = int(max(1, np.float32(limit) * np.float32(tile.size) / n))
            clipped = np.minimum(counts, most)
            excess = int((counts - clipped).sum())
            sums = clipped.cumsum() + np.arange(1, n + 1) * excess // n
            tables[j, i] = (sums * (n - 1) + tile.size // 2) // tile.size
    return tables


def clahe(columns, rows, limit):
    def apply(codes, name, _format):
        if name not in 'YR':
            return codes
        height, width = codes.shape
        size = min(columns, width), min(rows, height)
        tables = equalized(codes, *size, limit)
        left, right, x = around(size[0], width)
        upper, lower, y = around(size[1], height)
        sides = [tables[j[:, None], left, codes] * (256 - x)
                 + tables[j[:, None], right, codes] * x
                 for j in (upper, lower)]
        y = y[:, None]
        return sides[0] * (256 - y) + sides[1] * y + (1 << 15) >> 16
    return each(apply)


def guided(radius, epsilon):
    def window(values):
        n = 2 * radius + 1
        return weighted(values, np.ones((n, n))) / n ** 2

    def apply(codes, _name, video_format):
        codes = codes / largest(video_format)
        means = window(codes)
        variance = window(codes * codes) - means * means
        slope = variance / (variance + epsilon)
        result = window(slope) * codes + window((1 - slope) * means)
        return np.rint(result * largest(video_format)).astype(np.int64)
    return each(apply)


def any_of(hidden, rows, columns):
    """Which blocks of @rows x @columns have an element that is true."""
    for axis, n in enumerate((rows, columns)):
        hidden = np.logical_or.reduceat(
            hidden, np.arange(0, hidden.shape[axis], n), axis)
    return hidden


def in_rectangles(rectangles):
    """The pixels of each frame that are in one of the rectangles."""
    def hidden(size):
        pixels = np.zeros(size[::-1], bool)
        for x, y, width, height in rectangles:
            if width > 0 and height > 0:
                pixels[max(0, y):max(0, y + height),
                       max(0, x):max(0, x + width)] = True
        return [pixels] * N_FRAMES
    return hidden


def under(mask):
    """The pixels of each frame that samples of the mask cover in part: both
    sizes divide a common one."""
    def hidden(size):
        results = []
        for frame in source(*mask):
            bright = next(iter(frame.values())) > largest(mask[0]) / 2
            rows, columns = bright.shape
            results.append(any_of(bright.repeat(size[1], 0).repeat(
                size[0], 1), rows, columns))
        return results
    return hidden


def blocks(codes, rows, columns):
    """The mean of each block, halves rounded up."""
    def block_mean(y, x):
        block = codes[y:y + rows, x:x + columns]
        return (block.sum() + block.size // 2) // block.size

    height, width = codes.shape
    return np.array([[block_mean(y, x) for x in range(0, width, columns)]
                     for y in range(0, height, rows)])


def interpolated(means, n, size, axis):
    """Twice @n times the line between the centres of blocks of @n samples."""
    position = 2 * np.arange(size) + 1 + n
    last = means.shape[axis] - 1
    weight = position % (2 * n)
    weight = weight[:, None] if axis == 0 else weight
    before = np.clip(position // (2 * n) - 1, 0, last)
    after = np.clip(position // (2 * n), 0, last)
    return (means.take(before, axis) * (2 * n - weight)
            + means.take(after, axis) * weight)


def private(hidden, side, is_blurred):
    def apply(frames, video_format, size):
        results = []
        for frame, pixels in zip(frames, hidden(size)):
            results.append({})
            for name, sub in subsampling(video_format).items():
                codes = frame[name].astype(np.int64)
                rows, columns = (max(side // n, 1) for n in sub)
                means = blocks(codes, rows, columns)
                if is_blurred:
                    n = 4 * rows * columns
                    new = interpolated(interpolated(
                        means, columns, codes.shape[1], 1), rows,
                        codes.shape[0], 0)
                    new = (new + n // 2) // n
                else:
                    new = means.repeat(rows, 0).repeat(columns, 1)
                    new = new[:codes.shape[0], :codes.shape[1]]
                results[-1][name] = np.where(
                    any_of(pixels, *sub), new, codes)
        return results
    return apply


# --- cases -------------------------------------------------------------------

class Case(NamedTuple):
    kernel: str
    parameters: str
    reference: object  # a filter of FFmpeg, or a function of this file
    formats: dict  # the largest difference for each format
    has_window: bool = True
    more: tuple = None  # columns and rows of the output; None: as the input
    is_turned: bool = False
    has_odd_size: bool = True
    mask: tuple = None  # format and size of a second input; None: there is none

    def out(self, size):
        if self.is_turned:
            size = size[::-1]
        return tuple(np.add(size, self.more or (0, 0)))

    def element(self, name):
        # PoCL compiles a kernel of all these elements after the other
        line = (f'{"clkernelmix" if self.mask else "clkernel"} name={name} '
                f'timeout=0 location={FOLDER}/{self.kernel}.cl')
        if self.parameters:
            line += f' parameters="p, {self.parameters}"'
        if self.more:
            line += (f' output-width=iw+{self.more[0]}'
                     f' output-height=ih+{self.more[1]}')
        return line


SHARPEN = [0, -1, 0, -1, 5, -1, 0, -1, 0]
SMOOTH = [1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3,
          2, 1]
SEVEN = [i * 7 % 11 - 3 for i in range(49)]
AREAS = [(10, 5, 30, 20), (95, 60, 50, 50), (-5, -5, 8, 8), (3, 3, 0, 9),
         (33, 21, 31, 17), (3, 1, 1, 1)]


def numbers(values):
    return f'<{",".join(map(str, values))}>'


def convolution(matrix):
    """FFmpeg's filter with the same matrix for all planes."""
    words = ' '.join(map(str, matrix))
    return 'convolution=' + ':'.join(f"{i}m='{words}'" for i in range(4))


def roberts(names, most):
    """Roberts' cross as expressions: FFmpeg's filter roberts takes differences
    within rows, which are no diagonals. geq does not clip."""
    return 'geq=interpolation=nearest:' + ':'.join(
        f"{name}='min({most},hypot(p(X-1,Y-1)-p(X,Y),p(X,Y-1)-p(X-1,Y)))'"
        for name in names)


def areas(rectangles):
    return numbers(number for rectangle in rectangles for number in rectangle)


PRIVACY = Case('privacy', f'rectangles={areas(AREAS)}',
               private(in_rectangles(AREAS), 16, False),
               COMMON | {'Y42B': 0, 'Y41B': 0})
MASK = 'I420', (151, 67)
PRIVACY_MASK = Case('privacymask', '', private(under(MASK), 16, False),
                    COMMON | {'I420_10LE': 0, 'Y41B': 0}, mask=MASK)
CASES = [
    # FFmpeg rounds the mean down
    Case('avgblur', 'sizeX=3, sizeY=2', 'avgblur=3:sizeY=2',
         dict.fromkeys([*COMMON, 'GRAY16_LE', 'Y42B'], 1)),
    Case('avgblur', 'sizeX=5', mean(11, 11), COMMON),
    Case('avgblur', 'sizeX=127', mean(255, 255),
         {'GRAY8': 0, 'GRAY16_LE': 0}),
    Case('avgblur', 'sizeX=2, planes=5', 'avgblur=2:planes=5', {'I420': 1}),
    Case('convolution', f'matrix={numbers(SHARPEN)}', convolution(SHARPEN),
         COMMON),
    Case('convolution', f'matrix={numbers(SMOOTH)}', convolution(SMOOTH),
         COMMON),
    Case('convolution', f'matrix={numbers(SEVEN)}', convolution(SEVEN),
         {'I420': 0, 'Y42B': 0, 'GRAY16_LE': 0}),
    # FFmpeg 5.1 reads rdiv, but does not use it
    Case('convolution', f'matrix={numbers(SMOOTH)}, rdiv=0.013, bias=-20, '
         'planes=1', convolved(SMOOTH, .013, -20, 'Y'),
         {'I420': 0, 'Y444_10LE': 0}),
    Case('sobel', '', 'sobel', COMMON | {'GRAY16_LE': 1}),
    Case('sobel', 'scale=1.7, delta=-40, planes=5',
         'sobel=scale=1.7:delta=-40:planes=5', YUV_8 | {'Y444_10LE': 0}),
    Case('sobel', '', gradient([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
                               [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]),
         {'Y444_10LE': 0, 'GRAY16_LE': 0}),
    Case('prewitt', '', 'prewitt', COMMON | {'GRAY16_LE': 1}),
    Case('prewitt', 'scale=0.3, delta=10', 'prewitt=scale=.3:delta=10', YUV_8),
    Case('prewitt', '', gradient([[-1, 0, 1]] * 3,
                                 [[-1] * 3, [0] * 3, [1] * 3]),
         {'GRAY16_LE': 0}),
    Case('roberts', '', roberts(('lum', 'cb', 'cr'), 255), YUV_8),
    Case('roberts', '', gradient([[1, 0, 0], [0, -1, 0], [0, 0, 0]],
                                 [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]),
         {'RGBA': 0, 'GRAY16_LE': 0}),
    Case('roberts', '', roberts(('lum', 'cb', 'cr'), 1023), {'Y444_10LE': 0}),
    Case('roberts', '', roberts('rgb', 255), {'GBR': 0}),
    Case('dilation', '', 'dilation', COMMON),
    Case('dilation', 'coordinates=164, threshold=<30,9,0,0>',
         'dilation=coordinates=164:threshold0=30:threshold1=9:threshold2=0',
         YUV_8 | {'Y444_10LE': 0}),
    Case('erosion', '', 'erosion', COMMON),
    Case('erosion', 'coordinates=91, threshold=<20,20,20,20>',
         'erosion=91:20:20:20:20', COMMON),
    Case('unsharp', 'ca=0.75', 'unsharp=ca=0.75', YUV_8),
    Case('unsharp', 'lx=9, ly=7, la=-1.5, cx=3, cy=11, ca=0.7',
         'unsharp=9:7:-1.5:3:11:0.7', YUV_8),
    # with more than 8 bits, FFmpeg 5.1 multiplies by 1/256 of the amount
    Case('unsharp', 'lx=13, ly=11, la=2.5, cx=13, cy=11, ca=2.5',
         sharpened(13, 11, 2.5), {'GRAY8': 0, 'Y444_10LE': 0, 'GRAY16_LE': 0,
                                  'GBR': 0}),
    Case('colorkey', 'color=0x2080e0, similarity=0.3',
         'colorkey=0x2080e0:0.3', {'RGBA': 0}, has_window=False),
    Case('colorkey', 'color=0x2080e0, similarity=0.3, blend=0.2',
         'colorkey=0x2080e0:0.3:0.2', {'RGBA': 0}, has_window=False),
    *(Case('transpose', f'dir={name}', f'transpose={name}', COMMON,
           has_window=False, is_turned=True)
      for name in ('cclock_flip', 'clock', 'cclock', 'clock_flip')),
    Case('transpose', '', transposed, YUV_8, is_turned=True),
    # FFmpeg drops the last column and row of an odd size, if U and V have
    # fewer samples, and makes 514 of 128 for 10 bits
    Case('pad', 'x=6, y=11', 'pad=iw+24:ih+20:6:11', {'I420': 0, 'Y42B': 0},
         has_window=False, more=(24, 20), has_odd_size=False),
    Case('pad', 'x=-1, y=7', 'pad=iw+24:ih+20:-1:7', {'I420': 0},
         has_window=False, more=(24, 20), has_odd_size=False),
    Case('pad', 'x=7, y=11', 'pad=iw+23:ih+21:7:11',
         {'GRAY8': 0, 'Y444_10LE': 2}, has_window=False, more=(23, 21)),
    Case('pad', 'x=7, y=11, color=<255,0,96,255>',
         'pad=iw+23:ih+21:7:11:0xff0060', {'GBR': 0, 'RGBA': 0, 'GBR_10LE': 1},
         has_window=False, more=(23, 21)),
    Case('clahe', '', clahe(8, 8, 4), COMMON | {'GRAY16_LE': 0}),
    Case('clahe', 'tiles_x=3, tiles_y=1, clip_limit=1.5', clahe(3, 1, 1.5),
         {'I420': 0, 'GRAY16_LE': 0}),
    Case('guided', '', guided(4, .01), dict.fromkeys(COMMON, 1)),
    Case('guided', 'radius=16, epsilon=0.0001', guided(16, .0001),
         {'I420': 1, 'GRAY16_LE': 1}),
    PRIVACY,
    Case('privacy', f'rectangles={areas(AREAS)}, mode=blur, size=9',
         private(in_rectangles(AREAS), 9, True),
         COMMON | {'Y42B': 0, 'GRAY16_LE': 0}),
    PRIVACY_MASK,
    *(Case('privacymask', f'size={side}', private(under(mask), side, False),
           dict.fromkeys(video_formats, 0), mask=mask)
      for side, mask, video_formats in (
          (9, ('GRAY8', (101, 67)), ['I420', 'Y41B', 'RGBA']),
          (16, ('GRAY16_LE', (40, 90)), ['Y42B', 'YUV9', 'RGBA']),
          (4, ('RGBA', (211, 33)), ['GRAY8', 'Y41B', 'Y444_10LE']),
          (256, ('Y444_10LE', (1, 1)), ['GRAY16_LE', 'GBR_10LE']))),
]
# Small pictures: fewer samples than a vector, a tile or a window, or fewer of U
# and V than one has pixels.
SMALL = {(17, 3): ('GRAY8', 'I420'), (1, 1): ('GRAY8', 'I420'),
         (9, 5): ('Y41B',)}


class Job(NamedTuple):
    case: Case
    video_format: str
    size: tuple

    def expected(self):
        if isinstance(self.case.reference, str):
            return filtered(*self)
        return self.case.reference(source(*self[1:]), *self[1:])


def jobs():
    """All cases, and the first one of each kernel on small pictures."""
    first = {}
    for case in CASES:
        for video_format in case.formats:
            size = SIZE if case.has_odd_size else tuple(n + 1 for n in SIZE)
            yield Job(case, video_format, size)
        # FFmpeg's geq and drawing have other rules for such pictures
        if case.has_window and (case.kernel != 'roberts'):
            first.setdefault(case.kernel, case)
    for case in first.values():
        for size, video_formats in SMALL.items():
            yield from (Job(case, video_format, size)
                        for video_format in video_formats
                        if video_format in case.formats)


class KernelsTest(launch.PipelineTest):
    def frames(self, name, video_format, size):
        """Returns the elements that play the frames, from a file @name."""
        data, n_bytes = to_gstreamer(video_format, source(video_format, size),
                                     size)
        (self.folder / name).write_bytes(data)
        return (f'filesrc location={self.folder}/{name} blocksize={n_bytes} ! '
                'rawvideoparse framerate=5/1 '
                f'format={video_format.lower().replace("_", "-")} '
                f'width={size[0]} height={size[1]}')

    def play(self, all_jobs):
        """Returns the frames that the kernel of each job makes, and the output
        of gst-launch-1.0 for each."""
        lines = []
        for i, job in enumerate(all_jobs):
            lines.append(f'{self.frames(f"in{i}", *job[1:])} ! '
                         f'{job.case.element(f"kernel{i}")} ! '
                         f'filesink location={self.folder}/out{i}')
            if job.case.mask:
                lines.append(f'{self.frames(f"mask{i}", *job.case.mask)} ! '
                             f'kernel{i}.')
        launch.run('-q ' + ' '.join(lines), timeout=280)
        return [[dict(frame) for frame in formats.read_frames(
            (self.folder / f'out{i}').read_bytes(), job.video_format,
            *job.case.out(job.size))] for i, job in enumerate(all_jobs)]

    def test_references(self):
        all_jobs = list(jobs())
        for job, frames in zip(all_jobs, self.play(all_jobs)):
            with self.subTest(kernel=job.case.kernel, size=job.size,
                              parameters=job.case.parameters,
                              format=job.video_format):
                self.compare(job, frames)

    def compare(self, job, frames):
        expected, is_same = job.expected(), True
        self.assertEqual(len(frames), N_FRAMES)
        self.assertEqual(len(expected), N_FRAMES)
        for actual, right, before in zip(frames, expected,
                                         source(*job[1:])):
            self.assertEqual(actual.keys(), right.keys())
            for name, codes in actual.items():
                self.assertEqual(codes.shape, right[name].shape, name)
                differences = np.abs(codes.astype(np.int64) - right[name])
                self.assertLessEqual(
                    differences.max(), job.case.formats[job.video_format],
                    f'{name}: {np.argwhere(differences)[:3].tolist()}')
                is_same &= np.array_equal(codes, before[name])
        # small pictures may stay as they are
        self.assertFalse(is_same and job.size not in SMALL)

    @unittest.mock.patch.dict(os.environ, GST_OPENCL_CHECK='1')
    def test_writes(self):
        """No kernel writes outside its frames and buffers, in any format and
        on small pictures."""
        by_name = {(job.case.kernel, *job[1:]): job for job in jobs()}
        self.play(by_name.values())

    def test_evidence(self):
        """The statistics of privacy and privacymask."""
        for case, hidden in ((PRIVACY, in_rectangles(AREAS)),
                             (PRIVACY_MASK, under(PRIVACY_MASK.mask))):
            with self.subTest(kernel=case.kernel):
                line = (f'-m {self.frames("in", "I420", SIZE)} ! '
                        f'{case.element("kernel")} ! fakesink ')
                if case.mask:
                    line += f'{self.frames("mask", *case.mask)} ! kernel.'
                self.assertEqual(
                    re.findall(r'redacted=\(uint\)(\d+), pixels=\(uint\)(\d+)',
                               launch.run(line)),
                    [(str(pixels.sum()), str(pixels.size))
                     for pixels in hidden(SIZE)])

    def test_page(self):
        """Each kernel has cases, and a row with its parameters in the page."""
        rows = dict(re.findall(r'^\| `(\w+)\.cl` \|(.*)$', PAGE.read_text(
            encoding='utf-8'), re.M))
        names = {path.stem for path in FOLDER.glob('*.cl')}
        self.assertEqual(names, {case.kernel for case in CASES})
        self.assertEqual(names, rows.keys())
        for name, row in rows.items():
            text = (FOLDER / f'{name}.cl').read_text(encoding='utf-8')
            parameters = re.findall(r'^//!PARAM (\w+)', text, re.M)
            self.assertEqual(re.findall(r'`(\w+)`', row.split('|')[0]),
                             parameters, name)


if __name__ == '__main__':
    launch.main()
