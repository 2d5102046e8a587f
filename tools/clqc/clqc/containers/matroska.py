# SPDX-License-Identifier: LGPL-2.1-or-later
"""The elements of Matroska and WebM files (RFC 9559): checks that all clusters
exist that the segment and the cues name."""
import math
import struct
from bisect import bisect_right
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from clqc.containers.structure import BROKEN, CUT, LOST, Missing, Structure

_EBML, _SEGMENT, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1F43B675
_INFO, _TRACKS, _CUES, _TAGS = 0x1549A966, 0x1654AE6B, 0x1C53BB6B, 0x1254C367
_SEEK_HEAD, _CHAPTERS, _ATTACHMENTS = 0x114D9B74, 0x1043A770, 0x1941A469
_VOID, _CRC = 0xEC, 0xBF

# The elements of a segment; anything else is damage.
_OF_SEGMENT = (_CLUSTER, _INFO, _TRACKS, _CUES, _TAGS, _SEEK_HEAD, _CHAPTERS,
               _ATTACHMENTS, _VOID, _CRC)

# The elements of a cluster: its timestamp, silent tracks, position, size of
# the previous cluster, blocks in three forms.
_OF_CLUSTER = (0xE7, 0x5854, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, _VOID, _CRC)

# Maximum bytes of the head of an element.
_HEAD = 12

_TIMESTAMP_SCALE, _DURATION = 0x2AD7B1, 0x4489
_TIMESTAMP = 0xE7
_CUE_POINT, _CUE_TIME, _CUE_POSITIONS, _CUE_CLUSTER = 0xBB, 0xB3, 0xB7, 0xF1

_CLUSTER_BYTES = struct.pack('>I', _CLUSTER)


class Element(NamedTuple):
    """@head: where it begins; @start, @end: its content. An element of unknown
    size ends where its parent does."""
    kind: int
    head: int
    start: int
    end: int
    has_size: bool


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:4]) == struct.pack('>I', _EBML)


def _number(data: Any, at: int, end: int, keeps_marker: bool
            ) -> Tuple[Optional[int], int]:
    """Returns a number of variable length and its end; None if there is none,
    or if all its bits are set."""
    if at >= end or data[at] == 0:
        return None, at
    length = 9 - data[at].bit_length()
    if at + length > end:
        return None, at
    value = int.from_bytes(data[at:at + length], 'big')
    mask = (1 << 7 * length) - 1
    if keeps_marker:
        return value, at + length
    return (None if value & mask == mask else value & mask), at + length


def element(data: Any, at: int, end: int) -> Optional[Element]:
    """Returns the element at an offset, or None if none can begin there."""
    kind, after = _number(data, at, end, True)
    if kind is None:
        return None
    size, start = _number(data, after, end, False)
    if start == after:
        return None
    return Element(kind, at, start, end if size is None else start + size,
                   size is not None)


def children(data: Any, parent: Element) -> Iterator[Element]:
    """Yields the elements in an element, up to a broken one."""
    at = parent.start
    end = min(parent.end, len(data))
    while at < end:
        found = element(data, at, end)
        if found is None:
            return
        yield found
        at = found.end


def unsigned(data: Any, one: Element) -> int:
    """Returns the unsigned number in an element."""
    return int.from_bytes(data[one.start:min(one.end, one.start + 8)], 'big')


def number(data: Any, one: Element) -> float:
    """Returns the floating-point number in an element."""
    size = one.end - one.start
    form = {4: '>f', 8: '>d'}.get(size)
    return float(struct.unpack_from(form, data, one.start)[0]) if form else 0.0


