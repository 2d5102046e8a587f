# SPDX-License-Identifier: LGPL-2.1-or-later
"""Raw video frames with GStreamer's default layout, read by NumPy.

Independent of the plugin and of GStreamer's own code, on purpose: offsets and
strides are computed here from the documentation of the formats.
"""
import os
import random
import re
import subprocess

import numpy as np


def round_up(value, multiple):
    return -(-value // multiple) * multiple


class Component:
    """Sample (x, y) is the number of @unit bytes at byte offset + y * stride +
    x * step of the frame, without its lowest shift bits."""

    def __init__(self, name, offset, stride, step, size):
        self.name = name
        self.offset, self.stride, self.step = offset, stride, step
        self.width, self.height = size

    def read(self, frame, unit, shift, order='<'):
        """Returns the codes of one frame (bytes), height x width."""
        samples = np.ndarray((self.height, self.width), f'{order}u{unit}',
                             frame, self.offset, (self.stride, self.step))
        return samples.astype(f'u{unit}') >> shift


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
    'RBGA': ('R0 G2 B1 A3', 4),
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
ALL = [*PACKED, *MACROPIXEL, *PLANAR, *PLANAR_NEW, *SEMIPLANAR]
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
    'A420_12LE': ('A420', 12, 0), 'A420_16LE': ('A420', 16, 0),
    'A422_12LE': ('A422', 12, 0), 'A422_16LE': ('A422', 16, 0),
    'A444_12LE': ('A444', 12, 0), 'A444_16LE': ('A444', 16, 0),
    'GBR_16LE': ('GBR', 16, 0), 'GRAY10_LE16': ('GRAY8', 10, 0),
    'Y216_LE': ('YUY2', 16, 0), 'Y416_LE': ('UYVA', 16, 0),
    'ARGB64': ('ARGB', 16, 0), 'ARGB64_LE': ('ARGB', 16, 0),
    'RGBA64_LE': ('RGBA', 16, 0), 'BGRA64_LE': ('BGRA', 16, 0),
    'ABGR64_LE': ('ABGR', 16, 0),
}


# The same in the other byte order.
BIG_ENDIAN = [
    'GRAY16_BE', 'I420_10BE', 'I420_12BE', 'I422_10BE', 'I422_12BE',
    'Y444_10BE', 'Y444_12BE', 'Y444_16BE', 'P010_10BE', 'P012_BE', 'P016_BE',
    'A420_10BE', 'A422_10BE', 'A444_10BE', 'GBR_10BE', 'GBR_12BE', 'GBRA_10BE',
    'GBRA_12BE', 'Y212_BE', 'Y412_BE', 'ARGB64_BE', 'RGBA64_BE', 'BGRA64_BE',
    'ABGR64_BE', 'A420_12BE', 'A420_16BE', 'A422_12BE', 'A422_16BE',
    'A444_12BE', 'A444_16BE', 'GBR_16BE', 'Y216_BE', 'Y416_BE',
]


