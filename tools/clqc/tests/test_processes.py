# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions in other processes."""
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest
from clqc.checking import batch, check
from clqc.common import processes
from clqc.common.errors import ClqcError
from clqc.inputs.discovery import Input
from clqc.judging.policy import load
from clqc.results.result_files import Verdict


def test_result_and_error_of_another_process() -> None:
    with processes.run_elsewhere() as run:
        pid = run(os.getpid)
        assert pid != os.getpid()
        with pytest.raises(ClqcError, match='no such policy'):
            run(load, 'unknown')
        run(print, 'some words')
        assert run(os.getpid) == pid


def test_killed_process() -> None:
    """Its function runs here, and the next one in a new process."""
    with processes.run_elsewhere() as run:
        pid = run(os.getpid)
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert run(os.getpid) == os.getpid()
        assert run(os.getpid) not in (pid, os.getpid())


def test_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch
                                     ) -> None:
    monkeypatch.setattr(sys, 'executable', '/nowhere/python3')
    with processes.run_elsewhere() as run:
        assert run(os.getpid) == os.getpid()


# Is killed. Its messages end when its process, which shares them, has ended.
_PARENT = """
import os, signal
from clqc.common import processes
with processes.run_elsewhere() as run:
    assert run(os.getpid) != os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, '-c', _PARENT], check=False,
                          stderr=subprocess.PIPE, timeout=60,
                          env={**os.environ, 'TMPDIR': str(tmp_path)})
    assert done.returncode == -signal.SIGKILL
    assert not done.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize('n_jobs', [1, 2])
def test_files_at_a_time(n_jobs: int, monkeypatch: pytest.MonkeyPatch,
                         tmp_path: Path) -> None:
    """Work in Python is in this process for one file at a time only."""
    pids: List[int] = []

    def check_one(item: Input, options: check.Options, _: Any) -> Verdict:
        pids.append(options.run(os.getpid))
        return check.unmeasured(item, options.policy, 'not looked at')
    monkeypatch.setattr(check, 'check', check_one)
    batch.check_all([Input('a', 'a'), Input('b', 'b')], check.Options(
        str(tmp_path), load('default'), n_jobs=n_jobs), True)
    assert len(pids) == 2
    assert (os.getpid() in pids) == (n_jobs == 1)
