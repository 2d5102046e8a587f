#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C and the Python example give the same statistics, from messages and
from metas, and every launch line of the documentation runs.

usage: test_examples.py PATH-OF-THE-C-EXAMPLE
"""
import re
import subprocess
import sys

import launch

try:
    import gi  # noqa: F401, used by the example
except ImportError as error:
    launch.skip(str(error))

EXAMPLES = launch.ROOT / 'examples'


class ExamplesTest(launch.PipelineTest):
    def output(self, *command):
        result = subprocess.run(command, text=True, timeout=60,
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
        python = '/usr/bin/python3', str(EXAMPLES / 'framesum.py')
        self.assertEqual(self.output(C_EXAMPLE, '--meta', launch.CLIP),
                         expected)
        self.assertEqual(self.output(*python, launch.CLIP), expected)
        self.assertEqual(self.output(*python, '--meta', launch.CLIP), expected)
        uri = 'file://' + launch.CLIP
        self.assertEqual(self.output(C_EXAMPLE, uri), expected)
        self.assertEqual(self.output(*python, uri), expected)

    def test_errors(self):
        for command in ([C_EXAMPLE], ['/usr/bin/python3',
                                      str(EXAMPLES / 'framesum.py')]):
            for arguments in [], ['--meta'], ['/nowhere.avi'], ['rel', 'x']:
                result = subprocess.run(command + arguments, text=True,
                                        stdout=subprocess.PIPE, timeout=60,
                                        stderr=subprocess.PIPE, check=False)
                self.assertNotEqual(result.returncode, 0)
                self.assertNotIn('Traceback', result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1,
                                 result.stderr)

    def test_lines_of_the_documentation(self):
        """Every gst-launch line of every page, in a folder that holds what the
        pages speak of; what needs a display goes to a fakesink."""
        (self.folder / 'clip.avi').symlink_to(launch.CLIP)
        (self.folder / 'tests').symlink_to(launch.ROOT / 'tests')
        pages = [launch.ROOT / 'README.md', EXAMPLES / 'README.md',
                 *sorted((launch.ROOT / 'docs').glob('*.md'))]
        blocks = [(page.name, block) for page in pages for block in re.findall(
            r'^```sh\n(.*?)^```', page.read_text(encoding='utf-8'),
            re.M | re.S) if 'gst-launch-1.0' in block]
        self.assertGreater(len(blocks), 10)
        for page, block in blocks:
            with self.subTest(page=page, block=block):
                line = block.replace('autovideosink', 'fakesink')
                result = subprocess.run(['sh', '-eu'], input=line, text=True,
                                        stdout=subprocess.PIPE, timeout=120,
                                        stderr=subprocess.STDOUT, check=False,
                                        cwd=self.folder)
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertNotIn('ERROR', result.stdout)


if __name__ == '__main__':
    C_EXAMPLE = sys.argv.pop(1)
    launch.main()
