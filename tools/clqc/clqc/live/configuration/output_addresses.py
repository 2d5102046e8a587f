# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parses the addresses of outputs."""
import os
import re
from dataclasses import dataclass
from typing import Optional
from urllib.parse import parse_qs, unquote, urlsplit

from clqc.common.errors import ClqcError
from clqc.common.network_errors import Address

PASSWORD = 'CLQC_MQTT_PASSWORD'

_TOPIC = re.compile(r'^[^#+\x00]+$')


@dataclass(frozen=True)
class Broker:
    """An MQTT broker."""
    host: str
    port: int
    prefix: str
    is_secure: bool = False
    user: Optional[str] = None
    password: Optional[str] = None
    authorities: Optional[str] = None  # file of certificates

    @property
    def address(self) -> Address:
        """Returns where it is."""
        return Address('mqtts' if self.is_secure else 'mqtt', self.host,
                       self.port, self.user is not None, self.authorities)

    @property
    def shown(self) -> str:
        """Returns the address for people."""
        return self.address.at


def broker(url: str, folder: str = '') -> Broker:
    """Parses mqtt://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX], or mqtts:// for
    TLS with ?ca=FILE in a folder. Raises ClqcError."""
    def wrong(why: str) -> ClqcError:
        return ClqcError(f'--mqtt: {why}; give mqtt://[USER[:PASSWORD]@]HOST'
                         '[:PORT]/PREFIX, or mqtts:// for TLS')
    try:
        parts = urlsplit(url)
    except ValueError as error:  # its text may contain the password
        raise wrong('not a URL') from error
    if parts.scheme not in ('mqtt', 'mqtts'):
        raise wrong('not an MQTT URL')
    try:
        port = parts.port
    except ValueError as error:
        raise wrong('not a port') from error
    if not parts.hostname:
        raise wrong('it has no host')
    prefix = unquote(parts.path).strip('/') or 'clqc'
    if not _TOPIC.match(prefix):
        raise wrong(f'{prefix!r} is not a topic')
    asked = parse_qs(parts.query)
    is_secure = parts.scheme == 'mqtts'
    if set(asked) - {'ca'} or (asked and not is_secure):
        raise wrong('after ? there can be ca=FILE, and that for mqtts alone')
    authorities = os.path.join(folder, asked['ca'][0]) if asked else None
    if authorities and not os.path.isfile(authorities):
        raise ClqcError(f'{authorities}: no such file')
    password = unquote(parts.password) if parts.password else (
        os.environ.get(PASSWORD))
    return Broker(parts.hostname, port or (8883 if is_secure else 1883),
                  prefix, is_secure,
                  unquote(parts.username) if parts.username else None,
                  password, authorities)


def endpoint(text: str) -> 'tuple[str, int]':
    """Parses [HOST:]PORT; without a host, only this machine can connect.
    Raises ClqcError."""
    host, _, port = text.rpartition(':')
    host = host.strip('[]') or '127.0.0.1'
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise ClqcError(f'--prometheus: {text}: give [HOST:]PORT, as 9550 or '
                        '0.0.0.0:9550')
    return host, int(port)
