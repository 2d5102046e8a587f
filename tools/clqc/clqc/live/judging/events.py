# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recent and open events of a stream, and the event rules of a policy."""
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from clqc.judging.rules import wording
from clqc.judging.rules.detectors import COMBINED, GAP, NANOSECONDS, WORDS
from clqc.judging.rules.model import EventRule
from clqc.judging.rules.time_spans import Span, union, without
from clqc.live.judging.health import Fault

SIGNAL_LOSS = 'signal-loss'

# A fault lasts for this long after the last frame that violates a limit: every
# other frame may be wrong. Nanoseconds.
HOLD = NANOSECONDS // 2

# Places in a file that a stream without an end does not have.
_ENDS = ('ends', 'start', 'end')


class Recent:
    """Recent events by kind. Times are nanoseconds of Judging.now."""

    def __init__(self, window: int) -> None:
        self.window = window
        self._closed: Dict[str, List[Span]] = {}
        self._open: Dict[str, int] = {}

    def start(self, kind: str, time: int) -> None:
        """An event begins."""
        self._open[kind] = time

    def end(self, kind: str, start: int, end: int, now: int) -> Span:
        """An event ends; a cut ends when it begins. An end before the start
        has another timestamp: then it ends @now. Returns its span."""
        start = self._open.pop(kind, start)
        span = Span(start, end if end >= start else max(start, now))
        self._closed.setdefault(kind, []).append(span)
        return span

    def add(self, kind: str, start: int, end: int) -> None:
        """Adds one of several that are reported as one event."""
        self._closed.setdefault(kind, []).append(Span(start, end))

    def close(self, kind: str) -> None:
        """Ends an event whose parts were added."""
        self._open.pop(kind, None)

    def is_open(self, kind: str) -> bool:
        """Returns whether the event is open. A combined event is open while
        the first of its two is open without the second."""
        if kind in COMBINED:
            first, second = COMBINED[kind]
            return first in self._open and second not in self._open
        return kind in self._open

    def began(self, kind: str) -> Optional[int]:
        """Returns the start of the open event."""
        return self._open.get(kind)

    def spans(self, kind: str, now: int) -> List[Span]:
        """Returns the spans in order; an open one ends @now."""
        if kind in COMBINED:
            first, second = COMBINED[kind]
            return without(union(self.spans(first, now)),
                           self.spans(second, now))
        spans = self._closed.get(kind, [])
        if kind in self._open and kind != GAP:
            start = self._open[kind]
            spans = [*spans, Span(start, max(start, now))]
        return spans

    def forget(self, now: int) -> None:
        """Forgets events that ended before the window."""
        oldest = now - self.window
        for kind, spans in self._closed.items():
            if spans and spans[0].end < oldest:
                self._closed[kind] = [span for span in spans
                                      if span.end >= oldest]


def is_live(rule: EventRule) -> bool:
    """Returns whether the rule applies to a stream without an end, of which
    only the frames are known; zones have no events."""
    return rule.place not in _ENDS and not rule.zone_columns


class _Judge:
    """Judges one rule."""

    def __init__(self, rule: EventRule, recent: Recent, now: int) -> None:
        self.rule = rule
        self.now = now
        self.window = Span(now - recent.window, now)
        exempt = [span for kind in rule.exempt
                  for span in recent.spans(kind, now)]
        self.spans = [
            span for span in without(recent.spans(rule.kind, now), exempt)
            if span.duration >= rule.min_duration]
        self.one, self.several = WORDS[rule.kind]
        # A combined event is open only if its remainder reaches now.
        self.open = [span for span in self.spans
                     if span.end >= now and recent.is_open(rule.kind)][-1:]
        if rule.kind == GAP:
            began = recent.began(GAP)
            self.open = [span for span in self.spans if began is not None
                         and span.end >= began][-1:]

    def _within(self) -> List[Span]:
        """Returns the spans in the window, clipped to it."""
        return [Span(max(span.start, self.window.start), span.end)
                for span in self.spans if span.end >= self.window.start]

    def _lately(self) -> str:
        return f'in the last {wording.seconds(self.window.duration)}'

    def count(self, most: int) -> Optional[str]:
        """Judges the number of events. If none is allowed, an open event is a
        fault, and a cut is one for the time of the window. Else the number in
        the window counts."""
        found = len(self._within())
        if most == 0 and self.rule.kind != 'scene':
            if self.open:
                return f'{wording.capitalised(self.one)}; none is allowed.'
        elif found > most:
            return (f'{wording.count(found, self.one, self.several)} '
                    f'{self._lately()}; the limit is {most}.')
        return None

    def duration(self, most: int) -> Optional[str]:
        """Judges the duration of an open event."""
        if self.open and self.open[0].duration > most:
            return (f'{wording.capitalised(self.one)} for longer than the '
                    f'limit of {wording.seconds(most)}.')
        return None

    def total(self, most: float) -> Optional[str]:
        """Judges the total duration in the window."""
        total = sum(span.duration for span in union(self._within()))
        if total > most:
            return (f'{wording.capitalised(self.several)} for more than '
                    f'{wording.seconds(round(most))} {self._lately()}.')
        return None

    def messages(self) -> Iterator[Tuple[str, bool]]:
        """Yields a sentence for each violated limit, and whether the open
        event violates it."""
        rule = self.rule
        share = None if rule.max_share is None else (
            rule.max_share * self.window.duration)
        checks: Tuple[Tuple[Optional[float],
                            Callable[..., Optional[str]]], ...] = (
            (rule.max_count, self.count), (rule.max_duration, self.duration),
            (rule.max_total, self.total), (share, self.total))
        for limit, check in checks:
            message = None if limit is None else check(limit)
            if message:
                yield message, check == self.duration or (
                    check == self.count and limit == 0)


def judge(rule: EventRule, recent: Recent, now: int,
          lasted: Optional[float] = None) -> List[Fault]:
    """Returns the faults at the time @now. @lasted: as of Fault, for those of
    the open event."""
    if not is_live(rule):
        return []
    return [Fault(rule.name, rule.severity, message,
                  lasted if is_of_open else None)
            for message, is_of_open in _Judge(rule, recent, now).messages()]
