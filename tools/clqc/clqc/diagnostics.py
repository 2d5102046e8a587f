# SPDX-License-Identifier: LGPL-2.1-or-later
"""Collects the errors that demuxers and decoders report while a line plays, in
GStreamer's log and as warnings on the bus. Each gets the time of the packet
that passed last, and is written to standard error, which is clqc.log."""
import os
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .gst import Gst, Line, stream_time

# Lines of clqc.log; a damaged file can give millions.
_MOST_LINES = 10_000

# Texts that are kept for one packet.
_MOST_TEXTS = 3

DEMUXER, DECODER = 'Demuxer', 'Decoder'  # as in the klass of their factories


@dataclass(frozen=True)
class Source:
    """A category of GStreamer's log, and the messages in it that tell of
    damage; good files give others."""
    category: str
    stage: str    # whose packet it is about
    level: Any    # the least severe one that counts
    pattern: str  # how its text begins, a regular expression


_ERROR, _WARNING = Gst.DebugLevel.ERROR, Gst.DebugLevel.WARNING

SOURCES = (
    Source('libav', DECODER, _ERROR, ''),
    # errors that GST_VIDEO_DECODER_ERROR tolerates
    Source('videodecoder', DECODER, _WARNING, 'error: '),
    Source('audiodecoder', DECODER, _WARNING, 'error: '),
    Source('ebmlread', DEMUXER, _ERROR, 'Invalid EBML'),
    Source('matroskademux', DEMUXER, _WARNING,
           'parse error|Invalid stream|Invalid lacing'),
    Source('pesparser', DEMUXER, _WARNING, 'Wrong '),
    Source('tsdemux', DEMUXER, _WARNING, 'Error parsing PES'))


@dataclass
class _Place:
    """What was reported of one packet."""
    count: int = 0
    texts: List[str] = field(default_factory=list)


_collecting: List['Diagnostics'] = []


def _on_log(category: Any, level: Any, *words: Any) -> None:
    for diagnostics in list(_collecting):
        diagnostics.on_log(category.get_name(), int(level), words[4])


def _install() -> None:
    """Once in a process: a function that was added cannot be removed by the
    bindings."""
    if 'GST_DEBUG' not in os.environ:
        Gst.debug_remove_log_function(None)  # it would write all
    Gst.debug_add_log_function(_on_log)
    Gst.debug_set_active(True)
    for row in SOURCES:
        Gst.debug_set_threshold_for_name(row.category, row.level)


def _write(line: str) -> None:
    """Where GStreamer itself writes, in one piece."""
    os.write(2, f'{line}\n'.encode('utf-8', 'replace'))


_ROWS = {row.category: (row, re.compile(row.pattern)) for row in SOURCES}


class Diagnostics:
    """Collects from its creation to close(). FFmpeg does not say which line a
    message is of: there is one at a time in a process. Streaming threads
    report."""

    _is_installed = False

    def __init__(self, line: Line,
                 stages: Sequence[str] = (DEMUXER, DECODER)) -> None:
        self.stages = stages  # others are not collected
        self._counts = {DEMUXER: 0, DECODER: 0}  # of messages
        self._n_lines = 0
        self._places: Dict[Optional[int], _Place] = {}
        self._times: Dict[str, Optional[int]] = {}  # by stage
        line.pipeline.connect('deep-element-added', self._on_element)
        line.bus.set_sync_handler(self._on_message)
        if not Diagnostics._is_installed:
            Diagnostics._is_installed = True
            _install()
        _collecting.append(self)

    def close(self) -> None:
        """Nothing is collected from now on. Any thread."""
        if self in _collecting:
            _collecting.remove(self)

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        factory = element.get_factory()
        klass = factory.get_metadata('klass') if factory else ''
        if DECODER in klass and element.get_static_pad('sink'):
            self._watch(element.get_static_pad('sink'), DECODER)
        elif DEMUXER in klass:
            element.connect('pad-added', lambda _, pad: self._watch(
                pad, DEMUXER))

    def _watch(self, pad: Any, stage: str) -> None:
        def on_packet(pad: Any, info: Any) -> Any:
            time = stream_time(pad, info.get_buffer())
            if time is not None:
                self._times[stage] = time
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.BUFFER, on_packet)

    def on_log(self, category: str, level: int, message: Any) -> None:
        """A message of any category."""
        row, pattern = _ROWS.get(category, (None, None))
        if row and pattern and level <= int(row.level):
            text = str(message.get())
            if pattern.match(text):
                self._add(row.stage, category, text)

    def _on_message(self, _: Any, message: Any) -> Any:
        if message.type == Gst.MessageType.WARNING:
            factory = message.src.get_factory() if isinstance(
                message.src, Gst.Element) else None
            klass = factory.get_metadata('klass') if factory else ''
            stage = next((stage for stage in (DEMUXER, DECODER, 'Parser')
                          if stage in klass), None)
            if stage:
                self._add(DEMUXER if stage == DEMUXER else DECODER,
                          factory.get_name(),
                          str(message.parse_warning()[0].message))
        return Gst.BusSyncReply.PASS

    def add_corrupted(self, time: Optional[int]) -> None:
        """A frame that its decoder has flagged."""
        self._add_at(time, DECODER, 'the frame is flagged as corrupted')

    def _add(self, stage: str, source: str, text: str) -> None:
        if stage in self.stages:
            self._add_at(self._times.get(stage), stage, f'{source}: {text}')

    def _add_at(self, time: Optional[int], stage: str, said: str) -> None:
        place = self._places.setdefault(time, _Place())
        place.count += 1
        if len(place.texts) < _MOST_TEXTS and said not in place.texts:
            place.texts.append(said)
        self._counts[stage] += 1
        self._n_lines += 1
        if self._n_lines <= _MOST_LINES:
            when = '?' if time is None else f'{time / 1e9:.3f} s'
            _write(f'{when} {said}')
        elif self._n_lines == _MOST_LINES + 1:
            _write('further errors are counted, not written')

    def count_of(self, stage: str) -> int:
        """The number of messages."""
        return self._counts[stage]

    def places(self) -> List[Tuple[Optional[int], int, List[str]]]:
        """For each packet with errors: its time in nanoseconds (None: before
        the first one), the number of messages, the first different texts."""
        return sorted(((time, place.count, place.texts)
                       for time, place in self._places.items()),
                      key=lambda row: -1 if row[0] is None else row[0])
