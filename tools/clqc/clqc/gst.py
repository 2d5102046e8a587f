# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer for the processes that decode: pipelines, their messages and
their clock. Nothing else of clqc imports gi."""
import os
import tempfile
from typing import Any, Callable, Optional

import gi

try:
    gi.require_version('Gst', '1.0')
    gi.require_version('GstPbutils', '1.0')
    gi.require_version('GstVideo', '1.0')
except ValueError as wrong:
    raise ImportError(str(wrong)) from wrong
from gi.repository import GLib, Gst, GstPbutils, GstVideo  # noqa: E402

from .clock import REAL, Clock  # noqa: E402
from .errors import ClqcError, MachineError  # noqa: E402
from .locations import is_http  # noqa: E402

__all__ = ['Gst', 'GstPbutils', 'GstVideo', 'init', 'escape', 'source', 'uri',
           'Line', 'stream_time', 'describe', 'is_without_a_frame',
           'ends_without_a_frame', 'WithoutAFrame']

# A pipeline in which nothing moves for so many seconds hangs.
STALL_SECONDS = float(os.environ.get('CLQC_STALL_SECONDS', '60'))


def init() -> None:
    """Once in a process."""
    Gst.init(None)


def escape(path: str) -> str:
    """A path as the value of a property in a launch line."""
    return '"' + path.replace('\\', '\\\\').replace('"', '\\"') + '"'


def source(path: str) -> str:
    """The source of a launch line for a file, or for an address of http. That
    comes through a file, of which nothing stays, so that demuxers read here
    and there, and find what they find in a file."""
    if not is_http(path):
        return f'filesrc location={escape(path)}'
    buffer = escape(os.path.join(tempfile.gettempdir(), 'clqc-http-XXXXXX'))
    return (f'souphttpsrc location={escape(path)} retries=5 timeout=30 ! '
            f'queue2 temp-template={buffer} max-size-buffers=0 '
            'max-size-time=0 max-size-bytes=67108864')


def uri(path: str) -> str:
    """What the discoverer reads."""
    return path if is_http(path) else str(Gst.filename_to_uri(path))


def stream_time(pad: Any, pts: int) -> Optional[int]:
    """Nanoseconds from the start of the stream to a buffer with that
    timestamp; None where that is unknown, or in front of the start."""
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    if event is None or pts == Gst.CLOCK_TIME_NONE:
        return None
    time_of = event.parse_segment().to_stream_time(Gst.Format.TIME, pts)
    return None if time_of == Gst.CLOCK_TIME_NONE else int(time_of)


_STREAM_FAILED = (Gst.StreamError.quark(), Gst.StreamError.FAILED)


def is_without_a_frame(message: Any) -> bool:
    """Whether an error message says what others tell by the end of the stream:
    decodebin has come to it, and not to a buffer. So does GStreamer 1.28 for
    files of Matroska that have none."""
    error, debug = message.parse_error()
    return bool(
        error.matches(*_STREAM_FAILED)
        and (debug or '').rstrip().endswith('all streams without buffers'))


def describe(message: Any) -> str:
    """What an error message says, for people."""
    error, debug = message.parse_error()
    text = str(error.message).strip()
    # What a decoder says is in the debug text, behind the place in its source.
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
    """There are streams, and nothing in them."""

    def __init__(self) -> None:
        super().__init__('no frame of it can be decoded')


def _failure(message: Any) -> ClqcError:
    """An error message, which may be about this machine: what cannot be
    opened or written, and whatever ails the OpenCL device."""
    if is_without_a_frame(message):
        return WithoutAFrame()
    error, _ = message.parse_error()
    factory = message.src.get_factory() if isinstance(
        message.src, Gst.Element) else None
    is_of_resource = error.domain == 'gst-resource-error-quark'
    if is_of_resource and (error.code in map(int, _OF_MACHINE) or (
            factory and factory.get_name() == 'clframesum')):
        return MachineError(describe(message))
    return ClqcError(describe(message))


class Line:
    """A launch line that plays as fast as it can.

    on_message gets each message that is not handled here; position is the
    newest stream time in nanoseconds that somebody has set."""

    def __init__(self, description: str,
                 on_message: Optional[Callable[[Any], None]] = None,
                 clock: Clock = REAL) -> None:
        self.clock = clock
        try:
            self.pipeline = Gst.parse_launch(description)
        except GLib.Error as error:
            raise ClqcError(f'GStreamer: {error.message}') from error
        self.bus = self.pipeline.get_bus()
        self.on_message = on_message
        self.position = 0
        self.on_tick: Optional[Callable[[int], None]] = None

    def element(self, name: str) -> Any:
        """An element by its name."""
        return self.pipeline.get_by_name(name)

    def elements(self, klass: str) -> list[str]:
        """Names of the factories of such elements, as `Decoder/Video`."""
        found = []
        for element in self.pipeline.iterate_recurse():
            factory = element.get_factory()
            if factory and klass in factory.get_metadata('klass'):
                found.append(factory.get_name())
        return sorted(set(found))

    def _wait(self, until: int) -> None:
        """Until a message of the type @until; errors and stalls raise."""
        types = (until | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT |
                 Gst.MessageType.STREAM_START)
        last, moved = -1, self.clock.now()
        while True:
            message = self.bus.timed_pop_filtered(Gst.SECOND // 4, types)
            now = self.clock.now()
            if self.position != last:
                last, moved = self.position, now
                if self.on_tick:
                    self.on_tick(last)
            elif now - moved > STALL_SECONDS:
                demuxers = '+'.join(self.elements('Demuxer')) or 'the decoder'
                raise ClqcError(
                    f'nothing was decoded for {STALL_SECONDS:.0f} seconds '
                    f'after {max(last, 0) / 1e9:.3f} s: {demuxers} stands '
                    'still')
            if message is None:
                continue
            if message.type == Gst.MessageType.ERROR:
                raise _failure(message)
            if message.type & until:
                return
            if self.on_message:
                self.on_message(message)

    def pause(self) -> None:
        """Until the first frame has come to the sink."""
        self.pipeline.set_state(Gst.State.PAUSED)
        self._wait(Gst.MessageType.ASYNC_DONE | Gst.MessageType.EOS)

    def seek(self, position: int) -> None:
        """To the key frame at or in front of it; the line is paused."""
        flags = (Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT |
                 Gst.SeekFlags.SNAP_BEFORE)
        if not self.pipeline.seek_simple(Gst.Format.TIME, flags, position):
            raise ClqcError('the container cannot be entered in the middle')
        self._wait(Gst.MessageType.ASYNC_DONE | Gst.MessageType.EOS)

    def play(self) -> None:
        """To the end."""
        self.pipeline.set_state(Gst.State.PLAYING)
        self._wait(Gst.MessageType.EOS)

    def close(self) -> None:
        """What was written is complete afterwards."""
        self.pipeline.set_state(Gst.State.NULL)


def ends_without_a_frame(path: str, error: Exception) -> bool:
    """Whether decodebin says so of a file. The error is the discoverer's,
    which leaves out what would tell it from others."""
    if not isinstance(error, GLib.Error) or not error.matches(*_STREAM_FAILED):
        return False
    line = Line(f'{source(path)} ! decodebin ! fakesink')
    try:
        line.pause()
    except WithoutAFrame:
        return True
    except ClqcError:
        pass
    finally:
        line.close()
    return False
