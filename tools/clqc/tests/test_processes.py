# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions in other processes."""
import os
import signal
import subprocess
import sys

import pytest
from clqc.common import processes
from clqc.common.errors import ClqcError


def _raise() -> None:
    raise ClqcError('a reason')


def _end_other(pid: int) -> int:
    if os.getpid() != pid:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_one_at_a_time_needs_no_process() -> None:
    with processes.several(1) as call:
        assert call(os.getpid) == os.getpid()


def test_result_and_error_of_another_process() -> None:
    with processes.several(2) as call:
        assert call(os.getpid) != os.getpid()
        with pytest.raises(ClqcError, match='a reason'):
            call(_raise)
        assert call(max, 1, 2) == 2


def test_killed_process() -> None:
    with processes.several(2) as call:
        assert call(_end_other, os.getpid()) == os.getpid()


# Is killed. Its output ends when its processes, which share it, have ended.
_PARENT = '''
import os, signal
from clqc.common import processes
with processes.several(2) as call:
    print(call(os.getpid), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
'''


def test_processes_end_with_their_parent() -> None:
    done = subprocess.run([sys.executable, '-c', _PARENT], check=False,
                          stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert int(done.stdout)
