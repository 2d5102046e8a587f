# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the lines of frames once, into arrays of the statistics that rules
need."""
import gzip
import json
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Iterator, List, Optional, Sequence, Tuple

import numpy
import numpy.typing

from clqc.common.errors import ClqcError
from clqc.judging.rules import frame_statistics
from clqc.judging.rules.model import FrameRule
from clqc.results.fields import check_first_line
from clqc.results.result_files import FRAMES, Json, Results

Floats = numpy.typing.NDArray[numpy.float64]
Integers = numpy.typing.NDArray[numpy.int64]
Booleans = numpy.typing.NDArray[numpy.bool_]

# The largest part of a line, and rarely needed: it is cut out before parsing.
_LONG = (b'"histogram":', b'"zone-histogram":')

# Bytes of lines per read.
_CHUNK = 1 << 20


@dataclass
class Columns:
    """One entry per frame. For each rule, the values for its minimum and for
    its maximum; for zones these are two different values. NaN: the frame has
    no such value."""
    start: Integers  # nanoseconds
    end: Integers
    number: Integers
    depth: Integers
    components: List[str]  # components of the first frame
    format: str
    least: List[Floats] = field(default_factory=list)
    greatest: List[Floats] = field(default_factory=list)
    # The zone of the value in least and in greatest, counted row by row.
    zone_least: List[Integers] = field(default_factory=list)
    zone_greatest: List[Integers] = field(default_factory=list)
    zone_columns: int = 1


def cut(line: bytes) -> Tuple[bytes, bytes]:
    """Returns a line without its histograms, and the histogram of the frame or
    an empty text."""
    kept = b''
    for name in _LONG:
        begin = line.find(name)
        if begin < 0:
            continue
        begin += len(name)
        inner = line[begin:begin + 4]
        brackets = len(inner) - len(inner.lstrip(b'['))
        end = line.find(b']' * brackets, begin) + brackets
        if brackets == 0 or end < brackets:
            continue
        if name == _LONG[0]:
            kept = line[begin:end]
        line = line[:begin] + b'null' + line[end:]
    return line, kept


def _outside(rule: frame_statistics.Statistic, low: float, high: float,
             line: Json, text: bytes) -> Optional[float]:
    """@low and @high are codes of the frame's depth."""
    components: List[str] = line['components']
    if not text or rule.component not in components:
        return None
    place = components.index(rule.component)
    if ('min' in line and line['min'][place] >= low
            and line['max'][place] <= high):
        return 0.0
    bins = text.strip(b'[]').split(b'],[')[place]
    return frame_statistics.outside(json.loads(b'[' + bins + b']'), low, high)


def _value(rule: FrameRule, line: Json, text: bytes) -> Optional[float]:
    value: Optional[float]
    if rule.statistic.field == 'outside':
        times = 1.0 if rule.is_native else 2.0 ** (line['depth'] - 8)
        value = _outside(rule.statistic, rule.low * times, rule.high * times,
                         line, text)
    else:
        value = rule.statistic.of(line)
    return value


_NONE = float('nan')


def _zones(rule: FrameRule, line: Json) -> Tuple[float, float, int, int]:
    values = rule.statistic.of(line, 'zone-')
    known: List[Tuple[float, int]] = [
        (value, zone) for zone, value in enumerate(values or ())
        if value is not None]
    if not known:
        return _NONE, _NONE, 0, 0
    least = min(known)
    greatest = max(known, key=lambda pair: (pair[0], -pair[1]))
    return least[0], greatest[0], least[1], greatest[1]


class _Reader:
    """Collects a row of numbers per frame."""

    def __init__(self, rules: Sequence[FrameRule]) -> None:
        self.rules = rules
        self.times = array('q')  # four per frame
        # One per frame; for rules about zones, four.
        self.values = [array('d') for _ in rules]
        self.first: Json = {}

    def add(self, line: Json, text: bytes) -> None:
        """Adds a frame, and its histogram as text."""
        self.first = self.first or line
        start = line.get('stream-time')
        if start is None:
            start = line.get('timestamp')
        duration = line.get('duration')
        self.times.extend((-1 if start is None else start,
                           -1 if duration is None else duration,
                           line['frame'], line['depth']))
        for rule, values in zip(self.rules, self.values):
            if rule.is_of_zones:
                values.extend(_zones(rule, line))
            else:
                value = _value(rule, line, text)
                values.append(_NONE if value is None else value)

    def columns(self, rate: float) -> Columns:
        """Returns the collected columns."""
        times = numpy.array(self.times, numpy.int64).reshape(-1, 4)
        start, end = _spans(times[:, 0], times[:, 1], rate)
        made = Columns(start, end, times[:, 2], times[:, 3],
                       self.first.get('components', []),
                       self.first.get('format', ''),
                       zone_columns=self.first.get('zone-columns', 1))
        none = numpy.zeros(0, numpy.int64)
        for rule, values in zip(self.rules, self.values):
            array = numpy.array(values, numpy.float64)
            if rule.is_of_zones:
                array = array.reshape(-1, 4)
                made.least.append(array[:, 0])
                made.greatest.append(array[:, 1])
                made.zone_least.append(array[:, 2].astype(numpy.int64))
                made.zone_greatest.append(array[:, 3].astype(numpy.int64))
            else:
                made.least.append(array)
                made.greatest.append(array)
                made.zone_least.append(none)
                made.zone_greatest.append(none)
        return made


def _spans(start: Integers, duration: Integers, rate: float
           ) -> Tuple[Integers, Integers]:
    """Returns starts and ends in nanoseconds. A frame without a time is placed
    by the file's rate; one without a duration lasts until the next frame."""
    usual = round(1e9 / rate) if rate > 0 else 0
    count = len(start)
    start = numpy.where(start < 0, numpy.arange(count) * usual, start)
    following = numpy.append(start[1:], start[-1:] + usual)
    end = numpy.where(duration < 0, following, start + duration)
    return start, numpy.maximum(end, start)


def lines(results: Results) -> Iterator[bytes]:
    """Yields the lines of the frames in the file."""
    rest = b''
    path = results.path(FRAMES)
    is_checked = False
    with gzip.open(path, 'rb') as file:
        try:
            while chunk := file.read(_CHUNK):
                if not is_checked:
                    check_first_line(chunk, path)
                    is_checked = True
                *complete, rest = (rest + chunk).split(b'\n')
                yield from complete
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ClqcError(f'{path}: broken; remove it to measure again'
                            ) from error
    if rest:
        yield rest


def _parse(results: Results, number: int, line: bytes) -> Json:
    try:
        parsed = json.loads(line)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict) or not {
            'components', 'frame', 'depth'} <= parsed.keys():
        raise ClqcError(f'{results.path(FRAMES)}, line {number}: not the '
                        'line of a frame; remove it to measure again')
    return parsed


def first(results: Results) -> Json:
    """Returns the first frame without its histograms; empty if there is none.
    """
    line = next(lines(results), None)
    return {} if line is None else _parse(results, 1, cut(line)[0])


def read(results: Results, rules: Sequence[FrameRule], rate: float
         ) -> Columns:
    """Reads all frames. @rate: frames per second, 0 if unknown."""
    reader = _Reader(rules)
    for number, line in enumerate(lines(results), 1):
        short, text = cut(line)
        reader.add(_parse(results, number, short), text)
    return reader.columns(rate)
