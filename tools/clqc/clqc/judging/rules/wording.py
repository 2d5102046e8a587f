# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formats times and numbers for sentences."""
from typing import List, Sequence

from clqc.judging.rules.model import StatisticRule
from clqc.results.result_files import Reason

# Maximum number of places that a rule names; a last reason counts the others.
MOST = 50


def time(nanoseconds: int) -> str:
    """Returns a time as hours, minutes, seconds."""
    milliseconds = round(nanoseconds / 1e6)
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02}:{seconds:02}.{milliseconds:03}'


def seconds(nanoseconds: int) -> str:
    """Returns a duration in seconds: from 10 s on with one decimal, from 1 ms
    on rounded to milliseconds without trailing zeros, else with four
    significant digits."""
    if nanoseconds >= 1e10:
        return f'{nanoseconds / 1e9:.1f} s'
    if nanoseconds >= 1e6:
        return f'{round(nanoseconds / 1e6) / 1e3:g} s'
    return f'{nanoseconds / 1e9:.4g} s'


def number(value: float, unit: str) -> str:
    """Returns a number with its unit: shares as percent, hues in degrees,
    light in cd/m2."""
    if unit == 'share':
        return f'{value * 100:.4g} %'
    if unit == 'degrees':
        return f'{value:.4g} degrees'
    if unit == 'cd/m2':
        return f'{value:.6g} cd/m2'
    return f'{value:.6g}'


def count(n: int, one: str, several: str) -> str:
    """Returns 1 frame, 2 frames."""
    return f'{n} {one if n == 1 else several}'


def zone(number: int, n_columns: int) -> str:
    """Returns the place of a zone, which is counted row by row."""
    row, column = divmod(number, n_columns)
    return f' in zone column {column}, row {row}'


def capitalised(sentence: str) -> str:
    """Returns a text with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]


def worst(values: Sequence[float]) -> List[int]:
    """Returns the indices of the greatest values, at most MOST, ascending. If
    not all values that equal the smallest of them fit, chooses evenly spaced
    ones."""
    if len(values) <= MOST:
        return list(range(len(values)))
    least = sorted(values, reverse=True)[MOST - 1]
    equal = [place for place, value in enumerate(values) if value == least]
    found = [place for place, value in enumerate(values) if value > least]
    left = MOST - len(found)
    found += [equal[n * len(equal) // left] for n in range(left)]
    return sorted(found)


def more(rule: str, severity: str, n: int, what: str) -> List[Reason]:
    """Returns a reason for @n omitted places, if there are any."""
    if n <= 0:
        return []
    return [Reason(rule, severity, f'There are {n} more places where {what}; '
                                   'the worst are listed.')]


def name(rule: StatisticRule) -> str:
    """Returns the name of a statistic for people, with its key in the policy.
    """
    statistic = rule.statistic
    if statistic.field != 'outside':
        return f'{statistic.words} ({statistic.key})'
    if rule.low > 0 and rule.high < float('inf'):
        codes = f'outside {rule.low:g} to {rule.high:g}'
    elif rule.low > 0:
        codes = f'below {rule.low:g}'
    else:
        codes = f'above {rule.high:g}'
    return f'{statistic.words} {codes} ({statistic.key})'


def unknown(rule: StatisticRule, form: str, components: Sequence[str]
            ) -> List[Reason]:
    """Returns the reason for a statistic that the frames do not have. Pictures
    without colour pass limits of colour."""
    if rule.statistic.is_chroma and 'Y' in components and (
            'U' not in components):
        return []
    return [Reason(rule.name, rule.severity,
                   f'The {name(rule)} cannot be judged: the pictures are '
                   f'{form}, and were measured without it.')]
