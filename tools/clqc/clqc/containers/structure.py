# SPDX-License-Identifier: LGPL-2.1-or-later
"""The result of reading a container's structure."""
from array import array
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from clqc.containers.zeros import BLOCK

# Reasons why bytes are missing.
CUT = 'the file ends before them'
ZERO = 'they are zero'
BROKEN = 'they have no valid structure'
LOST = 'they were removed'


@dataclass
class Missing:
    """Bytes that the container names and that are not in the file, or hold no
    packets. @end is the first byte after them; it is @start where the
    container does not tell how many are missing. Times are nanoseconds: of the
    first and the last packet in them, as far as the container tells; where a
    Structure has stamps, they are of these, and else of the stream."""
    start: int
    end: int
    why: str  # one of the constants above
    first_time: Optional[int] = None
    last_time: Optional[int] = None
    samples: int = 0  # frames of video, if a table counts them

    @property
    def bytes(self) -> int:
        """Returns the number of bytes."""
        return self.end - self.start


def _range(*times: Optional[int]) -> Tuple[Optional[int], Optional[int]]:
    known = [time for time in times if time is not None]
    return min(known, default=None), max(known, default=None)


def joined(rows: Iterable[Missing]) -> List[Missing]:
    """Returns missing ranges in order; merges overlapping ranges with the same
    reason."""
    found: List[Missing] = []
    for row in sorted(rows, key=lambda row: (row.start, row.end)):
        last = found[-1] if found else None
        if last is None or row.why != last.why or row.start >= last.end:
            found.append(row)
            continue
        first_time, last_time = _range(last.first_time, last.last_time,
                                       row.first_time, row.last_time)
        found[-1] = Missing(last.start, max(last.end, row.end), row.why,
                            first_time, last_time, last.samples + row.samples)
    return found


def misplaced(at: int, following: int) -> Missing:
    """Returns the damage if an item must begin at @at and begins at
    @following: extra bytes or, if it begins earlier, missing bytes."""
    if following > at:
        return Missing(at, following, BROKEN)
    return Missing(following, at, LOST)


def named_zero(one: Missing, zeros: Sequence[Tuple[int, int]]) -> Missing:
    """Returns @one, with zero bytes as the reason if most of its bytes are
    zero; @zeros are whole blocks only."""
    if one.why == BROKEN and any(
            first <= one.start + BLOCK and one.end <= last + BLOCK
            for first, last in zeros):
        one.why = ZERO
    return one


@dataclass
class Table:
    """A track in the tables of the container."""
    kind: str  # video, audio or other
    samples: Optional[int] = None


@dataclass
class Structure:
    """The structure of one file."""
    tables: List[Table] = field(default_factory=list)
    missing: List[Missing] = field(default_factory=list)
    lacks: str = ''  # in words, a missing part that readers need
    # presentation timestamps of the first video in the packets, in file order,
    # nanoseconds; empty if demuxers do not change them
    stamps: 'array[int]' = field(default_factory=lambda: array('q'))
    # the timestamps of other tracks, by PID
    others: Dict[int, 'array[int]'] = field(default_factory=dict)
    programs: int = 0  # number of programs of a transport stream; 0: unknown
    # of the timestamps of the first video, nanoseconds; 0 if they are exact
    # or if it is unknown
    resolution: float = 0
