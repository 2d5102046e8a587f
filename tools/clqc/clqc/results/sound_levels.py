# SPDX-License-Identifier: LGPL-2.1-or-later
"""How loud the sound of a file is: levels.json, and its content in memory,
32 bytes for each interval.

    {"levels": [
     [START, DURATION, RMS, PEAK],
     ..]}

START and DURATION are nanoseconds; RMS and PEAK of the loudest channel are dB
of full scale, null for digital silence."""
import re
from array import array
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple

from clqc.common import files
from clqc.common.errors import ClqcError
from clqc.results.result_files import LEVELS, Event, Results

Row = Tuple[int, int, Optional[float], Optional[float]]

# In an array, an interval is four doubles, with NaN for digital silence. They
# represent nanoseconds of a hundred days exactly.
_NONE = float('nan')
_NUMBER = rb'\s*(-?[0-9][0-9.e+-]*|null)\s*'
_ROW = re.compile(rb'\[' + rb','.join([_NUMBER] * 4) + rb'\]')
_BETWEEN = b', \n'  # two rows
_CHUNK = 1 << 16  # bytes per read


def none() -> 'array[float]':
    """Returns levels without an interval."""
    return array('d')


def append(levels: 'array[float]', row: Row) -> None:
    """Adds an interval."""
    levels.extend(_NONE if value is None else value for value in row)


def rows(levels: 'array[float]') -> Iterator[Row]:
    """Yields all intervals, in order."""
    for at in range(0, len(levels), 4):
        start, duration, *loud = levels[at:at + 4]
        rms, peak = (None if value != value else value for value in loud)
        yield int(start), int(duration), rms, peak


def span(levels: Sequence[float]) -> Optional[Tuple[int, int]]:
    """Returns the start of the first interval and the end of the last; None if
    there is none."""
    if not levels:
        return None
    return int(levels[0]), int(levels[-4] + levels[-3])


def write(results: Results, levels: 'array[float]') -> None:
    """Replaces levels.json atomically."""
    def text(value: Optional[float]) -> str:
        return 'null' if value is None else repr(value)
    with files.replacing(results.path(LEVELS)) as file:
        file.write('{"levels": [')
        between = '\n '
        for row in rows(levels):
            file.write(f'{between}[{", ".join(map(text, row))}]')
            between = ',\n '
        file.write(']}\n')


def read(results: Results) -> 'array[float]':
    """Returns the content of levels.json; no interval if it does not exist.
    Raises ClqcError if it is broken."""
    levels = none()
    path = results.path(LEVELS)
    frame = text = b''
    try:
        with open(path, 'rb') as file:
            while chunk := file.read(_CHUNK):
                text += chunk
                end = 0
                for row in _ROW.finditer(text):
                    frame += text[end:row.start()].strip(_BETWEEN)
                    end = row.end()
                    levels.extend(_NONE if value == b'null' else float(value)
                                  for value in row.groups())
                text = text[end:]
    except FileNotFoundError:
        return levels
    if b''.join((frame + text).split()) != b'{"levels":[]}':
        raise ClqcError(f'{path}: broken; remove it to measure again')
    return levels


def find_silence(levels: Iterable[Row], limit_db: float, min_duration: int,
                 film_end: Optional[int] = None) -> List[Event]:
    """Returns events of the kind `silence`: at least @min_duration nanoseconds
    in which the RMS of the loudest channel stays below @limit_db. @levels:
    rows(). Time before the first row is silent, and time after the
    last row up to @film_end, in nanoseconds. A gap between two rows is silent
    if it is longer than the row after it, or if the row before it is silent.
    Without rows there are no events."""
    events: List[Event] = []
    start: Optional[int] = None
    loudest = -700.0

    def end(at: int) -> None:
        if start is not None and at - start >= min_duration:
            events.append(Event('silence', start, at,
                                values={'loudest': loudest}))

    last: Optional[int] = None
    for begin, duration, rms, _ in levels:
        if last is None:
            last = 0 if begin > 0 else begin
            start = 0 if begin > 0 else None
        if begin - last > duration and start is None:  # packets are missing
            start, loudest = last, -700.0
        if rms is None or rms < limit_db:
            if start is None:
                start, loudest = begin, -700.0
            loudest = max(loudest, -700.0 if rms is None else rms)
        else:
            end(begin)
            start = None
        last = begin + duration
    if last is None:
        return []
    if film_end is not None and film_end > last:
        start = last if start is None else start
        last = film_end
    end(last)
    return events
