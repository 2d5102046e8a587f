# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges a measured file by a policy."""
from typing import Any, List, Optional, Sequence

from clqc.judging.policy import Policy
from clqc.judging.rules import (completeness, container, events, frame_columns,
                                frames, pooled)
from clqc.judging.rules.detectors import PROPERTIES, STATISTICS
from clqc.judging.rules.frame_statistics import Statistic
from clqc.results.result_files import INTEGRITY, Json, Reason, Results, Verdict


def _film(facts: Json, totals: Json) -> events.Film:
    start = totals.get('stream-time') or 0
    end = totals.get('end-stream-time')
    if end is None:
        end = (facts.get('container') or {}).get('duration') or 0
    end = max(start, end)
    return events.Film(start, end, (end - start) // max(1, totals['frames']))


def _rate(facts: Json, film: events.Film) -> float:
    rate = (facts.get('video') or {}).get('rate')
    if rate and rate[1]:
        return float(rate[0] / rate[1])
    return 1e9 / film.frame_duration if film.frame_duration else 0.0


def _reasons(results: Results, policy: Policy) -> List[Reason]:
    facts, totals = results.facts(), results.pooled()
    film = _film(facts, totals)
    found = events.Found([*results.events(), *results.zone_events()],
                         bool(facts.get('audio')))
    reasons: List[Reason] = []
    if policy.completeness:
        integrity = results.read(INTEGRITY)
        for about_file in policy.completeness:
            reasons += completeness.judge(about_file, integrity)
    for about_container in policy.container:
        reasons += container.judge(about_container, facts)
    for about_event in policy.events:
        reasons += events.judge(about_event, found, film)
    if policy.frames:
        table = frame_columns.read(results, policy.frames, _rate(facts, film))
        for nth, about_frame in enumerate(policy.frames):
            reasons += frames.judge(about_frame, table, nth,
                                    found.all(about_frame.exempt))
    for about_all in policy.pooled:
        reasons += pooled.judge(about_all, totals)
    return _once(reasons)


def _once(reasons: Sequence[Reason]) -> List[Reason]:
    """Returns the reasons, errors first, else in the order of the policy. An
    error of a rule replaces its warning."""
    errors = {(reason.rule, reason.start, reason.end) for reason in reasons
              if reason.severity == 'error' and reason.start is not None}
    return sorted((reason for reason in reasons
                   if reason.severity == 'error' or (
                       reason.rule, reason.start, reason.end) not in errors),
                  key=lambda reason: reason.severity != 'error')


def judge(file: str, results: Results, policy: Policy) -> Verdict:
    """Returns the verdict on @file, the path of the input below the checked
    folder, whose events were detected with the settings of @policy. Warnings
    alone pass. A file without frames is unmeasured."""
    if not results.pooled().get('frames'):
        return Verdict(file, 'unmeasured', policy.name, policy.hash,
                       [Reason('frames', 'error',
                               'No frame of the file was measured.')])
    reasons = _reasons(results, policy)
    passes = all(reason.severity != 'error' for reason in reasons)
    return Verdict(file, 'pass' if passes else 'fail', policy.name,
                   policy.hash, reasons)


def _differs(name: str, stored: Any, wanted: str) -> Optional[str]:
    if float(stored) == float(wanted):
        return None
    return f'{name} was {stored}, and the policy needs {wanted}'


def _settings_differ(settings: Json, policy: Policy) -> Optional[str]:
    """Returns whether settings differ that cannot change afterwards. Events
    are detected again from the lines with any threshold except freeze-noise,
    with which other frames would have been compared, and flash-area, from
    which the flashes of the lines follow."""
    rows = [PROPERTIES[name] for name in ('freeze-noise', 'flash-area')]
    defaults = {**{row.name: row.text(row.default) for row in rows},
                'grid-columns': '1', 'grid-rows': '1'}
    for name, default in defaults.items():
        if name in policy.measure:
            why = _differs(name, settings.get(name, default),
                           policy.measure[name])
            if why:
                return why
    if 'zone-events' in policy.measure:
        if 'zone-events' not in settings:
            return 'it was measured without zone-events'
        if policy.measure['region-histograms'] == 'true' and (
                settings.get('region-histograms') != 'true'):
            return 'region-histograms was false, and the policy needs true'
    # All codes follow from it, also those of a policy without it.
    stored, wanted = (chosen.get('significant-bits', 'all bits')
                      for chosen in (settings, policy.measure))
    if stored != wanted:
        return f'significant-bits was {stored}, and the policy needs {wanted}'
    return None


def _could_have(statistic: Statistic, components: Sequence[str]) -> bool:
    """Returns whether pictures with these components have the statistic."""
    if statistic.flag in ('saturation', 'hue'):
        return 'U' in components
    if statistic.component is None and statistic.flag in (
            'outliers', 'repetition', 'gamut', 'noise', 'blockiness', 'flash',
            'light', 'levels'):
        return True
    return (statistic.component or statistic.key[0]) in components


def _lacks_for_events(line: Json, policy: Policy) -> Optional[str]:
    """Returns which event of @policy needs a statistic that is not in @line,
    the first frame."""
    if not line:  # no frame was measured
        return None
    for event in policy.measure['events'].split('+'):
        name, field = STATISTICS.get(event, (None, None))
        if field and field not in line:
            return (f'the event {event} needs the statistic {name}, which was '
                    'not measured')
    return None


def _lacks(results: Results, policy: Policy) -> Optional[str]:
    """Returns a missing statistic that the first frame, or the file, could
    have."""
    line, totals = frame_columns.first(results), results.pooled()
    reason = _lacks_for_events(line, policy)
    if reason:
        return reason
    rules = [(rule.statistic, 'zone-' if rule.is_of_zones else '', line)
             for rule in policy.frames]
    rules += [(rule.statistic, '', totals) for rule in policy.pooled]
    for statistic, prefix, source in rules:
        field = ('histogram' if statistic.field == 'outside'
                 else statistic.field)
        if prefix + field not in source and _could_have(
                statistic, source.get('components', ())):
            return f'{statistic.key} was not measured'
    return None


def why_not(results: Results, policy: Policy) -> Optional[str]:
    """Returns why the stored statistics do not allow a verdict of @policy,
    after events have been detected in them; None if they do."""
    measured = results.facts().get('measured') or {}
    if not results.has(INTEGRITY):
        return 'it was measured by an earlier version of clqc'
    return (_settings_differ(measured.get('settings') or {}, policy)
            or _lacks(results, policy))
