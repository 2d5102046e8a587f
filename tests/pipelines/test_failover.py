#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples that show a backup, in C and in Python: after how many frames
it is on air, when it is not, when the main source comes back, and that the
sound goes on.

usage: test_failover.py PATH-OF-THE-EXAMPLE
"""
import itertools
import json
import shutil
import subprocess
import sys
import wave

import launch

SECOND = 25  # frames
# The examples say five: 200 ms. A switch within a frame is none the worse.
MOST_BLACK = 6
MOST_STILL = SECOND + 1
FORM = 'size=128x96:rate=25'
MOVING = f'testsrc2={FORM}:duration={{}}'
BLACK = f'color=black:{FORM}:duration={{}}'
STILL = f'smptebars={FORM}:duration={{}}'
TONE = 'sine=frequency=440:sample_rate=48000:duration={}'
SILENCE = 'anullsrc=channel_layout=mono:sample_rate=48000:duration={}'


class FailoverTest(launch.PipelineTest):
    def clip(self, name, pictures, sound=None):
        """A clip of sources of FFmpeg, one after the other."""
        seconds = sum(length for _, length in pictures)
        inputs = []
        for source, length in pictures:
            inputs += ['-f', 'lavfi', '-i', source.format(length)]
        parts = ''.join(f'[{i}]' for i in range(len(pictures)))
        words = ['-filter_complex',
                 f'{parts}concat=n={len(pictures)}[all]', '-map', '[all]']
        if sound:
            inputs += ['-f', 'lavfi', '-i', sound.format(seconds)]
            words += ['-map', f'{len(pictures)}:a', '-c:a', 'pcm_s16le']
        path = str(self.folder / name)
        subprocess.run(['ffmpeg', '-v', 'error', '-y', *inputs, *words,
                        '-c:v', 'mjpeg', '-q:v', '4', '-pix_fmt', 'yuvj420p',
                        path], check=True)
        return path

    def on_air(self, example, main, seconds):
        """What was shown: kinds of frames, and how many in a row."""
        backup = self.clip('backup.mkv',
                           [(f'color=gray:{FORM}:duration={{}}', seconds)])
        shown = self.folder / 'air.jsonl'
        subprocess.run(
            [example, main, backup, 'videoconvert ! video/x-raw,format=I420 '
             '! clframesum post-messages=false stats-meta=false '
             f'location={shown} ! fakesink sync=true',
             f'wavenc ! filesink location={self.folder}/sound.wav'],
            check=True, timeout=60, stdout=subprocess.PIPE)
        with open(shown, encoding='utf-8') as file:
            frames = [json.loads(line) for line in file]
        return [(kind, len(list(run))) for kind, run in itertools.groupby(
            self.kind(frame) for frame in frames if frame['type'] == 'frame')]

    def kind(self, frame):
        if frame['max'][0] - frame['min'][0] >= 8:
            return 'main'
        return 'black' if frame['mean'][0] < 64 else 'backup'

    def examples(self):
        return [EXAMPLE, str(launch.ROOT / 'examples' / 'failover.py')]

    def test_black_with_sound(self):
        main = self.clip('main.mkv', [(MOVING, 2), (BLACK, 2), (MOVING, 4)],
                         TONE)
        for example in self.examples():
            with self.subTest(example):
                shown = self.on_air(example, main, 8)
                print(f'{example}: {shown}')
                self.assertEqual([kind for kind, _ in shown],
                                 ['main', 'black', 'backup', 'main'])
                self.assertLessEqual(shown[1][1], MOST_BLACK)
                # until main was back for two seconds
                self.assertGreater(shown[2][1], 3 * SECOND)
                with wave.open(f'{self.folder}/sound.wav') as sound:
                    seconds = sound.getnframes() / sound.getframerate()
                    samples = sound.readframes(sound.getnframes())
                self.assertGreater(seconds, 7.5)
                tenth = len(samples) // int(seconds * 10)
                for i in range(0, len(samples) - tenth, tenth):
                    self.assertGreater(max(samples[i:i + tenth]), 0)

    def test_black_without_sound(self):
        """A pause of the programme is no fault."""
        main = self.clip('main.mkv', [(MOVING, 1), (BLACK, 2), (MOVING, 1)],
                         SILENCE)
        for example in self.examples():
            with self.subTest(example):
                shown = self.on_air(example, main, 4)
                self.assertEqual([kind for kind, _ in shown],
                                 ['main', 'black', 'main'])

    def test_picture_that_stands_still(self):
        main = self.clip('main.mkv', [(MOVING, 1), (STILL, 3)], TONE)
        for example in self.examples():
            with self.subTest(example):
                shown = self.on_air(example, main, 4)
                self.assertEqual([kind for kind, _ in shown],
                                 ['main', 'backup'])
                self.assertLessEqual(shown[0][1], SECOND + MOST_STILL)


if __name__ == '__main__':
    EXAMPLE = sys.argv.pop(1)
    if not shutil.which('ffmpeg'):
        launch.skip('there is no ffmpeg')
    launch.main()
