#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples with a backup source, in C and in Python: after how many frames
the backup is on air, when it is not, when the main source returns, and that
the sound continues; sources that fail, at the start and later, or have no
sound; both examples print the same words, and end.

usage: test_failover.py PATH-OF-THE-EXAMPLE [TEST]
"""
import concurrent.futures
import contextlib
import itertools
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import wave

import launch

SECOND = 25  # frames
# The examples promise five: 200 ms. One frame earlier or later is correct,
# too.
MOST_BLACK = 6
MOST_STILL = SECOND + 1
FORM = 'size=128x96:rate=25'
MOVING = f'testsrc2={FORM}:duration={{}}'
BLACK = f'color=black:{FORM}:duration={{}}'
STILL = f'smptebars={FORM}:duration={{}}'
TONE = 'sine=frequency=440:sample_rate=48000:duration={}'
SILENCE = 'anullsrc=channel_layout=mono:sample_rate=48000:duration={}'


@contextlib.contextmanager
def server(data):
    """A URL of HTTP; the connection breaks in the middle of the data, and
    there is no answer to later requests."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        listener.settimeout(30)

        def answer():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                listener.close()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(
                        b'HTTP/1.1 200 OK\r\nContent-Type: video/x-matroska'
                        b'\r\nContent-Length: %d\r\n\r\n' % len(data))
                    connection.sendall(data[:len(data) // 2])
                    time.sleep(2)
        thread = threading.Thread(target=answer)
        port = listener.getsockname()[1]
        thread.start()
        yield f'http://127.0.0.1:{port}/main.mkv'
    thread.join()


class FailoverTest(launch.PipelineTest):
    def clip(self, name, pictures, sound=None, *more):
        """A clip of FFmpeg sources, one after the other."""
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
        subprocess.run(['ffmpeg', '-v', 'error', '-y', *inputs, *words, *more,
                        '-c:v', 'mjpeg', '-q:v', '4', '-pix_fmt', 'yuvj420p',
                        path], check=True)
        return path

    def backup(self, seconds, name='backup.mkv'):
        return self.clip(name,
                         [(f'color=gray:{FORM}:duration={{}}', seconds)])

    def run_example(self, example, *arguments):
        """Returns exit status, output and errors."""
        done = subprocess.run([example, *arguments], check=False, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        said = [line for line in done.stderr.splitlines()
                if line.startswith('failover: ')]
        self.assertNotIn('Traceback', done.stderr)
        return done.returncode, done.stdout.splitlines(), said

    def on_air(self, example, main, backup, status=0):
        """Returns the kinds of frames and their number in sequence, the
        output, and the errors. A number is seconds of a backup."""
        folder = tempfile.mkdtemp(dir=self.folder)
        if not isinstance(backup, str):
            backup = self.backup(backup, f'{folder}/backup.mkv')
        shown = f'{folder}/air.jsonl'
        code, words, said = self.run_example(
            example, main, backup, 'videoconvert ! video/x-raw,format=I420 '
            '! clframesum post-messages=false stats-meta=false '
            f'location={shown} ! fakesink sync=true',
            f'wavenc ! filesink location={folder}/sound.wav')
        self.assertEqual(code, status, said)
        with open(shown, encoding='utf-8') as file:
            frames = [json.loads(line) for line in file]
        runs = [(kind, len(list(run))) for kind, run in itertools.groupby(
            self.kind(frame) for frame in frames if frame['type'] == 'frame')]
        print(f'{example}: {runs} {words} {said}', flush=True)
        return runs, words, said, folder

    def kind(self, frame):
        if frame['max'][0] - frame['min'][0] >= 8:
            return 'main'
        return 'black' if frame['mean'][0] < 64 else 'backup'

    def each(self, check, *cases):
        """Calls @check with both examples, and with each of @cases if given,
        all at the same time: they play in real time."""
        examples = [EXAMPLE, str(launch.ROOT / 'examples' / 'failover.py')]
        runs = [(example, *case) for case in cases or [()]
                for example in examples]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            done = [(run, pool.submit(check, *run)) for run in runs]
        for run, future in done:
            with self.subTest(run):
                future.result()

    def test_black_with_sound(self):
        main = self.clip('main.mkv', [(MOVING, 2), (BLACK, 2), (MOVING, 4)],
                         TONE)

        def check(example):
            shown, words, _, folder = self.on_air(example, main, 8)
            self.assertEqual(words, ['backup on air: black',
                                     'main on air: healthy'])
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'black', 'backup', 'main'])
            self.assertLessEqual(shown[1][1], MOST_BLACK)
            # until the main source was back for two seconds
            self.assertGreater(shown[2][1], 3 * SECOND)
            with wave.open(f'{folder}/sound.wav') as sound:
                seconds = sound.getnframes() / sound.getframerate()
                samples = sound.readframes(sound.getnframes())
            self.assertGreater(seconds, 7.5)
            tenth = len(samples) // int(seconds * 10)
            for i in range(0, len(samples) - tenth, tenth):
                self.assertGreater(max(samples[i:i + tenth]), 0)

        self.each(check)

    def test_black_without_sound(self):
        """A pause in the programme is no fault."""
        main = self.clip('main.mkv', [(MOVING, 1), (BLACK, 2), (MOVING, 1)],
                         SILENCE)

        def check(example):
            shown, *_ = self.on_air(example, main, 4)
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'black', 'main'])

        self.each(check)

    def test_frozen_picture(self):
        main = self.clip('main.mkv', [(MOVING, 1), (STILL, 3)], TONE)

        def check(example):
            shown, *_ = self.on_air(example, main, 4)
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'backup'])
            self.assertLessEqual(shown[0][1], SECOND + MOST_STILL)

        self.each(check)

    def test_main_that_ends_off_air(self):
        """It does not return; the backup plays to its end."""
        main = self.clip('main.mkv', [(MOVING, 1), (STILL, 2)], TONE)

        def check(example):
            shown, words, *_ = self.on_air(example, main, 6)
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'backup'])
            self.assertGreater(shown[1][1], 3 * SECOND)
            self.assertEqual(words[0], 'backup on air: freeze')
            self.assertEqual(len(words), 1)

        self.each(check)

    def test_missing_frames(self):
        """For two seconds, while the sound continues."""
        main = self.clip('main.mkv', [
            (MOVING + ",select='lt(t,1)+gte(t,3)'", 6)], TONE,
            '-fps_mode', 'passthrough')

        def check(example):
            shown, words, *_ = self.on_air(example, main, 6)
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'backup', 'main'])
            self.assertEqual(words, ['backup on air: signal-loss',
                                     'main on air: healthy'])

        self.each(check)

    def test_no_sound(self):
        """Then only the picture decides."""
        well = self.clip('main.mkv', [(MOVING, 2)])
        dark = self.clip('dark.mkv', [(MOVING, 1), (BLACK, 2)])

        def check(example):
            shown, words, *_ = self.on_air(example, well, 3)
            self.assertEqual((shown, words), ([('main', 50)], []))
            shown, words, *_ = self.on_air(example, dark, 3)
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'black', 'backup'])
            self.assertLessEqual(shown[1][1], MOST_BLACK)
            self.assertEqual(words[0], 'backup on air: black')

        self.each(check)

    def refused(self, example, main):
        """Returns the reason for a main source that cannot be played."""
        shown, words, said, _ = self.on_air(example, main, 3)
        self.assertEqual([kind for kind, _ in shown], ['backup'])
        self.assertGreater(shown[0][1], SECOND // 2)
        word, = words
        self.assertIn(word, ('backup on air: error',
                             'backup on air: signal-loss'))
        self.assertRegex(said[0], '^failover: main: ')
        self.assertEqual(len(said), 1)
        return word

    def test_main_that_cannot_be_opened(self):
        """The first reason for the backup is printed."""
        junk = self.folder / 'junk'
        junk.write_bytes(bytes(range(256)) * 99)

        def check(example, main):
            # a thread reads a file: on a busy machine later than the timeout
            self.assertTrue(any(
                self.refused(example, main) == 'backup on air: error'
                for _ in range(10 if main == str(junk) else 1)))

        self.each(check, ['/nowhere.mkv'], [str(junk)],
                  ['gopher://127.0.0.1/x'])

    def test_backup_that_cannot_be_opened(self):
        """The main source continues, whatever it shows."""
        main = self.clip('main.mkv', [(MOVING, 1), (BLACK, 1)], TONE)

        def check(example):
            shown, words, said, _ = self.on_air(example, main, '/nowhere')
            self.assertEqual([kind for kind, _ in shown],
                             ['main', 'black'])
            self.assertEqual(words, [])
            self.assertRegex(said[0], '^failover: backup: ')

        self.each(check)

    def test_main_that_fails_later(self):
        """A connection that breaks after half of the clip. On a busy machine
        the signal may be lost before the error arrives."""
        main = self.clip('main.mkv', [(MOVING, 6)], TONE)
        with open(main, 'rb') as file:
            data = file.read()

        def fails(example):
            with server(data) as url:
                shown, words, said, _ = self.on_air(example, url, 4)
            self.assertEqual([kind for kind, _ in shown][-2:],
                             ['main', 'backup'])
            if words[-1] == 'backup on air: error':
                self.assertRegex(said[0], '^failover: main: ')
            return words[-1]

        def check(example):
            self.assertTrue(any(fails(example) == 'backup on air: error'
                                for _ in range(3)))

        self.each(check)

    def test_no_source_can_be_opened(self):
        """Both print one line each, and set their exit status."""
        main = self.clip('main.mkv', [(MOVING, 1)], TONE)
        backup = self.backup(1)

        def check(example, arguments, n_lines):
            code, _, said = self.run_example(example, *arguments)
            self.assertEqual(code, 1)
            self.assertEqual(len(said), n_lines, said)

        self.each(
            check, (['/nowhere', '/nowhere', 'fakesink', 'fakesink'], 2),
            ([main, backup, 'filesink location=/nowhere/x'], 1),
            ([main, backup, 'fakesink', 'filesink location=/nowhere/x'], 1),
            ([main, backup, 'nosuch'], 1),
            ([main, backup, 'fakesink', 'nosuch'], 1),
            (['not absolute://', backup, 'nosuch'], 1))


def test_each():
    """Runs the tests two at a time, in separate programs. Returns the exit
    status."""
    def start(name):
        return subprocess.run(
            [sys.executable, __file__, EXAMPLE, f'FailoverTest.{name}'],
            check=False).returncode
    names = unittest.TestLoader().getTestCaseNames(FailoverTest)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return max(pool.map(start, names))


if __name__ == '__main__':
    EXAMPLE = sys.argv.pop(1)
    if not shutil.which('ffmpeg'):
        launch.skip('there is no ffmpeg')
    if len(sys.argv) == 1:
        sys.exit(test_each())
    launch.main()
