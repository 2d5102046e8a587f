# SPDX-License-Identifier: LGPL-2.1-or-later
"""Collects the errors that demuxers, parsers and decoders report while a
pipeline plays, in GStreamer's log and as warnings on the bus. Each error is
assigned to its track and to the time of the last packet of that track, and is
written to standard error, which is clqc.log."""
import ctypes
import os
import re
import threading
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from clqc.decoding.gst import GLib, Gst, Pipeline, made_by, stream_time
from clqc.decoding.video_track import is_video, name_of
from clqc.integrity.error_causes import (
    AUDIO, CONTAINER, OTHER, PACKET, REFERENCE, VIDEO)

# Least size in bytes of a packet with a picture; a smaller packet repeats the
# previous picture.
_LEAST = 8

# Maximum lines in clqc.log; a damaged file can cause millions.
_MOST_LINES = 10_000

# Texts that are stored per packet.
_MOST_TEXTS = 3

# as in the factories' klass
DEMUXER, DECODER, HARDWARE = 'Demuxer', 'Decoder', 'Hardware'

# Results of decoders that another packet does not change.
_STOPPED = (Gst.FlowReturn.NOT_NEGOTIATED, Gst.FlowReturn.NOT_SUPPORTED)

# Errors of decoders that may be those of one packet.
_OF_PACKETS = ('gst-stream-error-quark', 'gst-library-error-quark')


@dataclass(frozen=True)
class Source:
    """A category of GStreamer's log, and a pattern of its messages that report
    damage; intact files cause other messages."""
    category: str
    stage: str    # stage whose packet has the error
    level: Any    # least level that is counted
    pattern: str  # beginning of the text, a regular expression
    # whether a message before the first packet counts: recordings of streams
    # may begin anywhere
    is_of_start: bool = True
    # only if a track of this kind is decoded; the sound's pipeline also parses
    # the video
    kind: Optional[str] = None


_ERROR, _WARNING = Gst.DebugLevel.ERROR, Gst.DebugLevel.WARNING
_DEBUG, _LOG = Gst.DebugLevel.DEBUG, Gst.DebugLevel.LOG

_ASF = (r'need \d+ bytes, but only|Previous fragment does not|'
        'Merged fragments would|Short pa|Too long rep data|'
        'Payload for unknown|invalid '
        "replicated|Offset doesn't match|media object payload discont|Packet "
        'size is <|No padding, or|Buffer is smaller|No room more|Failed to '
        'parse payload|Parse error|Corrupted data')

SOURCES = (
    Source('libav', DECODER, _ERROR, ''),
    # errors that GST_VIDEO_DECODER_ERROR tolerates
    Source('videodecoder', DECODER, _WARNING, 'error: '),
    Source('audiodecoder', DECODER, _WARNING, 'error: '),
    # not SEI, which is broken in intact files, too
    Source('h264parse', DECODER, _WARNING,
           r'broken/invalid nal Type: \d+ Slice', False, VIDEO),
    Source('h265parse', DECODER, _WARNING,
           r'broken/invalid nal Type: \d+ Slice', False, VIDEO),
    Source('ebmlread', DEMUXER, _ERROR, 'Invalid EBML'),
    Source('matroskademux', DEMUXER, _WARNING,
           'parse error|Invalid stream|Invalid lacing'),
    Source('matroskareadcommon', DEMUXER, _WARNING, 'Dropping short buffer'),
    Source('qtdemux', DEMUXER, _WARNING,
           'failed to parse trun|Failed to parse mfhd|invalid track fragment|'
           'broken traf|not allocating index|Ignore corrupted ctts|short '
           'read'),
    Source('avidemux', DEMUXER, _WARNING,
           'Short read at|Stopping index lookup|insufficient index|no index '
           'data|Not enough data to parse|Too small vprp'),
    # type 15 is data that Adobe's servers write
    Source('flvdemux', DEMUXER, _WARNING,
           r'partial pull got|unsupported tag type (?!15\b)|unexpected state|'
           '[Tt]oo small tag|Not enough data|failed to parse'),
    Source('asfdemux', DEMUXER, _WARNING, _ASF),
    Source('default', DEMUXER, _WARNING, _ASF),  # of asfpacket.c
    Source('oggdemux', DEMUXER, _LOG,
           'discont in page found|ogg stream choked|Invalid granulepos|'
           'invalid return value|could not submit packet'),
    Source('mxfdemux', DEMUXER, _WARNING,
           'Skipping non-MXF|(Invalid|Unsupported) KLV packet length|partial '
           'pull got|Failed to handle essence|Suspisciously large|Parsing .* '
           'failed'),
    Source('mpegpsdemux', DEMUXER, _DEBUG,
           r'sync_code=\w+, non PES|error in (system header|PSM) length|lost '
           'sync', is_of_start=False),
    Source('mpegtspacketizer', DEMUXER, _WARNING,
           r'PID 0x\w+ (afc == |Accumulated too much)'),
    Source('mpegtsbase', DEMUXER, _ERROR, 'Could not get PMT'),
    Source('pesparser', DEMUXER, _WARNING, 'Wrong '),
    Source('tsdemux', DEMUXER, _WARNING, 'Error parsing PES'))

