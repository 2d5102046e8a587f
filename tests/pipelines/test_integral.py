#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clintegral on the real clip against NumPy's cumulative sums."""
import itertools

import launch
import formats
import numpy as np
import reference

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
            actual = np.frombuffer(data, '<u4').reshape(
                len(frames), *expected[0].shape)
            for i, sums in enumerate(expected):
                self.assert_equal_arrays(actual[i], sums, f'frame {i}')

    @staticmethod
    def expected(video_format, frame, layout, component):
        samples = [samples for _, samples in frame]
        if component >= 0:
            chosen = [samples[component]]
        elif video_format in formats.PACKED and frame[0][0] == 'R':
            chosen = samples
        else:  # luma alone; of planar RGB the first plane, R
            chosen = samples[:1]
        return reference.integral(chosen, layout)

    def test_every_format(self):
        for video_format, layout in zip(formats.ALL, itertools.cycle(
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


if __name__ == '__main__':
    launch.main()
