# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times with a start and an end, in nanoseconds: what some have in common,
and what is left without others."""
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
    """In order, without gaps of no time between them."""
    joined: List[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start,
                              max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def without(spans: Sequence[Span], others: Sequence[Span]) -> List[Span]:
    """What is in one of @spans and in none of @others. A span of no time,
    which is a cut, stays unless it lies within another."""
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
