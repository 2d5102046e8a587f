# SPDX-License-Identifier: LGPL-2.1-or-later
"""Learns a known picture for the event card: a group of a card file,
docs/events.md."""
import os
import tempfile
from typing import Any, Dict, Tuple

import numpy

from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.judging.rules.detectors import nanoseconds
from clqc.measuring import card_files

# Means are in this part of a code.
_CELL_ONE = 16

# The levels of black and white.
_WHITE = 1000


def _levels(cells: Dict[str, Any]) -> Tuple[str, Any]:
    """Returns the names of the components, and the levels of each cell."""
    names = [name for name in cells['components'] if name != 'A']
    means = numpy.array(cells['cell-means'], float)[:len(names)]
    codes = means / _CELL_ONE
    unit = 1 << (cells['depth'] - 8)
    most = (1 << cells['depth']) - 1
    is_full = cells['full-range']
    low, span = (0, most) if is_full else (16 * unit, 219 * unit)
    if names != ['Y', 'U', 'V']:
        return ('RGB' if len(names) == 3 else 'Y',
                (codes - low).T / span * _WHITE)
    luma = (codes[0] - low) / span
    blue_step, red_step = (codes[1:] - 128 * unit) / (
        most if is_full else 224 * unit)
    red_weight, blue_weight = cells['weights']
    red = luma + 2 * (1 - red_weight) * red_step
    blue = luma + 2 * (1 - blue_weight) * blue_step
    green = (luma - red_weight * red - blue_weight * blue) / (
        1 - red_weight - blue_weight)
    return 'RGB', numpy.stack([red, green, blue], 1) * _WHITE


def text_of(name: str, cells: Dict[str, Any]) -> str:
    """Returns the group of a card with the cells of the task `cells`."""
    components, levels = _levels(cells)
    numbers = ';'.join(map(str, numpy.rint(levels).astype(int).ravel()))
    return f'[{name}]\ngrid=32x18\ncomponents={components}\nlevels={numbers}\n'


def learn(name: str, path: str, seconds: float) -> str:
    """Returns the group of the card that the frame at @seconds of the video
    shows. Raises ClqcError if it cannot be measured or cannot be a card."""
    if not name.isprintable() or set('[]') & set(name):
        raise ClqcError(f'{name!r}: the name of a card has neither brackets '
                        'nor control characters')
    with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
        try:
            cells = jobs.run(os.path.join(folder, 'log'), 'cells', path=path,
                             time=nanoseconds(seconds))
        except ClqcError as error:
            raise ClqcError(f'{path}: {error}') from error
        if not cells['cell-means'][0]:
            raise ClqcError(f'{path}: a card needs 128 x 72 pixels')
        if cells['components'] == ['Y', 'U', 'V'] and not cells['weights']:
            raise ClqcError(f'{path}: its colour matrix is not known')
        text = text_of(name, cells)
        file = os.path.join(folder, 'card')
        with open(file, 'w', encoding='utf-8') as written:
            written.write(text)
        try:
            card_files.validate(file)
        except ClqcError as error:
            reason = str(error).rpartition(f'{file}: ')[2]
            raise ClqcError(f'{path}: {reason}') from error
    return text
