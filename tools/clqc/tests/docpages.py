# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages in docs/, and a shell that runs their commands."""
import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

PACKAGE = Path(__file__).resolve().parents[1]
DOCS = PACKAGE / 'docs'
ROOT = PACKAGE.parents[1]  # where a reader runs the commands
TIMEOUT_SECONDS = 300  # timeout of a hang


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding='utf-8')


def fenced(page: str, language: str) -> List[str]:
    """Returns the blocks of a page in one language."""
    return re.findall(rf'^```{language}\n(.*?)^```$', text_of(page),
                      re.MULTILINE | re.DOTALL)


def shell(text: str, folder: Path) -> Tuple[int, str]:
    """Runs @text in a shell that finds `clqc` and `dask`, and ends the
    processes that it left in the background. Returns its exit status and its
    output."""
    programs = folder / 'programs'
    programs.mkdir(exist_ok=True)
    for name in 'clqc', 'dask':
        (programs / name).write_text(
            f'#!/bin/sh\nexec {sys.executable} -m {name} "$@"\n')
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ['PATH'], '/usr/sbin'])
    with (folder / 'printed').open('w+', errors='replace') as printed:
        with subprocess.Popen(
                ['sh', '-ec', text], cwd=folder, stdin=subprocess.DEVNULL,
                env={**os.environ, 'PATH': path}, stdout=printed,
                stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                status = process.wait(TIMEOUT_SECONDS)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
        printed.seek(0)
        return status, printed.read()
