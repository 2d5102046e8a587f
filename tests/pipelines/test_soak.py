#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A long stream through clframesum with every output enabled: results are
exact to the end, and memory use is constant.

A cycle of known frames repeats. NumPy computes the results of each frame, its
zones and its region of interest, and of the whole stream; the length of the
cycle's parts determines the times of events.

environment:
CL_SOAK_FRAMES  length of the stream (default 2000)
"""
import collections
import ctypes
import json
import os
import time

import launch

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstVideo', '1.0')
    from gi.repository import Gst, GstVideo
except (ImportError, ValueError) as error:
    launch.skip(str(error))

import numpy as np

FRAMES = int(os.environ.get('CL_SOAK_FRAMES') or 2000)
WIDTH, HEIGHT = 64, 48
SHAPES = (HEIGHT, WIDTH), (HEIGHT // 2, WIDTH // 2), (HEIGHT // 2, WIDTH // 2)
RATE = 25       # frames per second
PART = 60       # frames, more than the 2 s that each event needs
BINS = 64
ZONES = 2       # columns, and rows
ROI = 8, 12, 20, 16  # x, y, width, height; even, for chroma
IN_FLIGHT = 8   # frames pushed and not yet pulled: more than async-depth
MAX_GROWTH_BYTES = 4 * 1024 * 1024  # of resident memory, after a tenth
M_ARENA_MAX = -8  # of mallopt()

LINE = (
    'appsrc name=source format=time block=true max-buffers=4 caps="video/x-raw,'
    f'format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1" ! '
    'clframesum name=statistics async-depth=4 key-style=lavfi '
    'statistics=moments+range+positions+histogram+percentiles+entropy+temporal'
    '+saturation+hue+bit-depth+outliers+repetition+gamut+detection '
    'events=black+white+freeze+scene+single-color+defocus+signal-loss '
    # the machine may pause; losses are tested elsewhere
    f'signal-loss-timeout={600 * Gst.SECOND} '
    f'histogram-bins={BINS} grid-columns={ZONES} grid-rows={ZONES} '
    'zone-events=true '
    'location={path} ! appsink name=sink sync=false')

# Each part of the cycle, and its events.
PARTS = [
    ('sharp', []),
    ('black', ['black', 'freeze', 'single-color']),
    ('sharp', []),
    ('white', ['white', 'freeze', 'single-color']),
    ('blurred', ['defocus']),
    ('still', ['freeze']),
]
CYCLE = PART * len(PARTS)


def make_texture(rng):
    """Blocks of 4 x 4: sharp, but no noise, which has no focus."""
    return [rng.integers(8, 248, (height // 4, width // 4)).repeat(4, 0)
            .repeat(4, 1) for height, width in SHAPES]


def make_part(kind, rng, texture):
    """Returns PART frames, each a list of three planes. Sharp and blurred
    parts move, by noise too small for a cut."""
    if kind in ('black', 'white'):
        code = {'black': 16, 'white': 235}[kind]
        return [[np.full(shape, level, 'u1') for shape, level in
                 zip(SHAPES, (code, 128, 128))]] * PART
    if kind == 'still':
        return [[plane.astype('u1') for plane in make_texture(rng)]] * PART
    planes = texture
    if kind == 'blurred':
        planes = [sum(np.roll(plane, (i, j), (0, 1)) for i in range(5)
                      for j in range(5)) // 25 for plane in texture]
    return [[(plane + rng.integers(-4, 5, plane.shape)).astype('u1')
             for plane in planes] for _ in range(PART)]


def make_cycle():
    rng = np.random.default_rng(1)
    texture = make_texture(rng)
    return [planes for kind, _ in PARTS
            for planes in make_part(kind, rng, texture)]


def expected_frame(planes, before):
    """Returns the integers in the line of a frame."""
    x, y, width, height = ROI
    planes = [plane.astype(int) for plane in planes]
    halves = [(plane.shape[0] // ZONES, plane.shape[1] // ZONES)
              for plane in planes]
    rois = [plane[y // n:(y + height) // n, x // n:(x + width) // n]
            for plane, n in zip(planes, (1, 2, 2))]
    return {
        'sum': [int(plane.sum()) for plane in planes],
        'sum-squares': [int((plane ** 2).sum()) for plane in planes],
        'min': [int(plane.min()) for plane in planes],
        'max': [int(plane.max()) for plane in planes],
        'sum-differences': [int(abs(plane - other).sum())
                            for plane, other in zip(planes, before)],
        'zone-sum': [[int(plane[row * h:(row + 1) * h,
                                column * w:(column + 1) * w].sum())
                      for row in range(ZONES) for column in range(ZONES)]
                     for plane, (h, w) in zip(planes, halves)],
        'roi-sum': [[int(roi.sum())] for roi in rois],
        'roi-x': [x], 'roi-y': [y], 'roi-width': [width],
        'roi-height': [height], 'roi-type': ['face'],
    }


def expected_pooled(cycle):
    """The results of the whole stream, in Python's integers of any size."""
    times = [FRAMES // CYCLE + (i < FRAMES % CYCLE) for i in range(CYCLE)]
    codes = [sum(n * np.bincount(planes[c].flat, minlength=256).astype(object)
                 for planes, n in zip(cycle, times)) for c in range(3)]
    squares = [sum(n * code ** 2 for code, n in enumerate(row))
               for row in codes]
    sums = [sum(n * code for code, n in enumerate(row)) for row in codes]
    return {
        'frames': FRAMES,
        'duration': FRAMES * Gst.SECOND // RATE,
        'count': [FRAMES * height * width for height, width in SHAPES],
        'sum': [n % 2 ** 64 for n in sums],
        'sum-high': [n >> 64 for n in sums],
        'sum-squares': [n % 2 ** 64 for n in squares],
        'sum-squares-high': [n >> 64 for n in squares],
        'min': [int(row.nonzero()[0][0]) for row in codes],
        'max': [int(row.nonzero()[0][-1]) for row in codes],
        'histogram': [[int(n) for n in row.reshape(BINS, -1).sum(axis=1)]
                      for row in codes],
    }


def expected_events(end):
    """Returns (event, first frame, frame after) for the events that have ended
    at frame @end, a whole number of cycles."""
    spans = [(event, start + i * PART, start + (i + 1) * PART)
             for start in range(0, end, CYCLE)
             for i, (_, events) in enumerate(PARTS) for event in events]
    # parts are always separated by a cut
    cuts = [('scene', frame, None) for frame in range(PART, end + 1, PART)]
    return sorted(spans + cuts, key=str)


def resident_bytes():
    with open('/proc/self/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')


class SoakTest(launch.PipelineTest):
    def setUp(self):
        super().setUp()
        # otherwise each new thread that allocates gets an arena of its own
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
        Gst.init(None)
        self.path = self.folder / 'frames.jsonl'
        self.cycle = make_cycle()
        self.expected = [expected_frame(planes, self.cycle[i - 1])
                         for i, planes in enumerate(self.cycle)]
        self.sums = [frame['sum'] for frame in self.expected]
        self.data = [b''.join(plane.tobytes() for plane in planes)
                     for planes in self.cycle]
        self.messages = collections.Counter()
        self.n_taken = 0
        self.ended = False

    def push(self, source, number):
        buffer = Gst.Buffer.new_wrapped(self.data[number % CYCLE])
        buffer.pts = number * Gst.SECOND // RATE
        buffer.duration = Gst.SECOND // RATE
        GstVideo.buffer_add_video_region_of_interest_meta(buffer, 'face', *ROI)
        self.assertEqual(source.emit('push-buffer', buffer), Gst.FlowReturn.OK)

    def take(self, sink):
        """Returns the next buffer, with its meta."""
        sample = sink.emit('try-pull-sample', 60 * Gst.SECOND)
        self.assertIsNotNone(sample, 'no frame for a minute')
        meta = sample.get_buffer().get_custom_meta('GstClFrameSumMeta')
        self.check_structure(meta.get_structure(), self.n_taken)
        self.n_taken += 1

    def check_structure(self, structure, number):
        self.assertEqual(structure.get_value('frame'), number)
        self.assertEqual(list(structure.get_value('sum')),
                         self.sums[number % CYCLE])

    def read_bus(self, bus, patience=0):
        """Returns all pending messages, and those that arrive within
        @patience, up to the end of the stream."""
        while not self.ended and (message := bus.timed_pop(patience)):
            if message.type == Gst.MessageType.ERROR:
                self.fail(str(message.parse_error()))
            self.ended = message.type == Gst.MessageType.EOS
            if message.type == Gst.MessageType.ELEMENT:
                structure = message.get_structure()
                name = structure.get_name()
                if name == 'clframesum':
                    self.check_structure(structure, self.messages[name])
                self.messages[name] += 1

    def play(self):
        """Returns resident bytes after a tenth, and after each hundredth from
        then on."""
        pipeline = Gst.parse_launch(LINE.format(path=self.path))
        source, sink = map(pipeline.get_by_name, ('source', 'sink'))
        bus = pipeline.get_bus()
        resident = []
        pipeline.set_state(Gst.State.PLAYING)
        try:
            for number in range(FRAMES):
                self.push(source, number)
                if number >= IN_FLIGHT:
                    self.take(sink)
                self.read_bus(bus)
                if number >= FRAMES // 10 and number % (FRAMES // 100) == 0:
                    resident.append(resident_bytes())
            source.emit('end-of-stream')
            while self.n_taken < FRAMES:
                self.take(sink)
            self.read_bus(bus, 60 * Gst.SECOND)
            self.assertTrue(self.ended, 'no end for a minute')
            last = pipeline.get_by_name('statistics').get_property('stats')
            self.check_structure(last, FRAMES - 1)
        finally:
            pipeline.set_state(Gst.State.NULL)
        return resident

    def check_lines(self):
        """Reads the file line by line. Returns its last line and its
        events."""
        number, events, pooled = 0, [], None
        with open(self.path, encoding='utf-8') as lines:
            for line in map(json.loads, lines):
                self.assertIsNone(pooled)
                if line['type'] == 'frame':
                    expected = self.expected[number % CYCLE]
                    if number == 0:  # compared with itself
                        expected = expected | {'sum-differences': [0, 0, 0]}
                    self.assertEqual(line['frame'], number)
                    self.assertEqual({key: line[key] for key in expected},
                                     expected, number)
                    number += 1
                elif line['type'] == 'event':
                    events.append(line)
                else:
                    pooled = line
        self.assertEqual(number, FRAMES)
        return pooled, events

    def check_events(self, events):
        self.assertEqual(self.messages['clframesum-event'], len(events))
        events = [event for event in events if 'zone' not in event]
        end = (FRAMES - 1) // CYCLE * CYCLE
        found = [(event['event'], event['start-frame'], event['frame'])
                 for event in events if event['state'] == 'end'
                 and event['frame'] <= end]
        found += [('scene', event['frame'], None) for event in events
                  if event['event'] == 'scene' and event['frame'] <= end]
        self.assertEqual(sorted(found, key=str), expected_events(end))

    def test_long_stream(self):
        start = time.monotonic()
        resident = self.play()
        seconds = time.monotonic() - start
        pooled, events = self.check_lines()
        expected = expected_pooled(self.cycle)
        self.assertEqual({key: pooled[key] for key in expected}, expected)
        self.check_events(events)
        self.assertEqual(self.messages['clframesum'], FRAMES)
        self.assertEqual(self.messages['clframesum-pooled'], 1)

        growth = max(resident) - resident[0]
        print(f'{FRAMES} frames in {seconds:.0f} s; resident '
              f'{resident[0] / 2 ** 20:.1f} MiB after a tenth, '
              f'{resident[-1] / 2 ** 20:.1f} at the end, at most '
              f'{max(resident) / 2 ** 20:.1f}; {len(events)} lines of events; '
              f'{self.path.stat().st_size / 2 ** 20:.0f} MiB of lines')
        self.assertLess(growth, MAX_GROWTH_BYTES)


if __name__ == '__main__':
    launch.main()
