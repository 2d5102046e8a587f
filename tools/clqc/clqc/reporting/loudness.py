# SPDX-License-Identifier: LGPL-2.1-or-later
"""The level of the sound, as two statistics of the frames."""
from typing import Any, Dict, Sequence

import numpy as np

from clqc.reporting.packing import Values
from clqc.results import sound_levels
from clqc.results.result_files import Results

LEAST = -100.0  # dB; value for digital silence


def of(results: Results, times: Sequence[int], end: int) -> Dict[str, Values]:
    """Returns the greatest RMS and peak during each frame, in dB of full
    scale; NaN after the end of the sound. Empty without sound."""
    rows = np.array(sound_levels.read(results)).reshape(-1, 4)
    if not len(rows) or not times:
        return {}
    starts = rows[:, 0].astype(np.int64)
    shown = np.array(times, dtype=np.int64)
    first = np.maximum(np.searchsorted(starts, shown, 'right') - 1, 0)
    last = np.searchsorted(starts, np.append(shown[1:], end), 'left')
    parts = np.column_stack((first, np.maximum(last, first + 1))).ravel()
    silent = shown >= rows[-1, 0] + rows[-1, 1]
    return {name: np.where(silent, np.nan, _greatest(
        rows[:, place], parts))
        for name, place in (('sound-rms', 2), ('sound-peak', 3))}


def _greatest(levels: Values, parts: 'np.ndarray[Any, Any]') -> Values:
    """Returns the maxima of the levels from parts[0] to parts[1], from
    parts[2] and so on."""
    values = np.append(np.fmax(levels, LEAST), LEAST)
    greatest: Values = np.maximum.reduceat(values, parts)[::2]
    return greatest
