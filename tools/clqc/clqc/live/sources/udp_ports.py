# SPDX-License-Identifier: LGPL-2.1-or-later
"""UDP ports of this machine: who reads them, and why no data arrives there."""
import ipaddress
import os
import socket
from dataclasses import dataclass, replace
from typing import List, Optional

from clqc.common.network_errors import ANOTHER, ANY, Address


def _is_group(host: str) -> bool:
    """Returns whether an address is one of multicast."""
    try:
        return ipaddress.ip_address(host).is_multicast
    except ValueError:
        return False


@dataclass(frozen=True)
class _Socket:
    inode: str
    host: str
    port: int

    @property
    def is_of_group(self) -> bool:
        """Returns whether it receives datagrams to a group, as all readers
        do."""
        return _is_group(self.host)

    def shares_with(self, other: '_Socket') -> bool:
        """Returns whether only one of both gets a datagram to one address."""
        return (self.port == other.port and self.inode != other.inode
                and not self.is_of_group and not other.is_of_group
                and (self.host == other.host or self.host in ANY
                     or other.host in ANY))


def _host(text: str) -> str:
    """Returns an address in /proc/net: words in the order of this machine."""
    raw = bytes.fromhex(text)
    words = b''.join(raw[at:at + 4][::-1] for at in range(0, len(raw), 4))
    return socket.inet_ntop(
        socket.AF_INET if len(words) == 4 else socket.AF_INET6, words)


def _sockets() -> List[_Socket]:
    """Returns all UDP sockets that this process can see."""
    found = []
    for name in 'udp', 'udp6':
        try:
            with open(f'/proc/net/{name}', encoding='ascii') as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue
        for row in rows:
            host, _, port = row[1].partition(':')
            found.append(_Socket(row[9], _host(host), int(port, 16)))
    return found


def _inodes(process: str) -> List[str]:
    """Returns the sockets of a process."""
    found = []
    folder = f'/proc/{process}/fd'
    try:
        for name in os.listdir(folder):
            try:
                link = os.readlink(f'{folder}/{name}')
            except OSError:
                continue
            if link.startswith('socket:['):
                found.append(link[len('socket:['):-1])
    except OSError:
        pass
    return found


def _owner(inode: str) -> str:
    """Returns the process of a socket, if this user may see it."""
    for process in filter(str.isdecimal, os.listdir('/proc')):
        if inode in _inodes(process):
            try:
                with open(f'/proc/{process}/comm', encoding='utf-8',
                          errors='replace') as file:
                    return f'{file.read().strip()} (process {process})'
            except OSError:
                break
    return ANOTHER


def without_data(uri: str, where: Optional[Address]) -> Optional[str]:
    """Returns why no datagram arrives at this process; None for a URI of
    another kind."""
    scheme = uri.partition(':')[0]
    if scheme == 'srt' and where:
        is_listener = not where.host or 'mode=listener' in uri
        return where.because('no-caller' if is_listener else 'no-listener')
    if scheme not in ('udp', 'rtp', 'sdp'):
        return None
    sockets = _sockets()
    own = _inodes('self')
    mine = sorted((one for one in sockets if one.inode in own),
                  key=lambda one: one.port)
    if where is None and mine:
        where = Address(scheme, mine[0].host, mine[0].port)
    if where is None:
        return None
    for one in [] if _is_group(where.host) else mine:
        for other in sockets:
            if other.inode not in own and one.shares_with(other):
                return replace(where, port=one.port).because(
                    'shared', _owner(other.inode))
    return where.because('no-sender')


def user_of(port: int) -> str:
    """Returns the process that uses a port."""
    for one in _sockets():
        if one.port == port:
            return _owner(one.inode)
    return ANOTHER
