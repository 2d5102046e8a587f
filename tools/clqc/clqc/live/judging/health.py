# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decides whether a stream is healthy: faults must last before it becomes
unhealthy, and be absent before it becomes healthy."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

# The rule of a process that does not respond, or measures nothing.
STUCK = 'live.process'


@dataclass(frozen=True)
class Fault:
    """A reason why a stream is unhealthy, or a warning."""
    rule: str      # the table of the policy: frames.YMAX; or live.connection
    severity: str  # error or warning
    message: str   # one sentence for a person
    # Seconds that the errors of an event have lasted so far: the event, and
    # its fault, remain open longer. None: as long as the fault.
    lasted: Optional[float] = None

    def to_json(self) -> Dict[str, Any]:
        """Returns the form for outputs."""
        return {'rule': self.rule, 'severity': self.severity,
                'message': self.message}

    def to_status(self) -> Dict[str, Any]:
        """Returns the form that Fault() takes again."""
        return self.to_json() if self.lasted is None else {
            **self.to_json(), 'lasted': self.lasted}


class Health:
    """The health of one stream. Times are seconds of a monotonic clock.
    `healthy` of a stream that was never judged is None."""

    def __init__(self, unhealthy_after: float = 0,
                 healthy_after: float = 0) -> None:
        self.unhealthy_after = unhealthy_after
        self.healthy_after = healthy_after
        self.healthy: Optional[bool] = None
        self.reasons: List[Fault] = []
        self._faults: List[Fault] = []    # current faults
        self._last: List[Fault] = []      # last errors
        # start of errors, or of their absence
        self._since: Optional[float] = None

    @property
    def deadline(self) -> Optional[float]:
        """Returns when to call update() again with the same faults, because
        the state may change by time alone."""
        if self._since is None:
            return None
        is_bad = self._is_bad()
        if self.healthy is not None and is_bad != self.healthy:
            return None
        return self._since + (self.unhealthy_after if is_bad
                              else self.healthy_after)

    @property
    def is_recovering(self) -> bool:
        """Returns whether there is no fault, but not for long enough."""
        return self.healthy is False and not self._is_bad()

    @property
    def cause(self) -> Optional[Fault]:
        """Returns the first reason; of a recovering stream, the last error."""
        return next(iter(self._last if self.is_recovering else self.reasons),
                    None)

    def _is_brief(self, fault: Fault) -> bool:
        return (fault.lasted is not None
                and fault.lasted < self.unhealthy_after)

    def _is_bad(self) -> bool:
        """Returns whether there is an error. One that was too brief for an
        unhealthy stream only delays the recovery."""
        return any(fault.severity == 'error' and (
            self.healthy is False or not self._is_brief(fault))
                   for fault in self._faults)

    def update(self, faults: Sequence[Fault], now: float) -> bool:
        """Sets the current faults. Returns whether the state or a reason has
        changed."""
        before = (self.healthy, self._kinds())
        was_bad = self._is_bad() if self._since is not None else None
        self._faults = list(faults)
        is_bad = self._is_bad()
        if is_bad:
            self._last = [fault for fault in faults
                          if fault.severity == 'error']
        if was_bad != is_bad or self._since is None:
            self._since = now
        # the same sum as in `deadline`; a difference would be rounded
        has_lasted = now >= self._since + (
            self.unhealthy_after if is_bad else self.healthy_after) or any(
                fault.severity == 'error' and fault.lasted is not None
                and not self._is_brief(fault) for fault in faults)
        if self.healthy is None:
            if not is_bad or has_lasted:
                self.healthy = not is_bad
        elif self.healthy == is_bad and has_lasted:
            self.healthy = not is_bad
        self.reasons = self._reasons()
        return (self.healthy, self._kinds()) != before

    def settle(self) -> None:
        """Decides at the end of the stream: a stream with frames that was
        never judged is judged by its current faults."""
        if self.healthy is None and self._since is not None:
            self.healthy = not self._is_bad()
            self.reasons = self._reasons()

    def _kinds(self) -> List[Tuple[str, str]]:
        """Returns the reasons without their sentences, in which numbers
        change."""
        return [(fault.rule, fault.severity) for fault in self.reasons]

    def _reasons(self) -> List[Fault]:
        """Returns the reasons, errors first. An unhealthy stream always has a
        reason."""
        if self.is_recovering:
            last = ' '.join(fault.message for fault in self._last)
            return [Fault('live.recovering', 'error',
                          'No fault for less than '
                          f'{self.healthy_after:g} s; last fault: {last}'),
                    *self._faults]
        # An error that has not lasted long enough is not a reason yet.
        faults = [fault for fault in self._faults
                  if fault.severity != 'error' or self.healthy is False]
        return sorted(faults, key=lambda fault: fault.severity != 'error')
