# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in a process of its own: how loud the sound of a file is, by
GStreamer's level."""
from typing import Any, Dict, List, Optional

from .causes import AUDIO
from .diagnostics import DECODER, Diagnostics
from .gst import Gst, Line, source

INTERVAL = 100_000_000  # nanoseconds of a measurement


def levels(path: str, on_tick: Any) -> Dict[str, Any]:
    """For each interval its start, its duration (nanoseconds), and the RMS
    and peak of the loudest channel in dB of full scale; null: digital
    silence. `errors`: what the decoder has reported."""
    rows: List[List[Any]] = []

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
        rows.append([start, row.get_value('duration'),
                     loudest(row.get_value('rms')),
                     loudest(row.get_value('peak'))])
        line.position = start

    line = Line(f'{source(path)} ! '
                'decodebin caps=audio/x-raw expose-all-streams=false ! '
                f'audioconvert ! level interval={INTERVAL} ! '
                'fakesink sync=false', on_message)
    line.on_tick = on_tick
    # The demuxer's errors are those of the picture, which has them.
    found = Diagnostics(line, (DECODER,), AUDIO)
    try:
        line.play()
        drained: Optional[Any] = line.bus.pop_filtered(
            Gst.MessageType.ELEMENT)
        while drained:
            on_message(drained)
            drained = line.bus.pop_filtered(Gst.MessageType.ELEMENT)
    finally:
        line.close()
        found.close()
    return {'levels': rows, 'errors': found.places()}
