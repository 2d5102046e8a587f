#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum statistics=waveform+vectorscope compared with NumPy, and with the
counts that FFmpeg's waveform and vectorscope draw."""
import base64
import json
import shutil
import subprocess
import unittest

import launch
from messages import Gst, until_end

import formats
import numpy as np
import pagecommands

PAGE = launch.ROOT / 'docs/statistics.md'
PACKED = ('waveform', 'vectorscope', 'histogram-data', 'light-histogram-data')

# Format, size, properties, bins, and x, y, width and height of the rectangle.
CASES = (
    ('I420', (322, 242), '', 256, None),
    ('I420', (1, 1), '', 256, None),
    ('I420', (35, 19), 'planes=u+v', 256, None),
    ('I420', (35, 19), 'planes=y', 256, None),
    ('NV12', (67, 33), '', 256, None),
    ('NV12', (67, 33), 'histogram-bins=100', 100, None),
    ('Y42B', (40, 21), 'histogram-bins=1', 1, None),
    ('I420_10LE', (35, 17), '', 1024, None),
    ('GRAY8', (1, 1), '', 256, None),
    ('GRAY16_LE', (67, 9), '', 1024, None),
    ('GRAY16_LE', (67, 9), 'histogram-bins=65536', 1024, None),
    ('I420', (321, 243), 'position-x=11 position-y=7 width=203 height=151',
     256, (11, 7, 203, 151)),
    ('NV12', (67, 33), 'position-x=5 position-y=3 width=1 height=1', 256,
     (5, 3, 1, 1)),
    ('I420', (66, 34), 'grid-columns=2 histogram-format=packed', 256, None),
)

# Cases with programs of their own, of which the seed chooses some.
OTHERS = (
    ('AYUV', (37, 20), '', 256, None),
    ('P010_10LE', (66, 33), 'histogram-bins=64', 64, None),
    ('RGB', (90, 41), '', 256, None),
    ('I420_12LE', (34, 15), '', 1024, None),
    ('UYVY', (38, 20), '', 256, None),
    ('v210', (96, 6), '', 1024, None),
    ('RGBA', (31, 9), '', 256, None),
)
N_OTHERS = 3

# Of the frames that FFmpeg reads.
RAW_SIZE = 72, 34

# The format in FFmpeg, and the subsampling of chroma.
OF_FFMPEG = {'I420': ('yuv420p', 2, 2), 'Y42B': ('yuv422p', 2, 1),
             'Y444': ('yuv444p', 1, 1), 'I420_10LE': ('yuv420p10le', 2, 2),
             'Y444_10LE': ('yuv444p10le', 1, 1)}


def waveform(codes, n_bins, depth):
    counts = np.zeros((codes.shape[1], n_bins), np.int64)
    columns = np.broadcast_to(np.arange(codes.shape[1]), codes.shape)
    np.add.at(counts, (columns, codes.astype(np.int64) * n_bins >> depth), 1)
    return counts


def vectorscope(u, v, n_bins, depth):
    u, v = (codes.astype(np.int64) * n_bins >> depth for codes in (u, v))
    counts = np.zeros((n_bins, n_bins), np.int64)
    np.add.at(counts, (v, u), 1)
    return counts


