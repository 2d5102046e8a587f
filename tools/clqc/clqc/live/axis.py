# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time stamps that jump: a frame that is dated an hour ahead, a sender that
begins again at 0."""
from typing import List, Optional, Tuple

from ..rules.detectors import NANOSECONDS

# What is further ahead of what was expected is a jump, and so is what is
# further back. Nanoseconds.
AHEAD = 5 * NANOSECONDS
BACK = NANOSECONDS


class Axis:
    """A time that never jumps nor goes back, made of the time stamps of one
    stream. Where these jump, it goes on with the clock; without a clock, with
    the frame before. All times are nanoseconds."""

    def __init__(self) -> None:
        self.now = 0  # the end of the newest
        self._start: Optional[int] = None  # of the one before
        self._clock: Optional[int] = None  # when that came
        # What is added to time stamps: now, and before the last jump.
        self._offsets: List[int] = [0]

    @property
    def offset(self) -> int:
        """What is added to time stamps now."""
        return self._offsets[0]

    def add(self, start: int, end: int,
            clock: Optional[int] = None) -> Tuple[int, int]:
        """The next frame by its time stamps, which came at the time @clock of
        any clock. Returns where it is on the axis."""
        placed = start + self.offset
        if self._start is None:
            self.now = placed
        elif not -BACK <= placed - self.now <= AHEAD:
            passed = 0
            if clock is not None and self._clock is not None:
                passed = clock - self._clock
            placed = max(self.now, self._start + passed)
            self._offsets = [placed - start, self.offset]
        self._start, self._clock = placed, clock
        self.now = max(self.now, placed + end - start)
        return placed, placed + end - start

    def of(self, time: int) -> int:
        """Where a time stamp is that comes with those of frames."""
        placed = min((time + offset for offset in self._offsets),
                     key=lambda one: abs(one - self.now))
        return self.now if placed > self.now + AHEAD else placed
