# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds mistakes about measuring, events and the container in a policy that
matches the schema."""
from typing import Any, Dict, Iterator, List

from .checks import Mistake, Names, shown
from .detectors import (LEAST, PICTURE, PROPERTIES, SILENCE_DURATION, USUAL,
                        parts)
from .model import Value
from .values import value_of

_LIMITS = ('max-count', 'max-duration', 'max-total', 'max-share')
_OF_SPANS = ('max-duration', 'max-total', 'max-share', 'min-duration')

# Maximum number of zones of clframesum.
MOST_ZONES = 1023


def zones(measure: Dict[str, Any]) -> int:
    """Returns the number of zones."""
    count: int = measure.get('grid-columns', 1) * measure.get('grid-rows', 1)
    return count


def least_seconds(content: Dict[str, Any], kind: str) -> float:
    """Returns the minimum duration of an event of a measured kind."""
    name = LEAST.get(kind)
    if name is None:
        return 0.0
    if name in PROPERTIES:
        default = PROPERTIES[name].default
        return float(content.get('measure', {}).get(name, default))
    return float(content.get('audio', {}).get(name, SILENCE_DURATION))


def chosen(content: Dict[str, Any]) -> List[str]:
    """Returns the events that are detected: those that the policy chooses,
    else the usual ones and those that it has rules for."""
    asked = content.get('measure', {}).get('events')
    if asked is None:
        ruled = [part for table in ('events', 'zone-events')
                 for kind in content.get(table, {}) for part in parts(kind)]
        asked = [*USUAL, *ruled]
    return [kind for kind in PICTURE if kind in asked]


def _unmeasured(content: Dict[str, Any], kinds: List[str], path: Names
                ) -> Iterator[Mistake]:
    measured = chosen(content)
    for kind in kinds:
        for part in parts(kind):
            if part in PICTURE and part not in measured:
                yield Mistake(path, f'needs "{part}", which is not among '
                                    'measure.events')


def _event(content: Dict[str, Any], kind: str, rule: Dict[str, Any],
           path: Names) -> Iterator[Mistake]:
    if not any(name in rule for name in _LIMITS):
        yield Mistake(path, 'no limit; give one of ' + ', '.join(_LIMITS))
    if kind == 'scene':
        for name in _OF_SPANS:
            if name in rule:
                yield Mistake([*path, name], 'a cut has no duration; its '
                                             'limit is max-count')
    elif 'min-duration' in rule:
        seconds = least_seconds(content, parts(kind)[0])
        if rule['min-duration'] < seconds:
            yield Mistake(
                [*path, 'min-duration'],
                f'{shown(rule["min-duration"])} s is less than '
                f'{LEAST[parts(kind)[0]]}, {seconds:g} s: such short events '
                'are not measured')
    yield from _unmeasured(content, [kind], path)


def events(content: Dict[str, Any]) -> Iterator[Mistake]:
    """Yields mistakes in the tables measure and events, and in the keys
    `except`."""
    measure = content.get('measure', {})
    if zones(measure) > MOST_ZONES:
        yield Mistake(['measure', 'grid-columns'],
                      f'{zones(measure)} zones; at most {MOST_ZONES} are '
                      'possible')
    for table in ('zones', 'zone-events'):
        if content.get(table) and zones(measure) == 1:
            yield Mistake([table], 'there are no zones; give '
                          'measure.grid-columns or measure.grid-rows')
    for table in ('events', 'zone-events'):
        for kind, rules in content.get(table, {}).items():
            for place, rule in enumerate(rules):
                yield from _event(content, kind, rule, [table, kind, place])
    for table in ('frames', 'zones', 'events', 'zone-events'):
        for key, rules in content.get(table, {}).items():
            for place, rule in enumerate(rules):
                path = [table, key, place, 'except']
                kinds = rule.get('except', [])
                yield from _unmeasured(content, kinds, path)
                if table == 'events' and key in kinds:
                    yield Mistake(path, f'"{key}" excludes itself')


def streams(content: Dict[str, Any]) -> Iterator[Mistake]:
    """Yields mistakes in the table stream."""
    for key, rules in content.get('stream', {}).items():
        for place, rule in enumerate(rules):
            if not {'max-count', 'max-share'} & rule.keys():
                yield Mistake(['stream', key, place],
                              'no limit; give max-count, max-share or both')


def _above(low: Value, high: Value) -> bool:
    return not isinstance(low, str) and not isinstance(high, str) and (
        low > high)


def container(content: Dict[str, Any]) -> Iterator[Mistake]:
    """Yields mistakes in the table container."""
    for key, entry in content.get('container', {}).items():
        if not isinstance(entry, dict):
            continue
        path = ['container', key]
        if not {'allowed', 'min', 'max'} & entry.keys():
            yield Mistake(path, 'no limit; give allowed, min or max')
        if 'min' in entry and 'max' in entry and _above(
                value_of(key, entry['min']), value_of(key, entry['max'])):
            yield Mistake([*path, 'min'], f'{shown(entry["min"])} is above '
                                          f'max, {shown(entry["max"])}')
