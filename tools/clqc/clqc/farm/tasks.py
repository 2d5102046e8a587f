# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tasks that run on Dask's workers: decoding processes, and the finish of an
input, which joins its parts, judges and reports."""
import asyncio
import contextlib
import gzip
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import psutil
from distributed import get_worker

from clqc import __version__
from clqc.checking import check
from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError, MachineError
from clqc.decoding import jobs
from clqc.decoding.file_parts import Part
from clqc.farm import worker_versions
from clqc.inputs import locations
from clqc.inputs.discovery import Input
from clqc.judging.policy import Policy
from clqc.measuring import measurement, video
from clqc.measuring.joining import Inexact
from clqc.results.result_files import FACTS, Json, Results

# gzip level of transferred data: speed matters.
_LEVEL = 1

# Bytes that are stored of a process's output.
_LOG_BYTES = 1 << 16

# Seconds between two messages of progress.
_TICK_SECONDS = 1.0

# Share of its memory that a worker may use, as in Dask's nanny.
_MEMORY_SHARE = 0.95

# Bytes that a worker must be able to write to its folder.
_PROBE_BYTES = 1 << 20


@dataclass(eq=False)
class TaskError(Exception):
    """Why a task failed: a sentence, the output of the process, the address
    and the name of the worker; whether the worker is the cause and not the
    input, so that other workers may succeed; whether a limit was exceeded; and
    whether the worker can run no task at all. All are given by position, for
    Exception and pickle."""
    why: str
    log: str
    worker: str
    name: str
    is_of_worker: bool
    is_too_long: bool
    is_broken: bool


@dataclass(frozen=True)
class Order:
    """A decoding process to run."""
    task: str      # of clqc.decoding.worker
    # The request, with the path as the user has it. Dask logs a text for an
    # order, which must contain no password.
    request: Json = field(repr=False)
    log: str       # where the user finds its output
    topic: str     # name of the progress events,
    tag: str       # with this
    seconds: Optional[float] = None  # time limit


@dataclass
class Answer:
    """The result of an Order."""
    result: Json
    lines: Optional[bytes] = None  # of frames, in gzip
    log: str = ''
    worker: str = ''  # its name
    address: str = ''  # of the worker


@dataclass
class Whole:
    """An input whose parts are all measured, to be finished."""
    path: str = field(repr=False)  # the path may have a password
    name: str
    policy: Policy
    makes_reports: bool
    facts: Json
    keys: List[int]
    times: List[int]  # where it was cut
    sound: measurement.Sound
    scan: Json  # what the task `packets` gave
    one_piece: Optional[str]
    log: str
    seconds: Optional[float] = None  # time limit


@dataclass
class Finished:
    """The result of finishing an input: the files of its results folder, or
    why its parts cannot be joined."""
    files: Dict[str, bytes] = field(default_factory=dict)
    why: Optional[str] = None
    log: str = ''
    address: str = ''  # of the worker


def _name(worker: Any) -> str:
    """Returns the name of the worker for people."""
    if worker.name in (None, '', worker.address):
        return f'worker {worker.address}'
    return f'worker {worker.name} at {worker.address}'


def _bytes(count: float) -> str:
    return f'{count / (1 << 20):.0f} MiB'


class _Care:
    """Decides whether a process must be killed: its task is cancelled, or it
    exceeds its time or memory. The watch thread of the process calls
    why_not(), the thread of the task check()."""

    def __init__(self, seconds: Optional[float],
                 clock: Clock = REAL) -> None:
        self.clock = clock
        self.worker = get_worker()
        self.key = self.worker.get_current_task()
        self.seconds = seconds
        self.start = clock.now()
        self.is_of_worker = False
        self.is_too_long = False
        self.reason: Optional[str] = None  # first reason; None: none yet

    def _is_cancelled(self) -> bool:
        task = self.worker.state.tasks.get(self.key)
        return task is None or task.state == 'cancelled'

    def _memory(self, pid: int) -> Optional[str]:
        """Returns why the largest decoding process must end: the worker and
        its decoding processes use too much memory."""
        limit = self.worker.memory_manager.memory_limit
        if not limit:
            return None
        used: Dict[int, int] = {}
        for one in {pid, os.getpid(), *jobs.running()}:
            with contextlib.suppress(psutil.Error):
                used[one] = psutil.Process(one).memory_info().rss
        total = sum(used.values())
        if total <= limit * _MEMORY_SHARE:
            return None
        used.pop(os.getpid(), None)
        if used and max(used, key=lambda one: used[one]) != pid:
            return None
        self.is_of_worker = True
        return (f'it has too little memory: {_bytes(total)} of '
                f'{_bytes(limit)} are used')

    def why_not(self, pid: int) -> Optional[str]:
        """Returns why a process must end, for jobs.Care."""
        self.reason = self.reason or self._why_not(pid)
        return self.reason

    def _why_not(self, pid: int) -> Optional[str]:
        if self._is_cancelled():
            return 'its result is no longer needed'
        if self.seconds is not None and (
                self.clock.now() - self.start > self.seconds):
            self.is_too_long = True
            return (f'it takes longer than {self.seconds:.0f} seconds, the '
                    'limit for its length')
        return self._memory(pid)

    def check(self) -> None:
        """Raises ClqcError if a process had to end, or the task must end."""
        reason = self.why_not(os.getpid())
        if reason:
            raise ClqcError(reason)


def _ticker(order: Order) -> Callable[[int], None]:
    worker = get_worker()
    last = [0.0]

    def tick(position: int) -> None:
        now = REAL.now()
        if now - last[0] >= _TICK_SECONDS:
            last[0] = now
            worker.log_event(order.topic,
                             {'tag': order.tag, 'position': position})
    return tick


def _tail(path: str) -> str:
    if not os.path.exists(path):
        return ''
    with open(path, 'rb') as file:
        file.seek(max(os.path.getsize(path) - _LOG_BYTES, 0))
        return file.read().decode('utf-8', 'replace')


def _versions(folder: str) -> Json:
    """Returns the versions of this worker, after measuring a frame. Raises
    ClqcError and OSError."""
    found: Json = jobs.run(os.path.join(folder, 'log'), 'versions',
                           care=jobs.Care.within(folder))
    return found


def _is_broken(worker: Any) -> bool:
    """Returns whether a worker can run no task, whatever the input: its disk
    is full, its device has failed, its packages are missing."""
    try:
        with tempfile.TemporaryDirectory(
                prefix='clqc-', dir=worker.local_directory) as folder:
            with open(os.path.join(folder, 'probe'), 'wb') as file:
                file.write(bytes(_PROBE_BYTES))
            _versions(folder)
    except (ClqcError, OSError):
        return True
    return False


class _Folder:
    """A temporary folder for a task; converts errors to TaskError. Removes
    secrets of addresses from all texts."""

    def __init__(self, path: str, log: str) -> None:
        self.worker = get_worker()
        self.input = path
        self.users_log = log
        self.care: Optional[_Care] = None
        self.is_accessible = True  # the input
        self.path = self.log = ''
        self.reachable = path

    def __enter__(self) -> '_Folder':
        try:
            self.path = tempfile.mkdtemp(prefix='clqc-',
                                         dir=self.worker.local_directory)
            self.log = os.path.join(self.path, 'log')
            self.reachable = self._reachable()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def text(self, text: str) -> str:
        """Returns a text without secrets."""
        return locations.hidden(text, self.input, self.reachable)

    def messages(self) -> str:
        """Returns the last messages of its processes."""
        return self.text(_tail(self.log))

    def _reachable(self) -> str:
        is_address = locations.is_address(self.input)
        if not is_address and not os.path.exists(self.input):
            self.is_accessible = False
            raise FileNotFoundError(f'it cannot access {self.input}')
        return locations.reachable(self.input, self.path)

    def __exit__(self, _: Any, error: Optional[BaseException],
                 __: Any) -> None:
        log = self.messages()
        shutil.rmtree(self.path, ignore_errors=True)
        if not isinstance(error, (ClqcError, OSError)):
            return
        why = str(error)
        if self.log:
            why = why.replace(os.path.abspath(self.log), self.users_log)
        is_of_worker = bool(self.care and self.care.is_of_worker)
        is_too_long = bool(self.care and self.care.is_too_long)
        if isinstance(error, (OSError, MachineError)):
            is_of_worker = True
        is_suspect = self.is_accessible and (is_of_worker or is_too_long)
        raise TaskError(
            self.text(why), log, self.worker.address, _name(self.worker),
            is_of_worker, is_too_long, is_suspect and _is_broken(self.worker)
        ) from None


def run(order: Order) -> Answer:
    """Runs a decoding process. Raises TaskError."""
    with _Folder(order.request['path'], order.log) as folder:
        care = folder.care = _Care(order.seconds)
        request = {**order.request, 'path': folder.reachable}
        lines = os.path.join(folder.path, 'lines')
        if order.task == 'measure':
            request['lines'] = lines
        result = jobs.run(folder.log, order.task, _ticker(order),
                          jobs.Care({'TMPDIR': folder.path}, care.why_not),
                          **request)
        answer = Answer(result, log=folder.messages(),
                        worker=_name(folder.worker),
                        address=folder.worker.address)
        if order.task == 'measure':
            with open(lines, 'rb') as file:
                answer.lines = gzip.compress(file.read(), _LEVEL, mtime=0)
        return answer


def _unpack(parts: List[Part], answers: List[Answer]) -> None:
    for part, answer in zip(parts, answers):
        with open(part.lines, 'wb') as file:
            file.write(gzip.decompress(answer.lines or b''))


def _join(whole: Whole, plan: video.Plan,
          answers: List[Answer]) -> video.Measured:
    parts = video.parts_of(plan, whole.keys, whole.times)
    _unpack(parts, answers)
    measured = video.join(plan, whole.keys, parts,
                          [dict(answer.result) for answer in answers])
    measured.facts['one-piece'] = whole.one_piece
    return measured


def _contents(folder: str) -> Dict[str, bytes]:
    contents = {}
    for entry in os.scandir(folder):
        if entry.is_file() and entry.name != measurement.LOG:
            with open(entry.path, 'rb') as file:
                contents[entry.name] = file.read()
    return contents


def finish(whole: Whole, answers: List[Answer]) -> Finished:
    """Finishes an input from measured parts, as one machine does. Raises
    TaskError."""
    with _Folder(whole.path, whole.log) as folder:
        results = Results(os.path.join(folder.path, 'results'))
        work = os.path.join(folder.path, 'work')
        os.mkdir(results.folder)
        os.mkdir(work)
        care = folder.care = _Care(whole.seconds)
        plan = video.Plan(folder.reachable, work, folder.log,
                          measurement.settings_of(whole.policy),
                          why_not=care.why_not,
                          track=whole.facts['video'].get('track'),
                          range=whole.facts['video'].get('range'))
        try:
            measured = _join(whole, plan, answers)
        except (Inexact, ClqcError) as reason:
            if not whole.times or care.reason or isinstance(
                    reason, MachineError):
                raise
            return Finished(why=folder.text(str(reason)),
                            log=folder.messages(),
                            address=folder.worker.address)
        care.check()
        item = Input(whole.path, whole.name)
        facts = measurement.keep(item, results, whole.policy, whole.facts,
                                 measured, whole.sound, whole.scan)
        care.check()
        results.write(FACTS, facts)
        verdict = check.decide(whole.name, results, whole.policy)
        if whole.makes_reports:
            check.write_report(item, results, verdict, care.why_not)
        care.check()  # a report would lack thumbnails
        return Finished(_contents(results.folder), log=folder.messages(),
                        address=folder.worker.address)


def _describe() -> Json:
    cores = worker_versions.hold_to_cores()
    with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
        try:
            description = _versions(folder)
        except (ClqcError, OSError) as error:
            return {'error': str(error).split('; ' + folder, maxsplit=1)[0],
                    'clqc': __version__}
    return {**description, 'clqc': __version__, 'cores': cores}


async def describe(dask_worker: Any) -> Json:
    """Runs on each worker, beside its tasks: returns the versions for
    worker_versions. The worker then accepts tasks of equivalent workers."""
    description: Optional[Json] = getattr(
        dask_worker, 'clqc_description', None)
    if description is None:
        description = await asyncio.to_thread(_describe)
        description['name'] = _name(dask_worker)
        description['slots'] = max(dask_worker.state.nthreads, 1)
        jobs.set_limit(description['slots'])
        if 'error' not in description:
            dask_worker.clqc_description = description
    if 'error' not in description:
        await dask_worker.set_resources(
            **{worker_versions.resource(description): description['slots']})
    return description
