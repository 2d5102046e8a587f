# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: finds damaged slices of H.265 with libde265, which
checks where slices end. FFmpeg's decoder does not, and conceals the damage
without a message. libde265 may crash on damaged files."""
import re
from typing import Any, Dict, List

from clqc.common.errors import ClqcError
from clqc.decoding.gst import Gst, Pipeline, source, stream_time
from clqc.decoding.video_track import discard, is_video, name_of
from clqc.integrity.error_causes import PACKET, VIDEO

_DECODER = 'libde265dec'

# Warnings about the content of slices: premature end, a block outside of the
# picture, a block without prediction, a missing bit at the end. It gives each
# once per stream.
_OF_SLICES = re.compile(r'(.*) \(code=(?:1002|1004|1011|1017)\)')


def can_check(caps: Any) -> bool:
    """Returns whether the decoder is there and supports a video of these caps:
    8 bits, 4:2:0."""
    return is_video(caps) and caps[0].get_name() == 'video/x-h265' and (
        caps[0].get_string('profile') == 'main'
        and Gst.ElementFactory.find(_DECODER) is not None)


def check(path: str, track: Any, on_tick: Any) -> Dict[str, Any]:
    """Returns `errors` as Diagnostics.places() does: the first of each kind.
    """
    line = Pipeline(f'{source(path)} ! parsebin name=parse')
    line.on_tick = on_tick
    errors: List[Any] = []

    def on_buffer(pad: Any, info: Any) -> Any:
        line.position = max(line.position, stream_time(
            pad, info.get_buffer().pts) or 0)
        return Gst.PadProbeReturn.OK

    def on_message(_: Any, message: Any) -> Any:
        if message.type == Gst.MessageType.WARNING:
            found = _OF_SLICES.match(message.parse_warning()[0].message)
            if found:
                errors.append((line.position, 1, [f'{_DECODER}: {found[1]}'],
                               VIDEO, PACKET))
        return Gst.BusSyncReply.PASS

    def on_pad(_: Any, pad: Any) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        if not is_video(caps) or track not in (
                None, name_of(pad.get_stream_id())) or not can_check(caps):
            discard(line, pad)
            return
        decoder = Gst.ElementFactory.make(_DECODER, None)
        decoder.set_property('max-threads', 1)
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
        line.pipeline.add(decoder)
        pad.link(decoder.get_static_pad('sink'))
        discard(line, decoder.get_static_pad('src'))
        decoder.sync_state_with_parent()

    line.bus.set_sync_handler(on_message)
    line.element('parse').connect('pad-added', on_pad)
    try:
        line.play()
    except ClqcError:
        pass  # the decoder that measures reports it
    finally:
        line.close()
    return {'errors': errors}
