# SPDX-License-Identifier: LGPL-2.1-or-later
"""Collects the data of a report frame by frame: the time of each frame, every
statistic over time, the histogram over time, and the waveform by time, which
is a finer histogram of luma."""
import tempfile
from array import array
from typing import (IO, Dict, Iterable, Iterator, List, Mapping, Optional,
                    Sequence, Tuple)

import numpy as np
import numpy.typing as npt

from clqc.results.result_files import Json

Values = npt.NDArray[np.float64]

BINS = 64        # rows of the histogram of a component
LUMA_BINS = 256  # rows of the waveform by time
COLUMNS = 1024   # between this and twice as many of them

# Fields with a value for each component that signalstats has no key for, and
# the name of each in the report.
_OF_COMPONENTS = {'median': 'MEDIAN', 'stddev': 'STDDEV',
                  'entropy': 'ENTROPY'}
_KEYS = ('MIN', 'LOW', 'AVG', 'HIGH', 'MAX', 'DIF', 'BITDEPTH')
_SINGLE = ('SATMIN', 'SATLOW', 'SATAVG', 'SATHIGH', 'SATMAX',
           'HUEMED', 'HUEAVG', 'TOUT', 'VREP', 'BRNG',
           'hue-median', 'hue-mean', 'hue-concentration', 'gamut')

# Charts that show the same statistic of every component.
_SHARED = {'DIF': 'Difference to the previous frame',
           'STDDEV': 'Standard deviation', 'ENTROPY': 'Entropy, bits',
           'BITDEPTH': 'Bits in use'}
_SINGLE_CHARTS = {
    'SAT': 'Saturation', 'HUE': 'Hue, degrees', 'hue-m': 'Hue, degrees',
    'hue-c': 'Hue: concentration', 'TOUT': 'Shares of the picture',
    'VREP': 'Shares of the picture', 'BRNG': 'Shares of the picture',
    'gamut': 'Shares of the picture', 'sound': 'Sound, dB of full scale'}
_ORDER = ('Y', 'U', 'V', 'R', 'G', 'B', 'A', 'Saturation', 'Hue, degrees',
          'Hue: concentration', 'Difference to the previous frame',
          'Shares of the picture', 'Standard deviation', 'Entropy, bits',
          'Bits in use', 'Sound, dB of full scale')

# Descriptions of the keys of signalstats, shown under the pointer.
MEANINGS = {
    'MIN': 'least sample', 'LOW': 'a tenth of the samples is lower',
    'AVG': 'mean', 'MEDIAN': 'median', 'MAX': 'greatest sample',
    'HIGH': 'a tenth of the samples is higher',
    'DIF': 'mean difference to the previous frame',
    'BITDEPTH': 'bits that are used', 'STDDEV': 'standard deviation',
    'ENTROPY': 'entropy in bits',
    'HUEMED': 'median hue as FFmpeg computes it',
    'HUEAVG': 'mean hue as FFmpeg computes it',
    'hue-median': 'median hue on the circle',
    'hue-mean': 'mean hue on the circle',
    'hue-concentration': '1: all hues equal, 0: no dominant hue',
    'TOUT': 'samples that differ from their neighbours: dropouts, noise',
    'VREP': 'repeated rows', 'BRNG': 'samples out of the broadcast range',
    'gamut': 'samples out of the colour range of the file',
    'sound-rms': 'RMS of the loudest channel; -100: digital silence',
    'sound-peak': 'peak of the loudest channel; -100: digital silence'}


def chart_of(name: str, components: Iterable[str]) -> str:
    """Returns the title of the chart of a statistic."""
    for start, title in _SINGLE_CHARTS.items():
        if name.startswith(start):
            return title
    for component in components:
        if name.startswith(component):
            return _SHARED.get(name[len(component):], component)
    return name


def charts(names: Iterable[str],
           components: List[str]) -> List[Tuple[str, List[str]]]:
    """Returns the charts with their statistics, in the order of the page."""
    found: Dict[str, List[str]] = {}
    for name in names:
        found.setdefault(chart_of(name, components), []).append(name)
    order = {title: number for number, title in enumerate(_ORDER)}
    return sorted(found.items(),
                  key=lambda item: order.get(item[0], len(order)))


def meaning(name: str, components: Iterable[str]) -> str:
    """Returns a short description of a statistic."""
    if name in MEANINGS:
        return MEANINGS[name]
    for prefix in list(components) + ['SAT']:
        if name.startswith(prefix) and name[len(prefix):] in MEANINGS:
            return f'{prefix}: {MEANINGS[name[len(prefix):]]}'
    return ''


