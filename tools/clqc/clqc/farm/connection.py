# SPDX-License-Identifier: LGPL-2.1-or-later
"""The farm: which workers it has, which of them are refused, and what happens
to tasks when workers or the scheduler go."""
import asyncio
import contextlib
import os
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Optional, Set

from .. import __version__, jobs
from ..check import Options
from ..errors import ClqcError
from ..inputs import Input
from ..measuring import Progress
from ..results import Json, Verdict
from . import alike, tasks
from .pending import NoneLeft, Pending

Connect = Callable[[], Any]  # a distributed.Client
Say = Callable[[str], None]

# What Dask raises where a scheduler or a connection is gone; it has many, of
# connections, of time, of being closed.
_ANY = (Exception, asyncio.CancelledError)

_LOOK_SECONDS = 0.5

# Seconds after which waiting is told of.
_PATIENCE = 5.0

# Seconds until a scheduler that is there has answered.
_ANSWER_SECONDS = 10.0

# Seconds that a scheduler, or all workers, may be away.
AWAY_SECONDS = float(os.environ.get('CLQC_FARM_AWAY_SECONDS', '600'))

# Inputs at a time: of each a thread waits here.
_LEAST_INPUTS = 32
_MOST_INPUTS = 512

# Times that a task is sent: more than farms break.
_MOST_SENT = 50

# Threads that take results, which are written to disks.
_TAKERS = 8


class _Workers:
    """What the workers tell, by their address."""

    def __init__(self, ours: Optional[Json], say: Say) -> None:
        self.ours = ours
        self.say = say
        self.wanted: Optional[Json] = None
        self.told: Dict[str, Json] = {}
        self.refused: Dict[str, str] = {}  # by their names: what was told

    def hear(self, client: Any, present: Set[str]) -> Set[str]:
        """Asks the new ones; returns the addresses of those that can work."""
        new = [one for one in present if one not in self.told]
        if new:
            answers = client.run(tasks.describe, workers=new,
                                 on_error='return')
            for address, answer in answers.items():
                self.told[address] = (
                    answer if isinstance(answer, dict) else
                    {'name': f'worker {address}', 'error': _why(answer)})
        here = {address: told for address, told in self.told.items()
                if address in present}
        if self.wanted is None:
            self.wanted = alike.choose(here.values(), self.ours)
        return {address for address, told in here.items()
                if self._is_taken(told)}

    def _is_taken(self, told: Json) -> bool:
        why = alike.why_not(told, self.wanted or {'clqc': __version__})
        if why and told['name'] not in self.refused:
            self.refused[told['name']] = f'{told["name"]} is refused: {why}'
            self.say(self.refused[told['name']])
        return not why


def _why(error: Any) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f'it lacks the Python package {error.name or error}'
    return f'{type(error).__name__}: {error}'


