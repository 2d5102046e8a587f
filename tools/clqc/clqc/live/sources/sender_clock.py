# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects pauses and jumps of a sender by its clock."""
from typing import Optional

# GStreamer moves the timestamps of a live source to their arrival if the
# delay of its clock changes by more than this: nanoseconds.
_MOVE = 1_000_000_000

# Weight of a clock value in the mean delay: clocks drift.
_NEWEST = 0.01


class SenderClock:
    """Compares the clock of a sender (PCR) with the arrival of its packets.
    Times are nanoseconds."""

    def __init__(self) -> None:
        self._delay: Optional[float] = None

    def is_moved(self, sent: int, arrived: int) -> bool:
        """Adds a value of the clock. Returns whether the sender has paused or
        its clock has jumped, so that GStreamer moves the timestamps."""
        delay = arrived - sent
        change = 0.0 if self._delay is None else delay - self._delay
        if self._delay is None or abs(change) > _MOVE:
            self._delay = delay
        else:
            self._delay += _NEWEST * change
        return abs(change) > _MOVE
