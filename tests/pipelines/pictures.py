# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generated frames, and R, G and B of their pixels, computed by NumPy."""
import dataclasses
import math

import formats
import numpy as np

WIDTH, HEIGHT = 192, 108  # unless a clip has another size
RANDOM = np.random.default_rng(7)

# Colorimetry as GStreamer writes it: range, matrix, transfer, primaries.
LIMITED, FULL = 2, 1
BT709, BT601, PQ, HLG = '3:5:1', '4:16:4', '6:14:7', '6:15:7'
WEIGHTS = {BT709: (.2126, .0722), BT601: (.299, .114), PQ: (.2627, .0593),
           HLG: (.2627, .0593)}


@dataclasses.dataclass
class Clip:
    """Raw frames, as bytes, and how to measure them."""
    frames: list
    video_format: str = 'GRAY8'
    size: tuple = (WIDTH, HEIGHT)
    rate: str = '25/1'
    colorimetry: str = '1:0:0:0'
    parse: str = ''  # properties of rawvideoparse
    properties: str = ''

    def head(self, path):
        path.write_bytes(b''.join(bytes(frame) for frame in self.frames))
        nick = self.video_format.lower().replace('_', '-')
        return (f'filesrc location={path} ! rawvideoparse format={nick} '
                f'width={self.size[0]} height={self.size[1]} '
                f'framerate={self.rate} colorimetry={self.colorimetry} '
                f'{self.parse}')


def pack(video_format, planes):
    """Returns the bytes of a frame of @planes: codes by component."""
    base, _, shift = formats.wide(video_format) or (video_format, 8, 0)
    unit = 2 if formats.wide(video_format) else 1
    height, width = next(iter(planes.values())).shape
    components, size = formats.layout(base, unit, width, height)
    order = '>' if video_format in formats.BIG_ENDIAN else '<'
    frame = bytearray(size)
    for component in components:
        if component.name in planes:
            np.ndarray((component.height, component.width),
                       f'{order}u{unit}', frame,
                       component.offset, (component.stride, component.step)
                       )[:] = planes[component.name] << shift
    return bytes(frame)


# --- R, G and B -------------------------------------------------------------

ONE = 1 << 14


def coefficient(value):
    """Rounds to the units of the matrix, halves away from zero."""
    return int(math.copysign(math.floor(abs(value) * ONE + .5), value))


