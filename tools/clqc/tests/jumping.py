# SPDX-License-Identifier: LGPL-2.1-or-later
"""A clock for tests: time only passes in waits."""
import heapq
import itertools
from queue import Empty

from clqc.common.clock import Clock

START = 1_700_000_000.0  # initial value of wall()


class Jumping(Clock):
    """A clock whose waits return at once and advance it. at() schedules
    actions. Only one thread may wait; all threads may read the clock."""

    def __init__(self):
        self.seconds = 0.0
        self.waits = []  # of sleep() and wait(), in seconds
        self._plan = []
        self._numbers = itertools.count()

    def at(self, seconds, action):
        """Calls @action when the clock reaches @seconds."""
        heapq.heappush(self._plan, (seconds, next(self._numbers), action))

    def _until(self, seconds, is_so):
        """Advances by @seconds, or until @is_so() is true; returns whether it
        is."""
        end = self.seconds + seconds
        while not is_so():
            if not self._plan or self._plan[0][0] > end:
                self.seconds = end
                return is_so()
            time, _, action = heapq.heappop(self._plan)
            self.seconds = max(self.seconds, time)
            action()
        return True

    def now(self):
        return self.seconds

    def wall(self):
        return START + self.seconds

    def sleep(self, seconds):
        self.waits.append(seconds)
        self._until(seconds, lambda: False)

    def wait(self, event, seconds):
        self.waits.append(seconds)
        return self._until(seconds, event.is_set)

    def get(self, queue, seconds):
        if not self._until(seconds, lambda: not queue.empty()):
            raise Empty
        return queue.get_nowait()

    def poll(self, poll, seconds):
        self._until(seconds, lambda: bool(poll.poll(0)))
        return poll.poll(0)
