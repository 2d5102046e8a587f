# SPDX-License-Identifier: LGPL-2.1-or-later
"""The KLV packets of MXF files (SMPTE ST 377-1)."""
import struct
from typing import Any, List, Optional, Sequence, Tuple

from clqc.containers.structure import (CUT, LOST, ZERO, Missing, Structure,
                                       misplaced, named_zero)

_KEY = b'\x06\x0e\x2b\x34'
_PARTITION = _KEY + b'\x02\x05\x01\x01\x0d\x01\x02\x01\x01'
_HEAD = 25  # bytes of a packet in front of its content, at most
_OF_PARTITION = (2, 3, 4)  # header, body, footer
_SET = _KEY + b'\x02\x53\x01\x01\x0d\x01\x01\x01\x01\x01'
_PICTURES = (0x27, 0x28, 0x29, 0x51)  # sets that describe a picture
_RATE = 0x3001                        # a property of these sets
_ESSENCE = _KEY + b'\x01\x02\x01\x01\x0d\x01\x03\x01'
_PICTURE_ITEMS = (0x05, 0x15)


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:13]) == _PARTITION


def _packet(data: Any, at: int, size: int
            ) -> Optional[Tuple[bytes, int, int]]:
    """Returns key, start and end of the content; None if the head is
    incomplete."""
    key = bytes(data[at:at + 16])
    if at + 17 > size or key[:4] != _KEY:
        return None
    length = data[at + 16]
    start = at + 17
    if length & 0x80:
        n = length & 0x7f
        if not 0 < n <= 8 or start + n > size:
            return None
        length = int.from_bytes(data[start:start + n], 'big')
        start += n
    return key, start, start + length


def _rate(data: Any, start: int, end: int) -> Optional[float]:
    """Returns the frames per second from a set that describes a picture."""
    while start + 4 <= end:
        tag, length = struct.unpack_from('>HH', data, start)
        if tag == _RATE and length == 8:
            ticks, units = struct.unpack_from('>II', data, start + 4)
            return ticks / units if ticks and units else None
        start += 4 + length
    return None


def _next(data: Any, at: int, size: int) -> int:
    """Returns the start of the next partition or essence packet that ends
    within the file, or the end of the file. Other keys also occur within
    packets."""
    while True:
        at = data.find(_KEY, at)
        if at < 0:
            return size
        packet = _packet(data, at, size)
        if packet and packet[2] <= size and packet[0].startswith(
                (_PARTITION, _ESSENCE)):
            return int(at)
        at += 1


class _Reader:
    """Reads all packets once."""

    def __init__(self, data: Any, size: int) -> None:
        self.data = data
        self.size = size
        self.rate: Optional[float] = None
        self.n_pictures = 0
        self.removed = 0  # missing bytes before the current offset
        self.footer = 0   # its offset, from the partitions
        self.missing: List[Missing] = []
        self.n_before = 0   # missing ranges before the last partition

    def time(self) -> Optional[int]:
        """Returns the time of the next picture, nanoseconds."""
        return round(self.n_pictures * 1e9 / self.rate) if self.rate else None

    def _partition(self, at: int, start: int) -> None:
        """Reads a partition, which names its own offset and that of the
        footer."""
        place, _, footer = struct.unpack_from('>3Q', self.data, start + 8)
        self.footer = max(self.footer, footer)
        n = place - at - self.removed
        if self.footer and place > self.footer:
            return  # damaged
        if n > 0:
            since = self.missing[self.n_before:]
            one = since[0] if len(since) == 1 and since[0].why != ZERO else (
                Missing(at, at, LOST, self.time()))
            one.why, one.end = LOST, one.start + n
            self.missing[self.n_before:] = [
                row for row in since if row is not one] + [one]
        self.removed += n
        self.n_before = len(self.missing)

    def take(self, key: bytes, at: int, start: int, end: int) -> None:
        """Adds a complete packet."""
        if key[:13] == _PARTITION and key[13] in _OF_PARTITION:
            self._partition(at, start)
        elif key[:14] == _SET and key[14] in _PICTURES and not self.rate:
            self.rate = _rate(self.data, start, end)
        elif key[:12] == _ESSENCE and key[12] in _PICTURE_ITEMS:
            self.n_pictures += 1


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    reader = _Reader(data, size)
    at = last = end = 0
    while at < size:
        packet = _packet(data, at, size)
        if packet is None and size - at < _HEAD and (
                bytes(data[at:at + 4]) == _KEY[:size - at]):
            end = size  # or more: within its head
            break
        following = size
        if packet is None or packet[2] > size:
            following = _next(data, last + 1, size)
        if packet is None or packet[2] > size > following:
            one = named_zero(misplaced(at, following), zeros)
            one.first_time = reader.time()
            reader.missing.append(one)
            at = last = following
            continue
        key, start, end = packet
        if end > size:
            break
        reader.take(key, at, start, end)
        last, at, end = at, end, 0
    footer = reader.footer - reader.removed
    if end or footer >= size:
        reader.missing.append(Missing(size, max(end, footer), CUT,
                                      reader.time()))
    return Structure(missing=reader.missing)
