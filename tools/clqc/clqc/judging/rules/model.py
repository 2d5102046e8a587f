# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of a policy. Times are nanoseconds."""
from dataclasses import dataclass
from fractions import Fraction
from typing import Optional, Tuple, Union

from clqc.judging.rules.detectors import NANOSECONDS
from clqc.judging.rules.frame_statistics import Statistic

Value = Union[str, float, Fraction]


@dataclass(frozen=True)
class Rule:
    """Members of all rules."""
    name: str      # the table of the policy: frames.YMAX, events.black
    severity: str  # error or warning


@dataclass(frozen=True)
class StatisticRule(Rule):
    """Limits of a statistic, in 8-bit codes unless @is_native."""
    statistic: Statistic
    minimum: Optional[float]
    maximum: Optional[float]
    is_native: bool
    # The allowed codes of the statistic `outside`, both included.
    low: float
    high: float


@dataclass(frozen=True)
class FrameRule(StatisticRule):
    """Limits of a statistic of each frame, or of each zone of it."""
    share: float             # share of the frames that may violate them
    duration: int            # shorter violations do not count
    exempt: Tuple[str, ...]  # kinds of events during which frames do not count
    is_of_zones: bool


@dataclass(frozen=True)
class PooledRule(StatisticRule):
    """Limits of a statistic of the whole file."""


@dataclass(frozen=True)
class EventRule(Rule):
    """Limits of a kind of events."""
    kind: str
    place: str         # anywhere, ends, start, end, inside
    min_duration: int  # shorter events do not count
    exempt: Tuple[str, ...]  # kinds whose times are subtracted
    max_count: Optional[int]
    max_duration: Optional[int]
    max_total: Optional[int]
    max_share: Optional[float]
    # The columns of the grid of which each zone has its own events; 0: the
    # events are those of the frame.
    zone_columns: int = 0


@dataclass(frozen=True)
class ContainerRule(Rule):
    """Limits of a fact about the file."""
    key: str
    allowed: Optional[Tuple[Value, ...]]
    minimum: Optional[Value]
    maximum: Optional[Value]


@dataclass(frozen=True)
class CompletenessRule(Rule):
    """A limit of missing or damaged parts of the whole file."""
    limit: float


@dataclass(frozen=True)
class StreamRule(Rule):
    """Limits of damage in the window of a stream."""
    key: str
    max_count: Optional[int]
    max_share: Optional[float]
    min_count: int  # fewer do not count


@dataclass(frozen=True)
class Live:
    """Settings for streams without an end."""
    unhealthy_after: float = 1  # seconds that a fault must last
    healthy_after: float = 10   # seconds without a fault
    window: int = 60 * NANOSECONDS  # for counts, totals and shares
    signal_loss: int = 2 * NANOSECONDS  # time without a frame; 0: never
