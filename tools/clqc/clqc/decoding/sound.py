# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: measures the level of a file's sound with
GStreamer's level."""
from typing import Any, Dict, Optional

from clqc.common.errors import ClqcError
from clqc.decoding.diagnostics import DECODER, Diagnostics
from clqc.decoding.gst import Gst, Pipeline, source
from clqc.integrity.error_causes import AUDIO
from clqc.results import sound_levels

INTERVAL = 100_000_000  # nanoseconds per measurement


def levels(path: str, on_tick: Any) -> Dict[str, Any]:
    """Returns `levels`, as in sound_levels.py, and `errors`, which the decoder
    has reported."""
    found = sound_levels.none()

    def loudest(values: Any) -> Optional[float]:
        best = max(values)
        return None if best < -600 else round(best, 2)

    def on_message(message: Any) -> None:
        row = message.get_structure()
        if row is None or row.get_name() != 'level':
            return
        start = row.get_value('stream-time')
        if start is None or start == Gst.CLOCK_TIME_NONE:
            return
        sound_levels.append(found, (
            start, row.get_value('duration'), loudest(row.get_value('rms')),
            loudest(row.get_value('peak'))))
        line.position = start

    line = Pipeline(f'{source(path)} ! '
                    'decodebin caps=audio/x-raw expose-all-streams=false ! '
                    f'audioconvert ! level interval={INTERVAL} ! '
                    'fakesink sync=false', on_message)
    line.on_tick = on_tick
    # The demuxer's errors are reported with the picture.
    errors = Diagnostics(line, (DECODER,), AUDIO)
    try:
        line.play()
        drained: Optional[Any] = line.bus.pop_filtered(
            Gst.MessageType.ELEMENT)
        while drained:
            on_message(drained)
            drained = line.bus.pop_filtered(Gst.MessageType.ELEMENT)
    finally:
        line.close()
        errors.close()
    if errors.failure and not found:
        raise ClqcError(errors.failure)
    return {'levels': found, 'errors': errors.places()}
