# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tags of FLV files (Adobe Flash Video File Format 10.1)."""
import struct
from typing import Any, Optional, Sequence, Tuple

import numpy

from clqc.containers.structure import (CUT, Missing, Structure, misplaced,
                                       named_zero)

_HEAD = 11   # bytes of a tag before its content
_AFTER = 4   # bytes after its content: the size of the tag
_KINDS = (8, 9, 18)  # sound, picture, data

# Bytes per search step.
_WINDOW = 1 << 20

_FILE_SIZE = b'filesize\x00'  # a name in the first tag, and a type: double


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:3]) == b'FLV'


def _tag(data: Any, at: int, size: int) -> Optional[Tuple[int, int]]:
    """Returns the end of a tag, and its time in milliseconds; None if there is
    no tag."""
    if at + _HEAD > size or data[at] & 0x1f not in _KINDS or any(
            data[at + 8:at + _HEAD]):
        return None
    length = int.from_bytes(data[at + 1:at + 4], 'big')
    time = int.from_bytes(data[at + 4:at + 7], 'big') | data[at + 7] << 24
    return at + _HEAD + length, time


def _next(data: Any, at: int, size: int) -> int:
    """Returns the start of the next tag that is followed by its size, or the
    end."""
    while at + _HEAD < size:
        window = numpy.frombuffer(data, numpy.uint8,
                                  min(_WINDOW + _HEAD, size - at), at)
        n = len(window) - _HEAD + 1
        is_tag = numpy.isin(window[:n], _KINDS)
        for i in range(8, _HEAD):
            is_tag &= window[i:i + n] == 0
        for i in numpy.flatnonzero(is_tag):
            place = at + int(i)
            end = place + _HEAD + int.from_bytes(
                data[place + 1:place + 4], 'big')
            if end + _AFTER <= size and int.from_bytes(
                    data[end:end + _AFTER], 'big') == end - place:
                return place
        at += n
    return size


def _named_size(data: Any, start: int) -> int:
    """Returns the size of the file in the first tag, or 0."""
    tag = _tag(data, start, len(data))
    at = data.find(_FILE_SIZE, start, tag[0]) if tag else -1
    if at < 0:
        return 0
    return int(struct.unpack_from('>d', data, at + len(_FILE_SIZE))[0])


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    found = Structure(resolution=1_000_000)
    start = struct.unpack_from('>I', data, 5)[0] + _AFTER
    at, last = start, start - 1
    lost: Optional[Missing] = None
    time = 0
    end = 0
    while at < size:
        tag = _tag(data, at, size)
        if tag is None and data[at] & 0x1f in _KINDS and at + _HEAD > size:
            end = size  # or more: within its head
            break
        following = size
        if tag is None or tag[0] > size:
            following = _next(data, last + 1, size)
        if tag and tag[0] + _AFTER > size and following == size:
            end = tag[0] + _AFTER
            break
        if tag is None or tag[0] > size:
            lost = named_zero(misplaced(at, following), zeros)
            lost.first_time = time * 1_000_000
            found.missing.append(lost)
            at, last = following, following
            continue
        last = at
        at, time = tag[0] + _AFTER, tag[1]
        if lost and lost.last_time is None:
            lost.last_time = time * 1_000_000
    named_size = 0 if found.missing else _named_size(data, start)
    if end or named_size > size:
        found.missing.append(Missing(size, max(end, named_size), CUT,
                                     time * 1_000_000))
    return found