def cut(samples, rectangle, steps):
    """Returns the samples whose position is in @rectangle, or one."""
    parts = []
    for first, size, step in zip(rectangle[:2], rectangle[2:], steps):
        start, end = -(-first // step), -(-(first + size) // step)
        parts.append(slice(start, max(end, start + 1)))
    return samples[parts[1], parts[0]]


def unpack(text, shape):
    return np.frombuffer(base64.b64decode(text), '<u4').reshape(shape)


def read_frames(path):
    lines = map(json.loads, path.read_text(encoding='utf-8').splitlines())
    return [line for line in lines if line['type'] == 'frame']


class ScopeCountsTest(launch.PipelineTest):
    def measure(self, sources, properties):
        """Measures each of @sources, (head of a line, properties), in one
        process. Returns the frames of each, as lines."""
        paths = [self.folder / f'{i}.jsonl' for i in range(len(sources))]
        launch.run('-q ' + ' '.join(
            f'{head} ! clframesum {properties} {more} location={path} '
            'packed-lines=true post-messages=false ! fakesink'
            for (head, more), path in zip(sources, paths)))
        return [read_frames(path) for path in paths]

    def check(self, line, frame, n_bins):
        """@frame: (name, samples) of each component."""
        frame = [(name, codes) for name, codes in frame
                 if name in line['components']]
        for i, (name, codes) in enumerate(frame[:3]):
            expected = waveform(codes, n_bins, line['depth'])
            self.assertEqual(line['waveform-shape'][i], [*expected.shape])
            self.assert_equal_arrays(
                unpack(line['waveform'][i], expected.shape), expected, name)
        self.assertEqual([line['waveform'][3:], line['waveform-shape'][3:]],
                         [[''], [[0, 0]]] if len(frame) == 4 else [[], []])
        codes = dict(frame)
        self.assertEqual('vectorscope' in line, codes.keys() >= set('YUV'))
        if 'vectorscope' in line:
            self.assertEqual(line['vectorscope-shape'], [n_bins] * 2)
            self.assert_equal_arrays(
                unpack(line['vectorscope'], (n_bins, n_bins)),
                vectorscope(codes['U'], codes['V'], n_bins, line['depth']),
                'vectorscope')

    def test_numpy(self):
        cases = [*CASES, *(formats.chosen(OTHERS, 2 * i)
                           for i in range(N_OTHERS))]
        raws = [self.folder / f'{i}.raw' for i in range(len(cases))]
        found = self.measure([
            (f'{launch.clip(video_format, *size, 2)} ! tee name=t{i} '
             f't{i}. ! queue ! filesink location={raw} t{i}. ! queue', more)
            for i, (raw, (video_format, size, more, _, _)) in enumerate(
                zip(raws, cases))], 'statistics=waveform+vectorscope')
        for lines, raw, (video_format, size, more, n_bins, rectangle) in zip(
                found, raws, cases):
            frames = formats.read_frames(raw.read_bytes(), video_format, *size)
            self.assertEqual(len(lines), 2)
            for line, frame in zip(lines, frames):
                with self.subTest(format=video_format, size=size, more=more):
                    if rectangle:
                        frame = [
                            (name, cut(codes, rectangle,
                                       (2, 2) if name in 'UV' else (1, 1)))
                            for name, codes in frame]
                    self.check(line, frame, n_bins)
                    self.assertFalse([name for name in line
                                      if name.startswith('zone-wave')])

    def test_interlaced(self):
        """Frames with two fields, which have no fields of scopes, and buffers
        with one."""
        raw, size = self.folder / 'in.raw', (66, 30)
        head = launch.clip('I420', *size, 3)
        for source, height in (
                ('capssetter replace=false '
                 'caps=video/x-raw,interlace-mode=interleaved', 30),
                ('interlace field-pattern=1:1 ! '
                 '"video/x-raw(format:Interlaced)"', 15)):
            lines, = self.measure(
                [(f'{head} ! {source} ! tee name=t t. ! queue ! '
                  f'filesink location={raw} t. ! queue', 'fields=true')],
                'statistics=waveform+vectorscope+range')
            frames = formats.read_frames(raw.read_bytes(), 'I420', size[0],
                                         height)
            self.assertGreater(len(frames), 1)
            for line, frame in zip(lines, frames, strict=True):
                self.check(line, frame, 256)
                self.assertEqual(sorted(
                    name for name in line if name.startswith('field-')),
                    ['field-max', 'field-min'] if height == 30 else [])

    def test_with_others(self):
        """Numbers do not depend on the other statistics."""
        found = self.measure(
            [(launch.clip('I420', 67, 35, 3), f'statistics={statistics}')
             for statistics in (
                 'waveform+vectorscope', 'waveform', 'vectorscope',
                 'waveform+vectorscope+histogram+profiles+cells+light+hue '
                 'grid-columns=2')], '')
        for lines in zip(*found):
            for name in ('waveform', 'vectorscope'):
                values = [line[name] for line in lines if name in line]
                self.assertEqual(len(values), 3)
                self.assertEqual(values, values[:1] * 3)

    def test_page(self):
        """Each expression of the page reads its field of a message, and its
        function writes a picture."""
        rows = [[cell.strip(' `') for cell in line.split('|')[1:3]]
                for line in PAGE.read_text(encoding='utf-8').splitlines()
                if 'numpy.frombuffer' in line and line.startswith('| `')]
        self.assertEqual(sorted(name for name, _ in rows), sorted(PACKED))
        pipeline = Gst.parse_launch(
            f'{launch.clip("I420", 66, 34, 1)} ! clframesum statistics='
            'waveform+vectorscope+histogram+light-histogram+moments '
            'histogram-format=packed ! fakesink')
        fields, *_ = until_end(pipeline)
        pipeline.set_state(Gst.State.NULL)
        shapes = {'waveform': (66, 256), 'vectorscope': (256, 256)}
        n_pairs = 33 * 17
        for name, expression in rows:
            counts = eval(expression, {'numpy': np, 'fields': fields})
            self.assertEqual(counts.shape, shapes.get(name, (256,)), name)
            self.assertEqual(counts.sum(), n_pairs if name == 'vectorscope'
                             else 66 * 34, name)

        page = {}
        for text in pagecommands.fenced('docs/statistics.md', 'python'):
            if 'def write_waveform' in text:
                exec(text, page)
        path = self.folder / 'waveform.pgm'
        page['write_waveform'](fields, path)
        head, picture = path.read_bytes().split(b'255\n', 1)
        self.assertEqual((head, len(picture)), (b'P5 66 256 ', 66 * 256))
        self.assertGreater(sum(picture), 0)

    def draw(self, path, pixels, kind, n_bins):
        """Returns the luma that a filter of FFmpeg draws: each count, but at
        most the greatest code."""
        limit = n_bins - 1
        raw = subprocess.run(
            ['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', pixels,
             '-s', '{}x{}'.format(*RAW_SIZE), '-i', path, '-vf',
             f'{kind}:intensity={1.004 / limit},extractplanes=y', '-f',
             'rawvideo', '-pix_fmt', 'gray10le' if n_bins > 256 else 'gray',
             '-'], check=True, stdout=subprocess.PIPE).stdout
        return np.frombuffer(raw, '<u2' if n_bins > 256 else 'u1').reshape(
            n_bins, -1)

    @unittest.skipUnless(shutil.which('ffmpeg'), 'no ffmpeg')
    def test_ffmpeg(self):
        """A column of subsampled chroma is drawn as often as it has pixels. The
        vectorscope has the greatest V at the top."""
        random = np.random.default_rng(2)
        width, height = RAW_SIZE
        paths, planes = [], []
        for i, (video_format, (_, x, y)) in enumerate(OF_FFMPEG.items()):
            depth = formats.depth(video_format)
            middle, code = 1 << depth - 1, '<u2' if depth > 8 else 'u1'
            planes.append([
                random.integers(0, 1 << depth, (height, width)).astype(code),
                *random.normal(middle, 4, (2, height // y, width // x)).astype(
                    code)])
            paths.append(self.folder / f'{i}.raw')
            paths[-1].write_bytes(b''.join(map(bytes, planes[-1])))
        found = self.measure([
            (f'filesrc location={path} ! rawvideoparse width={width} '
             f'height={height} framerate=25/1 format={name}', '')
            for path, name in zip(paths, (
                name.lower().replace('_', '-') for name in OF_FFMPEG))],
            'statistics=waveform+vectorscope')
        for (line,), path, (pixels, *_) in zip(found, paths,
                                               OF_FFMPEG.values()):
            n_bins = 1 << line['depth']
            with self.subTest(format=line['format']):
                for i in range(3):
                    columns = line['waveform-shape'][i][0]
                    counts = unpack(line['waveform'][i], (columns, n_bins))
                    drawn = self.draw(
                        path, pixels, 'waveform=filter=lowpass:mode=column:'
                        f'mirror=0:components={1 << i}', n_bins)
                    self.assert_equal_arrays(
                        drawn, np.repeat(np.minimum(counts, n_bins - 1).T,
                                         width // columns, axis=1),
                        line['components'][i])
                counts = unpack(line['vectorscope'], (n_bins, n_bins))
                self.assertGreater(counts.max(), 3)
                self.assert_equal_arrays(
                    self.draw(path, pixels, 'vectorscope=mode=gray', n_bins),
                    np.minimum(counts, n_bins - 1)[::-1], 'vectorscope')


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
