# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the structure of containers, apart from GStreamer, which passes over
what is missing: a row of READERS a format, each with a file of its own."""
import contextlib
import mmap
import os
import struct
from dataclasses import asdict
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Tuple

from . import asf, flv, matroska, mp4, mpegps, mpegts, mxf, ogg, riff, zeros
from .model import BROKEN, CUT, LOST, ZERO, Missing, Structure, Table

__all__ = ['BROKEN', 'CUT', 'LOST', 'ZERO', 'Missing', 'Structure', 'Table',
           'damage', 'damage_of', 'read']

READERS: Tuple[ModuleType, ...] = (mp4, matroska, riff, ogg, flv, mxf, asf,
                                   mpegps, mpegts)

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


# Places that the sentence about a file has.
_PLACES = 3


def _told(one: Dict[str, Any]) -> str:
    if one['why'] == CUT:
        return (f'the file has {one["start"]:,} of at least {one["end"]:,} '
                'bytes')
    return (f'bytes {one["start"]:,} to {one["end"]:,} are missing: '
            f'{one["why"]}')


def damage(found: Optional[Dict[str, Any]]) -> str:
    """What is wrong with a file that cannot be decoded, to be put behind the
    sentence that says so. @found: a Structure as a dictionary."""
    if found is None:
        return ''
    said = [found['lacks']] if found['lacks'] else []
    said += [_told(one) for one in found['missing'][:_PLACES]]
    return ''.join('; ' + text for text in said)


def damage_of(path: str, tick: Callable[[], None] = lambda: None) -> str:
    """The same of a local file, which need not look like any container."""
    found = read(path, tick)
    if found is None:
        first = next(iter(zeros.runs(path, tick)), None)
        found = Structure(missing=[
            Missing(*first, ZERO)] if first and first[0] == 0 else [])
    return damage(asdict(found))
