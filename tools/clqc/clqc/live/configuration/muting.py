# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times in which a stream does not count for alerts."""
import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import FrozenSet, Optional, Tuple

# What a stream is then, for outputs.
MUTED = 'muted'
MAINTENANCE = 'maintenance'

_DAYS = ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')
_DAY = '(?:' + '|'.join(_DAYS) + ')'
_TIMES = re.compile(
    rf'(?:({_DAY}(?:-{_DAY})?(?:,{_DAY}(?:-{_DAY})?)*) )?'
    r'([0-2][0-9]):([0-5][0-9])-([0-2][0-9]):([0-5][0-9])')
_MINUTES = 24 * 60  # of a day


@dataclass(frozen=True)
class Times:
    """Times of days of the week. Those that end at or before their start end
    on the next day."""
    days: FrozenSet[int]  # in which they begin; 0: Monday
    start: int  # minutes since midnight
    end: int

    def contain(self, moment: datetime) -> bool:
        """Returns whether a local time is in them."""
        minute = moment.hour * 60 + moment.minute
        day = moment.weekday()
        if self.start < self.end:
            return day in self.days and self.start <= minute < self.end
        return (day in self.days and minute >= self.start
                or (day - 1) % 7 in self.days and minute < self.end)


def _days(text: str) -> FrozenSet[int]:
    found = set()
    for part in text.split(','):
        first, _, last = part.partition('-')
        day, end = _DAYS.index(first), _DAYS.index(last or first)
        found.add(day)
        while day != end:
            day = (day + 1) % 7
            found.add(day)
    return frozenset(found)


def times(text: str) -> Times:
    """Parses "[DAYS ]HH:MM-HH:MM", with DAYS as in sun, mon-fri or sat,sun.
    Raises ValueError."""
    match = _TIMES.fullmatch(text.lower())
    if match is None:
        raise ValueError(text)
    hour, minute, end_hour, end_minute = map(int, match.groups()[1:])
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    if start >= _MINUTES or end > _MINUTES or start == end:
        raise ValueError(text)
    days = _days(match[1]) if match[1] else frozenset(range(7))
    return Times(days, start, end)


@dataclass(frozen=True)
class Mute:
    """When a stream does not count for alerts."""
    until: float = 0.0  # seconds since 1970; may be infinite
    maintenance: Tuple[Times, ...] = ()
    zone: Optional[tzinfo] = None  # of maintenance; None: of this machine

    def at(self, wall: float) -> str:
        """Returns what the stream is at a time in seconds since 1970: MUTED,
        MAINTENANCE or nothing."""
        if wall < self.until:
            return MUTED
        if not self.maintenance:
            return ''
        moment = datetime.fromtimestamp(wall, self.zone)
        return MAINTENANCE if any(
            one.contain(moment) for one in self.maintenance) else ''
