# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in a process of its own: finds the key frames of a file, at which it
can be entered, without decoding."""
from typing import Any, Dict, List

from .gst import Gst, Line, source, stream_time


def key_frames(path: str, on_tick: Any) -> Dict[str, Any]:
    """Stream times of the key frames of the first video, nanoseconds, in
    order; and how many frames there are. Both lack frames without a time."""
    line = Line(f'{source(path)} ! parsebin name=parse')
    line.on_tick = on_tick
    times: List[int] = []
    counts = {'frames': 0}
    videos: List[Any] = []

    def on_buffer(pad: Any, info: Any) -> Any:
        buffer = info.get_buffer()
        counts['frames'] += 1
        time = stream_time(pad, buffer)
        if time is not None:
            line.position = time
            if not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT):
                times.append(time)
        return Gst.PadProbeReturn.OK

    def on_pad(_: Any, pad: Any) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        name = caps[0].get_name() if caps.get_size() else ''
        sink = Gst.ElementFactory.make('fakesink', None)
        sink.set_property('sync', False)
        # A sink that waits for its first frame holds up a demuxer that has
        # not come to the other streams yet.
        sink.set_property('async', False)
        line.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad('sink'))
        if (name.startswith('video/') or name.startswith('image/')) and (
                not videos):
            videos.append(pad)
            pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)

    line.element('parse').connect('pad-added', on_pad)
    try:
        line.play()
    finally:
        line.close()
    return {'keys': sorted(set(times)), 'frames': counts['frames']}
