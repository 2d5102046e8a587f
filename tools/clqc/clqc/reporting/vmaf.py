# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes values of clcompare in the layout of libvmaf's JSON logs, which
other tools read."""
import json
import math
from typing import Any, Dict, Iterable, Iterator, List, Optional

from clqc import __version__
from clqc.common import files
from clqc.results.compared import value_of
from clqc.results.result_files import Json

# libvmaf's names of components; others keep theirs.
_COMPONENTS = {'U': 'cb', 'V': 'cr'}


def _most(depth: int) -> float:
    """Returns the limit of libvmaf's psnr_y in dB. Equal frames have it."""
    return 6.0 * depth + 12


def _metrics(row: Json) -> Iterator[Any]:
    """Yields names and values of a frame."""
    most = _most(row['depth'])
    for field in 'psnr', 'xpsnr':
        for component, value in zip(row['components'], row.get(field, [])):
            name = _COMPONENTS.get(component, component.lower())
            yield f'{field}_{name}', min(math.inf if value is None else value,
                                         most)
    ssim = value_of(row, 'ssim-all')
    if ssim is not None:
        yield 'ssim', ssim


def _pooled(values: List[float]) -> Dict[str, float]:
    n = len(values)
    pooled = {'min': min(values), 'max': max(values),
              'mean': math.fsum(values) / n}
    if pooled['min'] > -1:  # XPSNR may be less: there is no harmonic mean
        pooled['harmonic_mean'] = n / math.fsum(1 / (1 + value)
                                                for value in values) - 1
    return pooled


def log(lines: Iterable[str], pad: str, rate: Optional[List[int]]) -> Json:
    """Returns the log of the file at a pad. @rate: of the reference."""
    frames: List[Json] = []
    series: Dict[str, List[float]] = {}
    for line in lines:
        row = json.loads(line)
        if row['type'] != 'frame' or row['pad'] != pad:
            continue
        metrics = {name: round(value, 6) for name, value in _metrics(row)}
        frames.append({'frameNum': row['frame'], 'metrics': metrics})
        for name, value in metrics.items():
            series.setdefault(name, []).append(value)
    return {'version': f'clqc {__version__}',
            'fps': round(rate[0] / rate[1], 6) if rate and rate[1] else 0,
            'frames': frames,
            'pooled_metrics': {name: {
                key: round(value, 6) for key, value in _pooled(values).items()
            } for name, values in series.items()},
            'aggregate_metrics': {}}


def write(path: str, content: Json) -> None:
    """Replaces the log atomically."""
    with files.replacing(path) as file:
        json.dump(content, file, indent=1)
        file.write('\n')
