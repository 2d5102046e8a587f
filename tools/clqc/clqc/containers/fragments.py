# SPDX-License-Identifier: LGPL-2.1-or-later
"""Movie fragments of MP4 (ISO/IEC 14496-12, 8.8): their samples, and missing
fragments."""
import struct
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy

from clqc.containers.boxes import Box, Integers, boxes, find
from clqc.containers.structure import CUT, LOST, Missing, misplaced, named_zero

_OF_FILE = (b'ftyp', b'styp', b'sidx', b'ssix', b'moof', b'mdat', b'mfra',
            b'free', b'skip', b'wide', b'emsg', b'prft', b'uuid', b'meta',
            b'udta', b'moov')

# Maximum number of samples of a fragment whose samples all have the same size.
_MOST_SAMPLES = 1 << 20

# Fragments after removed bytes that must be where an index says.
_AGREE = 3

_TFHD_BASE, _TFHD_DESCRIPTION, _TFHD_DURATION, _TFHD_SIZE, _TFHD_MOOF = (
    0x1, 0x2, 0x8, 0x10, 0x20000)
_TRUN_OFFSET, _TRUN_FIRST_FLAGS = 0x1, 0x4
_TRUN_FIELDS = (0x100, 0x200, 0x400, 0x800)  # duration, size, flags, offset


def number(data: Any, tkhd: Box) -> int:
    """Returns the number of a track."""
    at = 20 if data[tkhd.start] == 1 else 12
    return int(struct.unpack_from('>I', data, tkhd.start + at)[0])


@dataclass
class _Hole:
    """Missing fragments before byte @head: sequence numbers and times skip
    there. Nanoseconds."""
    head: int
    start: Optional[int] = None
    end: Optional[int] = None

    def add(self, start: int, end: int) -> None:
        """Adds a track whose times skip."""
        self.start = start if self.start is None else min(self.start, start)
        self.end = end if self.end is None else max(self.end, end)


@dataclass
class Fragmented:
    """A track: its number, ticks of a second, nanoseconds of the media before
    its first picture, and the end of its samples so far, in ticks."""
    number: int
    scale: int
    start: int
    end: int
    duration: int = 0  # default of a sample, ticks
    size: int = 0      # default of a sample, bytes
    rows: List[Tuple[Integers, Integers, Integers]] = field(
        default_factory=list)  # offsets, sizes, times
    hole: Optional[_Hole] = None  # before the next fragment; None: no hole

    def time(self, ticks: int) -> int:
        """Returns nanoseconds of the stream."""
        return ticks * 10 ** 9 // self.scale - self.start

    def begin(self, start: int, duration: int) -> None:
        """Begins a fragment of the track, whose samples have about that
        duration."""
        hole, self.hole = self.hole, None
        if hole and start > self.end + duration // 2:
            hole.add(self.time(self.end), self.time(start))
        self.end = start

    def add(self, offset: int, sizes: Integers, durations: Integers) -> int:
        """Adds a run of samples; returns the offset after it."""
        times = self.end + numpy.cumsum(durations) - durations
        ends = offset + numpy.cumsum(sizes)
        self.rows.append((ends - sizes, sizes, (
            times * (10 ** 9 / self.scale)).astype(numpy.int64) - self.start))
        self.end += int(durations.sum())
        return int(ends[-1]) if len(ends) else offset

    def samples(self) -> Tuple[Integers, Integers, Integers]:
        """Returns offsets, sizes and times of all samples."""
        none = numpy.zeros(0, numpy.int64)
        offsets, sizes, times = (
            numpy.concatenate([none, *column])
            for column in (zip(*self.rows) if self.rows else ((), (), ())))
        return offsets, sizes, times


