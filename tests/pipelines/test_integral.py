#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clintegral on the real clip, compared with NumPy's cumulative sums, and with
OpenCV's integral images if OpenCV is installed."""
import itertools
import unittest

import launch
import formats
import numpy as np
import reference

try:
    import cv2
except ImportError:
    cv2 = None

SIZES = [(768, 576), (321, 243), (322, 241), (17, 9)]


class IntegralTest(launch.PipelineTest):
    def check(self, cases):
        """@cases: (format, size, and the properties without default
        values)."""
        usual = {'layout': 'inclusive', 'component': -1, 'method': 'auto'}
        cases = [(video_format, size, usual | properties)
                 for video_format, size, properties in cases]
        played = self.filter_clips([
            ('clintegral ' + ' '.join(f'{name}={value}' for name, value
                                      in properties.items()),
             video_format, *size, 3) for video_format, size, properties
            in cases])
        for (video_format, size, properties), (frames, data) in zip(cases,
                                                                    played):
            with self.subTest(format=video_format, size=size, **properties):
                expected = [
                    self.expected(video_format, frame, properties['layout'],
                                  properties['component']) for frame in frames]
                actual = np.frombuffer(data, expected[0].dtype).reshape(
                    len(frames), *expected[0].shape)
                for i, sums in enumerate(expected):
                    self.assert_equal_arrays(actual[i], sums, f'frame {i}')

    @staticmethod
    def chosen(video_format, frame, component):
        samples = [samples for _, samples in frame]
        if component >= 0:
            return [samples[component]]
        if formats.is_packed(video_format) and frame[0][0] == 'R':
            return samples
        return samples[:1]  # only luma; for planar RGB only R

    def expected(self, video_format, frame, layout, component):
        sums = reference.integral(
            self.chosen(video_format, frame, component), layout)
        return reference.as_format(
            sums, 'u64' if formats.depth(video_format) == 16 else 'u32')

    def test_formats(self):
        """test_framesum.py reads every format."""
        cases = formats.cases_of(
            ('I420', 'NV12', 'RGB', 'YUY2', 'RGBA', 'GRAY16_LE', 'P010_10LE',
             'v210', 'RGB16'), 3)
        self.check([
            (*case, {'layout': layout}) for case, layout in zip(
                cases, itertools.cycle(['inclusive', 'exclusive',
                                                'exclusive']))])

    def test_sizes_and_layouts(self):
        self.check([('I420', size, {'layout': layout}) for size in SIZES
                    for layout in ('inclusive', 'exclusive')])

    def test_methods(self):
        self.check([
            (video_format, size, {'layout': layout, 'method': method})
            for method in ('multi-pass', 'async-copy')
            for video_format, size in (('GRAY8', (768, 576)),
                                       ('NV12', (321, 243)),
                                       ('RGB', (322, 241)),
                                       ('RGBA', (321, 243)))
            for layout in ('inclusive', 'exclusive')])

    def test_single_components(self):
        self.check([
            (video_format, (321, 243), {'component': component})
            for video_format, component in (
                ('I420', 2), ('NV12', 1), ('NV21', 2), ('YUY2', 0), ('YUY2', 1),
                ('UYVY', 2), ('BGRA', 0), ('ARGB', 3), ('RGB', 1), ('RGBP', 2),
                ('P010_10LE', 2), ('P016_LE', 1), ('I422_10LE', 1),
                ('I420_12LE', 2))])

    def test_all_arrays(self):
        cases = [(*case, layout) for case, layout in zip(
            itertools.product(['I420', 'RGB', 'P010_10LE', 'GRAY16_LE'],
                              ['u32', 'u64', 'f32']),
            itertools.cycle(['inclusive', 'exclusive']))]
        played = self.filter_clips([
            (f'clintegral squares=true tilted=true sum-format={sum_format} '
             f'layout={layout}', video_format, 161, 123, 1)
            for video_format, sum_format, layout in cases])
        for (video_format, sum_format, layout), (frames, data) in zip(cases,
                                                                      played):
            with self.subTest(format=video_format, sums=sum_format,
                              layout=layout):
                self.check_arrays(video_format, sum_format, layout, frames[0],
                                  data)

    def check_arrays(self, video_format, sum_format, layout, frame, data):
        samples = self.chosen(video_format, frame, -1)
        squares_format = 'f64' if sum_format == 'f32' else 'u64'
        data = memoryview(data)
        for sums, number in [
                (reference.integral(samples, layout), sum_format),
                (reference.integral(samples, layout, 2), squares_format),
                (np.stack([reference.tilted(channel, layout)
                           for channel in samples], axis=-1), sum_format)]:
            expected = reference.as_format(sums, number)
            actual = np.frombuffer(data, expected.dtype, expected.size)
            self.assert_equal_arrays(actual.reshape(expected.shape), expected,
                                     number)
            data = data[expected.nbytes:]
        self.assertEqual(len(data), 0)

    # sum-format; its type in NumPy, that of the squares; OpenCV's for both
    TYPES = [('u32', '<u4', '<u8', 'CV_32S', 'CV_64F'),
             ('f32', '<f4', '<f8', 'CV_32F', 'CV_64F')]

    @unittest.skipIf(cv2 is None, 'no OpenCV')
    def test_like_opencv(self):
        cases = list(itertools.product(['GRAY8', 'RGB', 'BGRA'],
                                       [(250, 241), (17, 9)], self.TYPES))
        played = self.filter_clips([
            ('clintegral layout=exclusive squares=true tilted=true '
             f'sum-format={types[0]}', video_format, *size, 3)
            for video_format, size, types in cases])
        for (video_format, size, types), (frames, data) in zip(cases, played):
            with self.subTest(format=video_format, size=size, sums=types[0]):
                _, sums, squares, depth, square_depth = types
                self.compare_with_opencv(
                    frames, data, size, sums, squares, getattr(cv2, depth),
                    getattr(cv2, square_depth))

    def compare_with_opencv(self, frames, data, size, sums, squares, depth,
                            square_depth):
        # OpenCV adds floats, which is exact while sums stay below 2^24
        data = memoryview(data)
        for i, frame in enumerate(frames):
            picture = np.dstack([samples for _, samples in frame])
            # OpenCV has no tilted sums of several channels
            expected = [cv2.integral(picture, sdepth=depth)]
            expected += [cv2.integral2(picture, sdepth=depth,
                                       sqdepth=square_depth)[1]]
            expected += [np.dstack([
                cv2.integral3(np.ascontiguousarray(picture[..., c]),
                              sdepth=depth, sqdepth=square_depth)[2]
                for c in range(picture.shape[2])])]
            for array, kind in zip(expected, [sums, squares, sums]):
                shape = size[1] + 1, size[0] + 1, picture.shape[2]
                count = int(np.prod(shape))
                actual = np.frombuffer(data, kind, count).reshape(shape)
                self.assert_equal_arrays(
                    actual, array.reshape(shape).astype(kind), f'frame {i}')
                data = data[count * actual.itemsize:]
        self.assertEqual(len(data), 0)


if __name__ == '__main__':
    launch.main()
