# SPDX-License-Identifier: LGPL-2.1-or-later
"""The packets of MPEG transport streams (ISO/IEC 13818-1), of 188 bytes, of
192 (M2TS) or of 204 (with a Reed-Solomon code): finds the byte ranges without
valid packets, and the timestamps of the pictures."""
from array import array
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import numpy.typing

from clqc.containers.structure import (BROKEN, CUT, Missing, Structure,
                                       named_zero)

Integers = numpy.typing.NDArray[numpy.int64]
Bytes = numpy.typing.NDArray[numpy.uint8]

_SYNC = 0x47
_PACKET = 188  # bytes from the sync byte on, before those of a layout

# Bytes per step.
_WINDOW = 1 << 27

# Number of consecutive packets that must begin with the sync byte, and bytes
# of the file within which the first of them must begin.
_SURE = 5
_SEARCHED = 1 << 16

# Ticks of a PTS, which has 33 bits, a second.
_TICKS = 90_000
_WRAP = 1 << 33


class Layout(NamedTuple):
    """The layout of packets."""
    size: int   # bytes from one packet to the next
    skip: int   # bytes of a packet before its sync byte
    start: int  # offset of the first whole packet of the file


def _layout(data: Any) -> Optional[Layout]:
    """Returns the layout; a recording may begin within a packet."""
    head = numpy.frombuffer(data, numpy.uint8, min(
        len(data), _SEARCHED + _SURE * 204))
    # a packet has a payload or an adaptation field
    is_head = (head[:-3] == _SYNC) & (head[3:] & 0x30 != 0)
    found = []
    for size, skip in ((188, 0), (192, 4), (204, 0)):
        n = len(is_head) - (_SURE - 1) * size
        if n > 0:
            is_run = numpy.logical_and.reduce([
                is_head[i * size:i * size + n] for i in range(_SURE)])
            if is_run.any():
                at = int(is_run.argmax())
                found.append((at, Layout(size, skip, (at - skip) % size)))
    return min(found)[1] if found else None


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return _layout(data) is not None


def _resync(data: Any, at: int, layout: Layout) -> Optional[int]:
    """Returns where packets begin again after @at."""
    size = layout.size
    at += 1
    while True:
        at = data.find(bytes([_SYNC]), at)
        if at < 0 or at + (_SURE - 1) * size >= len(data):
            return None
        if all(data[at + i * size] == _SYNC for i in range(_SURE)):
            return at - layout.skip
        at += 1


def _windows(runs: Sequence[Tuple[int, int]], size: int
             ) -> Iterator[Tuple[int, int]]:
    """Yields ranges of whole packets that fit into memory."""
    step = _WINDOW // size * size
    for start, end in runs:
        for at in range(start, end, step):
            yield at, min(at + step, end)


def _packets(data: Any, start: int, end: int, layout: Layout) -> Bytes:
    """Returns an array with one row per packet, from its sync byte on."""
    rows = numpy.frombuffer(data, numpy.uint8, end - start, start)
    return rows.reshape(-1, layout.size)[:, layout.skip:][:, :_PACKET]


def _end(data: Any, at: int, layout: Layout) -> int:
    """Returns the end of the consecutive packets from @at on. A single packet
    without a sync byte, except the first, is damage within them."""
    size = layout.size
    end = at + (len(data) - at) // size * size
    was_lost = True
    for start, stop in _windows([(at, end)], size):
        lost = _packets(data, start, stop, layout)[:, 0] != _SYNC
        both = lost & numpy.concatenate([[was_lost], lost[:-1]])
        if both.any():
            return max(start + (int(both.argmax()) - 1) * size, at)
        was_lost = lost[-1]
    return end


def _runs(data: Any, layout: Layout) -> List[Tuple[int, int]]:
    """Returns the runs of consecutive packets: the offset of the first packet
    and the offset after the last."""
    runs = []
    at: Optional[int] = layout.start
    while at is not None and at < len(data):
        end = _end(data, at, layout)
        if end > at:
            runs.append((at, end))
        at = _resync(data, end, layout) if (
            len(data) - end >= layout.size) else None
    return runs


