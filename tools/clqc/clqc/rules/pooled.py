# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges rules about the statistics of all frames together."""
from typing import List, Optional

from ..results import Json, Reason
from . import figures, words
from .model import PooledRule
from .words import name, unknown


def _value(rule: PooledRule, pooled: Json) -> Optional[float]:
    figure = rule.figure
    value: Optional[float]
    if figure.field != 'outside':
        value = figure.of(pooled)
        return value
    components: List[str] = pooled['components']
    if figure.component not in components or 'histogram' not in pooled:
        return None
    times = 1.0 if rule.is_native else 2.0 ** (pooled['depth'] - 8)
    return figures.outside(
        pooled['histogram'][components.index(figure.component)],
        rule.low * times, rule.high * times)


def judge(rule: PooledRule, pooled: Json) -> List[Reason]:
    """Returns at most one reason."""
    value = _value(rule, pooled)
    if value is None:
        return unknown(rule, '+'.join(pooled['components']),
                       pooled['components'])
    scale = figures.scale(rule.figure, pooled['depth'], rule.is_native)
    for limit, sign, word in ((rule.minimum, 1, 'below'),
                              (rule.maximum, -1, 'above')):
        if limit is not None and sign * (value - limit * scale) < 0:
            unit = rule.figure.unit.name
            return [Reason(
                rule.name, rule.severity,
                f'In the whole file the {name(rule)} is '
                f'{words.number(value, unit)}, {word} '
                f'{words.number(limit * scale, unit)}.',
                value=value, limit=limit * scale)]
    return []
