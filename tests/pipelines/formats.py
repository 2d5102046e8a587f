# SPDX-License-Identifier: LGPL-2.1-or-later
"""Raw video frames with GStreamer's default layout, read by NumPy.

Independent of the plugin and of GStreamer's own code, on purpose: offsets and
strides are computed here from the documentation of the formats.
"""
import numpy as np


def round_up(value, multiple):
    return -(-value // multiple) * multiple


class Component:
    """Sample (x, y) is the number of @unit bytes, little-endian, at byte
    offset + y * stride + x * step of the frame, without its lowest shift
    bits."""

    def __init__(self, name, offset, stride, step, size):
        self.name = name
        self.offset, self.stride, self.step = offset, stride, step
        self.width, self.height = size

    def read(self, frame, unit, shift):
        """Returns the codes of one frame (bytes), height x width."""
        samples = np.ndarray((self.height, self.width), f'<u{unit}', frame,
                             self.offset, (self.stride, self.step))
        return samples >> shift


# Layouts by the format of 8 bits that has them. Other formats have words of 16
# bits in the place of bytes.

# Packed formats: the components in GStreamer's order, each with its byte in
# the pixel; then the bytes of a pixel.
PACKED = {
    'RGB': ('R0 G1 B2', 3), 'BGR': ('R2 G1 B0', 3),
    'RGBx': ('R0 G1 B2', 4), 'BGRx': ('R2 G1 B0', 4),
    'xRGB': ('R1 G2 B3', 4), 'xBGR': ('R3 G2 B1', 4),
    'RGBA': ('R0 G1 B2 A3', 4), 'BGRA': ('R2 G1 B0 A3', 4),
    'ARGB': ('R1 G2 B3 A0', 4), 'ABGR': ('R3 G2 B1 A0', 4),
    'AYUV': ('Y1 U2 V3 A0', 4), 'VUYA': ('Y2 U1 V0 A3', 4),
    'v308': ('Y0 U1 V2', 3), 'IYU2': ('Y1 U0 V2', 3), 'GRAY8': ('Y0', 1),
}
WORDS_ONLY = {'UYVA': ('Y1 U0 V2 A3', 4)}
# Macropixels of two pixels in four bytes: the byte of Y, U and V.
MACROPIXEL = {'YUY2': (0, 1, 3), 'UYVY': (1, 0, 2), 'YVYU': (0, 3, 1),
              'VYUY': (1, 2, 0)}
# A plane for each component: horizontal and vertical subsampling of U and V,
# and the order of the planes.
PLANAR = {
    'I420': (2, 2, 'YUV'), 'YV12': (2, 2, 'YVU'), 'A420': (2, 2, 'YUVA'),
    'Y42B': (2, 1, 'YUV'), 'Y41B': (4, 1, 'YUV'), 'Y444': (1, 1, 'YUV'),
    'YUV9': (4, 4, 'YUV'), 'YVU9': (4, 4, 'YVU'),
    'RGBP': (1, 1, 'RGB'), 'BGRP': (1, 1, 'BGR'), 'GBR': (1, 1, 'GBR'),
    'GBRA': (1, 1, 'GBRA'),
}
# Those that GStreamer 1.22 has in words only.
PLANAR_NEW = {'A422': (2, 1, 'YUVA'), 'A444': (1, 1, 'YUVA')}
# A luma plane and one with both chroma components: subsampling, the order, and
# whether there is a plane of alpha.
SEMIPLANAR = {
    'NV12': (2, 2, 'UV', False), 'NV21': (2, 2, 'VU', False),
    'NV16': (2, 1, 'UV', False), 'NV61': (2, 1, 'VU', False),
    'NV24': (1, 1, 'UV', False), 'AV12': (2, 2, 'UV', True),
}
ALL = [*PACKED, *MACROPIXEL, *PLANAR, *SEMIPLANAR]
# Little-endian words of 16 bits, with the layout of an 8-bit format: its name,
# the bits of a code, and the unused bits below it.
WIDE = {
    'GRAY16_LE': ('GRAY8', 16, 0),
    'I420_10LE': ('I420', 10, 0), 'I420_12LE': ('I420', 12, 0),
    'I422_10LE': ('Y42B', 10, 0), 'I422_12LE': ('Y42B', 12, 0),
    'Y444_10LE': ('Y444', 10, 0), 'Y444_12LE': ('Y444', 12, 0),
    'Y444_16LE': ('Y444', 16, 0),
    'P010_10LE': ('NV12', 10, 6), 'P012_LE': ('NV12', 12, 4),
    'P016_LE': ('NV12', 16, 0),
    'A420_10LE': ('A420', 10, 0), 'A422_10LE': ('A422', 10, 0),
    'A444_10LE': ('A444', 10, 0),
    'GBR_10LE': ('GBR', 10, 0), 'GBR_12LE': ('GBR', 12, 0),
    'GBRA_10LE': ('GBRA', 10, 0), 'GBRA_12LE': ('GBRA', 12, 0),
    'v216': ('UYVY', 16, 0), 'Y210': ('YUY2', 10, 6),
    'Y212_LE': ('YUY2', 12, 4), 'Y412_LE': ('UYVA', 12, 4),
    'AYUV64': ('AYUV', 16, 0),
    'ARGB64': ('ARGB', 16, 0), 'ARGB64_LE': ('ARGB', 16, 0),
    'RGBA64_LE': ('RGBA', 16, 0), 'BGRA64_LE': ('BGRA', 16, 0),
    'ABGR64_LE': ('ABGR', 16, 0),
}


# Every format in some sizes, as rounded rows and columns differ.
CASES = [(video_format, size) for video_format in [*ALL, *WIDE]
         for size in ((33, 17), (1, 1), (2, 1), (1, 2))]


def is_packed(video_format):
    return WIDE.get(video_format, (video_format,))[0] in PACKED | WORDS_ONLY


def depth(video_format):
    return WIDE[video_format][1] if video_format in WIDE else 8


def layout(base, unit, width, height):
    """The components of a frame with the layout of the format @base, of @unit
    bytes each, and its size in bytes."""
    size = width, height
    if base in PACKED or base in WORDS_ONLY:
        names, pixel = (PACKED | WORDS_ONLY)[base]
        stride = round_up(width * pixel * unit, 4)
        return [Component(name[0], int(name[1]) * unit, stride, pixel * unit,
                          size) for name in names.split()], stride * height
    if base in MACROPIXEL:
        y, u, v = MACROPIXEL[base]
        stride = 2 * unit * round_up(width, 2)
        half = (width + 1) // 2, height
        return [Component('Y', y * unit, stride, 2 * unit, size),
                Component('U', u * unit, stride, 4 * unit, half),
                Component('V', v * unit, stride, 4 * unit, half)
                ], stride * height
    if base in SEMIPLANAR:
        return semiplanar(*SEMIPLANAR[base], unit, width, height)
    return planar(*(PLANAR | PLANAR_NEW)[base], unit, width, height)


def planar(sub_x, sub_y, order, unit, width, height):
    # planes of words of 4:2:2 have an even number of rows, too
    rows = round_up(height, 2 if sub_y == 2 or (unit, sub_x) == (2, 2) else 1)
    planes, offset = {}, 0
    for name in order:
        x, y = (sub_x, sub_y) if name in 'UV' else (1, 1)
        size = -(-width // x), -(-height // y)
        stride = round_up(size[0] * unit, 4)
        planes[name] = Component(name, offset, stride, unit, size)
        offset += stride * -(-rows // y)
    return [planes[name] for name in 'YUVRGBA' if name in planes], offset


def semiplanar(sub_x, sub_y, order, has_alpha, unit, width, height):
    rows = round_up(height, sub_y)
    stride = round_up(width * unit, 4)
    size = -(-width // sub_x), -(-height // sub_y)
    chroma_stride = round_up(2 * size[0] * unit, 4)
    components = [Component('Y', 0, stride, unit, (width, height))]
    for name in 'UV':
        components.append(Component(
            name, stride * rows + order.index(name) * unit, chroma_stride,
            2 * unit, size))
    offset = stride * rows + chroma_stride * (rows // sub_y)
    if has_alpha:
        components.append(Component('A', offset, stride, unit,
                                    (width, height)))
        offset += stride * rows
    return components, offset


def read_frames(data, video_format, width, height):
    """Returns the frames in @data: a list of (name, codes) for each frame."""
    base, _, shift = WIDE.get(video_format, (video_format, 8, 0))
    unit = 2 if video_format in WIDE else 1
    components, size = layout(base, unit, width, height)
    assert len(data) % size == 0, (len(data), size)
    return [[(component.name,
              component.read(data[start:start + size], unit, shift))
             for component in components]
            for start in range(0, len(data), size)]
