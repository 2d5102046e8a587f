#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C and the Python examples give the same statistics, from messages, metas,
the property and the file.

usage: test_examples.py PATH-OF-FRAMESUM [PATH-OF-FRAMESUMLINES]
"""
import json
import subprocess
import sys
import unittest

import launch

try:
    import gi  # noqa: F401, used by the example
except ImportError as error:
    launch.skip(str(error))

EXAMPLES = launch.ROOT / 'examples'
C_EXAMPLE, LINES_EXAMPLE = (sys.argv[1:] + [None])[:2]


class ExamplesTest(launch.PipelineTest):
    def test_same_lines(self):
        expected = self.output(C_EXAMPLE, launch.CLIP)
        self.assertRegex(expected.splitlines()[0], r'^frame 0 at 0\.000 s \| '
                         r'Y sum \d+ mean [\d.]+ stddev [\d.]+ min \d+ '
                         r'max \d+ \| U .* \| V ')
        self.assertEqual(len(expected.splitlines()), 60)
        python = [str(EXAMPLES / 'framesum.py')]  # the name in the page
        self.assertEqual(self.output(C_EXAMPLE, '--meta', launch.CLIP),
                         expected)
        self.assertEqual(self.output(*python, launch.CLIP), expected)
        self.assertEqual(self.output(*python, '--meta', launch.CLIP), expected)
        uri = 'file://' + launch.CLIP
        self.assertEqual(self.output(C_EXAMPLE, uri), expected)
        self.assertEqual(self.output(*python, uri), expected)

        for command in [C_EXAMPLE], python:
            lines = self.output(*command, '--stats', launch.CLIP).splitlines()
            self.assertEqual(lines[-1], expected.splitlines()[-1])
            self.assertLessEqual(set(lines), set(expected.splitlines()))

    @unittest.skipUnless(LINES_EXAMPLE, 'built without json-glib')
    def test_lines_of_a_file(self):
        path = self.folder / 'frames.jsonl'
        launch.run(f'-q filesrc location={launch.CLIP} ! decodebin ! '
                   f'videoconvert ! clframesum location={path} ! fakesink')
        expected = self.output(C_EXAMPLE, launch.CLIP)
        with open(path, 'a', encoding='utf-8') as file:
            file.write('{"type":"another"}\n{"type":"fra')  # killed
        for command in LINES_EXAMPLE, str(EXAMPLES / 'framesumlines.py'):
            with open(path, encoding='utf-8') as file:
                self.assertEqual(self.output(command, stdin=file), expected)

    def test_merged_parts(self):
        """The pooled line of 60 frames, and the merged one of 23 and 37 of
        them."""
        sizes = {'whole': (0, 60), 'first': (0, 23), 'second': (23, 60)}
        frame_bytes, raw = 768 * 576 * 3 // 2, self.folder / 'clip.raw'
        launch.run(f'-q filesrc location={launch.CLIP} ! decodebin ! '
                   f'videoconvert ! video/x-raw,format=I420 ! '
                   f'filesink location={raw}')
        frames = raw.read_bytes()
        for name, (begin, end) in sizes.items():
            raw.write_bytes(frames[begin * frame_bytes:end * frame_bytes])
            launch.run(f'-q filesrc location={raw} ! rawvideoparse format=i420 '
                       f'width=768 height=576 framerate=10/1 ! '
                       f'clframesum statistics=moments+range+histogram+'
                       f'range-evidence+noise+blockiness+light+levels '
                       f'location={self.folder / name}.jsonl ! fakesink')
        files = {name: str(self.folder / f'{name}.jsonl') for name in sizes}
        with open(files['whole'], encoding='utf-8') as file:
            whole = json.loads(file.readlines()[-1])
        program = [str(EXAMPLES / 'mergepooled.py')]

        alone = json.loads(self.output(*program, files['whole']))
        self.assertEqual(alone, whole)
        for parts in ['first', 'second'], ['second', 'first']:
            merged = json.loads(self.output(*program,
                                            *(files[name] for name in parts)))
            self.assertEqual(list(merged), list(whole))
            for field, value in whole.items():
                if field == 'noise':
                    self.assertAlmostEqual(merged[field], value, places=9)
                elif field in ('mean', 'variance', 'stddev'):
                    for ours, expected in zip(merged[field], value):
                        self.assertAlmostEqual(ours, expected, places=9)
                elif not field.startswith(('end-', 'frame')) or (
                        field == 'frames'):
                    self.assertEqual(merged[field], value, field)

    def merge(self, *lines):
        """The output of mergepooled.py for files of one line, or its error."""
        paths = [self.folder / f'part{i}.jsonl' for i in range(len(lines))]
        for path, line in zip(paths, lines):
            path.write_text('{"type":"frame"}\n' + json.dumps(line) +
                            '\n{"type":"fra', encoding='utf-8')
        result = subprocess.run([str(EXAMPLES / 'mergepooled.py'), *paths],
                                stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.PIPE, check=False)
        if result.returncode == 0:
            return json.loads(result.stdout)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr

    def test_merged_extremes(self):
        """Sums of 128 bits, unknown times, an aborted stream; compared with
        Python's integers."""
        squares = (20000 << 64) - 5
        part = {'type': 'pooled', 'frames': 2, 'duration': 7, 'complete': True,
                'depth': 16, 'components': ['GRAY'], 'count': [1 << 50],
                'sum': [(1 << 64) - 3], 'sum-high': [0],
                'sum-squares': [squares % (1 << 64)],
                'sum-squares-high': [squares >> 64], 'mean': [0.],
                'variance': [0.], 'stddev': [0.], 'min': [9], 'max': [10],
                'histogram': [[1, 2]], 'limited-frames': 9, 'full-frames': 0,
                'range-evidence': 'limited', 'noise': 0.,
                'noise-sum': (1 << 64) - 3, 'noise-sum-high': 0,
                'noise-count': 1 << 50,
                'repeated-frames': 1, 'missing-frames': 3,
                'repeated-share': .5, 'repeated-per-minute': 6e10 / 7}
        for name in 'timestamp', 'stream-time', 'running-time', 'frame':
            part |= {name: 5, f'end-{name}': 50}
        other = part | {'complete': False, 'timestamp': None,
                        'end-timestamp': None, 'min': [3], 'frame': 4,
                        'full-frames': 3, 'range-evidence': 'unknown',
                        'repeated-frames': 0,
                        'end-stream-time': (1 << 63) + 1}
        merged = self.merge(part, other)
        expected = part | {
            'frames': 4, 'duration': 14, 'complete': False, 'frame': 4,
            'end-stream-time': (1 << 63) + 1, 'count': [1 << 51],
            'sum': [(1 << 64) - 6], 'sum-high': [1], 'min': [3],
            'sum-squares': [(1 << 64) - 10], 'sum-squares-high': [39999],
            'histogram': [[2, 4]], 'limited-frames': 18, 'full-frames': 3,
            'range-evidence': 'unknown', 'noise-sum': (1 << 64) - 6,
            'noise-sum-high': 1, 'noise-count': 1 << 51,
            'missing-frames': 6, 'repeated-share': .25,
            'repeated-per-minute': 6e10 / 14}
        for name, value in expected.items():
            if name not in ('mean', 'variance', 'stddev', 'noise'):
                self.assertEqual(merged[name], value, name)
        # the square root of pi / 2, over 6, times 2^65 / 2^51
        self.assertAlmostEqual(merged['noise'], 1.2533141373155 / 6 * 2 ** 14)
        self.assertAlmostEqual(merged['mean'][0], 2 ** 14)
        self.assertAlmostEqual(merged['variance'][0],
                               20000 * 2 ** 14 - 2 ** 28)

        unknown = {name: None for name in part if name.startswith('end-')}
        self.assertEqual(self.merge(part | unknown, part)['end-frame'], 50)
        self.assertIsNone(self.merge(part | unknown,
                                     part | unknown)['end-frame'])
        for duration in None, (1 << 64) - 8:
            self.assertIsNone(
                self.merge(part, part | {'duration': duration})['duration'])
        for field, value in (('depth', 8), ('components', ['Y']),
                             ('histogram', [[1]])):
            self.assertRegex(self.merge(part, part | {field: value}),
                             f'part1.jsonl: {field}')
        fewer = {name: value for name, value in part.items() if name != 'max'}
        self.assertRegex(self.merge(part, fewer), 'part1.jsonl.*max')
        self.assertRegex(self.merge(part | {'n-max': 1}, part | {'n-max': 2}),
                         'part1.jsonl: there is no rule for n-max')
        self.assertRegex(self.merge('pooled'), 'no line is pooled')

    def test_nothing_to_merge(self):
        for arguments in ([], ['/nowhere'], [launch.CLIP]):
            result = subprocess.run([str(EXAMPLES / 'mergepooled.py'),
                                     *arguments], text=True,
                                    stderr=subprocess.PIPE, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_errors(self):
        for command in [C_EXAMPLE], [str(EXAMPLES / 'framesum.py')]:
            for arguments in ([], ['--meta'], ['--stats'], ['/nowhere.avi'],
                              ['rel', 'x']):
                result = subprocess.run(command + arguments, text=True,
                                        stdout=subprocess.PIPE, timeout=60,
                                        stderr=subprocess.PIPE, check=False)
                self.assertNotEqual(result.returncode, 0)
                self.assertNotIn('Traceback', result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1,
                                 result.stderr)


if __name__ == '__main__':
    del sys.argv[1:]
    launch.main()
