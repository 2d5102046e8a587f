# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds zeros instead of content, which an interrupted copy or lost disk
blocks leave."""
import errno
import os
from typing import Any, List, Tuple

import numpy

BLOCK = 4096
_CHUNK = 1024 * BLOCK


def _extents(file: Any, size: int) -> List[Tuple[int, int]]:
    """Yields ranges with data; between them are holes of a sparse file, which
    are zero and need not be read."""
    extents = []
    at = 0
    try:
        while at < size:
            start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            extents.append((start, at))
    except OSError as error:
        if error.errno == errno.ENXIO:  # no data until the end
            return extents
        return [(0, size)]
    return extents


def runs(path: str) -> List[Tuple[int, int]]:
    """Yields the first byte and the byte after the last of each run of zero
    blocks, which begin at multiples of BLOCK; the last block may be shorter.
    """
    size = os.path.getsize(path)
    is_zero = numpy.ones(-(-size // BLOCK), bool)
    with open(path, 'rb') as file:
        for start, end in _extents(file, size):
            at = start - start % BLOCK
            file.seek(at)
            while at < end:
                chunk = file.read(min(_CHUNK, size - at))
                if not chunk:
                    break
                padded = chunk + bytes(-len(chunk) % BLOCK)
                blocks = numpy.frombuffer(padded, numpy.uint64).reshape(
                    -1, BLOCK // 8)
                first = at // BLOCK
                is_zero[first:first + len(blocks)] = ~blocks.any(axis=1)
                at += len(chunk)
    edges = numpy.flatnonzero(numpy.diff(
        numpy.concatenate([[0], is_zero.astype(numpy.int8), [0]])))
    return [(int(start) * BLOCK, min(int(end) * BLOCK, size))
            for start, end in edges.reshape(-1, 2)]
