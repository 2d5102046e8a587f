#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""bindings/python: arrays of shapes that its doc strings say, equal to those of
NumPy and of the messages; errors; a process that ends with its generator."""
import json
import os
import pathlib
import signal
import sys
import unittest.mock

import numpy

import formats
import launch

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstVideo  # noqa: E402

sys.path.insert(0, str(launch.ROOT / 'bindings/python'))
import gstopencl  # noqa: E402

WIDTH, HEIGHT = 96, 64
ROWS, COLUMNS = 2, 3
ALL = 0xfffffff
SOURCE = ('videotestsrc num-buffers=2 pattern=smpte ! video/x-raw,format=I420,'
          f'width={WIDTH},height={HEIGHT},interlace-mode=interleaved')


def playing():
    """Returns the numbers of the processes of gst-launch-1.0 that this process
    has started."""
    children = pathlib.Path(f'/proc/self/task/{os.getpid()}/children')
    return [pid for pid in children.read_text(encoding='ascii').split()
            if 'gst-launch' in pathlib.Path(
                f'/proc/{pid}/cmdline').read_text(encoding='utf-8')]


class PythonTest(launch.PipelineTest):
    def test_arrays(self):
        source = launch.clip('I420', WIDTH, HEIGHT, 3)
        path = self.folder / 'frames.raw'
        launch.run(f'-q {source} ! filesink location={path}')
        inputs = formats.read_frames(path.read_bytes(), 'I420', WIDTH, HEIGHT)
        frames = list(gstopencl.statistics(
            source, ['moments', 'histogram'], zones=(ROWS, COLUMNS)))
        self.assertEqual([frame.number for frame in frames], [0, 1, 2])
        for planes, frame in zip(inputs, frames):
            self.assertEqual(frame.components, ('Y', 'U', 'V'))
            zones = frame.zones
            self.assertEqual(zones.mean.shape, (3, ROWS, COLUMNS))
            self.assertEqual(zones.x.shape, (ROWS, COLUMNS))
            for c, codes in enumerate(plane.astype(int)
                                      for _, plane in planes):
                self.assertEqual(frame.sum[c], codes.sum())
                self.assertAlmostEqual(frame.mean[c], codes.mean())
                self.assert_equal_arrays(
                    frame.histogram[c],
                    numpy.bincount(codes.ravel(), minlength=256), 'histogram')
                parts = [numpy.split(part, COLUMNS, 1)
                         for part in numpy.split(codes, ROWS)]
                self.assert_equal_arrays(
                    zones.sum[c], numpy.array([
                        [part.sum() for part in row] for row in parts]),
                    'sums of zones')

    def test_all_fields(self):
        """Each field of the schema that a line has is an attribute, of the
        frame, its zones or its fields; components are its first axis."""
        schema = json.loads((launch.ROOT / 'docs/statistics.schema.json')
                            .read_text(encoding='utf-8'))
        named = schema['$defs']['frame']['properties']
        frame, _ = gstopencl.statistics(
            SOURCE, ALL, zones=(ROWS, COLUMNS), fields=True,
            histogram_bins=16)
        missing = {name for name in named
                   if '.' not in name and name not in frame}
        self.assertEqual(missing, {
            'type',  # of lines
            'histogram-data', 'light-histogram-data',  # instead of histogram
            'zone-columns', 'zone-rows',  # the shapes of zones
            'roi-id', 'roi-type',  # of regions
            'measured-x', 'measured-y', 'measured-width', 'measured-height'})
        self.assertEqual((frame.active_x, frame.active_evidence), (0, True))
        self.assertEqual(frame.border_left, 0)
        self.assertEqual(frame.light_percentiles.dtype, float)
        self.assertEqual(frame.cell_means.shape, (3, 0))  # small
        self.assertEqual([one.shape for one in frame.row_sum],
                         [(64,), (32,), (32,)])
        self.assertEqual([one.shape for one in frame.waveform],
                         [(96, 16), (48, 16), (48, 16)])
        self.assertEqual(frame.waveform[0].sum(), WIDTH * HEIGHT)
        self.assertEqual(frame.vectorscope.shape, (16, 16))
        self.assertEqual(frame.field_order, 'unknown')
        self.assertEqual(frame.zones.noise.shape, (ROWS, COLUMNS))
        self.assertEqual(frame.zones.histogram.shape, (3, ROWS, COLUMNS, 16))
        self.assertEqual(frame.fields.mean.shape, (3, 2))
        self.assertEqual(frame.fields.gamut.shape, (2,))
        with self.assertRaisesRegex(AttributeError, "no field 'nothing'"):
            frame.nothing  # noqa: B018

    def test_structures(self):
        """A message's structure gives the same as the line of the frame."""
        element = (f'clframesum statistics={ALL} fields=true grid-rows={ROWS} '
                   f'grid-columns={COLUMNS} histogram-bins=16 events=black')
        pipeline = Gst.parse_launch(f'{SOURCE} ! {element} name=statistics ! '
                                    'fakesink')
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
        message_frame = gstopencl.from_structure(message.get_structure())
        pipeline.set_state(Gst.State.NULL)
        frame = next(gstopencl.statistics(
            SOURCE, ALL, zones=(ROWS, COLUMNS), fields=True,
            histogram_bins=16, events='black'))
        self.assertIsInstance(message_frame, gstopencl.Frame)
        for ours, theirs in ((frame, message_frame),
                             (frame.zones, message_frame.zones),
                             (frame.fields, message_frame.fields)):
            self.assertEqual({*ours}, {*theirs})
            for name in {*ours} - {'element'}:
                numpy.testing.assert_equal(theirs[name], ours[name], name)
                for one, other in zip(self.arrays(theirs[name]),
                                      self.arrays(ours[name])):
                    self.assertEqual(one.dtype.kind.replace('u', 'i'),
                                     other.dtype.kind.replace('u', 'i'), name)

    def test_regions(self):
        """A rectangle, and a region of interest with its id and type."""
        buffer = Gst.Buffer.new_allocate(None, WIDTH * HEIGHT, None)
        GstVideo.buffer_add_video_region_of_interest_meta(
            buffer, 'face', 8, 4, 20, 10)
        pipeline = Gst.parse_launch(
            'appsrc name=source caps=video/x-raw,format=GRAY8,'
            f'width={WIDTH},height={HEIGHT},framerate=25/1 ! clframesum '
            f'position-x=16 width=64 height={HEIGHT} ! fakesink')
        pipeline.get_by_name('source').emit('push-buffer', buffer)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
        frame = gstopencl.from_structure(message.get_structure())
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(frame.measured_x, 16)
        self.assertEqual(frame.measured_width, 64)
        self.assertEqual(list(frame.regions.type), ['face'])
        self.assertEqual(frame.regions.id.shape, (1,))
        self.assertEqual([frame.regions[name][0] for name
                          in ('x', 'y', 'width', 'height')], [8, 4, 20, 10])
        self.assertEqual(frame.regions.count[0][0], 200)

    @staticmethod
    def arrays(value):
        return map(numpy.asarray, value if isinstance(value, tuple)
                   else [value])

    def test_doubles(self):
        """DOUBLES and EVENT_DOUBLES are the numbers of the schema."""
        definitions = json.loads(
            (launch.ROOT / 'docs/statistics.schema.json')
            .read_text(encoding='utf-8'))['$defs']
        kinds = [{'$ref': f'#/$defs/{name}'}
                 for name in ('numbers', 'share', 'light', 'lights')]

        def doubles(name):
            return {field for field, row
                    in definitions[name]['properties'].items()
                    if row.get('type') == 'number' or any(
                        kind.items() <= row.items() for kind in kinds)
                    or row.get('items', {}).get('type') == 'number'}

        self.assertEqual(gstopencl.DOUBLES,
                         doubles('frame') | doubles('pooled'))
        self.assertEqual(gstopencl.EVENT_DOUBLES, doubles('event'))

    def test_lines(self):
        """Of a file that a killed process has left."""
        path = self.folder / 'frames.jsonl'
        launch.run(f'-q {SOURCE} ! clframesum location={path} ! fakesink')
        whole = path.read_text(encoding='utf-8')
        for text, numbers in ((whole, [0, 1]), (whole[:-9], [0, 1]),
                              (whole.splitlines(True)[0][:-9], [])):
            frames = [result.number for result
                      in gstopencl.read(text.splitlines(True))
                      if isinstance(result, gstopencl.Frame)]
            self.assertEqual(frames, numbers)
        with self.assertRaisesRegex(gstopencl.Error, 'another version'):
            list(gstopencl.read([whole.splitlines(True)[0].replace(
                '"schema":1', '"schema":99')]))

    def test_events(self):
        black = ('videotestsrc num-buffers=30 pattern=black ! '
                 'video/x-raw,framerate=25/1')
        events = list(gstopencl.events(black, 'black', black_min_duration=0))
        self.assertEqual([(event.name, event.state, event.timestamp)
                          for event in events],
                         [('black', 'start', 0), ('black', 'end', 1200000000)])
        results = list(gstopencl.measure(black))
        self.assertIsInstance(results[-1], gstopencl.Pooled)
        self.assertEqual(results[-1].frames, 30)

    def test_ends_with_the_generator(self):
        frames = gstopencl.statistics('videotestsrc ! video/x-raw')
        self.assertEqual(next(frames).number, 0)
        self.assertEqual(len(playing()), 1)
        frames.close()
        self.assertEqual(playing(), [])

    def test_crash(self):
        frames = gstopencl.statistics('videotestsrc ! video/x-raw')
        next(frames)
        pid, = playing()
        os.kill(int(pid), signal.SIGKILL)
        with self.assertRaisesRegex(gstopencl.Error, 'ended by SIGKILL'):
            list(frames)

    def test_errors(self):
        for source, error, text in (
                ('missing.mp4', FileNotFoundError, 'missing.mp4'),
                ('videotestsrc', FileNotFoundError, "contains ' ! '.*testsrc'"),
                (launch.ROOT / 'NEWS', gstopencl.Error, 'text file'),
                ('videotestsrc ! "', gstopencl.Error, 'No closing quotation'),
                (pathlib.Path('what ! missing'), FileNotFoundError, 'what !'),
                ('videotestsrc ! nothing', gstopencl.Error, '"nothing"')):
            with self.assertRaisesRegex(error, text):
                list(gstopencl.statistics(source))
        hidden = {'GST_PLUGIN_FEATURE_RANK': 'avidemux:NONE,avdemux_avi:NONE'}
        with (unittest.mock.patch.dict(os.environ, hidden),
              self.assertRaisesRegex(gstopencl.Error, 'Missing decoder: Audio '
                                     'Video Interleave')):
            list(gstopencl.statistics(launch.CLIP))
        with self.assertRaisesRegex(gstopencl.Error, '"momentz"'):
            list(gstopencl.statistics(SOURCE, 'momentz'))
        with self.assertRaisesRegex(gstopencl.Error, 'no property "zonez"'):
            list(gstopencl.statistics(SOURCE, zonez=1))
        with self.assertRaisesRegex(gstopencl.Error, 'out of range'):
            list(gstopencl.statistics(SOURCE, display_peak=-1))
        with self.assertRaisesRegex(TypeError, 'location'):
            list(gstopencl.statistics(SOURCE, location='frames.jsonl'))

    def test_zones_without_columns(self):
        for zones in 4, (4,), (2, 3, 4), 'ab', (4, None):
            with self.assertRaisesRegex(ValueError, r'\(rows, columns\)'):
                list(gstopencl.statistics(SOURCE, zones=zones))

    def test_zones_out_of_range(self):
        grid = Gst.ElementFactory.make('clframesum').find_property('grid-rows')
        self.assertEqual(grid.maximum, gstopencl.MAX_ZONES)
        for zones in (0, 0), (-1, 3), (99999, 3), (32, 32):
            with self.assertRaisesRegex(ValueError, 'at most 1023 zones'):
                list(gstopencl.statistics(SOURCE, zones=zones))

    def test_no_video(self):
        path = self.folder / 'sound.wav'
        launch.run('-q audiotestsrc num-buffers=20 ! wavenc ! '
                   f'filesink location={path}')
        with self.assertRaisesRegex(gstopencl.Error,
                                    '^the source has no video that can be '
                                    'decoded$'):
            list(gstopencl.statistics(path))

    def test_empty_values(self):
        frames = list(gstopencl.statistics(SOURCE, [], display_peak=None))
        self.assertEqual(len(frames), 2)
        self.assertNotIn('mean', frames[0])
        with self.assertRaisesRegex(gstopencl.Error, 'for device ""'):
            list(gstopencl.statistics(SOURCE, device=''))


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
