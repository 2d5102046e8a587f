# SPDX-License-Identifier: LGPL-2.1-or-later
"""When a decoding process is ended, with a clock of the test; which requests a
process serves."""
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, List, Tuple

import pytest
from clqc.common import errors
from clqc.decoding import jobs
from jumping import Jumping


class Machine(Jumping):
    """A clock of a machine that may be suspended."""
    suspended = 0.0

    def now(self) -> float:
        return float(super().now()) + self.suspended


def watched(clock: Jumping) -> Tuple[jobs._Watch, List[float]]:
    """Returns what watches a process, and the times at which it is killed."""
    killed: List[float] = []
    process: Any = SimpleNamespace(
        pid=0, kill=lambda: killed.append(clock.seconds))
    return jobs._Watch(process, lambda _: None, clock), killed


def test_process_without_a_sign_of_life() -> None:
    """It is ended after a minute; the machine is the cause, since no file
    stops the process."""
    clock = Machine()
    watch, killed = watched(clock)
    for second in range(0, 50, 5):
        clock.at(second, lambda: watch.feed({'alive': True}))
    clock.at(50, lambda: watch.feed({'position': 1}))
    watch.run()
    assert killed == [pytest.approx(110, abs=0.5)]
    assert isinstance(watch.error, errors.MachineError)
    assert str(watch.error) == ('the decoding process gave no sign of life '
                                'for 60 seconds and was ended')


def test_process_that_lives_without_progress() -> None:
    """It has reported a stalled pipeline itself after a minute, unless it
    waits elsewhere."""
    clock = Machine()
    watch, killed = watched(clock)
    clock.at(10, lambda: watch.feed({'position': 1}))
    for second in range(0, 200, 5):
        clock.at(second, lambda: watch.feed({'alive': True}))
    watch.run()
    assert killed == [pytest.approx(130, abs=0.5)]
    assert not isinstance(watch.error, errors.MachineError)
    assert 'no progress for 120 seconds' in str(watch.error)


@pytest.mark.parametrize('key', ['result', 'error'])
def test_process_that_does_not_exit(key: str) -> None:
    """It may be stopped after its result, which is used."""
    clock = Machine()
    watch, killed = watched(clock)
    clock.at(10, lambda: watch.feed({key: {}}))
    watch.run()
    assert killed == [pytest.approx(15, abs=0.5)]
    assert not watch.error


def test_suspended_machine_kills_no_process() -> None:
    clock = Machine()
    watch, killed = watched(clock)
    clock.at(30, lambda: setattr(clock, 'suspended', 3600.0))
    clock.at(35, lambda: watch.feed({'position': 1}))
    clock.at(40, watch.has_ended.set)
    watch.run()
    assert not killed and not watch.error


def _log_of(pid: int) -> str:
    return os.readlink(f'/proc/{pid}/fd/2')


def test_process_serves_several_requests(tmp_path: Path) -> None:
    """It writes to the log of each request, and ends with the block."""
    with jobs.kept():
        first = jobs.run(str(tmp_path / 'first'), 'versions')
        [pid] = jobs.running()
        assert _log_of(pid) == str(tmp_path / 'first')
        assert jobs.run(str(tmp_path / 'second'), 'versions') == first
        assert jobs.running() == [pid]
        assert _log_of(pid) == str(tmp_path / 'second')
    assert not jobs.running()
    assert jobs.run(str(tmp_path / 'last'), 'versions') == first
    assert not jobs.running()


def test_process_with_an_error_serves_no_more(tmp_path: Path) -> None:
    log = str(tmp_path / 'log')
    with jobs.kept():
        jobs.run(log, 'versions')
        [pid] = jobs.running()
        with pytest.raises(errors.ClqcError):
            jobs.run(log, 'container', path=str(tmp_path / 'none.mp4'))
        assert not jobs.running()
        jobs.run(log, 'versions')
        [other] = jobs.running()
        assert other != pid


def test_idle_process_that_was_killed(tmp_path: Path) -> None:
    log = str(tmp_path / 'log')
    with jobs.kept():
        jobs.run(log, 'versions')
        [pid] = jobs.running()
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        jobs.run(log, 'versions')


def test_process_ends_after_its_share_of_requests(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, '_MAX_REQUESTS', 2)
    log = str(tmp_path / 'log')
    with jobs.kept():
        jobs.run(log, 'versions')
        assert jobs.running()
        jobs.run(log, 'versions')
        assert not jobs.running()


def test_watch_of_a_request_ends_before_the_next(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is idle only when nothing can end it."""
    log = str(tmp_path / 'log')
    were_idle: List[bool] = []
    stop = jobs._Watch.stop

    def note(watch: jobs._Watch) -> None:
        were_idle.append(bool(jobs._idle))
        stop(watch)
    monkeypatch.setattr(jobs._Watch, 'stop', note)
    with jobs.kept():
        jobs.run(log, 'versions')
        jobs.run(log, 'versions')
    assert were_idle == [False, False]


def test_process_whose_request_is_given_up(tmp_path: Path) -> None:
    def refuse(_: int) -> None:
        raise ValueError
    clip = Path(__file__).parents[3] / 'tests' / 'data' / 'pedestrians.avi'
    with jobs.kept():
        with pytest.raises(ValueError):
            jobs.run(str(tmp_path / 'log'), 'packets', refuse,
                     path=str(clip), track=None)
        assert not jobs.running()
        jobs.run(str(tmp_path / 'log'), 'versions')
