# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the errors of an MPEG transport stream while it arrives: the errors
of the first priority of ETSI TR 101 290 that packets show by themselves."""
from typing import Dict, Optional, Set

_SYNC = 0x47
_NULL = 0x1fff  # the PID of stuffing, which has no counter

# Bytes from one packet to the next: plain, with a Reed-Solomon code, M2TS.
_SIZES = (188, 204, 192)
_PACKET = 188

# Number of consecutive packets that must begin with the sync byte.
_SURE = 5

# Kinds of errors: a counter that skips, a packet that the receiver has marked
# as damaged, a packet without a sync byte.
KINDS = ('continuity', 'transport', 'sync')


class Continuity:
    """Counts packets, lost packets and errors. The continuity counter has 4
    bits: of a run of lost packets of a PID only the remainder by 16 is known.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Sets all counts to 0."""
        self.packets = 0
        self.lost = 0
        self.errors = dict.fromkeys(KINDS, 0)
        # the newest PCR of the first PID that has one, in nanoseconds
        self.clock: Optional[int] = None
        self._clock_pid: Optional[int] = None
        self.forget()

    def forget(self) -> None:
        """Continues at another place of the stream."""
        self._rest = b''
        self._size = 0  # 0: unknown
        self._last: Dict[int, int] = {}     # counter by PID
        self._repeated: Set[int] = set()  # PIDs whose last packet was repeated

    def feed(self, data: bytes) -> None:
        """Adds the next bytes."""
        data = self._rest + data
        while True:
            if not self._size:
                at = self._find(data)
                if at is None:
                    self._rest = data[-_SURE * max(_SIZES):]
                    return
                data = data[at:]
            n = len(data) // self._size
            heads = data[:n * self._size:self._size]
            good = len(heads) - len(heads.lstrip(b'\x47'))
            self._count(data, good)
            if good == n:
                break
            if good + 1 == n:  # the next packet decides
                n = good
                break
            self.errors['sync'] += 1
            data = data[(good + 1) * self._size:]
            if heads[good + 1] != _SYNC:
                self._size = 0
        self._rest = data[n * self._size:]

    def _find(self, data: bytes) -> Optional[int]:
        """Returns the offset of the first packet, and sets the size."""
        at = data.find(b'\x47')
        while at >= 0:
            for size in _SIZES:
                heads = data[at:at + _SURE * size:size]
                if heads == b'\x47' * _SURE:
                    self._size = size
                    return at
            at = data.find(b'\x47', at + 1)
        return None

    def _count(self, data: bytes, n: int) -> None:
        """Counts the first @n packets, which have a sync byte."""
        size = self._size
        end = n * size
        self.packets += n
        for i, (high, low, flags) in enumerate(zip(
                data[1:end:size], data[2:end:size], data[3:end:size])):
            pid = (high & 0x1f) << 8 | low
            if high & 0x80:
                self.errors['transport'] += 1
                self._last.pop(pid, None)
            elif pid != _NULL:
                self._follow(pid, flags, data, i * size)

    def _follow(self, pid: int, flags: int, data: bytes, at: int) -> None:
        """Compares the counter of a packet with its predecessor's. @flags: the
        byte with the counter. @at: offset of the packet."""
        marks = data[at + 5] if flags & 0x20 and data[at + 4] else 0
        if marks & 0x80:  # discontinuity_indicator
            self._last.pop(pid, None)
        if marks & 0x10 and self._clock_pid in (None, pid):
            self._clock_pid = pid
            self.clock = (int.from_bytes(data[at + 6:at + 11], 'big') >> 7
                          ) * 100_000 // 9
        if not flags & 0x10:  # without a payload, the counter stands
            return
        counter = flags & 0xf
        last = self._last.get(pid, (counter - 1) & 0xf)
        if counter == last and pid not in self._repeated:
            self._repeated.add(pid)  # a packet may be sent twice
            return
        if counter != (last + 1) & 0xf:
            self.errors['continuity'] += 1
            if counter != last:
                self.lost += (counter - last - 1) & 0xf
        self._repeated.discard(pid)
        self._last[pid] = counter
