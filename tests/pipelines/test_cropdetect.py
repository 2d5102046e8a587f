#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The active area compared with FFmpeg's cropdetect where that is right, and
how many clips of the unit test of borders cropdetect gets right: a table of
docs/events.md, which WRITE_TABLES=1 writes. Another one has the active areas
of coded clips.

usage: test_cropdetect.py TEST_UNIT_BORDER
"""
import os
import subprocess
import sys

import clips
import launch

clips.require_ffmpeg()
UNIT_TEST = sys.argv.pop(1)
SIZE = f'size={clips.WIDTH}x{clips.HEIGHT}:rate={clips.RATE}'
CROPDETECT = 'cropdetect=round=2:skip=0'
# of the clips of test_border.c: widths of the bars on the left and right,
# above and below
WIDTH, HEIGHT = 161, 91
SHAPES = {'none': (0, 0, 0, 0), 'letterbox': (0, 0, 11, 12),
          'pillarbox': (20, 21, 0, 0), 'windowbox': (16, 16, 9, 9)}
CONDITIONS = ('8 bits', '10 bits', '16 bits', 'noise 1', 'noise 3',
              'subtitles', 'a logo', 'a dark scene', 'a fade from black',
              'blended edges')
BARS = 'black', 'code 30', 'grey', 'white', 'blue'
FORMATS = {8: 'gray', 10: 'gray10le', 16: 'gray16le'}


def decisions(words, filters):
    """The values of cropdetect for each frame."""
    text = clips.ffmpeg(*words, '-vf', f'{filters},metadata=print:file=-',
                        '-f', 'null', '-').decode()
    frames = []
    for line in text.splitlines():
        key, _, value = line.partition('=')
        if line.startswith('frame:'):
            frames.append({})
        elif key.startswith('lavfi.cropdetect.'):
            frames[-1][key.split('.')[-1]] = int(float(value))
    return frames


class CropTest(clips.ClipTest):
    """The active area against FFmpeg's cropdetect where that is right: bars of
    code 16 around a bright picture."""
    # widths of the bars: left, right, top, bottom
    SHAPES = (0, 0, 0, 0), (0, 0, 18, 18), (24, 24, 0, 0), (16, 32, 8, 20), \
        (6, 0, 0, 2)
    PICTURES = {'zoom': f'mandelbrot={SIZE}:end_scale=0.01',
                'rotation': f'mandelbrot={SIZE}:start_scale=1,loop=-1:1,'
                            'rotate=n/50'}

    def theirs(self, path):
        """x, y, width and height of each frame."""
        frames = decisions(clips.as_input(path), f'{CROPDETECT}:reset=1')
        return [tuple(frame[key] for key in 'xywh') for frame in frames]

    def test_cropdetect(self):
        for name in self.PICTURES:
            for left, right, top, bottom in self.SHAPES:
                area = (left, top, clips.WIDTH - left - right,
                        clips.HEIGHT - top - bottom)
                with self.subTest(picture=name, area=area):
                    x, y, width, height = area
                    # a bright picture: no row of it is black
                    heads = self.make(
                        self.PICTURES[name], [None], f'lutyuv=y=60+val/2,'
                        f'crop={width}:{height}:0:0,pad={clips.WIDTH}:'
                        f'{clips.HEIGHT}:{x}:{y}:black', n_frames=10)
                    lines = next(self.find(heads, 'statistics=active-area'))
                    ours = [tuple(line[f'active-{key}'] for key in
                                  ('x', 'y', 'width', 'height'))
                            for line in lines if line['type'] == 'frame']
                    self.assertEqual(ours, [area] * 10)
                    path = heads[0].split('=')[1].split()[0]
                    self.assertEqual(self.theirs(path), ours)


class HitsTest(clips.ClipTest):
    def is_hit(self, condition, shape, bar):
        """After the last frame, before cropdetect makes the sizes even."""
        depth = {'10 bits': 10, '16 bits': 16}.get(condition, 8)
        path = self.folder / f'{condition}:{depth}:{shape}:{bar}'
        found = decisions(
            ('-f', 'rawvideo', '-pix_fmt', FORMATS[depth], '-s',
             f'{WIDTH}x{HEIGHT}', '-r', 10, '-i', f'file:{path}'),
            f'format=gray,{CROPDETECT}')[-1]
        left, right, top, bottom = SHAPES[shape]
        wrong = [found['x1'] - left, WIDTH - 1 - found['x2'] - right,
                 found['y1'] - top, HEIGHT - 1 - found['y2'] - bottom]
        # a blended line may belong to the bar or to the picture
        return all(error == 0 or condition == 'blended edges' and error == 1
                   for error in wrong)

    def test_page(self):
        subprocess.run([UNIT_TEST], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {
                           'CLIPS_FOLDER': str(self.folder),
                           'GST_CHECKS': 'test_page',
                           'TESTS_FOLDER': str(launch.ROOT / 'tests')})
        rows = {}
        for condition in clips.chosen(CONDITIONS):
            rows[condition] = [
                f'{sum(self.is_hit(condition, shape, bar) for bar in BARS)}'
                f' of {len(BARS)}' for shape in SHAPES]
        self.expect_table(('cropdetect', *SHAPES), rows, names=CONDITIONS)


class CodedTest(clips.ClipTest):
    """Bars that encoders have changed beside the picture: their widths are
    not those of blocks."""
    CODINGS = {'MPEG-2, scale 5': clips.mpeg2(5),
               'MPEG-2, scale 20': clips.mpeg2(20),
               'H.264, crf 23': clips.h264(23),
               'H.264, crf 28': clips.h264(28),
               'H.264, crf 35': clips.h264(35)}
    SHAPES = {'none': (0, 0, 0, 0), 'letterbox': (0, 0, 18, 20),
              'pillarbox': (20, 22, 0, 0), 'windowbox': (14, 18, 10, 12)}
    COLOURS = 'black', '0x101010', '0x606060', 'white', 'blue'

    def area_of(self, shape):
        left, right, top, bottom = self.SHAPES[shape]
        return (left, top, clips.WIDTH - left - right,
                clips.HEIGHT - top - bottom)

    def find_areas(self, picture, shape, colour):
        """Yields the areas of a clip of each coding."""
        x, y, width, height = self.area_of(shape)
        heads = self.make(picture, self.CODINGS.values(),
                          f'scale={width}:{height},pad={clips.WIDTH}:'
                          f'{clips.HEIGHT}:{x}:{y}:{colour}', n_frames=10)
        for lines in self.find(heads, 'statistics=active-area'):
            yield {tuple(line[f'active-{key}'] for key in
                         ('x', 'y', 'width', 'height'))
                   for line in lines if line['type'] == 'frame'}

    def test_page(self):
        pictures = f'movie={launch.CLIP}', f'mandelbrot={SIZE}:end_scale=0.01'
        rows = {name: [] for name in self.CODINGS}
        for shape in self.SHAPES:
            hits = [[areas == {self.area_of(shape)} for areas in
                     self.find_areas(picture, shape, colour)]
                    for picture in pictures for colour in self.COLOURS]
            for name, of_coding in zip(rows, zip(*hits)):
                rows[name].append(f'{sum(of_coding)} of {len(hits)}')
        self.expect_table(('coded clips', *self.SHAPES), rows, tolerance=1)


if __name__ == '__main__':
    launch.main()
