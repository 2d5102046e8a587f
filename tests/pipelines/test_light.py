#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flashes, light and levels of clframesum: clips whose flashes an open tool
has measured, and generated frames, compared with NumPy."""
import csv
import fractions
import itertools
import json
import math
import re
import subprocess
import unittest

import launch
import messages

import formats
import numpy as np
from pictures import (BT601, BT709, FULL, HEIGHT, HLG, LIMITED, PQ, RANDOM,
                      WIDTH, Clip, code_of_light, colours_of, lights_of, pack,
                      random_frame, read_planes, srgb, structured_frame)

# 96 x 54 cells of 2 x 2 pixels
COLUMNS, ROWS = WIDTH // 2, HEIGHT // 2
TRUTH = launch.ROOT / 'tests/data/flash'


class LightTest(launch.PipelineTest):
    def measure(self, clips, properties):
        """Measures all @clips in one process. Returns the lines of each as a
        dict of the lists frame, event and pooled."""
        paths = [self.folder / f'{i}' for i in range(len(clips))]
        launch.run('-q ' + ' '.join(
            f'{clip.head(path)} ! clframesum {properties} {clip.properties} '
            f'location={path}.jsonl post-messages=false ! fakesink'
            for clip, path in zip(clips, paths)))
        found = [read_lines(f'{path}.jsonl') for path in paths]
        for clip, lines in zip(clips, found):
            self.assertEqual(len(lines['frame']), len(clip.frames))
        return found

    def assert_close(self, actual, expected):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=0)


def read_lines(path):
    found = {'frame': [], 'event': [], 'pooled': []}
    with open(path, encoding='utf-8') as file:
        for line in map(json.loads, file):
            found[line['type']].append(line)
    return found


def column(lines, name):
    return [line[name] for line in lines['frame']]


# --- flashes ----------------------------------------------------------------

# A field, the column of the tool, and the largest difference.
MEASURED = (('flash-luminance-area', 'FlashAreaLuminance', 1e-6),
            ('flash-luminance-difference', 'AverageLuminanceDiffAcc', .003),
            ('flash-luminance-transitions', 'LuminanceTransitions', 0),
            ('flash-luminance-result', 'FlashLuminanceFailedFrame', 0),
            ('flash-red-area', 'FlashAreaRed', 1e-6),
            ('flash-red-difference', 'AverageRedDiffAcc', .003),
            ('flash-red-transitions', 'RedTransitions', 0),
            ('flash-red-result', 'FlashRedFailedFrame', 0))


def has_decoder():
    return any(subprocess.run(['gst-inspect-1.0', '--exists', name],
                              check=False).returncode == 0
               for name in ('avdec_h264', 'openh264dec'))


@unittest.skipUnless(has_decoder(), 'no decoder of H.264')
class TruthTest(LightTest):
    """tests/data/flash/README.md describes the clips and the tables."""

    def find(self, name):
        """Yields the line and the row of each frame."""
        path = self.folder / name
        launch.run(f'-q filesrc location={TRUTH}/{name}.mp4 ! decodebin ! '
                   'clframesum statistics=flash light-transfer=srgb '
                   f'location={path} post-messages=false ! fakesink')
        with open(TRUTH / f'{name}.csv', encoding='utf-8', newline='') as rows:
            table = list(csv.DictReader(rows))
        self.assertGreater(len(table), 20)
        yield from zip(read_lines(path)['frame'], table, strict=True)

    def test_clips(self):
        for name in '2Hz_5s', '3Hz_6s', 'gray':
            for line, row in self.find(name):
                for field, key, delta in MEASURED:
                    self.assertAlmostEqual(
                        line[field], float(row[key]), delta=delta,
                        msg=f'{name}, frame {row["Frame"]}: {field}')

    def test_gradual_red(self):
        """The table is of R, G and B of 8 bits, which are rounded down: the
        mean of the redness is up to 3.2 less, and one transition comes a frame
        later."""
        differences = []
        for line, row in self.find('GradualRedIncrease'):
            for field, key, delta in MEASURED:
                difference = line[field] - float(row[key])
                if field == 'flash-red-difference':
                    differences.append(abs(difference))
                elif field == 'flash-red-transitions' and row['Frame'] == '13':
                    self.assertEqual((line[field], row[key]), (2, '1'))
                else:
                    self.assertLessEqual(abs(difference), delta, (row, field))
        self.assertLess(max(differences), 3.2)


def flashing(states, frames, pick=bytes):
    """Returns frame 0 or 1 of @frames for each of @states."""
    made = [pick(frame) for frame in frames]
    return [made[state] for state in states]


def states_of(flashes, rate, seconds):
    """Returns the states of pictures that flash, two changes a flash."""
    rate = fractions.Fraction(rate)
    return [math.floor(2 * fractions.Fraction(str(flashes)) * n / rate) % 2
            for n in range(math.ceil(seconds * rate))]


def grey(code, size=(WIDTH, HEIGHT)):
    return np.full(size[::-1], code, np.uint8)


def of_cells(cells, code=255):
    """Returns a picture of cells: those of 1 have the code."""
    return (cells * np.uint8(code)).repeat(2, 0).repeat(2, 1)


def rectangle(x, y, width, height):
    cells = np.zeros((ROWS, COLUMNS), np.uint8)
    cells[y:y + height, x:x + width] = 1
    return cells


def spread(n_more):
    """A quarter of all cells, in each group of 2 x 2 one, and @n_more."""
    cells = np.zeros((ROWS, COLUMNS), np.uint8)
    cells[::2, ::2] = 1
    if n_more >= 0:
        cells[1, 1:1 + 2 * n_more:2] = 1
    else:
        cells[0, 0:-2 * n_more:2] = 0
    return cells


def clip_of(pair, flashes=4, seconds=2, rate='25/1', **more):
    return Clip(flashing(states_of(flashes, rate, seconds),
                         [frame.tobytes() for frame in pair]),
                rate=rate, **more)


def interlace(pictures, is_bottom_first):
    """A clip of frames of two fields, which are @pictures; the last one has
    no frame if it is alone."""
    frames = []
    for first, second in zip(pictures[::2], pictures[1::2]):
        frame = np.empty((HEIGHT, WIDTH), np.uint8)
        frame[is_bottom_first::2] = first
        frame[1 - is_bottom_first::2] = second
        frames.append(frame.tobytes())
    first = 'false' if is_bottom_first else 'true'
    return Clip(frames, parse=f'interlaced=true top-field-first={first}')


def rgb_frame(r, g, b):
    return np.full((HEIGHT, WIDTH, 3), (r, g, b), np.uint8)


LINEAR = 'light-transfer=linear'


class FlashTest(LightTest):
    """Events are those of the property flash-area 0.25: results are the
    greatest of all frames."""

    def find(self, clips, properties=LINEAR):
        return self.measure(
            clips, f'statistics=flash events=flash {properties}')

    def check(self, lines, what, *, mean=0, region=0, red=0, region_red=0,
              kind=None):
        """Expects the greatest results, and one event of @kind or none."""
        found = [max(column(lines, f'flash-{name}-result')) for name in
                 ('luminance', 'region-luminance', 'red', 'region-red')]
        with self.subTest(what):
            self.assertEqual(found, [mean, region, red, region_red])
            self.assertEqual(
                [event['kind'] for event in lines['event']
                 if event['state'] == 'start'], [kind] if kind else [])

    def check_all(self, cases, properties=LINEAR):
        found = self.find([clip for clip, _ in cases.values()], properties)
        for (what, (_, expected)), lines in zip(cases.items(), found):
            self.check(lines, what, **expected)

    FAILS = {'mean': 3, 'region': 3, 'kind': 'luminance'}
    REGION_FAILS = {'region': 3, 'kind': 'luminance'}

    def test_area(self):
        """Areas in whole cells: below, at and above a quarter of the picture,
        and of a window of 32 x 18 cells, of which the rest of the picture has
        none. The mean of a picture counts from a quarter on, as the open tool
        has it; a region counts above a quarter."""
        black = grey(0)
        self.check_all({
            '24.9 %': (clip_of((black, of_cells(spread(-6)))), {}),
            '25 %': (clip_of((black, of_cells(spread(0)))),
                     {'mean': 3, 'kind': 'luminance'}),
            '25.1 %': (clip_of((black, of_cells(spread(6)))), self.FAILS),
            '25 % of a window': (
                clip_of((black, of_cells(rectangle(40, 20, 12, 12)))), {}),
            '25.2 % of a window': (
                clip_of((black, of_cells(rectangle(40, 20, 29, 5)))),
                self.REGION_FAILS)})

    def test_area_property(self):
        found = self.find([clip_of((grey(0), of_cells(spread(6))))] * 2,
                          f'{LINEAR} flash-area=0.27')
        self.check(found[0], 'flash-area')

    def test_rates(self):
        """Three flashes a second are six transitions and a warning; more fail.
        The first ones last less than four seconds, whatever the second."""
        size = 96, 54
        rates = ('24/1', '25/1', '30/1', '50/1', '60/1', '120/1',
                 '24000/1001')
        for flashes, expected in (
                (3, {'mean': 1, 'region': 1}), ('3.1', self.FAILS)):
            found = self.find([clip_of(
                (grey(0, size), grey(255, size)), flashes, 3.5, rate,
                size=size) for rate in rates])
            for rate, lines in zip(rates, found):
                self.check(lines, (flashes, rate), **expected)
                n = 6 if flashes == 3 else 7
                for name in 'luminance', 'region-luminance':
                    self.assertEqual(
                        max(column(lines, f'flash-{name}-transitions')), n)

    def test_luminance(self):
        """A tenth of the reference is a transition if the darker state is
        below eight tenths."""
        def pair(a, b):
            return clip_of((grey(a), grey(b)))

        self.check_all({
            '9 %': (pair(0, 23), {}), '9.8 %': (pair(100, 125), {}),
            '10.2 %': (pair(100, 126), self.FAILS),
            '11 %': (pair(0, 28), self.FAILS),
            'dark at 78.8 %': (pair(201, 255), self.FAILS),
            'dark at 80.4 %': (pair(205, 255), {}),
            'dark at 82.4 %': (pair(210, 255), {})})

    def test_display_peak(self):
        """A tenth is 20 cd/m2, of whatever display."""
        clips = [clip_of((grey(0), grey(code)), properties=f'display-peak={p}')
                 for code, p in ((23, 200), (23, 250), (255, 19), (255, 21))]
        found = self.find(clips)
        for lines, expected in zip(found, ({}, self.FAILS, {}, self.FAILS)):
            self.check(lines, 'display-peak', **expected)
        # 16 of 255 and 198 of 200 are 19.88 of 320
        red = clip_of((rgb_frame(0, 0, 0), rgb_frame(16, 0, 0)),
                      video_format='RGB', properties='display-peak=198')
        self.check_all({'red': (red, {})})

    def test_red(self):
        """R, G, B of two states in linear light. The redness counts from 20 of
        320 on, where R is four fifths of the sum."""
        fails = {'red': 3, 'region_red': 3, 'kind': 'red'}
        black = 0, 0, 0
        self.check_all({
            name: (clip_of((rgb_frame(*a), rgb_frame(*b)), video_format='RGB'),
                   expected)
            for name, a, b, expected in (
                ('dark red', black, (100, 0, 0), fails),
                ('18.8 of 320', black, (15, 0, 0), {}),
                ('20.1 of 320', black, (16, 0, 0), fails),
                ('saturated', black, (41, 10, 0), fails),
                ('not saturated', black, (39, 10, 0), {}),
                ('saturated with blue', black, (41, 0, 10), fails),
                ('not saturated with blue', black, (39, 0, 10), {}),
                ('dark green', black, (0, 32, 0), {}),
                ('dark blue', black, (0, 0, 255), {}),
                ('red to grey', (80, 0, 0), (17, 17, 17), fails),
                ('bright red', black, (255, 0, 0),
                 {'mean': 3, 'region': 3, 'red': 3, 'region_red': 3,
                  'kind': 'luminance'}))})

    def test_red_value(self):
        """Pure red is 320; its mean is that of all cells."""
        half = rgb_frame(0, 0, 0)
        half[:, :WIDTH // 2, 0] = 255
        lines, = self.find([Clip([rgb_frame(0, 0, 0).tobytes(),
                                  half.tobytes()], 'RGB')])
        last = lines['frame'][1]
        self.assertEqual((last['flash-red-area'],
                          last['flash-luminance-area']), (.5, .5))
        self.assertAlmostEqual(last['flash-red-difference'], 160, places=6)
        self.assertAlmostEqual(last['flash-luminance-difference'], .1063,
                               delta=1e-4)

    def test_movement(self):
        """The mean of halves that alternate is constant."""
        left = of_cells(rectangle(0, 0, COLUMNS // 2, ROWS))
        self.check_all({'halves': (clip_of((left, 255 - left)),
                                   self.REGION_FAILS)})

    def test_slow(self):
        """Fades and cuts have fewer than four transitions a second."""
        up = [grey(round(255 * i / 99)).tobytes() for i in range(100)]
        noise = [RANDOM.integers(0, 2, (ROWS, COLUMNS), np.uint8)
                 for _ in range(6)]
        self.check_all({
            'fade': (Clip(up), {}), 'fades': (Clip(up[::2] + up[::-2]), {}),
            'cuts to white': (clip_of((grey(0), grey(255)), 1, 4), {}),
            'cuts': (Clip([of_cells(noise[i // 13]).tobytes()
                           for i in range(75)]), {})})

    def test_fade_is_one_transition(self):
        """Many small changes of one direction in a second are one."""
        ramp = np.linspace(0, 255, 6).round()
        codes = [*ramp, *ramp[-2::-1]] * 4  # 0.4 s for a flash
        lines, = self.find([Clip([grey(int(code)).tobytes()
                                  for code in codes])])
        self.assertEqual(max(column(lines, 'flash-luminance-transitions')), 5)
        self.assertEqual(
            max(column(lines, 'flash-region-luminance-transitions')), 5)

    def test_turning_points(self):
        """A change counts from the farthest luminance since the last one."""
        cases = [([0, 128, 148, 110, 148, 110], [0, 1, 1, 2, 3, 4]),
                 ([200, 100, 80, 118, 80, 118], [0, 1, 1, 2, 3, 4]),
                 ([100, 120, 140, 160, 140, 133], [0, 0, 1, 1, 1, 2])]
        for size in (WIDTH, HEIGHT), (22, 18):
            found = self.find([Clip(
                [pack('GRAY8', {'Y': grey(code, size)}) for code in codes],
                size=size) for codes, _ in cases])
            for lines, (codes, expected) in zip(found, cases):
                with self.subTest(size=size, codes=codes):
                    self.assertEqual(column(
                        lines, 'flash-region-luminance-transitions'), expected)

    def test_corner(self):
        """Six per cent of the picture, in one window of a third: the event
        names the window."""
        for x, y, window in ((COLUMNS - 24, ROWS - 13, (128, 72, 64, 36)),
                             (0, 0, (0, 0, 64, 36))):
            strobe = of_cells(rectangle(x, y, 24, 13))
            lines, = self.find([clip_of((grey(0), strobe))])
            self.check(lines, 'corner', **self.REGION_FAILS)
            for event in lines['event']:
                self.assertEqual(tuple(event[key] for key in (
                    'x', 'y', 'width', 'height')), window)
            self.assertEqual(tuple(
                lines['frame'][-1][f'flash-region-{key}']
                for key in ('x', 'y', 'width', 'height')), window)

    def test_event(self):
        """The event begins at the seventh transition in a second, and ends
        when fewer than four are left."""
        states = states_of(5, 25, 2) + [0] * 40
        lines, = self.find([Clip(flashing(states, [grey(0), grey(255)]))])
        turns = [i for i in range(1, len(states))
                 if states[i] != states[i - 1]]
        n = [sum(i - 25 < turn <= i for turn in turns)
             for i in range(len(states))]
        self.assertEqual(column(lines, 'flash-luminance-transitions'), n)
        first = next(i for i, count in enumerate(n) if count > 6)
        last = next(i for i in range(first, len(n)) if n[i] < 4)
        start, end = lines['event']
        self.assertEqual((start['frame'], end['start-frame'], end['frame']),
                         (first, first, last))
        self.assertEqual((start['result'], start['transitions']), (3, 7))

    def test_extended(self):
        """Five transitions a second for four of five seconds. A pause of some
        frames after three seconds leaves more than four seconds, one of a
        second does not."""
        for pause, expected in ((0, 2), (8, 2), (25, 1)):
            flashes = states_of('2.5', 25, 3)
            frames = flashing(flashes + flashes[-1:] * pause + flashes,
                              [grey(0), grey(255)])
            lines, = self.find([Clip(frames)])
            results = column(lines, 'flash-luminance-result')
            self.assertEqual(results,
                             column(lines, 'flash-region-luminance-result'))
            self.assertEqual(max(results), expected, pause)
            self.assertEqual(bool(lines['event']), expected == 2)
            if pause == 0:
                # active from the fourth transition on, for 100 frames
                self.assertEqual(results.index(2), 20 + 99)

    def test_interlaced(self):
        """A frame has two pictures, in the order of its fields. Only their
        changed areas are others: a field is compared with that of its parity
        in the frame before."""
        states = states_of(4, 50, 2)
        half = WIDTH, HEIGHT // 2
        strobe = of_cells(rectangle(0, 0, 30, 18))[:half[1]]
        pictures = flashing(states, [grey(0, half), strobe], lambda x: x)
        progressive, = self.find([Clip(
            [picture.tobytes() for picture in pictures], size=half,
            rate='50/1')])
        self.check(progressive, 'progressive', **self.REGION_FAILS)
        for is_bottom_first in 0, 1:
            interlaced, = self.find([interlace(pictures, is_bottom_first)])
            self.check(interlaced, is_bottom_first, **self.REGION_FAILS)
            for line, last in zip(interlaced['frame'],
                                  progressive['frame'][1::2], strict=True):
                last = dict(last)
                for key in 'y', 'height':
                    last[f'flash-region-{key}'] *= 2
                names = [name for name in last if name.startswith('flash-')
                         and not name.endswith('-area')]
                self.assertEqual({name: line[name] for name in names},
                                 {name: last[name] for name in names})

    def test_interlaced_area(self):
        """The cells of both fields of a frame are one area, whichever field
        is the first of a flash."""
        below = np.zeros((ROWS // 2, COLUMNS), np.uint8)
        below[:, ::4] = 1
        above = below.copy()
        below[0, 0:24:4] = 0
        above[0, 1:24:4] = 1
        checked = np.indices(below.shape).sum(axis=0) % 2
        cases = {}
        for name, cells, flashes, expected in (
                ('below', below, 4, {}), ('above', above, 4, self.FAILS),
                ('alternates slowly', checked, 2, {'region': 1}),
                ('alternates', checked, 4, self.REGION_FAILS)):
            pair = of_cells(cells), of_cells(
                1 - cells if cells is checked else 0 * cells)
            for n_late, is_bottom_first in itertools.product((0, 1), (0, 1)):
                states = [0] * n_late + [state for state in states_of(
                    flashes, 25, 2) for _ in (0, 1)]
                cases[name, n_late, is_bottom_first] = (interlace(
                    flashing(states, pair, lambda x: x), is_bottom_first),
                    expected)
        self.check_all(cases)

    def test_interlaced_heights(self):
        """The top field may have a row of cells more than the bottom one."""
        cases = {}
        for height in range(4, 12):
            size = 64, height
            clip = clip_of((grey(0, size), grey(255, size)), size=size,
                           parse='interlaced=true')
            cases[height] = clip, self.FAILS
        self.check_all(cases)

    def test_region_of_odd_size(self):
        """The region is within the rectangle. Of interlaced video it is that
        of the last field, which may have a row less."""
        pair = grey(0), grey(255)
        for parse, (x, y, width, height) in itertools.product(
                ('', 'interlaced=true'), ((3, 5, 7, 9), (0, 0, 1, 2),
                                          (WIDTH - 5, HEIGHT - 3, 5, 3))):
            lines, = self.find([clip_of(
                pair, parse=parse, properties=f'position-x={x} position-y={y} '
                f'width={width} height={height}')])
            last = lines['frame'][-1]
            self.assertEqual([last[f'flash-region-{name}'] for name in
                              ('x', 'y', 'width')], [x, y, width])
            self.assertIn(height - last['flash-region-height'],
                          (0, 1) if parse else (0,))

    def test_interlaced_rectangle(self):
        """The first row of a rectangle may be of the bottom field."""
        states = [0, 0, 0, 1, 1, 1, 0, 0]
        clip = interlace(flashing(states, [
            grey(code, (WIDTH, HEIGHT // 2)) for code in (0, 255)],
            lambda x: x), False)
        for position in 0, 1:
            clip.properties = f'position-y={position} height=20'
            lines, = self.find([clip])
            self.assertEqual(column(lines, 'flash-luminance-transitions'),
                             [0, 1, 1, 2])

    def test_interlaced_chroma(self):
        """A rectangle of two rows has a row of chroma, of one field."""
        u, v = (np.full((HEIGHT // 2, WIDTH // 2), 128) for _ in 'UV')
        u[1::2], v[1::2] = 90, 240  # red
        frame = pack('I420', {'Y': np.full((HEIGHT, WIDTH), 81), 'U': u,
                              'V': v})
        for position in 0, 2, HEIGHT - 2:
            clip = Clip([frame] * 25, 'I420', parse='interlaced=true',
                        colorimetry=f'2:{BT709}',
                        properties=f'position-y={position} height=2')
            self.check_all({position: (clip, {})})

    def test_one_field(self):
        """A rectangle of one row has no cells of the other field."""
        for position in 0, 1:
            clip = Clip([grey(255).tobytes()] * 25, parse='interlaced=true',
                        properties=f'position-y={position} height=1')
            self.check_all({position: (clip, {})})

    def test_high_dynamic_range(self):
        """Flashes between two luminances in cd/m2, grey of 10 bits."""
        cases = {}
        for curve, (low, high) in itertools.product(
                (PQ, HLG), ((100, 150), (200, 1000), (1, 19), (1, 23))):
            pair = [plain_frame('I420_10LE', code_of_light(curve, light, 10))
                    for light in (low, high)]
            cases[curve, low, high] = (
                Clip(flashing(states_of(4, 25, 2), pair), 'I420_10LE',
                     colorimetry=f'2:{curve}'),
                self.FAILS if low == 100 or high == 23 else {})
        self.check_all(cases, '')

    def test_transfers(self):
        """Codes of 8 bits of full range, just below and above a tenth, and
        just below and above eight tenths of the darker state."""
        curves = {'srgb': srgb, 'bt1886': lambda v: v ** 2.4,
                  'linear': lambda v: v}
        cases = {}
        for name, curve in curves.items():
            lights = curve(np.arange(256) / 255)
            code = int((lights < .1001).sum())
            dark = int((lights < .799).sum())
            for a, b, expected in ((0, code - 1, {}), (0, code, self.FAILS),
                                   (dark - 1, 255, self.FAILS),
                                   (dark + 1, 255, {})):
                cases[name, a, b] = (clip_of(
                    (grey(a), grey(b)), properties=f'light-transfer={name}'),
                    expected)
        self.check_all(cases, '')

    def play(self, times, duration=1 / 25, mode='progressive'):
        """Returns the results of frames at @times in seconds, which alternate
        between black and white."""
        pipeline = messages.Gst.parse_launch(
            f'appsrc name=source format=time caps=video/x-raw,format=GRAY8,'
            f'width={WIDTH},height={HEIGHT},framerate=25/1,'
            f'interlace-mode={mode} ! clframesum '
            f'statistics=flash events=flash {LINEAR} stats-meta=false ! '
            'fakesink')
        source = pipeline.get_by_name('source')
        for i, time in enumerate(times):
            buffer = messages.Gst.Buffer.new_wrapped(
                grey(255 * (i % 2)).tobytes())
            buffer.pts = round(time * messages.Gst.SECOND)
            buffer.duration = round(duration * messages.Gst.SECOND)
            source.emit('push-buffer', buffer)
        source.emit('end-of-stream')
        try:
            found = [messages.to_dict(structure) for structure in
                     messages.until_end(pipeline)]
        finally:
            pipeline.set_state(messages.Gst.State.NULL)
        return [line['flash-luminance-transitions'] for line in found
                if 'flash-luminance-transitions' in line]

    def test_gaps(self):
        """A second is one of timestamps, not of frames."""
        times = [*np.arange(5) * .1, *3 + np.arange(4) * .1]
        self.assertEqual(self.play(times), [0, 1, 2, 3, 4, 1, 2, 3, 4])
        times = np.arange(12) * .25
        self.assertEqual(self.play(times), [0, 1, 2, 3, 4, *[4] * 7])

    def test_long_durations(self):
        """The second field is not later than the next frame."""
        times = np.arange(12) * .1
        self.assertEqual(self.play(times, 5, 'interleaved'),
                         self.play(times, 1 / 25, 'interleaved'))


    def test_flushing_seek(self):
        """After a flush, the first frame is compared with none."""
        clip = clip_of((grey(0), grey(255)), seconds=1)  # ends in white
        pipeline = messages.Gst.parse_launch(
            f'{clip.head(self.folder / "clip")} ! clframesum '
            f'statistics=flash {LINEAR} ! fakesink')
        turns = []
        try:
            for _ in range(2):
                found = [messages.to_dict(structure) for structure in
                         messages.until_end(pipeline)]
                turns.append([[line[name] for name in line
                               if name.startswith('flash-')]
                              for line in found if 'flash-red-result' in line])
                pipeline.seek_simple(messages.Gst.Format.TIME,
                                     messages.Gst.SeekFlags.FLUSH, 0)
        finally:
            pipeline.set_state(messages.Gst.State.NULL)
        self.assertEqual(len(turns[0]), len(clip.frames))
        self.assertEqual(turns[0], turns[1])

    def test_other_peak(self):
        """White of another display is no flash."""
        pipeline = messages.Gst.parse_launch(
            f'videotestsrc pattern=white num-buffers=12 ! video/x-raw,'
            f'format=GRAY8,width={WIDTH},height={HEIGHT} ! identity name=count '
            f'! clframesum name=sum statistics=flash+light {LINEAR} ! fakesink')
        n_frames = 0

        def handle(_identity, _buffer):
            nonlocal n_frames
            n_frames += 1
            if n_frames == 6:
                pipeline.get_by_name('sum').set_property('display-peak', 20)

        pipeline.get_by_name('count').connect('handoff', handle)
        try:
            found = [messages.to_dict(structure) for structure in
                     messages.until_end(pipeline)]
        finally:
            pipeline.set_state(messages.Gst.State.NULL)
        frames = [line for line in found if 'light-max' in line]
        self.assertLess(frames[-1]['light-max'], frames[0]['light-max'])
        self.assertEqual(
            [line['flash-luminance-transitions'] for line in frames], [0] * 12)


# --- regions ----------------------------------------------------------------

class Cells:
    """Cells whose luminance has turning points a tenth apart. A luminance
    above nine tenths counts as that, so that the darker one is below eight."""

    def __init__(self):
        self.extremes = None

    def add(self, luminance):
        """Returns which cells rise and which ones fall."""
        value = np.minimum(luminance, .9)
        if self.extremes is None:
            self.extremes, self.are_peaks = value, value >= .45
            return np.zeros(value.shape, bool), np.zeros(value.shape, bool)
        rises = ~self.are_peaks & (value - self.extremes > .1)
        falls = self.are_peaks & (self.extremes - value > .1)
        is_beyond = np.where(self.are_peaks, value > self.extremes,
                             value < self.extremes)
        self.extremes = np.where(rises | falls | is_beyond, value,
                                 self.extremes)
        self.are_peaks = (self.are_peaks | rises) & ~falls
        return rises, falls


class Regions:
    """The picture and each window of a third of it in each direction: columns
    and rows of cells from start to end, the picture first."""
    GRID = 48, 27

    def __init__(self, columns, rows, n_fields):
        self.n_fields = n_fields
        across, down = ([size * i // n for i in range(n + 1)]
                        for size, n in zip((columns, rows), self.GRID))
        self.places = [(0, 0, columns, rows)] + [
            (across[x], down[y], across[x + 16], down[y + 9])
            for y in range(19) for x in range(33)]
        x, y, end_x, end_y = np.transpose(self.places)
        self.corners = x, y, end_x, end_y
        self.n_cells = (end_x - x) * (end_y - y)
        zeros = np.zeros(len(self.places))
        self.rising, self.falling, self.share = zeros, zeros, zeros
        self.before = zeros, zeros
        self.direction = zeros.astype(int)
        self.times = [[] for _ in self.places]
        self.actives = []

    def count(self, cells):
        sums = np.pad(cells.astype(int).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        x, y, end_x, end_y = self.corners
        return (sums[end_y, end_x] - sums[y, end_x] - sums[end_y, x]
                + sums[y, x])

    def turn(self, rises, falls):
        """Returns which regions have a transition."""
        are_rising = falls <= rises / 4
        are_falling = rises <= falls / 4
        rising = np.select(
            [are_rising, are_falling], [self.rising + rises, 0],
            rises + (self.n_fields - 1) * self.before[0])
        falling = np.select(
            [are_rising, are_falling], [0, self.falling + falls],
            falls + (self.n_fields - 1) * self.before[1])
        is_little = rises + falls < self.n_cells / 100
        rising, falling = (np.where(is_little, 0, sums)
                           for sums in (rising, falling))
        up, down = (sums > self.n_cells * self.n_fields / 4
                    for sums in (rising, falling))
        direction = np.select(
            [up & down, up, down],
            [np.where(self.direction > 0, -1, 1), 1, -1], self.direction)
        turns = direction != self.direction
        self.direction = direction
        self.rising, self.falling = (np.where(turns, 0, sums)
                                     for sums in (rising, falling))
        self.before = tuple(np.where(turns, 0, n) for n in (rises, falls))
        self.share = np.where(turns, np.maximum(rises, falls) / self.n_cells,
                              self.share)
        return turns

    def add(self, rises, falls, time):
        """Returns the result, the transitions, and the place of the worst
        region at @time in whole numbers."""
        for times, turns in zip(self.times, self.turn(self.count(rises),
                                                      self.count(falls))):
            if turns:
                times.append(time)
        n = np.array([min(sum(time - other < SECOND for other in times), 16)
                      for times in self.times])
        self.actives.append((time, (n >= 4) & (n <= 6)))
        n_active = sum(active for other, active in self.actives
                       if time - other < 5 * SECOND)
        n_needed = sum(time - other < 4 * SECOND for other, _ in self.actives)
        results = np.select([n > 6, n < 4, n_active >= n_needed], [3, 0, 2], 1)
        worst = max(range(len(n)), key=lambda i: (
            results[i], n[i], self.share[i] if n[i] else 0, -i))
        place = self.places[worst] if n[worst] else (0, 0, 0, 0)
        return results[worst], n[worst], place


SECOND = 1200  # of times in whole numbers
LEVELS = range(0, 241, 20)


def random_cells(seed, n_frames, share, period, size=(COLUMNS, ROWS)):
    """Pictures where rectangles change at once or column by column, in the
    @share of frames, and one in each @period."""
    random = np.random.default_rng(seed)
    columns, rows = size
    cells = np.zeros((rows, columns), np.uint8)
    wipes = []
    for i in range(n_frames):
        if random.random() < share:
            width, height = random.integers(4, size)
            x, y = (random.integers(0, whole - part + 1) for whole, part in
                    ((columns, width), (rows, height)))
            wipes.append((i, random.integers(1, 30), slice(y, y + height), x,
                          width, random.choice(LEVELS)))
        for start, n, lines, x, width, level in wipes:
            if i < start + n:
                done = slice(x + width * (i - start) // n,
                             x + width * (i + 1 - start) // n)
                cells[lines, done] = level
        if i % period == 0:
            part = cells[rows // 5:rows // 2, columns // 5:columns // 2]
            part[:] = 240 - part
        yield cells.copy()


class RegionTest(LightTest):
    """Random pictures, and the definition in NumPy."""

    def expect(self, pictures, clip, n_fields):
        """@pictures: cells of each field or frame in the order of time."""
        rate = 25 * n_fields
        cells = [Cells() for _ in range(n_fields)]
        regions = Regions(*pictures[0].shape[::-1], n_fields)
        worst = [regions.add(*cells[i % n_fields].add(picture / 255),
                             i * SECOND // rate)
                 for i, picture in enumerate(pictures)][n_fields - 1::n_fields]
        lines, = self.measure([clip], f'statistics=flash {LINEAR}')
        for line, (result, n, place) in zip(lines['frame'], worst,
                                            strict=True):
            x, y, end_x, end_y = (2 * edge for edge in place)
            self.assertEqual(
                [line[f'flash-region-{name}'] for name in (
                    'luminance-result', 'luminance-transitions', 'x', 'y',
                    'width', 'height')],
                [result, n, x, n_fields * y, end_x - x,
                 n_fields * (end_y - y)], line['frame'])
        return {result for result, *_ in worst}

    def test_progressive(self):
        results = set()
        for seed, (share, period) in enumerate((
                (.02, 5), (.05, 4), (.1, 5), (.3, 9))):
            pictures = list(random_cells(seed, 250, share, period))
            results |= self.expect(pictures, Clip(
                [of_cells(picture, 1).tobytes() for picture in pictures]), 1)
        self.assertEqual(results, {0, 1, 2, 3})

    def test_small(self):
        """Fewer cells than there are columns and rows of the grid."""
        for size in (11, 9), (17, 30):
            pictures = list(random_cells(4, 250, .1, 5, size))
            self.expect(pictures, Clip(
                [pack('GRAY8', {'Y': of_cells(picture, 1)})
                 for picture in pictures],
                size=(2 * size[0], 2 * size[1])), 1)

    def test_interlaced(self):
        results = set()
        for seed, (share, period) in enumerate((
                (.02, 11), (.05, 9), (.1, 7))):
            pictures = [picture[::2] for picture in
                        random_cells(seed, 400, share, period)]
            results |= self.expect(pictures, interlace(
                [of_cells(picture, 1) for picture in pictures], seed % 2), 2)
        self.assertEqual(results, {0, 1, 2, 3})


def plain_frame(video_format, code):
    middle = 1 << formats.depth(video_format) - 1
    return pack(video_format, {
        'Y': np.full((HEIGHT, WIDTH), code),
        'U': np.full((HEIGHT // 2, WIDTH // 2), middle),
        'V': np.full((HEIGHT // 2, WIDTH // 2), middle)})


# --- light ------------------------------------------------------------------

PERCENTS = '1 5 10 25 50 75 90 95 98 99 99.98 99.99'.split()


def levels_of(codes, lights, colours, n_out=0):
    """Returns the fields of light of the codes of max (R, G, B), without the
    @n_out darkest."""
    codes = np.sort(codes.ravel())[n_out:]
    ranks = [math.ceil(fractions.Fraction(percent) * len(codes) / 100)
             for percent in PERCENTS]
    of_ranks = [codes[max(rank, 1) - 1] for rank in ranks]
    return {
        'light-max': lights[codes[-1]],
        'light-average': math.fsum(lights[codes]) / len(codes),
        'light-robust-max': lights[of_ranks[-1]],
        'light-left-out': (codes > of_ranks[-1]).sum() / len(codes),
        'light-max-rgb': [lights[colour.max()] for colour in colours],
        'light-percentiles': [lights[code] for code in of_ranks]}


class LightLevelTest(LightTest):
    def expect(self, clips, curves, properties='', peak=0):
        """Compares the fields of each frame of @clips with NumPy."""
        found = self.measure(
            clips, f'statistics=light+light-histogram+levels {properties}')
        for clip, curve, lines in zip(clips, curves, found):
            depth = formats.depth(clip.video_format)
            is_full = clip.colorimetry[0] == '1'
            lights = lights_of(curve, depth, is_full, peak)
            greatest = {}
            for i, line in enumerate(lines['frame']):
                colours = [np.clip(colour, 0, (1 << depth) - 1) for colour in
                           colours_of(read_planes(clip, i), clip,
                                      'interlaced' in clip.parse)[:3]]
                codes = np.maximum.reduce(colours)
                with self.subTest(format=clip.video_format, frame=i,
                                  colorimetry=clip.colorimetry):
                    self.assertEqual(line['light-histogram'], np.bincount(
                        codes.ravel(), minlength=1 << depth).tolist())
                    for name, value in levels_of(codes, lights,
                                                 colours).items():
                        self.assert_close(line[name], value)
                        greatest[name] = np.maximum(greatest.get(name, 0),
                                                    value)
            for name, field in (('max-cll', 'light-max'),
                                ('max-fall', 'light-average'),
                                ('robust-max-cll', 'light-robust-max')):
                self.assert_close(lines['pooled'][0][name], greatest[field])

    def clips(self, rows, size=(66, 44)):
        return [Clip([make(video_format, size)
                      for make in (structured_frame, random_frame)],
                     video_format, size, colorimetry=f'{full}:{curve}')
                for video_format, full, curve in rows]

    def test_high_dynamic_range(self):
        rows = list(itertools.product(('Y444_10LE', 'I420_10LE', 'P010_10LE'),
                                      (LIMITED, FULL), (PQ, HLG)))
        self.expect(self.clips(rows), [row[2] for row in rows])

    def test_grey_ramp(self):
        """Each code once: neutral chroma gives R = G = B = Y."""
        ramp = np.arange(1024).reshape(32, 32)
        rows = list(itertools.product((LIMITED, FULL), (PQ, HLG)))
        clips = [Clip([pack('Y444_10LE', {
            'Y': ramp, 'U': np.full_like(ramp, 512),
            'V': np.full_like(ramp, 512)})], 'Y444_10LE', (32, 32),
            colorimetry=f'{full}:{curve}') for full, curve in rows]
        self.expect(clips, [curve for _, curve in rows])
        for lines in self.measure(clips, 'statistics=light-histogram'):
            self.assertEqual(lines['frame'][0]['light-histogram'], [1] * 1024)

    def test_standard_range(self):
        """YUV of BT.709 has the display's power of 2.4, others sRGB."""
        srgb_rows = [(name, FULL, '1:7:1') for name in
                     ('RGB', 'ARGB64', 'GBR', 'GRAY8', 'GRAY16_LE')]
        rows = srgb_rows + [('I420', LIMITED, BT709), ('I420', FULL, BT709),
                            ('NV12', LIMITED, BT601), ('Y42B', FULL, BT601)]
        self.expect(self.clips(rows), [row[2] for row in rows])

    def test_colours(self):
        """Each of R, G and B is once the greatest; most pixels are dark."""
        frames = [pack('GBR', {
            name: np.minimum(RANDOM.integers(0, 256, (36, 64)), limit)
            for name, limit in zip('RGB', limits)})
            for limits in itertools.permutations((60, 130, 210))]
        self.expect([Clip(frames, 'GBR', (64, 36), colorimetry='1:1:7:1')],
                    ['1:7:1'])

    def test_interlaced(self):
        clips = self.clips([('I420', LIMITED, BT709)])
        clips[0].parse = 'interlaced=true'
        self.expect(clips, [BT709])

    def test_display_peak(self):
        rows = [('Y444_10LE', LIMITED, curve) for curve in (HLG, PQ, BT709)]
        for peak in .1, 100, 500, 2000, 4000:
            self.expect(self.clips(rows, (32, 24)), [row[2] for row in rows],
                        f'display-peak={peak}', peak)

    def test_hot_pixel(self):
        """One pixel of 20736 is not above the percentile 99.99."""
        frames = []
        for n in 1, 2, 3:
            frame = grey(100)
            frame[50, 60:60 + n] = 240
            frames.append(frame.tobytes())
        lines, = self.measure([Clip(frames)], 'statistics=light')
        lights = 200 * srgb(np.arange(256) / 255)
        self.assert_close(column(lines, 'light-max'), lights[[240] * 3])
        self.assert_close(column(lines, 'light-robust-max'),
                          lights[[100, 100, 240]])
        self.assert_close(column(lines, 'light-left-out'),
                          [1 / 20736, 2 / 20736, 0])

    def test_active_area(self):
        """A frame leaves out the borders that the frames before have: 12 rows
        above and below, and as many of the darkest pixels."""
        frames, codes = [], []
        for i in range(5):
            frame = np.full((HEIGHT, WIDTH), 0, np.uint8)
            frame[12:-12] = RANDOM.integers(20, 200, (HEIGHT - 24, WIDTH))
            frame[40, 50] = 10 * i  # a dark pixel in the active area
            frames.append(frame.tobytes())
            codes.append(frame)
        for area, n_out in ('active', 24 * WIDTH), ('frame', 0):
            lines, = self.measure(
                [Clip(frames)],
                f'statistics=light+active-area light-area={area}')
            lights = 200 * srgb(np.arange(256) / 255)
            self.assertEqual(lines['frame'][0]['active-height'], HEIGHT - 24)
            for i, (line, frame) in enumerate(zip(lines['frame'], codes)):
                expected = levels_of(frame, lights, [frame] * 3,
                                     n_out if i > 0 else 0)
                for name, value in expected.items():
                    self.assert_close(line[name], value)


