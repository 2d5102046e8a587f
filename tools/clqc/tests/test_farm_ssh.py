# SPDX-License-Identifier: LGPL-2.1-or-later
"""Farms of machines by SSH, some of which do not answer. There is no network
access: a mock replaces asyncssh."""
import asyncio
from typing import Any, Dict, List

import pytest
from clqc.common import errors

pytest.importorskip('distributed')
from clqc.farm import cluster, ssh  # noqa: E402


class Done:
    """A command that has run."""

    def __init__(self, host: str, command: str) -> None:
        self.exit_status = int(host == 'bare' or '/bad/' in command)
        self.stderr = 'Traceback\nModuleNotFoundError: none\n' if (
            host == 'bare') else ''


class Connection:
    """A connection to a host, whose name determines the result."""

    def __init__(self, host: str) -> None:
        self.host = host

    async def __aenter__(self) -> 'Connection':
        if self.host == 'off':
            raise OSError(113, 'No route to host')
        if self.host == 'mute':
            await asyncio.sleep(100)
        return self

    async def __aexit__(self, *_: Any) -> None:
        """Closes the connection."""

    async def run(self, command: str) -> Done:
        assert command.endswith(' -c "import distributed"')
        return Done(self.host, command)


class Library:
    """A mock of asyncssh."""
    options: List[Any] = []

    @classmethod
    def connect(cls, host: str, **options: Any) -> Connection:
        cls.options.append((host, options))
        return Connection(host)


@pytest.fixture(autouse=True)
def mock_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, '_library', lambda: Library)
    monkeypatch.setattr(ssh, 'ANSWER_SECONDS', 0.5)
    monkeypatch.setattr(Library, 'options', [])


def left(hosts: Any, messages: List[str], **keys: Any) -> Dict[str, Any]:
    """Returns the options of the remaining hosts."""
    found = cluster.Description('pcs.toml', 'type = "ssh"\nhosts = []\n',
                                'ssh', {'hosts': hosts, **keys})
    ssh.leave_out(found.keys, found.wrong, messages.append)
    return found.keys


def test_hosts_that_do_not_answer() -> None:
    messages: List[str] = []
    keys = left(['a', 'off', 'b', 'mute', 'bare', 'a'], messages,
                connect_options={'port': 7})
    assert keys == {'hosts': ['a', 'b', 'a'],
                    'connect_options': [{'port': 7}] * 3}
    assert messages == [
        'off is left out: [Errno 113] No route to host',
        'mute is left out: it does not answer',
        'bare is left out: ModuleNotFoundError: none']
    assert Library.options[1] == ('off', {'port': 7})


def test_each_host_has_its_options() -> None:
    messages: List[str] = []
    keys = left(['a', 'off', 'b', 'c'], messages,
                connect_options=[{'port': port} for port in range(4)],
                remote_python=['/a', '/b', '/c', '/bad/python'])
    assert keys == {'hosts': ['a', 'b'], 'remote_python': ['/a', '/c'],
                    'connect_options': [{'port': 0}, {'port': 2}]}
    assert messages[1:] == ['c is left out: /bad/python ends with 1']


@pytest.mark.parametrize('hosts, keys, why', [
    (None, {}, 'line 2: hosts: a list of names'),
    (['a'], {}, 'line 2: hosts: a list of names'),
    ([1, 'a'], {}, 'line 2: hosts: a list of names'),
    (['off', 'a'], {}, 'line 2: hosts: off, where the scheduler would be: '),
    (['a', 'off', 'mute'], {}, 'line 2: hosts: none can measure: '),
    (['a', 'b'], {'remote_python': ['/a']}, 'remote_python: 1 for 2 hosts')])
def test_invalid_hosts(hosts: Any, keys: Any, why: str) -> None:
    with pytest.raises(errors.ClqcError, match=why):
        left(hosts, [], **keys)
