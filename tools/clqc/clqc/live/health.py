# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a stream is healthy: faults have to last before it is not, and to
stay away before it is again."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple


@dataclass(frozen=True)
class Fault:
    """Why a stream is not healthy, or what it should be looked at for."""
    rule: str      # the table of the policy: frames.YMAX; or live.connection
    severity: str  # error or warning
    message: str   # one sentence for a person

    def to_json(self) -> Dict[str, Any]:
        """As outputs have it."""
        return {'rule': self.rule, 'severity': self.severity,
                'message': self.message}


class Health:
    """The state of one stream. Times are seconds of one clock that never goes
    back. A stream that was never judged is neither: `healthy` is None."""

    def __init__(self, unhealthy_after: float = 0,
                 healthy_after: float = 0) -> None:
        self.unhealthy_after = unhealthy_after
        self.healthy_after = healthy_after
        self.healthy: Optional[bool] = None
        self.reasons: List[Fault] = []
        self._faults: List[Fault] = []    # those that are there now
        self._last: List[Fault] = []      # errors that were there last
        self._since: Optional[float] = None  # of errors, or of none

    @property
    def deadline(self) -> Optional[float]:
        """When update() has to be called with the same faults, as the state
        may change by time alone."""
        if self._since is None:
            return None
        is_bad = self._is_bad()
        if self.healthy is not None and is_bad != self.healthy:
            return None
        return self._since + (self.unhealthy_after if is_bad
                              else self.healthy_after)

    @property
    def is_recovering(self) -> bool:
        """Whether nothing is wrong, but has not been so for long enough."""
        return self.healthy is False and not self._is_bad()

    def _is_bad(self) -> bool:
        return any(fault.severity == 'error' for fault in self._faults)

    def update(self, faults: Sequence[Fault], now: float) -> bool:
        """What is wrong now. Returns whether the state, or a reason, is
        another one."""
        before = (self.healthy, self._kinds())
        was_bad = self._is_bad() if self._since is not None else None
        self._faults = list(faults)
        is_bad = self._is_bad()
        if is_bad:
            self._last = [fault for fault in faults
                          if fault.severity == 'error']
        if was_bad != is_bad or self._since is None:
            self._since = now
        # as `deadline` has it: its sum, and no difference, which is rounded
        has_lasted = now >= self._since + (
            self.unhealthy_after if is_bad else self.healthy_after)
        if self.healthy is None:
            if not is_bad or has_lasted:
                self.healthy = not is_bad
        elif self.healthy == is_bad and has_lasted:
            self.healthy = not is_bad
        self.reasons = self._reasons()
        return (self.healthy, self._kinds()) != before

    def settle(self) -> None:
        """Nothing more will come: what has frames and was never judged is
        judged by what is wrong now."""
        if self.healthy is None and self._since is not None:
            self.healthy = not self._is_bad()
            self.reasons = self._reasons()

    def _kinds(self) -> List[Tuple[str, str]]:
        """The reasons without their words, in which numbers change."""
        return [(fault.rule, fault.severity) for fault in self.reasons]

    def _reasons(self) -> List[Fault]:
        """Errors first. One that is not healthy always has a reason."""
        if self.is_recovering:
            last = ' '.join(fault.message for fault in self._last)
            return [Fault('live.recovering', 'error',
                          'No fault for less than '
                          f'{self.healthy_after:g} s; before: {last}'),
                    *self._faults]
        # An error that has not lasted long enough is no reason yet.
        faults = [fault for fault in self._faults
                  if fault.severity != 'error' or self.healthy is False]
        return sorted(faults, key=lambda fault: fault.severity != 'error')