class Fragments:
    """Reads all fragments once. @tracks: the tracks of @moov."""

    def __init__(self, data: Any, moov: Box,
                 tracks: Sequence[Fragmented]) -> None:
        self.data = data
        self.tracks: Dict[int, Fragmented] = {
            track.number: track for track in tracks}
        self.heads: List[int] = []
        self.last: Optional[int] = None  # number of the last fragment
        self.holes: List[_Hole] = []
        self.named: Set[int] = set()  # places of fragments that indices name
        self.end = 0                  # end of the segments that indices name
        self.named_time: Optional[int] = None
        self.broken: List[Missing] = []
        mvex = find(data, moov, b'mvex')
        for trex in boxes(data, mvex.start, mvex.end) if mvex else ():
            if trex.kind == b'trex':
                of, _, duration, size = struct.unpack_from(
                    '>4I', data, trex.start + 4)
                if of in self.tracks:
                    self.tracks[of].duration = duration
                    self.tracks[of].size = size

    def _run(self, trun: Box, track: Fragmented, defaults: Tuple[int, int],
             base: int, at: int) -> int:
        """Reads a run; its samples begin at @at unless it names an offset."""
        flags, count = struct.unpack_from('>II', self.data, trun.start)
        place = trun.start + 8
        if flags & _TRUN_OFFSET:
            at = base + struct.unpack_from('>i', self.data, place)[0]
            place += 4
        place += 4 if flags & _TRUN_FIRST_FLAGS else 0
        has = [bool(flags & field) for field in _TRUN_FIELDS]
        width = sum(has)
        count = min(count, max(trun.end - place, 0) // (4 * width)
                    if width else _MOST_SAMPLES)
        rows = numpy.frombuffer(self.data, '>u4', count * width, place
                                ).astype(numpy.int64).reshape(count, width)
        durations, sizes = (
            rows[:, sum(has[:i])] if has[i]
            else numpy.full(count, defaults[i], numpy.int64)
            for i in range(2))
        return track.add(at, sizes, durations)

    def _track(self, traf: Box, head: int, at: int) -> int:
        """Reads the runs of a track in a fragment that begins at @head; @at:
        end of the previous samples."""
        tfhd = find(self.data, traf, b'tfhd')
        if tfhd is None:
            return at
        flags, of = struct.unpack_from('>II', self.data, tfhd.start)
        track = self.tracks.get(of)
        if track is None:
            return at
        base = head if flags & _TFHD_MOOF else at
        defaults = [track.duration, track.size]
        place = tfhd.start + 8
        for flag, width in ((_TFHD_BASE, 8), (_TFHD_DESCRIPTION, 4),
                            (_TFHD_DURATION, 4), (_TFHD_SIZE, 4)):
            if not flags & flag:
                continue
            value = int.from_bytes(self.data[place:place + width], 'big')
            place += width
            if flag == _TFHD_BASE:
                base = value
            elif flag != _TFHD_DESCRIPTION:
                defaults[flag == _TFHD_SIZE] = value
        tfdt = find(self.data, traf, b'tfdt')
        if tfdt:
            form = '>Q' if self.data[tfdt.start] == 1 else '>I'
            track.begin(struct.unpack_from(form, self.data,
                                           tfdt.start + 4)[0], defaults[0])
        at = base
        for trun in boxes(self.data, traf.start, traf.end):
            if trun.kind == b'trun':
                at = self._run(trun, track, (defaults[0], defaults[1]), base,
                               at)
        return at

    def _fragment(self, moof: Box, head: int) -> None:
        mfhd = find(self.data, moof, b'mfhd')
        if mfhd:
            new, = struct.unpack_from('>I', self.data, mfhd.start + 4)
            if self.last is not None and new > self.last + 1:
                self.holes.append(_Hole(head))
                for track in self.tracks.values():
                    track.hole = track.hole or self.holes[-1]
            self.last = new
        at = head
        for traf in boxes(self.data, moof.start, moof.end):
            if traf.kind == b'traf':
                at = self._track(traf, head, at)
        self.heads.append(head)

    def _index(self, sidx: Box) -> None:
        """Reads an index of the segments after it."""
        version = self.data[sidx.start]
        _, scale = struct.unpack_from('>II', self.data, sidx.start + 4)
        form = '>QQ' if version else '>II'
        time, offset = struct.unpack_from(form, self.data, sidx.start + 12)
        at = sidx.start + 12 + struct.calcsize(form)
        count, = struct.unpack_from('>xxH', self.data, at)
        place = sidx.end + offset
        for i in range(min(count, (sidx.end - at - 4) // 12)):
            size, duration = struct.unpack_from('>II', self.data,
                                                at + 4 + 12 * i)
            if not self.heads:
                self.named.add(place)
            place += size & 0x7FFFFFFF
            time += duration
        self.end = max(self.end, place)
        self.named_time = max(self.named_time or 0,
                              time * 10 ** 9 // (scale or 1))

    def _random_access(self, mfra: Box) -> None:
        for tfra in boxes(self.data, mfra.start, mfra.end):
            if tfra.kind != b'tfra':
                continue
            version, _, lengths, count = struct.unpack_from(
                '>B3x3I', self.data, tfra.start)
            entry = '>QQ' if version else '>II'
            width = struct.calcsize(entry) + 3 + sum(
                lengths >> shift & 3 for shift in (0, 2, 4))
            at = tfra.start + 16
            for i in range(min(count, (tfra.end - at) // width)):
                self.named.add(struct.unpack_from(
                    entry, self.data, at + i * width)[1])

    def _next(self, at: int, size: int) -> int:
        """Returns the start of the next fragment, or the end of the file."""
        while True:
            at = self.data.find(b'moof', at, size)
            if at < 0:
                return size
            if self.data[at + 8:at + 12] == b'mfhd':
                return at - 4
            at += 1

    def read(self, at: int, size: int) -> Optional[Box]:
        """Reads from the end of moov on; returns the last box."""
        last: Optional[Box] = None
        while at + 8 <= size:
            box = next(boxes(self.data, at, size), None)
            after = last.start if last else at
            if box and box.kind in _OF_FILE and box.end > size and (
                    self._next(at + 5, size) < size):  # the box is too long
                box, after = None, at + 5
            if box is None or box.kind not in _OF_FILE:
                following = self._next(after, size)
                self.broken.append(misplaced(at, following))
                at = following
                last = None
                continue
            if box.end <= size:
                if box.kind == b'moof':
                    self._fragment(box, at)
                elif box.kind == b'sidx':
                    self._index(box)
                elif box.kind == b'mfra':
                    self._random_access(box)
            last = box
            at = box.end
        return last

    def _removed(self, head: int, before: int) -> Optional[int]:
        """Returns how many bytes are missing before the fragment there; this
        many are missing before others."""
        heads = set(self.heads)
        named = sorted(self.named)
        for i, place in enumerate(named):
            n = place - head
            following = named[i + 1:i + 1 + _AGREE]
            if n > before and following and all(
                    later - n in heads for later in following):
                return n
        return None

    def _lost(self) -> List[Missing]:
        found = []
        removed = 0
        for hole in self.holes:
            total = self._removed(hole.head, removed) or removed
            if hole.start is not None or total > removed:
                found.append(Missing(hole.head, hole.head + total - removed,
                                     LOST, hole.start, hole.end))
            removed = total
        return found

    def missing(self, size: int, zeros: Sequence[Tuple[int, int]]
                ) -> List[Missing]:
        """Returns missing fragments, and bytes that belong to no fragment."""
        found = self._lost()
        for one in self.broken:
            named_zero(one, zeros)
            for lost in found:
                if lost.start == lost.end == one.end:  # these fragments exist
                    one.first_time, one.last_time = (
                        lost.first_time, lost.last_time)
                    found.remove(lost)
                    break
        return found + self.broken

    def end_time(self) -> Optional[int]:
        """Returns the end of the samples so far, nanoseconds of the stream."""
        return max((track.time(track.end) for track in self.tracks.values()),
                   default=None)

    def longer(self, cut: Optional[Missing], size: int) -> Optional[Missing]:
        """Extends @cut to the end of the segments in an index."""
        if self.end <= size or self.broken or self._lost():
            return cut
        first = cut.first_time if cut else None
        return Missing(size, max(self.end, cut.end if cut else 0), CUT,
                       self.end_time() if first is None else first,
                       self.named_time, cut.samples if cut else 0)
