# SPDX-License-Identifier: LGPL-2.1-or-later
"""The farm: its tasks, and what happens to them when workers or the scheduler
go."""
import contextlib
import os
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Set

from .. import jobs
from ..check import Options
from ..clock import REAL, Clock
from ..errors import ClqcError
from ..inputs import Input
from ..measuring import Progress
from ..results import Json, Verdict
from . import alike, tasks
from .pending import NoneLeft, Pending
from .workers import ANY, Say, Who, Workers, why

Connect = Callable[[], Any]  # a distributed.Client

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


class Farm:
    """Takes tasks from any thread. A thread looks after the workers."""

    def __init__(self, connect: Connect, say: Say, ours: Optional[Json],
                 wait_seconds: float, limit: float,
                 may_grow: bool = True, clock: Clock = REAL) -> None:
        self.clock = clock
        self.connect = connect
        self.limit = limit  # seconds that a second of video may take
        self.say = say
        self.topic = f'clqc-{uuid.uuid4().hex}'
        self.lock = threading.RLock()  # over what follows
        self.client: Any = connect()
        self.scheduler: Optional[str] = None
        self.workers = Workers(ours, say, clock)
        self.taken: Set[Who] = set()  # those that can work
        self.present: Set[str] = set()  # addresses
        self.pending: Dict[str, Pending] = {}
        self.lost: Set[str] = set()  # tags
        self.is_over = threading.Event()
        self.places = threading.Condition()  # of inputs; over what follows
        self.n_places = _LEAST_INPUTS
        self.n_inside = 0
        self.takers = ThreadPoolExecutor(_TAKERS)
        try:
            self._await_workers(wait_seconds, may_grow)
            self._count_places()
        except BaseException:
            self.close()
            raise
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    # --- workers ----------------------------------------------------------

    def _await_workers(self, seconds: float, may_grow: bool) -> None:
        """Until one can work. Raises ClqcError where none of those that come
        within the time can. The time begins anew with a scheduler that is
        back."""
        start = answered = self.clock.now()
        is_told = False
        while True:
            away = self._try_to_look()
            if self.taken:
                return
            now = self.clock.now()
            if away:
                if now - answered > AWAY_SECONDS:
                    raise ClqcError(
                        f'{away}, for {AWAY_SECONDS:.0f} seconds')
                start = now
            else:
                answered = now
            waited = now - start
            is_over = waited > seconds or (not may_grow and self.present)
            if is_over and not self.workers.is_asking():
                refused = '; '.join(self.workers.refused.values())
                raise ClqcError(
                    f'no worker can measure: {refused}' if refused else
                    f'no worker has come within {seconds:.0f} seconds')
            if waited > _PATIENCE and not is_told:
                self.say('waiting for workers')
                is_told = True
            self.clock.sleep(_LOOK_SECONDS)

    @property
    def versions(self) -> Json:
        """What the workers tell that take tasks."""
        assert self.workers.wanted
        return self.workers.wanted

    def n_slots(self) -> int:
        """Tasks that the workers which are there take at a time."""
        return sum(self.workers.n_slots(one) for one in self.taken)

    def _look(self) -> None:
        """Raises OSError where the scheduler does not answer."""
        identity = self.client.sync(self.client.scheduler.identity,
                                    callback_timeout=_ANSWER_SECONDS)
        if identity['id'] != self.scheduler:
            self.scheduler = identity['id']
            self.workers.forget()
            self.client.subscribe_topic(self.topic, self._on_event)
            with self.lock:
                self.lost.update(list(self.pending))
        taken = self.workers.hear(self.client, identity['workers'])
        with self.lock:
            if not taken.intersection(self.taken):
                # There may have been a time without any, and Dask does not
                # look at tasks again that no worker could take.
                self.lost.update(list(self.pending))
            self.present, self.taken = set(identity['workers']), taken
            self.lost.update(
                tag for tag, one in list(self.pending.items())
                if one.allowed and not taken.intersection(one.allowed))

    def _on_event(self, event: Any) -> None:
        message = event[1]
        pending = self.pending.get(message['tag'])
        if pending and pending.on_tick:
            pending.on_tick(message['position'])

    def _try_to_look(self) -> Optional[str]:
        """Returns what is wrong where the scheduler does not answer."""
        try:
            if self.client.status == 'closed':
                self.client, self.scheduler = self.connect(), None
            self._look()
            return None
        except ANY as error:
            return f'the scheduler does not answer ({type(error).__name__})'

    def _look_again(self) -> Optional[str]:
        """What is missing, if anything is."""
        away = self._try_to_look()
        if away:
            return away
        self._send_lost()
        self._count_places()
        return None if self.taken else 'no worker is there that can work'

    def _pause(self) -> float:
        """Seconds between two looks: the answer of a large farm is long."""
        return _LOOK_SECONDS * (1 + len(self.present) / 50)

    def _watch(self) -> None:
        """Waits for what is missing, and says so, but not for ever."""
        since, is_told = 0.0, False
        while not self.clock.wait(self.is_over, self._pause()):
            missing = self._look_again()
            now = self.clock.now()
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
            found = [self.pending.get(tag) for tag in self.lost]
            lost = [one for one in found if one] if self.taken else []
            if self.taken:
                self.lost.clear()
        self._call_back(lost)
        n_again = sum(one.n_sent > 0 for one in lost)
        if n_again:
            self.say(f'{n_again} of the tasks were lost, and are sent again')
        for pending in lost:
            self._send(pending)

    def _call_back(self, pendings: Sequence[Pending]) -> None:
        """What was sent for tasks that are not done: the scheduler would keep
        it, and run it when it can."""
        with self.lock:
            sent = [one.sent for one in pendings if one.sent is not None]
            for one in pendings:
                one.sent = None
        self._cancel(sent)

    def _cancel(self, sent: Sequence[Any]) -> None:
        here = [one for one in sent if one.client is self.client]
        if here:
            with contextlib.suppress(*ANY):  # nobody may be there to tell
                self.client.cancel(here)

    def _send(self, pending: Pending) -> None:
        with self.lock:
            allowed = {one for one in self.taken
                       if one[0] not in pending.tried}
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
                if pending.sent is not None or pending.outer.done():
                    return  # another thread has sent it
                pending.allowed = allowed if pending.tried else None
                pending.sent = self.client.submit(
                    function, *arguments, pure=False,
                    key=f'clqc-{pending.what}-{uuid.uuid4().hex}',
                    resources={alike.resource(self.versions): 1},
                    workers=[address for address, _ in pending.allowed]
                    if pending.allowed else None, priority=pending.priority)
                pending.sent.add_done_callback(
                    lambda sent: self.takers.submit(self._take, pending,
                                                    sent))
        except ClqcError as error:
            pending.fail(error)
        except ANY as error:
            pending.lost_by = why(error)
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
        except ANY as gone:
            pending.lost_by = why(gone)
            result = error = None  # it is gone, with a worker or a scheduler
        if result is not None:
            pending.succeed(result)
        elif error is None:
            with self.lock:
                self.lost.add(pending.tag)
        elif self._is_worth_another(pending, error):
            self._call_back([pending])
            self._send(pending)

    def _is_worth_another(self, pending: Pending, error: Any) -> bool:
        if isinstance(error, tasks.TaskError):
            return pending.failed(error.worker, error.why, error.is_of_worker,
                                  error.is_too_long)
        last = getattr(error, 'last_worker', None)
        if last is not None:  # KilledWorker, which has a name of its own
            return pending.failed(
                last.address, f'workers died while they ran it, at last '
                f'{last.name} at {last.address}: memory?', True)
        return pending.failed(f'{len(pending.tried)}', why(error), True)

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
        self._cancel(sent)

    def check(self, item: Input, options: Options,
              on_progress: Optional[Progress]) -> Verdict:
        """As check.Farm says."""
        from .checking import Checking
        with self._place():
            return Checking(self, item, options, on_progress).check()

    def _count_places(self) -> None:
        """So many inputs at a time keep the workers busy that are there."""
        n_places = max(_LEAST_INPUTS, min(2 * self.n_slots(), _MOST_INPUTS))
        with self.places:
            if n_places > self.n_places:
                self.places.notify_all()
            self.n_places = n_places

    @contextlib.contextmanager
    def _place(self) -> Iterator[None]:
        """One of the places, which there are more of as workers come. Raises
        jobs.Cancelled."""
        with self.places:
            self.places.wait_for(lambda: self.is_over.is_set()
                                 or self.n_inside < self.n_places)
            if self.is_over.is_set():
                raise jobs.Cancelled
            self.n_inside += 1
        try:
            yield
        finally:
            with self.places:
                self.n_inside -= 1
                self.places.notify()

    def n_inputs(self) -> int:
        """As check.Farm says; those that have no place yet wait for it."""
        return _MOST_INPUTS

    def cancel(self) -> None:
        """Ends all tasks, those to come too. Any thread."""
        with self.lock:
            self.is_over.set()
        with self.places:
            self.places.notify_all()
        self._end_all(jobs.Cancelled())

    def close(self) -> None:
        """Leaves the farm."""
        self.cancel()
        with contextlib.suppress(*ANY):  # it may be gone
            self.client.close(timeout=_ANSWER_SECONDS)
        self.takers.shutdown()
