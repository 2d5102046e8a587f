#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Repeated frames that clframesum events=repeat finds in clips of known truth,
as they are and after H.264, compared with the table of docs/events.md;
WRITE_TABLES=1 writes the table."""
import functools
import re

import clips
import launch

try:
    import numpy as np
except ImportError as error:
    launch.skip(str(error))
clips.require_ffmpeg()

N_FRAMES = 160
SIZE = f'size={clips.WIDTH}x{clips.HEIGHT}:rate={clips.RATE}'
CODINGS = {'uncompressed': None, 'crf 23': clips.h264(23),
           '60 kbit/s': ('libx264', ('-b:v', '60k'))}
# Frames by which other versions of x264 may differ from the table.
TOLERANCE = 3

MANDELBROT = f'mandelbrot={SIZE}'
PICTURES = {
    'pattern': f'testsrc2={SIZE}', 'zoom': MANDELBROT,
    'still': f'{MANDELBROT},loop=-1:1',
    'still, noise': f'{MANDELBROT},loop=-1:1,noise=c0s=4:c0f=t',
    'dark, noise': f'{MANDELBROT},loop=-1:1,lutyuv=y=16+val/40:u=128:v=128,'
                   'noise=c0s=3:c0f=t',
    'fade': f'{MANDELBROT},loop=-1:1,fade=in:0:80,fade=out:80:80'}


def as_frames(raw):
    return np.frombuffer(raw, np.uint8).reshape(
        -1, clips.WIDTH * clips.HEIGHT * 3 // 2)


@functools.lru_cache(maxsize=None)
def picture(name):
    """N_FRAMES frames; none repeats the frame before if the picture moves."""
    if name in PICTURES:
        return as_frames(clips.ffmpeg('-f', 'lavfi', '-i', PICTURES[name],
                                      '-frames:v', N_FRAMES, *clips.RAW, '-'))
    frames = as_frames(clips.ffmpeg(
        '-i', launch.CLIP, '-vf', f'scale={clips.WIDTH}:{clips.HEIGHT}',
        *clips.RAW, '-'))
    # the clip has frames that repeat the frame before
    new = [0, *(1 + np.flatnonzero((np.diff(
        frames.astype(np.int16), axis=0) != 0).any(1)))]
    there_and_back = [*new, *new[-2:0:-1]]
    return frames[np.resize(there_and_back, N_FRAMES)]


def of_pattern(lengths):
    """Numbers of pictures, each shown for one of @lengths frames, again and
    again."""
    shown = np.repeat(np.arange(N_FRAMES), np.resize(lengths, N_FRAMES))
    return shown[:N_FRAMES]


def cuts():
    """A cut every 16 frames."""
    parts = [picture(('people', 'pattern', 'zoom')[n % 3])[n * 16:n * 16 + 16]
             for n in range(N_FRAMES // 16)]
    return np.concatenate(parts)


# A row of the table: how long each picture is shown.
PATTERNS = {
    'every frame is new': [1],
    'one repeated frame in 40': [1] * 19 + [2] + [1] * 19,
    'three repeated frames in 40': [1] * 18 + [4] + [1] * 18,
    'every second frame (on twos)': [2],
    'two of three (on threes)': [3],
    'four of five': [5],
    'every fifth (24 to 30 a second)': [1, 1, 1, 2],
    'three of five (24 to 60 a second)': [2, 3],
    'every 25th (24 to 25 a second)': [1] * 23 + [2]}
ROWS = {f'{name}: {pattern}': (name, lengths)
        for pattern, lengths in PATTERNS.items()
        for name in ('people', 'pattern')} | {
    name: (name, None)
    for name in ('zoom', 'still', 'still, noise', 'dark, noise', 'fade')} | {
        'cuts': ('cuts', None)}


class RepeatTest(clips.ClipTest):
    def cell(self, lines, truth):
        found = lines[-1]['repeated-frames']
        events = [line for line in lines if line.get('state') == 'end']
        for event in events:  # within the truth
            self.assertTrue(truth[event['start-frame']], event)
            self.assertTrue(truth[event['frame'] - 1], event)
        self.assertEqual(sum(event['frames'] for event in events), found)
        period = max(events, key=lambda event: event['frames'],
                     default={'period': 0})['period']
        return f'{found}, period {period}' if period else f'{found}'

    def row(self, name, lengths):
        frames = cuts() if name == 'cuts' else picture(name)
        shown = of_pattern(lengths or [1])
        truth = np.diff(shown, prepend=-1) == 0
        heads = self.make(frames[shown].tobytes(), CODINGS.values(),
                          n_frames=N_FRAMES)
        found = self.find(heads, 'events=repeat statistics=0')
        return [str(truth.sum()),
                *(self.cell(lines, truth) for lines in found)]

    def compare_cells(self, there, here, tolerance):
        (n, *period), (m, *other) = (
            [int(word) for word in re.findall(r'\d+', cell)]
            for cell in (there, here))
        self.assertAlmostEqual(n, m, delta=tolerance)
        self.assertEqual(period, other)

    def test_page(self):
        rows = {name: self.row(*ROWS[name]) for name in clips.chosen(ROWS)}
        self.expect_table(('clip', 'repeated', *CODINGS), rows, TOLERANCE,
                          names=ROWS)


if __name__ == '__main__':
    launch.main()
