#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum key-style=lavfi compared with FFmpeg's signalstats on the same
frames: every key, printed as FFmpeg prints it, must have the same text."""
import json
import shutil
import subprocess

import launch

try:
    import numpy
except ImportError as error:
    launch.skip(str(error))

if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

STATISTICS = ('moments+range+percentiles+temporal+saturation+hue+bit-depth+'
              'outliers+repetition+gamut')
PREFIX = 'lavfi.signalstats.'
N_KEYS = 31

# FFmpeg's name, divisors of the size of chroma, bytes of a sample
FORMATS = {
    'I420': ('yuv420p', (2, 2), 1),
    'Y42B': ('yuv422p', (2, 1), 1),
    'Y444': ('yuv444p', (1, 1), 1),
    'I420_10LE': ('yuv420p10le', (2, 2), 2),
}


def plane(random, width, height, noise):
    """Slopes, strokes that stick out of rows, repeated rows."""
    y, x = numpy.mgrid[:height, :width]
    repeated = numpy.where(y // 16 % 2, y % 4, y)
    codes = (5 * x + 3 * repeated) // 4
    codes = codes + 90 * ((y % 7 == 3) & (x // 3 % 4 == 1))
    return (codes + random.integers(0, noise, codes.shape)).astype('u1')


class SignalstatsTest(launch.PipelineTest):
    def theirs(self, path, video_format, size, is_full):
        """A dict of the keys' texts for each frame of @path."""
        name = FORMATS[video_format][0]
        if is_full:
            name = name.replace('yuv', 'yuvj')
        out = subprocess.run(
            ['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', name, '-s',
             '%dx%d' % size, '-i', path, '-vf',
             'signalstats=stat=tout+vrep+brng,metadata=print:file=-', '-f',
             'null', '-'], check=True, stdout=subprocess.PIPE, text=True)
        frames = []
        for line in out.stdout.splitlines():
            if line.startswith('frame:'):
                frames.append({})
            elif line.startswith(PREFIX):
                key, text = line[len(PREFIX):].split('=')
                frames[-1][key] = text
        return frames

    def ours(self, path, video_format, size, is_full):
        lines = self.folder / 'lines.jsonl'
        _, (x, y), n_bytes = FORMATS[video_format]
        frame = (size[0] * size[1] + 2 * (size[0] // x) * (size[1] // y))
        colorimetry = '1:4:0:0' if is_full else 'bt601'
        launch.run(
            f'-q filesrc location={path} blocksize={frame * n_bytes} ! '
            f'rawvideoparse format={video_format.lower().replace("_", "-")} '
            f'width={size[0]} height={size[1]} colorimetry={colorimetry} ! '
            f'clframesum statistics={STATISTICS} key-style=lavfi '
            f'location={lines} post-messages=false ! fakesink')
        return [line for line in map(json.loads,
                                     lines.read_text().splitlines())
                if line['type'] == 'frame']

    def compare(self, path, video_format, size, n_frames, is_full=False,
                but=()):
        """Returns the plugin's results."""
        with self.subTest(format=video_format, size=size, full=is_full):
            theirs = self.theirs(path, video_format, size, is_full)
            ours = self.ours(path, video_format, size, is_full)
            self.assertEqual(len(theirs), n_frames)
            self.assertEqual(len(ours), n_frames)
            for number, (expected, line) in enumerate(zip(theirs, ours)):
                self.assertEqual(len(expected), N_KEYS)
                for key, text in expected.items():
                    if key not in but:
                        self.assertEqual(f'{line[key]:g}', text,
                                         f'{key} of frame {number}')
            return ours

    def clip(self, video_format, size, n_frames):
        path = self.folder / 'clip.raw'
        launch.run(f'-q {launch.clip(video_format, *size, n_frames)} ! '
                   f'filesink location={path}')
        return path

    def test_clip(self):
        for video_format in 'I420', 'Y42B', 'Y444':
            path = self.clip(video_format, (768, 576), 12)
            self.compare(path, video_format, (768, 576), 12)

    def test_full_range(self):
        """FFmpeg ignores the range for BRNG."""
        path = self.clip('I420', (768, 576), 2)
        self.compare(path, 'I420', (768, 576), 2, is_full=True)

    def test_ten_bits(self):
        """Except for the differences in docs/statistics.md."""
        path = self.clip('I420_10LE', (320, 240), 3)
        self.compare(path, 'I420_10LE', (320, 240), 3,
                     but=('TOUT', 'VREP'))

    def test_pictures(self):
        random = numpy.random.default_rng(4)
        path = self.folder / 'pictures.raw'
        width, height = 176, 91
        for video_format in 'Y42B', 'Y444':
            chroma = width // FORMATS[video_format][1][0], height
            path.write_bytes(b''.join(
                plane(random, *size, noise).tobytes()
                for noise in (1, 3, 3, 60, 256)
                for size in ((width, height), chroma, chroma)))
            lines = self.compare(path, video_format, (width, height), 5)
            for key in 'TOUT', 'VREP', 'BRNG', 'YDIF':
                self.assertTrue(any(line[key] for line in lines), key)

    def test_hues(self):
        """A frame for each pair of chroma codes on an axis or a diagonal,
        where rounding decides, and for some others."""
        v, u = numpy.mgrid[-128:128, -128:128]
        is_tried = (u == 0) | (v == 0) | (abs(u) == abs(v))
        is_tried |= (256 * v + u) % 101 == 0
        pairs = numpy.stack([u, v], axis=-1)[is_tried] + 128
        frames = numpy.zeros((len(pairs), 3, 4), 'u1')
        frames[:, 1:] = pairs[:, :, None]
        path = self.folder / 'hues.raw'
        path.write_bytes(frames.tobytes())
        self.compare(path, 'Y444', (4, 1), len(pairs))

    def test_noise(self):
        """All hues, saturations and percentiles; 10 % of the smallest frames
        is not a sample."""
        random = numpy.random.default_rng(1)
        path = self.folder / 'noise.raw'
        for size in (64, 48), (96, 16), (8, 2), (24, 2):
            for video_format in 'I420', 'Y444':
                _, (x, y), _ = FORMATS[video_format]
                n = size[0] * size[1] + 2 * (size[0] // x) * (size[1] // y)
                path.write_bytes(random.bytes(5 * n))
                self.compare(path, video_format, size, 5)


if __name__ == '__main__':
    launch.main()
