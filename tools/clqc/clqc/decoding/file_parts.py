# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of a file that are decoded separately, and where to cut a file."""
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence


@dataclass
class Part:
    """Frames from @start to @stop, in nanoseconds of stream time; None: from
    the beginning, to the end. Of a cut: the frames at the times in @first,
    then the first @limit from @start on. @enter: where to begin decoding; the
    frames before those are dropped."""
    path: str
    lines: str  # the file to write
    settings: Dict[str, str] = field(default_factory=dict)
    start: Optional[int] = None
    stop: Optional[int] = None
    first: List[int] = field(default_factory=list)
    limit: Optional[int] = None
    enter: int = 0
    track: Optional[str] = None  # the video, if there are several
    range: Optional[str] = None  # colour range; None: as decoded


def keeps(part: Part, time: Optional[int]) -> bool:
    """Returns whether the line of a frame at @time is in the part."""
    if time is None or time < (part.start or 0):
        return time in part.first or part.start is None
    return True


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
