# SPDX-License-Identifier: LGPL-2.1-or-later
"""The farm: its tasks, and their recovery when workers or the scheduler
disappear."""
import concurrent.futures
import contextlib
import os
import random
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.farm import tasks, worker_versions
from clqc.farm.failures import Failure, Failures
from clqc.farm.pending_tasks import NoneLeft, Over, Pending
from clqc.farm.workers import ANY, Say, Who, Workers, why
from clqc.results.result_files import Json

Connect = Callable[[], Any]  # a distributed.Client

_LOOK_SECONDS = 0.5

# Seconds of waiting before a message.
_PATIENCE = 5.0

# Time-out in seconds for the answer of a scheduler.
_ANSWER_SECONDS = 10.0

# Seconds that the scheduler, or all workers, may be missing.
AWAY_SECONDS = float(os.environ.get('CLQC_FARM_AWAY_SECONDS', '600'))

# Maximum number of inputs at a time: each has a waiting thread here.
_LEAST_INPUTS = 32
_MOST_INPUTS = 512

# Maximum number of workers that a task is restricted to, because the scheduler
# stores a list for each task.
_MOST_ALLOWED = 32

# Maximum number of times that a task is submitted: farms fail less often.
_MOST_SENT = 50

_ALL_LEFT_OUT = 'all workers are left out'

# Threads that receive results and write them to disk.
_TAKERS = 8


def _receive(sent: Any, arrival: 'concurrent.futures.Future[Any]') -> None:
    """Requests the result of a finished task in a thread of its own, which may
    wait for a stopped worker long after @arrival is cancelled."""
    def run() -> None:
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            try:
                arrival.set_result(sent.result(timeout=AWAY_SECONDS))
            except ANY as error:
                arrival.set_exception(error)
    threading.Thread(target=run, daemon=True).start()


