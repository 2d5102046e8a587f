# SPDX-License-Identifier: LGPL-2.1-or-later
"""The events of a stream in the last while, those that are open too, and what
the rules of a policy about events say to them."""
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from ..rules import words
from ..rules.detectors import COMBINED, DECODE_ERROR, GAP, WORDS
from ..rules.model import EventRule
from ..rules.spans import Span, union, without
from .health import Fault

SIGNAL_LOSS = 'signal-loss'

# Places in a file that a stream without ends does not have.
_ENDS = ('ends', 'start', 'end')


class Recent:
    """Events by their kinds. Times are nanoseconds of Judging.now."""

    def __init__(self, window: int) -> None:
        self.window = window
        self._closed: Dict[str, List[Span]] = {}
        self._open: Dict[str, int] = {}

    def start(self, kind: str, time: int) -> None:
        """One begins."""
        self._open[kind] = time

    def end(self, kind: str, start: int, end: int) -> None:
        """One is over; a cut is over as it begins."""
        start = self._open.pop(kind, start)
        self._closed.setdefault(kind, []).append(Span(start, end))

    def is_open(self, kind: str) -> bool:
        """Whether it goes on. A combined one does while the first of its two
        goes on without the second."""
        if kind in COMBINED:
            first, second = COMBINED[kind]
            return first in self._open and second not in self._open
        return kind in self._open

    def spans(self, kind: str, now: int) -> List[Span]:
        """In order; one that is open ends @now."""
        if kind in COMBINED:
            first, second = COMBINED[kind]
            return without(union(self.spans(first, now)),
                           self.spans(second, now))
        spans = self._closed.get(kind, [])
        if kind in self._open:
            start = self._open[kind]
            spans = [*spans, Span(start, max(start, now))]
        return spans

    def forget(self, now: int) -> None:
        """What ended before the window."""
        oldest = now - self.window
        for kind, spans in self._closed.items():
            if spans and spans[0].end < oldest:
                self._closed[kind] = [span for span in spans
                                      if span.end >= oldest]


def is_live(rule: EventRule) -> bool:
    """Whether the rule can be about a stream without ends, of which nothing is
    known but its frames."""
    return rule.place not in _ENDS and rule.kind not in (DECODE_ERROR, GAP)


class _Judge:
    """What one rule says."""

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
        # A combined event is open only if what is left of it reaches now.
        self.open = [span for span in self.spans
                     if span.end >= now and recent.is_open(rule.kind)][-1:]

    def _within(self) -> List[Span]:
        """Those of the window, as far as they are in it."""
        return [Span(max(span.start, self.window.start), span.end)
                for span in self.spans if span.end >= self.window.start]

    def _lately(self) -> str:
        return f'in the last {words.seconds(self.window.duration)}'

    def count(self, most: int) -> Optional[str]:
        """None may be: one that is open is wrong, and a cut for the time of
        the window. Else their number in the window counts."""
        found = len(self._within())
        if most == 0 and self.rule.kind != 'scene':
            if self.open:
                return f'{words.capitalised(self.one)}; none is allowed.'
        elif found > most:
            return (f'{words.count(found, self.one, self.several)} '
                    f'{self._lately()}; {most} may be.')
        return None

    def duration(self, most: int) -> Optional[str]:
        """One that is open may last so long."""
        if self.open and self.open[0].duration > most:
            return (f'{words.capitalised(self.one)} for more than '
                    f'{words.seconds(most)}, which are allowed.')
        return None

    def total(self, most: float) -> Optional[str]:
        """So much of the window."""
        total = sum(span.duration for span in union(self._within()))
        if total > most:
            return (f'{words.capitalised(self.several)} for more than '
                    f'{words.seconds(round(most))} {self._lately()}.')
        return None

    def messages(self) -> Iterator[str]:
        """A sentence for each limit that is not kept."""
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
                yield message


def judge(rule: EventRule, recent: Recent, now: int) -> List[Fault]:
    """What is wrong at the time @now."""
    if not is_live(rule):
        return []
    return [Fault(rule.name, rule.severity, message)
            for message in _Judge(rule, recent, now).messages()]
