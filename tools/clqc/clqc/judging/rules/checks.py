# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds mistakes in the content of a policy."""
import difflib
import json
import math
from dataclasses import dataclass
from typing import Any, Collection, Dict, Iterator, List, Sequence, Union

import jsonschema

from clqc.judging.rules.container_values import value_of
from clqc.judging.rules.detectors import (LEAST, PICTURE, PROPERTIES,
                                          SILENCE_DURATION, USUAL, parts)
from clqc.judging.rules.frame_statistics import (BY_COMPONENT, COMPONENTS,
                                                 FRAME_STATISTICS,
                                                 NOT_OF_ZONES, ONLY_POOLED,
                                                 POOLED)
from clqc.judging.rules.model import Value
from clqc.judging.rules.schema import POLICY

Names = Sequence[Union[str, int]]


@dataclass(frozen=True)
class Mistake:
    """A mistake. @path: the keys, and the indices in lists of tables."""
    path: Names
    message: str

    @property
    def key(self) -> str:
        """Returns the key as the user has written it."""
        return '.'.join(name for name in self.path if isinstance(name, str))


def suggest(name: str, names: Collection[str]) -> str:
    """Returns the hint after an unknown name: the likely name, or all names.
    """
    near = [known for known in names if known.lower() == name.lower()]
    near = near or difflib.get_close_matches(name, names, 1)
    if near:
        return f'; did you mean {near[0]}?'
    return f'; there are {", ".join(names)}' if len(names) <= 40 else ''


def shown(value: Any) -> str:
    """Returns a value as in TOML, if it is short."""
    if isinstance(value, dict):
        return 'a table'
    if isinstance(value, list):
        return f'[{", ".join(map(shown, value))}]'
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def listed(rules: Any) -> Any:
    """Returns a table as a list with one entry."""
    return [rules] if isinstance(rules, dict) else rules


def named(tables: Any) -> Any:
    """Returns [frames.mean.Y] as the table named mean.Y, and each table as a
    list of tables."""
    if not isinstance(tables, dict):
        return tables
    rules: Dict[str, Any] = {}
    for name, table in tables.items():
        if name in BY_COMPONENT and isinstance(table, dict):
            for inner in [inner for inner, value in table.items()
                          if isinstance(value, (dict, list))]:
                rules[f'{name}.{inner}'] = listed(table[inner])
            table = {inner: value for inner, value in table.items()
                     if not isinstance(value, (dict, list))}
            if not table and any(key.startswith(f'{name}.') for key in rules):
                continue
        rules[name] = listed(table)
    return rules


def _of_form(error: Any) -> Iterator[Mistake]:
    path = list(error.absolute_path)
    if error.validator == 'additionalProperties':
        known = list(error.schema['properties'])
        for name in error.instance:
            if name not in known:
                yield Mistake([*path, name],
                              'no such key' + suggest(name, known))
        return
    yield Mistake(path, f'{shown(error.instance)} is not allowed here; '
                        f'allowed is {error.schema["description"]}')


def form(content: Dict[str, Any]) -> List[Mistake]:
    """Yields violations of the schema, one for each key."""
    found: Dict[str, Mistake] = {}
    for error in jsonschema.Draft7Validator(POLICY).iter_errors(content):
        for mistake in _of_form(error):
            found.setdefault('.'.join(map(str, mistake.path)), mistake)
    return list(found.values())


def finite(content: Any, path: Names = ()) -> Iterator[Mistake]:
    """Yields numbers that TOML has and a policy does not allow."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from finite(value, (*path, key))
    elif isinstance(content, list):
        for place, value in enumerate(content):
            yield from finite(value, (*path, place))
    elif isinstance(content, float) and not math.isfinite(content):
        yield Mistake(path, f'{content} is not allowed here; allowed is a '
                            'finite number')
    elif (isinstance(content, int) and not isinstance(content, bool)
          and abs(content) > 2 ** 63):
        yield Mistake(path, f'{str(content)[:20]}.. is not allowed here; '
                            'allowed are numbers up to 2^63')


def _statistic(key: str, path: Names, is_pooled: bool, is_of_zones: bool
               ) -> Iterator[Mistake]:
    statistic = FRAME_STATISTICS.get(key)
    if key in BY_COMPONENT and (key in POOLED or not is_pooled):
        yield Mistake(path, f'name the component: {key}.Y, or another of '
                            f'{", ".join(COMPONENTS)}')
    elif statistic is None:
        names = [name for name, row in FRAME_STATISTICS.items()
                 if (row.field in POOLED if is_pooled
                     else row.field not in ONLY_POOLED)]
        yield Mistake(path, 'no such statistic' + (
            suggest(key, names) or '; docs/policies.md has the list'))
    elif is_pooled and statistic.field not in POOLED:
        yield Mistake(path, 'not a statistic of the whole file; there are '
                      + ', '.join(f'{name}.Y' if name in BY_COMPONENT else name
                                  for name in POOLED))
    elif not is_pooled and statistic.field in ONLY_POOLED:
        yield Mistake(path, 'a statistic of the whole file; use '
                            f'[pooled.{key}]')
    elif is_of_zones and (statistic.field == statistic.key
                          and statistic.key.isupper()
                          or statistic.field == 'outside'
                          or statistic.flag in NOT_OF_ZONES):
        yield Mistake(path, 'not a statistic of zones; there are those with '
                            'the names of clframesum, such as mean.Y')


def _limits(key: str, rule: Dict[str, Any], path: Names) -> Iterator[Mistake]:
    statistic = FRAME_STATISTICS.get(key)
    low, high = rule.get('min'), rule.get('max')
    if low is None and high is None:
        yield Mistake(path, 'no limit; give min, max or both')
    if low is not None and high is not None and low > high:
        yield Mistake([*path, 'min'], f'{shown(low)} is above max, '
                                      f'{shown(high)}')
    if statistic is None:
        return
    for name in ('min', 'max'):
        limit = rule.get(name)
        if limit is not None and not (statistic.unit.least <= limit
                                      <= statistic.unit.greatest):
            yield Mistake([*path, name], f'{shown(limit)} is not allowed '
                          f'here; allowed is {statistic.unit.least:g} ' + (
                              f'to {statistic.unit.greatest:g}'
                              if math.isfinite(statistic.unit.greatest)
                              else 'or more') + f' ({statistic.unit.name})')
    if statistic.field == 'outside':
        if 'low' not in rule and 'high' not in rule:
            yield Mistake(path, 'which codes are allowed? give low, high or '
                                'both')
        elif rule.get('low', 0) > rule.get('high', 65535):
            yield Mistake([*path, 'low'], 'is above high')
    else:
        for name in {'low', 'high'} & rule.keys():
            yield Mistake([*path, name], 'is for the statistic outside only')


def names(content: Dict[str, Any]) -> Iterator[Mistake]:
    """Yields tables of frames, zones and pooled that are not statistics."""
    for table in ('frames', 'zones', 'pooled'):
        tables = content.get(table)
        for key in tables if isinstance(tables, dict) else ():
            yield from _statistic(key, [table, key], table == 'pooled',
                                  table == 'zones')


def limits(content: Dict[str, Any]) -> Iterator[Mistake]:
    """Yields mistakes in the tables frames, zones and pooled, which match the
    schema."""
    for table in ('frames', 'zones', 'pooled'):
        for key, rules in content.get(table, {}).items():
            for place, rule in enumerate(rules):
                yield from _limits(key, rule, [table, key, place])


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