class Farm:
    """Takes tasks from any thread. A thread looks after the workers."""

    def __init__(self, connect: Connect, say: Say, ours: Optional[Json],
                 wait_seconds: float, limit: float) -> None:
        self.connect = connect
        self.limit = limit  # seconds that a second of video may take
        self.say = say
        self.topic = f'clqc-{uuid.uuid4().hex}'
        self.lock = threading.RLock()  # over what follows
        self.client: Any = connect()
        self.scheduler: Optional[str] = None
        self.workers = _Workers(ours, say)
        self.taken: Set[str] = set()  # addresses of those that can work
        self.present: Set[str] = set()
        self.pending: Dict[str, Pending] = {}
        self.lost: Set[str] = set()  # tags
        self.is_over = threading.Event()
        self.takers = ThreadPoolExecutor(_TAKERS)
        try:
            self._await_workers(wait_seconds)
        except BaseException:
            self.close()
            raise
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    # --- workers ----------------------------------------------------------

    def _await_workers(self, seconds: float) -> None:
        """Until one can work. Raises ClqcError where none of those that are
        there can."""
        end = time.monotonic() + seconds
        told_at = time.monotonic() + _PATIENCE
        while True:
            self._look()
            if self.taken:
                return
            if self.present:
                raise ClqcError('no worker can measure: ' +
                                '; '.join(self.workers.refused.values()))
            if time.monotonic() > end:
                raise ClqcError(f'no worker has come within {seconds:.0f} '
                                'seconds')
            if time.monotonic() > told_at:
                self.say('waiting for workers')
                told_at = float('inf')
            time.sleep(_LOOK_SECONDS)

    @property
    def versions(self) -> Json:
        """What the workers tell that take tasks."""
        assert self.workers.wanted
        return self.workers.wanted

    def n_slots(self) -> int:
        """Tasks that the workers which are there take at a time."""
        return sum(int(self.workers.told[one].get('slots', 1))
                   for one in self.taken)

    def _look(self) -> None:
        """Raises OSError where the scheduler does not answer."""
        identity = self.client.sync(self.client.scheduler.identity,
                                    callback_timeout=_ANSWER_SECONDS)
        if identity['id'] != self.scheduler:
            self.scheduler = identity['id']
            self.workers.told.clear()
            self.client.subscribe_topic(self.topic, self._on_event)
            with self.lock:
                self.lost.update(list(self.pending))
        present = set(identity['workers'])
        taken = self.workers.hear(self.client, present)
        with self.lock:
            if not taken.intersection(self.taken):
                # There may have been a time without any, and Dask does not
                # look at tasks again that no worker could take.
                self.lost.update(list(self.pending))
            self.present, self.taken = present, taken
            self.lost.update(
                tag for tag, one in list(self.pending.items())
                if one.allowed and not taken.intersection(one.allowed))

    def _on_event(self, event: Any) -> None:
        message = event[1]
        pending = self.pending.get(message['tag'])
        if pending and pending.on_tick:
            pending.on_tick(message['position'])

    def _look_again(self) -> Optional[str]:
        """What is missing, if anything is."""
        try:
            if self.client.status == 'closed':
                self.client, self.scheduler = self.connect(), None
            self._look()
            self._send_lost()
            return None if self.taken else 'no worker is there that can work'
        except _ANY as error:
            return f'the scheduler does not answer ({type(error).__name__})'

    def _pause(self) -> float:
        """Seconds between two looks: the answer of a large farm is long."""
        return _LOOK_SECONDS * (1 + len(self.present) / 50)

    def _watch(self) -> None:
        """Waits for what is missing, and says so, but not for ever."""
        since, is_told = 0.0, False
        while not self.is_over.wait(self._pause()):
            missing = self._look_again()
            now = time.monotonic()
            if not missing:
                if is_told:
                    self.say('goes on')
                since, is_told = 0.0, False
                continue
            since = since or now
            if now - since > _PATIENCE and not is_told:
                self.say(f'{missing}; waiting')
                is_told = True
            if now - since > AWAY_SECONDS:
                self._end_all(NoneLeft(
                    f'{missing}, for {AWAY_SECONDS:.0f} seconds'))

    # --- tasks ------------------------------------------------------------

    def submit(self, pending: Pending) -> Pending:
        """Sends a task; its result comes into it."""
        with self.lock:
            if self.is_over.is_set():
                raise jobs.Cancelled
            self.pending[pending.tag] = pending
        pending.outer.add_done_callback(
            lambda _: self.pending.pop(pending.tag, None))
        self._send(pending)
        return pending

    def _send_lost(self) -> None:
        with self.lock:
            lost = [self.pending[tag] for tag in self.lost
                    if tag in self.pending] if self.taken else []
            if self.taken:
                self.lost.clear()
        for pending in lost:
            self._send(pending)

    def _send(self, pending: Pending) -> None:
        with self.lock:
            allowed = [one for one in self.taken if one not in pending.tried]
        pending.n_sent += 1
        if pending.n_sent > _MOST_SENT:
            pending.fail(NoneLeft(f'it was lost {_MOST_SENT} times, at last '
                                  f'by {pending.lost_by}'))
            return
        if pending.tried and not allowed and self.taken:
            pending.give_up()
            return
        try:
            function, *arguments = pending.make()
            with self.lock:
                pending.allowed = allowed if pending.tried else None
                pending.sent = self.client.submit(
                    function, *arguments, pure=False,
                    key=f'clqc-{pending.what}-{uuid.uuid4().hex}',
                    resources={alike.resource(self.versions): 1},
                    workers=pending.allowed, priority=pending.priority)
                pending.sent.add_done_callback(
                    lambda sent: self.takers.submit(self._take, pending,
                                                    sent))
        except ClqcError as error:
            pending.fail(error)
        except _ANY as error:
            pending.lost_by = _why(error)
            with self.lock:  # without a connection: when there is one
                self.lost.add(pending.tag)

    def _take(self, pending: Pending, sent: Any) -> None:
        """Of a task that has ended, in whatever way."""
        with self.lock:
            if sent is not pending.sent or self.is_over.is_set():
                return
        try:
            if sent.status == 'finished':
                result = sent.result(timeout=AWAY_SECONDS)
                error = None
            else:
                result = None
                error = sent.exception(timeout=_ANSWER_SECONDS)
        except _ANY as gone:
            pending.lost_by = _why(gone)
            result = error = None  # it is gone, with a worker or a scheduler
        if result is not None:
            pending.succeed(result)
        elif error is None:
            with self.lock:
                self.lost.add(pending.tag)
        elif self._is_worth_another(pending, error):
            self._send(pending)

    def _is_worth_another(self, pending: Pending, error: Any) -> bool:
        if isinstance(error, tasks.TaskError):
            return pending.failed(error.worker, error.why, error.is_of_worker)
        last = getattr(error, 'last_worker', None)
        if last is not None:  # KilledWorker, which has a name of its own
            return pending.failed(
                last.address, f'workers died while they ran it, at last '
                f'{last.name} at {last.address}: memory?', True)
        return pending.failed(f'{len(pending.tried)}', _why(error), True)

    def data(self, pending: Pending, load: Callable[[], Any]) -> Any:
        """The result of a task that has ended, as an argument of another
        one: as it lies on workers, or else brought there, by @load."""
        with self.lock:
            sent = pending.sent
            is_there = (sent is not None and sent.client is self.client and
                        sent.status == 'finished')
        return sent if is_there else self.client.scatter(load(), hash=False)

    # --- the end ----------------------------------------------------------

    def _end_all(self, error: BaseException) -> None:
        with self.lock:
            ended = list(self.pending.values())
            self.pending.clear()
        sent = [one.sent for one in ended if one.sent is not None]
        for one in ended:
            one.fail(error)
        if sent:
            with contextlib.suppress(*_ANY):  # nobody may be there to tell
                self.client.cancel(sent)

    def check(self, item: Input, options: Options,
              on_progress: Optional[Progress]) -> Verdict:
        """As check.Farm says."""
        from .checking import Checking
        return Checking(self, item, options, on_progress).check()

    def n_inputs(self) -> int:
        """As check.Farm says; more workers may come."""
        return max(_LEAST_INPUTS, min(2 * self.n_slots(), _MOST_INPUTS))

    def cancel(self) -> None:
        """Ends all tasks, those to come too. Any thread."""
        with self.lock:
            self.is_over.set()
        self._end_all(jobs.Cancelled())

    def close(self) -> None:
        """Leaves the farm."""
        self.cancel()
        with contextlib.suppress(*_ANY):  # it may be gone
            self.client.close(timeout=_ANSWER_SECONDS)
        self.takers.shutdown()
