# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges rules about events."""
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from clqc.judging.rules import wording
from clqc.judging.rules.detectors import (CARD, COMBINED, DECODE_ERROR, FLASH,
                                          FREEZE, GAP, LEVELS, REPEAT, SILENCE,
                                          WORDS)
from clqc.judging.rules.model import EventRule
from clqc.judging.rules.time_spans import Span, union, without
from clqc.results.result_files import Event, Reason

# The number of a zone, counted row by row; None: the frame.
Zone = Optional[int]

# Maximum distance of an event of the sound at an end of the file.
_NEAR = 100_000_000  # nanoseconds


@dataclass(frozen=True)
class Film:
    """The file's properties for judging events. Times are nanoseconds."""
    start: int
    end: int
    frame_duration: int

    @property
    def duration(self) -> int:
        """Returns the duration in nanoseconds."""
        return self.end - self.start


def _of_gap(event: Event) -> str:
    if event.start_frame is None:
        missing = wording.seconds(int(event.values['missing']))
        track = int(event.values['track']) + 1
        return f', {missing} of the sound (track {track}) is missing'
    frames, packets = (int(event.values[key]) for key in ('frames', 'packets'))
    text = f', {wording.count(frames, "frame is", "frames are")} missing'
    if packets:
        text += (', ' + wording.count(packets, 'packet', 'packets')
                 + ' of that time did not decode')
    return text


def _of_errors(event: Event) -> str:
    return ', ' + wording.count(int(event.values['errors']), 'message',
                                'messages')


def _of_freeze(event: Event) -> str:
    """Returns the number of frames, to show that a freeze is not a gap, and
    whether their flags say that data was missing."""
    if event.start_frame is None or event.end_frame is None:
        return ''
    flag = event.values.get('evidence', 'picture')
    return ', ' + wording.count(
        event.end_frame - event.start_frame, 'frame', 'frames'
    ) + ' were decoded' + (
        '' if flag == 'picture' else f', with missing data ({flag})')


def _of_repeat(event: Event) -> str:
    """Returns the number of frames, and the length of their pattern."""
    frames, period = (int(event.values[key]) for key in ('frames', 'period'))
    return (', ' + wording.count(frames, 'repeated frame', 'repeated frames')
            + (f' in a pattern of {period}' if period else ''))


def _of_card(event: Event) -> str:
    return f', {event.values["card"]}'


# By the result of clframesum.
_FLASHES = {2: 'an extended series of flashes', 3: 'more than three flashes '
            'in a second'}


def _of_flash(event: Event) -> str:
    """Returns the result, and that it is no certificate."""
    result = _FLASHES.get(int(event.values['result']), 'flashes')
    return (f', {result} of {event.values["kind"]}; this is a screening, not '
            'a certification')


def _of_levels(event: Event) -> str:
    share = wording.number(float(event.values['share']), 'share')
    return f', {share} of the pixels, by {event.values["component"]}'


_DETAILS = {GAP: _of_gap, DECODE_ERROR: _of_errors, FREEZE: _of_freeze,
            REPEAT: _of_repeat, CARD: _of_card, FLASH: _of_flash,
            LEVELS: _of_levels}


class Found:
    """The events of a file by kind, combined kinds included, and those of its
    zones."""

    def __init__(self, events: Sequence[Event],
                 has_sound: bool = True) -> None:
        self._has_sound = has_sound
        # By kind and zone; None: of the frame.
        self._spans: Dict[Tuple[str, Zone], List[Span]] = {}
        self._frames: Dict[Span, int] = {}
        self._missing: Dict[Span, int] = {}  # frames of each gap
        self._details: Dict[Tuple[str, Zone, Span], str] = {}
        for event in events:
            span = Span(event.start, event.end)
            self._spans.setdefault((event.kind, event.zone), []).append(span)
            if event.kind == GAP:
                self._missing[span] = (self._missing.get(span, 0)
                                       + int(event.values.get('frames', 0)))
            detail = _DETAILS.get(event.kind)
            if detail:
                self._details[event.kind, event.zone, span] = detail(event)
            if event.start_frame is not None:
                self._frames.setdefault(span, event.start_frame)

    def zones(self, kind: str) -> List[int]:
        """Returns the zones that have such events."""
        return sorted(zone for of_kind, zone in self._spans
                      if of_kind == kind and zone is not None)

    def spans(self, kind: str, zone: Zone = None) -> List[Span]:
        """Returns the spans of the frame, or of a zone, in order."""
        if kind in COMBINED:
            first, second = COMBINED[kind]
            if second == SILENCE and not self._has_sound:
                return []
            return without(union(self.spans(first)), self.spans(second))
        return sorted(self._spans.get((kind, zone), []))

    def all(self, kinds: Sequence[str]) -> List[Span]:
        """Returns the spans of several kinds."""
        return [span for kind in kinds for span in self.spans(kind)]

    def detail(self, kind: str, zone: Zone, span: Span) -> str:
        """Returns details of an event, or an empty text."""
        return self._details.get((kind, zone, span), '')

    def sum(self, kind: str, spans: Sequence[Span]) -> str:
        """Returns the number of frames that all gaps lack, or an empty text.
        """
        n = sum(self._missing.get(span, 0) for span in spans
                ) if kind == GAP else 0
        return ', ' + wording.count(
            n, 'frame is', 'frames are') + ' missing in all' if n else ''

    def frame(self, span: Span) -> Optional[int]:
        """Returns the number of the first frame, if the span is an event."""
        return self._frames.get(span)


