# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects pauses of the machine, with a thread that only reads the clock."""
import threading
import time
from typing import Callable, List, Tuple

STEP = 0.05   # seconds between two reads
LEAST = 0.3   # delay of a read, in seconds, that is a standstill

Gaps = List[Tuple[float, float]]


def look(gaps: Gaps, sleep: Callable[[float], None] = time.sleep,
         clock: Callable[[], float] = time.time) -> None:
    """Waits for a step; if the wait took much longer, adds it to @gaps."""
    before = clock()
    sleep(STEP)
    after = clock()
    if after - before > STEP + LEAST:
        gaps.append((before, after))


def watched() -> Gaps:
    """Starts a thread that detects pauses. Returns its list of pauses: from,
    to, in seconds since 1970."""
    gaps: Gaps = []

    def run() -> None:
        while True:
            look(gaps)
    threading.Thread(target=run, daemon=True).start()
    return gaps
