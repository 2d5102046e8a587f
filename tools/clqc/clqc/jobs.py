# SPDX-License-Identifier: LGPL-2.1-or-later
"""Work in processes of their own."""
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

# A process that says nothing for so many seconds is ended; one in which
# nothing is decoded says so itself, after half of that.
_SILENCE_SECONDS = 2 * float(os.environ.get('CLQC_STALL_SECONDS', '60'))

# What GStreamer complains of before a decoder of FFmpeg gets no memory for its
# frames, or crashes.
_MEANINGS = {b"'format != GST_VIDEO_FORMAT_UNKNOWN' failed":
             'its frames have a pixel format that GStreamer does not know'}

# Seconds between two looks at a process.
_WATCH_SECONDS = 0.2


class Cancelled(Exception):
    """Somebody has asked to stop."""


@dataclass(frozen=True)
class Care:
    """How a process is treated: variables of its environment, and a function
    of its number that says why it has to be killed, if it has to; a thread of
    its own asks that now and then."""
    settings: Dict[str, str] = field(default_factory=dict)
    why_not: WhyNot = lambda _: None

    @staticmethod
    def within(folder: str, why_not: WhyNot = lambda _: None) -> 'Care':
        """Files that do not stay are in a folder that the caller removes,
        since a process that is killed removes none."""
        return Care({'TMPDIR': os.path.abspath(folder)}, why_not)


_lock = threading.Lock()  # over what follows
_running: Set['subprocess.Popen[str]'] = set()
# Those of started() that have no request yet, by log and task.
_started: Dict[Tuple[str, str], 'subprocess.Popen[str]'] = {}
_is_cancelled = False


_slots = threading.BoundedSemaphore(1)


def set_limit(n_at_once: int) -> None:
    """So many processes at a time, of all threads; before the first."""
    global _slots
    _slots = threading.BoundedSemaphore(n_at_once)


def cancel() -> None:
    """Ends all jobs, those to come too. Any thread."""
    global _is_cancelled
    with _lock:
        _is_cancelled = True
        for process in _running:
            process.kill()


def running() -> List[int]:
    """The numbers of the processes of all threads."""
    with _lock:
        return [process.pid for process in _running]


def interpreter() -> str:
    """The Python that runs the processes that decode. GStreamer's bindings
    belong to the Python of the system, so clqc may run in another one, as in
    a virtual environment, that has none."""
    if importlib.util.find_spec('gi'):
        return sys.executable
    return shutil.which('python3', path=os.defpath) or sys.executable


def environment(python: str) -> Dict[str, str]:
    """The package is found however it was found here. Another interpreter
    does not get the libraries of this one."""
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
    """Starts the process of a task, so that it is ready when its request is
    known: the first run() of the task with the same log takes it. The end of
    the block ends it otherwise."""
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
    """Kills a process that nobody has heard of for too long."""

    def __init__(self, process: 'subprocess.Popen[str]') -> None:
        self.process = process
        self.has_bitten = False
        self.timer: Optional[threading.Timer] = None

    def _bite(self) -> None:
        self.has_bitten = True
        self.process.kill()

    def feed(self) -> None:
        """It has said something."""
        self.stop()
        self.timer = threading.Timer(_SILENCE_SECONDS, self._bite)
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        """It has ended."""
        if self.timer:
            self.timer.cancel()


class _Watch(threading.Thread):
    """Kills a process when somebody says why."""

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
    """What the words of a process mean, from byte @start of the log on, where
    its error or its crash does not say it."""
    with open(log_path, 'rb') as log:
        log.seek(start)
        words = log.read()
    for said, meaning in _MEANINGS.items():
        if said in words:
            return meaning
    return None


def _tell(process: 'subprocess.Popen[str]', request: Dict[str, Any]) -> None:
    assert process.stdin
    try:
        json.dump(request, process.stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it ended at once: what it has said tells why


def run(log_path: str, task: str, on_tick: Optional[Tick] = None,
        care: Care = Care(), **request: Any) -> Dict[str, Any]:
    """Does a task of clqc.worker and returns its result; what the process
    says otherwise is added to the log. Raises ClqcError with its error, as
    MachineError where that says so."""
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
        raise ClqcError(f'no sign of life for {_SILENCE_SECONDS:.0f} seconds')
    how = (f'signal {-status}' if status < 0 else f'status {status}')
    # As systems do that have no memory left.
    kind = MachineError if status == -signal.SIGKILL else ClqcError
    raise kind(f'the process that decodes it ended with {how}; '
               f'{os.path.abspath(log_path)} has its last words')
