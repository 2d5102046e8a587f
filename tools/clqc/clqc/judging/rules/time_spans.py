# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spans of time in nanoseconds: their union and their difference."""
from typing import List, NamedTuple, Sequence


class Span(NamedTuple):
    """The end is the first moment after it."""
    start: int
    end: int

    @property
    def duration(self) -> int:
        """Nanoseconds."""
        return self.end - self.start


def union(spans: Sequence[Span]) -> List[Span]:
    """Returns the union in order; adjacent spans are merged."""
    joined: List[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start,
                              max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def without(spans: Sequence[Span], others: Sequence[Span]) -> List[Span]:
    """Returns the time in one of @spans and in none of @others. A span without
    duration, which is a cut, stays unless it is within another."""
    left: List[Span] = []
    holes = union([other for other in others if other.duration > 0])
    for span in spans:
        start = span.start
        if span.start == span.end:
            if not any(hole.start <= start < hole.end for hole in holes):
                left.append(span)
            continue
        for hole in holes:
            if hole.end <= start or hole.start >= span.end:
                continue
            if hole.start > start:
                left.append(Span(start, hole.start))
            start = hole.end
        if start < span.end:
            left.append(Span(start, span.end))
    return left
