# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the machine stood still: a thread that wants nothing but to look at
the clock knows."""
import threading
import time
from typing import Callable, List, Tuple

STEP = 0.05   # seconds between two looks
LEAST = 0.3   # seconds by which a look is late where the machine stands still

Gaps = List[Tuple[float, float]]


def look(gaps: Gaps, sleep: Callable[[float], None] = time.sleep,
         clock: Callable[[], float] = time.time) -> None:
    """Waits for a step, and adds to @gaps when it took much longer."""
    before = clock()
    sleep(STEP)
    after = clock()
    if after - before > STEP + LEAST:
        gaps.append((before, after))


def watched() -> Gaps:
    """A list to which a thread adds from now on: from, to, seconds since
    1970."""
    gaps: Gaps = []

    def run() -> None:
        while True:
            look(gaps)
    threading.Thread(target=run, daemon=True).start()
    return gaps
