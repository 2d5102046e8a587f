# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines reached by SSH. Dask's SSHCluster starts on all machines or on
none, and does not name a failing one, so each machine is checked before."""
import asyncio
import functools
import sys
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import dask

from clqc.common.errors import ClqcError

# Time-out in seconds for the answer of a machine.
ANSWER_SECONDS = 20.0

# Log level on the machines, which get the configuration of this one:
# SSHCluster waits forever for lines that a log of errors does not have.
_LOGGING = {'distributed.logging': {'distributed': 'info'}}

Json = Dict[str, Any]


def _library() -> Any:
    with warnings.catch_warnings():
        # Warnings about ciphers that another library deprecates.
        warnings.simplefilter('ignore')
        import asyncssh
    return asyncssh


def find() -> Any:
    """Returns the class that starts a cluster. Raises ImportError."""
    _library()
    from distributed import SSHCluster

    @functools.wraps(SSHCluster)
    def start(**keys: Any) -> Any:
        with dask.config.set(_LOGGING):
            return SSHCluster(**keys)
    return start


def _one_each(value: Any, count: int, usual: Any) -> List[Any]:
    """Returns a list with one value per host, from one value or a list. Raises
    ClqcError."""
    if not isinstance(value, list):
        return [usual if value is None else value] * count
    if len(value) != count:
        raise ClqcError(f'{len(value)} for {count} hosts')
    return value


async def _why_not(host: str, options: Json, python: str) -> Optional[str]:
    """Returns why Dask cannot start on a host; None if it can."""
    async def ask() -> Optional[str]:
        async with _library().connect(host, **options) as connection:
            done = await connection.run(f'{python} -c "import distributed"')
            output = str(done.stderr or '').strip().splitlines()
            return None if done.exit_status == 0 else (
                output or [f'{python} ends with {done.exit_status}'])[-1]
    try:
        return await asyncio.wait_for(ask(), ANSWER_SECONDS)
    except asyncio.TimeoutError:
        return 'it does not answer'
    except Exception as error:  # asyncssh has many errors
        return str(error) or type(error).__name__


def _ask(asked: List[Tuple[str, Json, str]]) -> List[Optional[str]]:
    async def all_of_them() -> List[Optional[str]]:
        return list(await asyncio.gather(*(_why_not(*one) for one in asked)))
    return asyncio.run(all_of_them())


def leave_out(keys: Json, wrong: Callable[[str, str], Any],
              say: Callable[[str], None]) -> None:
    """Removes hosts that do not answer from SSHCluster's arguments, with a
    message. @wrong raises an error if the first host (the scheduler's) does
    not answer, or no other."""
    hosts = keys.get('hosts')
    if not isinstance(hosts, list) or len(hosts) < 2 or not all(
            isinstance(host, str) for host in hosts):
        wrong('hosts', 'a list of names: that of the scheduler, and of each '
              'worker')
        return
    each: Dict[str, List[Any]] = {}
    usual: Json = {'connect_options': {}, 'remote_python': None}
    for key in usual:
        try:
            each[key] = _one_each(keys.get(key), len(hosts), usual[key])
        except ClqcError as error:
            wrong(key, str(error))
    reasons = _ask([(host, options, python or sys.executable)
                    for host, options, python in zip(hosts, *each.values())])
    if reasons[0]:
        wrong('hosts', f'{hosts[0]}, where the scheduler would be: '
              f'{reasons[0]}')
    for host, reason in zip(hosts, reasons):
        if reason:
            say(f'{host} is left out: {reason}')
    there = [i for i, reason in enumerate(reasons) if not reason]
    if len(there) < 2:
        wrong('hosts', f'none can measure: {reasons[1]}')
    keys['hosts'] = [hosts[i] for i in there]
    for key, values in each.items():
        if key in keys:
            keys[key] = [values[i] for i in there]
