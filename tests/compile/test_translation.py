#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""All programs can be translated to SPIR-V, as drivers do that compile with
clang (rusticl of Mesa, Intel): the translator ends the process at vectors of
32 elements, and at built-ins of clang that SPIR-V does not have.

usage: test_translation.py CLANG TRANSLATOR OPTION .. -- [OPTION .. FILE --] ..

The first options are those of all programs. TRANSLATOR: llvm-spirv of the same
release of LLVM. Prints each program that is not translated; the exit status is
then 1.
"""
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

# The code that drivers pass to the translator is not optimized.
OPTIONS = ['-O0', '-Xclang', '-disable-llvm-passes', '-emit-llvm', '-c']


def split(arguments):
    """Yields the parts between the arguments `--`."""
    for is_end, part in itertools.groupby(arguments, lambda a: a == '--'):
        if not is_end:
            yield list(part)


def translate(clang, translator, options):
    """Returns what the programs print for one file, '' if it is translated."""
    with tempfile.TemporaryDirectory() as folder:
        code, spirv = f'{folder}/code.bc', pathlib.Path(folder, 'code.spv')
        for command in ([clang, *OPTIONS, *options, '-o', code],
                        [translator, code, '-o', str(spirv)]):
            result = subprocess.run(command, text=True, check=False,
                                    stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            if result.returncode:
                return f'{" ".join(command)}\n{result.stdout}'
        return '' if spirv.stat().st_size else f'{spirv} is empty'


def main():
    clang, translator, *arguments = sys.argv[1:]
    common, *programs = split(arguments)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda program: translate(
            clang, translator, common + program), programs)
        failed = [text for text in found if text]
    print(*failed, f'{len(programs)} programs, {len(failed)} not translated',
          sep='\n')
    return 1 if failed or not programs else 0


if __name__ == '__main__':
    sys.exit(main())
