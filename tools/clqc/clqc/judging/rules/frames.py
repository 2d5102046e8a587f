# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges rules about the statistics of each frame."""
from dataclasses import dataclass
from typing import List, Sequence

import numpy

from clqc.judging.rules import wording
from clqc.judging.rules.frame_columns import (Booleans, Columns, Floats,
                                              Integers)
from clqc.judging.rules.model import FrameRule
from clqc.judging.rules.time_spans import Span
from clqc.judging.rules.wording import name, unknown
from clqc.results.result_files import Reason


@dataclass(frozen=True)
class _Breaks:
    """The violation of a rule by each frame, in units of the policy; 0 if
    there is none. Runs of frames are given by their first frame and by the
    frame after them."""
    excess: Floats
    is_above: Booleans
    first: Integers
    after: Integers


def _scale(rule: FrameRule, columns: Columns) -> Floats:
    power = 0 if rule.is_native else rule.statistic.unit.power
    return numpy.power(2.0, power * (columns.depth - 8))


def exempt_frames(columns: Columns, spans: Sequence[Span]) -> Booleans:
    """Returns which frames begin within one of @spans."""
    within = numpy.zeros(len(columns.start), numpy.bool_)
    for span in spans:
        within |= (columns.start >= span.start) & (columns.start < span.end)
    return within


def _find(rule: FrameRule, columns: Columns, nth: int,
          exempt: Sequence[Span]) -> _Breaks:
    scale = _scale(rule, columns)
    count = len(scale)
    above: Floats = numpy.zeros(count)
    below: Floats = above
    if rule.maximum is not None:
        above = columns.greatest[nth] / scale - rule.maximum
    if rule.minimum is not None:
        below = rule.minimum - columns.least[nth] / scale
    excess = numpy.nan_to_num(numpy.maximum(above, below), nan=0.0)
    excess[(excess < 0) | exempt_frames(columns, exempt)] = 0
    edges = numpy.diff((excess > 0).astype(numpy.int8), prepend=0, append=0)
    first = numpy.flatnonzero(edges > 0)
    after = numpy.flatnonzero(edges < 0)
    is_long = (columns.end[after - 1] - columns.start[first]
               >= rule.duration)
    return _Breaks(excess, above > below, first[is_long], after[is_long])


def _limit_words(rule: FrameRule, is_above: bool, scale: float) -> str:
    limit = rule.maximum if is_above else rule.minimum
    assert limit is not None
    return ('above ' if is_above else 'below ') + wording.number(
        limit * scale, rule.statistic.unit.name)


def _zone(rule: FrameRule, columns: Columns, nth: int, worst: int,
          is_above: bool) -> str:
    if not rule.is_of_zones:
        return ''
    zones = (columns.zone_greatest if is_above else columns.zone_least)[nth]
    return wording.zone(int(zones[worst]), columns.zone_columns)


def _reason(rule: FrameRule, columns: Columns, nth: int, breaks: _Breaks,
            run: int) -> Reason:
    first, after = int(breaks.first[run]), int(breaks.after[run])
    worst = first + int(numpy.argmax(breaks.excess[first:after]))
    is_above = bool(breaks.is_above[worst])
    scale = float(_scale(rule, columns)[worst])
    values = (columns.greatest if is_above else columns.least)[nth]
    value = float(values[worst])
    limit = rule.maximum if is_above else rule.minimum
    assert limit is not None
    start, end = int(columns.start[first]), int(columns.end[after - 1])
    number = int(columns.number[worst])
    shown = wording.number(value, rule.statistic.unit.name)
    where = _zone(rule, columns, nth, worst, is_above)
    if after - first == 1:
        message = (f'At {wording.time(start)} (frame {number}) the '
                   f'{name(rule)} is {shown}{where}, '
                   f'{_limit_words(rule, is_above, scale)}.')
    else:
        message = (f'From {wording.time(start)} to {wording.time(end)} '
                   f'({after - first} frames) the {name(rule)} is '
                   f'{_limit_words(rule, is_above, scale)}: {shown}{where} '
                   f'in the worst frame, {number}.')
    return Reason(rule.name, rule.severity, message, start, end, number,
                  value, limit * scale)


def _share(rule: FrameRule, n_broken: int, n_frames: int) -> Reason:
    share = n_broken / n_frames
    return Reason(
        rule.name, rule.severity,
        f'In {wording.number(share, "share")} of the frames ({n_broken} of '
        f'{n_frames}) the {name(rule)} is beyond its limits; '
        f'the limit is {wording.number(rule.share, "share")}.',
        value=share, limit=rule.share)


def _is_known(columns: Columns, nth: int) -> bool:
    return not bool(numpy.all(numpy.isnan(columns.greatest[nth])))


def judge(rule: FrameRule, columns: Columns, nth: int,
          exempt: Sequence[Span]) -> List[Reason]:
    """Returns the reasons of the rule whose values are the @nth of @columns.
    Frames that begin within a span of @exempt do not count."""
    if not _is_known(columns, nth):
        return unknown(rule, columns.format, columns.components)
    breaks = _find(rule, columns, nth, exempt)
    n_runs = len(breaks.first)
    n_broken = int(numpy.sum(breaks.after - breaks.first))
    n_frames = len(columns.start)
    if n_runs == 0 or n_broken / n_frames <= rule.share:
        return []

    reasons = [_share(rule, n_broken, n_frames)] if rule.share > 0 else []
    runs = wording.worst([float(numpy.max(breaks.excess[first:after]))
                          for first, after in zip(breaks.first, breaks.after)])
    reasons += [_reason(rule, columns, nth, breaks, run) for run in runs]
    return reasons + wording.more(
        rule.name, rule.severity, n_runs - wording.MOST,
        f'the {name(rule)} is beyond its limits')
