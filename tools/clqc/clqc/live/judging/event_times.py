# SPDX-License-Identifier: LGPL-2.1-or-later
"""When events begin and end by the clock: timestamps may stand still, jump or
repeat while packets cease and return."""
from typing import Dict, Optional, Tuple

from clqc.judging.rules.detectors import NANOSECONDS

# Seconds by which durations by timestamps may differ from the clock: frames
# arrive early and late.
_TOLERANCE = 1.0


class EventTimes:
    """The events of the picture or of the sound. Places are nanoseconds on an
    axis without jumps; moments are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._newest: Optional[Tuple[int, float]] = None
        self._open: Dict[str, float] = {}  # moment of the start by kind
        self._ended: Dict[str, float] = {}  # moment of the last end by kind

    def arrive(self, place: int, moment: float) -> None:
        """The newest data, whose place is @place, has arrived at @moment."""
        self._newest = place, moment

    def _moment(self, place: int, now: float, is_due: bool = False) -> float:
        """Returns the moment of a place. A later place than that of the newest
        data belongs to data that arrive now; with @is_due, to data that were
        due then."""
        if self._newest is None or (place > self._newest[0] and not is_due):
            return now
        passed = (place - self._newest[0]) / NANOSECONDS
        return min(now, self._newest[1] + passed)

    def begin(self, kind: str, place: int, now: float,
              is_due: bool = False) -> float:
        """An event begins. Returns its moment, not before the end of the last
        one."""
        moment = max(self._moment(place, now, is_due),
                     self._ended.get(kind, 0.0))
        self._open[kind] = moment
        return moment

    def end(self, kind: str, place: int, now: float,
            duration: float) -> Tuple[float, float]:
        """An event ends that has this duration by timestamps. Returns its
        moment and its duration: that of the timestamps, unless the clock
        refutes it. It never ends before its start."""
        # Frames without a duration end where they start, and a frame that
        # arrives after a jump starts there.
        moment = self._moment(place + 1, now)
        start = self._open.pop(kind, moment - duration)
        by_clock = max(0.0, moment - start)
        if abs(by_clock - duration) > _TOLERANCE or duration < 0:
            duration = by_clock
        end = self._ended[kind] = min(now, start + duration)
        return end, duration
