#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/adding-a-statistic.md: its patches apply to a copy of the tree, which
builds; each implementation is tested with the new number, and clframesum
prints it and the derived one."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import launch

PAGE = launch.ROOT / 'docs/adding-a-statistic.md'
KERNELS = 'kernels/metrics/cl_metriccodes.clh'
DERIVED = '## A derived statistic'
# How many files change: of the code with its test; the pages, and the schema
# that is made of the rows, are three more.
MAX_FILES = 4
MAX_DERIVED_FILES = 2
PAGES = 'NEWS', 'docs/statistics.md', 'docs/statistics.schema.json'
# The code that a mutant of the vector path for CPUs counts instead of the
# greatest code.
MUTATION = '(LANES_T) (N_CODES - 1)) &', '(LANES_T) (N_CODES - 2)) &'


def ignored(folder, names):
    """Files that are not copied, in addition to build folders."""
    is_root = pathlib.Path(folder) == launch.ROOT
    return [name for name in names if name in ('.git', '__pycache__')
            or is_root and name.startswith('build')]


def files_of(folder):
    """Returns each file of a tree with its bytes."""
    return {path.relative_to(folder): path.read_bytes()
            for path in folder.rglob('*')
            if path.is_file() and not path.is_symlink()}


class AddingStatisticTest(launch.PipelineTest):
    def run_in_tree(self, *command, text=None, must_pass=True):
        done = subprocess.run(
            [str(word) for word in command], cwd=self.tree, input=text,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False, env=os.environ | {
                'GST_PLUGIN_PATH_1_0': str(self.tree / 'build/gst'),
                'GST_REGISTRY': str(self.folder / 'registry.bin')})
        self.assertEqual(done.returncode == 0, must_pass, done.stdout)
        return done.stdout

    def build(self):
        self.run_in_tree('ninja', '-C', 'build', 'gst/libgstopencl.so',
                         'tests/test_metrics')

    def apply(self, part):
        """Applies the patches of a part of the page; returns the files of the
        code that have changed."""
        before = files_of(self.tree)
        for block in re.findall(r'^```diff\n(.*?)^```$', part, re.M | re.S):
            self.run_in_tree('patch', '-p1', '--no-backup-if-mismatch',
                             text=block)
        self.run_in_tree('tests/framesum/statisticsschema.py', '--write')
        after = files_of(self.tree)
        return {str(path) for path in before.keys() | after.keys()
                if before.get(path) != after.get(path)}.difference(PAGES)

    def check_printed(self, part):
        """Runs the launch line of a part, which says what is printed."""
        line, = re.findall('^    (gst-launch-1.0 .*)$', part, re.M)
        expected, = re.findall('^    ("components":.*)$', part, re.M)
        expected = json.loads(f'{{{expected}}}')
        printed = self.run_in_tree('sh', '-c', line.replace(' ', ' -q ', 1))
        frame = json.loads(printed.splitlines()[0])
        self.assertEqual(expected, {name: frame[name] for name in expected})

    def test_page(self):
        self.tree = self.folder / 'tree'
        shutil.copytree(launch.ROOT, self.tree, symlinks=True, ignore=ignored)
        page = PAGE.read_text(encoding='utf-8')
        counted, derived = page.split(DERIVED)
        changed = self.apply(counted)
        self.assertLessEqual(len(changed), MAX_FILES, changed)
        changed = self.apply(derived)
        self.assertLessEqual(len(changed), MAX_DERIVED_FILES, changed)

        self.run_in_tree(
            'meson', 'setup', 'build', '-Doptimization=0', '-Dwerror=true',
            '-Dtests=enabled', '-Dtools=disabled', '-Dclqc=disabled',
            '-Dkernel-check=disabled')
        self.build()
        for row in 'plain', 'cpu', 'gpu':
            self.run_in_tree('build/tests/test_metrics', '--small', '-t',
                             f'metrics/{row}')
        self.check_printed(counted)
        self.check_printed(derived)

        mutant = (self.tree / KERNELS).read_text(encoding='utf-8')
        self.assertEqual(mutant.count(MUTATION[0]), 1)
        (self.tree / KERNELS).write_text(mutant.replace(*MUTATION),
                                         encoding='utf-8')
        self.build()
        self.run_in_tree('build/tests/test_metrics', '--small', '-t',
                         'metrics/cpu', must_pass=False)


if __name__ == '__main__':
    for program in 'meson', 'ninja', 'patch':
        if shutil.which(program) is None:
            launch.skip(f'no {program}')
    launch.main()
