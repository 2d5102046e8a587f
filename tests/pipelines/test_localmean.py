#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cllocalmean on the real clip, compared with window sums by NumPy."""
import dataclasses

import launch
import formats
import reference


@dataclasses.dataclass
class Case:
    """A format, a size, and the properties of cllocalmean."""
    video_format: str
    size: tuple
    kernel: tuple = (15, 15)
    anchor: tuple = (-1, -1)
    step: tuple = (1, 1)
    border: str = 'shrink'
    planes: str = ''
    method: str = 'auto'
    layout: str = ''  # of the integral image before it; none: from frames
    result_format: str = ''  # if it is another one
    interlaced: str = ''  # properties of cllocalmean for interlaced frames

    def element(self):
        element = f'clintegral layout={self.layout} ! ' if self.layout else ''
        element += (
            f'cllocalmean kernel-width={self.kernel[0]} '
            f'kernel-height={self.kernel[1]} anchor-x={self.anchor[0]} '
            f'anchor-y={self.anchor[1]} step-x={self.step[0]} '
            f'step-y={self.step[1]} border-mode={self.border} '
            f'method={self.method}')
        if self.interlaced:
            element = ('capssetter replace=false '
                       'caps=video/x-raw,interlace-mode=interleaved ! '
                       f'{element} {self.interlaced}')
        return element + (f' planes={self.planes}' if self.planes else '')

    def has_fields(self):
        """Whether fields are filtered separately."""
        return 'split-fields=true' in self.interlaced

    def out_size(self):
        if self.has_fields():
            width, height = self.size
            sizes = [dataclasses.replace(self, interlaced='',
                                         size=(width, n_rows)).out_size()
                     for n_rows in (height - height // 2, height // 2)]
            return [sizes[0][0], sizes[0][1] + sizes[1][1]]
        if self.border == 'valid':
            return [(n - k) // s + 1
                    for n, k, s in zip(self.size, self.kernel, self.step)]
        return [-(-n // s) for n, s in zip(self.size, self.step)]

    def expected(self, name, samples, n_rows=None):
        """The results of a component. Fields leave out results beyond the
        n_rows rows that the component of the output has."""
        if self.has_fields():
            whole = dataclasses.replace(self, interlaced='')
            fields = [whole.expected(name, samples[parity::2])
                      for parity in range(min(2, len(samples)))]
            result = fields[0].repeat(2, axis=0)[:n_rows]
            for parity, field in enumerate(fields):
                target = result[parity::2]
                target[:] = field[:len(target)]
            return result
        if self.planes and name.lower() not in self.planes.split('+'):
            return reference.subsample(samples, self.step)
        means = reference.local_mean(samples, self.kernel, self.anchor,
                                     self.step, self.border)
        return formats.store(self.video_format, name, means)


class LocalMeanTest(launch.PipelineTest):
    def check(self, cases, n_frames=2):
        played = self.filter_clips([(case.element(), case.video_format,
                                     *case.size, n_frames) for case in cases])
        for case, (frames, data) in zip(cases, played):
            with self.subTest(format=case.video_format, size=case.size,
                              element=case.element()):
                results = formats.read_frames(
                    data, case.result_format or case.video_format,
                    *case.out_size())
                self.assertEqual(len(results), len(frames))
                for i, (frame, result) in enumerate(zip(frames, results)):
                    for (name, samples), (_, actual) in zip(frame, result):
                        self.assert_equal_arrays(
                            actual,
                            case.expected(name, samples, len(actual)),
                            f'frame {i}, {name}')

    def test_formats(self):
        """test_framesum.py reads every format."""
        self.check([Case(*case) for case in formats.cases_of(
            ('I420', 'NV12', 'RGB', 'YUY2', 'RGBA', 'GRAY16_LE', 'P010_10LE',
             'v210', 'RGB16'), 3)])

    def test_windows(self):
        self.check([
            Case('GRAY8', (321, 243), kernel, border=border)
            for kernel in ((1, 1), (2, 2), (3, 7), (16, 5), (31, 31), (101, 64))
            for border in ('shrink', 'replicate')])

    def test_whole_frame(self):
        size = 163, 121
        self.check([
            Case('GRAY8', size, size),
            Case('GRAY8', size, size, border='replicate'),
            Case('GRAY8', size, size, border='valid'),
            # larger than the chroma components
            Case('I420', size, size),
            Case('I420', size, size, border='replicate')])

    def test_anchors(self):
        self.check([
            Case('NV12', (322, 242), (15, 11), anchor, border=border)
            for anchor in ((0, 0), (14, 10), (3, 7))
            for border in ('shrink', 'replicate')])

    def test_steps(self):
        self.check([
            Case(video_format, (321, 243), step=step)
            for step in ((2, 1), (3, 5), (4, 4))
            for video_format in ('I420', 'NV12', 'RGB', 'YUY2')])

    def test_valid(self):
        self.check([Case(video_format, (321, 243), (10, 7), border='valid')
                    for video_format in ('GRAY8', 'Y444', 'BGRA')])

    def test_block_means(self):
        self.check([
            Case('GRAY8', (768, 576), (16, 16), step=(16, 16), border='valid'),
            Case('RGB', (321, 243), (9, 5), step=(9, 5), border='valid')])

    def test_fields(self):
        """Interlaced frames, with odd numbers of rows, with steps down or only
        whole windows; chroma of a bottom field has a row too many."""
        self.check([
            Case(video_format, size, border=border, planes=planes,
                 interlaced=split)
            for split in ('split-fields=true', 'split-fields=false')
            for video_format, size, planes, border in (
                ('I420', (322, 244), '', 'shrink'),
                ('NV12', (64, 36), 'y', 'replicate'),
                ('RGBx', (33, 9), '', 'shrink'),
                ('v210', (96, 20), '', 'shrink'),
                ('GRAY8', (40, 1), '', 'shrink'),
                ('P010_10LE', (96, 32), '', 'replicate'))] + [
            Case(video_format, (321, 243), interlaced=split, **more)
            for split in ('split-fields=true', 'split-fields=false')
            for video_format, more in (
                ('GRAY8', {'step': (1, 3)}), ('I420', {'step': (3, 1)}),
                ('GRAY8', {'border': 'valid'}),
                ('BGRA', {'border': 'valid', 'step': (15, 15)}),
                ('YUY2', {'step': (2, 5)}),
                ('I420', {'step': (2, 7)}),
                ('P010_10LE', {'step': (4, 4)}))])

    def test_planes(self):
        self.check([Case('I420', (321, 243), planes='y'),
                    Case('NV12', (321, 243), planes='u+v'),
                    Case('RGBA', (321, 243), planes='r+b', step=(2, 2))])

    def test_async_copy(self):
        self.check([
            Case(video_format, (321, 243), step=step, border=border,
                 method='async-copy')
            for video_format, border, step in (
                ('GRAY8', 'shrink', (1, 1)), ('GRAY8', 'replicate', (3, 2)),
                ('GRAY8', 'valid', (15, 15)), ('I420', 'shrink', (1, 1)),
                ('RGB', 'replicate', (1, 1)), ('YUY2', 'shrink', (2, 3)))])

    def test_from_an_integral_image(self):
        """clintegral ! cllocalmean has the results of cllocalmean alone."""
        for layout in 'inclusive', 'exclusive':
            self.check([
                Case(video_format, (321, 243), layout=layout,
                     result_format=result_format, **mean)
                for video_format, result_format in (
                    ('GRAY8', 'GRAY8'), ('I420', 'GRAY8'), ('RGB', 'RGB'),
                    ('RGBA', 'RGBA'))
                for mean in ({}, {'border': 'replicate', 'step': (3, 1)},
                             {'method': 'async-copy'}, {'kernel': (40, 15)},
                             {'planes': 'g', 'step': (3, 1)})])


class StreamsTest(launch.PipelineTest):
    def test_four_streams_at_once(self):
        """Four branches in one process, each with its own elements, agree with
        NumPy and so with each other."""
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
