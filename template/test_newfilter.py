#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts/new-filter.sh makes of the template compiles without a warning,
keeps the style, and takes no folder that is there already. With --build, the
plugin with new filters is checked for style, built and tested as the script
leaves it.

usage: test_newfilter.py BUILD_FOLDER
       test_newfilter.py --build
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = sys.argv.pop(1)
SCRIPT = ROOT / 'scripts/new-filter.sh'
# Shorter and longer than "template": lines break elsewhere.
FILTERS = ['dim'], ['solarization'], ['--no-properties', 'dim']
# Files that the script changes.
CHANGED = ('kernels/kernels.gresource.xml', 'kernels/meson.build',
           'gst/meson.build', 'gst/plugin.c', 'tests/meson.build',
           'docs/architecture.md')
# Options with a file behind them that a check of syntax does not write.
OUTPUTS = '-o', '-MF', '-MQ', '-c'


def compile_options():
    """How files of the plugin and of its tests are compiled."""
    text = pathlib.Path(BUILD, 'compile_commands.json').read_text('utf-8')
    for entry in json.loads(text):
        if entry['file'].endswith('template/test_template.c'):
            words = shlex.split(entry['command'])
            return [word for before, word in zip([''] + words, words)
                    if word not in OUTPUTS + ('-MD',) and
                    before not in OUTPUTS], entry['directory']
    raise LookupError('template/test_template.c is not compiled')


def find_left_out(folder, names):
    """Of a copy of the checkout: builds, and what only other tests read."""
    is_root = pathlib.Path(folder) == ROOT
    return [name for name in names if name in (
        '.git', 'corpus', 'data', 'measured', 'pictures') or
        is_root and name.startswith(('build', '.gpu'))]


def make_filter(arguments, folder):
    """The files that the script writes or changes in the folder."""
    done = subprocess.run([SCRIPT, *arguments, folder], check=True, text=True,
                          stdout=subprocess.PIPE)
    return done.stdout.split()


class NewFilterTest(unittest.TestCase):
    def test_copies_compile_in_style(self):
        options, directory = compile_options()
        for arguments in FILTERS:
            with tempfile.TemporaryDirectory() as folder:
                for file in CHANGED:
                    os.makedirs(os.path.dirname(os.path.join(folder, file)),
                                exist_ok=True)
                    shutil.copy(ROOT / file, os.path.join(folder, file))
                files = make_filter(arguments, folder)
                self.assertEqual(tuple(files[-len(CHANGED):]), CHANGED)
                for copy in (pathlib.Path(folder, file)
                             for file in files[:-len(CHANGED)]):
                    with self.subTest(str(copy)):
                        text = copy.read_text(encoding='utf-8')
                        self.assertNotRegex(
                            text.replace('gst_cl_caps_add_templates', ''),
                            '(?i)template|WITHOUT_PROPERTIES')
                        if copy.suffix == '.c':
                            subprocess.run(
                                options + ['-I' + folder + '/gst',
                                           '-I' + folder + '/tests', '-Werror',
                                           '-fsyntax-only', str(copy)],
                                cwd=directory, check=True)
                        if copy.suffix == '.md':
                            continue
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


class BuildTest(unittest.TestCase):
    def test_plugin_with_new_filters(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, 'tree')
            build = os.path.join(folder, 'build')
            shutil.copytree(ROOT, tree, symlinks=True, ignore=find_left_out)
            make_filter(['--no-properties', 'dim'], tree)
            make_filter(['solarization'], tree)
            for command in (
                    [os.path.join(tree, 'scripts/check-style.sh')],
                    ['meson', 'setup', build, tree, '-Doptimization=0',
                     '-Dwerror=true', '-Dtests=enabled', '-Dtools=disabled',
                     '-Dclqc=disabled', '-Dkernel-check=disabled'],
                    ['ninja', '-C', build, 'gst/libgstopencl.so'],
                    ['meson', 'test', '-C', build, 'dim', 'element cldim',
                     'solarization', 'element clsolarization, discrete']):
                done = subprocess.run(command, text=True, check=False,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout[-4000:])


if __name__ == '__main__':
    unittest.main(defaultTest='BuildTest' if BUILD == '--build'
                  else 'NewFilterTest')
