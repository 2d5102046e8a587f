# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long to wait before a stream is opened again."""
import random
from typing import Callable

FIRST = 1.0      # seconds
GREATEST = 30.0  # seconds
GROWTH = 2.0

# A connection that has had frames for so many seconds was a good one.
RESET_AFTER = 10.0


class Backoff:
    """Waits that double up to a limit, each shortened by chance, so that
    streams that were lost at once do not come back at once."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._next = FIRST
        self._chance = chance

    def wait(self, good_for: float) -> float:
        """Seconds to wait after a connection that had frames for @good_for
        seconds; half to all of what this attempt may wait at most."""
        if good_for >= RESET_AFTER:
            self.reset()
        longest = self._next
        self._next = min(longest * GROWTH, GREATEST)
        return longest * (0.5 + self._chance() / 2)

    def reset(self) -> None:
        """The next wait is a short one."""
        self._next = FIRST
