# SPDX-License-Identifier: LGPL-2.1-or-later
"""The configuration file of clqc watch. Each key is a row of KEYS
(docs/live.md)."""
import math
import os
import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple
from zoneinfo import ZoneInfo

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.judging.rules import checks
from clqc.live.configuration import (credentials, output_addresses,
                                     stream_addresses)
from clqc.live.configuration.muting import Mute, times

# Tables of the file: its top, [streams.NAME], [mqtt].
TOP, STREAMS, MQTT = 'top', 'streams', 'mqtt'

_NAME = re.compile('[A-Za-z0-9][A-Za-z0-9_.-]*')

Table = Dict[str, Any]


# --- values: converted, or a ValueError ---

def _text(value: Any) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (
            not 0 <= value < 1e9):
        raise ValueError
    return float(value)


def _above_zero(value: Any) -> float:
    if _seconds(value) < 0.1:
        raise ValueError
    return float(value)


def _zone(value: Any) -> tzinfo:
    try:
        return ZoneInfo(_text(value))
    except (LookupError, OSError) as error:
        raise ValueError from error


def _times(value: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError
    return tuple(times(_text(one)) for one in value)


def _until(value: Any) -> Any:
    if isinstance(value, bool) or isinstance(value, datetime) and (
            1970 <= value.year < 9999):  # which time zones cannot exceed
        return value
    raise ValueError


# By the name of a kind of value: how to convert it, and what is allowed.
KINDS: Dict[str, Tuple[Callable[[Any], Any], str]] = {
    'text': (_text, 'a line of text in quotes'),
    'switch': (_flag, 'true or false'),
    'seconds': (_seconds, 'a number of seconds, 0 or more'),
    'time': (_above_zero, 'a number of seconds, at least 0.1'),
    'zone': (_zone, 'a name of the time zone database, as "Europe/Berlin"'),
    'times': (_times, 'a list of times, as ["02:00-03:00", '
              '"sun 23:00-01:00", "mon-fri 04:00-04:30"]'),
    'until': (_until, 'true, false, or a date and time, as '
              '2027-01-31T18:00:00+01:00')}


@dataclass(frozen=True)
class Key:
    """A key: the tables that have it, the kind of its value, its meaning."""
    name: str
    tables: Tuple[str, ...]
    kind: str
    meaning: str
    is_secret: bool = False  # its value is in no message


KEYS: Tuple[Key, ...] = (
    Key('address', (STREAMS, MQTT), 'text',
        'the URI or path of the stream; the URL of `--mqtt`', True),
    Key('address-env', (STREAMS, MQTT), 'text',
        'the environment variable that has the address'),
    Key('address-file', (STREAMS, MQTT), 'text',
        'the file that has the address in its only line'),
    Key('user', (STREAMS, MQTT), 'text', 'the user name for the address'),
    Key('password', (STREAMS, MQTT), 'text',
        'the password of the user; for `srt:` the passphrase', True),
    Key('password-env', (STREAMS, MQTT), 'text',
        'the environment variable that has the password'),
    Key('password-file', (STREAMS, MQTT), 'text',
        'the file that has the password in its only line'),
    Key('policy', (TOP, STREAMS), 'text', 'as `--policy`'),
    Key('unhealthy-after', (TOP, STREAMS), 'seconds',
        'as `--unhealthy-after`'),
    Key('healthy-after', (TOP, STREAMS), 'seconds', 'as `--healthy-after`'),
    Key('stall', (TOP, STREAMS), 'time', 'as `--stall`'),
    Key('loop', (TOP, STREAMS), 'switch', 'as `--loop`'),
    Key('maintenance', (TOP, STREAMS), 'times',
        'when the stream does not count for alerts'),
    Key('time-zone', (TOP, STREAMS), 'zone',
        'the zone of these times, and of `mute`; by default that of the '
        'machine'),
    Key('mute', (STREAMS,), 'until',
        'the stream does not count for alerts until this time; true: until '
        'the key is removed'),
    Key('interval', (TOP,), 'time', 'as `--interval`'),
    Key('jsonl', (TOP,), 'text', 'as `--jsonl`'),
    Key('pictures', (TOP,), 'text', 'as `--pictures`'),
    Key('mqtt-pictures', (TOP,), 'switch', 'as `--mqtt-pictures`'),
    Key('prometheus', (TOP,), 'text', 'as `--prometheus`'),
    Key('quiet', (TOP,), 'switch', 'as `--quiet`'))


def of_table(table: str) -> Dict[str, Key]:
    """Returns the keys of a table by name."""
    return {key.name: key for key in KEYS if table in key.tables}


@dataclass(frozen=True)
class Config:
    """A valid configuration. Values are converted; paths are absolute."""
    top: Table
    streams: List[stream_addresses.Stream]
    values: Dict[str, Table]  # by name of the stream
    broker: Optional[output_addresses.Broker]


class _Reader:
    """Reads the tables, and collects mistakes."""

    def __init__(self, path: str) -> None:
        self.folder = os.path.dirname(os.path.abspath(path))
        self.mistakes: List[checks.Mistake] = []

    def wrong(self, path: List[str], message: str) -> None:
        """Notes a mistake."""
        self.mistakes.append(checks.Mistake(path, message))

    def table(self, name: str, content: Any, path: List[str]) -> Table:
        """Returns the converted values of a table."""
        if not isinstance(content, dict):
            self.wrong(path, 'allowed is a table')
            return {}
        keys, found = of_table(name), {}
        for key, value in content.items():
            row = keys.get(key)
            if row is None:
                self.wrong([*path, key], 'no such key' + checks.suggest(
                    key, list(keys)))
                continue
            convert, words = KINDS[row.kind]
            try:
                found[key] = convert(value)
            except ValueError:
                what = 'its value' if row.is_secret else checks.shown(value)
                self.wrong([*path, key], f'{what} is not allowed here; '
                                         f'allowed is {words}')
        return found

    def _secret(self, table: Table, name: str, path: List[str]
                ) -> Optional[str]:
        """Returns the value of a key that may be in the environment or in a
        file; None if there is none, or it is wrong."""
        given = [key for key in (name, f'{name}-env', f'{name}-file')
                 if key in table]
        if len(given) > 1:
            self.wrong([*path, given[1]], f'there is {given[0]}, too; give '
                                          'one')
        if not given or len(given) > 1:
            return None
        key, value = given[0], str(table[given[0]])
        try:
            if key.endswith('-env'):
                return credentials.from_environment(value)
            return value if key == name else credentials.from_file(
                self.path(value))
        except ClqcError as error:
            self.wrong([*path, key], str(error))
            return None

    def path(self, text: str) -> str:
        """Returns a path that is relative to the file's folder."""
        return os.path.join(self.folder, text)

    def address(self, table: Table, path: List[str]) -> Optional[str]:
        """Returns an address with its user and its password; None if it is
        wrong."""
        before = len(self.mistakes)
        address = self._secret(table, 'address', path)
        password = self._secret(table, 'password', path)
        if len(self.mistakes) > before:
            return None
        if address is None:
            self.wrong(path, 'it has no address; give address, address-env or '
                             'address-file')
            return None
        try:
            return credentials.with_login(address, table.get('user', ''),
                                          password or '')
        except ClqcError as error:
            self.wrong(path, str(error))
            return None

    def stream(self, name: str,
               table: Table) -> Iterator[stream_addresses.Stream]:
        """Yields the stream of a table, if it is right."""
        path = ['streams', name]
        if not _NAME.fullmatch(name):
            self.wrong(path, 'a name of a stream has ASCII letters, digits, '
                             '_ . -')
            return
        address = self.address(table, path)
        if address is None:
            return
        is_hidden = 'address' not in table
        try:
            yield stream_addresses.of_address(name, address, is_hidden,
                                              self.folder)
        except ClqcError as error:
            self.wrong(path, 'its address cannot be used' if is_hidden
                       else str(error))

    def policy(self, table: Table) -> Table:
        """Returns a table with the path of its policy, unless that is the name
        of a shipped one."""
        name = table.get('policy')
        if name and (name not in policy.shipped() or os.sep in name):
            return {**table, 'policy': self.path(name)}
        return table


def mute_of(values: Table) -> Mute:
    """Returns when a stream with these values does not count for alerts."""
    zone, until = values.get('time-zone'), values.get('mute', False)
    if isinstance(until, bool):
        seconds = math.inf if until else 0.0
    else:
        if until.tzinfo is None and zone is not None:
            until = until.replace(tzinfo=zone)
        seconds = until.timestamp()
    return Mute(seconds, values.get('maintenance', ()), zone)


def _broker(reader: _Reader,
            content: Any) -> Optional[output_addresses.Broker]:
    before = len(reader.mistakes)
    table = reader.table(MQTT, content, ['mqtt'])
    if len(reader.mistakes) > before:
        return None
    address = reader.address(table, ['mqtt'])
    if address is None:
        return None
    try:
        return output_addresses.broker(address, reader.folder)
    except ClqcError as error:
        reader.wrong(['mqtt'], str(error).removeprefix('--mqtt: '))
        return None


def _streams(reader: _Reader, content: Any
             ) -> Tuple[List[stream_addresses.Stream], Dict[str, Table]]:
    found: List[stream_addresses.Stream] = []
    values: Dict[str, Table] = {}
    if not isinstance(content, dict) or not content:
        reader.wrong(['streams'], 'there is no stream; give tables as '
                                  '[streams.studio]')
        content = {}
    for name, inner in content.items():
        before = len(reader.mistakes)
        table = reader.table(STREAMS, inner, ['streams', name])
        if len(reader.mistakes) > before:
            continue
        found += reader.stream(name, table)
        values[name] = reader.policy(table)
    return found, values


def parse(text: str, path: str) -> Config:
    """Parses the text of the file @path. Raises ClqcError with a line for each
    mistake; no line has a password."""
    content = policy.parse_toml(text, path)
    reader = _Reader(path)
    tables = {name: content.pop(name) for name in (STREAMS, MQTT)
              if name in content}
    top = reader.policy(reader.table(TOP, content, []))
    if top.get('jsonl', '-') != '-':
        top['jsonl'] = reader.path(top['jsonl'])
    if 'pictures' in top:
        top['pictures'] = reader.path(top['pictures'])
    if 'prometheus' in top:
        try:
            output_addresses.endpoint(top['prometheus'])
        except ClqcError as error:
            reader.wrong(['prometheus'], str(error).removeprefix(
                '--prometheus: '))
    broker = _broker(reader, tables[MQTT]) if MQTT in tables else None
    streams, values = _streams(reader, tables.get(STREAMS))
    policy.refuse(reader.mistakes, text, path)
    return Config(top, streams, values, broker)


def load(path: str) -> Config:
    """Reads a configuration file. Raises ClqcError."""
    return parse(policy.read_text(path), path)
