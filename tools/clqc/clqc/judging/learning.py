# SPDX-License-Identifier: LGPL-2.1-or-later
"""Proposes a policy that files known to be good pass."""
import json
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy

from clqc.common.errors import ClqcError
from clqc.judging.rules import (completeness, container_values, events,
                                frame_columns, frames, wording)
from clqc.judging.rules.detectors import (GAP, PICTURE, PROPERTIES, SILENCE,
                                          WORDS)
from clqc.judging.rules.frame_statistics import FRAME_STATISTICS, Statistic
from clqc.judging.rules.model import FrameRule, Value
from clqc.judging.rules.schema import CONTAINER
from clqc.results.result_files import EVENTS, INTEGRITY, Json, Results

# The margins. Those of codes are in 8-bit codes.
CODES = 2
MEAN = 8
SHARE = (1.25, 0.001)  # factor and addend
SECONDS = 1.25         # times the longest

_BY_COMPONENT = ('MIN', 'MAX')
_OF_FRAME = ('SATMAX', 'BRNG', 'TOUT', 'VREP')
_DURING_NOTHING = ('black', 'white', 'single-color')
_TEXTS = [key for key in CONTAINER if key != 'duration']


@dataclass(frozen=True)
class _Extreme:
    """The least or the greatest value, and its place."""
    value: float
    folder: str
    frame: Optional[int]

    def where(self) -> str:
        """Returns the place for a comment."""
        if self.frame is None:
            return self.folder
        return f'frame {self.frame} of {self.folder}'


def _name(results: Results) -> str:
    name = os.path.basename(os.path.normpath(results.folder))
    return ''.join(letter if letter.isprintable() else '?' for letter in name)


def _settings(folders: Sequence[Results]) -> Json:
    """Returns the settings with which the events of all files were detected.
    """
    found: Json = {}
    for place, results in enumerate(folders):
        stored = results.read(EVENTS)
        settings = {**stored['settings'], **stored['audio']}
        if place == 0:
            found = settings
        for name in sorted(found.keys() | settings.keys()):
            if str(found.get(name)) != str(settings.get(name)):
                raise ClqcError(
                    f'{results.folder}: {name} was {settings.get(name)}, and '
                    f'{found.get(name)} in {folders[0].folder}; apply one '
                    'policy to all by clqc judge')
    return found


def _rule(key: str) -> FrameRule:
    return FrameRule('', 'error', FRAME_STATISTICS[key], None, None, False, 0,
                     float('inf'), 0, 0, (), False)


def _extremes(folders: Sequence[Results], keys: Sequence[str],
              exempt: Dict[str, List[str]]
              ) -> Dict[str, Tuple[_Extreme, _Extreme]]:
    """Returns the extremes, in 8-bit codes, except during events of the kinds
    that @exempt has for a key. Statistics that a file lacks are left out."""
    rules = [_rule(key) for key in keys]
    found: Dict[str, Tuple[_Extreme, _Extreme]] = {}
    missing: Set[str] = set()
    for results in folders:
        table = frame_columns.read(results, rules, 0)
        found_events = events.Found(results.events())
        for nth, rule in enumerate(rules):
            key = rule.statistic.key
            scale = 2.0 ** (rule.statistic.unit.power * (table.depth - 8))
            scaled = table.greatest[nth] / scale
            if numpy.all(numpy.isnan(scaled)):
                missing.add(key)
                continue
            scaled[frames.exempt_frames(
                table, found_events.all(exempt.get(key, ())))] = numpy.nan
            if numpy.all(numpy.isnan(scaled)):
                continue
            ends = [_Extreme(float(scaled[place]), _name(results),
                             int(table.number[place]))
                    for place in (numpy.nanargmin(scaled),
                                  numpy.nanargmax(scaled))]
            low, high = found.get(key, (ends[0], ends[1]))
            found[key] = (
                ends[0] if ends[0].value < low.value else low,
                ends[1] if ends[1].value > high.value else high)
    return {key: found[key] for key in keys
            if key in found and key not in missing}


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f'{value:.10g}'


