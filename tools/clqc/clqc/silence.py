# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds silence in a file."""
from typing import Iterable, List, Optional

from .results import Event
from .soundlevels import Row


def find_silence(levels: Iterable[Row], limit_db: float,
         min_duration: int, film_end: Optional[int] = None) -> List[Event]:
    """Returns events of the kind `silence`: at least @min_duration nanoseconds
    in which the RMS of the loudest channel stays below @limit_db. @levels:
    soundlevels.rows(). Time before the first row is silent, and time after the
    last row up to @film_end, in nanoseconds. A gap between two rows is silent
    if it is longer than the row after it, or if the row before it is silent.
    Without rows there are no events."""
    events: List[Event] = []
    start: Optional[int] = None
    loudest = -700.0

    def end(at: int) -> None:
        if start is not None and at - start >= min_duration:
            events.append(Event('silence', start, at,
                                values={'loudest': loudest}))

    last: Optional[int] = None
    for begin, duration, rms, _ in levels:
        if last is None:
            last = 0 if begin > 0 else begin
            start = 0 if begin > 0 else None
        if begin - last > duration and start is None:  # packets are missing
            start, loudest = last, -700.0
        if rms is None or rms < limit_db:
            if start is None:
                start, loudest = begin, -700.0
            loudest = max(loudest, -700.0 if rms is None else rms)
        else:
            end(begin)
            start = None
        last = begin + duration
    if last is None:
        return []
    if film_end is not None and film_end > last:
        start = last if start is None else start
        last = film_end
    end(last)
    return events
