# SPDX-License-Identifier: LGPL-2.1-or-later
"""Policies: the limits for a file, read from TOML (docs/policies.md)."""
import hashlib
import json
import os
import tomllib
from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from clqc.common.errors import ClqcError
from clqc.judging.rules import checks, completeness, toml_lines
from clqc.judging.rules.container_values import value_of
from clqc.judging.rules.detectors import (OF_FRAMES_BEFORE, OF_ZONES,
                                          PROPERTIES, SILENCE_DURATION,
                                          SILENCE_LEVEL, STATISTICS,
                                          ZONES_WITH_HISTOGRAMS, nanoseconds)
from clqc.judging.rules.frame_statistics import FRAME_STATISTICS
from clqc.judging.rules.model import (CompletenessRule, ContainerRule,
                                      EventRule, FrameRule, Live, PooledRule,
                                      StreamRule)

DEFAULT = 'default'
_SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        'policies')


@dataclass(frozen=True)
class Policy:
    """A valid policy."""
    name: str
    description: str
    hash: str  # hexadecimal, of the content without its comments; if
    # card_files.load_policy() has made it, also of the card file
    measure: Dict[str, str]  # properties of clframesum for events
    audio: Dict[str, float]  # silence-level in dB, silence-duration in ns
    frames: List[FrameRule] = field(default_factory=list)  # and zones
    pooled: List[PooledRule] = field(default_factory=list)
    events: List[EventRule] = field(default_factory=list)
    container: List[ContainerRule] = field(default_factory=list)
    completeness: List[CompletenessRule] = field(default_factory=list)
    stream: List[StreamRule] = field(default_factory=list)
    live: Live = Live()
    named: FrozenSet[str] = frozenset()  # keys in its [measure]

    def most_parts(self, n_parts: int) -> int:
        """Returns in how many parts a file is measured, at most @n_parts.
        Zones with events have references of their own, and flashes depend on
        five seconds of frames before. Both can be older than any cut, so that
        parts cannot be joined."""
        is_older = ('zone-events' in self.measure
                    or self.statistics() & {*OF_FRAMES_BEFORE})
        return 1 if is_older else n_parts

    def statistics(self) -> Set[str]:
        """Returns the statistics of clframesum that events and rules need."""
        events = self.measure['events'].split('+')
        return {*(name for event, (name, _) in STATISTICS.items()
                  if event in events),
                *(rule.statistic.flag
                  for rule in (*self.frames, *self.pooled))}


def shipped() -> List[str]:
    """Returns the names of the policies that come with clqc."""
    return sorted(name.removesuffix('.toml') for name in os.listdir(_SHIPPED)
                  if name.endswith('.toml'))


def _find(name_or_path: str) -> str:
    if os.sep in name_or_path or name_or_path.endswith('.toml'):
        return name_or_path
    if name_or_path in shipped():
        return os.path.join(_SHIPPED, f'{name_or_path}.toml')
    if os.path.isfile(name_or_path):
        return name_or_path
    raise ClqcError(f'{name_or_path}: no such policy; give a file or one of '
                    + ', '.join(shipped()))


def read_text(path: str) -> str:
    """Reads a file that a user has written. Raises ClqcError with its name."""
    try:
        with open(path, 'rb') as file:
            data = file.read()
    except OSError as error:
        raise ClqcError(f'{path}: {error.strerror}') from error
    try:
        return data.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        line = data[:error.start].count(b'\n') + 1
        raise ClqcError(f'{path}, line {line}: not UTF-8') from error


