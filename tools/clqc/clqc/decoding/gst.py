# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer for the decoding processes: pipelines, their messages, their clock
and the input of their demuxers. No other module of clqc imports gi."""
import contextlib
import importlib
import os
import tempfile
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import gi

try:
    gi.require_version('Gst', '1.0')
    gi.require_version('GstPbutils', '1.0')
    gi.require_version('GstVideo', '1.0')
except ValueError as wrong:
    raise ImportError(str(wrong)) from wrong
from gi.repository import GLib, Gst, GstPbutils, GstVideo  # noqa: E402

# Without Gst's overrides (python3-gst-1.0), callbacks of pipelines would fail.
importlib.import_module('gi.overrides.Gst')

from clqc.common.clock import REAL, Clock  # noqa: E402
from clqc.common.errors import ClqcError, MachineError  # noqa: E402
from clqc.decoding.worker_messages import (  # noqa: E402
    COMPILE_SECONDS, STALL_SECONDS)
from clqc.inputs.locations import is_http  # noqa: E402
from clqc.integrity.continuity import Continuity  # noqa: E402

__all__ = ['GLib', 'Gst', 'GstPbutils', 'GstVideo']  # others import them here


def init() -> None:
    """Initializes GStreamer once per process."""
    Gst.init(None)


def escape(path: str) -> str:
    """Returns a path as a property value in a launch line."""
    return '"' + path.replace('\\', '\\\\').replace('"', '\\"') + '"'


def source(path: str) -> str:
    """Returns the source of a launch line for a file or an http address. An
    http source uses a temporary file, so that demuxers can seek and find the
    same data as in a file."""
    if not is_http(path):
        return f'filesrc location={escape(path)}'
    buffer = escape(os.path.join(tempfile.gettempdir(), 'clqc-http-XXXXXX'))
    return (f'souphttpsrc location={escape(path)} retries=5 timeout=30 ! '
            f'queue2 temp-template={buffer} max-size-buffers=0 '
            'max-size-time=0 max-size-bytes=67108864')


def uri(path: str) -> str:
    """Returns the URI for the discoverer."""
    return path if is_http(path) else str(Gst.filename_to_uri(path))


def made_by(element: Any) -> Tuple[str, str]:
    """Returns the factory of an element and its klass, such as `avdec_h264`
    and `Codec/Decoder/Video`; empty texts for anything else."""
    factory = element.get_factory() if isinstance(element, Gst.Element
                                                  ) else None
    return (factory.get_name(), factory.get_metadata('klass')) if (
        factory) else ('', '')


def stream_time(pad: Any, pts: int) -> Optional[int]:
    """Returns the stream time in nanoseconds of a buffer with that timestamp;
    None if it is unknown or before the start."""
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    if event is None or pts == Gst.CLOCK_TIME_NONE:
        return None
    time_of = event.parse_segment().to_stream_time(Gst.Format.TIME, pts)
    return None if time_of == Gst.CLOCK_TIME_NONE else int(time_of)


_STREAM_FAILED = (Gst.StreamError.quark(), Gst.StreamError.FAILED)


def is_without_a_frame(message: Any) -> bool:
    """Returns whether an error message means an end of stream without a frame:
    decodebin reached the end and no buffer. GStreamer 1.28 reports this for
    Matroska files without frames, too."""
    error, debug = message.parse_error()
    return bool(
        error.matches(*_STREAM_FAILED)
        and (debug or '').rstrip().endswith('all streams without buffers'))


def describe(message: Any) -> str:
    """Returns an error message for people."""
    error, debug = message.parse_error()
    text = str(error.message).strip()
    # A decoder's text is in the debug text, after its source location.
    lines = (debug or '').strip().split('\n')
    detail = next((line for line in lines if line.startswith('Missing ')),
                  lines[-1]).strip()
    source = message.src.get_name() if message.src else 'pipeline'
    generic = text.startswith('Internal data stream error') or error.matches(
        Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN)
    return f'{source}: {detail if generic and detail else text}'


_OF_MACHINE = (
    Gst.ResourceError.OPEN_READ, Gst.ResourceError.OPEN_WRITE,
    Gst.ResourceError.OPEN_READ_WRITE, Gst.ResourceError.WRITE,
    Gst.ResourceError.CLOSE, Gst.ResourceError.NO_SPACE_LEFT)


class WithoutAFrame(ClqcError):
    """The file has streams, but no frame."""

    def __init__(self) -> None:
        super().__init__('no frame can be decoded')


def _failure(message: Any) -> ClqcError:
    """Returns the exception for an error message. It is a MachineError for
    files that cannot be opened or written and for OpenCL errors."""
    if is_without_a_frame(message):
        return WithoutAFrame()
    error, _ = message.parse_error()
    is_of_resource = error.domain == 'gst-resource-error-quark'
    if is_of_resource and (error.code in map(int, _OF_MACHINE) or (
            made_by(message.src)[0] in ('clframesum', 'clcompare'))):
        return MachineError(describe(message))
    return ClqcError(describe(message))


# After this many seconds without progress, the reads of demuxers are followed.
QUIET_SECONDS = 2.0

# A demuxer reads in a loop after this many consecutive reads at offsets where
# it has read before.
_READ_AGAIN = 1000


class Reads:
    """Follows the reads of a demuxer while there is no progress. A slow
    decoder blocks the demuxer, and a slow disk its reads. If a demuxer reads
    the same offsets without an end, it posts a warning, and its streams end.
    """

    def __init__(self, demuxer: Any) -> None:
        self.demuxer = demuxer
        self._offsets: Set[int] = set()
        self._n_again = 0
        self._pad = demuxer.get_static_pad('sink')
        self._probe = self._pad.add_probe(
            Gst.PadProbeType.PULL | Gst.PadProbeType.BLOCK, self._on_read)

    def _on_read(self, _: Any, info: Any) -> Any:
        """Handles a read; the demuxer's thread."""
        self._n_again = (self._n_again + 1 if info.offset in self._offsets
                         else 0)
        self._offsets.add(info.offset)
        if self._n_again < _READ_AGAIN:
            return Gst.PadProbeReturn.PASS
        if self._n_again == _READ_AGAIN:
            self._end(info.offset)
        return Gst.PadProbeReturn.OK  # blocks the thread

    def _end(self, offset: int) -> None:
        error = GLib.Error.new_literal(
            Gst.StreamError.quark(),
            f'the demuxer reads in a loop, at byte {offset:,}',
            int(Gst.StreamError.DEMUX))
        self.demuxer.post_message(
            Gst.Message.new_warning(self.demuxer, error, ''))
        for pad in self.demuxer.srcpads:
            pad.push_event(Gst.Event.new_eos())

    def close(self) -> None:
        """Stops following. A demuxer in a loop remains blocked."""
        if self._n_again < _READ_AGAIN:
            self._pad.remove_probe(self._probe)