class Histogram:
    """The histograms of a component in all frames, added up into columns of as
    many frames each as needed for COLUMNS to twice that. Bins are shares of
    the code range, the same for every depth."""

    _BATCH = 128

    def __init__(self, bins: int = BINS) -> None:
        self.bins = bins
        self.span = 1    # frames of a column
        self._end = 0    # the frame after the last one
        self._sums = np.zeros((2 * COLUMNS, bins))
        self._waiting: List[Tuple[int, List[int]]] = []

    def add(self, frame: int, codes: List[int]) -> None:
        """Adds a frame by its number. Frames arrive in order; some may be
        missing."""
        self._waiting.append((frame, codes))
        if len(self._waiting) == self._BATCH:
            self._work()

    def levels(self) -> npt.NDArray[np.uint8]:
        """Returns for each bin and column a level from 0 (no sample) to 63
        (all samples), on a logarithmic scale that begins at 1 of 100,000."""
        self._work()
        columns = -(-self._end // self.span)
        sums = self._sums[:columns]
        total = np.maximum(sums.sum(axis=1, keepdims=True), 1)
        scale = 1 + np.log10(np.maximum(sums / total, 1e-5)) / 5
        levels = np.where(sums > 0, 1 + np.rint(scale * 62), 0)
        return levels.astype(np.uint8).T

    def _work(self) -> None:
        """Adds pending histograms, all of a length at once."""
        lengths: Dict[int, List[Tuple[int, List[int]]]] = {}
        for frame, codes in self._waiting:
            lengths.setdefault(len(codes), []).append((frame, codes))
        self._waiting.clear()
        for length, rows in lengths.items():
            if length == 0:
                continue
            if length < self.bins:
                begins = np.arange(length)
            else:
                begins = -(-np.arange(self.bins) * length // self.bins)
            counts = np.array([codes for _, codes in rows], dtype=np.float64)
            bins = np.add.reduceat(counts, begins, axis=1)
            target = begins * self.bins // length
            for (frame, _), row in zip(rows, bins):
                self._column(frame)[target] += row

    def _column(self, frame: int) -> Values:
        while frame // self.span >= len(self._sums):
            sums = self._sums
            sums[:COLUMNS] = sums[0::2] + sums[1::2]
            sums[COLUMNS:] = 0
            self.span *= 2
        self._end = max(self._end, frame + 1)
        column: Values = self._sums[frame // self.span]
        return column


class _Block:
    """Frames one after the other that have the same statistics. All but the
    last of them are in a file, a chunk after the other with each statistic in
    a row, so that hours take no more memory than minutes."""

    _CHUNK = 4096  # frames

    def __init__(self, start: int, frame: Json) -> None:
        self.start = start
        self._n_chunks = 0
        self._file: Optional[IO[bytes]] = None
        components = frame.get('components') or []
        keys = [component + key for component in components
                for key in _KEYS] + list(_SINGLE)
        self.keys = [key for key in keys if frame.get(key) is not None]
        self.fields = [field for field in _OF_COMPONENTS
                       if len(frame.get(field) or []) == len(components)]
        self.names = self.keys + [
            component + _OF_COMPONENTS[field] for field in self.fields
            for component in components]
        self.components = components
        self._rows = array('d')

    def add(self, frame: Json) -> bool:
        """Adds a frame. Returns False, and adds nothing, if the frame has
        other statistics."""
        if (frame.get('components') or []) != self.components:
            return False
        try:
            row = [frame[key] for key in self.keys]
            for field in self.fields:
                row += frame[field]
            if len(row) != len(self.names):
                return False
            self._rows.extend(row)
        except (KeyError, TypeError):
            del self._rows[self._n_rows() * len(self.names):]
            return False
        if self._n_rows() == self._CHUNK:
            self._put_away()
        return True

    def _n_rows(self) -> int:
        return len(self._rows) // max(len(self.names), 1)

    def __len__(self) -> int:
        return self._n_chunks * self._CHUNK + self._n_rows()

    def _table(self) -> Values:
        return np.frombuffer(self._rows, dtype=np.float64).reshape(
            -1, max(len(self.names), 1))

    def _put_away(self) -> None:
        if self._file is None:
            # pylint: disable-next=consider-using-with
            self._file = tempfile.TemporaryFile()
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(self._table().T).tobytes())
        self._rows = array('d')
        self._n_chunks += 1

    def values(self, name: str) -> Values:
        """Returns the values of a statistic, one per frame."""
        place = self.names.index(name)
        pieces = []
        for chunk in range(self._n_chunks):
            assert self._file
            self._file.seek((chunk * len(self.names) + place) *
                            self._CHUNK * 8)
            pieces.append(np.frombuffer(self._file.read(self._CHUNK * 8)))
        return np.concatenate([*pieces, self._table()[:, place]])


class _Values(Mapping[str, Values]):
    """Every statistic, NaN if a frame has none; read on access."""

    def __init__(self, blocks: Sequence[_Block], n_frames: int) -> None:
        self._blocks = blocks
        self._n_frames = n_frames
        self._names = list(dict.fromkeys(
            name for block in blocks for name in block.names))

    def __getitem__(self, name: str) -> Values:
        if name not in self._names:
            raise KeyError(name)
        track = np.full(self._n_frames, np.nan)
        for block in self._blocks:
            if name in block.names:
                track[block.start:block.start + len(block)] = block.values(
                    name)
        return track

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Tracks:
    """The data of the report of one input."""

    def __init__(self, frames: Iterator[Json]) -> None:
        self.components: List[str] = []
        self.times = array('q')      # nanoseconds, a frame each
        self.end = 0                 # of the last frame
        self.histograms: Dict[str, Histogram] = {}  # by component
        self._blocks: List[_Block] = []
        for frame in frames:
            self._add(frame)

    @property
    def values(self) -> Mapping[str, Values]:
        """Returns every statistic, NaN if a frame has none."""
        return _Values(self._blocks, len(self.times))

    def _add(self, frame: Json) -> None:
        number = len(self.times)
        self._time(frame, number)
        if not self._blocks or not self._blocks[-1].add(frame):
            block = _Block(number, frame)
            block.add(frame)
            self._blocks.append(block)
            for component in block.components:
                if component not in self.components:
                    self.components.append(component)
        for component, codes in zip(self._blocks[-1].components,
                                    frame.get('histogram') or []):
            if component not in self.histograms:
                self.histograms[component] = Histogram(
                    LUMA_BINS if component == 'Y' else BINS)
            self.histograms[component].add(number, codes)

    def _time(self, frame: Json, number: int) -> None:
        """Returns the time of a frame; times of a report never decrease."""
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
