# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a report draws, gathered frame by frame: the time of each frame, every
statistic over time, and the histogram over time."""
from array import array
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from clqc.results import Json

Values = npt.NDArray[np.float64]

BINS = 64        # rows of the histogram of a component
COLUMNS = 1024   # between this and twice as many of them

# Fields with a value for each component that signalstats has no key for, and
# the name of each in the report.
_OF_COMPONENTS = {'median': 'MEDIAN', 'stddev': 'STDDEV',
                  'entropy': 'ENTROPY', 'sharpness': 'SHARPNESS'}
_KEYS = ('MIN', 'LOW', 'AVG', 'HIGH', 'MAX', 'DIF', 'BITDEPTH')
_SINGLE = ('SATMIN', 'SATLOW', 'SATAVG', 'SATHIGH', 'SATMAX',
           'HUEMED', 'HUEAVG', 'TOUT', 'VREP', 'BRNG',
           'hue-median', 'hue-mean', 'hue-concentration', 'gamut')

# Charts that show the same statistic of every component.
_SHARED = {'DIF': 'Difference to the frame before',
           'STDDEV': 'Standard deviation', 'ENTROPY': 'Entropy, bits',
           'BITDEPTH': 'Bits in use', 'SHARPNESS': 'Sharpness'}
_SINGLE_CHARTS = {
    'SAT': 'Saturation', 'HUE': 'Hue, degrees', 'hue-m': 'Hue, degrees',
    'hue-c': 'Hue: how much one prevails', 'TOUT': 'Shares of the picture',
    'VREP': 'Shares of the picture', 'BRNG': 'Shares of the picture',
    'gamut': 'Shares of the picture'}
_ORDER = ('Y', 'U', 'V', 'R', 'G', 'B', 'A', 'Saturation', 'Hue, degrees',
          'Hue: how much one prevails', 'Difference to the frame before',
          'Shares of the picture', 'Standard deviation', 'Entropy, bits',
          'Sharpness', 'Bits in use')

# What the keys of signalstats stand for, shown when one points at them.
MEANINGS = {
    'MIN': 'least sample', 'LOW': 'a tenth of the samples is lower',
    'AVG': 'mean', 'MEDIAN': 'median', 'MAX': 'greatest sample',
    'HIGH': 'a tenth of the samples is higher',
    'DIF': 'mean difference to the frame before',
    'BITDEPTH': 'bits that are used', 'STDDEV': 'standard deviation',
    'ENTROPY': 'entropy in bits', 'SHARPNESS': 'sharpness',
    'HUEMED': 'median hue as FFmpeg has it',
    'HUEAVG': 'mean hue as FFmpeg has it',
    'hue-median': 'median hue on the circle',
    'hue-mean': 'mean hue on the circle',
    'hue-concentration': '1: all hues alike, 0: none prevails',
    'TOUT': 'samples that stand out of their neighbours: dropouts, noise',
    'VREP': 'repeated rows', 'BRNG': 'samples out of the broadcast range',
    'gamut': 'samples out of the range that the file claims'}


def chart_of(name: str, components: Iterable[str]) -> str:
    """The title of the chart that shows a statistic."""
    for start, title in _SINGLE_CHARTS.items():
        if name.startswith(start):
            return title
    for component in components:
        if name.startswith(component):
            return _SHARED.get(name[len(component):], component)
    return name


def charts(names: Iterable[str],
           components: List[str]) -> List[Tuple[str, List[str]]]:
    """The charts with their statistics, in the order of the page."""
    found: Dict[str, List[str]] = {}
    for name in names:
        found.setdefault(chart_of(name, components), []).append(name)
    order = {title: number for number, title in enumerate(_ORDER)}
    return sorted(found.items(),
                  key=lambda item: order.get(item[0], len(order)))


def meaning(name: str, components: Iterable[str]) -> str:
    """A few words about a statistic."""
    if name in MEANINGS:
        return MEANINGS[name]
    for prefix in list(components) + ['SAT']:
        if name.startswith(prefix) and name[len(prefix):] in MEANINGS:
            return f'{prefix}: {MEANINGS[name[len(prefix):]]}'
    return ''


class Histogram:
    """The histograms of all frames, added up into columns of as many frames
    each as needed for COLUMNS to twice that. Bins are shares of the code
    range, the same for every depth."""

    def __init__(self, components: int) -> None:
        self.span = 1    # frames of a column
        self._filled = 0
        self._sums = np.zeros((2 * COLUMNS, components, BINS))

    def add(self, histograms: List[List[int]]) -> None:
        """A frame."""
        sums = self._sums
        column = self._filled // self.span
        if column == len(sums):
            sums[:COLUMNS] = sums[0::2] + sums[1::2]
            sums[COLUMNS:] = 0
            self.span *= 2
            column = self._filled // self.span
        self._filled += 1
        for number, codes in enumerate(histograms[:sums.shape[1]]):
            sums[column, number] += _bins(codes)

    def levels(self) -> npt.NDArray[np.uint8]:
        """For each component, bin and column, 0 for nothing to 63 for all
        samples, on a scale of logarithms that begins at 1 of 100,000."""
        columns = -(-self._filled // self.span)
        sums = self._sums[:columns]
        total = np.maximum(sums.sum(axis=2, keepdims=True), 1)
        scale = 1 + np.log10(np.maximum(sums / total, 1e-5)) / 5
        levels = np.where(sums > 0, 1 + np.rint(scale * 62), 0)
        return levels.astype(np.uint8).transpose(1, 2, 0)


def _bins(codes: List[int]) -> Values:
    counts = np.array(codes, dtype=np.float64)
    if len(counts) > BINS and len(counts) % BINS == 0:
        sums: Values = counts.reshape(BINS, -1).sum(axis=1)
        return sums
    place = np.arange(len(counts)) * BINS // max(len(counts), 1)
    return np.bincount(place, counts, BINS).astype(np.float64)


class Tracks:
    """All that is drawn of one input."""

    def __init__(self, frames: Iterator[Json]) -> None:
        self.components: List[str] = []
        self.times: List[int] = []   # nanoseconds, a frame each
        self.end = 0                 # of the last frame
        self.histogram: Optional[Histogram] = None
        self._values: Dict[str, 'array[float]'] = {}
        for frame in frames:
            self._add(frame)

    @property
    def values(self) -> Dict[str, Values]:
        """Every statistic, NaN where a frame has none."""
        for values in self._values.values():
            self._fill(values, len(self.times))
        return {name: np.frombuffer(values, dtype=np.float64)
                for name, values in self._values.items()}

    def _add(self, frame: Json) -> None:
        number = len(self.times)
        time = frame.get('stream-time')
        if time is None:
            time = frame.get('timestamp')
        if time is None or (number and time <= self.times[-1]):
            time = max(self.end, self.times[-1] + 1 if number else 0)
        self.times.append(time)
        duration = frame.get('duration')
        if not duration:
            duration = time - self.times[-2] if number else 40_000_000
        self.end = max(self.end, time + duration)
        components = frame.get('components') or []
        for component in components:
            if component not in self.components:
                self.components.append(component)
        self._statistics(frame, components, number)
        histogram = frame.get('histogram')
        if histogram:
            if self.histogram is None:
                self.histogram = Histogram(len(histogram))
            self.histogram.add(histogram)

    def _statistics(self, frame: Json, components: List[str],
                    number: int) -> None:
        for place, component in enumerate(components):
            for key in _KEYS:
                self._append(component + key, frame.get(component + key),
                             number)
            for field, name in _OF_COMPONENTS.items():
                values = frame.get(field)
                if values is not None and place < len(values):
                    self._append(component + name, values[place], number)
        for name in _SINGLE:
            self._append(name, frame.get(name), number)

    def _append(self, name: str, value: Optional[float],
                number: int) -> None:
        if value is None:
            return
        values = self._values.get(name)
        if values is None:
            values = self._values[name] = array('d')
        if len(values) < number:
            self._fill(values, number)
        values.append(value)

    @staticmethod
    def _fill(values: 'array[float]', length: int) -> None:
        values.extend([float('nan')] * (length - len(values)))
