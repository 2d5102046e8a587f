# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects pauses and jumps of a sender by its clock, and knows the sender's
timestamps of frames."""
import threading
from collections import deque
from typing import Callable, Deque, Optional, Tuple

from clqc.common.clock import REAL, Clock
from clqc.judging.rules.detectors import NANOSECONDS

# GStreamer moves the timestamps of a live source to their arrival if the
# delay of its clock changes by more than this: nanoseconds.
_MOVE = 1_000_000_000

# Weight of a clock value in the mean delay: clocks drift.
_NEWEST = 0.01

# Frames between a jitter buffer and the end of a decoder, at most.
_KEPT = 256


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


class SenderTimes:
    """Knows when frames were made by the clock of their sender, in
    nanoseconds. The timestamps that a jitter buffer gives them follow their
    arrival: they move if the sender or this machine stands still for a part of
    a second. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Deque[Tuple[int, int]] = deque(maxlen=_KEPT)

    def add(self, time: int, sent: int) -> None:
        """Adds a packet with the timestamp @time of the jitter buffer."""
        with self._lock:
            if not self._known or self._known[-1][1] != sent:
                self._known.append((time, sent))

    def of(self, time: int) -> int:
        """Returns the sender's time of the frame with the timestamp @time,
        which is @time if no packet was added."""
        with self._lock:
            before, sent = next(
                ((one, sent) for one, sent in reversed(self._known)
                 if one <= time),
                self._known[0] if self._known else (0, 0))
        return sent + time - before


def unwrapped(value: int, last: int) -> int:
    """Returns the number nearest to @last whose low 32 bits are @value."""
    half = 1 << 31
    return last + (value - last + half) % (2 * half) - half
