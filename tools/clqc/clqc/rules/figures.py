# SPDX-License-Identifier: LGPL-2.1-or-later
"""The statistics that a policy can limit: their names, in which field of a
line they are, and what their numbers are."""
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ..results import Json

COMPONENTS = 'YUVRGBA'


@dataclass(frozen=True)
class Unit:
    """What numbers are. A limit of 8 bits is multiplied by
    2^(power * (depth - 8)) at other depths."""
    name: str
    power: int = 0
    least: float = 0
    greatest: float = float('inf')


CODES = Unit('codes', 1)
SQUARES = Unit('squares of codes', 2)
SHARE = Unit('share', greatest=1)
DEGREES = Unit('degrees', greatest=360)
BITS = Unit('bits', greatest=16)


@dataclass(frozen=True)
class Figure:
    """A statistic of a frame."""
    key: str    # as policies call it: YMAX, mean.Y, outside.Y
    words: str  # for people: greatest luma
    unit: Unit
    flag: str   # that clframesum needs among its statistics
    field: str  # of the line
    component: Optional[str] = None  # of the arrays with an entry for each
    is_chroma: bool = False          # pictures without colour lack it

    def of(self, line: Json, prefix: str = '') -> Any:
        """The value in a line, or with the prefix `zone-` the list of values
        of the zones; None: the line has none."""
        value = line.get(prefix + self.field)
        if self.component is None or value is None:
            return value
        components: List[str] = line['components']
        if self.component not in components:
            return None
        return value[components.index(self.component)]


# Name of the field, name in signalstats, words, unit, flag.
_OF_COMPONENT = (
    ('mean', 'AVG', 'mean', CODES, 'moments'),
    ('variance', '', 'variance', SQUARES, 'moments'),
    ('stddev', '', 'standard deviation', CODES, 'moments'),
    ('min', 'MIN', 'least', CODES, 'range'),
    ('max', 'MAX', 'greatest', CODES, 'range'),
    ('low', 'LOW', '10 % percentile of', CODES, 'percentiles'),
    ('median', '', 'median of', CODES, 'percentiles'),
    ('high', 'HIGH', '90 % percentile of', CODES, 'percentiles'),
    ('mean-difference', 'DIF', 'difference to the frame before in', CODES,
     'temporal'),
    ('bit-depth', 'BITDEPTH', 'bits in use of', BITS, 'bit-depth'),
    ('outside', '', 'share of samples of', SHARE, 'histogram'))

_NAMES = {'Y': 'luma', 'U': 'chroma U', 'V': 'chroma V', 'R': 'red',
          'G': 'green', 'B': 'blue', 'A': 'alpha'}

_OF_FRAME = (
    ('saturation-min', 'SATMIN', 'least saturation', CODES, 'saturation'),
    ('saturation-low', 'SATLOW', '10 % percentile of saturation', CODES,
     'saturation'),
    ('saturation-mean', 'SATAVG', 'mean saturation', CODES, 'saturation'),
    ('saturation-high', 'SATHIGH', '90 % percentile of saturation', CODES,
     'saturation'),
    ('saturation-max', 'SATMAX', 'greatest saturation', CODES, 'saturation'),
    ('hue-mean', 'HUEAVG', 'mean hue', DEGREES, 'hue'),
    ('hue-median', 'HUEMED', 'median hue', DEGREES, 'hue'),
    ('hue-concentration', '', 'concentration of hues', SHARE, 'hue'),
    ('outliers', 'TOUT', 'share of samples that stand out (dropouts)', SHARE,
     'outliers'),
    ('repetition', 'VREP', 'share of repeated rows', SHARE, 'repetition'),
    ('gamut', 'BRNG', 'share of samples out of the broadcast range', SHARE,
     'gamut'))


def _make() -> Dict[str, Figure]:
    made = []
    for field, short, words, unit, flag in _OF_COMPONENT:
        for component in COMPONENTS:
            text = f'{words} {_NAMES[component]}'
            is_chroma = component in 'UV'
            made.append(Figure(f'{field}.{component}', text, unit, flag,
                               field, component, is_chroma))
            if short:
                key = component + short
                made.append(Figure(key, text, unit, flag, key,
                                   is_chroma=is_chroma))
    for field, short, words, unit, flag in _OF_FRAME:
        is_chroma = flag in ('saturation', 'hue')
        for key in filter(None, (field, short)):
            if key == 'gamut':
                words = 'share of samples out of the colour range'
            elif key == 'BRNG':
                words = 'share of samples out of the broadcast range'
            made.append(Figure(key, words, unit, flag, key,
                               is_chroma=is_chroma))
    return {figure.key: figure for figure in made}


FIGURES = _make()

# Those with an entry for each component: a policy has to say of which.
BY_COMPONENT = tuple(row[0] for row in _OF_COMPONENT)

# Those that all frames of a file have together.
POOLED = ('mean', 'variance', 'stddev', 'min', 'max', 'outside')


def scale(figure: Figure, depth: int, is_native: bool) -> float:
    """By what a limit is multiplied for frames of @depth bits."""
    if is_native:
        return 1.0
    return float(2.0 ** (figure.unit.power * (depth - 8)))


def outside(histogram: List[int], low: float, high: float) -> float:
    """The share of samples below the code @low or above @high. Each bin is a
    code."""
    total = sum(histogram)
    last = min(math.floor(min(high, len(histogram))), len(histogram) - 1)
    inside = sum(histogram[math.ceil(low):last + 1])
    return (total - inside) / total if total else 0.0
