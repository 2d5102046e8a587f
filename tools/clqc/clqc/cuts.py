# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chooses where to cut a file into parts."""
from bisect import bisect_left, bisect_right
from typing import List, Optional, Sequence


def choose_cuts(keys: Sequence[int], n_parts: int) -> List[int]:
    """Returns the times of at most @n_parts - 1 key frames, ascending, which
    divide the time from the first to the last key frame about evenly. The
    first key frame is never a cut."""
    cuts: List[int] = []
    for i in range(1, n_parts):
        wanted = keys[0] + (keys[-1] - keys[0]) * i // n_parts
        at = bisect_left(keys, wanted)
        near = [key for key in keys[max(at - 1, 0):at + 1]
                if key > (cuts[-1] if cuts else keys[0])]
        if near:
            cuts.append(min(near, key=lambda key: abs(key - wanted)))
    return cuts


def entry_point(keys: Sequence[int], time: Optional[int]) -> int:
    """Returns where to begin decoding for a frame at @time: one key frame
    earlier than the frame needs, because seeking in containers without an
    index is inexact, and frames before a key frame may need the previous one.
    """
    if time is None:
        return 0
    at = bisect_right(keys, time) - 2
    return keys[at] if at > 0 else 0
