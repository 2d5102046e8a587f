# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a policy says to a measured file."""
import json
from typing import Any, Dict, List, Optional, Sequence, Set

from .policy import Policy
from .results import Json, Reason, Results, Verdict
from .rules import columns, container, events, frames, pooled
from .rules.detectors import PICTURE, PROPERTIES, SILENCE, least, parts
from .rules.figures import Figure


def _film(facts: Json, whole: Json) -> events.Film:
    start = whole.get('stream-time') or 0
    end = whole.get('end-stream-time')
    if end is None:
        end = (facts.get('container') or {}).get('duration') or 0
    end = max(start, end)
    return events.Film(start, end, (end - start) // max(1, whole['frames']))


def _least(policy: Policy) -> Dict[str, int]:
    """How long an event of each kind lasts at least, in nanoseconds."""
    durations = {SILENCE: int(policy.audio[least(SILENCE)])}
    for kind in PICTURE:
        if least(kind) in policy.measure:
            durations[kind] = int(policy.measure[least(kind)])
    return durations


def _rate(facts: Json, film: events.Film) -> float:
    rate = (facts.get('video') or {}).get('rate')
    if rate and rate[1]:
        return float(rate[0] / rate[1])
    return 1e9 / film.frame_duration if film.frame_duration else 0.0


def _reasons(results: Results, policy: Policy) -> List[Reason]:
    facts, whole = results.facts(), results.pooled()
    film = _film(facts, whole)
    found = events.Found(results.events(), _least(policy),
                         float(policy.measure.get('scene-threshold', 0)))
    reasons: List[Reason] = []
    for about_container in policy.container:
        reasons += container.judge(about_container, facts)
    for about_event in policy.events:
        reasons += events.judge(about_event, found, film)
    if policy.frames:
        table = columns.read(results, policy.frames, _rate(facts, film))
        for nth, about_frame in enumerate(policy.frames):
            reasons += frames.judge(about_frame, table, nth,
                                    found.all(about_frame.exempt))
    for about_all in policy.pooled:
        reasons += pooled.judge(about_all, whole)
    # Errors come first; otherwise the order of the policy stays.
    return sorted(reasons, key=lambda reason: reason.severity != 'error')


def judge(file: str, results: Results, policy: Policy) -> Verdict:
    """The verdict over @file, the path of the input below what was checked.
    Warnings alone pass. A file without frames is unmeasured."""
    if not results.pooled().get('frames'):
        return Verdict(file, 'unmeasured', policy.name, policy.hash,
                       [Reason('frames', 'error',
                               'No frame of the file was measured.')])
    reasons = _reasons(results, policy)
    is_kept = all(reason.severity != 'error' for reason in reasons)
    return Verdict(file, 'pass' if is_kept else 'fail', policy.name,
                   policy.hash, reasons)


def _used(policy: Policy) -> List[str]:
    """The kinds of measured events that rules ask for, in a fixed order."""
    kinds: Set[str] = set()
    for about_event in policy.events:
        kinds.update((about_event.kind, *about_event.exempt))
    for about_frame in policy.frames:
        kinds.update(about_frame.exempt)
    measured = {part for kind in kinds for part in parts(kind)}
    return [kind for kind in (*PICTURE, SILENCE) if kind in measured]


def _number(value: Any) -> Optional[float]:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _differs(name: str, kept: Any, wanted: Any, is_monotonic: bool
             ) -> Optional[str]:
    number, other = _number(kept), float(wanted)
    if number is not None and (number == other
                               or is_monotonic and number < other):
        return None
    was = 'is not known' if number is None else f'was {kept}'
    return f'{name} {was}, and the policy asks for {wanted}'


def _event_differs(kind: str, settings: Json, policy: Policy
                   ) -> Optional[str]:
    if kind == SILENCE:
        return (_differs('silence-level', settings.get('silence-level'),
                         policy.audio['silence-level'], False)
                or _differs('silence-duration',
                            settings.get('silence-duration'),
                            policy.audio['silence-duration'], True))
    if kind not in str(settings.get('events', '')).split('+'):
        return f'{kind} was not measured'
    for row in PROPERTIES.values():
        if row.event == kind:
            why = _differs(row.name,
                           settings.get(row.name, row.text(row.default)),
                           policy.measure[row.name], row.is_monotonic)
            if why:
                return why
    return None


def _grid_differs(settings: Json, policy: Policy) -> Optional[str]:
    for name in ('grid-columns', 'grid-rows'):
        if name in policy.measure:
            why = _differs(name, settings.get(name, 1), policy.measure[name],
                           False)
            if why:
                return why
    return None


def _could_have(figure: Figure, components: Sequence[str]) -> bool:
    """Whether pictures of these components have the statistic."""
    if figure.flag in ('saturation', 'hue'):
        return 'U' in components
    if figure.component is None and figure.flag in (
            'outliers', 'repetition', 'gamut'):
        return True
    return (figure.component or figure.key[0]) in components


def _lacks(results: Results, policy: Policy) -> Optional[str]:
    """A statistic that the first frame, or the file, could have and has
    not."""
    text = next(columns.lines(results), b'{}')
    line, whole = json.loads(text), results.pooled()
    rules = [(rule.figure, 'zone-' if rule.is_of_zones else '', line)
             for rule in policy.frames]
    rules += [(rule.figure, '', whole) for rule in policy.pooled]
    for figure, prefix, source in rules:
        field = 'histogram' if figure.field == 'outside' else figure.field
        if prefix + field not in source and _could_have(
                figure, source.get('components', ())):
            return f'{figure.key} was not measured'
    return None


def why_not(results: Results, policy: Policy) -> Optional[str]:
    """Why the kept figures do not allow a verdict of @policy; None: they do.
    Figures that were found with shorter least durations do."""
    settings = (results.facts().get('measured') or {}).get('settings') or {}
    has_sound = bool(results.facts().get('audio'))
    for kind in _used(policy):
        if kind == SILENCE and not has_sound:
            continue
        why = _event_differs(kind, settings, policy)
        if why:
            return why
    return _grid_differs(settings, policy) or _lacks(results, policy)
