#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sweep of failing calls covers every OpenCL function that the plugin
calls, and no other.

usage: test_entrypoints.py SWEEP PLUGIN SOURCES
"""
import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def called(plugin, sources):
    """Returns the OpenCL functions that the plugin links or looks up in the
    loader."""
    symbols = run('nm', '-D', '--undefined-only', plugin)
    names = set(re.findall(r'\b(cl[A-Z]\w+)', symbols))
    for path in pathlib.Path(sources).rglob('*.c'):
        names |= set(re.findall(r'dlsym \(\w+,\s+"(cl\w+)"', path.read_text()))
    return names


def main(sweep, plugin, sources):
    known = set(run(sweep, '--entry-points').split())
    names = called(plugin, sources)
    if not names:
        sys.exit(f'{plugin} calls no OpenCL function')
    for name in sorted(names - known):
        print(f'{plugin} calls {name}, which FAULT_ENTRY_POINTS lacks',
              file=sys.stderr)
    for name in sorted(known - names):
        print(f'FAULT_ENTRY_POINTS has {name}, which the plugin does not call',
              file=sys.stderr)
    sys.exit(names != known)


if __name__ == '__main__':
    main(*sys.argv[1:])
