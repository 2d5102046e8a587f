#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of clbench: help, wrong usage, no device, files."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

import program

TECHNIQUES = ['barriers', 'reductions', 'windows', 'latency', 'memory']


def read_to_end(terminal):
    """Returns the output to a terminal that is closed at its other end."""
    text = b''
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # EIO: no more output
        pass
    return text


class UsageTest(unittest.TestCase):
    def expect_usage_error(self, arguments, words):
        result = program.run(*arguments)
        self.assertEqual(result.returncode, 2, arguments)
        self.assertEqual(result.stdout, '')
        self.assertIn(words, result.stderr)
        self.assertIn("Try 'clbench --help'.", result.stderr)

    def test_help(self):
        result = program.run('--help')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        for words in ('--device=DEVICE', '--json=FILE', '--quick', '--seed=N',
                      '--list-devices', '--version', 'Exit status:'):
            self.assertIn(words, result.stdout)
        for name in TECHNIQUES + ['all']:
            self.assertRegex(result.stdout, rf'(?m)^  {name} +\w')

    def test_man_page_has_every_option_and_technique(self):
        page = (program.ROOT / 'clbench.1').read_text()
        help_text = program.run('--help').stdout
        for name in re.findall(r'--([a-z-]+)', help_text):
            if name != 'help-all':
                option = name.replace('-', r'\-')
                self.assertIn(rf'\-\-{option}', page)
        for name in TECHNIQUES + ['all']:
            self.assertIn(f'.B {name}\n', page)

    def test_examples_of_the_man_page(self):
        """Those for a GPU are valid, but may find none."""
        page = (program.ROOT / 'clbench.1').read_text()
        examples = re.search(r'(?s)\n.SH EXAMPLES\n.nf\n(.*)\n.fi\n', page)[1]
        for line in examples.splitlines():
            name, *arguments = line.split()
            self.assertEqual(name, 'clbench')
            if 'gpu' in arguments:
                arguments.append('--list-devices')
            result = program.run(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_version(self):
        result = program.run('--version')
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r'^clbench \d+\.\d+\.\d+\n$')

    def test_wrong_usage(self):
        self.expect_usage_error([], 'no technique')
        self.expect_usage_error(['sums'], "no technique 'sums'")
        self.expect_usage_error(['all', 'reductions'], 'more than one')
        self.expect_usage_error(['all', '--fast'], '--fast')
        self.expect_usage_error(['--', 'all', '--quick'], 'more than one')
        self.expect_usage_error(['--', '--quick'], "no technique '--quick'")
        self.expect_usage_error(['all', '--seed', 'x'], '--seed')
        self.expect_usage_error(['all', '--seed', '-2'], 'seed')
        self.expect_usage_error(['all', '--device'], '--device')


class DeviceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_no_device_at_all(self):
        """No file is created for the results."""
        file = self.folder / 'out.json'
        result = program.run('all', '--quick', '--json', str(file),
                             OCL_ICD_VENDORS=str(self.folder))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, '')
        self.assertIn('There is no OpenCL device at all', result.stderr)
        self.assertFalse(file.exists())
        result = program.run('--list-devices',
                             OCL_ICD_VENDORS=str(self.folder))
        self.assertEqual((result.returncode, result.stdout), (0, ''))

    def test_no_such_device(self):
        result = program.run('all', '--quick', '--device', 'no such thing')
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, '')
        self.assertIn('Looked for device "no such thing"', result.stderr)

    def test_list_devices(self):
        result = program.run('--list-devices')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertRegex(result.stdout, r'(?m)^0\.0  .+ \(.+\)')

    def test_file_that_cannot_be_written(self):
        """Detected before any technique runs."""
        file = self.folder / 'nowhere' / 'out.json'
        result = program.run('all', '--quick', '--json', str(file))
        self.assertEqual((result.returncode, result.stdout), (1, ''))
        self.assertRegex(result.stderr,
                         rf'^clbench: cannot write {file}: .+\n$')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no /dev/full')
    def test_file_system_that_is_full(self):
        """A message for the table and one for the JSON."""
        with open('/dev/full', 'wb') as full:
            result = subprocess.run(
                [program.CLBENCH, '--quick', '--json', '/dev/full', '--',
                 'windows'], stdout=full, stderr=subprocess.PIPE, text=True,
                timeout=100, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(
            result.stderr.splitlines(),
            [f'clbench: cannot write {what}: No space left on device'
             for what in ('the table', '/dev/full')])

    def test_all(self):
        """Each technique has rows and a sentence, in order."""
        result, found = program.run_all()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        names = [note['technique'] for note in found['conclusions']]
        self.assertEqual(names, TECHNIQUES)
        self.assertEqual({row['technique'] for row in found['rows']},
                         set(TECHNIQUES))
        sentences = [f"{note['technique']}: {note['sentence']}"
                     for note in found['conclusions']]
        self.assertEqual(result.stdout.splitlines()[-len(names):], sentences)

    def test_file_outlives_an_interrupted_run(self):
        file = self.folder / 'out.json'
        file.write_text('figures of before')
        process = subprocess.Popen(
            [program.CLBENCH, 'barriers', '--json', str(file)],
            stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(file.read_text(), 'figures of before')

    def test_progress_on_a_terminal(self):
        """A line that the next one replaces, on stderr only."""
        terminal, end = os.openpty()
        self.addCleanup(os.close, terminal)
        result = subprocess.run([program.CLBENCH, 'windows', '--quick'],
                                stdout=subprocess.PIPE, stderr=end,
                                timeout=100, check=True)
        os.close(end)
        lines = read_to_end(terminal).split(b'\r\033[K')
        self.assertIn(b'windows: integral image', lines)
        self.assertEqual(lines[-1], b'')
        self.assertNotIn(b'\033', result.stdout)

    def test_json_on_stdout(self):
        """The JSON alone, after the contents of a file that is clbench's
        stdout; a single technique has the same rows as in a run of all."""
        file = self.folder / 'out.log'
        file.write_text('a line of before\n')
        with file.open('a', encoding='utf-8') as log:
            result = subprocess.run(
                [program.CLBENCH, 'windows', '--quick', '--device', '0.0',
                 '--seed', '7', '--json', '-'], stdout=log,
                stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        first, rest = file.read_text().split('\n', 1)
        self.assertEqual(first, 'a line of before')
        found = json.loads(rest)
        self.assertEqual(
            list(found), ['device', 'driver', 'platform', 'opencl', 'version',
                          'seed', 'rows', 'skipped', 'conclusions'])
        self.assertEqual(found['seed'], 7)
        of_all = program.run_all()[1]
        if of_all['device'] == found['device']:
            self.assertEqual([row['row'] for row in found['rows']],
                             [row['row'] for row in of_all['rows']
                              if row['technique'] == 'windows'])


if __name__ == '__main__':
    program.main()
