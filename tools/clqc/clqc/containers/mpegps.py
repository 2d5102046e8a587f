# SPDX-License-Identifier: LGPL-2.1-or-later
"""The packs and packets of MPEG program streams (ISO/IEC 13818-1 and
11172-1)."""
from typing import Any, Optional, Sequence, Tuple

from clqc.containers.structure import (CUT, Missing, Structure, misplaced,
                                       named_zero)

_START = b'\x00\x00\x01'
_PACK = b'\x00\x00\x01\xba'
_END = 0xB9

# Bytes that pad sectors. A gap of _LONG bytes or more is damage.
_PADDING = b'\x00\xff'
_LONG = 4096


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:4]) == _PACK


def _clock(data: Any, at: int) -> Tuple[int, int]:
    """Returns the end of the pack header at @at, and its system clock
    reference (SCR, without the extension) in nanoseconds."""
    first = data[at + 4]
    bits = int.from_bytes(data[at + 4:at + 9], 'big')
    if first >> 6 == 1:  # MPEG-2
        clock = (bits >> 35 & 7) << 30 | (bits >> 19 & 0x7fff) << 15 | (
            bits >> 3 & 0x7fff)
        end = at + 14 + (data[at + 13] & 7)
    else:
        clock = (bits >> 33 & 7) << 30 | (bits >> 17 & 0x7fff) << 15 | (
            bits >> 1 & 0x7fff)
        end = at + 12
    return end, clock * 10 ** 9 // 90_000


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    found = Structure(resolution=10 ** 9 / 90_000)
    at = last = 0
    begin: Optional[int] = None  # the first clock reference
    time = 0
    lost: Optional[Missing] = None
    while at + 14 <= size:
        code = data[at + 3] if data[at:at + 3] == _START else 0
        if code < _END:
            following = data.find(_PACK, at)
            following = size if following < 0 else following
            if following - at >= _LONG or data[at:following].strip(_PADDING):
                lost = named_zero(misplaced(at, following), zeros)
                lost.first_time = time
                found.missing.append(lost)
            at = following
            continue
        last = at
        if code == 0xBA:
            at, clock = _clock(data, at)
            begin = clock if begin is None else begin
            time = clock - begin
            if lost and lost.last_time is None:
                lost.last_time = time
        elif code == _END:
            at += 4
        else:
            at += 6 + (data[at + 4] << 8 | data[at + 5])
    if at > size and last + 6 <= size:
        found.missing.append(Missing(size, at, CUT, time))
    return found
