# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a farm handles its workers and its tasks, without Dask's processes: with
a mock scheduler."""
import asyncio
import threading
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest
from clqc import __version__
from clqc.common import errors
from clqc.common.clock import REAL, Clock
from clqc.decoding import jobs
from jumping import Jumping

pytest.importorskip('distributed')
import farms  # noqa: E402
from clqc.farm import (  # noqa: E402
    input_check, pending_tasks, scheduling, tasks, worker_versions, workers)


def versions(name: str, plugin: str = '1', **other: Any) -> Dict[str, Any]:
    return {'clqc': __version__, 'plugin': plugin, 'gstreamer': '1.22',
            'machine': 'x', 'libraries': [], 'decoders': ['a 1 256'],
            'name': f'worker {name}', 'slots': 1, **other}


class Sent:
    """A mock of Dask's future."""

    def __init__(self, client: 'Client', arguments: Any, settings: Any
                 ) -> None:
        self.client = client
        self.arguments = arguments
        self.settings = settings
        self.key = settings['key']
        self.status = 'pending'
        self.value: Any = None
        self.callback: Callable[['Sent'], Any] = lambda _: None

    def add_done_callback(self, callback: Callable[['Sent'], Any]) -> None:
        self.callback = callback

    def end(self, status: str, value: Any) -> None:
        self.status, self.value = status, value
        self.callback(self)

    def result(self, timeout: Any = None) -> Any:
        return self.value

    exception = result


class Client:
    """A mock of Dask, and the farm that uses it."""

    def __init__(self) -> None:
        self.scheduler = self.loop = self
        self.status = 'running'
        self.started = 's'
        self.here: Dict[str, Tuple[str, Any]] = {}  # id of the start,
        # and the answer
        self.n_unheard = 0  # following requests without an answer
        self.resources: Dict[str, Any] = {}
        self.n_asked = 0  # requests for the identity
        self.stopped: List[str] = []  # workers
        self.seen: Dict[str, int] = {}  # the last sign of life
        self.slow: List[str] = []  # whose answers the test releases
        self.has_waited = threading.Event()
        self.asked: List[str] = []
        self.sent: List[Sent] = []
        self.cancelled: List[Sent] = []
        self.queues: Dict[str, List[str]] = {}  # keys, by worker
        self.restrictions: Dict[str, List[str]] = {}  # workers, by key
        self.n_unknown = 0  # following requests with a key that is unknown
        self.holders: Dict[str, List[str]] = {}  # of results, by key
        self.scattered: List[Any] = []

    def come(self, address: str, answer: Any, start: str = '1') -> None:
        self.here[address] = (start, answer)
        self.resources[address] = {}

    def identity(self) -> Any:
        if self.n_unheard > 0:
            self.n_unheard -= 1
            raise OSError('timed out')
        self.n_asked += 1
        self.seen.update({address: self.n_asked for address in self.here
                          if address not in self.stopped})
        return {'id': self.started, 'workers': {
            address: {'id': address, 'name': address,
                      'resources': self.resources[address],
                      'last_seen': self.seen[address],
                      'local_directory': f'/{start}'}
            for address, (start, _) in self.here.items()}}

    def sync(self, function: Any, callback_timeout: float,
             **arguments: Any) -> Any:
        return function(**arguments)

    def add_callback(self, function: Any) -> None:
        threading.Thread(target=lambda: asyncio.run(function()),
                         daemon=True).start()

    async def run(self, _: Any, workers: List[str], on_error: str) -> Any:
        self.asked += workers
        answer = self.here[workers[0]][1]
        if workers[0] in self.slow:
            while not self.has_waited.is_set():
                await asyncio.sleep(0.01)
        if answer == 'hang':  # longer than any timeout
            raise asyncio.TimeoutError
        if isinstance(answer, dict) and 'error' not in answer:
            self.resources[workers[0]] = {worker_versions.resource(answer): 1}
        return {workers[0]: answer}

    def submit(self, *arguments: Any, **settings: Any) -> Sent:
        self.sent.append(Sent(self, arguments, settings))
        return self.sent[-1]

    def cancel(self, sent: List[Sent], **_: Any) -> None:
        self.cancelled += sent

    def set_restrictions(self, worker: Dict[str, List[str]]) -> None:
        if self.n_unknown > 0:
            self.n_unknown -= 1
            raise KeyError('a task that has just finished')
        self.restrictions.update(worker)

    def processing(self, workers: List[str]) -> Dict[str, List[str]]:
        return {address: self.queues.get(address, []) for address in workers}

    def who_has(self, keys: List[str]) -> Dict[str, List[str]]:
        return {key: self.holders.get(key, []) for key in keys}

    def scatter(self, data: Any, workers: List[str], hash: bool) -> Any:
        assert not hash
        self.scattered.append((data, workers))
        return SimpleNamespace(key=f'scattered-{len(self.scattered)}')

    def subscribe_topic(self, *_: Any) -> None:
        """No message."""

    def close(self, **_: Any) -> None:
        self.status = 'closed'


