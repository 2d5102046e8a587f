# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of tests/xpsnr/ffmpeg.txt are those of FFmpeg's filter xpsnr,
which FFmpeg has from 7.1 on.

With WRITE_TABLES=1, writes the file."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

UNIT_TEST = pathlib.Path(sys.argv.pop()).resolve()
TESTS = pathlib.Path(__file__).resolve().parents[1]
FIGURES = TESTS / 'xpsnr/ffmpeg.txt'

FRAME = re.compile(r'n: +(\d+)(.*)')
AVERAGE = re.compile(r'XPSNR average, \d+ frames(.*?)(?:\(|$)')
VALUE = re.compile(r'[a-z]: +(\S+)')


def has_filter():
    return shutil.which('ffmpeg') and ' xpsnr ' in subprocess.run(
        ['ffmpeg', '-v', 'error', '-filters'], check=True, text=True,
        stdout=subprocess.PIPE).stdout


def figures(line):
    """Returns the figures of a line of the filter as ffmpeg.txt has them."""
    return ' '.join(VALUE.findall(line))


def measure(original, stats):
    """Returns lines of ffmpeg.txt for a pair of clips."""
    pixels, size, rate = original.stem.split()
    source = ['-f', 'rawvideo', '-pix_fmt', pixels, '-s', size, '-r', rate,
              '-i']
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-nostdin', *source, original, *source,
         original.with_suffix('.compared'), '-lavfi',
         f'xpsnr=stats_file={stats}', '-f', 'null', '-'], check=True)
    text = stats.read_text()
    lines = [(match[1], match[2]) for match in FRAME.finditer(text)]
    lines.append(('average', AVERAGE.search(text)[1]))
    return [f'{original.stem} {name}: {figures(line)}' for name, line in lines]


@unittest.skipUnless(has_filter(), 'no ffmpeg with the filter xpsnr')
class XpsnrTest(unittest.TestCase):
    def test_figures(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            printed = subprocess.run(
                [UNIT_TEST], check=True, stdout=subprocess.PIPE, text=True,
                env=os.environ | {'CLIPS_FOLDER': name,
                                  'GST_CHECKS': 'test_ffmpeg',
                                  'CK_FORK': 'no'}).stdout
            clips = dict.fromkeys(
                ' '.join(line.split()[:3]) for line in printed.splitlines()
                if ' average: ' in line)
            lines = [line for clip in clips for line in
                     measure(folder / f'{clip}.original', folder / 'stats')]
        text = ''.join(f'{line}\n' for line in lines)
        if os.environ.get('WRITE_TABLES'):
            FIGURES.write_text(text)
        self.assertEqual(text, FIGURES.read_text())


if __name__ == '__main__':
    unittest.main()
