# SPDX-License-Identifier: LGPL-2.1-or-later
"""Raw video frames with GStreamer's default layout, read by NumPy.

Independent of the plugin and of GStreamer's own code, on purpose: offsets and
strides are computed here from the documentation of the formats.
"""
import numpy as np


def round_up(value, multiple):
    return -(-value // multiple) * multiple


class Component:
    """Sample (x, y) is at byte offset + y * stride + x * step of the frame; in
    a frame of words, in words."""

    def __init__(self, name, offset, stride, step, width, height):
        self.name = name
        self.offset, self.stride, self.step = offset, stride, step
        self.width, self.height = width, height

    def read(self, frame):
        """Returns the samples of one frame (bytes as a NumPy array), height x
        width."""
        return np.lib.stride_tricks.as_strided(
            frame[self.offset:], (self.height, self.width),
            (self.stride, self.step)).copy()


    def read_words(self, frame):
        """Returns the samples of a frame of words."""
        return np.lib.stride_tricks.as_strided(
            frame[self.offset:], (self.height, self.width),
            (2 * self.stride, 2 * self.step)).copy()


# Packed formats: the components in GStreamer's order, each with its byte in
# the pixel; then the bytes of a pixel.
PACKED = {
    'RGB': ('R0 G1 B2', 3), 'BGR': ('R2 G1 B0', 3),
    'RGBx': ('R0 G1 B2', 4), 'BGRx': ('R2 G1 B0', 4),
    'xRGB': ('R1 G2 B3', 4), 'xBGR': ('R3 G2 B1', 4),
    'RGBA': ('R0 G1 B2 A3', 4), 'BGRA': ('R2 G1 B0 A3', 4),
    'ARGB': ('R1 G2 B3 A0', 4), 'ABGR': ('R3 G2 B1 A0', 4),
    'AYUV': ('Y1 U2 V3 A0', 4), 'GRAY8': ('Y0', 1),
}
# Macropixels of two pixels in four bytes: the byte of Y, U and V.
MACROPIXEL = {'YUY2': (0, 1, 3), 'UYVY': (1, 0, 2)}
# Three planes: horizontal and vertical subsampling of the second and third,
# the alignment of their stride, and the order of the planes.
PLANAR = {
    'I420': (2, 2, 4, 'YUV'), 'YV12': (2, 2, 4, 'YVU'),
    'Y42B': (2, 1, 4, 'YUV'), 'Y41B': (4, 1, 4, 'YUV'),
    'Y444': (1, 1, 4, 'YUV'), 'RGBP': (1, 1, 4, 'RGB'),
}
# A luma plane and one with both chroma components: subsampling, and the order.
SEMIPLANAR = {
    'NV12': (2, 2, 'UV'), 'NV21': (2, 2, 'VU'), 'NV16': (2, 1, 'UV'),
    'NV24': (1, 1, 'UV'),
}
ALL = [*PACKED, *MACROPIXEL, *PLANAR, *SEMIPLANAR]
# Little-endian words of 16 bits, with the layout of an 8-bit format: its name,
# the bits of a code, and the unused bits below it.
WIDE = {
    'GRAY16_LE': ('GRAY8', 16, 0), 'I420_10LE': ('I420', 10, 0),
    'I422_10LE': ('Y42B', 10, 0), 'Y444_10LE': ('Y444', 10, 0),
    'I420_12LE': ('I420', 12, 0), 'P010_10LE': ('NV12', 10, 6),
    'P016_LE': ('NV12', 16, 0),
}


def depth(video_format):
    return WIDE[video_format][1] if video_format in WIDE else 8


def layout(video_format, width, height):
    """The components of a frame, and its size in bytes."""
    if video_format in PACKED:
        names, pixel = PACKED[video_format]
        stride = round_up(width * pixel, 4)
        return [Component(name[0], int(name[1]), stride, pixel, width, height)
                for name in names.split()], stride * height
    if video_format in MACROPIXEL:
        stride = round_up(width * 2, 4)
        y, u, v = MACROPIXEL[video_format]
        half = (width + 1) // 2
        return [Component('Y', y, stride, 2, width, height),
                Component('U', u, stride, 4, half, height),
                Component('V', v, stride, 4, half, height)], stride * height
    if video_format in PLANAR:
        return planar(*PLANAR[video_format], width, height)
    return semiplanar(*SEMIPLANAR[video_format], width, height)


def planar(sub_x, sub_y, alignment, order, width, height):
    stride = round_up(width, 4)
    chroma_stride = round_up(width, sub_x * alignment) // sub_x
    if sub_x == sub_y == 2:
        chroma_stride = round_up((width + 1) // 2, 4)
    rows = round_up(height, sub_y)
    planes = {order[0]: Component(order[0], 0, stride, 1, width, height)}
    offset = stride * rows
    for name in order[1:]:
        planes[name] = Component(name, offset, chroma_stride, 1,
                                 -(-width // sub_x), -(-height // sub_y))
        offset += chroma_stride * (rows // sub_y)
    return [planes[name] for name in 'YUVRGB' if name in planes], offset


def semiplanar(sub_x, sub_y, order, width, height):
    stride = round_up(width, 4)
    rows = round_up(height, sub_y)
    chroma_stride = stride if sub_x == 2 else round_up(2 * width, 4)
    components = [Component('Y', 0, stride, 1, width, height)]
    for name in 'UV':
        components.append(Component(
            name, stride * rows + order.index(name), chroma_stride, 2,
            -(-width // sub_x), -(-height // sub_y)))
    return components, stride * rows + chroma_stride * (rows // sub_y)


def read_frames(data, video_format, width, height):
    """Returns the frames in @data: a list of (name, samples) for each
    frame."""
    if video_format in WIDE:
        return read_wide_frames(data, *WIDE[video_format], width, height)
    components, size = layout(video_format, width, height)
    assert len(data) % size == 0, (len(data), size)
    frames = np.frombuffer(data, 'u1').reshape(-1, size)
    return [[(component.name, component.read(frame))
             for component in components] for frame in frames]


def wide_layout(base, width, height):
    """Like layout(), for samples with the layout of @base, in words. Rows are
    rounded up to four bytes."""
    stride = round_up(width, 2)
    if base in PACKED:
        return [Component('Y', 0, stride, 1, width, height)], stride * height
    if base in PLANAR:
        sub_x, sub_y, _, names = PLANAR[base]
        chroma_stride, step = (round_up(width, 4) // 2 if sub_x == 2
                               else stride), 1
    else:
        sub_x, sub_y, names = SEMIPLANAR[base]
        names, chroma_stride, step = 'Y' + names, stride, 2
    rows = round_up(height, sub_x)  # also of I422
    components = [Component('Y', 0, stride, 1, width, height)]
    offset = stride * rows
    for i, name in enumerate(names[1:]):
        components.append(Component(
            name, offset + (i if step == 2 else 0), chroma_stride, step,
            -(-width // sub_x), -(-height // sub_y)))
        if step == 1 or i == 1:
            offset += chroma_stride * (rows // sub_y)
    return components, offset


def read_wide_frames(data, base, _depth, shift, width, height):
    components, size = wide_layout(base, width, height)
    assert len(data) % (2 * size) == 0, (len(data), 2 * size)
    frames = np.frombuffer(data, '<u2').reshape(-1, size)
    return [[(component.name, component.read_words(frame) >> shift)
             for component in components] for frame in frames]
