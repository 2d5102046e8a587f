#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every line of shell and every Python program of the documentation runs.

A block of a page is run if it is fenced and its language is sh or python. A
program that a line calls and that is missing is a failure, but for what the
build does not need: those lines are skipped, and named.
"""
import os
import re
import shutil
import subprocess
import sys

import launch

try:
    import gi  # noqa: F401, used by the examples
except ImportError as error:
    launch.skip(str(error))

# scripts/setup.sh test installs all of them.
PROGRAMS = ('gst-launch-1.0', 'gst-inspect-1.0', 'ffmpeg', 'jq', 'gcc',
            'pkg-config', 'python3', 'xargs', 'mkfifo', 'cmp')
# Pages whose blocks run elsewhere, and where.
ELSEWHERE = {
    'clqc.md': 'scripts/quickstart.sh qc',
    'live.md': 'tools/clqc/tests/test_live_docs.py',
    'policies.md': 'tools/clqc/tests/test_docs.py',
    'scale.md': 'tools/clqc/tests/test_scale.py',
    'testing.md': 'by hand: scripts that set up other systems',
}
# Libraries that README.md calls optional.
OPTIONAL = ['json-glib-1.0']
# What stands in for what only a reader has, by pattern: a display, patience, a
# camera and a backup, the sinks of the program failover.
STAND_INS = {
    r'\bautovideosink\b': 'fakesink',
    r'\btail -f\b': 'timeout 1 tail -f',
    r'\brtsp://camera/1\b': 'clip.avi',
    r'\bfile:///srv/backup\.mkv\b': 'backup.avi',
    r'\bfailover(\.py)? \S+\.avi \S+\.avi$': r'\g<0> fakesink fakesink',
}
# What blocks print that run programs, by pattern.
PRINTED = {
    r'^(\./|examples/)framesum(\.py)? ': 'frame 59 at ',
    r'\bframesumlines$': 'frame 59 at ',
    r'^\./owncontext$': 'frame',
}
BUILT = os.environ['BUILD_DIR'] + '/tools/clqc/replay'  # clqc-replay
DATA = launch.ROOT / 'tests/data'


def blocks_of(page, language):
    """The code blocks of a page."""
    return re.findall(rf'^```{language}\n(.*?)^```',
                      page.read_text(encoding='utf-8'), re.M | re.S)


def exists(*command):
    """Whether the command says so by its exit status."""
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


class PagesTest(launch.PipelineTest):
    def make_board(self):
        """The negative of the page, white on black."""
        raw, board = self.folder / 'board.raw', self.folder / 'board.png'
        launch.run(f'-q filesrc location={DATA}/page.png ! pngdec ! '
                   f'videoconvert ! video/x-raw,format=GRAY8 ! '
                   f'filesink location={raw}')
        negative = bytes(255 - code for code in raw.read_bytes())
        raw.write_bytes(negative)
        launch.run(f'-q filesrc location={raw} blocksize={len(negative)} ! '
                   f'rawvideoparse format=gray8 width=558 height=563 ! '
                   f'pngenc ! filesink location={board}')

    def make_files(self):
        """What the pages speak of."""
        (self.folder / 'archive').mkdir()
        for name in 'clip.avi', 'backup.avi', 'archive/tape.avi':
            (self.folder / name).symlink_to(launch.CLIP)
        for name in 'examples', 'tests':
            (self.folder / name).symlink_to(launch.ROOT / name)
        self.output('ffmpeg', '-v', 'error', '-i', DATA / 'testsrc.h264', '-c',
                    'copy', self.folder / 'clip.mp4')
        self.make_board()

    def stand_in(self, block):
        """The block as it runs on any machine. Lines that ask whether there is
        a decoder of NVIDIA's are left as they are."""
        for pattern, other in STAND_INS.items():
            block = re.sub(pattern, other, block, flags=re.M)
        if 'gst-inspect-1.0 --exists' not in block and not exists(
                'gst-inspect-1.0', '--exists', 'nvh264dec'):
            block = re.sub(r'\bnvh264dec\b', 'avdec_h264', block)
        return block

    def run_block(self, block):
        for library in OPTIONAL:
            if library in block and not exists(
                    'pkg-config', '--exists', library):
                print(f'skipped, there is no {library}:\n{block}',
                      file=sys.stderr)
                self.skipTest(f'there is no {library}')
        output = self.output('sh', '-euc', self.stand_in(block),
                             cwd=self.folder, stdin=subprocess.DEVNULL,
                             env=os.environ | {
                                 'PATH': f'{BUILT}:{os.environ["PATH"]}'})
        self.assertNotIn('ERROR', output)
        self.assertNotIn(' failed', output)
        self.assertNotIn('not found', output)
        for pattern, words in PRINTED.items():
            if re.search(pattern, block, re.M):
                self.assertIn(words, output)

    def test_lines(self):
        """In one folder, page after page."""
        for program in PROGRAMS:
            self.assertTrue(shutil.which(program), f'there is no {program}')
        self.make_files()
        pages = [launch.ROOT / 'README.md', launch.ROOT / 'CONTRIBUTING.md',
                 launch.ROOT / 'examples/README.md',
                 *sorted((launch.ROOT / 'docs').glob('*.md'))]
        blocks = [(page.name, block) for page in pages
                  if page.name not in ELSEWHERE
                  for block in blocks_of(page, 'sh')]
        self.assertGreater(len(blocks), 50)
        for page, block in blocks:
            with self.subTest(page=page, block=block):
                self.run_block(block)

    def test_programs(self):
        """Given what the pages give them: a file that their own lines write, or
        a source."""
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
    launch.main()
