# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a demuxer changes timestamps: those of a transport stream after a
hole."""
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

import numpy

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


def _start(came: Sequence[int], own: Sequence[int]) -> Tuple[int, int]:
    """Which of the packets came first, and how much later timestamps come at
    the start of the file: as many as possible are equal then."""
    first = came[:_COMPARED]

    def n_equal(at: int) -> int:
        offset = came[0] - own[at]
        return sum(abs(stamp - offset - other) < _CLOSE
                   for stamp, other in zip(first, own[at:at + _COMPARED]))
    at = max(range(min(len(own), _SKIPPED)), key=n_equal)
    return at, came[0] - own[at]


def _walk(came: Sequence[int], own: Sequence[int],
          breaks: List[Break]) -> Iterator[Tuple[int, int, int]]:
    """Of each timestamp that came: itself, that in its packet, and how much
    later it is than those at the start of the file, or behind the last of the
    @breaks, which are added."""
    if not came or not own:
        return
    at, offset = _start(came, own)
    for i, stamp in enumerate(came):
        found = _ahead(own, at, stamp - offset)
        behind = _break(own, at) if found is None else None
        if behind is not None:
            skipped, offset = _start(came[i:i + _COMPARED], own[
                behind:behind + _SKIPPED + _COMPARED])
            found = behind + skipped
            breaks.append(Break(stamp, own[behind - 1], own[behind]))
        if found is None and at >= len(own):
            return
        place = at if found is None else found
        at = place + 1
        yield stamp, own[place], (
            stamp - own[place] - offset if found is None else 0)


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


class Clock:
    """From timestamps in packets to those that the demuxer gives."""

    def __init__(self, came: Sequence[int], own: Sequence[int]) -> None:
        pairs: Dict[int, int] = {
            packet: stamp for stamp, packet, _ in _walk(came, own, [])}
        self.own = numpy.array(sorted(pairs), numpy.int64)
        self.came = numpy.array([pairs[int(stamp)] for stamp in self.own],
                                numpy.int64)

    def told(self, stamp: int) -> int:
        """That of a packet, or what it would be beside the nearest one that
        came."""
        if not len(self.own):
            return stamp
        near = int(abs(self.own - stamp).argmin())
        return stamp + int(self.came[near] - self.own[near])
