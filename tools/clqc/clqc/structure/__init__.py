# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the structure of containers, apart from GStreamer, which passes over
what is missing: a row of READERS a format, each with a file of its own."""
import contextlib
import mmap
import os
import struct
from types import ModuleType
from typing import Callable, Optional, Tuple

from . import matroska, mp4, mpegts, riff, zeros
from .model import BROKEN, CUT, LOST, ZERO, Missing, Structure, Table

__all__ = ['BROKEN', 'CUT', 'LOST', 'ZERO', 'Missing', 'Structure', 'Table',
           'read']

READERS: Tuple[ModuleType, ...] = (mp4, matroska, mpegts, riff)

_TOO_DAMAGED = (struct.error, ValueError, IndexError, OverflowError)


def read(path: str, tick: Callable[[], None] = lambda: None
         ) -> Optional[Structure]:
    """What the container of a local file tells; None: there is no reader for
    it, or it is too damaged to be read. @tick is called now and then."""
    size = os.path.getsize(path)
    if size < 16:
        return None
    with open(path, 'rb') as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for reader in READERS:
                if reader.is_of(data):
                    with contextlib.suppress(*_TOO_DAMAGED):
                        found: Structure = reader.read(data, size,
                                                       zeros.runs(path, tick))
                        return found
    return None
