#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernel files and headers include what they use.

usage: test_includes.py PRINTSOURCE KERNELS CLANG OPTION ..
PRINTSOURCE is printsource.c, KERNELS the folder of the kernel files. The
options make clang compile OpenCL C.
"""
import pathlib
import re
import subprocess
import sys
import unittest

PRINTSOURCE, KERNELS, *CLANG = sys.argv[1:]
KERNELS = pathlib.Path(KERNELS)
HEADERS = sorted(KERNELS.glob('**/*.clh'))
PROGRAMS = sorted(KERNELS.glob('**/*.cl'))
# The names that a header defines: macros, functions, types.
DEFINITION = re.compile(r'^#define (\w+)|^(\w+) \(|^} (\w+);', re.M)
ENUM = re.compile(r'enum {([^}]*)}')
# Functions and macros that are called, and other macros and types.
USE = re.compile(r'\b(\w+) \(|\b([A-Z]\w+)')
PART = re.compile(r'^#ifdef (METRICS_FOR_\w+)', re.M)
# Default values of options may be in several files.
DEFAULT = re.compile(r'^#ifndef (\w+)\n#define', re.M)


def run(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def code_of(file):
    """Returns the text without comments."""
    return re.sub(r'/\*.*?\*/', '', file.read_text(), flags=re.S)


def included_by(file):
    return set(re.findall(r'^#include "(.*)"', file.read_text(), re.M))


def names_of(pattern, code):
    return {name for groups in pattern.findall(code) for name in groups if name}


def owners():
    """Returns the header of each name that only one header defines."""
    found, defaults = {}, set()
    for header in HEADERS:
        code = code_of(header)
        defaults.update(DEFAULT.findall(code))
        for name in names_of(DEFINITION, code):
            found.setdefault(name, []).append(header.name)
    return {name: files[0] for name, files in found.items()
            if len(files) == 1 and name not in defaults}


class IncludesTest(unittest.TestCase):
    def text_of(self, file):
        """Returns the source text for drivers."""
        source = run([PRINTSOURCE, str(file.relative_to(KERNELS))])
        self.assertEqual(source.returncode, 0, source.stderr)
        return source.stdout

    def test_headers_compile_alone(self):
        for header in HEADERS:
            # a header of metrics has parts for families of devices
            parts = sorted(set(PART.findall(code_of(header))))
            for options in [[]] + [[f'-D{part}'] for part in parts]:
                with self.subTest(header.name, options=options):
                    result = run([*CLANG, '-fsyntax-only', '-Wall', '-Wextra',
                                  '-Wundef', '-Werror', '-Wno-unused',
                                  *options, '-'], self.text_of(header))
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_files_are_included_once(self):
        for file in PROGRAMS + HEADERS:
            with self.subTest(str(file)):
                text = self.text_of(file)
                begun = re.findall('^#line 1 "(.*)"', text, re.M)
                self.assertNotIn('#include', text)
                self.assertEqual(sorted(begun), sorted(set(begun)))

    def test_includes_are_unconditional(self):
        for file in PROGRAMS + HEADERS:
            depth = 0
            for line in file.read_text().splitlines():
                depth += line.startswith('#if') - line.startswith('#endif')
                if line.startswith('#include'):
                    with self.subTest(f'{file}: {line}'):
                        self.assertEqual(depth, 0)

    def test_files_include_what_they_use(self):
        owner = owners()
        self.assertEqual(owner['READ_ONCE'], 'cl_common.clh')
        for file in PROGRAMS + HEADERS:
            code, own = code_of(file), included_by(file) | {file.name}
            # a name that the file defines itself may be missing in the header
            constants = ','.join(ENUM.findall(code)).replace(' ', '').split(',')
            used = (names_of(USE, code) - names_of(DEFINITION, code)
                    - set(constants))
            with self.subTest(str(file)):
                self.assertEqual([(name, owner[name]) for name in sorted(used)
                                  if owner.get(name, file.name) not in own], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
