# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds transport streams whose video has another codec than their program map
table (PMT) says: a sender has changed the codec, but not the table. Parsers
report only that they find no frames, or nothing at all."""
import re
from typing import Any, Callable

from clqc.decoding.gst import Gst, made_by

# What the codecs have at the beginning of a PES packet: access unit delimiters
# or the headers of a sequence; by the name in GStreamer's caps.
_STARTS = {
    'video/x-h264': ('H.264',
                     re.compile(b'\0\0+\1(\x09[\x10-\xf0]|[\x27Gg])')),
    'video/x-h265': ('H.265', re.compile(b'\0\0+\1[@F]\1')),
    'video/mpeg': ('MPEG-2', re.compile(b'\0\0+\1\xb3'))}

_BYTES = 16

# PES packets of another codec, without one of the own codec between them.
_PACKETS = 3


class AnnouncedCodec:
    """Calls @on_other, in a thread of GStreamer, if the first video of a
    demuxer in @pipeline has another codec; why() then says so."""

    def __init__(self, pipeline: Any, on_other: Callable[[], None]) -> None:
        self._on_other = on_other
        self._codecs = ('', '')  # announced and found
        self._count = 0
        pipeline.connect('deep-element-added', self._on_element)

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        if made_by(element)[0] == 'tsdemux':
            element.connect('pad-added', self._on_pad)

    def _on_pad(self, demuxer: Any, pad: Any) -> None:
        videos = [one for one in demuxer.srcpads if _name_of(one) in _STARTS]
        if pad in videos[:1]:
            pad.add_probe(Gst.PadProbeType.BUFFER, self._on_packet,
                          *_STARTS[_name_of(pad)])

    def _on_packet(self, _: Any, info: Any, announced: str, own: Any) -> Any:
        start = info.get_buffer().extract_dup(0, _BYTES)
        found = next((codec for codec, pattern in _STARTS.values()
                      if pattern.match(start)), '')
        if own.match(start):
            self._count = 0
        elif found:
            self._codecs = announced, found
            self._count += 1
            if self._count == _PACKETS:
                self._on_other()
                return Gst.PadProbeReturn.REMOVE
        return Gst.PadProbeReturn.OK

    def why(self) -> str:
        """Returns a sentence if the last packet that tells its codec had
        another one, else an empty text. Any thread."""
        announced, found = self._codecs
        return (f'its program map table (PMT) says {announced}, but its video '
                f'is {found}') if self._count else ''


def _name_of(pad: Any) -> str:
    caps = pad.get_current_caps()
    return str(caps[0].get_name()) if caps and caps.get_size() else ''
