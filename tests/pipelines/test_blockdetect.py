#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum statistics=blockiness compared with FFmpeg's blockdetect, which
adds the steps of all frames since its start: on the first frame of a clip."""
import json
import shutil
import subprocess

import launch

try:
    import numpy as np
except ImportError as error:
    launch.skip(str(error))
if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

# What FFmpeg makes, and how it is encoded.
SOURCES = {
    'blocks of 8': ('testsrc2=size={}:rate=5:duration=1', 'mpeg2video', ''),
    'scaled': ('testsrc2=size=200x160:rate=5:duration=1', 'mpeg2video',
               'scale={},'),
    'noise': ('testsrc2=size={}:rate=5:duration=1', 'rawvideo',
              'noise=alls=60:allf=t,'),
    # without colors, each run has others
    'smooth': ('gradients=size={}:rate=5:duration=1:seed=3:'
               'c0=0x203060:c1=0xd0b090', 'rawvideo', ''),
}
SIZES = '320x240', '173x99', '96x18'
FORMATS = {'GRAY8': 'gray', 'I420': 'yuv420p', 'Y444': 'yuv444p'}


def ffmpeg(*words):
    return subprocess.run(['ffmpeg', '-v', 'error', '-y', *map(str, words)],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def ratios(codes):
    """The ratio of each step within rows, summed over all rows but the first,
    as the paper defines them."""
    steps = np.abs(np.diff(codes.astype(np.int64), axis=1))[1:]
    around = sum(steps[:, i:steps.shape[1] - 6 + i] for i in (0, 1, 2, 4, 5, 6))
    return (steps[:, 3:-3] / np.maximum(around, 1)).sum(axis=0)


def blockiness(codes):
    """The greatest ratio of steps at edges to others."""
    most = 0
    for sums in ratios(codes), ratios(codes.T):
        padded = np.pad(sums, (3, 5))  # position i has the step to i + 1
        numbers = np.arange(3, 3 + len(sums))
        for period in range(3, 25):
            edges = numbers[numbers % period == period - 1]
            others = numbers[numbers % period != period - 1]
            if len(edges) and len(others) and padded[others].sum():
                near = np.maximum.reduce([padded[edges + i]
                                          for i in (-1, 0, 1)])
                most = max(most, near.mean() / padded[others].mean())
    return most


class BlockDetectTest(launch.PipelineTest):
    def ours(self, path, video_format, size, n_bytes):
        """The first line of a raw clip."""
        width, height = size.split('x')
        lines = self.folder / 'lines.jsonl'
        launch.run(
            f'-q filesrc location={path} blocksize={n_bytes} num-buffers=1 ! '
            f'video/x-raw,format={video_format},width={width},height={height},'
            'framerate=5/1 ! clframesum statistics=blockiness key-style=lavfi '
            f'location={lines} post-messages=false ! fakesink')
        return json.loads(lines.read_text().splitlines()[0])

    def test_blockdetect(self):
        clip, raw = self.folder / 'clip.mkv', self.folder / 'clip.raw'
        for name, (source, codec, more) in SOURCES.items():
            for size in SIZES:
                for video_format, pixels in FORMATS.items():
                    # GStreamer pads the rows of other sizes
                    if video_format == 'I420' and size != SIZES[0] or (
                            video_format != 'I420' and size == SIZES[1]):
                        continue
                    with self.subTest(source=name, size=size, format=pixels):
                        self.compare(clip, raw, size, video_format, (
                            source.format(size), codec, more.format(size)))

    def compare(self, clip, raw, size, video_format, made):
        source, codec, more = made
        pixels = FORMATS[video_format]
        ffmpeg('-f', 'lavfi', '-i', source, '-c:v', codec, '-qscale:v', 20,
               clip)
        ffmpeg('-i', clip, '-frames:v', 1, '-vf', f'{more}format={pixels}',
               '-f', 'rawvideo', raw)
        text = ffmpeg('-f', 'rawvideo', '-pix_fmt', pixels, '-s', size, '-i',
                      raw, '-vf', 'blockdetect,metadata=print:file=-', '-f',
                      'null', '-')
        expected = float(text.split('lavfi.block=')[1].split()[0])
        line = self.ours(raw, video_format, size, raw.stat().st_size)
        # FFmpeg adds floats; our ratios have 16 fractional bits
        self.assertAlmostEqual(line['blockiness'] / expected, 1, delta=1e-5)
        self.assertEqual(line['block'], line['blockiness'])
        self.assertEqual(line['blockiness-units'],
                         round(line['blockiness'] * 2 ** 20))

    def test_deep(self):
        """Codes of 10 and 16 bits."""
        random = np.random.default_rng(1)
        for video_format, depth in ('GRAY16_LE', 16), ('I420_10LE', 10):
            with self.subTest(format=video_format):
                width, height = 160, 96
                levels = random.integers(0, 2 ** depth,
                                         (height // 8, width // 8))
                codes = np.kron(levels, np.ones((8, 8), np.int64)) // 2
                codes += random.integers(0, 2 ** (depth - 4), codes.shape)
                data = codes.astype('<u2').tobytes()
                if depth == 10:
                    data += bytes(len(data) // 2)
                raw = self.folder / 'deep.raw'
                raw.write_bytes(data)
                line = self.ours(raw, video_format, f'{width}x{height}',
                                 len(data))
                self.assertAlmostEqual(line['blockiness'] / blockiness(codes),
                                       1, delta=1e-3)


if __name__ == '__main__':
    launch.main()
