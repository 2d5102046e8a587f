# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds where a demuxer changes timestamps of a transport stream after lost
data."""
from dataclasses import dataclass
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy
import numpy.typing

Integers = numpy.typing.NDArray[numpy.int64]

# Nanoseconds by which a timestamp may be smaller than that of the previous
# packet, and greater after lost data.
_BACK = 1_000_000_000
_AHEAD = 10_000_000_000

# Timestamps that differ by less are equal: a rounded tick of 90 kHz.
_CLOSE = 12_000

# Maximum consecutive packets that a demuxer or a parser drops.
_DROPPED = 25

# Maximum packets that a parser drops at the start of a recording, until one
# has the parameters of the pictures.
_SKIPPED = 600

# Packets at the start that are compared.
_COMPARED = 50

# Least number of consecutive changed timestamps that are reported.
_SURE = 5


@dataclass(frozen=True)
class Shift:
    """Nanoseconds: from @stamp on, timestamps differ from those of the
    packets, by @amount at most; positive: they are later."""
    stamp: int
    amount: int


@dataclass(frozen=True)
class Break:
    """Where recordings were joined: the packets' timestamps continue from
    other values, as players expect. @stamp is that of the first packet after
    the join."""
    stamp: int
    before: int  # the last timestamp before it, in the packets
    after: int   # the first one after it


def _break(own: Sequence[int], at: int) -> Optional[int]:
    """Returns the first packet from @at on whose timestamp no lost data before
    it explains."""
    for i in range(max(at, 1), min(at + _DROPPED, len(own))):
        if not -_BACK < own[i] - own[i - 1] < _AHEAD:
            return i
    return None


def _ahead(own: Sequence[int], at: int, wanted: int) -> Optional[int]:
    """Returns the index of a timestamp among the packets from @at on."""
    for i in range(at, min(at + _DROPPED, len(own))):
        if abs(own[i] - wanted) < _CLOSE:
            return i
    return None


def _start(came: Sequence[int], own: Sequence[int],
           n_skipped: int = _SKIPPED) -> Tuple[int, int]:
    """Returns which of the first @n_skipped packets was output first, and the
    shift of timestamps there: the choice with the most equal timestamps."""
    first = came[:_COMPARED]

    def n_equal(at: int) -> int:
        offset = came[0] - own[at]
        return sum(abs(stamp - offset - other) < _CLOSE
                   for stamp, other in zip(first, own[at:at + _COMPARED]))
    at = max(range(min(len(own), n_skipped)), key=n_equal)
    return at, came[0] - own[at]


def _walk(came: Sequence[int], own: Sequence[int],
          breaks: List[Break]) -> Iterator[Tuple[int, int, int]]:
    """Returns for each output timestamp: itself, that in its packet, and its
    shift relative to the start of the file or to the last of the @breaks. Adds
    to @breaks."""
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
        # the parser may have dropped packets after lost data
        place = at + _start(came[i:i + _COMPARED], own[
            at:at + _DROPPED + _COMPARED], _DROPPED)[0] if (
                found is None) else found
        at = place + 1
        amount = stamp - own[place] - offset if found is None else 0
        yield stamp, own[place], amount


def find(came: Sequence[int], own: Sequence[int]
         ) -> Tuple[Optional[Shift], List[Break]]:
    """Finds the shift. @came: timestamps of the video from the demuxer; @own:
    those in the packets, some of which may be missing in @came; both in file
    order. Returns None if the difference is constant, except at breaks."""
    breaks: List[Break] = []
    first = None  # of consecutive changed timestamps
    shift: Optional[Shift] = None
    n_wrong = most = 0
    for stamp, _, amount in _walk(came, own, breaks):
        if not amount:
            n_wrong = most = 0
            continue
        first = stamp if n_wrong == 0 else first
        most = max(most, amount, key=abs)
        n_wrong += 1
        if n_wrong >= _SURE and first is not None:
            shift = Shift(shift.stamp if shift else first,
                          max(most, shift.amount if shift else 0, key=abs))
    return shift, breaks


def _constant(came: Sequence[int], own: Sequence[int]) -> Iterator[
        Tuple[int, int]]:
    """Returns for each output timestamp: itself, and its value without changes
    by the demuxer; times continue after a break."""
    breaks: List[Break] = []
    n_breaks = carried = last = 0
    for stamp, _, amount in _walk(came, own, breaks):
        if len(breaks) > n_breaks:
            n_breaks, carried = len(breaks), carried + last
        last = amount
        yield stamp, stamp - amount - carried


def unchanged(came: Sequence[int], own: Sequence[int],
              stamps: Iterable[int]) -> Iterator[int]:
    """Returns @stamps, those of the packets from a parser in file order,
    without the demuxer's changes."""
    pairs = list(_constant(came, own))
    at = 0
    for stamp in stamps:
        for i in range(at + 1, min(at + _DROPPED, len(pairs))):
            if abs(pairs[i][0] - stamp) < _CLOSE:
                at = i
                break
        yield stamp + (pairs[at][1] - pairs[at][0] if pairs else 0)


class Clock:
    """Converts timestamps in packets to those of the demuxer, and back."""

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
        """Returns timestamps without the demuxer's changes: those of packets,
        and others relative to the nearest packet."""
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
        """Returns constant() of frames, ascending. A decoder outputs no frame
        earlier than the previous one: where the demuxer went back, several
        frames share a time, and belong to the last packets before the next
        frame."""
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

    def demuxed(self, stamp: int) -> int:
        """Returns the demuxer's timestamp of a packet, or an estimate from the
        nearest output packet."""
        if not len(self.own):
            return stamp
        near = int(abs(self.own - stamp).argmin())
        return stamp + int(self.came[near] - self.own[near])
