#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example in Rust builds with the crates that Debian packages, without
network and without warnings, and prints the same as the example in C. Its own
tests compare the structs with a result that has all statistics.

usage: test_rust.py PATH-OF-FRAMESUM PATH-OF-STATISTICS.RS

Skipped without cargo or the crate gstreamer: Debian 12 has none, Debian 13
has.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import launch

CRATES = pathlib.Path('/usr/share/cargo/registry')  # Debian's librust-*-dev
SOURCES = launch.ROOT / 'examples/rust'
C_EXAMPLE, STRUCTS = sys.argv[1:]


def leave(reason):
    print(reason, file=sys.stderr)
    sys.exit(launch.SKIP)


if not shutil.which('cargo'):
    leave('there is no cargo')
if not list(CRATES.glob('gstreamer-[0-9]*')):
    leave(f'there is no crate gstreamer in {CRATES}: librust-gstreamer-dev')


class RustTest(launch.PipelineTest):
    def cargo(self, command):
        """As described in examples/README.md, in a folder of the build."""
        target = pathlib.Path(os.environ['BUILD_DIR']) / 'examples/rust'
        shutil.copytree(SOURCES, target, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('target', 'Cargo.lock'))
        shutil.copy(STRUCTS, target / 'src')
        result = subprocess.run(
            ['cargo', command, '--offline', '--config',
             'source.crates-io.replace-with="debian"', '--config',
             f'source.debian.directory="{CRATES}"'], check=False,
            cwd=target, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=560,
            env=os.environ | {'CARGO_HOME': str(self.folder / 'cargo')})
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn('warning', result.stdout)
        return str(target / 'target/debug/framesum')

    def test_same_lines(self):
        program = self.cargo('build')
        expected = self.output(C_EXAMPLE, launch.CLIP)
        self.assertEqual(len(expected.splitlines()), 60)
        self.assertEqual(self.output(program, launch.CLIP), expected)
        self.assertEqual(self.output(program, '--meta', launch.CLIP), expected)
        self.assertEqual(self.output(program, 'file://' + launch.CLIP),
                         expected)
        lines = self.output(program, '--stats', launch.CLIP).splitlines()
        self.assertEqual(lines[-1], expected.splitlines()[-1])
        self.assertLessEqual(set(lines), set(expected.splitlines()))

        for arguments in ([], ['--meta'], ['--stats'], ['/nowhere.avi'],
                          ['rel', 'x']):
            result = subprocess.run([program, *arguments], text=True,
                                    stdout=subprocess.PIPE, timeout=60,
                                    stderr=subprocess.PIPE, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(len(result.stderr.splitlines()), 1,
                             result.stderr)


    def test_structs(self):
        self.cargo('test')


if __name__ == '__main__':
    del sys.argv[1:]
    unittest.main()
