# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the lines of clcompare: values of each pair of frames, of each file,
and events.

compare.json has the results of a comparison:

    {"reference": {"file": NAME, "path": PATH, "bytes": N, "width": 1920,
                   "height": 1080, "format": "I420", "rate": [25, 1], ..},
     "verdict": a sentence,
     "files": [{"file": NAME, "path": PATH, "bytes": N,
                "shift": nanoseconds by which the file was late, corrected,
                "shift-frames": the same in frames,
                "pooled": the fields of clcompare's line for the stream,
                "worst": {metric: {"frame": N, "stream-time": NANOSECONDS,
                                   "value": V}, ..},
                "events": {event: number, ..},
                "failures": [sentence, ..]}, ..],
     "settings": {property of clcompare: value, ..},
     "measured": {"clqc": "0.3.0", "plugin": .., "gstreamer": ..,
                  "decoder": .., "device": .., "decode-errors": N}}

PSNR and XPSNR of equal frames are infinite, and null. SSIM is null if the
frames are too small for it, and a harmonic mean if there is none.
"""
import json
import math
from array import array
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Sequence

import numpy as np
import numpy.typing as npt

from clqc.results.result_files import Json

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """A metric whose greater values are better."""
    name: str     # as in the property `metrics`
    title: str
    unit: str
    digits: int   # after the point
    frame: str    # field of a frame; of an array the first weighted component
    whole: str    # field of the pooled line: the value of the whole file
    series: str   # fields of the pooled line about the frames begin so

    def text(self, value: float) -> str:
        """Returns a value for people; infinity are equal frames."""
        return 'equal' if math.isinf(value) else f'{value:.{self.digits}f}'


METRICS = (
    Metric('psnr', 'PSNR', 'dB', 2, 'psnr-all', 'psnr-all', 'psnr-all'),
    Metric('ssim', 'SSIM', '', 4, 'ssim-all', 'ssim-all-mean', 'ssim-all'),
    Metric('xpsnr', 'XPSNR', 'dB', 2, 'xpsnr', 'xpsnr', 'xpsnr-first'))


def first_weighted(components: Sequence[str]) -> int:
    """Returns the index of the component whose XPSNR stands for all."""
    return components.index('G') if 'G' in components else 0


def value_of(row: Json, name: str) -> Optional[float]:
    """Returns a field of a line, or None if the line has none. PSNR and XPSNR
    are infinite where they are null; a null of SSIM is None. Of an array: its
    first weighted component."""
    if name not in row:
        return None
    value = row[name]
    if isinstance(value, list):
        value = value[first_weighted(row['components'])]
    if value is not None:
        return float(value)
    return None if name.startswith('ssim') else math.inf


@dataclass
class Compared:
    """The results of one file."""
    components: List[str] = field(default_factory=list)
    depth: int = 8
    numbers: 'array[int]' = field(default_factory=lambda: array('q'))
    times: 'array[int]' = field(default_factory=lambda: array('q'))
    values: Dict[str, 'array[float]'] = field(default_factory=dict)
    pooled: List[Json] = field(default_factory=list)
    starts: List[Json] = field(default_factory=list)  # of events
    ends: List[Json] = field(default_factory=list)

    def add(self, row: Json) -> None:
        """Adds a line."""
        if row['type'] == 'frame':
            self._add_frame(row)
        elif row['type'] == 'event':
            (self.starts if row['state'] == 'start' else self.ends).append(row)
        elif row.get('span') == 'stream':
            self.pooled.append(row)

    def _add_frame(self, row: Json) -> None:
        self.components, self.depth = row['components'], row['depth']
        n_before = len(self.numbers)
        self.numbers.append(row['frame'])
        time = row.get('stream-time')
        self.times.append(row['timestamp'] if time is None else time)
        for metric in METRICS:
            value = value_of(row, metric.frame)
            if value is not None:
                self.values.setdefault(metric.name, array(
                    'd', [math.nan]) * n_before).append(value)

    def whole(self, metric: Metric) -> Optional[float]:
        """Returns the value of the whole file; None: not measured."""
        return value_of(self.pooled[-1], metric.whole) if (
            self.pooled) else None

    def of(self, metric: Metric, what: str) -> Optional[float]:
        """Returns a value of the frames, such as `min` or `p5`; None: not
        measured, or a harmonic mean of frames that have none."""
        if not self.pooled:
            return None
        row = self.pooled[-1]
        value = value_of(row, f'{metric.series}-{what}')
        if what == 'harmonic-mean' and value == math.inf and (
                self.of(metric, 'min') != math.inf):
            return None
        return value

    def worst(self, metric: Metric) -> Optional[Json]:
        """Returns number, time and value of the worst frame."""
        values = self.values.get(metric.name)
        if not values:
            return None
        at = int(np.nanargmin(np.frombuffer(values)))
        return {'frame': self.numbers[at], 'stream-time': self.times[at],
                'value': _finite(values[at])}


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def read(lines: Iterable[str], n_files: int) -> List[Compared]:
    """Returns the results of the files in the order of their pads."""
    found = [Compared() for _ in range(n_files)]
    for line in lines:
        row: Dict[str, Any] = json.loads(line)
        if 'pad' in row:
            found[int(row['pad'].rpartition('_')[2])].add(row)
    return found