# What makes a packet stuffing: the PID 0x1fff in the second and third byte. If
# these are in an earlier buffer: no payload, in the fourth byte. Offset, bits
# to keep, bits to set.
_STUFFING = ((1, 0xff, 0x1f), (2, 0xff, 0xff))
_EMPTY = ((3, 0xef, 0),)


def _clear(buffer: Any, place: int) -> None:
    """Removes the content of the packet at an offset of a buffer."""
    for offset, kept, more in _STUFFING if place >= -1 else _EMPTY:
        _, number, _, skip = buffer.find_memory(place + offset, 1)
        # memory that other buffers share remains as it is
        with contextlib.suppress(Gst.MapError), buffer.peek_memory(
                number).map(Gst.MapFlags.READ | Gst.MapFlags.WRITE) as mapped:
            mapped.data[skip] = mapped.data[skip] & kept | more


class TransportPackets:
    """The packets at the sink pad of a demuxer of transport streams, which
    receives no repeated ones: ISO/IEC 13818-1, 2.4.3.3, allows a sender to
    send a packet twice, and tsdemux takes the second one for lost data.
    @on_added is called after each buffer, with the lock held."""

    def __init__(self, pad: Any,
                 on_added: Callable[[], None] = lambda: None) -> None:
        self.found = Continuity()
        self.lock = threading.Lock()
        self._on_added = on_added
        self._end = 0  # offset of the next byte
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer)

    def _on_buffer(self, _: Any, info: Any) -> Any:
        buffer = info.get_buffer()
        if buffer is not None:
            with self.lock:
                self._add(buffer)
                self._on_added()
        return Gst.PadProbeReturn.OK

    def _add(self, buffer: Any) -> None:
        size, offset = buffer.get_size(), buffer.offset
        if offset != Gst.BUFFER_OFFSET_NONE:
            # a demuxer of files looks around before it plays
            if offset < self._end:
                self.found.restart()
            elif offset > self._end:
                self.found.forget()
            self._end = offset + size
        self.found.feed(buffer.extract_dup(0, size))
        for place in self.found.repeats:
            _clear(buffer, place)


