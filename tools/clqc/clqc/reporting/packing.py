# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers for a page: rounded to steps, as differences, deflated, in base64.

The browser undoes it (page/unpack.js). Of N values, the first N bytes are the
low bytes of the differences of neighbours, the next N the next higher ones, as
many times as `bytes` says; differences wrap around. A value is
`low + (code - 1) * step`; the code 0 stands for no value.
"""
import base64
import zlib
from dataclasses import dataclass
from typing import Dict, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


@dataclass
class Packed:
    """Text for the page, and the data for reading it."""
    text: str
    count: int
    bytes: int
    low: float
    step: float

    def about(self) -> Dict[str, Union[int, float]]:
        """Returns the data for reading the text."""
        return {'count': self.count, 'bytes': self.bytes,
                'low': self.low, 'step': self.step}


def deflate(data: bytes) -> str:
    """Compresses bytes to text."""
    return base64.b64encode(zlib.compress(data, 6)).decode('ascii')


def pack(values: Values, bits: int) -> Packed:
    """Packs values in at most 2^bits - 1 steps. Integers that need no more
    steps are exact."""
    known = values[np.isfinite(values)]
    low = float(known.min()) if len(known) else 0.0
    reach = (float(known.max()) if len(known) else 0.0) - low
    most = 2 ** bits - 2
    if np.array_equal(known, np.rint(known)) and reach <= most:
        step = 1.0
    else:
        step = reach / most or 1.0
    codes = np.rint((np.where(np.isfinite(values), values, low) - low) / step)
    codes = np.where(np.isfinite(values), codes + 1, 0)
    width = 1 if codes.max(initial=0) < 256 else 2
    return Packed(_differences(codes, width), len(values), width, low, step)


def pack_times(times: Sequence[int]) -> Packed:
    """Packs times in nanoseconds as seconds in steps of 10 microseconds."""
    codes = np.rint(np.array(times, dtype=np.float64) / 10_000) + 1
    return Packed(_differences(codes, 6), len(times), 6, 0.0, 1e-5)


def _differences(codes: Values, width: int) -> str:
    """Returns the code of the first value, then differences, low bytes first.
    """
    whole = np.diff(codes.astype(np.int64), prepend=0)
    planes = [((whole >> (8 * plane)) & 255).astype(np.uint8).tobytes()
              for plane in range(width)]
    return deflate(b''.join(planes))


def envelope(values: Values, span: int) -> Tuple[Values, Values]:
    """Returns the least and the greatest of each `span` values, NaN if all are
    unknown."""
    columns = -(-len(values) // span)
    padded = np.full(columns * span, np.nan)
    padded[:len(values)] = values
    rows = padded.reshape(columns, span)
    known = np.isfinite(rows)
    some = known.any(axis=1)
    least = np.where(known, rows, np.inf).min(axis=1)
    greatest = np.where(known, rows, -np.inf).max(axis=1)
    return (np.where(some, least, np.nan), np.where(some, greatest, np.nan))