class _Begins(NamedTuple):
    """For each packet that begins a PES packet with a PTS: its offset, its
    PID, the PTS in ticks, and whether it is of a video."""
    places: Integers
    pids: Integers
    pts: Integers
    are_video: Integers

    def where(self, chosen: Integers) -> '_Begins':
        """Returns the entries that @chosen selects."""
        return _Begins(*(column[chosen] for column in self))


def _begins(data: Any, runs: Sequence[Tuple[int, int]], layout: Layout
            ) -> _Begins:
    """Returns the PES starts of the whole file, without those of repeated
    packets."""
    found = [_Begins(*[numpy.zeros(0, numpy.int64)] * 4)]
    for start, end in _windows(runs, layout.size):
        one = _begins_of(_packets(data, start, end, layout))
        found.append(one._replace(places=start + one.places * layout.size))
    all_of = _Begins(*[numpy.concatenate(column) for column in zip(*found)])
    order = numpy.argsort(all_of.pids, kind='stable')
    is_new = numpy.ones(len(order), bool)
    is_new[order[1:]] = numpy.logical_or(*(
        numpy.diff(column[order]) != 0
        for column in (all_of.pids, all_of.pts)))
    return all_of.where(is_new)


def _begins_of(heads: Bytes) -> _Begins:
    """Returns the PES starts; the offset of each is its number."""
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
    return _Begins(number, pid, pts, pes[:, 3] & 0xf0 == 0xe0)


def _unwrapped(pts: Integers) -> Integers:
    """Returns nanoseconds, without the wraps of the 33 bits of a PTS."""
    steps = numpy.diff(pts, prepend=pts[:1])
    wraps = numpy.cumsum((steps < -_WRAP // 2).astype(int)
                         - (steps > _WRAP // 2).astype(int))
    return numpy.asarray((pts + wraps * _WRAP) * 10 ** 9 // _TICKS)


def _around(times: Integers, places: Integers, at: int
            ) -> Tuple[Optional[int], Optional[int]]:
    """Returns the times of the last picture before byte @at and of the first
    one after it, the earlier one first."""
    split = int(numpy.searchsorted(places, at))
    if 0 < split < len(times):
        around = times[split - 1:split + 1]
        return int(around.min()), int(around.max())
    return (int(times[-1]) if split else None,
            int(times[0]) if len(times) and not split else None)


def _programs(data: Any, runs: Sequence[Tuple[int, int]],
              layout: Layout) -> int:
    """Returns the number of programs in the first program association table; 0
    if there is none in the first packets."""
    for start, end in _windows(runs[:1], layout.size):
        rows = _packets(data, start, end, layout)
        begins = (rows[:, 1] & 0x5f == 0x40) & (rows[:, 2] == 0)
        for row in rows[begins]:
            packet = row.tolist()
            at = 4 + (packet[4] + 1 if packet[3] & 0x20 else 0)
            at += 1 + packet[at] if at < _PACKET else 0  # pointer_field
            if at + 8 > _PACKET or packet[at] != 0:
                continue
            length = (packet[at + 1] & 0xf) << 8 | packet[at + 2]
            entries = packet[at + 8:at + 3 + length - 4]
            return sum(any(entries[i:i + 2])  # 0 is the network
                       for i in range(0, len(entries) - 3, 4))
        break
    return 0


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    found = Structure(resolution=10 ** 9 / 90_000)
    layout = _layout(data)
    if layout is None:
        return found
    runs = _runs(data, layout)
    begins = _begins(data, runs, layout)
    videos = begins.where(begins.are_video == 1)
    first = videos.where(videos.pids == videos.pids[:1])
    places, times = first.places, _unwrapped(first.pts)
    found.stamps = array('q', times.tobytes())
    for pid in set(begins.pids[begins.are_video == 0].tolist()):
        found.others[pid] = array('q', _unwrapped(
            begins.pts[begins.pids == pid]).tobytes())
    found.programs = _programs(data, runs, layout)
    bounds = [0] + [end for _, end in runs]
    nexts = [start for start, _ in runs] + [size]
    for start, end in zip(bounds, nexts):
        if end - start < layout.size:
            continue
        found.missing.append(named_zero(Missing(
            start, end, BROKEN, *_around(times, places, start)), zeros))
    last = bounds[-1] + layout.skip
    if last < size < last + _PACKET and data[last] == _SYNC:
        found.missing.append(Missing(size, last + _PACKET, CUT,
                                     *_around(times, places, size)))
    return found
