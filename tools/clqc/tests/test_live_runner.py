# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeping a stream open, with processes that only fail."""
import json
import os
import queue
import subprocess
import sys
import threading

import live
import pytest
from jumping import Jumping

from clqc.decoding import jobs
from clqc.judging.rules.model import Live
from clqc.live.configuration import stream_addresses
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.judge import Rules
from clqc.live.processes.supervisor import Backoff, Runner
from clqc.live.processes.time_limits import START_SECONDS, TimeLimits


class AtOnce(Backoff):
    def wait(self, good_for):
        return 0.0


@pytest.fixture(name='clock')
def _clock():
    return Jumping()


@pytest.fixture(name='runner')
def _runner(tmp_path, monkeypatch, clock):
    program = tmp_path / 'python'
    program.write_text(
        '#!/bin/sh\nread request\necho words >&2\n'
        """echo '{"type": "error", "message": "no", "kind": ""}'\nexit 1\n""")
    program.chmod(0o755)
    monkeypatch.setattr(jobs, 'interpreter', lambda: str(program))
    return Runner(0, Stream('a', 'x://y'), Rules(), queue.Queue(), 1, 1,
                  backoff=AtOnce(), clock=clock)


def test_connections_leak_nothing(runner):
    """No leaks of descriptors and threads, however often a stream is opened.
    They are counted while no process of the stream runs: one that starts has
    up to eight descriptors."""
    def held():
        return len(os.listdir('/proc/self/fd')), threading.active_count()
    assert runner._once()['message'] == 'no'
    descriptors, threads = held()
    runner.start()
    for _ in range(150):
        _, closed = runner.inbox.get(timeout=60)
        assert closed['message'] == 'no'
    runner.stop()
    runner.join(60)
    assert not runner.is_alive()
    after = held()
    assert after[0] <= descriptors and after[1] <= threads


def test_stop_while_a_process_starts(runner, monkeypatch):
    """The pipe of the process is closed before the request to stop."""
    start = runner._start

    def stopped():
        process = start()
        runner.stop()
        return process
    monkeypatch.setattr(runner, '_start', stopped)
    assert runner._once()['type'] == 'closed'


@pytest.mark.parametrize('counts, seconds', [
    ([0, 1, 1, 5, 5], 4), ([0, 1, 1, 1, 1], 0), ([0] * 5, 0)])
def test_seconds_with_frames(counts, seconds, runner, clock):
    """From the first frame to the last one, and not to the end: a connection
    that stays open without frames is no good one."""
    def lines():
        for count in counts:
            yield json.dumps({'type': 'alive', 'frames': count})
            clock.sleep(2)
    assert runner._listen(lines())[1] == seconds


def test_waits_between_connections(runner, clock, monkeypatch):
    """Waits double; but a stream that had frames for a long time, or stalled,
    is opened again soon."""
    ends = [('no', '', 0.0)] * 7 + [
        ('no', '', 60.0), ('no', '', 0.0), ('no', 'stall', 0.0),
        ('no', 'fatal', 0.0)]
    monkeypatch.setattr(runner, 'backoff', Backoff(lambda: 1.0))
    monkeypatch.setattr(runner, '_once', lambda: dict(zip(
        ('message', 'kind', 'good-for'), ends.pop(0))))
    runner.run()
    assert clock.waits == [1, 2, 4, 8, 16, 30, 30, 1, 2, 1]
    messages = [runner.inbox.get_nowait()[1] for _ in range(11)]
    assert [closed['final'] for closed in messages] == [False] * 10 + [True]
    assert not ends


@pytest.mark.parametrize('loops, message, n_opened', [
    (False, '', 1), (True, '', 3), (False, 'broken', 1), (True, 'broken', 1)])
def test_file_in_a_loop(loops, message, n_opened, runner, clock, monkeypatch):
    """At once, on each request, if it can be played."""
    opened = []

    def once():
        opened.append(1)
        if len(opened) == 3:
            runner.stop()
        return {'message': message, 'kind': '', 'good-for': 1.0}
    monkeypatch.setattr(runner, 'stream', Stream('a', 'file:///x', True))
    monkeypatch.setattr(runner, 'loops', loops)
    monkeypatch.setattr(runner, '_once', once)
    runner.run()
    assert len(opened) == n_opened and not any(clock.waits)


