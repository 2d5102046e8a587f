# SPDX-License-Identifier: LGPL-2.1-or-later
"""The clock of code that waits. Tests pass one that jumps."""
import threading
import time
from queue import Queue
from typing import Any, List, Tuple, TypeVar

T = TypeVar('T')


class Clock:
    """The clock of this machine. Times and waits are seconds."""

    def now(self) -> float:
        """Never goes back."""
        return time.monotonic()

    def wall(self) -> float:
        """Since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits for @event; returns whether it is set."""
        return event.wait(seconds)

    def get(self, queue: 'Queue[T]', seconds: float) -> T:
        """Waits for an item; raises queue.Empty if none comes."""
        return queue.get(timeout=seconds)

    def poll(self, poll: Any, seconds: float) -> List[Tuple[int, int]]:
        """Waits for a select.poll(); returns its descriptors and events."""
        found: List[Tuple[int, int]] = poll.poll(seconds * 1000)
        return found


REAL = Clock()