# Codecs that GStreamer 1.22 decodes, but that its demuxers do not name.
_CAPS_OF_FOURCC = {'AVdh': 'video/x-dnxhd',  # DNxHR
                   'AVdn': 'video/x-dnxhd'}  # in Matroska

# Bytes at the start of a Matroska file that include the tracks.
_TRACKS = 1 << 16


def fourcc(row: Any) -> str:
    """Returns the fourcc in the caps of an unknown video, or an empty text;
    demuxers write it in three ways."""
    value = row.get_value('fourcc') if row.has_field('fourcc') else ''
    if isinstance(value, int):
        value = value.to_bytes(4, 'little').decode('latin-1')
    return str(value) or row.get_name().partition('fourcc-')[2]


def _kept_start(demuxer: Any) -> bytearray:
    """Returns the start of the file that a new demuxer will have read when it
    adds pads."""
    start = bytearray(_TRACKS)
    sink = demuxer.get_static_pad('sink')
    end = 0

    def on_buffer(_: Any, info: Any) -> Any:
        nonlocal end
        buffer = info.get_buffer()
        at = info.offset if info.type & Gst.PadProbeType.PULL else end
        if buffer is not None and at < _TRACKS:
            end = at + buffer.get_size()
            start[at:end] = buffer.extract_dup(0, end - at)
        return Gst.PadProbeReturn.OK
    probe = sink.add_probe(
        Gst.PadProbeType.BUFFER | Gst.PadProbeType.PUSH
        | Gst.PadProbeType.PULL, on_buffer)
    demuxer.connect('no-more-pads', lambda _: sink.remove_probe(probe))
    return start


def _read_quicktime(start: bytearray, pad: Any, row: Any) -> None:
    """Completes the caps of a codec of QuickTime in Matroska, of which the
    demuxer tells no more than that."""
    # imports numpy, which the process that decodes does not need
    from clqc.containers import matroska_video

    code, duration, colour_range = matroska_video.quicktime(
        start, (pad.get_stream_id() or '').partition('/')[2])
    row.set_value('fourcc', code)
    found, rate, base = GstVideo.video_guess_framerate(duration)
    if duration and found:
        row.set_value('framerate', Gst.Fraction(rate, base))
    if colour_range in (1, 2):
        row.set_value('colorimetry', f'{3 - colour_range}:0:0:0')


def _named(start: bytearray, pad: Any, caps: Any) -> Optional[Any]:
    """Returns the event of the caps with the name of their codec, or None if
    the demuxer has named it."""
    if not caps or not caps.get_size():
        return None
    row = caps[0].copy()
    if row.get_string('codec-id') == 'V_QUICKTIME' and (
            not row.has_field('fourcc')):
        _read_quicktime(start, pad, row)
    row.set_name(_CAPS_OF_FOURCC.get(fourcc(row), row.get_name()))
    if row.is_equal(caps[0]):
        return None
    named = Gst.Caps.new_empty()
    named.append_structure(row)
    return Gst.Event.new_caps(named)


