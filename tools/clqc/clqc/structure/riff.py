# SPDX-License-Identifier: LGPL-2.1-or-later
"""The chunks of AVI files (RIFF, OpenDML): checks the length of the file."""
import struct
from typing import Any, Sequence, Tuple

from .model import CUT, Missing, Structure


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
