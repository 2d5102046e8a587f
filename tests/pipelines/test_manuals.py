#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lines in the EXAMPLES of the manual pages run, page after page in one
folder, whose files the lines of one page leave to the next.

usage: test_manuals.py CLBENCH CLQC CLQC-REPLAY
"""
import os
import pathlib
import re
import subprocess
import sys

import launch

PROGRAMS = [pathlib.Path(argument).resolve() for argument in sys.argv[1:4]]
PAGES = ['docs/gst-opencl.7', 'tools/clqc/clqc.1',
         'tools/clqc/replay/clqc-replay.1', 'tools/clbench/clbench.1']
# As short as it gets; the program that a package installs is that of this
# build.
SHORTER = {'--seconds 60': '--seconds 20',
           '/usr/libexec/gst-opencl/clqc-replay': 'clqc-replay'}
# Exit statuses that say what the program has found, not that it failed: the
# clip is no good delivery, a busy machine sends late.
FINDINGS = {'clqc judge': [0, 1], 'clqc watch': [0, 1]}
# What sends to the port that a line watches.
SENDER = launch.ROOT / 'tools/clqc/tests/sender.py'
# Not on a bare machine, and why not.
ELSEWHERE = {'--device gpu': 'takes a GPU'}


def lines_of(page):
    """The shell lines of the section EXAMPLES."""
    text = (launch.ROOT / page).read_text(encoding='utf-8')
    section = re.search(r'^\.SH EXAMPLES\n(.*?)(?=^\.SH )', text, re.M | re.S)
    for block in re.findall(r'^\.nf\n(.*?)^\.fi$', section[1], re.M | re.S):
        yield from block.replace('\\-', '-').splitlines()


class ManualsTest(launch.PipelineTest):
    def run_line(self, line):
        for words, reason in ELSEWHERE.items():
            if words in line:
                self.skipTest(reason)
        if not re.match(r'gst-launch-1\.0 ', line):
            self.check_program(line)
        for long, short in SHORTER.items():
            line = line.replace(long, short)
        if port := re.search(r'udp://127\.0\.0\.1:(\d+)', line):
            self.start_sender(port[1])
        path = ':'.join([str(self.folder / 'bin'), os.environ['PATH']])
        result = subprocess.run(
            ['sh', '-euc', line], cwd=self.folder, text=True, timeout=240,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            stdin=subprocess.DEVNULL, env=os.environ | {'PATH': path})
        expected = FINDINGS.get(' '.join(line.split()[:2]), [0])
        self.assertIn(result.returncode, expected, result.stdout)
        self.assertNotIn('Traceback', result.stdout)

    def start_sender(self, port):
        """It ends with its input, at the end of the test."""
        sender = subprocess.Popen(
            ['/usr/bin/python3', SENDER, 'ts', port], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(sender.communicate)
        self.assertIn('start', sender.stdout.readline())

    def check_program(self, line):
        """Skips the line if this build does not have its program."""
        name = line.split()[0].rpartition('/')[2]
        if not (self.folder / 'bin' / name).exists():
            self.skipTest(f'this build has no {name}')

    def test_examples(self):
        (self.folder / 'bin').mkdir()
        for program in PROGRAMS:
            (self.folder / 'bin' / program.name).symlink_to(program)
        (self.folder / 'clips').mkdir()
        (self.folder / 'clips/clip.avi').symlink_to(launch.CLIP)
        for page in PAGES:
            lines = list(lines_of(page))
            self.assertTrue(lines, page)
            for line in lines:
                with self.subTest(page=page, line=line):
                    self.run_line(line)
        self.check_results()

    def check_results(self):
        """What the page of the plugin says of its lines."""
        frames = (self.folder / 'frames.jsonl').read_text()
        self.assertEqual(frames.count('"type":"frame"'), 90)
        self.assertIn('"event":"black"', frames)
        self.assertGreater((self.folder / 'blurred.ogg').stat().st_size, 0)


if __name__ == '__main__':
    del sys.argv[1:]
    launch.main()