class Bits:
    """A format of groups of bits. In each plane, a group of @group bytes (one
    number, or one for each plane) is a number in the byte order. The codes of a
    component are @bits of it, from its lowest bits in @planes on. Codes are
    extended to @depth bits by repeating their bits."""

    def __init__(self, order, group, depth, planes, *, bits=None, sub=(1, 1),
                 stride=None):
        self.order, self.depth = order, depth
        self.groups = group if isinstance(group, tuple) else (group,)
        self.planes, self.bits, self.sub = planes, bits or {}, sub
        self.stride = stride or (
            lambda width: round_up(width * group, 4))

    def n_bits(self, name):
        return self.bits.get(name, self.depth)

    def extend(self, name, codes):
        n, copies = self.n_bits(name), -(-self.depth // self.n_bits(name))
        wide = sum(codes << i * n for i in range(copies))
        return wide >> copies * n - self.depth

    def store(self, name, codes):
        """Returns @codes as they are after packing and unpacking."""
        n = self.n_bits(name)
        return self.extend(name, codes.astype(np.uint64) >> self.depth - n)

    def read_plane(self, frame, stride, plane, size):
        """Returns {name: codes} of one plane, whose bytes are @frame."""
        group_bytes = self.groups[min(plane, len(self.groups) - 1)]
        width, height = size
        result = {}
        for name, bits in self.planes[plane].items():
            w, h = (-(-width // self.sub[0]), -(-height // self.sub[1])
                    ) if name in 'UV' else size
            codes = np.zeros((h, w), np.uint64)
            for y in range(h):
                row = frame[y * stride:][:stride]
                for x in range(w):
                    group = row[x // len(bits) * group_bytes:][:group_bytes]
                    number = int.from_bytes(group.ljust(group_bytes, b'\0'),
                                            self.order)
                    codes[y, x] = (number >> bits[x % len(bits)]
                                   ) & (1 << self.n_bits(name)) - 1
            result[name] = self.extend(name, codes).astype(
                np.uint16 if self.depth > 8 else np.uint8)
        return result

    def read(self, frame, width, height):
        stride = self.stride(width)
        rows = round_up(height, 2 if self.rounds_rows() else 1)
        result = {}
        for i in range(len(self.planes)):
            result |= self.read_plane(frame[i * stride * rows:], stride, i,
                                      (width, height))
        return [(name, result[name]) for name in 'YUVRGBA' if name in result]

    def rounds_rows(self):
        """The grey format and those of 4:2:0 have an even number of rows."""
        return self.sub[1] == 2 or list(self.planes[0]) == ['Y'] and len(
            self.planes) == 1

    def size(self, width, height):
        rows = round_up(height, 2 if self.rounds_rows() else 1)
        chroma = rows // self.sub[1] if len(self.planes) > 1 else 0
        return self.stride(width) * (rows + chroma)


def third_words(width):
    return -(-width // 3) * 4


def five_bytes(width):
    return ((width * 5 >> 2) + 4) // 5 * 5


LUMA_32 = {'Y': (0, 10, 20)}
CHROMA_32 = {'U': (0, 20, 42), 'V': (10, 32, 52)}
FIVES = {'R': 5, 'G': 5, 'B': 5}
RGB565 = FIVES | {'G': 6}
BITS = {
    'v210': Bits('little', 16, 10, [
        {'Y': (10, 32, 52, 74, 96, 116), 'U': (0, 42, 84), 'V': (20, 64, 106)}],
        sub=(2, 1), stride=lambda width: -(-width // 48) * 128),
    'UYVP': Bits('big', 5, 10, [{'Y': (20, 0), 'U': (30,), 'V': (10,)}],
                 sub=(2, 1),
                 stride=lambda width: round_up((width * 10 + 3) // 4, 4)),
    'Y410': Bits('little', 4, 10, [
        {'Y': (10,), 'U': (0,), 'V': (20,), 'A': (30,)}], bits={'A': 2}),
    'GRAY10_LE32': Bits('little', 4, 10, [LUMA_32], stride=third_words),
    'NV12_10LE32': Bits('little', (4, 8), 10, [LUMA_32, CHROMA_32], sub=(2, 2),
                        stride=third_words),
    'NV16_10LE32': Bits('little', (4, 8), 10, [LUMA_32, CHROMA_32], sub=(2, 1),
                        stride=third_words),
    'NV12_10LE40': Bits('little', 5, 10, [
        {'Y': (0, 10, 20, 30)}, {'U': (0, 20), 'V': (10, 30)}], sub=(2, 2),
        stride=five_bytes),
    'NV16_10LE40': Bits('little', 5, 10, [
        {'Y': (0, 10, 20, 30)}, {'U': (0, 20), 'V': (10, 30)}], sub=(2, 1),
        stride=five_bytes),
    'RGB10x2_LE': Bits('little', 4, 10, [{'R': (0,), 'G': (10,), 'B': (20,)}]),
    'BGR10x2_LE': Bits('little', 4, 10, [{'R': (20,), 'G': (10,), 'B': (0,)}]),
    'RGB10A2_LE': Bits('little', 4, 10, [
        {'R': (0,), 'G': (10,), 'B': (20,), 'A': (30,)}], bits={'A': 2}),
    'BGR10A2_LE': Bits('little', 4, 10, [
        {'R': (20,), 'G': (10,), 'B': (0,), 'A': (30,)}], bits={'A': 2}),
    'r210': Bits('big', 4, 10, [{'R': (20,), 'G': (10,), 'B': (0,)}]),
    'RGB16': Bits('little', 2, 8, [{'R': (11,), 'G': (5,), 'B': (0,)}],
                  bits=RGB565),
    'BGR16': Bits('little', 2, 8, [{'R': (0,), 'G': (5,), 'B': (11,)}],
                  bits=RGB565),
    'RGB15': Bits('little', 2, 8, [{'R': (10,), 'G': (5,), 'B': (0,)}],
                  bits=FIVES),
    'BGR15': Bits('little', 2, 8, [{'R': (0,), 'G': (5,), 'B': (10,)}],
                  bits=FIVES),
    'IYU1': Bits('little', 6, 8, [
        {'Y': (8, 16, 32, 40), 'U': (0,), 'V': (24,)}], sub=(4, 1),
        stride=lambda width: round_up(round_up(width, 4) * 3 // 2, 4)),
}


def accepted():
    """Returns the names of the formats on the pads of clframesum: those of the
    running GStreamer that the elements accept."""
    pads = subprocess.run(['gst-inspect-1.0', 'clframesum'], text=True,
                          stdout=subprocess.PIPE, check=False).stdout
    lists = re.findall(r'^ *format: \{(.*)\}', pads, re.M)
    return set(re.findall(r'\(string\)(\w+)', ' '.join(lists)))


# Every format in some sizes, as rounded rows and columns differ. In rows of a
# width that 3 divides, GStreamer's layout of NV12_10LE32 has no place for the
# last V.
ACCEPTED = accepted()
ROWS = [*ALL, *WIDE, *BIG_ENDIAN, *BITS]
SIZES = (33, 17), (1, 1), (2, 1), (1, 2)
CASES = [(video_format, (35, 17) if video_format.endswith('10LE32')
          and size == (33, 17) else size)
         for video_format in ROWS if video_format in ACCEPTED
         for size in SIZES]


# The seed of the run chooses among cases that need OpenCL programs of their
# own: many runs have all of them.
SEED = int(os.environ.get('CL_TEST_SEED', '1'))


def cases_of(names, n_more):
    """Returns the cases of @names, and of @n_more formats that the seed
    chooses."""
    others = sorted({name for name, _ in CASES} - {*names})
    names = {*names, *random.Random(SEED).sample(others, n_more)}
    return [case for case in CASES if case[0] in names]


def chosen(items, number):
    """Returns one of @items for each @number; items with the same seed and
    successive numbers differ."""
    return items[(SEED + number) % len(items)]


def wide(video_format):
    """Returns the row of WIDE, or None."""
    if video_format in BIG_ENDIAN:
        video_format = video_format.replace('BE', 'LE')
    return WIDE.get(video_format)


def is_packed(video_format):
    row = wide(video_format)
    return (row[0] if row else video_format) in PACKED | WORDS_ONLY | BITS


def depth(video_format):
    row = wide(video_format)
    if video_format in BITS:
        return BITS[video_format].depth
    return row[1] if row else 8


def store(video_format, name, codes):
    """Returns @codes of component @name as a frame of the format has them."""
    if video_format not in BITS:
        return codes
    return BITS[video_format].store(name, codes)


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
    # Planes of words of 4:2:2, and of bytes with alpha, have an even number of
    # rows, too.
    rows = round_up(height, 2 if sub_y == 2 or (unit, sub_x) == (2, 2) or
                    (unit, order) == (1, 'YUVA') else 1)
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
    if video_format in BITS:
        bits = BITS[video_format]
        size = bits.size(width, height)
        assert len(data) % size == 0, (len(data), size)
        return [bits.read(data[start:start + size], width, height)
                for start in range(0, len(data), size)]

    row = wide(video_format)
    base, _, shift = row or (video_format, 8, 0)
    unit = 2 if row else 1
    order = '>' if video_format in BIG_ENDIAN else '<'
    components, size = layout(base, unit, width, height)
    assert len(data) % size == 0, (len(data), size)
    return [[(component.name,
              component.read(data[start:start + size], unit, shift, order))
             for component in components]
            for start in range(0, len(data), size)]
