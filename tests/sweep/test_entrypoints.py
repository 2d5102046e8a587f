#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sweep of failing calls covers every OpenCL function that the plugin
or its library calls, and no other.

usage: test_entrypoints.py SWEEP SOURCES LIBRARY...
"""
import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def called(sources, libraries):
    """Returns the OpenCL functions that the libraries link or look up in the
    loader."""
    symbols = run('nm', '-D', '--undefined-only', *libraries)
    names = set(re.findall(r'\b(cl[A-Z]\w+)', symbols))
    for path in pathlib.Path(sources).rglob('*.c'):
        names |= set(re.findall(r'dlsym \(\w+,\s+"(cl\w+)"', path.read_text()))
    return names


def main(sweep, sources, *libraries):
    known = set(run(sweep, '--entry-points').split())
    names = called(sources, libraries)
    if not names:
        sys.exit(f'{libraries} call no OpenCL function')
    for name in sorted(names - known):
        print(f'the plugin calls {name}, which FAULT_ENTRY_POINTS lacks',
              file=sys.stderr)
    for name in sorted(known - names):
        print(f'FAULT_ENTRY_POINTS has {name}, which the plugin does not call',
              file=sys.stderr)
    sys.exit(names != known)


if __name__ == '__main__':
    main(*sys.argv[1:])
