#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures behind clframesum against FFmpeg's signalstats, key by key.

FFmpeg 5.1. Equal to the last printed digit, on pictures that have outliers,
repeated rows and every pair of chroma codes.
"""
import os
import pathlib
import shutil
import subprocess
import unittest

import launch
import numpy as np

DUMP = pathlib.Path(os.environ['BUILD_DIR'], 'tests/pipelines/figuresdump')
SUBSAMPLINGS = {'420': (2, 2), '422': (2, 1), '444': (1, 1)}
KEYS = [name + key for name in 'YUV' for key in ('MIN', 'AVG', 'MAX', 'DIF')]
KEYS += ['SATMIN', 'SATAVG', 'SATMAX', 'HUEMED', 'HUEAVG',
         'TOUT', 'VREP', 'BRNG']


def ffmpeg_figures(raw, subsampling, width, height):
    """A dictionary of printed values for each frame."""
    text = subprocess.run(
        ['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt',
         f'yuv{subsampling}p', '-s', f'{width}x{height}', '-i', 'pipe:',
         '-vf', 'signalstats=stat=tout+vrep+brng,metadata=print:file=-',
         '-f', 'null', '-'], input=raw, check=True, capture_output=True,
        timeout=120).stdout.decode()
    frames = []
    for line in text.splitlines():
        if line.startswith('frame:'):
            frames.append({})
        elif line.startswith('lavfi.signalstats.'):
            key, value = line.split('.', 2)[2].split('=')
            frames[-1][key] = value
    return frames


def our_figures(raw, subsampling, width, height):
    text = subprocess.run([DUMP, subsampling, str(width), str(height)],
                          input=raw, check=True, capture_output=True,
                          timeout=120).stdout.decode()
    return [dict(word.split('=') for word in line.split())
            for line in text.splitlines()]


def picture(generator, width, height, noise):
    """Slopes, strokes that stick out of rows, rows that come again."""
    y, x = np.mgrid[:height, :width]
    repeated = np.where(y // 16 % 2, y % 4, y)
    codes = (5 * x + 3 * repeated) // 4
    codes = codes + 90 * ((y % 7 == 3) & (x // 3 % 4 == 1))
    return (codes + generator.integers(0, noise, codes.shape)).astype('u1')


@unittest.skipUnless(shutil.which('ffmpeg'), 'there is no ffmpeg')
class SignalStatsTest(launch.PipelineTest):
    def check(self, raw, subsampling, width, height, keys=KEYS):
        theirs = ffmpeg_figures(raw, subsampling, width, height)
        ours = our_figures(raw, subsampling, width, height)
        self.assertEqual(len(ours), len(theirs))
        self.assertTrue(ours)
        others = [f'{subsampling}, frame {i}: {key} {our[key]} for {their[key]}'
                  for i, (our, their) in enumerate(zip(ours, theirs))
                  for key in keys if our[key] != their[key]]
        self.assertEqual(others[:10], [], f'{len(others)} values in all')
        return ours

    def test_pictures(self):
        generator = np.random.default_rng(4)
        width, height = 177, 91
        for subsampling, (across, down) in SUBSAMPLINGS.items():
            chroma = -(-width // across), -(-height // down)
            raw = b''.join(
                picture(generator, *size, noise).tobytes()
                for noise in (1, 3, 3, 60, 256)
                for size in ((width, height), chroma, chroma))
            figures = self.check(raw, subsampling, width, height)
            for key in 'TOUT', 'VREP', 'BRNG', 'YDIF':
                self.assertTrue(any(float(f[key]) for f in figures), key)

    def test_hues(self):
        """A frame for each pair of chroma codes on an axis or a diagonal, where
        rounding decides, and for every eleventh other."""
        v, u = np.mgrid[-128:128, -128:128]
        is_tried = (u == 0) | (v == 0) | (abs(u) == abs(v))
        is_tried |= (256 * v + u) % 11 == 0
        codes = np.stack([0 * u, u, v], axis=-1)[is_tried] + 128
        self.check(codes.astype('u1').tobytes(), '444', 1, 1,
                   ['SATMIN', 'HUEMED'])


if __name__ == '__main__':
    launch.main()
