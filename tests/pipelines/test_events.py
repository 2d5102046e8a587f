#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The events of clqc-replay, and of clframesum itself, compared with those of
FFmpeg in the same frames: blackdetect, freezedetect and scdet.

FFmpeg's code for x86 computes wrong differences of planes narrower than one
vector: 32 bytes in 5.1, 64 in 9.0 if the processor has AVX-512. Its C code is
the definition: narrow frames are compared with that, wider ones with FFmpeg's
default code."""
import json
import re
import shutil
import subprocess
import sys

import launch

try:
    import numpy
except ImportError as error:
    launch.skip(str(error))

if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

N_VECTOR_BYTES = 64  # bytes of the widest vector of FFmpeg's differences
PLAIN_C = ['-cpuflags', '0']

# FFmpeg 5.1 assumes limited range for grey, 7.1 full range
GREY_IS_FULL = int(re.search(r'\d+', subprocess.run(
    ['ffmpeg', '-version'], stdout=subprocess.PIPE, text=True,
    check=True).stdout).group()) >= 7

# name: depth, planes as (divisor of width, of height), full range, FFmpeg's
# name; GStreamer's is the first word of the name
FORMATS = {
    'GRAY8': (8, [(1, 1)], GREY_IS_FULL, 'gray'),
    'I420': (8, [(1, 1), (2, 2), (2, 2)], False, 'yuv420p'),
    'I420 full': (8, [(1, 1), (2, 2), (2, 2)], True, 'yuvj420p'),
    'Y444': (8, [(1, 1), (1, 1), (1, 1)], False, 'yuv444p'),
    'I422_10LE': (10, [(1, 1), (2, 1), (2, 1)], False, 'yuv422p10le'),
    'I420_10LE': (10, [(1, 1), (2, 2), (2, 2)], False, 'yuv420p10le'),
    'Y444_12LE': (12, [(1, 1), (1, 1), (1, 1)], False, 'yuv444p12le'),
}

# property: filter of FFmpeg, its option
OPTIONS = {
    'pixel-black-threshold': ('blackdetect', 'pix_th'),
    'picture-black-ratio': ('blackdetect', 'pic_th'),
    'black-min-duration': ('blackdetect', 'd'),
    'freeze-noise': ('freezedetect', 'n'),
    'freeze-duration': ('freezedetect', 'd'),
    'scene-threshold': ('scdet', 'threshold'),
}


class Clip:
    """Frames of one format, written to a file as raw video."""

    def __init__(self, path, name, width, height, rate, frames):
        self.path, self.name = path, name
        self.depth, divisors, self.is_full, self.ffmpeg_name = FORMATS[name]
        self.width, self.height, self.rate = width, height, rate
        self.sizes = [(width // x, height // y) for x, y in divisors]
        kind = '<u2' if self.depth > 8 else 'u1'
        self.n_frames = 0
        with open(path, 'wb') as file:
            for planes in frames(self):
                self.n_frames += 1
                for plane, size in zip(planes, self.sizes):
                    assert plane.shape == size[::-1]
                    file.write(plane.astype(kind).tobytes())

    def ours(self, program, settings):
        result = subprocess.run(
            [program, self.path, str(self.depth),
             'full' if self.is_full else 'limited', *map(str, self.rate),
             ','.join(f'{key}={value}' for key, value in settings.items()),
             *(f'{width}x{height}' for width, height in self.sizes)],
            stdout=subprocess.PIPE, text=True, check=True, timeout=60)
        return [(event, state, float(time), float(value)) for
                event, state, time, value in
                map(str.split, result.stdout.splitlines())]

    def element(self, settings):
        """Returns the output of clframesum, in the form of ours()."""
        lines = self.path.with_name('events.jsonl')
        name = self.name.split()[0].lower().replace('_', '-')
        options = ' '.join(f'{key}={value}' for key, value in settings.items())
        n_bytes = sum(x * y for x, y in self.sizes) * (1 + (self.depth > 8))
        launch.run(
            f'-q filesrc location={self.path} blocksize={n_bytes} ! '
            f'rawvideoparse format={name} width={self.width} '
            f'height={self.height} framerate={self.rate[0]}/{self.rate[1]} '
            f'colorimetry={1 if self.is_full else 2}:4:0:0 ! '
            f'clframesum location={lines} events=black+freeze+scene {options} '
            'statistics=0 stats-meta=false post-messages=false ! fakesink')
        events = [line for line in map(json.loads,
                                       lines.read_text().splitlines())
                  if line['type'] == 'event']
        return [(line['event'], line['state'], line['timestamp'] / 1e9,
                 line.get('score', 0)) for line in events]

    def ffmpeg(self, settings):
        """Returns the log of FFmpeg; 2 s and every rate are exact with a clock
        of 90 kHz."""
        row_bytes = (min(width for width, _ in self.sizes)
                     * (1 + (self.depth > 8)))
        filters = ','.join(name + '=' + ':'.join(
            f'{OPTIONS[key][1]}={value / 1e9 if "duration" in key else value}'
            for key, value in settings.items() if OPTIONS[key][0] == name)
            for name in ('blackdetect', 'freezedetect', 'scdet'))
        log = subprocess.run(
            ['ffmpeg', '-hide_banner', '-nostdin', '-nostats',
             *(PLAIN_C if row_bytes < N_VECTOR_BYTES else []), '-f', 'rawvideo',
             '-pix_fmt', self.ffmpeg_name,
             '-video_size', f'{self.width}x{self.height}',
             '-framerate', '/'.join(map(str, self.rate)), '-i', self.path,
             '-vf', f'settb=1/90000,{filters}', '-f', 'null', '-'],
            stderr=subprocess.PIPE, text=True, check=True, timeout=60).stderr
        assert 'auto_scale' not in log, log  # it measured the converted frames
        return log


def numbers(log, *keys):
    """Returns the numbers after @keys, a list for each line that has all."""
    pattern = '.*?'.join(re.escape(key) + r':\s*(-?[\d.e+-]+)' for key in keys)
    return [list(map(float, match.groups()))
            for match in re.finditer(pattern, log)]


def segments(seed, n_frames):
    """A clip of sections that each are near one of the thresholds: black,
    still with noise, moving, and cuts between them."""
    def frames(clip):
        rng = numpy.random.default_rng(seed)
        top = 1 << clip.depth
        unit = top / 256
        made = 0
        while made < n_frames:
            kind = rng.choice(['black', 'still', 'moving', 'fade'])
            length = int(rng.integers(1, 3 + 3 * clip.rate[0] // clip.rate[1]))
            base = [rng.integers(0, top, size[::-1]) for size in clip.sizes]
            grey = rng.uniform(0, 255) * unit
            share = rng.choice([0.97, 0.979, 0.98, 0.981, 1.0])
            noise = rng.choice([0, 0.0005, 0.001, 0.0012, 0.004]) * top
            for i in range(length):
                if kind == 'black':
                    limit = (0.1 * (top - 1) if clip.is_full
                             else 37.9 * unit)
                    planes = [numpy.full_like(p, top // 2) for p in base]
                    planes[0][:] = int(limit)
                    n_bright = round((1 - share) * planes[0].size)
                    planes[0].flat[:n_bright] = int(limit) + 1
                elif kind == 'still':
                    planes = [p // 2 + (rng.random(p.shape) < noise)
                              for p in base]
                elif kind == 'moving':
                    planes = [numpy.roll(p // 2, 3 * i, axis=1) for p in base]
                else:
                    planes = [numpy.full_like(p, int(grey * i / length))
                              for p in base]
                yield planes
            made += length
    return frames


def real_frames():
    """The planes of each frame of the clip, at a quarter of its width and
    height."""
    width, height = launch.WIDTH, launch.HEIGHT
    for frame in numpy.fromfile(launch.decoded_clip(), 'u1').reshape(
            -1, width * height * 3 // 2):
        y, u, v = numpy.split(frame, [width * height, width * height * 5 // 4])
        yield [y.reshape(height, width)[::4, ::4],
               *(plane.reshape(height // 2, width // 2)[::4, ::4]
                 for plane in (u, v))]


class EventsTest(launch.PipelineTest):
    def compare(self, clip, **settings):
        """Returns how many events black, freeze and scene FFmpeg found."""
        settings = {key.replace('_', '-'): value
                    for key, value in settings.items()}
        return self.compare_with(clip, clip.ours(PROGRAM, settings), settings)

    def compare_with(self, clip, ours, settings):
        log = clip.ffmpeg(settings)

        # An open event lasts to the end of the last frame; FFmpeg ends black
        # at the start of that frame, and reports no end of freeze.
        frame = clip.rate[1] / clip.rate[0]
        last = (clip.n_frames - 1) * frame
        black = numbers(log, 'black_start', 'black_end')
        self.compare_intervals(
            [(*row[:2], min(row[2], last), row[3]) for row in ours], 'black',
            black)

        starts = [number for number, in numbers(log, 'freeze_start')]
        ends = [number for number, in numbers(log, 'freeze_end')]
        if len(starts) > len(ends):
            ends += [last + frame]
        self.compare_intervals(ours, 'freeze', list(zip(starts, ends)))

        scene = numbers(log, 'scd.score', 'scd.time')
        self.compare_scene(ours, scene)
        return numpy.array([len(black), len(starts), len(scene)])

    def compare_scene(self, ours, found):
        ours = [row[2:] for row in ours if row[0] == 'scene']
        self.assertEqual(len(ours), len(found), (ours, found))
        for (time, score), (their_score, their_time) in zip(ours, found):
            self.assertLessEqual(abs(score - their_score), 0.00051)
            self.assert_time(time, their_time)

    def compare_intervals(self, ours, event, found):
        starts = [row[2] for row in ours if row[:2] == (event, 'start')]
        ends = [row[2] for row in ours if row[:2] == (event, 'end')]
        self.assertEqual([len(starts), len(ends)], [len(found)] * 2,
                         (starts, ends, found))
        for start, end, (their_start, their_end) in zip(starts, ends, found):
            self.assert_time(start, their_start)
            self.assert_time(end, their_end)

    def assert_time(self, ours, theirs):
        """FFmpeg prints six digits."""
        self.assertLessEqual(abs(ours - theirs), 5e-6 * max(theirs, 1) + 1e-9)

    def test_synthetic(self):
        """Every format, random sections; each event has to occur."""
        found = 0
        for seed, name in enumerate(FORMATS):
            rate = ((25, 1), (30000, 1001), (24, 1))[seed % 3]
            with self.subTest(format=name, rate=rate):
                clip = Clip(self.folder / 'clip.raw', name, 136, 50, rate,
                            segments(seed, 500))
                found += self.compare(clip)
                found += self.compare(
                    clip, black_min_duration=400000000,
                    picture_black_ratio=0.979, pixel_black_threshold=0.11,
                    freeze_duration=500000000, freeze_noise=0.0012,
                    scene_threshold=4.5)
        self.assertTrue((found > 20).all(), found)

    def test_narrow(self):
        """Every format again, with planes narrower than a vector."""
        found = 0
        for seed, name in enumerate(FORMATS):
            with self.subTest(format=name):
                clip = Clip(self.folder / 'clip.raw', name, 22, 18, (25, 1),
                            segments(20 + seed, 300))
                found += self.compare(clip, black_min_duration=400000000,
                                      freeze_duration=500000000,
                                      scene_threshold=4.5)
        self.assertTrue((found > 5).all(), found)

    def test_element(self):
        """clframesum itself, with its kernels."""
        found = 0
        for seed, name in enumerate(('I420', 'I420 full', 'I420_10LE')):
            with self.subTest(format=name):
                clip = Clip(self.folder / 'clip.raw', name, 136, 52, (25, 1),
                            segments(7 + seed, 300))
                for settings in ({}, {'black-min-duration': 400000000,
                                      'freeze-duration': 500000000,
                                      'scene-threshold': 4.5}):
                    found += self.compare_with(clip, clip.element(settings),
                                               settings)
        self.assertTrue((found > 5).all(), found)

    def test_ends(self):
        """Black or still from the first frame, to the last, and throughout;
        exactly as long as the minimum, and one frame shorter."""
        def stretch(first, last):
            def frames(clip):
                rng = numpy.random.default_rng(1)
                for i in range(120):
                    yield [numpy.full(s[::-1], 16) if first <= i < last else
                           rng.integers(60, 200, s[::-1]) for s in clip.sizes]
            return frames

        for rate in (25, 1), (30, 1), (30000, 1001):
            n = -(-2 * rate[0] // rate[1])
            for first, last in ((0, n), (0, n - 1), (7, 7 + n), (7, 6 + n),
                                (120 - n, 120), (119 - n, 120), (0, 120),
                                (60, 61), (119, 120)):
                with self.subTest(rate=rate, first=first, last=last):
                    clip = Clip(self.folder / 'clip.raw', 'GRAY8', 40, 20, rate,
                                stretch(first, last))
                    self.compare(clip)
                    self.compare(clip, black_min_duration=0,
                                 freeze_duration=40000000)

    def test_slow(self):
        """Two frames at a distance above the minimum duration are a freeze."""
        clip = Clip(self.folder / 'clip.raw', 'I420', 72, 50, (2, 5),
                    segments(3, 12))
        self.assertGreater(self.compare(clip)[1], 5)

    def test_real_clip(self):
        """The clip unchanged, frozen, cut, dark, and inverted."""
        def frames(_clip):
            real = list(real_frames())
            for i in [*range(20), *[20] * 30, *range(40, 50), *range(30)]:
                yield real[i]
            y, u, v = real[29]
            for i in range(30):
                yield [y // 16 + 16, u, v]
            for i in range(10):
                yield [255 - y, u, v]

        clip = Clip(self.folder / 'clip.raw', 'I420', 192, 144, (10, 1),
                    frames)
        for ours in clip.ours(PROGRAM, {}), clip.element({}):
            found = self.compare_with(clip, ours, {})
            self.assertEqual(list(found[:2]), [1, 2])
            self.assertGreater(found[2], 0)

    def test_tampering(self):
        """Events that FFmpeg has no filter for, on the clip: from 3 s on
        blurred, covered, overexposed, or only dark."""
        def blur(plane):
            wide = plane.astype(int)
            wide = sum(numpy.roll(wide, i, axis=1) for i in (-1, 0, 1))
            return sum(numpy.roll(wide, i, axis=0) for i in (-1, 0, 1)) // 9

        def cover(plane):
            return numpy.random.default_rng(1).integers(70, 80, plane.shape)

        for change, expected in (
                (blur, ['defocus']), (cover, ['single-color']),
                (lambda plane: plane * 0 + 235, ['white', 'single-color']),
                (lambda plane: plane // 4 + 12, [])):
            def frames(_clip):
                for i, planes in enumerate(real_frames()):
                    yield planes if i < 30 else [change(p) for p in planes]

            clip = Clip(self.folder / 'clip.raw', 'I420', 192, 144, (10, 1),
                        frames)
            found = {(event, state): time for event, state, time, _value
                     in clip.ours(PROGRAM, {})
                     if event in ('defocus', 'white', 'single-color')}
            last = clip.n_frames / 10
            with self.subTest(expected=expected):
                self.assertEqual(found, {
                    (event, state): time for event in expected
                    for state, time in (('start', 3.0), ('end', last))})


if __name__ == '__main__':
    PROGRAM = sys.argv.pop(1)
    launch.main()
