# SPDX-License-Identifier: LGPL-2.1-or-later
"""What keeps a stream open, with processes that only fail."""
import os
import queue
import subprocess
import sys
import threading
import time

import pytest

from clqc import jobs
from clqc.live.backoff import Backoff
from clqc.live.judging import Rules
from clqc.live.sources import Stream
from clqc.live.stream import Runner


class AtOnce(Backoff):
    def wait(self, good_for):
        return 0.0


@pytest.fixture(name='runner')
def _runner(tmp_path, monkeypatch):
    program = tmp_path / 'python'
    program.write_text(
        '#!/bin/sh\nread request\necho words >&2\n'
        """echo '{"type": "error", "message": "no", "kind": ""}'\nexit 1\n""")
    program.chmod(0o755)
    monkeypatch.setattr(jobs, 'interpreter', lambda: str(program))
    return Runner(0, Stream('a', 'x://y'), Rules(), queue.Queue(), 1, 1,
                  backoff=AtOnce())


def test_nothing_is_left_of_connections(runner):
    """No descriptors and no threads, however often a stream is opened. They
    are counted while no process of the stream is there: one that starts has
    up to eight descriptors."""
    def held():
        return len(os.listdir('/proc/self/fd')), threading.active_count()
    assert runner._once()['message'] == 'no'
    descriptors, threads = held()
    runner.start()
    for _ in range(150):
        _, closed = runner.inbox.get(timeout=20)
        assert closed['message'] == 'no'
    runner.stop()
    runner.join(10)
    assert not runner.is_alive()
    after = held()
    assert after[0] <= descriptors and after[1] <= threads


def test_stop_as_a_process_starts(runner, monkeypatch):
    """The pipe is closed in front of the request."""
    start = runner._start

    def stopped():
        process = start()
        runner.stop()
        return process
    monkeypatch.setattr(runner, '_start', stopped)
    assert runner._once()['type'] == 'closed'


@pytest.mark.parametrize('counts, has_good_time', [
    ([0, 1, 1, 5, 5], True), ([0, 1, 1, 1, 1], False), ([0] * 5, False)])
def test_seconds_with_frames(counts, has_good_time, runner, tmp_path):
    """From the first frame to the last one, and not to the end: a connection
    that stays open without frames is no good one."""
    (tmp_path / 'python').write_text('#!/bin/sh\nread request\n' + ''.join(
        f"""echo '{{"type": "alive", "frames": {n}}}'\nsleep 0.2\n"""
        for n in counts))
    begun = time.monotonic()
    good_for = runner._once()['good-for']
    if has_good_time:
        assert 0.3 < good_for <= time.monotonic() - begun - 0.3
    else:
        assert good_for == 0.0


def test_what_is_not_needed_takes_no_memory():
    """A service does not keep what measuring files needs."""
    done = subprocess.run(
        [sys.executable, '-c', 'import sys\n'
         'import clqc.cli, clqc.live.command\n'
         'print(*sorted({"gi", "jinja2", "numpy", "distributed",'
         ' "paho", "prometheus_client"}.intersection(sys.modules)))'],
        check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == '\n'
