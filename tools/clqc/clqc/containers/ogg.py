# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of Ogg files (RFC 3533): checks that they are consecutive, and
that each stream has its last page."""
import struct
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from clqc.containers.structure import (CUT, LOST, Missing, Structure,
                                       misplaced, named_zero)

_MARK = b'OggS'
_HEAD = 27
_EOS = 4
_NO_TIME = -1  # granule position of a page on which no packet ends


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:4]) == _MARK


@dataclass
class _Stream:
    """A stream. @rate: units of granule positions per second; 0: unknown.
    @shift: number of low bits of a granule position that count the frames
    after a key frame; 0: none. @skip: samples before the first one."""
    rate: float = 0
    shift: int = 0
    skip: int = 0
    number: int = -1  # number of its last page
    place: int = 0    # offset of its last page
    has_ended: bool = False
    time: Optional[int] = None  # end of the last packet, nanoseconds

    def add_granule(self, granule: int) -> None:
        """Adds the granule position of a page."""
        if granule == _NO_TIME or not self.rate:
            return
        units = granule if not self.shift else (
            (granule >> self.shift) + (granule & (1 << self.shift) - 1))
        self.time = max(round((units - self.skip) * 1e9 / self.rate), 0)


def _stream(head: bytes) -> _Stream:
    """Returns the stream that begins with this packet."""
    if head[:7] == b'\x01vorbis':
        return _Stream(struct.unpack_from('<I', head, 12)[0])
    if head[:8] == b'OpusHead':
        return _Stream(48000, skip=struct.unpack_from('<H', head, 10)[0])
    if head[:5] == b'\x7fFLAC':
        return _Stream(struct.unpack_from('>I', head, 27)[0] >> 12)
    if head[:7] == b'\x80theora':
        ticks, units = struct.unpack_from('>II', head, 22)
        bits, = struct.unpack_from('>H', head, 40)
        return _Stream(ticks / (units or 1), bits >> 5 & 31)
    return _Stream()


def _times(streams: Dict[int, _Stream]) -> List[int]:
    return [stream.time for stream in streams.values()
            if stream.time is not None]


def _next(data: Any, at: int, size: int) -> int:
    """Returns the start of the next page from @at on, or the end of the file.
    """
    while True:
        at = data.find(_MARK, at)
        if at < 0 or at + _HEAD > size:
            return size
        if data[at + 4] == 0 and data[at + 5] < 8:
            return int(at)
        at += 1


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    found = Structure()
    streams: Dict[int, _Stream] = {}
    # @explained: end of the last damage; it explains missing pages before it
    at = explained = 0
    last = 0       # offset of the previous page
    lost: Optional[Missing] = None  # damage without an end so far
    while at < size:
        if data[at:at + 4] != _MARK[:size - at]:
            following = _next(data, last + 1, size)
            lost = named_zero(misplaced(at, following), zeros)
            lost.first_time = max(_times(streams), default=None)
            found.missing.append(lost)
            at = explained = following
            continue
        if at + _HEAD > size or at + _HEAD + data[at + 26] > size:
            found.missing.append(Missing(size, size, CUT,
                                         max(_times(streams), default=None)))
            return found
        _, flags, granule, serial, number, _, n = struct.unpack_from(
            '<BBqIIIB', data, at + 4)
        start = at + _HEAD + n
        end = start + sum(data[at + _HEAD:start])
        if end > size:
            found.missing.append(Missing(size, end, CUT,
                                         max(_times(streams), default=None)))
            return found
        if serial not in streams:
            streams[serial] = _stream(bytes(data[start:min(end, start + 64)]))
            streams[serial].number = number - 1
        stream = streams[serial]
        before = stream.time
        stream.add_granule(granule)
        if lost and lost.last_time is None:
            lost.last_time = stream.time
        if number > stream.number + 1 and explained <= stream.place:
            lost = Missing(at, at, LOST, before, stream.time)
            found.missing.append(lost)
        stream.number, stream.place = number, at
        stream.has_ended = bool(flags & _EOS)
        last, at = at, end
    if not all(stream.has_ended for stream in streams.values()) and not (
            found.missing and found.missing[-1].end == size):
        found.missing.append(Missing(size, size, CUT,
                                     max(_times(streams), default=None)))
    return found
