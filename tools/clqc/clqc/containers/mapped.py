# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a part of a file whose content may be of any format, or broken."""
import contextlib
import mmap
import struct
from typing import Any, Callable, TypeVar

_T = TypeVar('_T')

_BROKEN = (OSError, ValueError, IndexError, struct.error, ZeroDivisionError,
           RecursionError)  # boxes in boxes


def read(path: str, is_of: Callable[[Any], bool], what: Callable[[Any], _T],
         usual: _T) -> _T:
    """Returns @what of the content of a file; @usual if it is no file, of
    another format or broken."""
    with contextlib.suppress(OSError, ValueError), open(
            path, 'rb') as file, mmap.mmap(
                file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        # within the block: arrays of an error's frames would keep it mapped
        with contextlib.suppress(*_BROKEN):
            return what(data) if is_of(data) else usual
    return usual
