# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the structure of a container tells about the file that holds it."""
from dataclasses import dataclass, field
from typing import List, Optional

# Why bytes are missing.
CUT = 'the file ends before them'
ZERO = 'they are zero'
BROKEN = 'they have no valid structure'
LOST = 'they were removed'


@dataclass
class Missing:
    """Bytes that the container names and that are not in the file, or hold no
    packets. @end is the first byte after them. Times are nanoseconds: of the
    first and the last packet in them, as far as the container tells; where a
    Structure has stamps, they are of these, and else of the stream."""
    start: int
    end: int
    why: str  # one of those above
    first_time: Optional[int] = None
    last_time: Optional[int] = None
    samples: int = 0  # of video, where a table counts them

    @property
    def bytes(self) -> int:
        """How many."""
        return self.end - self.start


@dataclass
class Table:
    """A track as the tables of the container have it."""
    kind: str  # video, audio or other
    samples: Optional[int] = None


@dataclass
class Structure:
    """Of one file."""
    tables: List[Table] = field(default_factory=list)
    missing: List[Missing] = field(default_factory=list)
    # presentation timestamps of the first video as they are in the packets,
    # in order of the file, nanoseconds; empty where nobody changes them
    stamps: List[int] = field(default_factory=list)
