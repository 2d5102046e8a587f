# SPDX-License-Identifier: LGPL-2.1-or-later
"""Failures of workers: a worker on which several tasks of one kind fail in a
row is left out. Kinds are counted separately, because a worker with a full
disk still reads containers. A failure counts if the worker can run no task, or
if the task succeeds on another worker: a broken file fails on every worker."""
import threading
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from clqc.farm.workers import Say, Who

# A worker on which this many tasks of a kind fail in a row is left out.
MOST = 3


@dataclass(frozen=True)
class Failure:
    """A failed try of a task."""
    who: Who
    name: str  # of the worker
    what: str  # kind of task
    why: str


class Failures:
    """The failures of all workers. Any thread."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.lock = threading.Lock()  # protects the members below
        self.in_a_row: Dict[Tuple[Who, str], int] = {}
        self.left_out: Dict[Who, str] = {}  # and why

    def add(self, failure: Failure) -> None:
        """Counts a failure of which the worker is the cause."""
        who = failure.who
        key = who, failure.what
        with self.lock:
            self.in_a_row[key] = self.in_a_row.get(key, 0) + 1
            if self.in_a_row[key] < MOST or who in self.left_out:
                return
            why = (f'{MOST} tasks in a row failed there ({failure.what}), '
                   f'last: {failure.why}')
            self.left_out[who] = f'{failure.name}: {why}'
        self.say(f'{failure.name} is left out: {why}')

    def succeeded(self, who: Optional[Who], what: str,
                  failures: List[Failure]) -> None:
        """A worker has succeeded with a task of this kind. @failures: those of
        other workers with this task, whose cause was unknown until now. None:
        a worker that is no longer known."""
        for one in failures:
            if one.who != who:
                self.add(one)
        with self.lock:
            if who:
                self.in_a_row.pop((who, what), None)
