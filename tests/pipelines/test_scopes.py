#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clscope on generated frames, compared with counts and drawings by NumPy."""
import dataclasses
import itertools

import launch

import formats
import numpy as np
from pictures import (BT601, BT709, FULL, HLG, LIMITED, PQ, RANDOM, Clip,
                      chroma_rows, code_of_light, coefficient, colours_of,
                      lights_of, pack, read_planes, subsampling, weights_of)

RED, GREEN, BLUE, GREY = 0xff5000, 0x009e73, 0x5d6ee9, 0xdcdcdc
SEPARATOR = 0x40  # R, G and B
KINDS = ('waveform', 'parade', 'parade-rgb', 'overlay-rgb', 'vectorscope',
         'histogram', 'false-colour', 'all')
# Other layouts and depths than those of I420, GRAY8 and RGBA.
FORMATS = ('NV12', 'v210', 'P010_10LE', 'GRAY16_LE', 'BGRx', 'GBR_10LE',
           'Y444_16LE')
SIZE = 66, 44


@dataclasses.dataclass
class Case:
    """A clip of one frame, and properties of clscope."""
    clip: Clip
    kind: str
    out: tuple = ()  # the size of the output
    region: tuple = ()  # x, y, width, height
    intensity: float = .25
    properties: str = ''
    caps: str = 'format=RGBA'

    def __post_init__(self):
        """Each panel has 32 bins by default: kinds share programs."""
        self.out = self.out or ((72, 108) if self.kind == 'all' else (60, 54))

    def line(self, head, path):
        region = ','.join(map(str, self.region))
        return (f'{head} ! clscope graticule=none kind={self.kind} '
                f'intensity={self.intensity} '
                f'{f"rectangle={region} " if region else ""}'
                f'{self.properties} ! video/x-raw,{self.caps},'
                f'width={self.out[0]},height={self.out[1]} ! '
                f'filesink location={path}')


# --- the drawing ------------------------------------------------------------

def split(colour):
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255])