def parse_toml(text: str, where: str) -> Dict[str, Any]:
    """Parses TOML. Raises ClqcError with the line, if it is known, and with
    the file name @where."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rstrip(')').rpartition(' (at ')
        if place.startswith('line '):
            line = place.split(',')[0]
        else:
            line = f'line {max(1, len(text.splitlines()))}'
        raise ClqcError(f'{where}, {line}: not TOML: '
                        f'{message or error}') from error
    except (RecursionError, ValueError) as error:  # tomllib's own limits
        what = ('a number with too many digits'
                if isinstance(error, ValueError) else 'too many brackets')
        raise ClqcError(f'{where}: {what}') from error


def _line(lines: Dict[str, int], mistake: checks.Mistake) -> int:
    """Returns the line of the key, or of its table; 1 if neither is in the
    text."""
    path: List[Any] = list(mistake.path)
    while path:
        for names in (path, [part for part in path if isinstance(part, str)]):
            number = lines.get('.'.join(map(str, names)))
            if number:
                return number
        path.pop()
    return 1


def _check(content: Dict[str, Any], text: str, where: str) -> None:
    mistakes = list(checks.finite(content))
    if not mistakes:
        mistakes = list(checks.names(content))
        unknown = [tuple(mistake.path) for mistake in mistakes]
        # Mistakes within a table of an unknown statistic are not reported.
        mistakes += [mistake for mistake in checks.form(content)
                     if tuple(mistake.path[:2]) not in unknown]
    if not mistakes:
        mistakes = [*checks.limits(content), *checks.events(content),
                    *checks.container(content),
                    *checks.streams(content)]
    refuse(mistakes, text, where)


def refuse(mistakes: Sequence[checks.Mistake], text: str, where: str) -> None:
    """Raises ClqcError with a line for each mistake in a text, if there are
    any."""
    if mistakes:
        lines = toml_lines.find(text)
        found = [(_line(lines, mistake), f'{mistake.key}: {mistake.message}')
                 for mistake in mistakes]
        raise ClqcError('\n'.join(f'{where}, line {line}: {message}'
                                  for line, message in sorted(set(found))))


def _measure(content: Dict[str, Any], where: str) -> Dict[str, str]:
    """@where: path of the policy, beside which the card file is."""
    measured = content.get('measure', {})
    events = checks.chosen(content)
    measure = {'events': '+'.join(events) or '0'}
    for name, row in PROPERTIES.items():
        if row.event in events:
            measure[name] = row.text(measured.get(name, row.default))
    if 'card' in events and 'card-file' in measured:
        measure['card-file'] = os.path.abspath(os.path.join(
            os.path.dirname(where), measured['card-file']))
    if 'significant-bits' in measured:
        measure['significant-bits'] = str(
            int(measured['significant-bits']))
    if checks.zones(measured) > 1:
        for name in 'grid-columns', 'grid-rows':
            measure[name] = str(int(measured.get(name, 1)))
        ruled = content.get('zone-events', {})
        measure['region-histograms'] = str(any(
            kind in ruled for kind in ZONES_WITH_HISTOGRAMS)).lower()
        if ruled:
            measure['zone-events'] = '+'.join(
                kind for kind in OF_ZONES if kind in ruled)
    return measure


def _time(rule: Dict[str, Any], key: str) -> Optional[int]:
    return nanoseconds(rule[key]) if key in rule else None


def _limits(table: str, key: str, rule: Dict[str, Any]) -> Dict[str, Any]:
    return {'name': f'{table}.{key}',
            'severity': rule.get('severity', 'error'),
            'statistic': FRAME_STATISTICS[key],
            'minimum': rule.get('min'), 'maximum': rule.get('max'),
            'is_native': rule.get('codes') == 'native',
            'low': rule.get('low', 0),
            'high': rule.get('high', float('inf'))}


def _frame(table: str, key: str, rule: Dict[str, Any]) -> FrameRule:
    return FrameRule(**_limits(table, key, rule),
                     share=rule.get('share', 0),
                     duration=_time(rule, 'for') or 0,
                     exempt=tuple(rule.get('except', ())),
                     is_of_zones=table == 'zones')


def _event(table: str, kind: str, rule: Dict[str, Any], n_columns: int
           ) -> EventRule:
    return EventRule(
        name=f'{table}.{kind}', severity=rule.get('severity', 'error'),
        kind=kind, place=rule.get('at', 'anywhere'),
        min_duration=_time(rule, 'min-duration') or 0,
        exempt=tuple(rule.get('except', ())),
        max_count=rule.get('max-count'),
        max_duration=_time(rule, 'max-duration'),
        max_total=_time(rule, 'max-total'), max_share=rule.get('max-share'),
        zone_columns=n_columns if table == 'zone-events' else 0)


def _container(key: str, value: Any, severity: str) -> ContainerRule:
    rule = value if isinstance(value, dict) else {'allowed': value}
    allowed = rule.get('allowed')
    if allowed is not None and not isinstance(allowed, list):
        allowed = [allowed]
    return ContainerRule(
        name=f'container.{key}', severity=rule.get('severity', severity),
        key=key, allowed=None if allowed is None else tuple(
            value_of(key, value) for value in allowed),
        minimum=value_of(key, rule['min']) if 'min' in rule else None,
        maximum=value_of(key, rule['max']) if 'max' in rule else None)


def _whole(table: str, entry: Dict[str, Any]) -> List[CompletenessRule]:
    severity = entry.get('severity', 'error')
    return [CompletenessRule(f'{table}.{row.key}', severity, entry[row.key])
            for row in completeness.TABLES[table] if row.key in entry]


def _stream(key: str, rule: Dict[str, Any]) -> StreamRule:
    return StreamRule(f'stream.{key}', rule.get('severity', 'error'), key,
                      rule.get('max-count'), rule.get('max-share'),
                      rule.get('min-count', 0))


def _live(entry: Dict[str, Any]) -> Live:
    usual = Live()
    window, loss = _time(entry, 'window'), _time(entry, 'signal-loss-timeout')
    return Live(entry.get('unhealthy-after', usual.unhealthy_after),
                entry.get('healthy-after', usual.healthy_after),
                usual.window if window is None else window,
                usual.signal_loss if loss is None else loss)


def _rules(content: Dict[str, Any], table: str
           ) -> List[Tuple[str, Dict[str, Any]]]:
    return [(key, rule) for key, rules in content.get(table, {}).items()
            for rule in rules]


def parse(text: str, where: str, name: str = '') -> Policy:
    """Parses the text of a policy. Raises ClqcError with a line for each
    mistake, which begins with @where."""
    content = parse_toml(text, where)
    for table in ('frames', 'zones', 'pooled'):
        if table in content:
            content[table] = checks.named(content[table])
    for table in ('events', 'zone-events', 'stream'):
        if isinstance(content.get(table), dict):
            content[table] = {kind: checks.listed(rules) for kind, rules
                              in content[table].items()}
    _check(content, text, where)

    audio = content.get('audio', {})
    container = dict(content.get('container', {}))
    severity = container.pop('severity', 'error')
    canonical = json.dumps(content, sort_keys=True)
    return Policy(
        name=content.get('name', name),
        description=content.get('description', ''),
        hash=hashlib.sha256(canonical.encode()).hexdigest(),
        measure=_measure(content, where),
        audio={'silence-level': float(
                   audio.get('silence-level', SILENCE_LEVEL)),
               'silence-duration': nanoseconds(
                   audio.get('silence-duration', SILENCE_DURATION))},
        frames=[_frame(table, key, rule) for table in ('frames', 'zones')
                for key, rule in _rules(content, table)],
        pooled=[PooledRule(**_limits('pooled', key, rule))
                for key, rule in _rules(content, 'pooled')],
        events=[_event(table, kind, rule,
                       int(content.get('measure', {}).get('grid-columns', 1)))
                for table in ('events', 'zone-events')
                for kind, rule in _rules(content, table)],
        container=[_container(key, value, severity)
                   for key, value in container.items()],
        completeness=[rule for table in completeness.TABLES
                      for rule in _whole(table, content.get(table, {}))],
        stream=[_stream(key, rule)
                for key, rule in _rules(content, 'stream')],
        live=_live(content.get('live', {})),
        named=frozenset(content.get('measure', {})))


def load(name_or_path: str = DEFAULT) -> Policy:
    """Loads a shipped policy by its name, or a policy from a file. Raises
    ClqcError with a line for each mistake: file, line, key, what is allowed.
    """
    path = _find(name_or_path)
    stem = os.path.basename(path).removesuffix('.toml')
    return parse(read_text(path), path, stem)
