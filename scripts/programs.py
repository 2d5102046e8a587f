#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the distinct OpenCL programs that logged processes have built.

    export GST_DEBUG=clprogram:5 GST_DEBUG_NO_COLOR=1
    export GST_DEBUG_FILE=/tmp/programs/%p.log
    meson test -C build --suite kernels
    scripts/programs.py /tmp/programs/*.log

A program is a kernel file with a set of options. The table has, for each file,
the number of programs, the number of builds, and the seconds of all builds.
PoCL caches programs: the seconds include the compiler only if POCL_CACHE_DIR
was empty, and never the compilation at a kernel's first launch. --list also
prints the programs.
"""

import argparse
import collections
import re

BUILT = re.compile(r'built (\S+) with "([^"]*)" in (\d+) us')


def read_programs(paths):
    """Returns for each program, (file, options), the microseconds of its
    builds."""
    programs = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding='utf-8', errors='replace') as log:
            for line in log:
                match = BUILT.search(line)
                if match:
                    programs[match[1], match[2]].append(int(match[3]))
    return programs


def print_table(programs):
    files = collections.defaultdict(list)
    for (name, _), builds in programs.items():
        files[name].append(builds)

    total = [0, 0, 0.0]
    print(f'{"file":28}{"programs":>9}{"builds":>8}{"seconds":>9}')
    for name, of_file in sorted(files.items()):
        row = [len(of_file), sum(map(len, of_file)),
               sum(map(sum, of_file)) / 1e6]
        total = [a + b for a, b in zip(total, row)]
        print(f'{name:28}{row[0]:9}{row[1]:8}{row[2]:9.1f}')
    print(f'{"all":28}{total[0]:9}{total[1]:8}{total[2]:9.1f}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('logs', nargs='+')
    parser.add_argument('--list', action='store_true',
                        help='also print the programs')
    arguments = parser.parse_args()
    programs = read_programs(arguments.logs)

    if arguments.list:
        for name, options in sorted(programs):
            print(name, options)
    print_table(programs)


if __name__ == '__main__':
    main()
