# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connects to a running scheduler, or starts a cluster that a file describes,
with Dask's libraries."""
import asyncio
import contextlib
import inspect
import json
import logging
import os
import re
import signal
import threading
import warnings
from dataclasses import dataclass
from typing import (Any, Callable, Dict, Iterable, Iterator, List, NoReturn,
                    Optional)

import dask
from distributed import Client, Nanny, SpecCluster, Status

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.farm import local, ssh
from clqc.judging import policy
from clqc.judging.rules import toml_lines

# Seconds until the first worker connects: workers of queues may take long.
WAIT_SECONDS = float(os.environ.get('CLQC_FARM_WAIT_SECONDS', '60'))
_QUEUE_SECONDS = 24 * 3600.0

# Seconds between two checks of the number of workers.
_SCALE_SECONDS = 10.0

# Seconds to stop a started cluster.
_END_SECONDS = 10.0

Json = Dict[str, Any]


def _slurm() -> Any:
    from dask_jobqueue import SLURMCluster
    return SLURMCluster


def _kubernetes() -> Any:
    from dask_kubernetes.operator import KubeCluster
    return KubeCluster


@dataclass(frozen=True)
class Kind:
    """A type of cluster."""
    find: Callable[[], Any]
    package: str  # required package
    wait: float
    # whether our key `workers` sets the number of workers
    is_scaled: bool = True


KINDS = {'local': Kind(lambda: local.cluster, 'distributed', WAIT_SECONDS,
                       False),
         'slurm': Kind(_slurm, 'dask-jobqueue', _QUEUE_SECONDS),
         'kubernetes': Kind(_kubernetes, 'dask-kubernetes', _QUEUE_SECONDS),
         'ssh': Kind(ssh.find, 'asyncssh', WAIT_SECONDS, False)}


@dataclass
class Description:
    """The content of a description."""
    where: str
    text: str
    kind: str
    keys: Json

    def wrong(self, key: str, why: str) -> NoReturn:
        """Raises ClqcError."""
        line = toml_lines.find(self.text).get(key, 1)
        place = f'{self.where}, line {line}: ' if self.text else (
            f'{self.where}: ')
        raise ClqcError(f'{place}{key}: {why.removeprefix(key + ": ")}')


def describe(path: str) -> Description:
    """Returns the description in a file; `local` needs no file. Raises
    ClqcError."""
    if path == 'local':
        return Description('--cluster local', '', 'local', {})
    text = policy.read_text(path)
    keys = policy.parse_toml(text, path)
    kind = keys.pop('type', None)
    found = Description(path, text, str(kind), keys)
    if kind not in KINDS:
        found.wrong('type', 'one of ' + ', '.join(KINDS) + ' is wanted'
                    + ('' if kind is None else f', and not {kind!r}'))
    return found


def _workers(found: Description) -> Optional[int]:
    """Returns the number of requested workers, for clusters that can be
    scaled."""
    count = found.keys.pop('workers', None)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        found.wrong('workers', 'how many workers to start, at least 1')
    return count


def _end(clusters: Iterable[Any]) -> None:
    """Stops the started part of a cluster that could not start as a whole."""
    for cluster in clusters:
        cluster.shutdown_on_close = False  # not again at the exit of Python

        async def close(cluster: Any = cluster) -> None:
            for one in [*cluster._created, cluster.scheduler]:
                with contextlib.suppress(Exception):
                    await one.close()
        with contextlib.suppress(Exception):
            cluster.sync(close, callback_timeout=_END_SECONDS)


def _kill(clusters: Iterable[Any]) -> None:
    """Kills the workers that this process has started, before it ends at once.
    Dask would wait for workers that are still starting, and they report a
    missing parent."""
    async def kill(worker: Nanny) -> None:
        while not worker.process:
            if worker.status not in (Status.init, Status.starting):
                return
            await asyncio.sleep(0.01)  # it is starting and has no process yet
        worker.status = Status.closing  # it is not restarted
        await worker.process.process.kill()
        await worker.process.process.join()

    async def kill_all(workers: Iterable[Any]) -> None:
        await asyncio.gather(
            *(kill(worker) for worker in workers if isinstance(worker, Nanny)),
            return_exceptions=True)

    for cluster in clusters:
        cluster.shutdown_on_close = False  # not once more when Python ends
        with contextlib.suppress(Exception):
            cluster.sync(kill_all, list(cluster._created),
                         callback_timeout=_END_SECONDS)
            cluster._loop_runner.stop(_END_SECONDS)


def _call(found: Description, function: Any) -> Any:
    """Starts the cluster. An unknown key, or one of another type, is an error
    that names its line."""
    parameters = inspect.signature(function).parameters
    if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        for key in found.keys:
            if key not in parameters:
                found.wrong(key, f'no key of the type {found.kind}, which '
                            'has ' + ', '.join(parameters))
    before = set(SpecCluster._instances)
    try:
        return function(**found.keys)
    except ClqcError:
        raise
    except KeyboardInterrupt:
        _kill(set(SpecCluster._instances) - before)
        raise
    except Exception as error:  # each library has its own errors
        _end(set(SpecCluster._instances) - before)
        while isinstance(error, AssertionError) and isinstance(
                error.__context__, Exception):
            # it was raised while Dask stopped the rest
            error = error.__context__
        text = str(error) or type(error).__name__
        unknown = re.search(r"unexpected keyword argument '(\w+)'", text)
        key = unknown[1] if unknown and unknown[1] in found.keys else next(
            (key for key in found.keys
             if re.search(rf'\b{re.escape(key)}\b', text)), 'type')
        found.wrong(key, text.split('\n', maxsplit=1)[0])


