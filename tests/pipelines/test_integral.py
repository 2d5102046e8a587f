#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clintegral on the real clip against NumPy's cumulative sums, and OpenCV's
integral images where there is an OpenCV."""
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
    def check(self, video_format, size, layout='inclusive', component=-1,
              method='auto'):
        element = (f'clintegral layout={layout} component={component} '
                   f'method={method}')
        with self.subTest(format=video_format, size=size, element=element):
            frames, data = self.filter_clip(element, video_format, *size)
            expected = [self.expected(video_format, frame, layout, component)
                        for frame in frames]
            actual = np.frombuffer(data, expected[0].dtype).reshape(
                len(frames), *expected[0].shape)
            for i, sums in enumerate(expected):
                self.assert_equal_arrays(actual[i], sums, f'frame {i}')

    @staticmethod
    def chosen(video_format, frame, component):
        samples = [samples for _, samples in frame]
        if component >= 0:
            return [samples[component]]
        if video_format in formats.PACKED and frame[0][0] == 'R':
            return samples
        return samples[:1]  # luma alone; of planar RGB the first plane, R

    def expected(self, video_format, frame, layout, component):
        sums = reference.integral(
            self.chosen(video_format, frame, component), layout)
        return reference.as_format(
            sums, 'u64' if formats.depth(video_format) == 16 else 'u32')

    def test_every_format(self):
        for video_format, layout in zip(
                [*formats.ALL, *formats.WIDE], itertools.cycle(
                    ['inclusive', 'exclusive'])):
            self.check(video_format, (321, 243), layout)

    def test_sizes_and_layouts(self):
        for size in SIZES:
            for layout in 'inclusive', 'exclusive':
                self.check('I420', size, layout)

    def test_methods(self):
        for method in 'multi-pass', 'async-copy':
            for video_format, size in [('GRAY8', (768, 576)),
                                       ('NV12', (321, 243)),
                                       ('RGB', (322, 241)),
                                       ('RGBA', (321, 243))]:
                for layout in 'inclusive', 'exclusive':
                    self.check(video_format, size, layout, method=method)

    def test_single_components(self):
        for video_format, component in [('I420', 2), ('NV12', 1), ('NV21', 2),
                                        ('YUY2', 0), ('YUY2', 1), ('UYVY', 2),
                                        ('BGRA', 0), ('ARGB', 3), ('RGB', 1),
                                        ('RGBP', 2)]:
            self.check(video_format, (321, 243), component=component)

    def test_single_components_of_words(self):
        for video_format, component in [('P010_10LE', 2), ('P016_LE', 1),
                                        ('I422_10LE', 1), ('I420_12LE', 2)]:
            self.check(video_format, (321, 243), component=component)

    def test_all_arrays(self):
        for (video_format, sum_format), layout in zip(
                itertools.product(['I420', 'RGB', 'P010_10LE', 'GRAY16_LE'],
                                  ['u32', 'u64', 'f32']),
                itertools.cycle(['inclusive', 'exclusive'])):
            with self.subTest(format=video_format, sums=sum_format,
                              layout=layout):
                self.check_arrays(video_format, sum_format, layout)

    def check_arrays(self, video_format, sum_format, layout):
        frames, data = self.filter_clip(
            f'clintegral squares=true tilted=true sum-format={sum_format} '
            f'layout={layout}', video_format, 161, 123, frames=1)
        samples = self.chosen(video_format, frames[0], -1)
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
        for sum_format, sums, squares, depth, square_depth in self.TYPES:
            for video_format, size in itertools.product(
                    ['GRAY8', 'RGB', 'BGRA'], [(250, 241), (17, 9)]):
                with self.subTest(format=video_format, size=size, sums=sums):
                    self.compare_with_opencv(
                        video_format, size, sum_format, sums, squares,
                        getattr(cv2, depth), getattr(cv2, square_depth))

    def compare_with_opencv(self, video_format, size, sum_format, sums, squares,
                            depth, square_depth):
        # OpenCV adds floats, which is exact as long as sums stay below 2^24
        frames, data = self.filter_clip(
            'clintegral layout=exclusive squares=true tilted=true '
            f'sum-format={sum_format}', video_format, *size)
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
