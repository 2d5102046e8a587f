# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a demuxer changes timestamps: those of a transport stream after a
hole."""
from dataclasses import dataclass
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy
import numpy.typing

Integers = numpy.typing.NDArray[numpy.int64]

# Nanoseconds by which timestamps may be smaller than those of the packet in
# front, and greater behind a hole.
_BACK = 1_000_000_000
_AHEAD = 10_000_000_000

# Timestamps that differ by less are equal: a tick of 90 kHz, rounded.
_CLOSE = 12_000

# Packets that a demuxer or a parser drops in a row, at most.
_DROPPED = 25

# Packets that a parser drops at the start of a recording, until one says what
# the pictures are like, at most.
_SKIPPED = 600

# Packets at the start that are compared.
_COMPARED = 50

# So many changed timestamps in a row are told.
_SURE = 5


@dataclass(frozen=True)
class Shift:
    """Nanoseconds: from @stamp on, timestamps differ from those of the
    packets, by @amount at most; positive: they are later."""
    stamp: int
    amount: int


@dataclass(frozen=True)
class Break:
    """Where recordings were joined: the timestamps of the packets go on from
    others, as players expect. @stamp is that of the first packet behind it."""
    stamp: int
    before: int  # the last timestamp in front of it, in the packets
    after: int   # the first one behind it


def _break(own: Sequence[int], at: int) -> Optional[int]:
    """The first packet from @at on that no hole in front of it explains."""
    for i in range(max(at, 1), min(at + _DROPPED, len(own))):
        if not -_BACK < own[i] - own[i - 1] < _AHEAD:
            return i
    return None


def _ahead(own: Sequence[int], at: int, wanted: int) -> Optional[int]:
    """Where a timestamp is among the packets from @at on."""
    for i in range(at, min(at + _DROPPED, len(own))):
        if abs(own[i] - wanted) < _CLOSE:
            return i
    return None


def _start(came: Sequence[int], own: Sequence[int],
           n_skipped: int = _SKIPPED) -> Tuple[int, int]:
    """Which of the first @n_skipped packets came first, and how much later
    timestamps come there: as many as possible are equal then."""
    first = came[:_COMPARED]

    def n_equal(at: int) -> int:
        offset = came[0] - own[at]
        return sum(abs(stamp - offset - other) < _CLOSE
                   for stamp, other in zip(first, own[at:at + _COMPARED]))
    at = max(range(min(len(own), n_skipped)), key=n_equal)
    return at, came[0] - own[at]


def _walk(came: Sequence[int], own: Sequence[int],
          breaks: List[Break]) -> Iterator[Tuple[int, int, int]]:
    """Of each timestamp that came: itself, that in its packet, and how much
    later it is than those at the start of the file, or behind the last of the
    @breaks, which are added."""
    if not came or not own:
        return
    at, offset = _start(came, own)
    amount = 0
    for i, stamp in enumerate(came):
        if at < len(own) and amount and abs(
                own[at] + offset + amount - stamp) < _CLOSE:
            at += 1
            yield stamp, own[at - 1], amount
            continue
        found = _ahead(own, at, stamp - offset)
        behind = _break(own, at) if found is None else None
        if behind is not None:
            skipped, offset = _start(came[i:i + _COMPARED], own[
                behind:behind + _SKIPPED + _COMPARED])
            found = behind + skipped
            breaks.append(Break(stamp, own[behind - 1], own[behind]))
        if found is None and at >= len(own):
            return
        # the parser may have dropped packets behind a hole
        place = at + _start(came[i:i + _COMPARED], own[
            at:at + _DROPPED + _COMPARED], _DROPPED)[0] if (
                found is None) else found
        at = place + 1
        amount = stamp - own[place] - offset if found is None else 0
        yield stamp, own[place], amount


def find(came: Sequence[int], own: Sequence[int]
         ) -> Tuple[Optional[Shift], List[Break]]:
    """@came: timestamps of the video as the demuxer gives them, @own: those in
    the packets, of which some did not come; in the order of the file. None:
    they differ by the same all the time, but for the breaks."""
    breaks: List[Break] = []
    first = None  # of those in a row that differ
    told: Optional[Shift] = None
    n_wrong = most = 0
    for stamp, _, amount in _walk(came, own, breaks):
        if not amount:
            n_wrong = most = 0
            continue
        first = stamp if n_wrong == 0 else first
        most = max(most, amount, key=abs)
        n_wrong += 1
        if n_wrong >= _SURE and first is not None:
            told = Shift(told.stamp if told else first,
                         max(most, told.amount if told else 0, key=abs))
    return told, breaks


def _constant(came: Sequence[int], own: Sequence[int]) -> Iterator[
        Tuple[int, int]]:
    """Of each timestamp that came: itself, and what it would be if the demuxer
    had changed none; behind a break, times go on from there."""
    breaks: List[Break] = []
    n_breaks = carried = last = 0
    for stamp, _, amount in _walk(came, own, breaks):
        if len(breaks) > n_breaks:
            n_breaks, carried = len(breaks), carried + last
        last = amount
        yield stamp, stamp - amount - carried


def unchanged(came: Sequence[int], own: Sequence[int],
              stamps: Iterable[int]) -> Iterator[int]:
    """@stamps: those of the packets that a parser makes of what came, in the
    order of the file. What they would be if the demuxer had changed none."""
    pairs = list(_constant(came, own))
    at = 0
    for stamp in stamps:
        for i in range(at + 1, min(at + _DROPPED, len(pairs))):
            if abs(pairs[i][0] - stamp) < _CLOSE:
                at = i
                break
        yield stamp + (pairs[at][1] - pairs[at][0] if pairs else 0)


class Clock:
    """From timestamps in packets to those that the demuxer gives, and back."""

    def __init__(self, came: Sequence[int], own: Sequence[int]) -> None:
        pairs: Dict[int, int] = {
            packet: stamp for stamp, packet, _ in _walk(came, own, [])}
        self.own = numpy.array(sorted(pairs), numpy.int64)
        self.came = numpy.array([pairs[int(stamp)] for stamp in self.own],
                                numpy.int64)
        self._constant = numpy.array(list(_constant(came, own)),
                                     numpy.int64).reshape(-1, 2)
        self._constant = self._constant[numpy.lexsort(self._constant.T[::-1])]

    def constant(self, stamps: Integers) -> Integers:
        """What timestamps would be, if the demuxer had changed none: those of
        packets, and others beside the nearest one."""
        if not len(self._constant):
            return stamps
        came, constant = self._constant.T
        first = numpy.searchsorted(came, stamps - _CLOSE)
        before = numpy.maximum(first - 1, 0)
        after = numpy.minimum(first, len(came) - 1)
        is_before = (abs(came[after] - stamps) > _CLOSE) & (
            abs(came[before] - stamps) < abs(came[after] - stamps))
        near = numpy.where(is_before, before, after)
        return numpy.asarray(stamps + constant[near] - came[near])

    def shown(self, stamps: Integers) -> Integers:
        """As constant(), of frames, ascending. A decoder shows none earlier
        than the one before: where the demuxer went back, frames share a time,
        and are the last packets in front of the next frame."""
        found = self.constant(stamps)
        packets = numpy.sort(self._constant[:, 1])
        starts = numpy.flatnonzero(numpy.diff(stamps, prepend=stamps[:1] - 1))
        stops = numpy.append(starts[1:], len(stamps))
        shared = numpy.flatnonzero(stops - starts > 1)
        for start, stop in zip(starts[shared][::-1], stops[shared][::-1]):
            least = 0 if start == 0 else numpy.searchsorted(
                packets, found[start - 1] + _CLOSE)
            end = len(packets) if stop == len(stamps) else (
                numpy.searchsorted(packets, found[stop] - _CLOSE))
            n = min(end - max(least, 0), stop - start)
            if n > 0:
                found[start:stop] = packets[end - n]
                found[stop - n:stop] = packets[end - n:end]
        return found

    def told(self, stamp: int) -> int:
        """That of a packet, or what it would be beside the nearest one that
        came."""
        if not len(self.own):
            return stamp
        near = int(abs(self.own - stamp).argmin())
        return stamp + int(self.came[near] - self.own[near])
