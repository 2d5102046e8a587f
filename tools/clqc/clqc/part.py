# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file, or a part of one, that one process measures."""
from dataclasses import dataclass, field
from typing import Dict, List, Optional


@dataclass
class Part:
    """Frames from @start to @stop, in nanoseconds of stream time; None: from
    the beginning, to the end. Of a seam: the frames at the times in @first,
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
