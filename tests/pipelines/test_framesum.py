#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum on the real clip, compared with NumPy: messages, meta and
property, as a Python application reads them."""
import unittest

import launch
from messages import Gst, to_dict, until_end

import formats
import numpy as np
import pagecommands
import reference

try:
    import cv2
except ImportError:
    cv2 = None

TIMES = 'timestamp', 'stream-time', 'running-time', 'duration'
EXACT = 'count', 'sum', 'sum-squares', 'min', 'max'
ROUNDED = 'mean', 'variance', 'stddev'


def read_meta(buffer):
    meta = buffer.get_custom_meta('GstClFrameSumMeta')
    return to_dict(meta.get_structure()) if meta else None


class FrameSumTest(launch.PipelineTest):
    def play(self, line, read=read_meta, events=None):
        """Plays @line. Returns the structures of the element messages named
        clframesum, and the results of @read for the buffers that reach the
        element named sink. Adds the events to @events."""
        pipeline = Gst.parse_launch(line)
        metas = []

        def on_buffer(_pad, info):
            metas.append(read(info.get_buffer()))
            return Gst.PadProbeReturn.OK

        pad = pipeline.get_by_name('sink').get_static_pad('sink')
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
        try:
            found = {'clframesum': [],
                     'clframesum-event': [] if events is None else events,
                     'clframesum-pooled': []}
            for structure in until_end(pipeline):
                found[structure.get_name()].append(to_dict(structure))
            told = found['clframesum']
            statistics = pipeline.get_by_name('statistics')
            self.last = to_dict(statistics.get_property('stats'))
            self.device = statistics.get_property('device-name')
        finally:
            pipeline.set_state(Gst.State.NULL)
        return told, metas

    def check(self, video_format, size, options='', frames=3, components=None):
        raw = self.folder / 'in.raw'
        line = (f'{launch.clip(video_format, *size, frames)} ! tee name=t '
                f't. ! queue ! filesink location={raw} '
                f't. ! queue ! clframesum name=statistics {options} '
                '! fakesink name=sink')
        with self.subTest(format=video_format, size=size, options=options):
            messages, metas = self.play(line)
            inputs = formats.read_frames(raw.read_bytes(), video_format, *size)
            self.assertEqual(len(messages), frames)
            self.assertEqual(metas, messages)
            self.assertEqual(self.last, messages[-1])
            self.assertTrue(self.device)
            for i, (result, frame) in enumerate(zip(messages, inputs)):
                self.check_head(result, i, video_format, size)
                frame = [(name, samples) for name, samples in frame
                         if components is None or name in components]
                self.check_components(result, frame)

    def check_head(self, result, number, video_format, size):
        self.assertEqual(result['frame'], number)
        self.assertEqual((result['width'], result['height']), size)
        self.assertEqual(result['format'], video_format)
        self.assertEqual(result['depth'], formats.depth(video_format))
        times = [result[name] for name in TIMES]
        self.assertEqual(times[:3], [number * 100000000] * 3)

    def check_components(self, result, frame):
        self.assertEqual(result['components'], [name for name, _ in frame])
        for i, (name, samples) in enumerate(frame):
            expected = reference.statistics(samples)
            for field in EXACT:
                self.assertEqual(result[field][i], expected[field],
                                 f'{field} of {name}')
            for field in ROUNDED:
                self.assertAlmostEqual(result[field][i], expected[field],
                                       delta=1e-12 * (1 + expected[field]),
                                       msg=f'{field} of {name}')

    def test_every_format(self):
        """Of big-endian formats, which are unpacked by a program for each order
        of components, some."""
        self.assertEqual(formats.accepted() - set(formats.ROWS), set())
        self.assertGreater(len(formats.CASES), 400)
        for case in formats.cases_of(
                formats.ACCEPTED - set(formats.BIG_ENDIAN), 6):
            self.check(*case)

    def test_noise(self):
        """The standard deviation of added noise, and the sum of the weights of
        Immerkaer over samples with eight neighbours."""
        raw = self.folder / 'in.raw'
        for video_format, size in (('I420', (322, 242)), ('GRAY8', (3, 5)),
                                   ('GRAY8', (2, 9)), ('GRAY8', (65, 3)),
                                   ('GRAY16_LE', (67, 9)), ('RGB', (90, 40)),
                                   ('P010_10LE', (83, 33)), ('v210', (96, 5))):
            with self.subTest(format=video_format, size=size):
                result = self.play(
                    f'{launch.clip(video_format, *size, 1)} ! tee name=t '
                    f't. ! queue ! filesink location={raw} '
                    't. ! queue ! clframesum name=statistics statistics=noise '
                    '! fakesink name=sink')[0][0]
                frame, = formats.read_frames(raw.read_bytes(), video_format,
                                             *size)
                curve = np.diff(np.diff(frame[0][1].astype(np.int64), 2), 2,
                                axis=0)
                total = int(np.abs(curve).sum())
                self.assertEqual(result['noise-sum'], total)
                self.assertEqual(result['noise-count'], curve.size)
                self.assertAlmostEqual(
                    result['noise'], (np.pi / 2) ** .5 / 6 * total /
                    max(curve.size, 1), 9)

    def check_profiles(self, result, frame):
        """Differences of the first row or column are 0."""
        for i, (name, samples) in enumerate(frame):
            codes = samples.astype(np.int64)
            for line, axis in ('row', 1), ('column', 0):
                steps = np.abs(np.diff(codes, axis=1 - axis))
                expected = {
                    'sum': codes.sum(axis=axis), 'min': codes.min(axis=axis),
                    'max': codes.max(axis=axis),
                    'difference': [0, *steps.sum(axis=axis)]}
                if line == 'row':
                    two = np.abs(codes[2:] - codes[:-2]).sum(axis=axis)
                    expected['field-difference'] = [0, 0, *two][:len(codes)]
                for field, numbers in expected.items():
                    self.assertEqual(list(result[f'{line}-{field}'][i]),
                                     list(numbers), f'{line}-{field}, {name}')

    def test_profiles(self):
        raw = self.folder / 'in.raw'
        for video_format, size, options in (
                ('I420', (322, 242), ''), ('NV12', (67, 33), ''),
                ('GRAY8', (1, 1), ''), ('GRAY16_LE', (67, 9), ''),
                ('RGB', (90, 40), 'planes=g'), ('P010_10LE', (84, 33), ''),
                ('v210', (96, 6), ''), ('Y42B', (40, 20), 'grid-columns=2')):
            with self.subTest(format=video_format, size=size):
                result = self.play(
                    f'{launch.clip(video_format, *size, 1)} ! tee name=t '
                    f't. ! queue ! filesink location={raw} '
                    't. ! queue ! clframesum name=statistics '
                    f'statistics=profiles {options} ! fakesink name=sink')[0][0]
                frame, = formats.read_frames(raw.read_bytes(), video_format,
                                             *size)
                self.assertNotIn('zone-row-sum', result)
                self.check_profiles(result, [
                    (name, samples) for name, samples in frame
                    if name in result['components']])

    def test_active_area(self):
        """The area that videobox leaves, in formats of every kind."""
        for video_format in ('I420', 'NV12', 'GRAY8', 'RGB', 'P010_10LE',
                             'GRAY16_LE', 'v210'):
            for fill in 'black', 'green':
                events = []
                with self.subTest(format=video_format, fill=fill):
                    messages, _ = self.play(
                        f'{launch.clip("I420", 152, 104, 20)} ! '
                        f'videobox left=-4 right=-4 top=-6 bottom=-10 '
                        f'fill={fill} ! videoconvert ! '
                        f'video/x-raw,format={video_format} ! '
                        'clframesum name=statistics events=border '
                        'statistics=active-area ! fakesink name=sink',
                        events=events)
                    for result in messages:
                        self.assertEqual(
                            [result[f'active-{name}'] for name in (
                                'x', 'y', 'width', 'height', 'evidence')],
                            [4, 6, 152, 104, True])
                    self.assertEqual(
                        [[event[name] for name in (
                            'state', 'frame', 'kind', 'left', 'right', 'top',
                            'bottom')] for event in events],
                        [['start', 0, 'windowbox', 4, 4, 6, 10],
                         ['end', 20, 'windowbox', 4, 4, 6, 10]])

    def test_profiles_of_a_rectangle(self):
        raw = self.folder / 'in.raw'
        result = self.play(
            f'{launch.clip("I420", 96, 64, 1)} ! tee name=t '
            f't. ! queue ! filesink location={raw} '
            't. ! queue ! clframesum name=statistics events=range '
            'statistics=profiles+temporal position-x=10 position-y=6 width=50 '
            'height=44 ! fakesink name=sink')[0][0]
        frame, = formats.read_frames(raw.read_bytes(), 'I420', 96, 64)
        self.check_profiles(result, [
            (name, samples[6:50, 10:60] if name == 'Y' else
             samples[3:25, 5:30]) for name, samples in frame])

    def check_cells(self, result, frame, rectangle, shifts):
        """Sample i of a component that is subsampled by s has position i * s.
        Cells use the samples of the rectangle, of a component of all rows
        those whose position is even. A mean is in sixteenths of a code, halves
        rounded up."""
        x, y, width, height = rectangle
        for i, (name, samples) in enumerate(frame):
            x_step, y_step = [1 << s for s in shifts] if name in 'UV' else (
                1, 1)
            if y_step == 1 and frame[0][0] != 'U':
                samples, y_step = samples[::2], 2
            columns = -(-x // x_step), -(-(x + width) // x_step)
            rows = -(-y // y_step), -(-(y + height) // y_step)
            part = samples[slice(*rows), slice(*columns)].astype(np.int64)
            expected = []
            for row in range(18):
                top, bottom = (part.shape[0] * (row + k) // 18 for k in (0, 1))
                for column in range(32):
                    left, right = (part.shape[1] * (column + k) // 32
                                   for k in (0, 1))
                    cell = part[top:bottom, left:right]
                    expected.append(int((32 * cell.sum() + cell.size) //
                                        (2 * cell.size)))
            self.assertEqual(list(result['cell-means'][i]), expected, name)

    def play_cells(self, video_format, size, options):
        raw = self.folder / 'in.raw'
        result = self.play(
            f'{launch.clip(video_format, *size, 1)} ! tee name=t '
            f't. ! queue ! filesink location={raw} '
            't. ! queue ! clframesum name=statistics '
            f'statistics=cells {options} ! fakesink name=sink')[0][0]
        frame, = formats.read_frames(raw.read_bytes(), video_format, *size)
        self.assertNotIn('zone-cell-means', result)
        return result, [(name, samples) for name, samples in frame
                        if name in result['components']]

    def test_cells(self):
        for video_format, size, options, shifts in (
                ('I420', (322, 242), '', (1, 1)),
                ('NV12', (167, 133), '', (1, 1)),
                ('GRAY8', (128, 72), '', ()),
                ('GRAY16_LE', (131, 99), '', ()),
                ('RGB', (190, 140), 'planes=g', ()),
                ('BGRA', (129, 73), '', ()), ('RGBP', (130, 80), '', ()),
                ('P010_10LE', (184, 133), '', (1, 1)),
                ('v210', (192, 96), '', (1, 0)),
                ('Y41B', (131, 75), '', (2, 0)),
                ('YUV9', (131, 75), '', (2, 2)),
                ('Y42B', (140, 120), 'grid-columns=2', (1, 0))):
            with self.subTest(format=video_format, size=size):
                result, frame = self.play_cells(video_format, size, options)
                self.check_cells(result, frame, (0, 0, *size), shifts)

    def test_cells_of_chroma_alone(self):
        """They are a grid over the samples of chroma."""
        result, frame = self.play_cells('I420', (322, 242), 'planes=u+v')
        self.check_cells(result, frame, (0, 0, 161, 121), (0, 0))

    def test_cells_of_a_rectangle(self):
        result, frame = self.play_cells(
            'I420', (321, 243),
            'position-x=11 position-y=7 width=203 height=151')
        self.check_cells(result, frame, (11, 7, 203, 151), (1, 1))

    def test_cells_of_small_frames(self):
        for size in (127, 72), (128, 71):
            result, _ = self.play_cells('RGB', size, '')
            self.assertEqual([list(means) for means in result['cell-means']],
                             [[], [], []])

    @unittest.skipUnless(cv2, 'no OpenCV')
    def test_opencv(self):
        """The results of meanStdDev, minMaxLoc and calcHist, with one
        element."""
        raw, size = self.folder / 'in.raw', (322, 242)
        messages, _ = self.play(
            f'{launch.clip("I420", *size, 3)} ! tee name=t '
            f't. ! queue ! filesink location={raw} '
            't. ! queue ! clframesum name=statistics '
            'statistics=moments+range+positions+histogram '
            '! fakesink name=sink')
        inputs = formats.read_frames(raw.read_bytes(), 'I420', *size)
        for result, frame in zip(messages, inputs):
            for i, (_, samples) in enumerate(frame):
                samples = np.ascontiguousarray(samples)
                mean, deviation = cv2.meanStdDev(samples)
                low, high, first_low, first_high = cv2.minMaxLoc(samples)
                counts = cv2.calcHist([samples], [0], None, [256], [0, 256])
                self.assertAlmostEqual(result['mean'][i], mean[0, 0], 9)
                self.assertAlmostEqual(result['stddev'][i], deviation[0, 0], 9)
                self.assertEqual((result['min'][i], result['max'][i]),
                                 (low, high))
                self.assertEqual((result['min-x'][i], result['min-y'][i]),
                                 first_low)
                self.assertEqual((result['max-x'][i], result['max-y'][i]),
                                 first_high)
                self.assertEqual(list(result['histogram'][i]),
                                 counts.ravel().tolist())

    def test_sizes(self):
        for size in (768, 576), (322, 242), (17, 9), (1, 1):
            for video_format in 'I420', 'NV12', 'YUY2', 'RGB':
                self.check(video_format, size)

    def test_reductions(self):
        for reduction in 'inner', 'outer':
            for video_format in 'GRAY8', 'I420', 'NV12', 'BGRA', 'YUY2':
                self.check(video_format, (321, 243), f'reduction={reduction}')

    def test_planes(self):
        self.check('I420', (321, 243), 'planes=y', components='Y')
        self.check('NV12', (321, 243), 'planes=u+v', components='UV')
        self.check('RGBA', (321, 243), 'planes=r+g+b', components='RGB')

    def test_frame_interval(self):
        messages, metas = self.play(
            f'{launch.clip("GRAY8", 321, 243, 7)} ! clframesum '
            'name=statistics frame-interval=3 ! fakesink name=sink')
        self.assertEqual([message['frame'] for message in messages], [0, 3, 6])
        self.assertEqual([meta and meta['frame'] for meta in metas],
                         [0, None, None, 3, None, None, 6])

    def test_interval(self):
        messages, _ = self.play(
            f'{launch.clip("GRAY8", 321, 243, 9)} ! clframesum '
            'name=statistics interval=300000000 ! fakesink name=sink')
        self.assertEqual([message['frame'] for message in messages], [0, 3, 6])

    def test_messages_without_metas(self):
        messages, metas = self.play(
            f'{launch.clip("I420", 321, 243, 3)} ! clframesum name=statistics '
            'stats-meta=false ! fakesink name=sink')
        self.assertEqual(len(messages), 3)
        self.assertEqual(metas, [None] * 3)

    def test_fields(self):
        """Buffers with one field of 7 rows each, as the element interlace makes
        them, in system and in device memory. Fields are compared with fields
        of the same parity."""
        width, height, frames = 33, 13, 6
        for video_format in 'I420', 'YUY2', 'P010_10LE', 'AYUV':
            for upload in '', 'clupload !':
                raw = self.folder / 'in.raw'
                messages, metas = self.play(
                    f'{launch.clip(video_format, width, height, frames)} ! '
                    'interlace field-pattern=1:1 ! '
                    'video/x-raw(format:Interlaced) ! tee name=t '
                    f't. ! queue ! filesink location={raw} '
                    f't. ! queue ! {upload} clframesum name=statistics '
                    'statistics=moments+range+temporal ! fakesink name=sink')
                self.assertEqual(metas, messages)
                fields = formats.read_frames(raw.read_bytes(), video_format,
                                             width, (height + 1) // 2)
                self.assertEqual(len(messages), len(fields))
                self.assertGreater(len(fields), 3)
                for i, (result, field) in enumerate(zip(messages, fields)):
                    self.assertEqual((result['width'], result['height']),
                                     (width, (height + 1) // 2))
                    self.check_components(result, field)
                    for c, (_, samples) in enumerate(field):
                        before = fields[i - 2 if i > 1 else i][c][1]
                        self.assertEqual(
                            result['sum-differences'][c],
                            np.abs(samples.astype(int) - before).sum())

    def test_packed_histograms(self):
        """They have the numbers of arrays, as the page reads them; all other
        values, keys of signalstats and events are those of arrays."""
        raw, size = self.folder / 'in.raw', (97, 45)
        for video_format, options, n_bins in (
                ('I420', '', 256), ('I420_10LE', 'histogram-bins=100', 100),
                ('RGBA', 'histogram-bins=16 planes=g+a', 16),
                ('GRAY16_LE', '', 65536)):
            results = []
            for histograms in 'array', 'packed':
                events = []
                found = self.play(
                    f'{launch.clip(video_format, *size, 2)} ! tee name=t '
                    f't. ! queue ! filesink location={raw} '
                    't. ! queue ! clframesum name=statistics '
                    'events=black black-min-duration=0 picture-black-ratio=0 '
                    'statistics=moments+range+histogram+percentiles+'
                    'saturation+light-histogram grid-columns=2 key-style=lavfi '
                    f'histogram-format={histograms} {options} '
                    '! fakesink name=sink', events=events)[0]
                results.append((found, events))
            arrays, packed = results
            with self.subTest(format=video_format, options=options):
                self.assertEqual(packed[1], arrays[1])
                self.assertTrue(packed[1])
                for result, expected in zip(packed[0], arrays[0], strict=True):
                    self.assertEqual(
                        {name.replace('histogram-data', 'histogram'): value
                         for name, value in result.items()}, expected)
                    self.assertNotIn('histogram', result)
                    self.assertNotIn('zone-histogram', result)
                    self.assertNotIn('light-histogram', result)
                frames = formats.read_frames(raw.read_bytes(), video_format,
                                             *size)
                self.check_packed(packed[0], frames, n_bins)

    def check_packed(self, results, frames, n_bins):
        for result, frame in zip(results, frames, strict=True):
            samples = [codes for name, codes in frame
                       if name in result['components']]
            for counts, codes in zip(result['histogram-data'], samples,
                                     strict=True):
                bins = codes.astype(np.int64) * n_bins >> result['depth']
                self.assertEqual(
                    counts, np.bincount(bins.ravel(),
                                        minlength=n_bins).tolist())

    def test_significant_bits(self):
        """Samples of 9 to 16 bits in words of 16 bits: codes, thresholds and
        events are those of their bits, values are those of the words."""
        width, height = 33, 17
        random = np.random.default_rng(1)
        for bits in 9, 11, 14, 16:
            frames = random.integers(0, 1 << bits, (2, height, width + 1),
                                     '<u2')
            raw = self.folder / 'in.raw'
            raw.write_bytes(frames.tobytes())
            events = []
            with self.subTest(bits=bits):
                messages, _ = self.play(
                    f'filesrc location={raw} ! rawvideoparse format=gray16-le '
                    f'width={width} height={height} framerate=25/1 '
                    f'plane-strides="<{2 * width + 2}>" '
                    f'frame-size={2 * height * (width + 1)} ! '
                    'clframesum name=statistics '
                    f'significant-bits={bits} '
                    'statistics=moments+range+histogram+percentiles+entropy+'
                    'temporal events=black+white black-min-duration=0 '
                    'picture-black-ratio=0.05 white-min-duration=0 '
                    'white-ratio=0.05 ! fakesink name=sink', events=events)
                samples = frames[:, :, :width].astype(np.int64)
                self.assertEqual(len(messages), 2)
                for result, frame in zip(messages, samples):
                    self.check_components(result, [('Y', frame)])
                    self.check_codes(result, frame, bits)
                self.assertEqual(messages[1]['sum-differences'],
                                 [np.abs(samples[1] - samples[0]).sum()])
                largest = (1 << bits) - 1
                limit = int(.1 * largest)
                ratios = {event['event']: event['ratio'] for event in events
                          if event['state'] == 'start'}
                self.assertEqual(ratios, {
                    'black': (samples[0] <= limit).mean(),
                    'white': (samples[0] >= largest - limit).mean()})

    def check_codes(self, result, frame, bits):
        counts = np.bincount(frame.ravel(), minlength=1 << bits)
        values = np.sort(frame.ravel())
        share = counts[counts > 0] / frame.size
        self.assertEqual(result['depth'], bits)
        self.assertEqual(result['histogram'], [counts.tolist()])
        self.assertEqual(
            [result[name][0] for name in ('low', 'median', 'high')],
            [values[round(frame.size / 10) - 1], values[frame.size // 2],
             values[round(frame.size * .9) - 1]])
        self.assertAlmostEqual(result['entropy'][0],
                               -(share * np.log2(share)).sum(), 9)

    def test_meta_without_messages_survives_conversion(self):
        """The meta of the measured frame is kept, unchanged, after a
        conversion, a scaler and a queue."""
        messages, metas = self.play(
            f'{launch.clip("I420", 321, 243, 3)} ! clframesum name=statistics '
            'post-messages=false ! videoconvert ! video/x-raw,format=RGB ! '
            'videoscale ! video/x-raw,width=100,height=80 ! queue ! '
            'fakesink name=sink')
        self.assertEqual(messages, [])
        self.assertEqual([(meta['frame'], meta['width'], meta['format'])
                          for meta in metas],
                         [(i, 321, 'I420') for i in range(3)])

    def test_two_in_a_row(self):
        """Each result names its element, and the program in the page finds
        both in the meta."""
        page = {}
        for text in pagecommands.fenced('docs/statistics.md', 'python'):
            if text.startswith('def results'):
                exec(text, page)
        messages, metas = self.play(
            f'{launch.clip("GRAY8", 64, 48, 3)} ! clframesum name=before ! '
            'cllocalmean ! clframesum name=statistics ! fakesink name=sink',
            lambda buffer: {
                name: to_dict(result) for name, result
                in page['results'](buffer).items()})
        results = {name: [message for message in messages
                          if message['element'] == name]
                   for name in ('before', 'statistics')}
        self.assertEqual([len(told) for told in results.values()], [3, 3])
        self.assertLess(results['statistics'][0]['stddev'],
                        results['before'][0]['stddev'])
        self.assertEqual([meta['before'] for meta in metas], results['before'])
        for meta, result in zip(metas, results['statistics']):
            self.assertEqual(list(meta), ['before', 'statistics'])
            del meta['statistics']['earlier']
            self.assertEqual(meta['statistics'], result)

    def test_frames_are_unchanged(self):
        for options in '', 'stats-meta=false':
            frames, data = self.filter_clip(f'clframesum {options}', 'I420',
                                            321, 243)
            results = formats.read_frames(data, 'I420', 321, 243)
            for frame, result in zip(frames, results):
                for (name, samples), (_, actual) in zip(frame, result):
                    self.assert_equal_arrays(actual, samples, name)

    def test_statistics_flags(self):
        for options, present, absent in [
                ('statistics=moments', 'mean', 'min'),
                ('statistics=range', 'max', 'sum')]:
            messages, _ = self.play(
                f'{launch.clip("I420", 321, 243, 1)} ! clframesum '
                f'name=statistics {options} ! fakesink name=sink')
            self.assertIn(present, messages[0])
            self.assertNotIn(absent, messages[0])


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
