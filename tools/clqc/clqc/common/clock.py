# SPDX-License-Identifier: LGPL-2.1-or-later
"""The clock for code that waits. Tests replace it by a clock that jumps."""
import threading
import time
from queue import Queue
from typing import Any, List, Tuple, TypeVar

T = TypeVar('T')


class Clock:
    """The clock of this machine. Times are in seconds."""

    def now(self) -> float:
        """Returns the monotonic time."""
        return time.monotonic()

    def wall(self) -> float:
        """Returns the time since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits for @event; returns whether it is set."""
        return event.wait(seconds)

    def get(self, queue: 'Queue[T]', seconds: float) -> T:
        """Waits for an item; raises queue.Empty on time-out."""
        return queue.get(timeout=seconds)

    def poll(self, poll: Any, seconds: float) -> List[Tuple[int, int]]:
        """Waits for a select.poll(); returns its descriptors and events."""
        found: List[Tuple[int, int]] = poll.poll(seconds * 1000)
        return found


REAL = Clock()