@pytest.mark.parametrize('is_fifo', [False, True])
def test_absent_source_is_tried_again(is_fifo, runner, clock, tmp_path,
                                      monkeypatch):
    """Whatever appears in its place; no process runs until then."""
    path = tmp_path / 'x'
    stream, = stream_addresses.parse([str(path)])
    monkeypatch.setattr(runner, 'stream', stream)
    monkeypatch.setattr(runner, 'backoff', Backoff(lambda: 1.0))
    clock.at(100, lambda: os.mkfifo(path) if is_fifo else path.write_text(''))
    clock.at(200, runner.stop)
    runner.run()
    messages = [runner.inbox.get_nowait()[1]
                for _ in range(runner.inbox.qsize())]
    absent = [(closed['message'], closed['final']) for closed in messages
              if closed.get('kind') == 'absent']
    assert absent == [(f'{path}: no such file', False)] * 8
    assert clock.waits[:8] == [1, 2, 4, 8, 16, 30, 30, 30]
    found = messages[8:]
    if is_fifo:
        assert (found[0]['type'], found[0]['stream'].uri) == (
            'source', f'fifo://{path}')
        assert found[1]['message'] == 'no' and not found[1]['final']
    else:  # a file that cannot be played
        assert [(row['message'], row['final']) for row in found] == [
            ('no', True)]


def test_file_that_disappears(runner, clock, tmp_path, monkeypatch):
    """It is tried again, also if it was played to its end with --loop."""
    path = tmp_path / 'x'
    path.write_text('')
    stream, = stream_addresses.parse([str(path)])
    monkeypatch.setattr(runner, 'stream', stream)
    monkeypatch.setattr(runner, 'loops', True)
    monkeypatch.setattr(runner, 'backoff', Backoff(lambda: 1.0))
    (tmp_path / 'python').write_text(
        '#!/bin/sh\nread request\nrm -f %s\n'
        """echo '{"type": "end"}'\n""" % path)
    clock.at(50, runner.stop)
    runner.run()
    kinds = [runner.inbox.get_nowait()[1] for _ in range(2)]
    assert [(row['kind'], row['final']) for row in kinds] == [
        ('', False), ('absent', False)]


@pytest.fixture(name='stopped')
def _stopped(runner, tmp_path):
    """A process of the runner that stops itself: before its first message, or
    after it. Returns what follows its end."""
    closed = []

    def start(has_started):
        message = 'echo \'{"type": "waits"}\'\n' if has_started else ''
        (tmp_path / 'python').write_text(
            f'#!/bin/sh\nread request\n{message}kill -STOP $$\n')
        thread = threading.Thread(
            target=lambda: closed.append(runner._once()))
        thread.start()
        live.until(lambda: runner._process, 60, 'a process')
        if has_started:
            runner.inbox.get(timeout=60)
        return thread
    yield start, closed
    runner.kill()


def checks(runner, clock, seconds):
    """Checks the process four times a second. Returns when it did not
    respond."""
    found = []
    for _ in range(int(seconds * 4)):
        clock.sleep(0.25)
        if runner.check():
            found.append(clock.now())
    return found


@pytest.mark.parametrize('loss, stall, silent, ended', [
    (2, 10, 3, 10), (0.5, 10, 1.5, 10), (0, 5, 6, 6), (6, 1, 7, 7)])
def test_process_that_does_not_respond(runner, clock, stopped, loss, stall,
                                       silent, ended):
    """By the times of the policy, it is a fault; later clqc ends it, and says
    so."""
    runner.times = TimeLimits.of(Live(signal_loss=int(loss * 1e9)), stall)
    start, closed = stopped
    thread = start(True)
    found = checks(runner, clock, ended)
    assert thread.is_alive() and not closed
    assert found == [time for time in found if time > silent]
    assert len(found) == (ended - silent) * 4
    assert checks(runner, clock, 1)[:1] == [ended + 0.25]
    thread.join(60)
    assert (closed[0]['message'], closed[0]['kind']) == (
        'clqc ended the decoding process, which had not responded for '
        f'{ended:g} seconds', 'stall')


def test_process_that_does_not_start(runner, clock, stopped):
    """It has more time, and is no fault of the stream until clqc ends it."""
    start, closed = stopped
    thread = start(False)
    assert checks(runner, clock, START_SECONDS) == []
    assert thread.is_alive()
    assert checks(runner, clock, 1) == []
    thread.join(60)
    assert closed[0]['message'] == (
        'clqc ended the decoding process, which had not started within 30 '
        'seconds')


def test_pause_of_clqc_itself(runner, clock, stopped):
    """clqc was stopped together with its processes: no process is killed for
    messages that could not be read."""
    start, closed = stopped
    start(True)
    clock.sleep(3600)
    assert not runner.check() and not closed
    runner._hear()
    assert checks(runner, clock, 3) == []


def test_unneeded_modules_are_not_loaded():
    """A service does not keep memory that only measuring files needs."""
    done = subprocess.run(
        [sys.executable, '-c', 'import sys\n'
         'import clqc.commandline, clqc.live.command\n'
         'print(*sorted({"gi", "jinja2", "numpy", "distributed",'
         ' "paho", "prometheus_client"}.intersection(sys.modules)))'],
        check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == '\n'