class _Reader:
    """Reads the elements of the segment once."""

    def __init__(self, data: Any, size: int, segment: Element) -> None:
        self.data = data
        self.size = size
        self.segment = segment
        self.scale = 1_000_000
        self.duration: Optional[float] = None  # in units of @scale
        self.clusters: List[Tuple[int, int, int]] = []  # head, end, time
        self.cues: List[Tuple[int, int]] = []  # time, place of the cluster
        self.broken: List[Tuple[int, int]] = []
        # of an element that the end of the file truncates
        self.end_of_last = 0

    def _cluster(self, one: Element) -> None:
        for inner in children(self.data, one):
            if inner.kind == _TIMESTAMP:
                self.clusters.append((one.head, one.end,
                                      unsigned(self.data, inner)))
                return
            if inner.kind not in (_CRC, _VOID):
                return

    def _info(self, one: Element) -> None:
        for inner in children(self.data, one):
            if inner.kind == _TIMESTAMP_SCALE:
                self.scale = unsigned(self.data, inner) or self.scale
            elif inner.kind == _DURATION:
                self.duration = number(self.data, inner)

    def _cue_points(self, one: Element) -> None:
        for point in children(self.data, one):
            time = 0
            for inner in children(self.data, point):
                if inner.kind == _CUE_TIME:
                    time = unsigned(self.data, inner)
                elif inner.kind == _CUE_POSITIONS:
                    self.cues += [
                        (time, self.segment.start + unsigned(self.data, last))
                        for last in children(self.data, inner)
                        if last.kind == _CUE_CLUSTER]

    def _take(self, one: Element) -> None:
        if one.kind == _CLUSTER:
            self._cluster(one)
        elif one.kind == _INFO:
            self._info(one)
        elif one.kind == _CUES:
            self._cue_points(one)

    def _next(self, at: int, end: int) -> int:
        """Returns the start of the next cluster with an undamaged beginning.
        """
        while True:
            at = self.data.find(_CLUSTER_BYTES, at, end)
            if at < 0:
                return end
            one = element(self.data, at, end)
            if one and (not one.has_size or one.end <= self.segment.end):
                return at
            at += 1

    def _after(self, one: Element, end: int) -> int:
        """Returns the offset of the element after @one; a cluster of unknown
        size ends with the first element that is not part of a cluster."""
        if one.has_size or one.kind != _CLUSTER:
            return one.end
        at = one.start
        while at < end:
            inner = element(self.data, at, end)
            if inner is None or inner.kind not in _OF_CLUSTER:
                break
            at = inner.end
        return at

    def read(self) -> None:
        """Reads all elements, and the bytes between them."""
        end = min(self.segment.end, self.size)
        at = self.segment.start
        while at < end:
            one = element(self.data, at, end)
            if one is None and end - at < _HEAD and self.data[at] and (
                    self.clusters and not self.segment.has_size):
                self.end_of_last = end  # or more: within its head
                return
            if one is None or one.kind not in _OF_SEGMENT:
                following = self._next(at, end)
                self.broken.append((at, following))
                at = following
                continue
            self._take(one)
            at = self._after(one, end)
            if at > end:  # the last one, or its size is damaged
                following = self._next(one.start, end)
                if following < end:
                    self.broken.append((one.head, following))
                    at = following
        self.end_of_last = at if at > end else 0

    def time(self, units: float) -> int:
        """Nanoseconds."""
        return round(units * self.scale)

    def end(self) -> Optional[int]:
        """Returns the duration of the segment in nanoseconds, if it has one.
        """
        if not self.duration or not math.isfinite(self.duration):
            return None
        return self.time(self.duration)


def _around(reader: _Reader, start: int, end: int
            ) -> Tuple[Optional[int], Optional[int]]:
    """Returns the times of the clusters before and after a range of bytes."""
    before = [time for head, _, time in reader.clusters if head < start]
    after = [time for head, _, time in reader.clusters if head >= end]
    return (reader.time(before[-1]) if before else None,
            reader.time(after[0]) if after else None)


def _lost(reader: _Reader) -> Iterator[Missing]:
    """Finds removed bytes: before them, cues name clusters nearer to the start
    of the file than they are. The following cues must confirm that @removed
    more bytes are missing."""
    heads = {head for head, _, _ in reader.clusters}
    times = [time for _, _, time in reader.clusters]
    cues = sorted(set(reader.cues), key=lambda cue: cue[1])
    removed = 0
    for i, (time, place) in enumerate(cues):
        if place - removed in heads:
            continue
        holding = bisect_right(times, time) - 1
        if holding < 0:
            continue
        start = reader.clusters[holding][0]
        n = place - start
        if n <= removed or any(later - n not in heads
                               for _, later in cues[i + 1:i + 4]):
            continue
        yield Missing(start, start + n - removed, LOST,
                      *_around(reader, start, start))
        removed = n


def read(data: Any, size: int, _: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. Zeros within clusters
    may be silence or padding."""
    found = Structure()
    at = 0
    while at < size:
        one = element(data, at, size)
        if one is None or one.kind == _SEGMENT:
            break
        at = one.end
    else:
        return found
    if one is None:
        return found
    reader = _Reader(data, size, one)
    reader.read()
    found.resolution = reader.scale
    found.missing = [
        Missing(first, last, BROKEN, *_around(reader, first, last))
        for first, last in reader.broken]
    lost = list(_lost(reader))
    found.missing += lost
    n_removed = sum(row.bytes for row in lost)
    end = one.end - n_removed if one.has_size else reader.end_of_last
    if end > size or reader.end_of_last == size:
        last = reader.clusters[-1][2] if reader.clusters else None
        found.missing.append(Missing(
            size, end, CUT,
            None if last is None else reader.time(last), reader.end()))
    return found
