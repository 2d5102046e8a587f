# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a file is silent."""
from typing import Any, List, Optional, Sequence

from .results import Event


def find(levels: Sequence[Sequence[Any]], limit_db: float,
         min_duration: int, film_end: Optional[int] = None) -> List[Event]:
    """Events of the kind `silence`: at least @min_duration nanoseconds in
    which the RMS of the loudest channel stays below @limit_db. @levels: rows
    of sound.levels(). Time for which there is no row is silent: within the
    sound, in front of it, and behind it up to @film_end, in nanoseconds."""
    events: List[Event] = []
    start: Optional[int] = None
    loudest = -700.0

    def end(at: int) -> None:
        if start is not None and at - start >= min_duration:
            events.append(Event('silence', start, at,
                                values={'loudest': loudest}))

    if levels and levels[0][0] > 0:
        start = 0
    last = 0
    for begin, duration, rms, _ in levels:
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
    if levels and film_end is not None and film_end > last:
        start = last if start is None else start
        last = film_end
    end(last)
    return events
