# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts what decoders and demuxers of a stream report, as for files. A stream
may be entered anywhere: errors before its first intact pictures are left out.
"""
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, Optional, Tuple

from clqc.decoding.diagnostics import DECODER, DEMUXER, Diagnostics
from clqc.decoding.gst import Gst, GstPbutils, made_by
from clqc.integrity.error_causes import AUDIO, VIDEO

# Consecutive errors at the start are those of the entry, if at most this many
# frames are between them, up to the second number of frames.
_REFERENCES = 16
_LONGEST = 250

# Packets whose errors are remembered: several messages are one error.
_PLACES = 16


class _Entry:
    """Decides which errors are those of the entry into a stream."""

    def __init__(self) -> None:
        self._last: Optional[int] = 0  # frames at the last one; None: over

    def end(self) -> None:
        """Data was lost: all further errors count."""
        self._last = None

    def takes(self, frames: int) -> bool:
        """Returns whether an error after so many frames is one of them."""
        if self._last is None or frames > _LONGEST or (
                frames > self._last + _REFERENCES):
            self._last = None
            return False
        self._last = frames
        return True


class DecodeErrors(Diagnostics):
    """@on_error receives the kind of the track and, if it is a video, the
    timestamp of the packet in front of the decoder. @on_key receives the
    timestamps of key frames there. Threads of GStreamer call both."""

    def __init__(self, line: Any, n_frames: Callable[[], int],
                 on_error: Callable[[str, Optional[int]], None],
                 on_key: Callable[[int], None]) -> None:
        self.entry = _Entry()
        self._n_frames = n_frames
        self._on_error = on_error
        self._on_key = on_key
        self._found: Deque[Tuple[str, Optional[int]]] = deque(maxlen=_PLACES)
        # What the threads decode: messages of FFmpeg name nothing.
        self._decodes: Dict[int, str] = {}
        super().__init__(line)

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        _, klass = made_by(element)
        if DEMUXER in klass:
            element.connect('pad-added', self._on_pad)
        elif DECODER in klass and 'Bin' not in klass:
            pad = element.get_static_pad('sink')
            if pad:
                self._watch(pad, DECODER,
                            AUDIO if 'Audio' in klass else VIDEO)

    def _on_decode(self, pad: Any, buffer: Any, kind: str) -> None:
        self._decodes[threading.get_ident()] = kind
        if kind == VIDEO and not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT):
            self._on_key(buffer.pts)

    def _kind_of(self, text: str) -> str:
        kind = super()._kind_of(text)
        return kind if kind != self.kind else (
            self._decodes.get(threading.get_ident(), self.kind))

    def _add_at(self, time: Optional[int], stage: str, kind: str,
                text: str) -> None:
        # Transport counts all of these; the demuxer tells of some.
        if text.startswith('tsdemux: CONTINUITY'):
            return
        with self._lock:
            if (kind, time) in self._found:
                return
            self._found.append((kind, time))
        if stage == DECODER and self.entry.takes(self._n_frames()):
            return
        packet = self._packets.get((DECODER, kind))
        self._on_error(kind, packet[1] if packet and kind == VIDEO else None)


def codec_of(pad: Any) -> Optional[str]:
    """Returns the codec of a pad of uridecodebin: what its decoder decodes;
    without a decoder, what it has."""
    while isinstance(pad, Gst.GhostPad):
        pad = pad.get_target()
    element: Any = pad.get_parent_element() if pad else None
    if DECODER in made_by(element)[1]:
        pad = element.get_static_pad('sink')
    caps = pad and pad.get_current_caps()
    return str(GstPbutils.pb_utils_get_codec_description(caps)) if caps else (
        None)
