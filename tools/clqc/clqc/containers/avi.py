# SPDX-License-Identifier: LGPL-2.1-or-later
"""AVI files (RIFF, OpenDML): checks the length of the file, and finds video
chunks without bytes: the writer dropped a frame, and the previous picture is
repeated. Demuxers skip such chunks."""
import struct
from typing import Any, Iterator, List, Sequence, Tuple

import numpy

from clqc.containers import mapped
from clqc.containers.structure import CUT, Missing, Structure


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:4]) == b'RIFF' and bytes(data[8:12]) == b'AVI '


def read(data: Any, size: int, _: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes."""
    found = Structure()
    at = 0
    while at + 8 <= size:
        kind, length = struct.unpack_from('<4sI', data, at)
        if kind != b'RIFF' or length in (0, 0xFFFFFFFF):  # of a stream
            return found
        at += 8 + length + length % 2
    if at > size + 1:
        found.missing.append(Missing(size, at, CUT))
    return found


_ENTRY = numpy.dtype([('name', 'S4'), ('flags', '<u4'), ('place', '<u4'),
                      ('size', '<u4')])


def _chunks(data: Any, start: int, end: int
            ) -> Iterator[Tuple[bytes, int, int]]:
    """Yields name, start and end of each chunk; a list has the name of its
    content. A list of size 0 has not been finished: it ends with the file."""
    while start + 8 <= end:
        name, size = struct.unpack_from('<4sI', data, start)
        if name in (b'LIST', b'RIFF'):
            size = size or max(end - start - 8, 4)
            yield data[start + 8:start + 12], start + 12, start + 8 + size
        else:
            yield name, start + 8, start + 8 + size
        start += 8 + size + size % 2


def _duration(data: Any, start: int, end: int) -> Tuple[int, float]:
    """Returns the number of the first video and its frame duration in seconds,
    from the headers between two places; 0 if there is none."""
    lists = [chunk for chunk in _chunks(data, start, end)
             if chunk[0] == b'strl']
    for number, (_, first, last) in enumerate(lists):
        for name, at, _ in _chunks(data, first, last):
            if name == b'strh' and data[at:at + 4] == b'vids':
                scale, rate = struct.unpack_from('<II', data, at + 20)
                return number, scale / rate
    return 0, 0


def _sizes(data: Any, start: int, end: int, names: Sequence[bytes]
           ) -> Iterator[int]:
    """Yields the sizes of the chunks with these names, in all lists."""
    for name, first, last in _chunks(data, start, end):
        if name in names:
            yield last - first
        elif name in (b'AVI ', b'AVIX', b'movi', b'rec '):
            yield from _sizes(data, first, min(last, end), names)


def _empty_chunks(data: Any) -> List[int]:
    """Finds them in the index (idx1); in a file without it, or with further
    segments (OpenDML), which it does not cover, in the chunks."""
    chunks = {name: (start, min(end, len(data)))
              for name, start, end in _chunks(data, 12, len(data))}
    if b'hdrl' not in chunks:
        return []
    number, duration = _duration(data, *chunks[b'hdrl'])
    names = [b'%02d' % number + kind for kind in (b'dc', b'db')]
    if b'idx1' in chunks and b'AVIX' not in chunks:
        start, end = chunks[b'idx1']
        entries = numpy.frombuffer(
            data, _ENTRY, (end - start) // _ENTRY.itemsize, start)
        sizes = entries['size'][numpy.isin(entries['name'], names)]
    else:
        sizes = numpy.fromiter(_sizes(data, 0, len(data), names), numpy.int64)
    return [round(int(i) * duration * 1e9)
            for i in numpy.flatnonzero(sizes == 0)] if duration else []


def dropped_frames(path: str) -> List[int]:
    """Returns the timestamps of empty chunks in nanoseconds; none for other
    formats."""
    return mapped.read(path, is_of, _empty_chunks, [])
