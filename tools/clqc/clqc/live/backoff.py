# SPDX-License-Identifier: LGPL-2.1-or-later
"""Computes the wait before a stream is reopened."""
import random
from typing import Callable

FIRST = 1.0      # seconds
GREATEST = 30.0  # seconds
GROWTH = 2.0

# A connection with frames for this many seconds was a good one.
RESET_AFTER = 10.0


class Backoff:
    """Waits that double up to a limit. Each is shortened at random, so that
    streams that were lost together are not reopened together."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._next = FIRST
        self._chance = chance

    def wait(self, good_for: float) -> float:
        """Returns the seconds to wait after a connection that had frames for
        @good_for seconds: between half and all of the maximum for this
        attempt."""
        if good_for >= RESET_AFTER:
            self.reset()
        longest = self._next
        self._next = min(longest * GROWTH, GREATEST)
        return longest * (0.5 + self._chance() / 2)

    def reset(self) -> None:
        """Resets: the next wait is short."""
        self._next = FIRST
