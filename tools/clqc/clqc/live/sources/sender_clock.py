# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects pauses and jumps of a sender by its clock."""
from typing import Callable, Optional

from clqc.common.clock import REAL, Clock
from clqc.judging.rules.detectors import NANOSECONDS

# GStreamer moves the timestamps of a live source to their arrival if the
# delay of its clock changes by more than this: nanoseconds.
_MOVE = 1_000_000_000

# Weight of a clock value in the mean delay: clocks drift.
_NEWEST = 0.01


class SenderClock:
    """Compares the clock of a sender (PCR, timestamps of RTP) with the arrival
    of its packets. Calls @on_move when the sender has paused or its clock has
    jumped by these nanoseconds, so that GStreamer moves the timestamps."""

    def __init__(self, on_move: Callable[[int], None], clock: Clock = REAL
                 ) -> None:
        self._on_move = on_move
        self._clock = clock
        self._sent: Optional[int] = None
        self._delay: Optional[float] = None

    def add(self, sent: int) -> None:
        """Adds the clock of a packet that arrives now, in nanoseconds."""
        if sent == self._sent:  # several packets of one picture
            return
        self._sent = sent
        delay = self._clock.now() * NANOSECONDS - sent
        change = 0.0 if self._delay is None else delay - self._delay
        if self._delay is None or abs(change) > _MOVE:
            self._delay = delay
        else:
            self._delay += _NEWEST * change
        if abs(change) > _MOVE:
            self._on_move(abs(round(change)))