@pytest.fixture(name='client')
def make_client(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(scheduling, '_LOOK_SECONDS', 0.02)
    monkeypatch.setattr(workers, '_LOOK_SECONDS', 0.05)
    monkeypatch.setattr(workers, '_AGAIN_SECONDS', 0.1)
    return Client()


@pytest.fixture(name='clock')
def make_clock() -> Jumping:
    return Jumping()


@pytest.fixture(name='messages')
def make_said() -> List[str]:
    return []


@pytest.fixture(name='opened')
def make_opened(client: Client, messages: List[str]) -> Iterator[Any]:
    """Opens a farm, which is closed at the end."""
    farm: List[scheduling.Farm] = []

    def opened(ours: Optional[Dict[str, Any]], seconds: float = 60.0,
               may_grow: bool = True, is_scaled: bool = False,
               clock: Clock = REAL) -> scheduling.Farm:
        farm.append(input_check.CheckingFarm(
            lambda: client, messages.append, ours, seconds, 60.0, may_grow,
            is_scaled, clock))
        return farm[0]
    yield opened
    for one in farm:
        one.close()


def failure(name: str, is_of_worker: bool = True,
            is_broken: bool = False) -> tasks.TaskError:
    return tasks.TaskError('no space', '', name, f'worker {name}',
                           is_of_worker, False, is_broken)


def addresses(farm: scheduling.Farm) -> List[str]:
    return sorted(address for address, _ in farm.taken)


def test_unusable_worker_arrives_first(client: Client, messages: List[str],
                                       opened: Any, clock: Jumping) -> None:
    client.come('a', versions('a', error='it lacks the plugin'))
    client.come('b', versions('b', plugin='2'))
    clock.at(0.5, lambda: client.come('c', versions('c')))
    farm = opened(versions('me'), clock=clock)
    assert addresses(farm) == ['c']
    assert len(messages) == 2, messages
    assert all('rejected' in line for line in messages), messages
    assert 'it has the plugin opencl 2, but 1 is required' in messages[1]


def test_no_usable_worker_in_time(client: Client, opened: Any,
                                  clock: Jumping) -> None:
    client.come('a', versions('a', error='it lacks the plugin'))
    client.come('b', versions('b', plugin='2'))
    with pytest.raises(errors.ClqcError,
                       match='worker a is rejected: .*worker b is rejected'):
        opened(versions('me'), clock=clock)


def test_slow_answer(client: Client, opened: Any, clock: Jumping) -> None:
    """There is no timeout for a registered worker."""
    client.come('a', 'hang')
    client.slow = ['a']
    clock.at(0.2, client.has_waited.set)
    with pytest.raises(errors.ClqcError, match='it does not answer'):
        opened(versions('me'), 0.1, clock=clock)
    assert clock.now() >= 0.2


def test_only_worker_is_rejected(client: Client, opened: Any) -> None:
    client.come('a', versions('a', error='it lacks the plugin'))
    with pytest.raises(errors.ClqcError, match='worker a is rejected'):
        opened(None, 100.0, may_grow=False)


def test_the_command_cannot_measure(client: Client, opened: Any) -> None:
    """If this machine cannot measure, the majority of the workers decides
    which versions are required."""
    for name, plugin in ('a', '2'), ('b', '1'), ('c', '1'):
        client.come(name, versions(name, plugin))
    farm = opened(None)
    assert addresses(farm) == ['b', 'c']


def test_slow_worker_delays_rejections(client: Client, messages: List[str],
                                       opened: Any) -> None:
    """No worker is rejected before a slow worker has answered."""
    client.come('a', versions('a'))
    client.come('b', versions('b'))
    client.slow = ['b']
    threading.Timer(0.1, client.has_waited.set).start()
    client.come('c', versions('c', clqc='0.0'))
    assert addresses(opened(None)) == ['a', 'b']
    assert messages == ['worker c is rejected: it has clqc 0.0, but '
                        f'{__version__} is required']


def test_worker_returns_at_its_address(client: Client, messages: List[str],
                                       opened: Any) -> None:
    client.come('a', versions('a'))
    farm = opened(versions('me'))
    task = farm.submit(pending_tasks.Pending('t', lambda: (print,)))
    farms.until(lambda: client.sent)
    client.come('a', versions('a'), start='2')
    farms.until(lambda: len(client.sent) == 2)
    assert client.asked == ['a', 'a']
    assert client.cancelled == client.sent[:1]
    assert 'lost tasks are sent again: 1' in messages
    client.sent[1].end('finished', 7)
    assert task.outer.result(60) == 7


def test_resent_task_calls_back(client: Client, opened: Any) -> None:
    for name in 'ab':
        client.come(name, versions(name))
    farm = opened(versions('me'))
    task = farm.submit(pending_tasks.Pending('t', lambda: (print,)))
    client.sent[0].end('error', failure('a'))
    farms.until(lambda: len(client.sent) == 2)
    assert client.cancelled == client.sent[:1]
    assert client.sent[1].settings['workers'] == ['b']
    client.sent[1].end('finished', 7)
    assert task.outer.result(60) == 7


def test_a_worker_loses_its_resources(client: Client, opened: Any) -> None:
    """The worker has registered again."""
    client.come('a', versions('a'))
    opened(versions('me'))
    client.resources['a'] = {}
    farms.until(lambda: client.resources['a'])


def test_rejected_workers_are_accepted_later(
        client: Client, messages: List[str], opened: Any) -> None:
    client.come('a', versions('a'))
    client.come('b', OSError('full'))
    client.come('c', versions('c', error='no memory'))
    farm = opened(versions('me'))
    client.here['b'] = ('1', versions('b'))
    client.here['c'] = ('1', versions('c'))
    farms.until(lambda: addresses(farm) == ['a', 'b', 'c'])
    assert 'worker b at b is rejected: OSError: full' in messages
    assert 'worker c is accepted now' in messages


def test_a_worker_that_does_not_answer(client: Client, messages: List[str],
                                       opened: Any) -> None:
    """Other workers get tasks in the meantime."""
    client.come('a', 'hang')
    client.slow = ['a']
    client.come('b', versions('b'))
    farm = opened(versions('me'))
    assert addresses(farm) == ['b'] and not messages
    client.has_waited.set()
    farms.until(lambda: messages)
    assert messages == ['worker a at a is rejected: it does not answer']


def test_scheduler_restarts_before_the_first_worker(client: Client,
                                                    opened: Any,
                                                    clock: Jumping) -> None:
    """The timeout of workers starts again when the scheduler is back."""
    client.n_unheard = 20
    away = client.n_unheard * scheduling._LOOK_SECONDS
    clock.at(away + 0.2, lambda: client.come('a', versions('a')))
    assert addresses(opened(versions('me'), 0.3, clock=clock)) == ['a']


def test_scheduler_is_lost_before_the_first_worker(client: Client, opened: Any,
                                                   clock: Jumping) -> None:
    client.n_unheard = 10 ** 6
    with pytest.raises(errors.ClqcError, match='scheduler does not answer'):
        opened(versions('me'), 1.0, clock=clock)
    assert clock.now() >= scheduling.AWAY_SECONDS


def test_more_inputs_for_more_workers(client: Client, opened: Any,
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    """There are two inputs at a time for each worker, which runs one task at a
    time; waiting tasks end with the farm."""
    begun: List[int] = []
    ended: List[Any] = []
    may_end = threading.Event()

    class Checking:
        """A mock of checking an input, which takes long."""

        def __init__(self, *_: Any) -> None:
            begun.append(1)

        def check(self) -> None:
            may_end.wait(120)

    def check() -> None:
        try:
            farm.check(None, None, None)
            ended.append('checked')
        except jobs.Cancelled:
            ended.append('cancelled')
    monkeypatch.setattr(input_check, 'Checking', Checking)
    monkeypatch.setattr(scheduling, '_LEAST_INPUTS', 1)
    client.come('a', versions('a'))
    farm = opened(versions('me'))
    threads = [threading.Thread(target=check) for _ in range(9)]
    for one in threads:
        one.start()
    farms.until(lambda: len(begun) == 2)
    client.come('b', versions('b'))
    farms.until(lambda: len(begun) == 4)
    farm.cancel()
    farms.until(lambda: ended.count('cancelled') == 5)
    may_end.set()
    for one in threads:
        one.join(60)
    assert len(begun) == 4 and ended.count('checked') == 4


class Run:
    """Tasks on the workers of a mock scheduler."""

    def __init__(self, client: Client, farm: scheduling.Farm) -> None:
        self.client = client
        self.farm = farm

    def start(self, title: str = 'clip: measuring',
              what: str = 't') -> pending_tasks.Pending:
        return self.farm.submit(pending_tasks.Pending(what, lambda: (print,),
                                                      title=title))

    def end(self, task: pending_tasks.Pending, worker: str, error: Any = None
            ) -> None:
        """Ends the last try of a task on a worker; returns when the farm has
        reacted."""
        sent = farms.until(lambda: task.sent)
        if error is None:
            sent.end('finished', tasks.Answer({}, address=worker))
        else:
            sent.end('error', error)
        farms.until(lambda: task.outer.done() or task.sent is not sent)

    def fails(self, worker: str, is_broken: bool, other: str = '') -> None:
        """A task fails on @worker, and succeeds on @other."""
        task = self.start()
        self.end(task, worker, failure(worker, is_broken=is_broken))
        if other:
            self.end(task, other)


@pytest.fixture(name='run')
def make_run(client: Client, opened: Any) -> Run:
    for name in 'abc':
        client.come(name, versions(name))
    return Run(client, opened(versions('me')))


def left_out(messages: List[str]) -> List[str]:
    return [line for line in messages if 'left out' in line]


def test_failed_tasks_are_reported(run: Run, messages: List[str]) -> None:
    """Each try, with its worker, whatever the cause."""
    task = run.start('clip.mp4: measuring from 0.0 s to 4.0 s')
    run.end(task, 'a', failure('a'))
    run.end(task, 'b', failure('b', False))
    run.end(task, 'c', OSError('pickle'))
    assert messages == [
        f'{who} failed: clip.mp4: measuring from 0.0 s to 4.0 s: {why}'
        for who, why in (('worker a', 'no space'), ('worker b', 'no space'),
                         ('a worker', 'OSError: pickle'))]
    with pytest.raises(errors.ClqcError, match='^worker a: no space; '
                       'no space; OSError: pickle$'):
        task.result()


def test_broken_worker_is_left_out(run: Run, client: Client,
                                   messages: List[str]) -> None:
    """After three failures in a row; its waiting tasks are moved, and all
    others are kept away from it."""
    waiting, other = run.start(), run.start()
    first, kept = waiting.sent, other.sent
    client.queues['a'] = [first.key]
    client.n_unknown = 1
    for _ in range(3):
        assert not left_out(messages)
        run.fails('a', True, 'b')
    assert left_out(messages) == ['worker a is left out: 3 tasks in a row '
                                  'failed there (t), last: no space']
    farms.until(lambda: waiting.sent not in (None, first))
    assert not client.n_unknown
    assert first in client.cancelled and kept not in client.cancelled
    assert sorted(waiting.sent.settings['workers']) == ['b', 'c']
    assert sorted(client.restrictions[kept.key]) == ['b', 'c']
    assert sorted(run.start().sent.settings['workers']) == ['b', 'c']
    assert run.farm.n_slots() == 2
    # a worker that connects afterwards takes tasks, also those that wait
    client.come('d', versions('d'))
    farms.until(lambda: sorted(client.restrictions[kept.key]) == [
        'b', 'c', 'd'])
    # after a restart the worker takes tasks again
    client.come('a', versions('a'), start='2')
    farms.until(lambda: run.farm.n_slots() == 4)
    assert run.start().sent.settings['workers'] is None
    assert 'worker a is lost' in messages


def test_success_ends_a_row_of_failures(run: Run,
                                        messages: List[str]) -> None:
    for _ in range(3):
        run.fails('a', True, 'b')
        run.fails('a', True, 'b')
        run.end(run.start(), 'a')
    assert not left_out(messages)


def test_kinds_of_tasks_are_counted_separately(run: Run,
                                               messages: List[str]) -> None:
    """A worker with a full disk reads containers, but measures nothing."""
    for _ in range(3):
        assert not left_out(messages)
        run.end(run.start(what='container'), 'a')
        run.fails('a', True, 'b')
    assert len(left_out(messages)) == 1


def test_lists_of_workers_are_short(client: Client, opened: Any) -> None:
    """The scheduler stores one for each task."""
    client.come('a', versions('a'))
    for i in range(40):
        client.come(f'b{i}', versions(f'b{i}'))
    run = Run(client, opened(versions('me')))
    assert run.start().sent.settings['workers'] is None
    for _ in range(3):
        run.fails('a', True, 'b0')
    chosen = run.start().sent.settings['workers']
    assert len(set(chosen)) == 32 and 'a' not in chosen
    farms.until(lambda: client.restrictions)
    assert all(len(one) == 32 and 'a' not in one
               for one in client.restrictions.values())


@pytest.mark.parametrize('is_of_worker', [True, False])
def test_worker_that_alone_fails_is_left_out(is_of_worker: bool, run: Run,
                                             messages: List[str]) -> None:
    """What succeeds elsewhere was a fault of the worker, such as a device that
    hangs."""
    for _ in range(3):
        task = run.start()
        run.end(task, 'a', failure('a', is_of_worker))
        assert not left_out(messages)
        run.end(task, 'b')
    assert len(left_out(messages)) == 1
    assert left_out(messages)[0].startswith('worker a ')


def test_broken_files_leave_out_no_worker(run: Run,
                                          messages: List[str]) -> None:
    """Nor do files that no worker can access."""
    for is_of_worker in [False] * 4 + [True] * 4:
        task = run.start()
        for worker in 'abc'[:3 if is_of_worker else 2]:
            run.end(task, worker, failure(worker, is_of_worker))
        assert task.outer.exception()
    assert not left_out(messages)


def test_run_ends_without_workers(run: Run, client: Client,
                                  messages: List[str]) -> None:
    """One message, and the reason for each file."""
    waiting = run.start()
    for worker in 'abc':
        for _ in range(3):
            run.fails(worker, True)
    text = ('all workers are left out; the last, worker c: 3 tasks in a row '
            'failed there')
    with pytest.raises(pending_tasks.Over, match=text):
        waiting.outer.result(60)
    with pytest.raises(pending_tasks.Over, match=text):
        run.start().result()
    farms.until(lambda: not run.farm.watcher.is_alive())
    assert messages[-1] == 'all workers are left out: the run ends'
    assert len(left_out(messages)) == 4
    assert not run.farm.pending


def test_queue_may_start_another_worker(client: Client, messages: List[str],
                                        opened: Any) -> None:
    """If a cluster requests more workers, the tasks wait for them."""
    client.come('a', versions('a'))
    run = Run(client, opened(versions('me'), is_scaled=True))
    for _ in range(3):
        run.fails('a', True)
    task = run.start()
    assert task.sent is None
    farms.until(lambda: run.farm.lost)
    client.come('b', versions('b'))
    farms.until(lambda: task.sent)
    assert task.sent.settings['workers'] == ['b']
    run.end(task, 'b')
    assert task.outer.result(60).address == 'b'
    assert len(left_out(messages)) == 1


def test_worker_that_does_not_answer_any_more(
        client: Client, messages: List[str], opened: Any,
        clock: Jumping) -> None:
    """After a minute its tasks go to others, until it answers again."""
    for name in 'ab':
        client.come(name, versions(name))
    run = Run(client, opened(versions('me'), clock=clock))
    held = run.start()
    first = held.sent
    client.queues['a'] = [first.key]
    stopped = clock.now()
    client.stopped = ['a']
    farms.until(lambda: held.sent not in (None, first))
    assert clock.now() - stopped > 59
    assert first in client.cancelled
    assert held.sent.settings['workers'] == ['b']
    assert messages == ['worker a has not answered for 60 seconds: its tasks '
                        'go to other workers']
    client.stopped = []
    farms.until(lambda: sorted(client.restrictions.get(
        held.sent.key, [])) == ['a', 'b'])
    assert messages[1:] == ['worker a answers again']
    # if no worker answers, the run waits for them
    client.stopped = ['a', 'b']
    farms.until(lambda: 'no worker answers; waiting' in messages)
    client.stopped = []
    farms.until(lambda: 'the farm continues' in messages)
    run.end(run.start(), 'b')
    assert not run.farm.error


def test_stopped_worker_has_the_result_of_a_part(
        client: Client, opened: Any, clock: Jumping) -> None:
    """The command has the part, too: the task that needs it gets it from
    there, whether it is submitted before the worker is silent or later."""
    for name in 'ab':
        client.come(name, versions(name))
    run = Run(client, opened(versions('me'), clock=clock))
    part = run.start()
    key = part.sent.key
    run.end(part, 'a')
    client.holders[key] = ['a']

    def finish() -> pending_tasks.Pending:
        return run.farm.submit(pending_tasks.Pending('finish', lambda: (
            print, [run.farm.data(part, lambda: 'stored')])))
    joined = finish()
    first = joined.sent
    assert [one.key for one in first.arguments[1]] == [key]
    stopped = clock.now()
    client.stopped = ['a']
    farms.until(lambda: joined.sent not in (None, first))
    assert 59 < clock.now() - stopped < 90
    assert first in client.cancelled
    for one in joined, finish():
        assert one.sent.settings['workers'] == ['b']
        assert [one.key.split('-')[0] for one in one.sent.arguments[1]] == [
            'scattered']
    assert client.scattered == 2 * [('stored', ['b'])]


def test_stopped_worker_has_a_result_that_has_not_arrived(
        client: Client, opened: Any, clock: Jumping,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """The task runs again on another worker."""
    for name in 'ab':
        client.come(name, versions(name))
    run = Run(client, opened(versions('me'), clock=clock))
    task, arrives = run.start(), threading.Event()
    first = task.sent

    def result(timeout: Any = None) -> Any:
        arrives.wait(120)
        raise OSError('a closed connection')
    monkeypatch.setattr(first, 'result', result)
    client.holders[first.key] = ['a']
    first.end('finished', None)
    client.stopped = ['a']
    second = farms.until(lambda: task.sent is not first and task.sent)
    assert second.settings['workers'] == ['b']
    arrives.set()
    run.end(task, 'b')
    assert task.outer.result(60).address == 'b'
    assert client.sent == [first, second]


def test_results_of_a_stopped_worker_do_not_delay_others(
        client: Client, opened: Any, clock: Jumping,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """There are more of them than threads that receive results. Each is
    awaited until the worker is silent, and its task then runs again."""
    for name in 'ab':
        client.come(name, versions(name))
    run = Run(client, opened(versions('me'), clock=clock))
    never = threading.Event()

    def result(timeout: Any = None) -> Any:
        never.wait()
    lost = [run.start() for _ in range(9)]
    first = [task.sent for task in lost]
    stopped = clock.now()
    client.stopped = ['a']
    for sent in first:
        monkeypatch.setattr(sent, 'result', result)
        client.holders[sent.key] = ['a']
        sent.end('finished', None)
    other = run.start()
    other.sent.end('finished', tasks.Answer({}, address='b'))
    try:
        assert other.outer.result(60).address == 'b'
        assert clock.now() - stopped < 90
        for task in lost:
            run.end(task, 'b')
            assert task.outer.result(60).address == 'b'
        assert set(first) <= set(client.cancelled)
    finally:
        never.set()


def test_pause_of_the_whole_farm(client: Client, messages: List[str],
                                 clock: Jumping) -> None:
    """It makes no worker silent."""
    client.come('a', versions('a'))
    mine = workers.Workers(versions('me'), messages.append, clock)
    taken = mine.hear(client, client.identity()['workers'])
    client.stopped = ['a']
    clock.sleep(3600)
    assert mine.hear(client, client.identity()['workers']) == taken
    assert not mine.silent() and not messages
    for _ in range(6):
        clock.sleep(10)
        mine.hear(client, client.identity()['workers'])
    assert mine.silent() == taken