def _share_limit(greatest: float) -> float:
    """Returns the limit of a share, rounded up to four places."""
    return min(1.0, math.ceil((greatest * SHARE[0] + SHARE[1]) * 1e4 - 1e-6)
               / 1e4)


def _codes_rule(key: str, statistic: Statistic, low: _Extreme, high: _Extreme
                ) -> List[str]:
    is_low = key.endswith('MIN')
    extreme = low if is_low else high
    end = 'least' if is_low else 'greatest'
    comment = [f'# {wording.capitalised(statistic.words)}: the {end} is '
               f'{_number(extreme.value)}, in {extreme.where()}.']
    limit = (math.floor(extreme.value) - CODES if is_low
             else math.ceil(extreme.value) + CODES)
    if not 0 < limit < 255:
        return comment + ['# Good files use all codes: there is no limit.']
    return comment + [f'[frames.{key}]',
                      f'{"min" if is_low else "max"} = {limit}']


def _frame_rules(folders: Sequence[Results], chosen: Sequence[str]
                 ) -> List[List[str]]:
    keys = [component + end for component in 'YUVRGBA'
            for end in _BY_COMPONENT]
    kinds = [kind for kind in _DURING_NOTHING if kind in chosen]
    found = _extremes(folders, [*keys, *_OF_FRAME], {'VREP': kinds})
    rules = []
    for key, (low, high) in found.items():
        statistic = FRAME_STATISTICS[key]
        if statistic.unit.name == 'codes':
            rules.append(_codes_rule(key, statistic, low, high))
            continue
        rule = [f'# {wording.capitalised(statistic.words)}: the '
                f'greatest is {high.value:.6g}, in {high.where()}.',
                f'[frames.{key}]',
                f'max = {_number(_share_limit(high.value))}']
        if key == 'VREP' and kinds:
            rule.append(f'except = {json.dumps(kinds)}')
        rules.append(rule)
    return rules


def _pooled_rules(folders: Sequence[Results]) -> List[List[str]]:
    rules = []
    for component in 'YRGB':
        statistic = FRAME_STATISTICS[f'mean.{component}']
        found = []
        for results in folders:
            pooled = results.pooled()
            value = statistic.of(pooled)
            if value is not None:
                found.append(_Extreme(value / 2 ** (pooled['depth'] - 8),
                                      _name(results), None))
        if len(found) != len(folders):
            continue
        low = min(found, key=lambda end: end.value)
        high = max(found, key=lambda end: end.value)
        rules.append([
            f'# Mean {FRAME_STATISTICS["mean." + component].words[5:]} of a '
            'whole file: '
            f'{low.value:.6g} in {low.where()} to '
            f'{high.value:.6g} in {high.where()}.',
            f'[pooled.mean.{component}]',
            f'min = {max(0, math.floor(low.value) - MEAN)}',
            f'max = {min(255, math.ceil(high.value) + MEAN)}'])
    return rules


def _event_rules(folders: Sequence[Results], kinds: Sequence[str]
                 ) -> List[List[str]]:
    rules = []
    for kind in kinds:
        if kind == 'scene':
            continue
        counts = []
        longest = _Extreme(0, '', None)
        for results in folders:
            found = [event for event in results.events()
                     if event.kind == kind]
            counts.append(len(found))
            for event in found:
                if event.duration > longest.value:
                    longest = _Extreme(event.duration, _name(results),
                                       event.start_frame)
        several = WORDS[kind][1]
        if not any(counts):
            rules.append([f'# No good file has {several}.',
                          f'[events.{kind}]', 'max-count = 0'])
            continue
        limit = math.ceil(longest.value / 1e9 * SECONDS * 10) / 10
        rules.append([
            f'# {wording.capitalised(several)}: at most {max(counts)} in a '
            f'file; the longest is {longest.value / 1e9:.6g} s, in '
            f'{longest.where()}.',
            f'[events.{kind}]', f'max-count = {max(counts)}',
            f'max-duration = {_number(limit)}'])
    return rules


