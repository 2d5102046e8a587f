# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs work in separate processes."""
import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Set

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError, MachineError
from clqc.common.processes import environment
from clqc.decoding import worker_messages

Tick = Callable[[int], None]
WhyNot = Callable[[int], Optional[str]]

# A process that lives but makes no progress for this many seconds is killed; a
# process that decodes nothing reports this itself, after half of that time.
_PROGRESS_SECONDS = 2 * worker_messages.STALL_SECONDS

# Message of GStreamer before a decoder of FFmpeg gets no memory for its
# frames, or crashes.
_MEANINGS = {b"'format != GST_VIDEO_FORMAT_UNKNOWN' failed":
             'its frames have a pixel format that GStreamer does not know'}

# Seconds between two checks of a process.
_WATCH_SECONDS = 0.2

# Seconds that a process has to exit after its result.
_EXIT_SECONDS = 5.0

# Requests that a process serves at most: what libraries leak ends with it.
_MAX_REQUESTS = 60

# Maximum time between two checks that counts, in seconds: a machine that was
# suspended kills no process.
_CHECK_AT_MOST = 1.0


class Cancelled(Exception):
    """The user has asked to stop."""


@dataclass(frozen=True)
class Care:
    """Options of a process: variables of its environment, and a function of
    its process id that returns why it must be killed, or None; a separate
    thread calls this function regularly."""
    settings: Dict[str, str] = field(default_factory=dict)
    why_not: WhyNot = lambda _: None

    @staticmethod
    def within(folder: str, why_not: WhyNot = lambda _: None) -> 'Care':
        """Places temporary files in a folder that the caller removes, because
        a killed process removes none."""
        return Care({'TMPDIR': os.path.abspath(folder)}, why_not)


_lock = threading.Lock()  # protects the members below
_running: Set['subprocess.Popen[str]'] = set()
# Processes of kept() between two requests; the number of requests that a
# process can still serve, by process id.
_idle: List['subprocess.Popen[str]'] = []
_left: Dict[int, int] = {}
_is_keeping = False
_is_cancelled = False


_slots = threading.BoundedSemaphore(1)


def set_limit(n_at_once: int) -> None:
    """Sets the maximum number of processes at a time, for all threads; called
    before the first process."""
    global _slots
    _slots = threading.BoundedSemaphore(n_at_once)


def cancel() -> None:
    """Ends all present and future jobs. Any thread."""
    global _is_cancelled
    with _lock:
        _is_cancelled = True
        for process in _running:
            process.kill()


def running() -> List[int]:
    """Returns the process ids of all threads' processes."""
    with _lock:
        return [process.pid for process in _running]


def interpreter() -> str:
    """Returns the Python for the decoding processes. GStreamer's bindings
    belong to the system's Python; clqc may run in another one without them,
    for example in a virtual environment."""
    if importlib.util.find_spec('gi'):
        return sys.executable
    return shutil.which('python3', path=os.defpath) or sys.executable


