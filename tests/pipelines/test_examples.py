#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C and the Python examples give the same statistics, from messages, metas,
the property and the file, and every launch line of the documentation runs.

usage: test_examples.py PATH-OF-FRAMESUM [PATH-OF-FRAMESUMLINES]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import launch

try:
    import gi  # noqa: F401, used by the example
except ImportError as error:
    launch.skip(str(error))

EXAMPLES = launch.ROOT / 'examples'
# What the pages' lines of shell run; those of others build or install.
PROGRAMS = 'gst-launch-1.0', 'ffmpeg', 'jq'
MISSING = [name for name in PROGRAMS if not shutil.which(name)]
BUILT = os.environ['BUILD_DIR'] + '/tools/clqc/replay'  # clqc-replay
C_EXAMPLE, LINES_EXAMPLE = (sys.argv[1:] + [None])[:2]


def blocks_of(page, language):
    """The code blocks of a page."""
    return re.findall(rf'^```{language}\n(.*?)^```',
                      page.read_text(encoding='utf-8'), re.M | re.S)


class ExamplesTest(launch.PipelineTest):
    def output(self, *command, **options):
        result = subprocess.run(command, text=True, timeout=120, **options,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def test_same_lines(self):
        expected = self.output(C_EXAMPLE, launch.CLIP)
        self.assertRegex(expected.splitlines()[0], r'^frame 0 at 0\.000 s \| '
                         r'Y sum \d+ mean [\d.]+ stddev [\d.]+ min \d+ '
                         r'max \d+ \| U .* \| V ')
        self.assertEqual(len(expected.splitlines()), 60)
        python = [str(EXAMPLES / 'framesum.py')]  # as the page calls it
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
        """The pooled line of 60 frames, and of 23 and 37 of them merged."""
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
                       f'clframesum statistics=moments+range+histogram '
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
                if field in ('mean', 'variance', 'stddev'):
                    for ours, expected in zip(merged[field], value):
                        self.assertAlmostEqual(ours, expected, places=9)
                elif not field.startswith(('end-', 'frame')) or (
                        field == 'frames'):
                    self.assertEqual(merged[field], value, field)

    def merge(self, *lines):
        """What mergepooled.py makes of one file a line, or its complaint."""
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
        """Sums of 128 bits, unknown times, a stream that broke off; against
        Python's own integers."""
        squares = (20000 << 64) - 5
        part = {'type': 'pooled', 'frames': 2, 'duration': 7, 'complete': True,
                'depth': 16, 'components': ['GRAY'], 'count': [1 << 50],
                'sum': [(1 << 64) - 3], 'sum-high': [0],
                'sum-squares': [squares % (1 << 64)],
                'sum-squares-high': [squares >> 64], 'mean': [0.],
                'variance': [0.], 'stddev': [0.], 'min': [9], 'max': [10],
                'histogram': [[1, 2]]}
        for name in 'timestamp', 'stream-time', 'running-time', 'frame':
            part |= {name: 5, f'end-{name}': 50}
        other = part | {'complete': False, 'timestamp': None,
                        'end-timestamp': None, 'min': [3], 'frame': 4,
                        'end-stream-time': (1 << 63) + 1}
        merged = self.merge(part, other)
        expected = part | {
            'frames': 4, 'duration': 14, 'complete': False, 'frame': 4,
            'end-stream-time': (1 << 63) + 1, 'count': [1 << 51],
            'sum': [(1 << 64) - 6], 'sum-high': [1], 'min': [3],
            'sum-squares': [(1 << 64) - 10], 'sum-squares-high': [39999],
            'histogram': [[2, 4]]}
        for name, value in expected.items():
            if name not in ('mean', 'variance', 'stddev'):
                self.assertEqual(merged[name], value, name)
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

    def make_board(self):
        """The page's negative, white on black."""
        raw, board = self.folder / 'board.raw', self.folder / 'board.png'
        page = launch.ROOT / 'tests/data/page.png'
        launch.run(f'-q filesrc location={page} ! pngdec ! videoconvert ! '
                   f'video/x-raw,format=GRAY8 ! filesink location={raw}')
        negative = bytes(255 - code for code in raw.read_bytes())
        raw.write_bytes(negative)
        launch.run(f'-q filesrc location={raw} blocksize={len(negative)} ! '
                   f'rawvideoparse format=gray8 width=558 height=563 ! '
                   f'pngenc ! filesink location={board}')

    def test_lines_of_the_documentation(self):
        """Every line of shell of every page, in a folder that holds what the
        pages speak of; what needs a display goes to a fakesink."""
        (self.folder / 'clip.avi').symlink_to(launch.CLIP)
        (self.folder / 'archive').mkdir()
        (self.folder / 'archive/tape.avi').symlink_to(launch.CLIP)
        for name in 'examples', 'tests':
            (self.folder / name).symlink_to(launch.ROOT / name)
        self.make_board()
        pages = [launch.ROOT / 'README.md', EXAMPLES / 'README.md',
                 *sorted((launch.ROOT / 'docs').glob('*.md'))]
        blocks = [
            (page.name, block) for page in pages
            for block in blocks_of(page, 'sh')
            if any(re.search(rf'^ *([A-Z_]+=\S+ )*{program} ', block, re.M)
                   for program in PROGRAMS)]
        self.assertGreater(len(blocks), 10)
        environment = os.environ | {'PATH': f'{BUILT}:{os.environ["PATH"]}'}
        for page, block in blocks:
            with self.subTest(page=page, block=block):
                for program in MISSING:
                    if re.search(rf'\b{program} ', block):
                        self.skipTest(f'there is no {program}')
                line = block.replace('autovideosink', 'fakesink')
                output = self.output('sh', '-euc', line, cwd=self.folder,
                                     stdin=subprocess.DEVNULL,
                                     env=environment)
                self.assertNotIn('ERROR', output)
                self.assertNotIn(' failed', output)

    @unittest.skipUnless(LINES_EXAMPLE, 'built without json-glib')
    def test_commands_of_the_examples(self):
        """What the page of examples says to type, in a checkout; those that
        watch a stream are built alone."""
        (self.folder / 'clip.avi').symlink_to(launch.CLIP)
        (self.folder / 'examples').symlink_to(EXAMPLES)
        page = (EXAMPLES / 'README.md').read_text(encoding='utf-8')
        lines = re.search(r'^Then\n\n((?:    .*\n)+)', page, re.M)[1]
        endless = re.compile(r' *(\./|examples/)failover')
        for line in lines.splitlines():
            if endless.match(line):
                continue
            line = line.replace('tail -f', 'tail')
            with self.subTest(line=line):
                output = self.output('sh', '-euc', line, cwd=self.folder,
                                     stdin=subprocess.DEVNULL)
                if 'clip.avi' in line and 'gst-launch' not in line or (
                        'framesumlines' in line and 'gcc' not in line):
                    self.assertIn('frame 59 at ', output)
                if './owncontext' in line:
                    self.assertNotEqual(output, '')
        for name in 'framesum', 'framesumlines', 'owncontext', 'failover':
            self.assertTrue((self.folder / name).exists(), name)

    def test_programs_of_the_documentation(self):
        """The Python programs of the pages, given what the pages give them: a
        file that their own lines write, or a source."""
        (self.folder / 'clip.avi').symlink_to(launch.CLIP)
        black = 'videotestsrc num-buffers=90 pattern=black'
        for name, programs in (
                ('archive.md', [('clip.jsonl', 'BRNG > 0.05: 0 of 60 frames')]),
                ('tamper.md', [('day.jsonl', 'freeze-noise below 0.00445'),
                               (black, '0.0 s: single-color start')]),
                ('exposure.md', [(black, '+7.49 stops, 0.0% clipped')])):
            page = launch.ROOT / 'docs' / name
            for block in blocks_of(page, 'sh'):
                if f'location={programs[0][0]}' in block:  # writes it
                    self.output('sh', '-euc', block, cwd=self.folder)
            blocks = blocks_of(page, 'python')
            self.assertEqual(len(blocks), len(programs))
            for block, (argument, expected) in zip(blocks, programs):
                with self.subTest(page=name, argument=argument):
                    output = self.output('/usr/bin/python3', '-', argument,
                                         input=block, cwd=self.folder)
                    self.assertIn(expected, output)
                    self.assertNotIn('not measured', output)


if __name__ == '__main__':
    del sys.argv[1:]
    launch.main()
