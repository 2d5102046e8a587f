# SPDX-License-Identifier: LGPL-2.1-or-later
"""The objects of ASF files (WMV): checks the length of the file."""
import struct
from typing import Any, Sequence, Tuple
from uuid import UUID

from clqc.containers.structure import CUT, Missing, Structure

_HEADER = UUID('75B22630-668E-11CF-A6D9-00AA0062CE6C').bytes_le
_DATA = UUID('75B22636-668E-11CF-A6D9-00AA0062CE6C').bytes_le
_PROPERTIES = UUID('8CABDCA1-A947-11CF-8EE4-00C00C205365').bytes_le
_LIVE = 1  # a flag of the properties; most of them then have no value


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[:16]) == _HEADER


def read(data: Any, size: int, _: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes."""
    found = Structure(resolution=1_000_000)
    n_header, = struct.unpack_from('<Q', data, 16)
    at = data.find(_PROPERTIES, 0, min(n_header, size))
    if at < 0:
        return found
    (named_size, _, n_packets, duration, _, preroll, flags, n_bytes
     ) = struct.unpack_from('<6Q2I', data, at + 40)
    if flags & _LIVE or bytes(data[n_header:n_header + 16]) != _DATA:
        return found
    end = max(named_size, n_header + 50 + n_packets * n_bytes)
    if end > size:
        # packets have one size, and about the same duration
        share = (size - n_header - 50) / (n_packets * n_bytes or 1)
        length = max(duration * 100 - preroll * 1_000_000, 0)
        found.missing.append(Missing(size, end, CUT, round(
            min(max(share, 0), 1) * length), length))
    return found
