# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins errors that follow each other to one event: a damaged stream may have
hundreds of them a second."""
from typing import Dict, List

from ..results import Json
from ..rules.detectors import NANOSECONDS

# Seconds without another error after which an event ends.
HOLD = 2.0


class Burst:
    """Events of one kind. Times are seconds of a clock that does not jump.
    @unit: the field with the number of errors."""

    def __init__(self, kind: str, unit: str) -> None:
        self.kind = kind
        self.unit = unit
        self._count = 0
        self._start = self._end = 0.0

    def _line(self, state: str, ago: float) -> Json:
        """Returns a line like those of clframesum."""
        return {'type': 'event', 'event': self.kind, 'state': state,
                'running-time': None, 'ago': round(max(0.0, ago), 3),
                self.unit: self._count}

    def add(self, now: float, count: int, duration: float = 0.0
            ) -> List[Json]:
        """Adds @count errors that were found now and lasted for @duration
        seconds. Returns the lines of events that begin or end."""
        lines = self.tick(now)
        self._end = now
        self._count += count
        if self._count == count:
            self._start = now - duration
            lines.append(self._line('start', duration))
        return lines

    def tick(self, now: float) -> List[Json]:
        """Returns the line of an event that has ended."""
        if not self._count or now - self._end <= HOLD:
            return []
        line = {**self._line('end', now - self._end),
                'start-running-time': None,
                'duration': round((self._end - self._start) * NANOSECONDS)}
        self._count = 0
        return [line]


def of(kinds: Dict[str, str]) -> Dict[str, Burst]:
    """Returns a Burst for each kind and its unit."""
    return {kind: Burst(kind, unit) for kind, unit in kinds.items()}
