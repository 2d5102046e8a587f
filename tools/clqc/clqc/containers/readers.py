# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the structure of containers without GStreamer, which skips missing
data. Each format has a row of READERS and its own file."""
import contextlib
import mmap
import os
import struct
import threading
from dataclasses import asdict
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from clqc.containers import (asf, avi, flv, matroska, mp4, mpegps, mpegts, mxf,
                             ogg, zeros)
from clqc.containers.structure import (BROKEN, CUT, LOST, ZERO, Missing,
                                       Structure, Table)

__all__ = ['BROKEN', 'CUT', 'LOST', 'ZERO', 'Missing', 'Structure', 'Table',
           'damage', 'damage_of', 'read']

READERS: Tuple[ModuleType, ...] = (mp4, matroska, avi, ogg, flv, mxf, asf,
                                   mpegps, mpegts)

_TOO_DAMAGED = (struct.error, ValueError, IndexError, OverflowError)


# Seconds between two ticks, and minimum bytes per second of a disk.
_TICK_SECONDS = 5.0
_SLOWEST = 5_000_000


@contextlib.contextmanager
def _ticking(tick: Callable[[], None], size: int) -> Iterator[None]:
    """Calls @tick in a separate thread, for as long as reading @size bytes may
    take: a reader may spend long in one call of numpy."""
    ended = threading.Event()

    def beat() -> None:
        for _ in range(int((60 + size / _SLOWEST) / _TICK_SECONDS)):
            if ended.wait(_TICK_SECONDS):
                return
            tick()
    thread = threading.Thread(target=beat, daemon=True, name='tick')
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def read(path: str, tick: Callable[[], None] = lambda: None
         ) -> Optional[Structure]:
    """Returns the structure of a local file; None if there is no reader for
    it, or if it is too damaged. @tick is called regularly in another thread.
    """
    size = os.path.getsize(path)
    if size < 16:
        return None
    with open(path, 'rb') as file, _ticking(tick, size):
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for reader in READERS:
                if reader.is_of(data):
                    with contextlib.suppress(*_TOO_DAMAGED):
                        found: Structure = reader.read(
                            data, size, zeros.runs(path))
                        return found
    return None


# Maximum number of places in the sentence about a file.
_PLACES = 3


def _sentence(one: Dict[str, Any]) -> str:
    if one['why'] == CUT:
        return (f'the file has {one["start"]:,} of at least {one["end"]:,} '
                'bytes')
    return (f'bytes {one["start"]:,} to {one["end"]:,} are missing: '
            f'{one["why"]}')


def damage(found: Optional[Dict[str, Any]]) -> str:
    """Returns what is wrong with a file that cannot be decoded, as a suffix of
    its error. @found: a Structure as a dictionary."""
    if found is None:
        return ''
    sentences = [found['lacks']] if found['lacks'] else []
    sentences += [_sentence(one) for one in found['missing'][:_PLACES]]
    return ''.join('; ' + text for text in sentences)


def damage_of(path: str, tick: Callable[[], None] = lambda: None) -> str:
    """Returns damage() of a local file of any format."""
    found = read(path, tick)
    if found is None:
        with _ticking(tick, os.path.getsize(path)):
            first = next(iter(zeros.runs(path)), None)
        found = Structure(missing=[
            Missing(*first, ZERO)] if first and first[0] == 0 else [])
    return damage(asdict(found))