class LightCapsTest(LightTest):
    """light-caps: the greatest levels so far, before the frame that has
    them."""

    def play(self, codes, properties='', peer_caps=''):
        """Plays frames of codes of PQ, twice from the start. Returns the field
        content-light-level of the caps that each frame arrives with, of each
        turn."""
        clip = Clip([plain_frame('I420_10LE', code) for code in codes],
                    'I420_10LE', colorimetry=f'2:{PQ}')
        pipeline = messages.Gst.parse_launch(
            f'{clip.head(self.folder / "clip")} ! {peer_caps} clframesum '
            f'name=sum statistics=light light-caps=true post-messages=false '
            f'{properties} ! fakesink name=sink signal-handoffs=true')
        found = []

        def handle(_sink, _buffer, pad):
            # get_structure() differs in Python from GStreamer 1.26 on
            level = re.search(r'content-light-level=\(string\)([\d:]+)',
                              pad.get_current_caps().to_string())
            found.append(level and level[1])

        pipeline.get_by_name('sink').connect('handoff', handle)
        turns = []
        for _ in range(2):
            found.clear()
            for _ in messages.until_end(pipeline):
                pass
            turns.append(list(found))
            pipeline.set_state(messages.Gst.State.NULL)
        return turns

    def levels(self, codes):
        """Returns the fields that frames of codes have."""
        lights = lights_of(PQ, 10, False)[list(codes)]
        rounded = np.floor(np.maximum.accumulate(lights) + .5).astype(int)
        return [f'{light}:{light}' for light in rounded]

    def test_grows(self):
        codes = 300, 200, 500, 500, 400, 940, 64
        for properties in '', 'async-depth=3':
            with self.subTest(properties):
                self.assertEqual(self.play(codes, properties),
                                 [self.levels(codes)] * 2)

    def test_replaces(self):
        """Levels of the caps of upstream do not stay."""
        codes = 300, 500
        self.assertEqual(
            self.play(codes, peer_caps='capssetter caps=video/x-raw,'
                      'content-light-level=(string)4000:400 !'),
            [self.levels(codes)] * 2)

    def test_needs_metas(self):
        """Without metas, the results come after their frames."""
        self.assertEqual(self.play((300, 500), 'stats-meta=false'),
                         [[None] * 2] * 2)


