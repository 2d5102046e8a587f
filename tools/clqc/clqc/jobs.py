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
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from . import answers
from .errors import ClqcError, MachineError

Tick = Callable[[int], None]
WhyNot = Callable[[int], Optional[str]]

# A process that is silent for this many seconds is killed; a process that
# decodes nothing reports this itself, after half of that time.
_SILENCE_SECONDS = 2 * float(os.environ.get('CLQC_STALL_SECONDS', '60'))

# Message of GStreamer before a decoder of FFmpeg gets no memory for its
# frames, or crashes.
_MEANINGS = {b"'format != GST_VIDEO_FORMAT_UNKNOWN' failed":
             'its frames have a pixel format that GStreamer does not know'}

# Seconds between two checks of a process.
_WATCH_SECONDS = 0.2


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
# Processes of started() without a request, by log and task.
_started: Dict[Tuple[str, str], 'subprocess.Popen[str]'] = {}
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


def environment(python: str) -> Dict[str, str]:
    """Returns the environment of a process, in which Python finds this
    package. Another interpreter does not get the libraries of this one."""
    path = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    if python == sys.executable and os.environ.get('PYTHONPATH'):
        path.append(os.environ['PYTHONPATH'])
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(path)}


def _start(log: Any, task: str, settings: Dict[str, str]
           ) -> 'subprocess.Popen[str]':
    python = interpreter()
    with _lock:
        if _is_cancelled:
            raise Cancelled
        # pylint: disable-next=consider-using-with
        process = subprocess.Popen(
            [python, '-m', 'clqc.worker', task], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log, text=True,
            env={**environment(python), **settings})
        _running.add(process)
    return process


@contextlib.contextmanager
def started(log_path: str, task: str, care: Care) -> Iterator[None]:
    """Starts the process of a task before its request is known: the first
    run() of the task with the same log uses it. If none does, the end of the
    block stops it."""
    with open(log_path, 'a', encoding='utf-8') as log:
        process = _start(log, task, care.settings)
    with _lock:
        _started[log_path, task] = process
    try:
        yield
    finally:
        if _take_started(log_path, task):
            process.kill()
            process.communicate()
            with _lock:
                _running.discard(process)


def _take_started(log_path: str, task: str
                  ) -> Optional['subprocess.Popen[str]']:
    with _lock:
        return _started.pop((log_path, task), None)


def _end(process: 'subprocess.Popen[str]') -> int:
    status = process.wait()
    with _lock:
        _running.discard(process)
        if _is_cancelled:
            raise Cancelled
    return status


class _Watchdog:
    """Kills a process that has been silent for too long."""

    def __init__(self, process: 'subprocess.Popen[str]') -> None:
        self.process = process
        self.has_bitten = False
        self.timer: Optional[threading.Timer] = None

    def _bite(self) -> None:
        self.has_bitten = True
        self.process.kill()

    def feed(self) -> None:
        """The process has written something."""
        self.stop()
        self.timer = threading.Timer(_SILENCE_SECONDS, self._bite)
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        """The process has ended."""
        if self.timer:
            self.timer.cancel()


class _Watch(threading.Thread):
    """Kills a process when the function of Care returns a reason."""

    def __init__(self, process: 'subprocess.Popen[str]',
                 why: WhyNot) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.why = why
        self.reason: Optional[str] = None
        self.has_ended = threading.Event()
        self.start()

    def run(self) -> None:
        while not self.reason and not self.has_ended.wait(_WATCH_SECONDS):
            self.reason = self.why(self.process.pid)
        if self.reason:
            self.process.kill()

    def stop(self) -> Optional[str]:
        """The process has ended; returns why it was killed."""
        self.has_ended.set()
        self.join()
        return self.reason


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


def _tell(process: 'subprocess.Popen[str]', request: Dict[str, Any]) -> None:
    assert process.stdin
    try:
        json.dump(request, process.stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it ended at once: its output says why


def run(log_path: str, task: str, on_tick: Optional[Tick] = None,
        care: Care = Care(), **request: Any) -> Dict[str, Any]:
    """Runs a task of clqc.worker and returns its result; other output of the
    process is appended to the log. Raises ClqcError with the error of the
    process, or MachineError if the process reports one."""
    answer: Dict[str, Any] = {}
    start = os.path.getsize(log_path) if os.path.exists(log_path) else 0
    with _slots, open(log_path, 'a', encoding='utf-8') as log:
        process = _take_started(log_path, task) or _start(
            log, task, care.settings)
        watchdog = _Watchdog(process)
        watch = _Watch(process, care.why_not)
        watchdog.feed()
        try:
            _tell(process, request)
            assert process.stdout
            with process.stdout as lines:
                for text in lines:
                    watchdog.feed()
                    if not text.endswith('\n'):
                        break  # it was killed
                    answer = answers.parse(text)
                    if 'position' in answer and on_tick:
                        on_tick(answer['position'])
            status = _end(process)
        finally:
            watchdog.stop()
            reason = watch.stop()

    if 'result' in answer:
        result: Dict[str, Any] = answer['result']
        return result
    meaning = _meaning(log_path, start) if not reason else None
    if meaning:
        raise ClqcError(meaning)
    if 'error' in answer:
        raise (MachineError if answer.get('of-machine') else ClqcError)(
            answer['error'])
    if reason:
        raise ClqcError(reason)
    if watchdog.has_bitten:
        raise ClqcError(f'no message for {_SILENCE_SECONDS:.0f} seconds')
    how = (f'signal {-status}' if status < 0 else f'status {status}')
    # As the kernel does when memory is exhausted.
    kind = MachineError if status == -signal.SIGKILL else ClqcError
    raise kind(f'the decoding process ended with {how}; '
               f'{os.path.abspath(log_path)} has its last messages')