def subsampling(n, n_chroma):
    """Returns the power of two that divides @n luma samples, rounded up."""
    return next(step for step in (1, 2, 4) if -(-n // step) == n_chroma)


def chroma_rows(height, step, is_interlaced):
    rows = np.arange(height)
    if is_interlaced and step > 1:  # each field has the rows of its parity
        return rows // (2 * step) * 2 + rows % 2
    return rows // step


def weights_of(clip):
    """Returns the weights of R and B in luma."""
    return WEIGHTS.get(clip.colorimetry.split(':', 1)[1], WEIGHTS[BT709])


def colours_of(planes, clip, is_interlaced=False):
    """Returns R, G, B and Y of each pixel, not clipped. Chroma is that of the
    nearest sample."""
    k_r, k_b = weights_of(clip)
    planes = {name: codes.astype(np.int64) for name, codes in planes.items()}
    if 'R' in planes:
        r, g, b = (planes[name] for name in 'RGB')
        of_r, of_b = coefficient(k_r), coefficient(k_b)
        of_g = ONE - of_r - of_b
        luma = (of_r * r + of_g * g + of_b * b + ONE // 2) // ONE
        return r, g, b, luma
    luma = planes['Y']
    if 'U' not in planes:
        return luma, luma, luma, luma
    height, width = luma.shape
    n_rows, n_columns = planes['U'].shape
    rows = np.minimum(chroma_rows(height, subsampling(height, n_rows),
                                  is_interlaced), n_rows - 1)
    columns = np.arange(width) // subsampling(width, n_columns)
    middle = 1 << formats.depth(clip.video_format) - 1
    u, v = (planes[name][rows][:, columns] - middle for name in 'UV')
    scale = 1 if clip.colorimetry[0] == '1' else 219 / 224
    k_g = 1 - k_r - k_b
    of_v, of_u = 2 * (1 - k_r) * scale, 2 * (1 - k_b) * scale
    y = luma * ONE + ONE // 2
    return ((y + coefficient(of_v) * v) // ONE,
            (y + coefficient(-of_u * k_b / k_g) * u
             + coefficient(-of_v * k_r / k_g) * v) // ONE,
            (y + coefficient(of_u) * u) // ONE, luma)


def read_planes(clip, frame=0):
    return dict(formats.read_frames(clip.frames[frame], clip.video_format,
                                    *clip.size)[0])


def random_frame(video_format, size):
    """Random bits; those below a code are 0."""
    if video_format in formats.BITS:
        return RANDOM.bytes(formats.BITS[video_format].size(*size))
    base, depth, shift = formats.wide(video_format) or (video_format, 8, 0)
    unit = 2 if depth > 8 else 1
    components, _ = formats.layout(base, unit, *size)
    most = np.zeros(size[::-1], np.int64)
    planes = {component.name: most[:component.height, :component.width]
              + RANDOM.integers(0, 1 << depth,
                                (component.height, component.width))
              for component in components}
    return pack(video_format, planes)


def structured_frame(video_format, size):
    """Ramps of each component, in which rectangles have extreme codes."""
    base, depth, _ = formats.wide(video_format) or (video_format, 8, 0)
    components, _ = formats.layout(base, 2 if depth > 8 else 1, *size)
    white = (1 << depth) - 1
    planes = {}
    for i, component in enumerate(components):
        x = np.arange(component.width)
        y = np.arange(component.height)[:, None]
        codes = ((x * (i + 1) + y * 2) % component.width
                 * white // component.width)
        codes[component.height // 3:component.height // 2,
              component.width // 4:component.width // 2] = white
        codes[:3, -4:] = 0
        codes[-1, :] = white
        planes[component.name] = codes
    return pack(video_format, planes)


# --- transfer functions, from the standards ---------------------------------

def srgb(value):
    return np.where(value <= .04045, value / 12.92,
                    ((value + .055) / 1.055) ** 2.4)


def pq(value):
    m_1, m_2 = 0.1593017578125, 78.84375
    c_1, c_2, c_3 = 0.8359375, 18.8515625, 18.6875
    power = value ** (1 / m_2)
    return 10000 * (np.maximum(power - c_1, 0) / (c_2 - c_3 * power)
                    ) ** (1 / m_1)


def hlg(value, peak=1000):
    a = .17883277
    b, c = 1 - 4 * a, .5 - a * math.log(4 * a)
    scene = np.where(value <= .5, value ** 2 / 3,
                     (np.exp((value - c) / a) + b) / 12)
    gamma = (1.2 + .42 * math.log10(peak / 1000) if 400 <= peak <= 2000
             else 1.2 * 1.111 ** math.log2(peak / 1000))
    return peak * scene ** gamma


def signals(depth, is_full):
    """Returns the signal of each code, 0 to 1."""
    codes = np.arange(1 << depth)
    if is_full:
        return codes / ((1 << depth) - 1)
    step = 1 << depth - 8
    return np.clip((codes - 16 * step) / (219 * step), 0, 1)


def lights_of(curve, depth, is_full, peak=0):
    """Returns the light of each code in cd/m2."""
    value = signals(depth, is_full)
    if curve == PQ:
        return pq(value)
    if curve == HLG:
        return hlg(value, peak or 1000)
    if curve == BT709:
        return (peak or 200) * value ** 2.4
    return (peak or 200) * srgb(value)


def code_of_light(curve, light, depth):
    """Returns the code of limited range nearest to @light."""
    return int(abs(lights_of(curve, depth, False) - light).argmin())
