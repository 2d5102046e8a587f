#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts/new-filter.sh makes of the template compiles without a warning,
keeps the style, and takes no folder that is there already.

usage: test_newfilter.py BUILD_FOLDER
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv.pop(1))
SCRIPT = ROOT / 'scripts/new-filter.sh'
# Shorter and longer than "template": lines break elsewhere.
NAMES = 'dim', 'solarization'
# Options with a file behind them that a check of syntax does not write.
OUTPUTS = '-o', '-MF', '-MQ', '-c'


def compile_options():
    """How files of the plugin and of its tests are compiled."""
    text = (BUILD / 'compile_commands.json').read_text(encoding='utf-8')
    for entry in json.loads(text):
        if entry['file'].endswith('template/test_template.c'):
            words = shlex.split(entry['command'])
            return [word for before, word in zip([''] + words, words)
                    if word not in OUTPUTS + ('-MD',) and
                    before not in OUTPUTS], entry['directory']
    raise LookupError('template/test_template.c is not compiled')


class NewFilterTest(unittest.TestCase):
    def copies(self, name, folder):
        done = subprocess.run([SCRIPT, name, folder], check=True, text=True,
                              stdout=subprocess.PIPE)
        return [pathlib.Path(folder, line) for line in done.stdout.split()]

    def test_copies_compile_in_style(self):
        options, directory = compile_options()
        for name in NAMES:
            with tempfile.TemporaryDirectory() as folder:
                for copy in self.copies(name, folder):
                    with self.subTest(str(copy)):
                        text = copy.read_text(encoding='utf-8')
                        self.assertNotRegex(
                            text.replace('gst_cl_caps_add_templates', ''),
                            '(?i)template')
                        if copy.suffix == '.c':
                            subprocess.run(
                                options + ['-I' + folder + '/gst',
                                           '-I' + folder + '/tests', '-Werror',
                                           '-fsyntax-only', str(copy)],
                                cwd=directory, check=True)
                        look = subprocess.run(
                            ['clang-format',
                             f'--style=file:{ROOT}/.clang-format',
                             '--assume-filename=x.c'],
                            input=text, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
                        self.assertEqual(look, text)

    def test_names_that_are_taken(self):
        for name, taken in (('dim', 'gst/elements/dim'), ('dim', 'tests/dim'),
                            ('upload', 'gst'), ('Dim', 'gst'), ('', 'gst')):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, taken).mkdir(parents=True)
                done = subprocess.run([SCRIPT, name, folder], check=False,
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual([path for path in
                                  pathlib.Path(folder).rglob('*')
                                  if path.is_file()], [])


if __name__ == '__main__':
    unittest.main()
