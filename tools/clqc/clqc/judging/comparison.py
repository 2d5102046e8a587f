# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the results of a comparison say: which file is better, and which is
worse than a limit allows."""
import math
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from clqc.results.compared import METRICS, Compared, Metric

# Names of the limits, each a property of clcompare and an option.
LIMITS = (*(f'min-{metric.name}' for metric in METRICS), 'max-difference')


@dataclass
class Judgement:
    """What follows from the results, in sentences."""
    verdict: str
    failures: List[List[str]]  # of each file
    notes: List[str] = field(default_factory=list)


def _rounded(files: Sequence[Compared], metric: Metric
             ) -> Optional[List[float]]:
    """Returns the value of each file as people see it; None if one has none.
    Differences that rounding hides decide nothing."""
    found = [file.whole(metric) for file in files]
    if None in found:
        return None
    return [math.inf if value is None or math.isinf(value)
            else round(value, metric.digits) for value in found]


def _named(metric: Metric, values: Sequence[float], order: Sequence[int]
           ) -> str:
    texts = [metric.text(values[at]) for at in order]
    unit = f' {metric.unit}' if metric.unit and texts[0] != 'equal' else ''
    return f'{metric.title} {texts[0]}{unit}' + (
        f' against {", ".join(texts[1:])}' if len(texts) > 1 else '')


def _list(parts: Sequence[str]) -> str:
    return ' and '.join(filter(None, [', '.join(parts[:-1]), parts[-1]]))


def _single(name: str, file: Compared) -> str:
    measured = {metric: values for metric in METRICS
                if (values := _rounded([file], metric))}
    if not file.pooled or not measured:
        return f'{name} was not measured.'
    pooled = file.pooled[-1]
    if pooled.get('different-frames') == 0:
        is_whole = not (pooled.get('unpaired-frames')
                        or pooled.get('unpaired-reference-frames'))
        return f'{name} is equal to the reference in all frames' + (
            '.' if is_whole else ' that have a partner.')
    return f'{name}: ' + ', '.join(
        _named(metric, values, [0]) for metric, values in measured.items()
    ) + '.'


def verdict(names: Sequence[str], files: Sequence[Compared]) -> str:
    """Returns in one sentence which file is best, and by which metrics, or
    that the metrics disagree."""
    if len(files) == 1:
        return _single(names[0], files[0])
    measured = {metric: values for metric in METRICS
                if (values := _rounded(files, metric))}
    best: Dict[Metric, List[int]] = {
        metric: [at for at, value in enumerate(values)
                 if value == max(values)]
        for metric, values in measured.items()}
    common = [at for at in range(len(files))
              if all(at in winners for winners in best.values())]
    if not measured:
        return 'No metric was measured for all files.'
    if len(common) == len(files):
        return (f'{_list(names)} are equally good: '
                + ', '.join(_named(metric, values, [0])
                            for metric, values in measured.items()) + '.')
    if not common:
        return 'The metrics disagree: ' + '; '.join(
            _of_winner(names, metric, measured[metric], winners)
            for metric, winners in best.items()) + '.'
    rest = [at for at in range(len(files)) if at not in common]
    first = next(iter(measured.values()))
    rest.sort(key=lambda at: -first[at])
    how = 'better' if len(files) == 2 else 'best'
    against = (f' than {names[rest[0]]}' if len(files) == 2 else
               f', before {_list([names[at] for at in rest])}')
    verb = 'is' if len(common) == 1 else 'are'
    return (f'{_list([names[at] for at in common])} {verb} {how}{against}: '
            + '; '.join(_named(metric, values, [common[0], *rest])
                        for metric, values in measured.items()) + '.')


def _of_winner(names: Sequence[str], metric: Metric, values: Sequence[float],
               winners: Sequence[int]) -> str:
    if len(winners) == len(names):
        return f'by {metric.title} all are equal ' \
            f'({metric.text(values[winners[0]])})'
    rest = sorted((at for at in range(len(names)) if at not in winners),
                  key=lambda at: -values[at])
    verb = 'is' if len(winners) == 1 else 'are'
    return (f'{_list([names[at] for at in winners])} {verb} best by '
            + _named(metric, values, [winners[0], *rest]))


def in_worst_frames(names: Sequence[str], files: Sequence[Compared]
                    ) -> Optional[str]:
    """Returns a sentence if the worst hundredth of the frames says something
    else than the values of the whole files."""
    others = []
    for metric in METRICS:
        whole = _rounded(files, metric)
        low = [file.of(metric, 'p1') for file in files]
        if not whole or None in low or len(files) < 2:
            continue
        rounded = [round(value, metric.digits) if value is not None
                   and math.isfinite(value) else math.inf for value in low]
        best = whole.index(max(whole))
        best_low = rounded.index(max(rounded))
        if rounded[best] < rounded[best_low] and (
                whole[best] > whole[best_low]):
            rest = sorted((at for at in range(len(files)) if at != best_low),
                          key=lambda at: -rounded[at])
            others.append(f'{names[best_low]} is best by '
                          + _named(metric, rounded, [best_low, *rest]))
    return ('In the worst hundredth of the frames (p1) it is otherwise: '
            + '; '.join(others) + '.') if others else None


def _value(file: Compared, limit: str) -> Tuple[Optional[float], str]:
    """Returns what a limit is compared with, and a text; None: why."""
    if limit == 'max-difference':
        values = file.pooled[-1].get('max-difference') if file.pooled else None
        return (float(max(values)), f'largest difference {max(values)}') if (
            values) else (None, '')
    metric = next(metric for metric in METRICS
                  if limit == f'min-{metric.name}')
    value = file.whole(metric)
    if value is None:
        is_small = file.pooled and metric.whole in file.pooled[-1]
        return None, (': frames of less than 8 x 8 samples have no '
                      f'{metric.title}' if is_small else '')
    unit = f' {metric.unit}' if metric.unit else ''
    return value, f'{metric.title} {metric.text(value)}{unit}'


def failures(name: str, file: Compared, limits: Dict[str, float]
             ) -> List[str]:
    """Returns a sentence for each limit that the file as a whole violates."""
    found = []
    for limit, threshold in limits.items():
        value, text = _value(file, limit)
        is_least = limit.startswith('min-')
        if value is None:
            found.append(f'{name} fails: there is nothing to compare with '
                         f'--{limit} {threshold:g}{text}.')
        elif value < threshold if is_least else value > threshold:
            found.append(f'{name} fails: {text} is '
                         f'{"less" if is_least else "more"} than '
                         f'{threshold:g}.')
    return found