def _name_codec(_: Any, pad: Any, start: bytearray) -> None:
    """Names the codec in the caps of a new pad of a demuxer, before the pad is
    linked, and in those that it sends again, as for fragments. @start: of a
    Matroska file."""
    def on_event(pad: Any, info: Any) -> Any:
        event = info.get_event()
        named = event.type == Gst.EventType.CAPS and _named(
            start, pad, event.parse_caps())
        if not named:
            return Gst.PadProbeReturn.OK
        pad.push_event(named)
        return Gst.PadProbeReturn.DROP

    named = _named(start, pad, pad.get_current_caps())
    if named:
        pad.store_sticky_event(named)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)


def name_codecs(element: Any) -> None:
    """Names codecs behind a new element of a pipeline, if it is a demuxer."""
    name, klass = made_by(element)
    if 'Demuxer' in klass:
        element.connect('pad-added', _name_codec, _kept_start(element)
                        if name == 'matroskademux' else bytearray())


def _time_field(pad: Any, info: Any) -> Any:
    """In a probe behind a parser of a stream without timestamps: removes the
    duration of a field. The decoder adds up the durations of the first packets
    of the frames; without one, it takes the duration of a frame."""
    buffer = info.get_buffer()
    row = pad.get_current_caps()[0]
    if buffer.pts != Gst.CLOCK_TIME_NONE or (
            row.get_string('coded-picture-structure') != 'field'):
        return Gst.PadProbeReturn.REMOVE
    _, rate, base = row.get_fraction('framerate')
    if 4 * buffer.duration * rate < 3 * base * Gst.SECOND:
        buffer.duration = Gst.CLOCK_TIME_NONE
    return Gst.PadProbeReturn.OK


def _mend_elements(pipeline: Any) -> None:
    """Names codecs behind demuxers that are added later, drops repeated
    packets in front of them, and mends the durations of fields."""
    def on_element(_: Any, __: Any, element: Any) -> None:
        name_codecs(element)
        name, _ = made_by(element)
        if name == 'tsdemux':
            TransportPackets(element.get_static_pad('sink'))
        elif name == 'h264parse':
            element.get_static_pad('src').add_probe(
                Gst.PadProbeType.BUFFER, _time_field)
    pipeline.connect('deep-element-added', on_element)


# Contexts of GPUs that elements have posted, by type, whose first letters are
# these. They live as long as the process: opening a GPU can take a second.
_OF_GPUS = ('gst.cl.', 'gst.cuda.', 'gst.gl.', 'gst.va.', 'gst.vulkan.')
_contexts: Dict[str, Any] = {}


def _share_contexts(pipeline: Any) -> None:
    """Lets a new pipeline use the GPU contexts of those before it."""
    def on_context(_: Any, message: Any) -> None:
        context = message.parse_have_context()
        if context.get_context_type().startswith(_OF_GPUS):
            _contexts[context.get_context_type()] = context
    bus = pipeline.get_bus()
    bus.enable_sync_message_emission()
    bus.connect('sync-message::have-context', on_context)
    for context in list(_contexts.values()):
        pipeline.set_context(context)


def prepare(pipeline: Any) -> None:
    """Prepares a new pipeline, before it has demuxers and decoders."""
    _mend_elements(pipeline)
    _share_contexts(pipeline)


