# SPDX-License-Identifier: LGPL-2.1-or-later
"""Handles jumps of timestamps: a frame with a time an hour ahead, a sender
that restarts at 0."""
from typing import List, Optional, Tuple

from clqc.judging.rules.detectors import NANOSECONDS

# Difference from the expected time, in either direction, that is a jump.
# Nanoseconds.
AHEAD = 5 * NANOSECONDS
BACK = NANOSECONDS


class TimeAxis:
    """A time that neither jumps nor goes back, computed from the timestamps of
    one stream. After a jump it continues with the clock; without a clock,
    after the previous frame. All times are nanoseconds."""

    def __init__(self) -> None:
        self.now = 0  # end of the newest frame
        self._start: Optional[int] = None  # its start
        self._clock: Optional[int] = None  # its arrival
        # The current offset of timestamps, and the one before the last jump.
        self._offsets: List[int] = [0]

    @property
    def offset(self) -> int:
        """Returns the current offset of timestamps."""
        return self._offsets[0]

    @property
    def start(self) -> int:
        """Returns the start of the newest frame."""
        return self._start or 0

    def add(self, start: int, end: int, clock: Optional[int] = None,
            has_jumped: bool = False) -> Tuple[int, int]:
        """Adds the next frame, which arrived at the time @clock of any clock.
        @has_jumped: continue with the clock in any case. Returns its time on
        the axis."""
        placed = start + self.offset
        if self._start is None:
            self.now = placed
        elif has_jumped or not -BACK <= placed - self.now <= AHEAD:
            passed = 0
            if clock is not None and self._clock is not None:
                passed = clock - self._clock
            placed = max(self.now, self._start + passed)
            self._offsets = [placed - start, self.offset]
        self._start, self._clock = placed, clock
        self.now = max(self.now, placed + end - start)
        return placed, placed + end - start

    def of(self, time: int) -> int:
        """Returns the time on the axis of a timestamp near those of frames."""
        placed = min((time + offset for offset in self._offsets),
                     key=lambda one: abs(one - self.now))
        return self.now if placed > self.now + AHEAD else placed