# Messages about missing reference frames, and their consequences: FFmpeg
# requests a second frame if one is missing.
_OF_REFERENCES = re.compile(
    'libav: (mmco: |Missing reference|reference picture missing|number of '
    'reference frames|co located POCs|Could not find ref|Error constructing '
    r'the frame RPS|get_buffer\(\) failed)|the frame is flagged')
_FOLLOWING = re.compile(
    'libav: (decode_slice_header error|no frame!)|videodecoder: error: ('
    'Failed to send data|Invalid input packet)')

# How messages about transport streams name the track.
_PID = re.compile('pid:? 0x([0-9a-f]+)', re.IGNORECASE)


@dataclass
class _Place:
    """The errors of one packet."""
    count: int = 0
    texts: List[str] = field(default_factory=list)
    cause: Optional[int] = None  # the most severe one


_ROWS = {row.category: (row, re.compile(row.pattern)) for row in SOURCES}


def source_of(category: str, level: int, text: str) -> Optional[Source]:
    """Returns the row for a log message; None if the message does not report
    damage."""
    row, pattern = _ROWS.get(category, (None, None))
    return row if (row and pattern and level <= int(row.level)
                   and pattern.match(text)) else None


_collecting: List['Diagnostics'] = []

# GStreamer calls a C function: the Python bindings would take a reference to
# the object of a message, which may be finalizing, and reject texts that are
# not UTF-8.
_LOG_FUNCTION = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p,
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _Log:
    """Receives GStreamer's log."""

    def __init__(self) -> None:
        library = ctypes.CDLL('libgstreamer-1.0.so.0')
        self._text = library.gst_debug_message_get
        self._name = library.gst_debug_category_get_name
        for function in self._text, self._name:
            function.restype = ctypes.c_char_p
            function.argtypes = [ctypes.c_void_p]
        self._function = _LOG_FUNCTION(self._on_message)
        if 'GST_DEBUG' not in os.environ:
            Gst.debug_remove_log_function(None)  # it would log everything
        library.gst_debug_add_log_function(self._function, None, None)
        Gst.debug_set_active(True)
        for row in SOURCES:
            Gst.debug_set_threshold_for_name(row.category, row.level)

    def _on_message(self, category: int, level: int, *words: Any) -> None:
        """Handles a message. @words: file, function, line, address of an
        object, message."""
        name = self._name(category).decode()
        if name in _ROWS:
            text = (self._text(words[4]) or b'').decode('utf-8', 'replace')
            for diagnostics in list(_collecting):
                diagnostics.on_log(name, level, text, words[3])


def _write(line: str) -> None:
    """Writes a message with one call to standard error, where GStreamer itself
    logs."""
    os.write(2, f'{line}\n'.encode('utf-8', 'replace'))


def _cause(stage: str, text: str) -> int:
    if stage == DEMUXER:
        return CONTAINER
    return REFERENCE if _OF_REFERENCES.match(text) else PACKET