# --- levels -----------------------------------------------------------------

def filtered(values):
    """Returns 64 times the filter of EBU R 103, with replicated edges."""
    padded = np.pad(values, ((1, 1), (3, 3)), 'edge')
    height, width = values.shape
    return sum(row * column * padded[y:y + height, x:x + width]
               for y, row in enumerate((1, 2, 1))
               for x, column in enumerate((1, 2, 3, 4, 3, 2, 1)))


def beyond(values, low, high, is_interlaced):
    fields = [values[0::2], values[1::2]] if is_interlaced else [values]
    n = sum(((field < 64 * low) | (field > 64 * high)).sum()
            for field in map(filtered, fields))
    return n / values.size


def preferred(depth, is_full):
    """Returns the codes of 5 and 246 of limited range of 8 bits."""
    if is_full:
        return [round((code - 16) / 219 * ((1 << depth) - 1))
                for code in (5, 246)]
    return [code << depth - 8 for code in (5, 246)]


class LevelsTest(LightTest):
    NAMES = 'levels-r', 'levels-g', 'levels-b', 'levels-y'

    def expect(self, clips):
        # with the programs of LightLevelTest
        found = self.measure(clips, 'statistics=levels+light')
        for clip, lines in zip(clips, found):
            low, high = preferred(formats.depth(clip.video_format),
                                  clip.colorimetry[0] == '1')
            is_interlaced = 'interlaced' in clip.parse and clip.size[1] > 1
            greatest = [0] * 4
            for i, line in enumerate(lines['frame']):
                shares = [beyond(values, low, high, is_interlaced)
                          for values in colours_of(read_planes(clip, i), clip,
                                                   is_interlaced)]
                greatest = np.maximum(greatest, shares).tolist()
                with self.subTest(format=clip.video_format, frame=i,
                                  size=clip.size, parse=clip.parse,
                                  colorimetry=clip.colorimetry):
                    self.assertEqual([line[name] for name in self.NAMES],
                                     shares)
            self.assertEqual([lines['pooled'][0][name]
                              for name in self.NAMES], greatest)
        return found

    def clips(self, rows):
        return [Clip([structured_frame(video_format, size),
                      random_frame(video_format, size)], video_format, size,
                     colorimetry=f'{full}:{curve}',
                     parse='interlaced=true' if is_interlaced else '')
                for video_format, curve, full, is_interlaced, size in rows]

    def check(self, names, curve):
        found = self.expect(self.clips(itertools.product(
            names, (curve,), (LIMITED, FULL), (False, True),
            ((66, 44), (135, 36)))))
        self.assertTrue(any(line['levels-y'] > 0 for lines in found
                            for line in lines['frame']))

    def test_8_bits(self):
        self.check(('I420', 'NV12', 'Y444'), BT709)

    def test_bt601(self):
        self.expect(self.clips(itertools.product(
            ('I420', 'Y42B'), (BT601,), (LIMITED,), (False,), ((67, 45),))))

    def test_10_bits(self):
        self.check(('I420_10LE', 'P010_10LE'), PQ)

    def test_grey_and_rgb(self):
        """Of limited range, which these formats seldom have."""
        self.check(('GRAY8', 'GRAY16_LE', 'RGB'), BT709)

    def test_sizes(self):
        """Pictures smaller than the filter, and odd ones."""
        self.expect(self.clips(itertools.product(
            ('Y444', 'GRAY8'), (BT709,), (LIMITED,), (False, True),
            ((1, 1), (2, 2), (3, 5), (33, 9)))))

    def grey_clip(self, frames):
        return Clip([frame.tobytes() for frame in frames],
                    colorimetry=f'{LIMITED}:{BT709}')

    def test_line(self):
        """A line of one row or column of 255 disappears in the filter; the
        middle rows of three do not."""
        row, column_of, rows = grey(180), grey(180), grey(180)
        row[50] = 255
        column_of[:, 90] = 255
        rows[50:53] = 255
        lines, = self.measure([self.grey_clip([row, column_of, rows])],
                              'statistics=levels')
        self.assertEqual(column(lines, 'levels-y'), [0, 0, 1 / HEIGHT])

    def test_event(self):
        """A share of 0.9 per cent is none, 1.1 per cent is; the event ends
        with it, and names the component and the share."""
        def picture(n_rows):
            frame = grey(100)
            frame[:n_rows + 1, :6] = 255
            return frame

        shares = [beyond(picture(n).astype(np.int64), 5, 246, False)
                  for n in range(HEIGHT)]
        below = max(n for n in range(HEIGHT) if shares[n] <= .0095)
        above = min(n for n in range(HEIGHT) if shares[n] >= .0105)
        clip = self.grey_clip([picture(0), picture(below), picture(above),
                               picture(above), picture(below)])
        lines, = self.measure([clip], 'events=levels statistics=levels')
        start, end = lines['event']
        self.assertEqual((start['state'], start['frame'], start['component']),
                         ('start', 2, 'R'))
        self.assertEqual((end['start-frame'], end['frame']), (2, 4))
        self.assertEqual(start['share'], shares[above])
        lines, = self.measure([clip], 'events=levels levels-area=0.02')
        self.assertEqual(lines['event'], [])

    def test_component(self):
        """The event names the worst of R, G, B and Y."""
        size = 64, 36
        for name, code in (('R', 'V'), ('B', 'U')):
            planes = {plane: np.full(size[::-1], 128) for plane in 'YUV'}
            planes['Y'][:] = 150
            planes[code][:, :20] = 230
            clip = Clip([pack('Y444', planes)] * 2, 'Y444', size,
                        colorimetry=f'{LIMITED}:{BT709}')
            lines, = self.measure([clip], 'events=levels statistics=levels')
            self.assertEqual([event['component'] for event in lines['event']],
                             [name] * 2)
            self.expect([clip])


if __name__ == '__main__':
    messages.Gst.init(None)
    launch.main()