def _is_at(rule: EventRule, span: Span, film: Film) -> bool:
    """Returns whether a span is at the place; one frame of distance is
    allowed."""
    near = 2 * film.frame_duration
    if SILENCE in (rule.kind, *COMBINED.get(rule.kind, ())):
        near = max(near, _NEAR)
    at_start = span.start < film.start + max(near, 1)
    at_end = span.end > film.end - max(near, 1)
    return {'anywhere': True, 'start': at_start, 'end': at_end,
            'ends': at_start or at_end,
            'inside': not at_start and not at_end}[rule.place]


def _place(rule: EventRule, zone: Zone) -> str:
    place = {'anywhere': '', 'start': ' at the start', 'end': ' at the end',
             'ends': ' at the ends of the file',
             'inside': ' inside the file'}[rule.place]
    return place if zone is None else (
        f'{wording.zone(zone, rule.zone_columns)}{place}')


def _where(span: Span) -> str:
    if span.start == span.end:
        return f'at {wording.time(span.start)}'
    return (f'from {wording.time(span.start)} to {wording.time(span.end)} '
            f'({wording.seconds(span.duration)})')


class _Judge:
    """Collects the reasons of a rule, for the frame or for a zone."""

    def __init__(self, rule: EventRule, found: Found, film: Film,
                 zone: Zone) -> None:
        self.rule = rule
        self.film = film
        self.found = found
        self.zone = zone
        self.place = _place(rule, zone)
        spans = without(found.spans(rule.kind, zone), found.all(rule.exempt))
        self.spans = [span for span in spans
                      if span.duration >= rule.min_duration
                      and _is_at(rule, span, film)]
        self.one, self.several = WORDS[rule.kind]
        self.reasons: List[Reason] = []

    def _add(self, message: str, span: Optional[Span] = None,
             value: Optional[float] = None, limit: Optional[float] = None
             ) -> None:
        self.reasons.append(Reason(
            self.rule.name, self.rule.severity, wording.capitalised(message),
            span.start if span else None, span.end if span else None,
            self.found.frame(span) if span else None, value, limit))

    def _list(self, spans: Sequence[Span], ending: str, limit: float,
              is_count: bool) -> None:
        for place in wording.worst([span.duration for span in spans]):
            span = spans[place]
            detail = self.found.detail(self.rule.kind, self.zone, span)
            self._add(f'{self.one}{self.place} {_where(span)}'
                      f'{detail}{ending}.',
                      span,
                      None if is_count else span.duration / 1e9,
                      None if is_count else limit)
        self.reasons += wording.more(
            self.rule.name, self.rule.severity, len(spans) - wording.MOST,
            f'there is a {self.one}')

    def count(self, most: int) -> None:
        """Judges the number of events. If none is allowed, each is a reason.
        Otherwise the number is the first reason; that of several gaps always
        is, with the sum of their frames."""
        n_found = len(self.spans)
        if n_found <= most:
            return
        total = self.found.sum(self.rule.kind, self.spans)
        if most > 0 or (total and n_found > 1):
            limit = f'the limit is {most}' if most else 'none is allowed'
            self._add(f'there are {n_found} {self.several}{self.place}{total};'
                      f' {limit}.', None, n_found, most)
        self._list(self.spans, '; none is allowed' if most == 0 else '',
                   0, True)

    def duration(self, most: int) -> None:
        """Judges the duration of each event, in nanoseconds."""
        long = [span for span in self.spans if span.duration > most]
        self._list(long, f'; {wording.seconds(most)} is allowed', most / 1e9,
                   False)

    def total(self, most: float, is_share: bool) -> None:
        """Judges the total duration, in nanoseconds."""
        total = sum(span.duration for span in union(self.spans))
        if total <= most:
            return
        longest = max(self.spans, key=lambda span: span.duration)
        shown = f'{wording.seconds(total)} in all'
        limit = wording.seconds(round(most))
        value, bound = total / 1e9, most / 1e9
        if is_share and self.film.duration > 0:
            value = total / self.film.duration
            bound = most / self.film.duration
            shown += f', {wording.number(value, "share")} of the file'
            limit = wording.number(bound, 'share')
        self._add(f'{self.several}{self.place} last {shown}; '
                  f'{limit} is allowed; the longest is {_where(longest)}.',
                  longest, value, bound)


def judge(rule: EventRule, found: Found, film: Film) -> List[Reason]:
    """Returns the reasons of a rule; if it is about zones, of each zone."""
    if not rule.zone_columns:
        return _judge_one(rule, found, film, None)
    reasons = [reason for zone in found.zones(rule.kind)
               for reason in _judge_one(rule, found, film, zone)]
    return reasons[:wording.MOST] + wording.more(
        rule.name, rule.severity, len(reasons) - wording.MOST,
        f'a zone violates {rule.name}')


def _judge_one(rule: EventRule, found: Found, film: Film, zone: Zone
               ) -> List[Reason]:
    work = _Judge(rule, found, film, zone)
    if rule.max_count is not None:
        work.count(rule.max_count)
    if rule.max_duration is not None:
        work.duration(rule.max_duration)
    if rule.max_total is not None:
        work.total(rule.max_total, False)
    if rule.max_share is not None:
        work.total(rule.max_share * film.duration, True)
    return work.reasons