def _flush(decoder: Any, sink: Any) -> None:
    """Clears the state of a decoder that has failed, but not of the elements
    behind it. Called by its thread. @sink: its pad."""
    segment = sink.get_sticky_event(Gst.EventType.SEGMENT, 0)
    probes = [(pad, pad.add_probe(Gst.PadProbeType.EVENT_FLUSH,
                                  lambda *_: Gst.PadProbeReturn.DROP))
              for pad in decoder.srcpads]
    sink.send_event(Gst.Event.new_flush_start())
    sink.send_event(Gst.Event.new_flush_stop(False))
    for pad, probe in probes:
        pad.remove_probe(probe)
    sink.send_event(segment)


class Diagnostics:
    """Collects errors from its creation to close(). FFmpeg's messages do not
    name a pipeline, so there is one collector at a time in a process.
    Streaming threads report."""

    _log: Optional[_Log] = None

    def __init__(self, line: Pipeline,
                 stages: Sequence[str] = (DEMUXER, DECODER),
                 kind: str = VIDEO, track: Optional[str] = None) -> None:
        self.stages = stages  # others are ignored
        self.kind = kind      # kind of the decoded track
        self.track = track    # its name, if there are several videos
        self._lock = threading.Lock()  # protects the counters
        self._counts = {DEMUXER: 0, DECODER: 0}  # of messages
        self._n_lines = 0
        self._places: Dict[Tuple[Optional[int], str], _Place] = {}
        # the last packet: its pad and its timestamp
        self._packets: Dict[Tuple[str, str], Tuple[Any, int]] = {}
        self._last: Dict[str, Tuple[Any, int]] = {}  # by stage
        self._kinds: Dict[int, str] = {}  # by the address of the pad
        self._pids: Dict[str, str] = {}   # by the end of the pad's name
        # timestamps of packets that repeat the picture
        self.repeats: List[int] = []
        self.failure: Optional[str] = None  # first packet that failed: why
        line.pipeline.connect('deep-element-added', self._on_element)
        line.bus.set_sync_handler(self._on_message)
        if not Diagnostics._log:
            Diagnostics._log = _Log()
        _collecting.append(self)

    def close(self) -> None:
        """Stops collecting. Any thread."""
        if self in _collecting:
            _collecting.remove(self)

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        _, klass = made_by(element)
        if DECODER in klass and element.get_static_pad('sink'):
            if HARDWARE not in klass:
                self._continue_after_errors(element)
            self._watch(element.get_static_pad('sink'), DECODER, self.kind)
        elif DEMUXER in klass:
            element.connect('pad-added', self._on_pad)

    def _on_pad(self, _: Any, pad: Any) -> None:
        if pad.direction != Gst.PadDirection.SRC:
            return
        caps = pad.get_current_caps() or pad.query_caps(None)
        kind = OTHER
        if is_video(caps):
            if self.track in (None, name_of(pad.get_stream_id())):
                kind = VIDEO
        elif caps.get_size() and caps[0].get_name().startswith('audio/'):
            kind = AUDIO
        self._kinds[hash(pad)] = kind
        self._pids[pad.get_name().rpartition('_')[2]] = kind
        self._watch(pad, DEMUXER, kind)

    def _watch(self, pad: Any, stage: str, kind: str) -> None:
        none, passed = Gst.CLOCK_TIME_NONE, Gst.PadProbeReturn.OK

        def on_packet(pad: Any, info: Any) -> Any:
            buffer = info.get_buffer()
            pts = buffer.pts
            if pts != none:
                self._packets[stage, kind] = self._last[stage] = (pad, pts)
                if stage == DECODER:
                    self._on_decode(pad, buffer, kind)
            return passed
        pad.add_probe(Gst.PadProbeType.BUFFER, on_packet)

    def _on_decode(self, pad: Any, buffer: Any, _: str) -> None:
        """Handles a packet with a time in front of a decoder."""
        if buffer.get_size() < _LEAST and (
                stream_time(pad, buffer.pts) is not None):
            self.repeats.append(buffer.pts)

    def on_log(self, category: str, level: int, text: str,
               address: Optional[int]) -> None:
        """Handles a message of any category. @address: of the object that
        logged it."""
        row = source_of(category, level, text)
        if row and row.kind in (None, self.kind) and (
                row.is_of_start or row.stage in self._last):
            self._add(row.stage, category, text, self._kinds.get(address or 0))

    def _continue_after_errors(self, decoder: Any) -> None:
        """Gives the decoder the next packet, whatever it returns. The base
        class of decoders tolerates errors of packets, but some decoders do not
        leave them to it."""
        is_inside = False

        def on_packet(pad: Any, info: Any) -> Any:
            nonlocal is_inside
            if is_inside:
                return Gst.PadProbeReturn.OK
            is_inside = True
            n_before = self.count_of(DECODER)
            result = pad.chain(info.get_buffer())
            is_inside = False
            reason = f'streaming stopped, reason {result.value_nick}'
            if result in _STOPPED:
                decoder.post_message(Gst.Message.new_error(
                    decoder, GLib.Error.new_literal(
                        Gst.CoreError.quark(), reason,
                        int(Gst.CoreError.NEGOTIATION)), ''))
            elif result == Gst.FlowReturn.ERROR:
                if n_before == self.count_of(DECODER):
                    self._add_failure(decoder, reason)
                _flush(decoder, pad)
            return Gst.PadProbeReturn.DROP  # it has been given
        decoder.get_static_pad('sink').add_probe(
            Gst.PadProbeType.BUFFER, on_packet)

    def _add_failure(self, decoder: Any, text: str) -> None:
        self.failure = self.failure or f'{decoder.get_name()}: {text}'
        self._add(DECODER, made_by(decoder)[0], text)

    def _on_message(self, _: Any, message: Any) -> Any:
        name, klass = made_by(message.src)
        if message.type == Gst.MessageType.ERROR and DECODER in klass and (
                HARDWARE not in klass):
            error, _ = message.parse_error()
            if error.domain in _OF_PACKETS:
                self._add_failure(message.src, str(error.message))
                return Gst.BusSyncReply.DROP
        if message.type == Gst.MessageType.WARNING:
            stage = next((stage for stage in (DEMUXER, DECODER, 'Parser')
                          if stage in klass), None)
            if stage:
                self._add(DEMUXER if stage == DEMUXER else DECODER, name,
                          str(message.parse_warning()[0].message))
        return Gst.BusSyncReply.PASS

    def add_corrupted(self, time: Optional[int]) -> None:
        """Adds a frame that the decoder has flagged as corrupted."""
        self._add_at(time, DECODER, self.kind,
                     'the frame is flagged as corrupted')

    def _kind_of(self, text: str) -> str:
        """Returns the kind of the track that a message names, or else of the
        decoded track."""
        pid = _PID.search(text)
        return self._pids.get(f'{int(pid[1], 16):04x}', OTHER) if pid else (
            self.kind)

    def _add(self, stage: str, source: str, text: str,
             kind: Optional[str] = None) -> None:
        if stage in self.stages:
            kind = kind or self._kind_of(text)
            packet = self._packets.get((stage, kind), self._last.get(stage))
            time = stream_time(*packet) if packet else None
            self._add_at(time, stage, kind, f'{source}: {text}')

    def _add_at(self, time: Optional[int], stage: str, kind: str,
                text: str) -> None:
        with self._lock:
            self._count(self._places.setdefault((time, kind), _Place()),
                        stage, text)
            self._n_lines += 1
            n_lines = self._n_lines
        if n_lines <= _MOST_LINES:
            when = '?' if time is None else f'{time / 1e9:.3f} s'
            _write(f'{when} {text}')
        elif n_lines == _MOST_LINES + 1:
            _write('further errors are counted, not written')

    def _count(self, place: _Place, stage: str, text: str) -> None:
        place.count += 1
        if stage == DEMUXER or not _FOLLOWING.match(text):
            place.cause = max(place.cause or 0, _cause(stage, text))
        if len(place.texts) < _MOST_TEXTS and text not in place.texts:
            place.texts.append(text)
        self._counts[stage] += 1

    def count_of(self, stage: str) -> int:
        """Returns the number of messages."""
        return self._counts[stage]

    def places(self) -> List[Tuple[Optional[int], int, List[str], str, int]]:
        """Returns, for each packet with errors: its time in nanoseconds (None:
        before the first packet), the number of messages, the first distinct
        texts, the kind of its track, the most severe cause."""
        with self._lock:
            return sorted(
                ((time, place.count, list(place.texts), kind,
                  PACKET if place.cause is None else place.cause)
                 for (time, kind), place in self._places.items()),
                key=lambda row: -1 if row[0] is None else row[0])
