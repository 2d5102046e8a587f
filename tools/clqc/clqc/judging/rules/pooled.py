# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges rules about the statistics of all frames together."""
from typing import List, Optional

from clqc.judging.rules import frame_statistics, wording
from clqc.judging.rules.model import PooledRule
from clqc.judging.rules.wording import name, unknown
from clqc.results.result_files import Json, Reason


def _value(rule: PooledRule, pooled: Json) -> Optional[float]:
    statistic = rule.statistic
    value: Optional[float]
    if statistic.field != 'outside':
        value = statistic.of(pooled)
        return value
    components: List[str] = pooled['components']
    if statistic.component not in components or 'histogram' not in pooled:
        return None
    times = 1.0 if rule.is_native else 2.0 ** (pooled['depth'] - 8)
    return frame_statistics.outside(
        pooled['histogram'][components.index(statistic.component)],
        rule.low * times, rule.high * times)


def judge(rule: PooledRule, pooled: Json) -> List[Reason]:
    """Returns at most one reason."""
    value = _value(rule, pooled)
    if value is None:
        return unknown(rule, '+'.join(pooled['components']),
                       pooled['components'])
    scale = frame_statistics.scale(rule.statistic, pooled['depth'],
                                   rule.is_native)
    for limit, sign, word in ((rule.minimum, 1, 'below'),
                              (rule.maximum, -1, 'above')):
        if limit is not None and sign * (value - limit * scale) < 0:
            unit = rule.statistic.unit.name
            return [Reason(
                rule.name, rule.severity,
                f'In the whole file the {name(rule)} is '
                f'{wording.number(value, unit)}, {word} '
                f'{wording.number(limit * scale, unit)}.',
                value=value, limit=limit * scale)]
    return []