def _start(log: Any, settings: Dict[str, str]) -> 'subprocess.Popen[str]':
    python = interpreter()
    with _lock:
        if _is_cancelled:
            raise Cancelled
        # pylint: disable-next=consider-using-with
        process = subprocess.Popen(
            [python, '-m', 'clqc.decoding.worker'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            text=True, env={**environment(python), **settings})
        _running.add(process)
        _left[process.pid] = _MAX_REQUESTS if _is_keeping else 1
    return process


def _forget(process: 'subprocess.Popen[str]') -> None:
    """The process has ended. Called with the lock."""
    _running.discard(process)
    _left.pop(process.pid, None)


def _take_idle() -> Optional['subprocess.Popen[str]']:
    """Returns a process of kept() that has not ended meanwhile; None: there is
    none."""
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.poll() is None:
                return process
            _forget(process)
    return None


def _stop(process: 'subprocess.Popen[str]') -> None:
    """Stops a process that serves no request."""
    process.kill()
    for stream in (process.stdin, process.stdout):
        assert stream
        with contextlib.suppress(OSError):  # an unsent request
            stream.close()
    process.wait()
    with _lock:
        _forget(process)


def _can_serve(process: 'subprocess.Popen[str]') -> bool:
    return _is_keeping and _left.get(process.pid, 0) > 0


def _keep(process: 'subprocess.Popen[str]') -> bool:
    """Keeps a process for the next request, if it can serve one."""
    with _lock:
        keeps = not _is_cancelled and _can_serve(process)
        if keeps:
            _idle.append(process)
    return keeps


def _stop_idle() -> None:
    """Stops the processes that wait for a request."""
    with _lock:
        idle = _idle[:]
        _idle.clear()
    for process in idle:
        _stop(process)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Within the block, a process that has given a result serves further
    requests, of any thread: a start takes longer than a short file. A process
    with an error serves none."""
    global _is_keeping
    _is_keeping = True
    try:
        yield
    finally:
        _is_keeping = False
        _stop_idle()


def _end(process: 'subprocess.Popen[str]') -> int:
    assert process.stdout
    process.stdout.close()
    status = process.wait()
    with _lock:
        _forget(process)
        if _is_cancelled:
            raise Cancelled
    return status


def _is_stopped(pid: int) -> bool:
    """Returns whether a signal has stopped the process."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rpartition(')')[2].split()[0] == 'T'
    except OSError:
        return False


class _Watch(threading.Thread):
    """Kills a process when the function of Care returns a reason, when it
    gives no sign of life, or when it makes no progress."""

    def __init__(self, process: 'subprocess.Popen[str]', why: WhyNot,
                 clock: Clock = REAL) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.why = why
        self.clock = clock
        self.reason: Optional[str] = None  # of Care
        self.error: Optional[ClqcError] = None  # of the process
        self.has_answered = False  # with a result or an error
        self.silent = 0.0  # seconds without a message
        self.idle = 0.0    # seconds without progress
        self.has_ended = threading.Event()

    def feed(self, answer: Dict[str, Any]) -> None:
        """The process has written a message."""
        self.silent = 0.0
        if 'alive' not in answer:
            self.idle = 0.0
        self.has_answered = 'result' in answer or 'error' in answer

    def _error(self) -> Optional[ClqcError]:
        """Returns what is wrong with the process. No file stops the thread
        that gives signs of life, so their absence is of the machine."""
        if self.has_answered:
            return None
        if self.silent > worker_messages.STALL_SECONDS:
            why = ': a signal had stopped it' if _is_stopped(
                self.process.pid) else ''
            return MachineError(
                'the decoding process gave no sign of life for '
                f'{worker_messages.STALL_SECONDS:.0f} seconds and was ended'
                f'{why}')
        if self.idle > _PROGRESS_SECONDS:
            return ClqcError('the decoding process made no progress for '
                             f'{_PROGRESS_SECONDS:.0f} seconds and was ended')
        return None

    def run(self) -> None:
        last = self.clock.now()
        while not self.clock.wait(self.has_ended, _WATCH_SECONDS):
            now = self.clock.now()
            passed = min(now - last, _CHECK_AT_MOST)
            last = now
            self.silent += passed
            self.idle += passed
            self.reason = self.why(self.process.pid)
            self.error = self._error()
            is_late = self.has_answered and self.silent > _EXIT_SECONDS
            if self.reason or self.error or is_late:
                self.process.kill()
                return

    def stop(self) -> None:
        """The process has ended."""
        self.has_ended.set()
        self.join()


def _meaning(log_path: str, start: int) -> Optional[str]:
    """Returns the meaning of a process's messages, from byte @start of the log
    on, if its error or its crash does not explain it."""
    with open(log_path, 'rb') as log:
        log.seek(start)
        words = log.read()
    for pattern, meaning in _MEANINGS.items():
        if pattern in words:
            return meaning
    return None


def _tell(process: 'subprocess.Popen[str]', order: Dict[str, Any]) -> None:
    assert process.stdin
    with _lock:
        _left[process.pid] -= 1
        is_last = _left[process.pid] <= 0
    # its output says why, if it has ended at once
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(order), file=process.stdin, flush=True)
        if is_last:
            process.stdin.close()


def _listen(process: 'subprocess.Popen[str]', watch: _Watch,
            on_tick: Optional[Tick]) -> Dict[str, Any]:
    """Returns the last message about a request: its result, or what came last
    before the process has ended."""
    answer: Dict[str, Any] = {}
    assert process.stdout
    while True:
        text = process.stdout.readline()
        if not text.endswith('\n'):
            break  # it has ended, or was killed
        message = worker_messages.parse(text)
        watch.feed(message)
        if 'alive' in message:
            continue
        answer = message
        if 'position' in answer and on_tick:
            on_tick(answer['position'])
        if 'result' in answer:
            break
    return answer


def run(log_path: str, task: str, on_tick: Optional[Tick] = None,
        care: Care = Care(), **request: Any) -> Dict[str, Any]:
    """Runs a task of clqc.decoding.worker and returns its result; other output
    of the process is appended to the log. Raises ClqcError with the error of
    the process, or MachineError if the process reports one."""
    start = os.path.getsize(log_path) if os.path.exists(log_path) else 0
    with _slots, open(log_path, 'a', encoding='utf-8') as log:
        process = _take_idle() or _start(log, care.settings)
        watch = _Watch(process, care.why_not)
        watch.start()
        try:
            _tell(process, {'task': task, 'log': os.path.abspath(log_path),
                            'settings': care.settings, 'request': request})
            answer = _listen(process, watch, on_tick)
            is_last = 'result' not in answer or not _can_serve(process)
            status = _end(process) if is_last else 0
        except BaseException:
            _stop(process)
            raise
        finally:
            watch.stop()
        # not before: the watch would end the process of the next request
        if not is_last and not _keep(process):
            _stop(process)

    if 'result' in answer:
        result: Dict[str, Any] = answer['result']
        return result
    meaning = _meaning(log_path, start) if not watch.reason else None
    if meaning:
        raise ClqcError(meaning)
    if 'error' in answer:
        raise (MachineError if answer.get('of-machine') else ClqcError)(
            answer['error'])
    if watch.reason:
        raise ClqcError(watch.reason)
    if watch.error:
        raise watch.error
    how = (f'signal {-status}' if status < 0 else f'status {status}')
    # As the kernel does when memory is exhausted.
    kind = MachineError if status == -signal.SIGKILL else ClqcError
    raise kind(f'the decoding process ended with {how}; '
               f'{os.path.abspath(log_path)} has its last messages')