def _whole_rules(folders: Sequence[Results]) -> List[List[str]]:
    """Yields the limits of decode errors and of missing parts."""
    contents = [results.read(INTEGRITY) for results in folders]
    rules = []
    for table, rows in completeness.TABLES.items():
        lines = [f'[{table}]']
        for row in rows:
            worst = max(row.find(content)[0] for content in contents)
            if row.unit == 'seconds':
                worst = max(math.ceil(worst * SECONDS * 10), 1) / 10
            lines.append(f'{row.key} = {_number(worst)}')
        rules.append(lines)
    return rules


def _container_value(value: Value) -> str:
    if isinstance(value, Fraction):
        return (str(value) if value.denominator == 1
                else f'"{value.numerator}/{value.denominator}"')
    if isinstance(value, str):
        # Escapes the wildcards of a pattern.
        escaped = ''.join(f'[{letter}]' if letter in '*?[' else letter
                          for letter in value)
        return json.dumps(escaped, ensure_ascii=False)
    return _number(value)


def _container_rules(folders: Sequence[Results]) -> List[str]:
    rules = []
    all_facts = [results.facts() for results in folders]
    for key in _TEXTS:
        found: Set[Value] = set()
        is_known = True
        for facts in all_facts:
            for value in container_values.found(facts, key):
                is_known = is_known and value is not None
                if value is not None:
                    found.add(value)
        if not found:
            continue
        order: Callable[[Any], Any] = (
            str if any(isinstance(value, str) for value in found) else float)
        lines = [_container_value(value) for value in sorted(found, key=order)]
        if not is_known:
            if CONTAINER[key] != 'text':
                continue
            lines.append('"unknown"')
        rules.append(f'{key} = ' + (lines[0] if len(lines) == 1
                                    else f'[{", ".join(lines)}]'))
    return ['[container]', *rules] if rules else []


def _measure(settings: Json, kinds: Sequence[str]) -> List[str]:
    lines = ['[measure]', f'events = {json.dumps(list(kinds))}']
    for name, row in PROPERTIES.items():
        value = settings.get(name)
        if value is None or row.event not in kinds:
            continue
        number = float(value) / (1e9 if row.unit == 'seconds' else 1)
        if number != row.default:
            lines.append(f'{name} = {_number(number)}')
    if 'significant-bits' in settings:
        lines.append(f'significant-bits = {settings["significant-bits"]}')
    level, duration = (float(settings[name]) for name in (
        'silence-level', 'silence-duration'))
    return [*lines, '', '[audio]', f'silence-level = {_number(level)}',
            f'silence-duration = {_number(duration / 1e9)}']


def learn(folders: List[Results]) -> str:
    """Returns the text of a policy with limits that all files in @folders
    keep, with a margin. The order of @folders does not matter. Raises
    ClqcError if their events were detected with different settings, or if one
    has no frames."""
    if not folders:
        raise ClqcError('there are no files to learn from')
    folders = sorted(folders, key=lambda results: results.folder)
    for results in folders:
        if not results.pooled().get('frames'):
            raise ClqcError(f'{results.folder}: no frame was measured')
    settings = _settings(folders)
    kinds = [kind for kind in PICTURE
             if kind in settings['events'].split('+')]
    sounds = [SILENCE] if any(results.facts().get('audio')
                              for results in folders) else []
    number = len(folders)
    files = 'one good file' if number == 1 else f'{number} good files'
    head = [f'# Learnt from {files}.',
            f'# Margins: {CODES} codes of 8 bits; shares times {SHARE[0]} '
            f'and {SHARE[1]} more; durations',
            f'# times {SECONDS}; the mean of a file {MEAN} codes.',
            'name = "learnt"',
            f'description = "Limits learnt from {files}"']
    blocks = [head, _measure(settings, kinds), _container_rules(folders),
              *_frame_rules(folders, kinds), *_pooled_rules(folders),
              *_event_rules(folders, [*kinds, *sounds, GAP]),
              *_whole_rules(folders)]
    return '\n\n'.join('\n'.join(block) for block in blocks if block) + '\n'
