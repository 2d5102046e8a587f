# SPDX-License-Identifier: LGPL-2.1-or-later
"""The packets of MPEG transport streams (ISO/IEC 13818-1), of 188 bytes or of
192 (M2TS): which bytes hold none, and what timestamps the pictures have."""
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy
import numpy.typing

from .model import BROKEN, ZERO, Missing, Structure

Integers = numpy.typing.NDArray[numpy.int64]
Bytes = numpy.typing.NDArray[numpy.uint8]

_SYNC = 0x47
_LAYOUTS = ((188, 0), (192, 4))  # bytes of a packet, and those before its sync

# Bytes that are looked at together.
_WINDOW = 1 << 27

# So many packets in a row have to begin with the sync byte.
_SURE = 5

# Ticks of a PTS, which has 33 bits, a second.
_TICKS = 90_000
_WRAP = 1 << 33


def _layout(data: Any, at: int) -> Optional[Tuple[int, int]]:
    """Whether packets begin at @at: their size, and where their sync is."""
    for size, skip in _LAYOUTS:
        if len(data) >= at + _SURE * size and all(
                data[at + skip + i * size] == _SYNC for i in range(_SURE)):
            return size, skip
    return None


def is_of(data: Any) -> bool:
    """Whether the file begins as one of these."""
    return _layout(data, 0) is not None


def _resync(data: Any, at: int, size: int, skip: int) -> Optional[int]:
    """Where packets begin again, at @at or behind it."""
    end = len(data)
    while True:
        at = data.find(bytes([_SYNC]), at, end)
        if at < 0 or at + (_SURE - 1) * size >= end:
            return None
        if all(data[at + i * size] == _SYNC for i in range(_SURE)):
            return max(at - skip, 0)
        at += 1


def _runs(data: Any, size: int, skip: int) -> List[Tuple[int, int]]:
    """Where packets follow each other: the place of the first one, and of
    the byte behind the last. A packet alone without a sync byte is damage
    within it, and breaks no run."""
    runs = []
    at: Optional[int] = 0
    while at is not None:
        n = (len(data) - at) // size
        sync = numpy.frombuffer(data, numpy.uint8, n * size, at).reshape(
            n, size)[:, skip] == _SYNC
        lost = ~sync[:-1] & ~sync[1:]
        first = int(lost.argmax()) if lost.any() else n
        runs.append((at, at + first * size))
        if first == n:
            break
        at = _resync(data, at + first * size, size, skip)
    return runs


def _windows(runs: Sequence[Tuple[int, int]], size: int
             ) -> Iterator[Tuple[int, int]]:
    """Ranges of whole packets that fit into memory."""
    step = _WINDOW // size * size
    for start, end in runs:
        for at in range(start, end, step):
            yield at, min(at + step, end)


def _video(data: Any, runs: Sequence[Tuple[int, int]], size: int,
           skip: int) -> Tuple[Integers, Integers]:
    """Of the packets that begin a picture of the first video: their places,
    and their PTS in ticks."""
    places, all_pts = [], []
    first: Optional[int] = None
    for start, end in _windows(runs, size):
        n = (end - start) // size
        heads = numpy.frombuffer(data, numpy.uint8, n * size, start).reshape(
            n, size)[:, skip:]
        number, pid, pts = stamps(heads)
        if first is None and (pid >= 0).any():
            first = int(pid[pid >= 0][0])
        mine = pid == (-2 if first is None else first)
        places.append(start + number[mine] * size)
        all_pts.append(pts[mine])
    none = numpy.zeros(0, numpy.int64)
    return (numpy.concatenate([none, *places]),
            numpy.concatenate([none, *all_pts]))


def stamps(heads: Bytes) -> Tuple[Integers, Integers, Integers]:
    """Of each packet that begins a PES packet with a PTS: its number, its
    PID, and the PTS in ticks."""
    number = numpy.flatnonzero((heads[:, 1] & 0x40) != 0)
    rows = heads[number]
    control = rows[:, 3] >> 4 & 3
    payload = 4 + numpy.where(control == 3, rows[:, 4].astype(int) + 1, 0)
    fits = (control & 1 == 1) & (payload + 14 <= rows.shape[1])
    number, rows, payload = number[fits], rows[fits], payload[fits]
    column = payload[:, None] + numpy.arange(14)
    pes = numpy.take_along_axis(rows, column, 1).astype(numpy.int64)
    is_pes = ((pes[:, 0] == 0) & (pes[:, 1] == 0) & (pes[:, 2] == 1)
              & (pes[:, 7] & 0x80 != 0) & (pes[:, 9] & 0x21 == 0x21))
    number, rows, pes = number[is_pes], rows[is_pes], pes[is_pes]
    pts = ((pes[:, 9] >> 1 & 7) << 30 | pes[:, 10] << 22
           | (pes[:, 11] >> 1) << 15 | pes[:, 12] << 7 | pes[:, 13] >> 1)
    pid = (rows[:, 1].astype(numpy.int64) & 0x1f) << 8 | rows[:, 2]
    video = pes[:, 3] & 0xf0 == 0xe0
    return number, numpy.where(video, pid, -1), pts


def _unwrapped(pts: Integers) -> Integers:
    """Nanoseconds, without the wraps of the 33 bits of a PTS."""
    steps = numpy.diff(pts, prepend=pts[:1])
    turns = numpy.cumsum((steps < -_WRAP // 2).astype(int)
                         - (steps > _WRAP // 2).astype(int))
    return numpy.asarray((pts + turns * _WRAP) * 10 ** 9 // _TICKS)


def _around(times: Integers, places: Integers, at: int
            ) -> Tuple[Optional[int], Optional[int]]:
    """Times of the last picture in front of byte @at, and of the first one
    behind it."""
    split = int(numpy.searchsorted(places, at))
    return (int(times[split - 1]) if split > 0 else None,
            int(times[split]) if split < len(times) else None)


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """@data: the file, as bytes. @zeros: where runs of zero bytes begin and
    end."""
    found = Structure()
    layout = _layout(data, 0)
    if layout is None:
        return found
    runs = _runs(data, *layout)
    places, pts = _video(data, runs, *layout)
    times = _unwrapped(pts)
    found.stamps = times.tolist()
    bounds = [end for _, end in runs]
    nexts = [start for start, _ in runs[1:]] + [size]
    for start, end in zip(bounds, nexts):
        if end - start < layout[0]:
            continue
        is_zero = any(first <= start + 4096 and end <= last + 4096
                      for first, last in zeros)
        found.missing.append(Missing(
            start, end, ZERO if is_zero else BROKEN,
            *_around(times - times[:1], places, start)))
    return found
