#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cllocalmean on the real clip against window sums by NumPy."""
import launch
import formats
import reference


class LocalMeanTest(launch.PipelineTest):
    def check(self, video_format, size, kernel=(15, 15), anchor=(-1, -1),
              step=(1, 1), border='shrink', planes='', method='auto'):
        element = (f'cllocalmean kernel-width={kernel[0]} '
                   f'kernel-height={kernel[1]} anchor-x={anchor[0]} '
                   f'anchor-y={anchor[1]} step-x={step[0]} step-y={step[1]} '
                   f'border-mode={border} method={method}')
        element += f' planes={planes}' if planes else ''
        with self.subTest(format=video_format, size=size, element=element):
            frames, data = self.filter_clip(element, video_format, *size,
                                            frames=2)
            if border == 'valid':
                out_size = [(n - k) // s + 1
                            for n, k, s in zip(size, kernel, step)]
            else:
                out_size = [-(-n // s) for n, s in zip(size, step)]
            results = formats.read_frames(data, video_format, *out_size)
            self.assertEqual(len(results), len(frames))
            for i, (frame, result) in enumerate(zip(frames, results)):
                for (name, samples), (_, actual) in zip(frame, result):
                    if planes and name.lower() not in planes.split('+'):
                        expected = reference.subsample(samples, step)
                    else:
                        expected = self.mean_of(samples, kernel, anchor, step,
                                                border)
                    self.assert_equal_arrays(actual, expected,
                                             f'frame {i}, {name}')

    @staticmethod
    def mean_of(samples, kernel, anchor, step, border):
        return reference.local_mean(samples, kernel, anchor, step, border)

    def test_every_format(self):
        for video_format in formats.ALL:
            self.check(video_format, (321, 243))

    def test_windows(self):
        for kernel in (1, 1), (2, 2), (3, 7), (16, 5), (31, 31), (101, 64):
            for border in 'shrink', 'replicate':
                self.check('GRAY8', (321, 243), kernel, border=border)

    def test_whole_frame(self):
        self.check('GRAY8', (163, 121), (163, 121))
        self.check('GRAY8', (163, 121), (163, 121), border='replicate')
        self.check('GRAY8', (163, 121), (163, 121), border='valid')
        # larger than the chroma components
        self.check('I420', (163, 121), (163, 121))
        self.check('I420', (163, 121), (163, 121), border='replicate')

    def test_anchors(self):
        for anchor in (0, 0), (14, 10), (3, 7):
            for border in 'shrink', 'replicate':
                self.check('NV12', (322, 242), (15, 11), anchor, border=border)

    def test_steps(self):
        for step in (2, 1), (3, 5), (4, 4):
            for video_format in 'I420', 'NV12', 'RGB', 'YUY2':
                self.check(video_format, (321, 243), step=step)

    def test_valid(self):
        for video_format in 'GRAY8', 'Y444', 'BGRA':
            self.check(video_format, (321, 243), (10, 7), border='valid')

    def test_block_means(self):
        self.check('GRAY8', (768, 576), (16, 16), step=(16, 16),
                   border='valid')
        self.check('RGB', (321, 243), (9, 5), step=(9, 5), border='valid')

    def test_planes(self):
        self.check('I420', (321, 243), planes='y')
        self.check('NV12', (321, 243), planes='u+v')
        self.check('RGBA', (321, 243), planes='r+b', step=(2, 2))

    def test_async_copy(self):
        for video_format, border, step in [
                ('GRAY8', 'shrink', (1, 1)), ('GRAY8', 'replicate', (3, 2)),
                ('GRAY8', 'valid', (15, 15)), ('I420', 'shrink', (1, 1)),
                ('RGB', 'replicate', (1, 1)), ('YUY2', 'shrink', (2, 3))]:
            self.check(video_format, (321, 243), step=step, border=border,
                       method='async-copy')

    def test_from_an_integral_image(self):
        """clintegral ! cllocalmean gives what cllocalmean gives alone."""
        for video_format, result_format in [('GRAY8', 'GRAY8'),
                                            ('I420', 'GRAY8'), ('RGB', 'RGB'),
                                            ('RGBA', 'RGBA')]:
            for layout in 'inclusive', 'exclusive':
                for mean in ('', 'border-mode=replicate step-x=3',
                             'method=async-copy', 'kernel-width=40',
                             'planes=g step-x=3'):
                    self.check_chain(video_format, result_format, layout, mean)

    def check_chain(self, video_format, result_format, layout, mean):
        element = f'clintegral layout={layout} ! cllocalmean {mean}'
        with self.subTest(format=video_format, element=element):
            frames, data = self.filter_clip(element, video_format, 321, 243,
                                            frames=2)
            step = (3, 1) if 'step-x' in mean else (1, 1)
            kernel = (40 if 'kernel-width' in mean else 15, 15)
            border = 'replicate' if 'replicate' in mean else 'shrink'
            results = formats.read_frames(data, result_format,
                                          321 // step[0], 243)
            for i, (frame, result) in enumerate(zip(frames, results)):
                for (name, samples), (_, actual) in zip(frame, result):
                    expected = reference.local_mean(samples, kernel, step=step,
                                                    border=border)
                    if 'planes=g' in mean and name != 'G':
                        expected = reference.subsample(samples, step)
                    self.assert_equal_arrays(actual, expected,
                                             f'frame {i}, {name}')


class StreamsTest(launch.PipelineTest):
    def test_four_streams_at_once(self):
        """Four branches in one process, each with elements of its own, agree
        with NumPy and so with each other."""
        branches = ''.join(
            f't. ! queue ! cllocalmean kernel-width={9 + 2 * i} ! '
            f'filesink location={self.folder}/{i}.raw ' for i in range(4))
        launch.run(f'-q {launch.clip("I420", 321, 243, 4)} ! tee name=t '
                   f't. ! queue ! filesink location={self.folder}/in.raw '
                   f'{branches}')
        frames = formats.read_frames((self.folder / 'in.raw').read_bytes(),
                                     'I420', 321, 243)
        for i in range(4):
            results = formats.read_frames(
                (self.folder / f'{i}.raw').read_bytes(), 'I420', 321, 243)
            self.assertEqual(len(results), len(frames))
            for frame, result in zip(frames, results):
                for (name, samples), (_, actual) in zip(frame, result):
                    expected = reference.local_mean(samples, (9 + 2 * i, 15))
                    self.assert_equal_arrays(actual, expected,
                                             f'branch {i}, {name}')


if __name__ == '__main__':
    launch.main()