def line_width(area):
    return max(len(area) // 540, 1)


def add_colour(area, colour, levels):
    area += (split(colour) * levels[..., None] + 127) // 255
    np.minimum(area, 255, area)


def draw_trace(area, counts, colour, n_samples, intensity, n_all_bins=None):
    """@counts: bins x columns, of which one column has n_samples. @n_all_bins:
    of all columns, if these share the samples."""
    height, width = area.shape[:2]
    n_bins, n_columns = counts.shape
    bins = (height - 1 - np.arange(height)) * n_bins // height
    first = np.arange(width) * n_columns // width
    end = np.maximum((np.arange(width) + 1) * n_columns // width, first + 1)
    before = np.pad(counts.cumsum(1), ((0, 0), (1, 0)))
    sums = (before[:, end] - before[:, first])[bins]
    gains = (round(1024 * intensity) << 14) * (n_all_bins or n_bins) // (
        np.maximum(n_samples * (end - first), 1))
    shares = np.minimum(sums * np.minimum(gains, 0xffffffff) >> 16, 65535)
    add_colour(area, colour, 255 * shares // (shares + 64))


def draw_bars(area, sums, colours):
    height, width = area.shape[:2]
    rows = height - 1 - np.arange(height)[:, None]
    peak = max(map(max, sums))
    for of_bins, colour in zip(sums, colours):
        bars = of_bins[np.arange(width) * len(of_bins) // width]
        add_colour(area, colour, 255 * (rows ** 2 * peak < bars * height ** 2))


def count_columns(codes, n_bins, depth):
    """Returns the counts of each column: bins x columns."""
    bins = codes * n_bins >> depth
    return np.array([np.bincount(column, minlength=n_bins)
                     for column in bins.T]).T


class Scope:
    """The drawing of a case, as R, G and B of 8 bits."""

    def __init__(self, case):
        self.case, clip = case, case.clip
        self.depth = formats.depth(clip.video_format)
        self.white = (1 << self.depth) - 1
        self.is_interlaced = 'interlaced' in clip.parse
        self.planes = {name: codes.astype(np.int64) for name, codes
                       in read_planes(clip).items() if name != 'A'}
        self.colours = colours_of(self.planes, clip, self.is_interlaced)
        self.picture = np.zeros((*case.out[::-1], 3), np.int64)
        self.n_bins = {}
        areas = self.panels()
        for kind, area in areas:
            self.choose_bins(kind, area.shape)
        for kind, area in areas:
            self.draw(kind, area)
        if case.kind == 'all':
            for (_, area), rows, columns in zip(areas, (0, 0, 1, 1),
                                                (0, 1, 0, 1)):
                n = line_width(area)
                area[:n * rows] = area[:, :n * columns] = SEPARATOR

    def panels(self):
        if self.case.kind != 'all':
            return [(self.case.kind, self.picture)]
        height, width = self.picture.shape[:2]
        left, top = (width + 1) // 2, (height + 1) // 2
        return [('waveform', self.picture[:top, :left]),
                ('parade-rgb', self.picture[:top, left:]),
                ('vectorscope', self.picture[top:, :left]),
                ('histogram', self.picture[top:, left:])]

    def choose_bins(self, kind, shape):
        """Panels of the same counts have the fewest bins of them."""
        counts = {'waveform': 'own', 'parade': 'own',
                  'vectorscope': 'uv'}.get(kind, 'rgb')
        size = {'histogram': shape[1],
                'vectorscope': min(shape[:2])}.get(kind, shape[0])
        if min(shape[:2]) > 0 and kind != 'false-colour':
            most = min(size, 1 << self.depth, 1024)
            self.n_bins[counts] = min(self.n_bins.get(counts, most),
                                      1 << most.bit_length() - 1)

    def region(self):
        height, width = self.colours[0].shape
        return self.case.region or (0, 0, width, height)

    def crop(self, codes, alignment=(1, 1)):
        """Returns the counted part of a component of all pixels."""
        x, y, columns, rows = self.region()
        left, top = x // alignment[0] * alignment[0], (
            y // alignment[1] * alignment[1])
        right, bottom = (-(-end // n) * n for end, n in zip(
            (x + columns, y + rows), alignment))
        return codes[top:bottom, left:right]

    def crop_chroma(self, codes):
        """Returns the samples of chroma of the counted pixels, and, of two
        fields, those between."""
        x, y, columns, rows = self.region()
        step_x, step_y = self.steps()
        found = np.minimum(chroma_rows(y + rows, step_y, self.is_interlaced)[
            y:], len(codes) - 1)
        return codes[found.min():found.max() + 1,
                     x // step_x:-(-(x + columns) // step_x)]

    def steps(self):
        """Returns the subsampling of chroma, across and down."""
        if 'U' not in self.planes:
            return 1, 1
        return [subsampling(*sizes) for sizes in zip(
            self.planes['Y'].shape, self.planes['U'].shape)][::-1]

    def rgb(self):
        x, y = self.steps()
        alignment = x, 2 * y if y > 1 and self.is_interlaced else y
        return [self.crop(np.clip(codes, 0, self.white), alignment)
                for codes in self.colours[:3]]

    def luma(self):
        return self.crop(np.clip(self.colours[3], 0, self.white))

    def uv(self):
        """Returns U and V, of each pixel of RGB."""
        if 'U' in self.planes:
            return [self.crop_chroma(self.planes[name]) for name in 'UV']
        k_r, k_b = weights_of(self.case.clip)
        # limited range has 224 steps of chroma, and 219 of R, G and B
        one = .5 * (1 if self.is_full() else 224 / 219)
        weights = [[coefficient(-k_r / (1 - k_b) * one), None,
                    coefficient(one)],
                   [coefficient(one), None,
                    coefficient(-k_b / (1 - k_r) * one)]]
        for row in weights:
            row[1] = -row[0] - row[2]
        return [self.crop(np.clip(
            (sum(w * codes for w, codes in zip(row, self.colours))
             + (1 << 13) >> 14) + (1 << self.depth - 1), 0, self.white))
                for row in weights]

    # kinds

    def draw(self, kind, area):
        if min(area.shape[:2]) == 0:
            return
        if kind == 'vectorscope':
            self.draw_vectors(area)
        elif kind == 'histogram':
            draw_bars(area, [self.count(codes, 'rgb').sum(1)
                             for codes in self.rgb()], (RED, GREEN, BLUE))
        elif kind == 'false-colour':
            area[:] = self.zones()[self.nearest(self.colours[3], area)]
        else:
            self.draw_waveforms(kind, area)

    def count(self, codes, counts):
        return count_columns(codes, self.n_bins[counts], self.depth)

    def nearest(self, codes, area):
        height, width = area.shape[:2]
        return np.clip(codes, 0, self.white)[
            np.arange(height)[:, None] * codes.shape[0] // height,
            np.arange(width) * codes.shape[1] // width]

    def draw_waveforms(self, kind, area):
        counts = 'rgb' if 'rgb' in kind else 'own'
        if kind == 'waveform':
            traces = [(self.luma(), GREY)]
        elif kind == 'parade' and 'Y' in self.planes:
            traces = [(self.luma(), GREY)]
            if 'U' in self.planes:
                traces += zip(self.uv(), (BLUE, RED))
        else:
            parts = self.rgb() if 'rgb' in kind else [
                self.crop(self.planes[name]) for name in 'RGB']
            traces = list(zip(parts, (RED, GREEN, BLUE)))
        width, n = area.shape[1], len(traces)
        for i, (codes, colour) in enumerate(traces):
            part = area
            if 'parade' in kind:
                part = area[:, width * i // n:width * (i + 1) // n]
            if part.shape[1] == 0:
                continue
            draw_trace(part, self.count(codes, counts), colour, len(codes),
                       self.case.intensity)
            if part is not area and i > 0:
                part[:, :line_width(area)] = SEPARATOR

    def draw_vectors(self, area):
        """V is up, U is right."""
        if len(self.planes) == 1:
            return
        n_bins, (u, v) = self.n_bins['uv'], self.uv()
        pairs = ((v * n_bins >> self.depth) * n_bins
                 + (u * n_bins >> self.depth))
        counts = np.bincount(pairs.ravel(), minlength=n_bins ** 2)
        height, width = area.shape[:2]
        side = min(height, width)
        left, top = (width - side) // 2, (height - side) // 2
        draw_trace(area[top:top + side, left:left + side],
                   counts.reshape(n_bins, n_bins), GREY, pairs.size,
                   self.case.intensity, n_bins ** 2)

    def range(self):
        """Returns the codes of black and white."""
        if self.is_full():
            return 0, self.white
        return 16 << self.depth - 8, 235 << self.depth - 8

    def is_full(self):
        return self.case.clip.colorimetry.startswith(f'{FULL}:')

    def zones(self):
        """Returns the colour of each code of luma."""
        black, white = self.range()
        codes = np.arange(1 << self.depth)
        signal = (codes - black) / (white - black)
        grey = np.rint(255 * np.clip(signal, 0, 1)).astype(np.int64)
        colours = np.stack([grey] * 3, 1)
        value, zones = 100 * signal, (
            (-np.inf, 2.5, 0x332288), (2.5, 4, 0x0072b2), (38, 42, 0x009e73),
            (52, 56, 0xcc79a7), (97, 99, 0xf0e442), (99, np.inf, 0xd55e00))
        curve = self.case.clip.colorimetry.split(':', 1)[1]
        if curve in (PQ, HLG):
            value, zones = lights_of(curve, self.depth, self.is_full()), (
                (-np.inf, .05, 0x332288), (.05, 1, 0x0072b2),
                (22, 31, 0x009e73), (180, 230, 0xcc79a7),
                (230, 1000, 0xf0e442), (1000, 4000, 0xe69f00),
                (4000, np.inf, 0xd55e00))
        for low, high, colour in zones:
            colours[(value >= low) & (value < high)] = split(colour)
        return colours

    # the picture

    def with_picture(self, mode, position='', opacity=1):
        """Returns the output of mode=side or mode=overlay."""
        black, white = self.range()
        n = white - black
        scale = ((255 << 24) + n // 2) // n
        picture = np.clip((np.stack(self.colours[:3], 2) - black) * scale
                          + (1 << 23) >> 24, 0, 255)
        if mode == 'side':
            picture = np.pad(picture, (
                (0, max(len(self.picture) - len(picture), 0)), (0, 0), (0, 0)))
            below = len(picture) - len(self.picture)
            return np.concatenate([picture, np.pad(
                self.picture, ((0, below), (0, 0), (0, 0)))], 1)
        height, width = self.picture.shape[:2]
        room_y, room_x = len(picture) - height, picture.shape[1] - width
        margin = min(len(picture) // 36, room_x, room_y)
        top = room_y - margin if 'bottom' in position else margin
        left = room_x - margin if 'right' in position else margin
        part = picture[top:top + height, left:left + width]
        alpha = round(256 * opacity)
        part[:] = part * (256 - alpha) + self.picture * alpha + 128 >> 8
        return picture


# --- frames -----------------------------------------------------------------

def repeated_frame(video_format, size):
    """Random codes of few rows: columns have many samples of some codes."""
    if video_format in formats.BITS:
        bits = formats.BITS[video_format]
        stride, n = bits.stride(size[0]), bits.size(*size)
        rows = [RANDOM.bytes(stride) for _ in range(5)]
        return b''.join(rows[i] for i in RANDOM.integers(
            0, 5, -(-n // stride)))[:n]
    base, depth, _ = formats.wide(video_format) or (video_format, 8, 0)
    components, _ = formats.layout(base, 2 if depth > 8 else 1, *size)
    return pack(video_format, {
        component.name: RANDOM.integers(0, 1 << depth, (5, component.width))[
            RANDOM.integers(0, 5, component.height)]
        for component in components})


def clip_of(video_format, size=SIZE, colorimetry='', **more):
    is_yuv = video_format not in ('RGBA', 'BGRx', 'GBR_10LE')
    usual = f'{LIMITED}:{BT709}' if is_yuv else f'{FULL}:1:7:1'
    return Clip([repeated_frame(video_format, size)], video_format, size,
                colorimetry=colorimetry or usual, **more)


# --- tests ------------------------------------------------------------------

class ScopesTest(launch.PipelineTest):
    def draw(self, cases):
        """Draws all @cases in few processes; yields each with its output."""
        lines = [case.line(case.clip.head(self.folder / f'{i}.in'),
                           self.folder / f'{i}.out')
                 for i, case in enumerate(cases)]
        for start in range(0, len(lines), launch.MAX_JOBS):
            launch.run('-q ' + ' '.join(lines[start:start +
                                              launch.MAX_JOBS]))
        for i, case in enumerate(cases):
            yield case, (self.folder / f'{i}.out').read_bytes()

    def check(self, cases):
        for case, data in self.draw(cases):
            with self.subTest(format=case.clip.video_format, kind=case.kind,
                              size=case.clip.size, region=case.region,
                              parse=case.clip.parse, out=case.out,
                              colorimetry=case.clip.colorimetry):
                # of GRAY10_LE32 with one row, rawvideoparse makes two frames
                n = 4 * case.out[0] * case.out[1]
                pixels = np.frombuffer(data[:n], np.uint8).reshape(
                    *case.out[::-1], 4)
                self.assert_equal_arrays(pixels[..., :3], Scope(case).picture,
                                         case.kind)
                self.assertTrue((pixels[..., 3] == 255).all())

    def test_formats(self):
        """test_framesum.py reads every format."""
        self.check([Case(clip_of(*case), 'all')
                    for case in formats.cases_of((), 3)])

    def test_kinds(self):
        others = 'GRAY8', 'RGBA', formats.chosen(FORMATS, 0)
        self.check([Case(clip_of('I420'), kind) for kind in KINDS] + [
            Case(clip_of(others[i % 3]), formats.chosen(KINDS, i))
            for i in range(9)])

    def test_sizes(self):
        """Fewer and more pixels than columns and codes, some of them odd."""
        self.check([Case(clip_of(video_format, size),
                         formats.chosen(KINDS, i + 4 * n), out)
                    for i, (video_format, size, out, n_kinds) in enumerate([
                        ('I420', (65, 43), (1, 1), 2),
                        ('I420', (65, 43), (2, 1), 2),
                        ('I420', (1, 1), (37, 33), 2),
                        ('RGBA', (3, 2), (64, 300), 1),
                        ('GRAY16_LE', (129, 5), (33, 1100), 1),
                        ('I420', (300, 200), (40, 560), 1)])
                    for n in range(n_kinds)])

    def test_interlaced(self):
        self.check([Case(clip_of(video_format, size, parse='interlaced=true'),
                         kind)
                    for video_format in (
                        'I420', formats.chosen(('YUY2', 'v210'), 0))
                    for size in ((66, 44), (35, 19), (3, 2))
                    for kind in ('waveform', 'parade', 'all')])

    def test_colorimetry(self):
        self.check([
            Case(clip_of('I420' if bits == 8 else 'I420_10LE', SIZE,
                         f'{full}:{curve}'), kind)
            for bits, full, curve, kind in itertools.product(
                (8, 10), (LIMITED, FULL), (BT601, BT709, PQ),
                ('parade-rgb', 'histogram'))] + [
            Case(clip_of(video_format, SIZE, f'{full}:{BT709}'),
                 'false-colour') for video_format, full in itertools.product(
                ('I420', formats.chosen(('GRAY8', 'GRAY16_LE', 'Y444_10LE'),
                                        0)),
                (LIMITED, FULL))])

    def test_regions(self):
        self.check([Case(clip_of(video_format, parse=parse), kind,
                         region=region)
                    for video_format, parse, region, kind in itertools.product(
                        ('I420', 'v210', 'RGBA'), ('', 'interlaced=true'),
                        ((0, 0, 1, 1), (13, 9, 31, 17), (65, 43, 1, 1),
                         (8, 0, 20, 44), (0, 6, 66, 1), (0, 5, 66, 2)),
                        ('waveform', 'parade', 'parade-rgb', 'vectorscope'))])
        # the chroma of a field's last row is that of the other field
        self.check([Case(clip_of('I420', (66, 22), parse='interlaced=true'),
                         'parade', region=(0, 21, 66, 1))])

    def test_lines(self):
        """Rows of a rectangle: the latter is cut."""
        clip = clip_of('I420')
        rows = ((7, 1), ('lines=7', 'lines=7-7')), (
            (5, 16), ('lines=5-20',)), ((0, 44), ('lines=0-43',))
        for (y, height), texts in rows:
            cases = [Case(clip, 'all', region=(0, y, 66, height))] + [
                Case(clip, 'all', properties=text) for text in texts]
            drawn = [data for _, data in self.draw(cases)]
            self.assertEqual(drawn[1:], drawn[:1] * len(texts))
            self.check(cases[:1])

    def test_intensities(self):
        self.check([Case(clip_of('I420'), kind, intensity=intensity)
                    for intensity in (0, .001, .03, 1)
                    for kind in ('waveform', 'vectorscope')])

    def test_modes(self):
        self.check_modes(clip_of('I420', (65, 43)))
        self.check_modes(clip_of(*formats.chosen(
            (('NV12', (120, 108)), ('GBR_10LE', (72, 48))), 0)))
        self.check_modes(clip_of('I420', (65, 43), f'{FULL}:{BT601}',
                                 parse='interlaced=true'))

    def check_modes(self, clip):
        width, height = clip.size
        third = max(width // 3, 1), max(height // 3, 1)
        small = 19, 11
        rows = [('side', '', clip.size, (2 * width, height)),
                ('side', f'width=30 height={height + 9}', (30, height + 9),
                 (width + 30, height + 9)),
                ('side', 'height=34', (width, 34), (2 * width, height))] + [
            ('overlay', f'position={y}-{x} opacity={alpha} {size}', scope,
             clip.size)
            for y, x, (alpha, size, scope) in itertools.product(
                ('top', 'bottom'), ('left', 'right'),
                ((.8, '', third), (.25, 'width=19 height=11', small),
                 (1, 'width=9999 height=11', (width, 11))))]
        cases = [Case(clip, 'overlay-rgb', scope,
                      properties=f'mode={mode} {properties}')
                 for mode, properties, scope, _ in rows]
        lines = [dataclasses.replace(case, out=row[3])
                 for case, row in zip(cases, rows)]
        for (_, data), case, (mode, properties, _, out) in zip(
                self.draw(lines), cases, rows):
            with self.subTest(format=clip.video_format, mode=mode,
                              properties=properties):
                words = dict(word.split('=') for word in properties.split())
                self.assert_equal_arrays(
                    np.frombuffer(data, np.uint8).reshape(*out[::-1], 4)[
                        ..., :3],
                    Scope(case).with_picture(
                        mode, words.get('position', ''),
                        float(words.get('opacity', 1))), properties)

    def test_outputs(self):
        """The orders of R, G and B; Y of each pixel, and U and V of the mean
        of 2 x 2, which are repeated at an odd edge."""
        names = 'RGBA', 'RGBx', 'BGRA', 'BGRx', 'I420', 'NV12'
        clip = clip_of('I420')
        colorimetries = ['1:4:16:4', '2:4:16:4', '1:3:5:1', '2:3:5:1']
        for out in (72, 108), (71, 107), (1, 1):
            cases = [Case(clip, 'all', out, caps=f'format={name}')
                     for name in names[:4]] + [
                Case(clip, 'all', out,
                     caps=f'format={name},colorimetry={colorimetry}')
                for name, colorimetry in itertools.product(names[4:],
                                                           colorimetries)]
            picture = Scope(cases[0]).picture
            for case, data in self.draw(cases):
                name = case.caps[7:].split(',')[0]
                frame, = formats.read_frames(data, name, *out)
                found = [codes for _, codes in frame][:3]
                expected = [picture[..., i] for i in range(3)]
                if name in ('I420', 'NV12'):
                    expected = yuv_of(picture, case.caps.split('=')[-1])
                with self.subTest(caps=case.caps, out=out):
                    for codes, wanted in zip(found, expected):
                        self.assert_equal_arrays(codes, wanted, name)


LIGHTS = .1, 1, 10, 50, 100, 203, 500, 1000, 2000, 4000, 10000
# The corners of the cube of colours on a vectorscope.
BARS = [(1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)]


class GraticuleTest(launch.PipelineTest):
    """Lines are where the trace of their value is, which has the pixels of a
    bin, or next to it."""

    def draw(self, clip, properties, out):
        """Returns the pixels of each frame."""
        path = self.folder / 'out'
        launch.run(f'-q {clip.head(self.folder / "in")} ! clscope '
                   f'{properties} ! video/x-raw,format=RGBA,width={out[0]},'
                   f'height={out[1]} ! filesink location={path}')
        return np.frombuffer(path.read_bytes(), np.uint8).reshape(
            -1, *out[::-1], 4)[..., :3]

    def check_lines(self, clip, kind, unit, last=lambda frame: frame[:, -1]):
        """@clip has a frame for each line. @last: pixels across the lines,
        where there is no label."""
        out = 900, 500
        frames = self.draw(clip, f'kind={kind} graticule=none intensity=1',
                           out)
        traces = [last(frame).any(1).nonzero()[0] for frame in frames]
        other = self.grey_clip(clip.video_format, [
            .3 * (1 << formats.depth(clip.video_format))], clip.colorimetry)
        drawn = [self.draw(other, f'kind={kind} graticule={graticule} '
                           'intensity=0', out)[0]
                 for graticule in (unit, 'none')]
        lines = (last(drawn[0]) != last(drawn[1])).any(1).nonzero()[0]
        with self.subTest(unit=unit, colorimetry=clip.colorimetry,
                          format=clip.video_format):
            self.assertEqual(len(lines), len(traces), (lines, traces))
            for line, trace in zip(lines, sorted(traces, key=min)):
                self.assertLessEqual(abs(trace - line).min(), 1)

    def grey_clip(self, video_format, codes, colorimetry):
        size = 16, 16
        frames = []
        for code in codes:
            planes = {name: np.full(size, 1 << formats.depth(video_format) - 1)
                      for name in 'UV'}
            frames.append(pack(video_format, planes | {
                'Y': np.full(size, round(code))}))
        return Clip(frames, video_format, size, colorimetry=colorimetry)

    def test_ire(self):
        for video_format, full in itertools.product(
                ('Y444', 'Y444_12LE'), (LIMITED, FULL)):
            n = 1 << formats.depth(video_format) - 8
            black, white = (16 * n, 235 * n) if full == LIMITED else (
                0, 256 * n - 1)
            self.check_lines(self.grey_clip(
                video_format, np.linspace(black, white, 6),
                f'{full}:{BT709}'), 'waveform', 'ire')

    def test_codes(self):
        for video_format in 'Y444', 'Y444_12LE':
            scale = (1 << formats.depth(video_format)) / 1024
            self.check_lines(self.grey_clip(
                video_format, [code * scale for code in (64, 256, 512, 768,
                                                         940)],
                f'{LIMITED}:{BT709}'), 'waveform', 'codes')

    def test_light(self):
        """`auto` is light for PQ and HLG, and IRE for others."""
        for unit, curve, greatest in (('auto', PQ, 10000), ('auto', HLG, 1000),
                                      ('nits', BT709, 200)):
            codes = [code_of_light(curve, light, 12) for light in LIGHTS
                     if light <= greatest]
            clip = self.grey_clip('Y444_12LE', codes, f'{LIMITED}:{curve}')
            self.check_lines(clip, 'waveform', unit)
        self.check_lines(self.grey_clip(
            'Y444', np.linspace(16, 235, 6), f'{LIMITED}:{BT709}'),
            'waveform', 'auto')

    def test_histogram(self):
        self.check_lines(
            self.grey_clip('Y444', np.linspace(16, 235, 6),
                           f'{LIMITED}:{BT709}'),
            'histogram', 'ire', lambda frame: frame[-1])

    def test_targets(self):
        """Boxes are around the pairs of bars of 75 per cent, and crosses are
        at those of 100 per cent, of the matrix of the caps."""
        size, out = (16, 16), (500, 500)
        for full, curve in itertools.product((LIMITED, FULL),
                                             (BT709, BT601, PQ)):
            clip = Clip([], 'Y444_10LE', size, colorimetry=f'{full}:{curve}')
            k_r, k_b = weights_of(clip)
            n_u, y_0, n_y = (896, 64, 876) if full == LIMITED else (
                1023, 0, 1023)
            for share in .75, 1:
                for r, g, b in BARS:
                    y = k_r * r + (1 - k_r - k_b) * g + k_b * b
                    clip.frames.append(pack('Y444_10LE', {
                        name: np.full(size, int(np.clip(round(code), 0, 1023)))
                        for name, code in (
                            ('Y', y_0 + share * n_y * y),
                            ('U', 512 + share * n_u * (b - y) / 2
                             / (1 - k_b)),
                            ('V', 512 + share * n_u * (r - y) / 2
                             / (1 - k_r)))}))
            traces = self.draw(clip, 'kind=vectorscope graticule=none '
                               'intensity=1', out)
            marks, = self.draw(dataclasses.replace(
                clip, frames=clip.frames[:1]), 'kind=vectorscope intensity=0',
                out)
            self.assertEqual(len(traces), 12)
            for i, trace in enumerate(traces):
                rows, columns = trace.any(2).nonzero()
                with self.subTest(colorimetry=clip.colorimetry, bar=i):
                    self.check_target(marks, rows, columns, i < 6)

    def check_target(self, marks, rows, columns, is_box):
        """The middle of the target is one of the pixels, or next to one."""
        found = []
        for row, column in itertools.product(
                range(max(rows.min() - 1, 0), min(rows.max() + 2, 500)),
                range(max(columns.min() - 1, 0), min(columns.max() + 2, 500))):
            reach = 500 // 40 if is_box else 500 // 40 // 2
            around = marks[max(row - reach, 0):row + reach + 1,
                           max(column - reach, 0):column + reach + 1]
            edges = (around[0], around[-1], around[:, 0], around[:, -1])
            if not is_box:
                edges = (marks[row, max(column - reach, 0):column + reach + 1],
                         marks[max(row - reach, 0):row + reach + 1, column])
            found.append(all(edge.any(1).all() for edge in edges))
        self.assertTrue(any(found), (rows, columns))


def yuv_of(picture, colorimetry):
    """Returns Y, U and V of R, G and B of 8 bits."""
    is_full, matrix = colorimetry.split(':', 1)
    k_r, k_b = {'3:5:1': (.2126, .0722), '4:16:4': (.299, .114)}[matrix]
    one = 1 << 14
    y_one, uv_one = (one, one) if is_full == '1' else (
        round(one * 219 / 255), one * 224 / 255)
    of_y = [round(k_r * y_one), None, round(k_b * y_one)]
    of_y[1] = y_one - of_y[0] - of_y[2]
    of_u = [round(-k_r / (2 * (1 - k_b)) * uv_one), None, round(uv_one / 2)]
    of_v = [round(uv_one / 2), None, round(-k_b / (2 * (1 - k_r)) * uv_one)]
    for row in of_u, of_v:
        row[1] = -row[0] - row[2]
    height, width = picture.shape[:2]
    padded = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), 'edge')
    mean = (padded[::2, ::2] + padded[1::2, ::2] + padded[::2, 1::2]
            + padded[1::2, 1::2] + 2) // 4
    return [np.clip((pixels @ row + one // 2 >> 14) + offset, 0, 255)
            for row, pixels, offset in (
                (of_y, picture, 0 if is_full == '1' else 16),
                (of_u, mean, 128), (of_v, mean, 128))]


if __name__ == '__main__':
    launch.main()
