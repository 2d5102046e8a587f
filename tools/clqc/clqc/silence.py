# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a file is silent."""
from typing import Any, List, Optional, Sequence

from .results import Event


def find(levels: Sequence[Sequence[Any]], limit_db: float,
         min_duration: int) -> List[Event]:
    """Events of the kind `silence`: at least @min_duration nanoseconds in
    which the RMS of the loudest channel stays below @limit_db. @levels: rows
    of sound.levels()."""
    events: List[Event] = []
    start: Optional[int] = None
    loudest = -700.0

    def end(at: int) -> None:
        if start is not None and at - start >= min_duration:
            events.append(Event('silence', start, at,
                                values={'loudest': loudest}))

    last = 0
    for begin, duration, rms, _ in levels:
        if rms is None or rms < limit_db:
            if start is None:
                start, loudest = begin, -700.0
            loudest = max(loudest, -700.0 if rms is None else rms)
        else:
            end(begin)
            start = None
        last = begin + duration
    end(last)
    return events
