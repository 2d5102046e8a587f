# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the errors of an MPEG transport stream while it arrives: the errors
of the first priority of ETSI TR 101 290 that packets show by themselves."""
from typing import Dict, List, Optional, Set

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
        # by PID
        self._last: Dict[int, int] = {}      # counter
        self._packets: Dict[int, bytes] = {}  # the last one with a payload
        # offsets, in the bytes that were added last, of packets that repeat
        # the one before, which a sender may do once; -1 to -3 if the packet
        # begins in the bytes before
        self.repeats: List[int] = []
        self._start = 0  # offset of the bytes in front, 0 or less
        self._repeated: Set[int] = set()  # PIDs whose last packet was repeated

    def feed(self, data: bytes) -> None:
        """Adds the next bytes."""
        self.repeats = []
        self._start = -len(self._rest)
        data = self._rest + data
        while True:
            if not self._size:
                at = self._find(data)
                if at is None:
                    self._rest = data[-_SURE * max(_SIZES):]
                    return
                data = self._skip(data, at)
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
            data = self._skip(data, (good + 1) * self._size)
            if heads[good + 1] != _SYNC:
                self._size = 0
        self._rest = data = self._skip(data, n * self._size)
        if len(data) > 3 and data[0] == _SYNC:
            # with the next bytes, its head can no longer be changed
            self._is_repeat((data[1] & 0x1f) << 8 | data[2], data[3], data, 0)

    def _skip(self, data: bytes, n_bytes: int) -> bytes:
        self._start += n_bytes
        return data[n_bytes:]

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
        if self._is_repeat(pid, flags, data, at):
            self._repeated.add(pid)
            return
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
        if counter != (last + 1) & 0xf:
            self.errors['continuity'] += 1
            if counter != last:
                self.lost += (counter - last - 1) & 0xf
        self._repeated.discard(pid)
        self._last[pid] = counter
        self._packets[pid] = data[at:at + _PACKET]

    def _is_repeat(self, pid: int, flags: int, data: bytes, at: int) -> bool:
        """Returns whether a packet repeats the one before, and notes it. Only
        the clock may differ. The end of the packet may be missing."""
        if (not flags & 0x10 or flags & 0xf != self._last.get(pid)
                or pid in self._repeated):
            return False
        start = 4
        if flags & 0x20 and len(data) > at + 4:
            start += 1 + data[at + 4]
        payload = data[at + start:at + _PACKET]
        if payload != self._packets[pid][start:start + len(payload)]:
            return False
        if self._start + at + 3 >= 0:
            self.repeats.append(self._start + at)
        return True