class Farm:
    """Accepts tasks from any thread. One thread monitors the workers."""

    def __init__(self, connect: Connect, say: Say, ours: Optional[Json],
                 wait_seconds: float, limit: float, may_grow: bool = True,
                 is_scaled: bool = False, clock: Clock = REAL) -> None:
        self.clock = clock
        self.connect = connect
        self.limit = limit  # time limit: seconds per second of video
        self.is_over = threading.Event()

        def say_if_open(text: str) -> None:
            if not self.is_over.is_set():
                say(text)
        self.say = say_if_open
        self.topic = f'clqc-{uuid.uuid4().hex}'
        self.lock = threading.RLock()  # protects the members below
        self.client: Any = connect()
        self.scheduler: Optional[str] = None
        self.is_scaled = is_scaled  # the cluster requests more workers
        self.workers = Workers(ours, self.say, clock)
        self.failures = Failures(self.say)
        self.taken: Set[Who] = set()  # accepted workers
        # Workers that the tasks which are sent are restricted to; None: no
        # worker was left out until now.
        self.restricted: Optional[Set[Who]] = None
        self.present: Set[str] = set()  # addresses of workers
        self.pending: Dict[str, Pending] = {}
        self.lost: Set[str] = set()  # tags of tasks
        self.error: Optional[Over] = None  # of all tasks from now on
        self.places = threading.Condition()  # protects the two members below
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
        """Waits for a worker that can measure. Raises ClqcError if none
        connects in time. The time restarts when a lost scheduler returns."""
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
                        f'{away} for {AWAY_SECONDS:.0f} seconds')
                start = now
            else:
                answered = now
            waited = now - start
            is_over = waited > seconds or (not may_grow and self.present)
            if is_over and not self.workers.is_asking():
                refused = '; '.join(self.workers.refused.values())
                raise ClqcError(
                    f'no worker can measure: {refused}' if refused else
                    f'no worker has connected within {seconds:.0f} seconds')
            if waited > _PATIENCE and not is_told:
                self.say('waiting for workers')
                is_told = True
            self.clock.sleep(_LOOK_SECONDS)

    @property
    def versions(self) -> Json:
        """Returns the versions that the accepted workers report."""
        assert self.workers.wanted
        return self.workers.wanted

    def n_slots(self) -> int:
        """Returns the number of tasks that the present workers run at a time.
        """
        return sum(self.workers.n_slots(one) for one in self._usable())

    def _usable(self) -> Set[Who]:
        """Returns the accepted workers that answer and are not left out."""
        return self.taken.difference(self.failures.left_out,
                                     self.workers.silent())

    def _who(self, address: str) -> Optional[Who]:
        with self.lock:
            return next((one for one in self.taken if one[0] == address), None)

    def _ask(self, what: str, **arguments: Any) -> Any:
        """Calls a function of the scheduler. Raises the errors of Dask."""
        return self.client.sync(getattr(self.client.scheduler, what),
                                callback_timeout=_ANSWER_SECONDS, **arguments)

    def _look(self) -> None:
        """Updates the list of workers. Raises OSError if the scheduler does
        not answer."""
        identity = self._ask('identity')
        names = self.workers.names()
        if identity['id'] != self.scheduler:
            names.clear()
            self.scheduler = identity['id']
            self.workers.forget()
            self.client.subscribe_topic(self.topic, self._on_event)
            with self.lock:
                self.lost.update(list(self.pending))
        taken = self.workers.hear(self.client, identity['workers'])
        with self.lock:
            before = self._usable()
            gone = self.taken.difference(self.workers.known)
            self.present, self.taken = set(identity['workers']), taken
            usable = self._usable()
            if not usable.intersection(before):
                # There may have been no worker for a while, and Dask does not
                # reconsider tasks that no worker could run.
                self.lost.update(list(self.pending))
            self.lost.update(
                tag for tag, one in list(self.pending.items())
                if one.allowed and not usable.intersection(one.allowed))
        for who in gone.intersection(names):
            self.say(f'{names[who]} is lost')

    def _on_event(self, event: Any) -> None:
        message = event[1]
        pending = self.pending.get(message['tag'])
        if pending and pending.on_tick:
            pending.on_tick(message['position'])

    def _try_to_look(self) -> Optional[str]:
        """Updates the list of workers; returns an error text if the scheduler
        does not answer."""
        try:
            if self.client.status == 'closed':
                self.client, self.scheduler = self.connect(), None
            self._look()
            return None
        except ANY as error:
            return f'the scheduler does not answer ({type(error).__name__})'

    def _look_again(self) -> Optional[str]:
        """Returns what is missing: the scheduler or a worker; None if nothing
        is."""
        away = self._try_to_look()
        if away:
            return away
        self._send_lost()
        with contextlib.suppress(*ANY):  # repeated by the next update
            self._restrict()
        self._count_places()
        if self._usable():
            return None
        if not self.taken:
            return 'there is no worker that can measure'
        return (_ALL_LEFT_OUT if self.taken.issubset(self.failures.left_out)
                else 'no worker answers')

    def _pause(self) -> float:
        """Returns the seconds between two updates: the answer of a large farm
        is long."""
        return _LOOK_SECONDS * (1 + len(self.present) / 50)

    def _watch(self) -> None:
        """Waits for a missing scheduler or worker, with a message and a time
        limit."""
        since, is_told = 0.0, False
        while not self.clock.wait(self.is_over, self._pause()):
            missing = self._look_again()
            now = self.clock.now()
            if missing == _ALL_LEFT_OUT and not self.is_scaled:
                self.say(f'{missing}: the run ends')
                self._end(missing)
                return
            if not missing:
                if is_told:
                    self.say('the farm continues')
                since, is_told = 0.0, False
                continue
            since = since or now
            if now - since > _PATIENCE and not is_told:
                self.say(f'{missing}; waiting')
                is_told = True
            if now - since > AWAY_SECONDS:
                self._end_all(Over(
                    f'{missing} for {AWAY_SECONDS:.0f} seconds'))

    # --- tasks ------------------------------------------------------------

    def submit(self, pending: Pending) -> Pending:
        """Submits a task, which receives its result."""
        with self.lock:
            if self.is_over.is_set():
                raise jobs.Cancelled
            if self.error:
                pending.fail(self.error)
                return pending
            self.pending[pending.tag] = pending
        pending.outer.add_done_callback(
            lambda _: self.pending.pop(pending.tag, None))
        self._send(pending)
        return pending

    def _send_lost(self) -> None:
        with self.lock:
            found = [self.pending.get(tag) for tag in self.lost]
            usable = self._usable()
            lost = [one for one in found if one] if usable else []
            if usable:
                self.lost.clear()
        self._call_back(lost)
        n_again = sum(one.n_sent > 0 for one in lost)
        if n_again:
            self.say(f'lost tasks are sent again: {n_again}')
        for pending in lost:
            self._send(pending)

    def _allowed(self, pending: Pending) -> Set[Who]:
        """Returns usable workers that a task has not been tried on."""
        found = [who for who in self._usable() if who[0] not in pending.tried]
        return set(random.sample(found, min(len(found), _MOST_ALLOWED)))

    def _restrict(self) -> None:
        """Keeps tasks away from workers that are not usable, if this set has
        changed: moves their tasks, and restricts all others. Raises the errors
        of Dask."""
        with self.lock:
            usable = self._usable()
            if usable == self.restricted or (
                    self.restricted is None and usable == self.taken):
                return
            sent = [one for one in self.pending.values()
                    if one.sent is not None]
            workers: Dict[str, List[str]] = {}
            for one in sent:
                if one.allowed and len(one.allowed) == _MOST_ALLOWED and (
                        one.allowed <= usable):
                    continue
                one.allowed = self._allowed(one) or one.allowed
                if one.allowed:
                    workers[one.sent.key] = [who[0] for who in one.allowed]
            unusable = [who[0] for who in self.taken - usable]
        self._ask('set_restrictions', worker=workers)
        held = self._ask('processing', workers=unusable)
        keys = {key for its in held.values() for key in its}
        keys.update(self._out_of_reach(sent))
        moved = [one for one in sent if one.sent and one.sent.key in keys]
        self._call_back(moved)
        for pending in moved:
            self._send(pending)
        self.restricted = usable

    def _are_silent(self, keys: Sequence[str]) -> Dict[str, bool]:
        """Returns for each stored result whether only workers have it that do
        not answer. Raises the errors of Dask."""
        silent = {address for address, _ in self.workers.silent()}
        if not keys or not silent:
            return dict.fromkeys(keys, False)
        return {key: bool(holders) and silent.issuperset(holders)
                for key, holders in self._ask('who_has', keys=keys).items()}

    def _out_of_reach(self, pendings: Sequence[Pending]) -> List[str]:
        """Returns the keys of submitted tasks whose result or whose arguments
        only workers have that do not answer."""
        needs: Dict[str, List[str]] = {}
        for one in pendings:
            sent = one.sent
            if sent is not None:
                needs[sent.key] = [*one.inputs, *(
                    [sent.key] if sent.status == 'finished' else [])]
        is_silent = self._are_silent(
            [key for keys in needs.values() for key in keys])
        return [key for key, keys in needs.items()
                if any(is_silent.get(one) for one in keys)]

    def _call_back(self, pendings: Sequence[Pending]) -> None:
        """Cancels submitted tasks that have not finished: the scheduler would
        keep them, and run them when it can."""
        with self.lock:
            sent = [one.call_back() for one in pendings]
        self._cancel([one for one in sent if one is not None])

    def _cancel(self, sent: Sequence[Any]) -> None:
        here = [one for one in sent if one.client is self.client]
        if here:
            with contextlib.suppress(*ANY):  # there may be no connection
                self.client.cancel(here)

    def _send(self, pending: Pending) -> None:
        with self.lock:
            usable = self._usable()
            allowed = self._allowed(pending)
            if self.taken and not usable:
                self.lost.add(pending.tag)
                return
            is_restricted = bool(pending.tried) or usable != self.taken
        pending.n_sent += 1
        if pending.n_sent > _MOST_SENT:
            pending.fail(NoneLeft(f'it was lost {_MOST_SENT} times, last '
                                  f'by {pending.lost_by}'))
            return
        if pending.tried and not allowed and self.taken:
            pending.give_up()
            return
        try:
            function, *arguments = pending.make()
            with self.lock:
                if pending.sent is not None or pending.outer.done():
                    return  # another thread has submitted it
                pending.inputs = [
                    one.key for argument in arguments
                    if isinstance(argument, list)
                    for one in argument if hasattr(one, 'key')]
                pending.allowed = allowed if is_restricted else None
                pending.sent = self.client.submit(
                    function, *arguments, pure=False,
                    key=f'clqc-{pending.what}-{uuid.uuid4().hex}',
                    resources={worker_versions.resource(self.versions): 1},
                    workers=[address for address, _ in pending.allowed]
                    if pending.allowed else None, priority=pending.priority)
                pending.sent.add_done_callback(
                    lambda sent: self.takers.submit(self._take, pending,
                                                    sent))
        except ClqcError as error:
            pending.fail(error)
        except ANY as error:
            pending.lost_by = why(error)
            with self.lock:  # without a connection: later
                self.lost.add(pending.tag)

    def _take(self, pending: Pending, sent: Any) -> None:
        """Takes the result or the error of a finished task."""
        with self.lock:
            if sent is not pending.sent or self.is_over.is_set():
                return
            arrival = pending.arrival = concurrent.futures.Future()
        try:
            if sent.status == 'finished':
                _receive(sent, arrival)
                result = arrival.result()
                error = None
            else:
                result = None
                error = sent.exception(timeout=_ANSWER_SECONDS)
        except ANY as gone:
            pending.lost_by = why(gone)
            # the task is lost, with a worker or a scheduler
            result = error = None
        if result is not None:
            self.failures.succeeded(
                self._who(getattr(result, 'address', '')), pending.what,
                pending.unexplained)
            pending.succeed(result)
        elif error is None:
            with self.lock:
                if sent is pending.sent:  # it was not sent again meanwhile
                    self.lost.add(pending.tag)
        elif self._is_worth_another(pending, error):
            self._call_back([pending])
            self._send(pending)

    def _report(self, pending: Pending, address: str, name: str, reason: str,
                is_broken: bool = False) -> None:
        """Reports a failed try, and records it for the worker."""
        self.say(f'{name} failed: {pending.title}: {reason}')
        who = self._who(address)
        if not who:
            return
        failure = Failure(who, name, pending.what, reason)
        if is_broken:
            self.failures.add(failure)
        else:
            pending.unexplained.append(failure)

    def _is_worth_another(self, pending: Pending, error: Any) -> bool:
        if isinstance(error, tasks.TaskError):
            self._report(pending, error.worker, error.name, error.why,
                         error.is_broken)
            reason = (f'{error.name}: {error.why}' if error.is_of_worker
                      else error.why)
            return pending.failed(error.worker, reason, error.is_of_worker,
                                  error.is_too_long)
        last = getattr(error, 'last_worker', None)
        if last is not None:  # KilledWorker names the worker itself
            self._report(pending, last.address,
                         f'worker {last.name} at {last.address}',
                         'it died, as other workers did: out of memory?')
            return pending.failed(
                last.address, f'workers died while they ran it, last '
                f'{last.name} at {last.address}: out of memory?', True)
        self._report(pending, '', 'a worker', why(error))
        return pending.failed(f'{len(pending.tried)}', why(error), True)

    def data(self, pending: Pending, load: Callable[[], Any]) -> Any:
        """Returns the result of a finished task as an argument of another
        task: stored on workers, or loaded there by @load if it is not, or if
        they do not answer."""
        with self.lock:
            sent = pending.sent
            is_there = (sent is not None and sent.client is self.client and
                        sent.status == 'finished')
            workers = [address for address, _ in self._usable()]
        if is_there and not any(self._are_silent([sent.key]).values()):
            return sent
        return self.client.scatter(
            load(), workers or None, hash=False)

    # --- the end ----------------------------------------------------------

    def _end(self, missing: str) -> None:
        """Fails all present and future tasks: no worker will run them."""
        with self.lock:
            *_, last = self.failures.left_out.values()
            self.error = Over(f'{missing}; the last, {last}')
        self._end_all(self.error)

    def _end_all(self, error: BaseException) -> None:
        with self.lock:
            ended = list(self.pending.values())
            self.pending.clear()
        for one in ended:
            one.fail(error)
        self._call_back(ended)

    def _count_places(self) -> None:
        """Returns how many inputs at a time keep the present workers busy."""
        n_places = max(_LEAST_INPUTS, min(2 * self.n_slots(), _MOST_INPUTS))
        with self.places:
            if n_places > self.n_places:
                self.places.notify_all()
            self.n_places = n_places

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """Waits for one of the places, whose number grows with the workers.
        Raises jobs.Cancelled."""
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
        """Returns the useful maximum of inputs at a time; inputs without a
        place wait for one."""
        return _MOST_INPUTS

    def cancel(self) -> None:
        """Ends all present and future tasks. Any thread."""
        with self.lock:
            self.is_over.set()
        with self.places:
            self.places.notify_all()
        self._end_all(jobs.Cancelled())

    def close(self) -> None:
        """Leaves the farm."""
        self.cancel()
        with contextlib.suppress(*ANY):  # the scheduler may have ended
            self.client.close(timeout=_ANSWER_SECONDS)
        self.takers.shutdown()
