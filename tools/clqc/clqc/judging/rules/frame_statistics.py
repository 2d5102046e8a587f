# SPDX-License-Identifier: LGPL-2.1-or-later
"""The statistics that a policy can limit: their names, their fields in a line,
and their units."""
import math
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from clqc.results.fields import FIELDS, Field
from clqc.results.result_files import Json

COMPONENTS = 'YUVRGBA'


@dataclass(frozen=True)
class Unit:
    """A unit of numbers. A limit in 8-bit codes is multiplied by 2^(power *
    (depth - 8)) at other depths."""
    name: str
    power: int = 0
    least: float = 0
    greatest: float = float('inf')


CODES = Unit('codes', 1)
SQUARES = Unit('squares of codes', 2)
SHARE = Unit('share', greatest=1)
DEGREES = Unit('degrees', greatest=360)
BITS = Unit('bits', greatest=16)
RATIO = Unit('ratio')
LIGHT = Unit('cd/m2')


@dataclass(frozen=True)
class Statistic:
    """A statistic of a frame."""
    key: str    # name in policies: YMAX, mean.Y, outside.Y
    words: str  # for people: greatest luma
    unit: Unit
    flag: str   # required statistic of clframesum
    field: str  # field of the line
    # components of the arrays with one entry each
    component: Optional[str] = None
    is_chroma: bool = False          # pictures without colour lack it

    def of(self, line: Json, prefix: str = '') -> Any:
        """Returns the value in a line, or with the prefix `zone-` the list of
        values of the zones; None if the line has none."""
        value = line.get(prefix + self.field)
        if self.component is None or value is None:
            return value
        components: List[str] = line['components']
        if self.component not in components:
            return None
        return value[components.index(self.component)]


_UNITS = {'codes': CODES, 'squares': SQUARES, 'share': SHARE,
          'degrees': DEGREES, 'bits': BITS, 'ratio': RATIO,
          'light': LIGHT}

_NAMES = {'Y': 'luma', 'U': 'chroma U', 'V': 'chroma V', 'R': 'red',
          'G': 'green', 'B': 'blue', 'A': 'alpha'}

# Statistics that only the whole file has, of all frames together.
_OF_FILES = (
    Field('max-cll', 'light', 'MaxCLL', 'light', '', False),
    Field('max-fall', 'light', 'MaxFALL', 'light', '', False),
    Field('robust-max-cll', 'light', 'MaxCLL without outliers', 'light', '',
          False))

# Statistics that a rule can limit, including those computed from the histogram
# of a line.
_FIELDS = (*(field for field in FIELDS if field.unit),
           Field('outside', 'histogram', 'share of samples of', 'share', '',
                 True), *_OF_FILES)


def _of_component(field: Field, unit: Unit) -> Iterator[Statistic]:
    for component in COMPONENTS:
        text = f'{field.words} {_NAMES[component]}'
        is_chroma = component in 'UV'
        yield Statistic(f'{field.name}.{component}', text, unit, field.flag,
                        field.name, component, is_chroma)
        if field.key:
            key = component + field.key
            yield Statistic(key, text, unit, field.flag, key,
                            is_chroma=is_chroma)


def _of_frame(field: Field, unit: Unit) -> Iterator[Statistic]:
    for key in filter(None, (field.name, field.key)):
        words = field.words
        if key == 'BRNG':
            words = 'share of samples out of the broadcast range'
        yield Statistic(key, words, unit, field.flag, key,
                        is_chroma=field.flag in ('saturation', 'hue'))


def _make() -> Dict[str, Statistic]:
    made: Dict[str, Statistic] = {}
    for field in _FIELDS:
        of = _of_component if field.has_components else _of_frame
        made.update((statistic.key, statistic)
                    for statistic in of(field, _UNITS[field.unit or '']))
    return made


FRAME_STATISTICS = _make()

# Statistics with an entry per component: a policy must name the component.
BY_COMPONENT = tuple(field.name for field in _FIELDS if field.has_components)

# Statistics of all frames of a file together: those with an entry per
# component, then those with one value.
ONLY_POOLED = tuple(field.name for field in _OF_FILES)
POOLED = ('mean', 'variance', 'stddev', 'min', 'max', 'outside',
          *ONLY_POOLED, 'levels-r', 'levels-g', 'levels-b', 'levels-y')

# Statistics that clframesum measures of frames, but not of zones.
NOT_OF_ZONES = ('blockiness', 'flash', 'light', 'levels')


def scale(statistic: Statistic, depth: int, is_native: bool) -> float:
    """Returns the factor of a limit for frames of @depth bits."""
    if is_native:
        return 1.0
    return float(2.0 ** (statistic.unit.power * (depth - 8)))


def outside(histogram: List[int], low: float, high: float) -> float:
    """Returns the share of samples below the code @low or above @high. Each
    bin is a code."""
    total = sum(histogram)
    last = min(math.floor(min(high, len(histogram))), len(histogram) - 1)
    inside = sum(histogram[math.ceil(low):last + 1])
    return (total - inside) / total if total else 0.0
