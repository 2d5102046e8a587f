# SPDX-License-Identifier: LGPL-2.1-or-later
"""The boxes of MP4 and QuickTime files (ISO/IEC 14496-12)."""
import struct
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Tuple

import numpy
import numpy.typing

Integers = numpy.typing.NDArray[numpy.int64]


@dataclass
class Box:
    """One box; @start and @end are those of its content, and @end may be after
    the end of the file."""
    kind: bytes
    start: int
    end: int


def boxes(data: Any, start: int, end: int) -> Iterator[Box]:
    """Yields the boxes between two offsets, up to a broken one."""
    while start + 8 <= end:
        size, kind = struct.unpack_from('>I4s', data, start)
        head = 8
        if size == 1 and start + 16 <= end:
            size, = struct.unpack_from('>Q', data, start + 8)
            head = 16
        elif size == 0:
            size = end - start
        if size < head:
            return
        yield Box(kind, start + head, start + size)
        start += size


def find(data: Any, box: Box, *kinds: bytes) -> Optional[Box]:
    """Returns the first box below @box with this path of names."""
    for kind in kinds:
        found = next((inner for inner in boxes(data, box.start, box.end)
                      if inner.kind == kind), None)
        if found is None:
            return None
        box = found
    return box


def length(data: Any, box: Box) -> Tuple[int, str, int, int]:
    """Returns from mvhd or mdhd: the offset of the duration, its format for
    struct, the ticks of a second, the duration in ticks."""
    form, at = ('>Q', 20) if data[box.start] == 1 else ('>I', 12)
    scale, = struct.unpack_from('>I', data, box.start + at)
    place = box.start + at + 4
    return place, form, scale, struct.unpack_from(form, data, place)[0]


def table(data: Any, box: Optional[Box], skip: int, kind: str,
          width: int) -> Integers:
    """Returns the rows of a table after their count; @skip: bytes before that
    count."""
    if box is None:
        return numpy.zeros((0, width), numpy.int64)
    count, = struct.unpack_from('>I', data, box.start + skip)
    size = numpy.dtype(kind).itemsize * width
    count = min(count, max(box.end - box.start - skip - 4, 0) // size)
    return numpy.frombuffer(data, kind, count * width, box.start + skip + 4
                            ).astype(numpy.int64).reshape(-1, width)
