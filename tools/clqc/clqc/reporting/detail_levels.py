# SPDX-License-Identifier: LGPL-2.1-or-later
"""Levels of detail: an overview that is drawn when the page opens, and every
frame, which the page unpacks after that.

Every frame of an hour has to fit in LIMIT bytes. If it does not, values that
are not integers are rounded to fewer steps, then neighbouring frames are
replaced by their least and greatest value. The page says which of these was
done.
"""
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from clqc.reporting import packing
from clqc.reporting.packing import Packed, Values
from clqc.results.result_files import Json

COLUMNS = 2048       # maximum of the overview
HOUR = 90_000        # frames
LIMIT = 4_800_000    # maximum bytes of a page of HOUR frames
_TRIALS = ((16, 1), (12, 1), (10, 1), (8, 1), (8, 4), (8, 8), (8, 16),
           (8, 32), (8, 64))

Texts = List[Tuple[str, str]]  # the identifier in the page, and what it holds


@dataclass
class Level:
    """Every statistic in columns of `span` frames. With a span of one there
    is one value in a column, otherwise all least values come first, then all
    greatest."""
    span: int
    bits: int
    times: Packed  # start of each column
    series: Dict[str, Packed]

    def about(self, names: Sequence[str]) -> Json:
        """Returns the data that the page needs to read the level, with the
        statistics in the order of @names."""
        return {'span': self.span, 'bits': self.bits,
                'times': self.times.about(),
                'series': [self.series[name].about() for name in names]}

    def texts(self, names: Sequence[str]) -> List[str]:
        """Returns the content: the times, then the statistics in the order of
        @names."""
        return ([self.times.text]
                + [self.series[name].text for name in names])

    def size(self) -> int:
        """Returns the bytes of the texts."""
        return len(self.times.text) + sum(
            len(packed.text) for packed in self.series.values())


def overview(times: Sequence[int], values: Mapping[str, Values]) -> Level:
    """Returns an overview with at most COLUMNS columns."""
    span = 1
    while -(-len(times) // span) > COLUMNS:
        span *= 2
    return _level(times, values, slice(None), span, 16 if span == 1 else 12)


def finest(times: Sequence[int], values: Mapping[str, Values],
           room: int) -> Level:
    """Returns the most detailed level that fits in `room` bytes. A part of the
    frames shows which levels are too large to try in full."""
    part = slice(len(times) * 7 // 16, len(times) * 9 // 16)
    for bits, span in _TRIALS:
        guess = _level(times, values, part, span, bits).size() * 8
        if guess > 1.3 * room and (bits, span) != _TRIALS[-1]:
            continue
        level: Optional[Level] = None  # which is as large as the page
        level = _level(times, values, slice(None), span, bits)
        if level.size() <= room:
            break
    assert level
    return level


def room(frames: int, taken: int) -> int:
    """Returns the bytes for the finest level, when the rest of the page takes
    some."""
    return LIMIT * max(frames, HOUR) // HOUR - taken


def for_page(times: Sequence[int], values: Mapping[str, Values],
             names: Sequence[str], taken: int) -> Tuple[Json, Texts, Texts]:
    """Returns the levels for the scripts of a page: descriptions, packed
    values that are needed when the page opens, and those that are needed
    later. @taken: bytes of the rest of the page."""
    first = overview(times, values)
    about: Json = {'overview': first.about(names), 'finest': None}
    early = _texts('overview', first.texts(names))
    if first.span == 1:
        return about, early, []
    taken += sum(len(text) for _, text in early)
    level = finest(times, values, room(len(times), taken))
    about['finest'] = level.about(names)
    return about, early, _texts('finest', level.texts(names))


def _texts(level: str, texts: List[str]) -> Texts:
    return [(f'{level}-{number}', text)
            for number, text in enumerate(texts)]


def _level(times: Sequence[int], values: Mapping[str, Values], part: slice,
           span: int, bits: int) -> Level:
    """Returns a level of a part of the frames."""
    series = {}
    for name, whole in values.items():
        track = whole[part]
        if span > 1:
            track = np.concatenate(packing.envelope(track, span))
        series[name] = packing.pack(track, bits)
    return Level(span, bits, packing.pack_times(times[part][::span]), series)