class Pipeline:
    """A pipeline that plays as fast as it can. on_message receives each
    message that is not handled here; position is the newest stream time in
    nanoseconds, and is_compiling is whether kernels may be compiled for the
    frame that was passed on last, both set by the user of the class."""

    def __init__(self, description: str,
                 on_message: Optional[Callable[[Any], None]] = None,
                 clock: Clock = REAL) -> None:
        self.clock = clock
        try:
            self.pipeline = Gst.parse_launch(description)
        except GLib.Error as error:
            raise ClqcError(f'GStreamer: {error.message}') from error
        prepare(self.pipeline)
        self.bus = self.pipeline.get_bus()
        self.on_message = on_message
        self.position = 0
        self.is_compiling = False
        self.on_tick: Optional[Callable[[int], None]] = None
        self._reads: List[Reads] = []

    def element(self, name: str) -> Any:
        """Returns an element by its name."""
        return self.pipeline.get_by_name(name)

    def of(self, klass: str) -> Iterator[Any]:
        """Yields the elements of a klass such as `Decoder/Video`."""
        for element in self.pipeline.iterate_recurse():
            if klass in made_by(element)[1]:
                yield element

    def elements(self, klass: str) -> list[str]:
        """Returns the factory names of of()."""
        return sorted({made_by(element)[0] for element in self.of(klass)})

    def _follow_reads(self, is_quiet: bool) -> None:
        if is_quiet and not self._reads:
            self._reads = [Reads(demuxer) for demuxer in self.of('Demuxer')
                           if demuxer.get_static_pad('sink')]
        elif not is_quiet:
            while self._reads:
                self._reads.pop().close()

    def _wait(self, until: int) -> None:
        """Waits for a message of the type @until; raises on errors and stalls.
        """
        types = (until | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT |
                 Gst.MessageType.STREAM_START)
        last = -1
        start = moved = self.clock.now()
        while True:
            message = self.bus.timed_pop_filtered(Gst.SECOND // 4, types)
            now = self.clock.now()
            self._follow_reads(self.position == last
                               and now - moved > QUIET_SECONDS)
            if self.position != last or (
                    self.is_compiling and now - start < COMPILE_SECONDS):
                last, moved = self.position, now
                if self.on_tick:
                    self.on_tick(last)
            elif now - moved > STALL_SECONDS:
                demuxers = '+'.join(self.elements('Demuxer')) or 'the decoder'
                raise ClqcError(
                    f'nothing was decoded for {STALL_SECONDS:.0f} seconds '
                    f'after {max(last, 0) / 1e9:.3f} s: {demuxers} makes '
                    'no progress')
            if message is None:
                continue
            if message.type == Gst.MessageType.ERROR:
                raise _failure(message)
            if message.type & until:
                return
            if self.on_message:
                self.on_message(message)

    def pause(self) -> None:
        """Pauses: waits until the first frame is at the sink."""
        self.pipeline.set_state(Gst.State.PAUSED)
        self._wait(Gst.MessageType.ASYNC_DONE | Gst.MessageType.EOS)

    def seek(self, position: int) -> None:
        """Seeks to the key frame at or before a time; the pipeline is paused.
        """
        flags = (Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT |
                 Gst.SeekFlags.SNAP_BEFORE)
        if not self.pipeline.seek_simple(Gst.Format.TIME, flags, position):
            raise ClqcError('the container does not support seeking')
        self._wait(Gst.MessageType.ASYNC_DONE | Gst.MessageType.EOS)

    def play(self) -> None:
        """Plays to the end."""
        self.pipeline.set_state(Gst.State.PLAYING)
        self._wait(Gst.MessageType.EOS)

    def close(self) -> None:
        """Stops and frees the pipeline, also if its callbacks have references
        to this object; written files are complete afterwards."""
        self.pipeline.set_state(Gst.State.NULL)
        self.pipeline = self.bus = None


def ends_without_a_frame(path: str, error: Exception) -> bool:
    """Returns whether decodebin finds streams without a frame. The
    discoverer's error does not distinguish this case."""
    if not isinstance(error, GLib.Error) or not error.matches(*_STREAM_FAILED):
        return False
    line = Pipeline(f'{source(path)} ! decodebin ! fakesink')
    try:
        line.pause()
    except WithoutAFrame:
        return True
    except ClqcError:
        pass
    finally:
        line.close()
    return False
