# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the JSON of HDR10+ metadata (SMPTE ST 2094-40, profile A) from lines
that clframesum has measured with statistics=light+light-histogram and
events=scene."""
import json
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import numpy
import numpy.typing

from clqc import __version__
from clqc.common import files
from clqc.common.errors import ClqcError
from clqc.results.fields import check_first_line
from clqc.results.result_files import Json

Counts = numpy.typing.NDArray[numpy.int64]
Floats = numpy.typing.NDArray[numpy.float64]

# Metadata is in units of 0.1 cd/m2, up to 10,000 cd/m2.
_UNITS = 10
_MOST = 100_000

# The value of each DistributionIndex: a percentile of the maximum of R, G and
# B, in per cent; or None, the share of pixels up to _DIM, in per cent. Index 5
# is DistributionY99, index 10 is DistributionY100nit.
_DISTRIBUTION: Dict[int, Optional[float]] = {
    1: 1, 5: 99.99, 10: None, 25: 25, 50: 50, 75: 75, 90: 90, 95: 95,
    99: 99.98}
_DIM = 100.0  # cd/m2

# The greatest relative difference of two results for the same light.
_CLOSE = 1e-6


def _pq(signal: Floats) -> Floats:
    """SMPTE ST 2084, equation 4.1, in cd/m2."""
    m_1, m_2 = 2610 / 16384, 2523 / 4096 * 128
    c_1, c_2, c_3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    root = signal ** (1 / m_2)
    light: Floats = 10000 * (numpy.maximum(root - c_1, 0) / (c_2 - c_3 * root)
                             ) ** (1 / m_1)
    return light


def _hlg(signal: Floats) -> Floats:
    """BT.2100, table 5, of a grey pixel on a display of 1000 cd/m2."""
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * math.log(4 * a)
    scene = numpy.where(signal <= 0.5, signal ** 2 / 3,
                        (numpy.exp((signal - c) / a) + b) / 12)
    return 1000 * scene ** 1.2


TRANSFERS: Dict[str, Callable[[Floats], Floats]] = {'pq': _pq, 'hlg': _hlg}


def light_of_codes(transfer: str, depth: int, is_full_range: bool) -> Floats:
    """Returns the light of each code of R, G or B, in cd/m2, as clframesum
    defines it (gst/common/gstcltransfer.c)."""
    codes = numpy.arange(1 << depth, dtype=numpy.float64)
    step = 1 << (depth - 8)
    signal = (codes / ((1 << depth) - 1) if is_full_range
              else (codes - 16 * step) / (219 * step))
    return TRANSFERS[transfer](numpy.clip(signal, 0, 1))


def percentile(histogram: Counts, percent: float) -> int:
    """Returns the code of the least pixel that at least @percent of all pixels
    do not exceed."""
    total = int(histogram.sum())
    rank = min(max(math.ceil(percent * total / 100 - 1e-6), 1), total)
    return int(numpy.searchsorted(numpy.cumsum(histogram), rank))


def _units(light: float) -> int:
    return min(math.floor(light * _UNITS + 0.5), _MOST)


@dataclass
class Scene:
    """The frames from one cut to the next."""
    light: Floats      # of each code, cd/m2
    histogram: Counts  # the sum over the frames
    max_rgb: Floats = field(default_factory=lambda: numpy.zeros(3))
    averages: List[float] = field(default_factory=list)  # of each frame

    def add(self, line: Json) -> None:
        """Adds a frame."""
        self.histogram += numpy.array(line['light-histogram'], numpy.int64)
        self.max_rgb = numpy.maximum(self.max_rgb, line['light-max-rgb'])
        self.averages.append(line['light-average'])

    def _value(self, percent: Optional[float]) -> int:
        if percent is not None:
            return _units(self.light[percentile(self.histogram, percent)])
        dim = int(self.histogram[self.light <= _DIM].sum())
        return math.floor(100 * dim / int(self.histogram.sum()) + 0.5)

    def parameters(self) -> Json:
        """Returns the LuminanceParameters of all frames of the scene."""
        average = math.fsum(self.averages) / len(self.averages)
        return {
            'AverageRGB': _units(average),
            'LuminanceDistributions': {
                'DistributionIndex': list(_DISTRIBUTION),
                'DistributionValues': [self._value(percent) for percent
                                       in _DISTRIBUTION.values()]},
            'MaxScl': [_units(light) for light in self.max_rgb]}


# --- lines -------------------------------------------------------------------


def _lines(path: str, kind: str) -> Iterator[Tuple[str, Json]]:
    """Yields the lines of the type @kind, each with its place for errors."""
    begin = f'{{"type":"{kind}"'
    with open(path, encoding='utf-8') as file:
        try:
            for number, text in enumerate(file, 1):
                where = f'{path}, line {number}'
                if not text.startswith('{"type":"'):
                    raise ClqcError(f'{where}: not a line of clframesum')
                if number == 1:
                    check_first_line(text, path)
                if text.startswith(begin):
                    yield where, json.loads(text)
        except UnicodeDecodeError as error:
            raise ClqcError(f'{path}: not UTF-8') from error
        except ValueError as error:
            raise ClqcError(f'{where}: not JSON') from error


def _cuts(path: str) -> Set[int]:
    """Returns the numbers of the first frames of all scenes but the first."""
    return {event['frame'] for _, event in _lines(path, 'event')
            if event.get('event') == 'scene'}


def _check(where: str, line: Json, number: Optional[int]) -> None:
    for name, flag in (('light-average', 'light'), ('light-max-rgb', 'light'),
                       ('light-histogram', 'light-histogram')):
        if name not in line:
            raise ClqcError(f'{where}: it was measured without the statistic '
                            f'{flag}')
    if number is not None and line['frame'] != number:
        raise ClqcError(f'{where}: frame {number} is missing; HDR10+ needs '
                        'every frame')
    if len(line['light-histogram']) != 1 << line['depth']:
        raise ClqcError(f'{where}: light-histogram has not a count for each '
                        'code')


def _check_light(where: str, line: Json, light: Floats) -> None:
    """The greatest light of the histogram is the greatest of R, G and B, if
    both come from the same transfer function and range."""
    codes = numpy.flatnonzero(line['light-histogram'])
    if not len(codes):
        raise ClqcError(f'{where}: the frame has no pixels')
    greatest = light[codes[-1]]
    if not math.isclose(greatest, max(line['light-max-rgb']),
                        rel_tol=_CLOSE, abs_tol=_CLOSE):
        raise ClqcError(
            f'{where}: the frame was measured with another transfer function '
            f'or range: its greatest light is {max(line["light-max-rgb"]):g} '
            f'cd/m2, not {greatest:g}; give --transfer or --range')


def scenes(path: str, transfer: str, usual_range: str) -> List[Scene]:
    """Returns the scenes of a file with lines. A line that says its range has
    that one, others have @usual_range."""
    cuts = _cuts(path)
    made: List[Scene] = []
    curves: Dict[Tuple[int, bool], Floats] = {}
    number: Optional[int] = None
    for where, line in _lines(path, 'frame'):
        _check(where, line, number)
        is_full = line.get('full-range', usual_range == 'full')
        key = (line['depth'], is_full)
        if key not in curves:
            curves[key] = light_of_codes(transfer, *key)
        if len(curves) > 1:
            raise ClqcError(f'{where}: the depth or the range changes')
        _check_light(where, line, curves[key])
        if not made or line['frame'] in cuts:
            made.append(Scene(curves[key], numpy.zeros(1 << line['depth'],
                                                       numpy.int64)))
        made[-1].add(line)
        number = line['frame'] + 1
    if not made:
        raise ClqcError(f'{path}: no frames')
    return made


# --- metadata ----------------------------------------------------------------


def metadata(of_scenes: List[Scene]) -> Json:
    """Returns the content of the file."""
    frames: List[Json] = []
    first: List[int] = []
    for number, scene in enumerate(of_scenes):
        parameters = scene.parameters()
        first.append(len(frames))
        frames += [{
            'LuminanceParameters': parameters,
            'NumberOfWindows': 1,
            'TargetedSystemDisplayMaximumLuminance': 0,
            'SceneFrameIndex': nth,
            'SceneId': number,
            'SequenceFrameIndex': first[-1] + nth,
        } for nth in range(len(scene.averages))]
    return {
        'JSONInfo': {'HDR10plusProfile': 'A', 'Version': '1.0'},
        'SceneInfo': frames,
        'SceneInfoSummary': {
            'SceneFirstFrameIndex': first,
            'SceneFrameNumbers': [len(scene.averages)
                                  for scene in of_scenes]},
        'ToolInfo': {'Tool': 'clqc', 'Version': __version__}}


def write(path: str, target: str, transfer: str = 'pq',
          usual_range: str = 'limited') -> None:
    """Writes the metadata of the lines in @path. Raises ClqcError if the lines
    lack something."""
    content: Any = metadata(scenes(path, transfer, usual_range))
    with files.replacing(target) as file:
        json.dump(content, file, indent=1)
        file.write('\n')