def _call_quietly(found: Description, function: Any,
                  say: Callable[[str], None]) -> Any:
    """Calls _call(). If another program uses the port of Dask's dashboard, the
    dashboard gets another port and Dask warns; the warning is shown only if
    the file names a port."""
    caught: List[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            return _call(found, function)
    finally:
        for one in caught:
            text = str(one.message)
            if 'is already in use' not in text:
                warnings.showwarning(one.message, one.category, one.filename,
                                     one.lineno)
            elif 'dashboard' in found.text:
                say(f'{found.kind}: ' + ' '.join(text.split()))


def _ask_for(cluster: Any, count: int) -> None:
    """Requests this number of workers. If they are jobs, they are in the queue
    afterwards. Raises the errors of the library."""
    async def ask() -> None:
        cluster.scale(count)
        try:
            await cluster._correct_state()
        except Exception:
            # Newer versions of Dask keep rejected jobs, and would not request
            # them again.
            for name, job in list(cluster.workers.items()):
                if job.status == Status.created:
                    del cluster.workers[name]
            raise
    # Errors there are known only to the cluster's event loop.
    if isinstance(cluster, SpecCluster):
        cluster.sync(ask)
    else:
        cluster.scale(count)


def _why(error: Exception) -> str:
    """Returns the most informative line of an error: the output of a command.
    """
    lines = [line for line in str(error).splitlines() if line.strip()]
    output = lines[lines.index('stderr:') + 1:] if 'stderr:' in lines else []
    return (output or lines or [type(error).__name__])[0]


@contextlib.contextmanager
def _scaled(cluster: Any, count: int, found: Description,
            say: Callable[[str], None],
            clock: Clock = REAL) -> Iterator[None]:
    """Scales the cluster to this number of workers until the end of the block.
    A job may end by its walltime or earlier; the worker of an ended job is
    requested again as soon as the cluster has noticed."""
    ended = threading.Event()

    def scale() -> None:
        reported = ''
        while not clock.wait(ended, _SCALE_SECONDS):
            try:
                _ask_for(cluster, count)
                reported = ''
            except Exception as error:  # the request is repeated
                if _why(error) != reported and not ended.is_set():
                    reported = _why(error)
                    say(f'{found.kind}: {reported}')
    try:
        _ask_for(cluster, count)
    except Exception as error:
        why = _why(error)
        key = next((key for key, value in found.keys.items()
                    if isinstance(value, str) and value in why), 'type')
        found.wrong(key, why)
    thread = threading.Thread(target=scale, daemon=True, name='scale')
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_SCALE_SECONDS)


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Keeps signal handlers during the import of dask-jobqueue, whose version
    0.9 makes Ctrl-C exit with status 0. The main thread."""
    kept = {number: signal.getsignal(number)
            for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def started(found: Description,
            say: Callable[[str], None]) -> Iterator[Any]:
    """Starts a Dask cluster that is stopped at the end of the block. @say
    receives messages for the user, in any thread. Raises ClqcError."""
    kind = KINDS[found.kind]
    try:
        with _signals_kept():
            function = kind.find()
    except ImportError as error:
        found.wrong('type', f'{found.kind} needs the Python package '
                    f'{kind.package} ({error})')
    count = _workers(found) if kind.is_scaled else None
    if found.kind == 'ssh':
        ssh.leave_out(found.keys, found.wrong, say)
    cluster = _call_quietly(found, function, say)
    try:
        with (_scaled(cluster, count, found, say) if count
              else contextlib.nullcontext()):
            yield cluster
    except KeyboardInterrupt:
        if isinstance(cluster, SpecCluster):
            _kill([cluster])
            cluster = None
        raise
    finally:
        if cluster:
            with contextlib.suppress(Exception):
                cluster.close()


def _be_quiet() -> None:
    """Silences Dask's log: the farm itself tells users what they need."""
    for name in ('distributed', 'distributed.client', 'distributed.nanny',
                 'distributed.scheduler', 'distributed.worker',
                 'distributed.core', 'distributed.batched', 'tornado',
                 'tornado.application', 'asyncio'):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


class _Client(Client):  # type: ignore[misc]
    """A client that is closed at once if it cannot connect. Otherwise Dask
    closes it when Python exits, and then waits forever for a thread that has
    ended."""

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except BaseException:
            with contextlib.suppress(Exception):
                self.close()
            raise


def _address_in(path: str) -> str:
    """Returns the address that a scheduler has written into the file."""
    try:
        with open(path, encoding='utf-8') as file:
            found = json.load(file)['address']
    except (ValueError, TypeError, LookupError) as error:
        raise ClqcError(f'{path}: not a file that a scheduler of Dask has '
                        'written') from error
    return str(found)


def connect(address: Any) -> Any:
    """Returns a client for a scheduler: an address, a file that the scheduler
    has written, or a cluster. Raises ClqcError."""
    where = address
    if isinstance(address, str) and os.path.isfile(address):
        where = _address_in(address)
    try:
        return _Client(address=where, set_as_default=False)
    except Exception as error:  # of addresses, connections, certificates
        why = str(error).split('\n', maxsplit=1)[0] or type(error).__name__
        raise ClqcError(f'no scheduler of Dask answers at {address}: {why}'
                        ) from error


def configure() -> None:
    """Configures Dask in this process: tasks move away from workers that die.
    """
    _be_quiet()
    dask.config.set({'distributed.scheduler.allowed-failures': 2,
                     'distributed.admin.log-format': '%(message)s'})
