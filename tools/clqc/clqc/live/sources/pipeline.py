# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline of one watched stream. It runs in its own process."""
import os
import select
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from clqc.common import network_errors
from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.common.printable import line as plain_line
from clqc.decoding import colours
from clqc.decoding.gst import (Gst, describe, escape, is_without_a_frame,
                               made_by, name_codecs, stream_time)
from clqc.decoding.sound import INTERVAL
from clqc.judging.rules.detectors import DECODE_ERROR, GAP
from clqc.live.judging.damage import Damage
from clqc.live.judging.judge import Rules
from clqc.live.sources import playlists, udp_ports
from clqc.live.sources.announced_codec import AnnouncedCodec
from clqc.live.sources.damaged_frames import DamagedFrames
from clqc.live.sources.decode_errors import DecodeErrors, codec_of
from clqc.live.sources.missing_frames import MissingFrames
from clqc.live.sources.real_time import RealTime
from clqc.live.sources.transport import Transport
from clqc.results.fields import SIGNALSTATS

# Frames that are queued on a slow machine; beyond it the oldest are dropped.
DEPTH = 8

# The buffer of a socket; the system may limit it (net.core.rmem_max).
_SOCKET_BYTES = 4 << 20

# Between two checks of a FIFO without a writer.
_FIFO_WAIT_SECONDS = 0.5

_DATA = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
# A rate is that of the caps if it differs by at most this share.
_CLOSE_RATE = 0.02

# Share by which a measured rate may differ from the usual one that it is.
_NEAR_RATE = 0.002

_SERIALIZED = (Gst.QueryType.ALLOCATION, Gst.QueryType.DRAIN)

_WANTED = 'video/x-raw(ANY);audio/x-raw'


class Fatal(ClqcError):
    """An error that a retry does not help against."""


def _measure(rules: Rules, lines_fd: int) -> str:
    """Returns the measuring elements. Frames wait for their time before the
    leaky queue, so waiting drops none."""
    # Outputs show all of signalstats.
    settings = {'statistics': '+'.join([*SIGNALSTATS, *(
        flag for flag in rules.flags() if flag not in SIGNALSTATS)]),
        'key-style': 'lavfi', 'post-messages': 'false', 'stats-meta': 'false',
        'location': f'/dev/fd/{lines_fd}', **rules.measure}
    settings['events'] = '+'.join(filter(
        lambda name: name != '0', [settings.get('events', '0'),
                                   'signal-loss']))
    if 'card-file' in settings:
        settings['card-file'] = escape(settings['card-file'])
    settings['signal-loss-timeout'] = str(rules.live.signal_loss)
    measure = ' '.join(f'{name}={value}' for name, value in settings.items())
    return (f'queue name=wait leaky=downstream max-size-buffers={DEPTH} '
            'max-size-bytes=0 max-size-time=0 ! '
            'videoconvert dither=none ! '
            f'clframesum name=measure {measure} ! '
            'fakesink name=measured sync=false async=false')


_HEAR = ('queue max-size-time=1000000000 ! audioconvert ! '
         f'level name=level interval={INTERVAL} ! '
         'fakesink sync=false async=false')


class LivePipeline:
    """Decodes a URI and measures its first video and its first sound. The
    lines of clframesum are written to the descriptor @lines_fd. on_level
    receives the start and the end of each measurement of the sound,
    nanoseconds of running time, and the RMS of its loudest channel in dB.
    Damage is counted in @damage. Threads of GStreamer set the properties."""

    def __init__(self, uri: str, rules: Rules, lines_fd: int,
                 on_level: Callable[[int, int, float], None],
                 damage: Damage, clock: Clock = REAL) -> None:
        self.clock = clock
        self.rules = rules
        self.lines_fd = lines_fd
        self.on_level = on_level
        self.damage = damage
        self.is_live = False
        self.has_sound = False
        self.n_arrived = 0
        self.n_lost = 0     # dropped by the queue
        # The source waits for the measuring elements, which open the device
        # or compile programs; it delivers no frame meanwhile.
        self.is_blocked = False
        # Times of frames whose preceding frames were dropped by the queue.
        self._gaps: Deque[int] = deque(maxlen=4096)
        self._gaps_lock = threading.Lock()
        self._waiting: Deque[int] = deque()  # times of frames in the queue
        # times of frames, and when they arrived
        self._arrivals: Deque[Tuple[int, float]] = deque(maxlen=4 * DEPTH)
        self._sound_end: Optional[int] = None  # expected time of the next one
        self.caps: Optional[Any] = None
        self.measure: Optional[Any] = None
        self._sink: Optional[Any] = None
        self._device = ''
        self._missing = ''  # missing plugin
        self.uri = uri
        self.address = network_errors.address(uri)
        self.has_data = False  # since listen()
        self._source_pads: List[Any] = []
        self.damaged_frames = DamagedFrames()
        self._timing = MissingFrames()
        self._codec: Optional[str] = None
        self._is_closed = False
        self._sounds: List[Any] = []  # pads
        # sink pads of the branches that measure, and the branches of other
        # pads
        self._video_sink: Optional[Any] = None
        self._sound_sink: Optional[Any] = None
        self._others: Dict[Any, Any] = {}
        self._lock = threading.Lock()
        self._check(uri)
        self.pipeline = Gst.Pipeline.new(None)
        self.real_time = RealTime(self.now, uri.startswith('file:'))
        decode = Gst.ElementFactory.make('uridecodebin', 'decode')
        decode.set_property('uri', uri)
        decode.set_property('caps', Gst.Caps.from_string(_WANTED))
        decode.set_property('expose-all-streams', False)
        decode.connect('pad-added', self._on_pad)
        decode.connect('pad-removed', self._on_pad_removed)
        decode.connect('no-more-pads', self._on_all_pads)
        decode.connect('source-setup', self._on_source)
        self.pipeline.add(decode)
        self.bus = self.pipeline.get_bus()
        self.pipeline.connect('deep-element-added', self._on_element)
        self._announced = AnnouncedCodec(
            self.pipeline, lambda: self._post('other-codec'))
        self._transport = Transport(self.pipeline, self._timing.move, clock)
        self._reports = DecodeErrors(
            self, lambda: self.n_arrived, self._on_error,
            self.damaged_frames.add_key)

    @staticmethod
    def _check(uri: str) -> None:
        if not Gst.ElementFactory.find('clframesum'):
            raise Fatal('GStreamer does not find the plugin opencl: is '
                        'GST_PLUGIN_PATH set?')
        scheme = uri.partition(':')[0]
        if not Gst.uri_protocol_is_supported(Gst.URIType.SRC, scheme):
            raise Fatal(f'GStreamer has no plugin that opens {scheme}: URIs')

    # --- threads of GStreamer ---

    def _add(self, description: str, pad: Any,
             is_picture: bool = False) -> Any:
        """Adds the branch of a pad to the running pipeline."""
        query = Gst.Query.new_latency()
        if pad.query(query):
            self.is_live = bool(query.parse_latency()[0])
        branch = Gst.parse_bin_from_description(description, True)
        # Live sources deliver frames at their time.
        if self.is_live:
            self._timing.set_live()
        else:
            self.real_time.hold(branch.get_static_pad('sink'), is_picture)
        self.pipeline.add(branch)
        branch.sync_state_with_parent()
        pad.link(branch.get_static_pad('sink'))
        return branch

    def _on_source(self, _: Any, source: Any) -> None:
        for pad in source.srcpads:
            self._on_source_pad(source, pad)
        source.connect('pad-added', self._on_source_pad)

    def _on_source_pad(self, _: Any, pad: Any) -> None:
        if pad.get_direction() == Gst.PadDirection.SRC:
            self._source_pads.append(pad)
            pad.add_probe(_DATA, self._on_data)

    def _on_data(self, *_: Any) -> Any:
        self.has_data = True
        return Gst.PadProbeReturn.REMOVE  # there are thousands a second

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        """Names codecs that demuxers do not name, and gives sockets a buffer
        for the time in which this machine is busy, if their element does not.
        """
        name_codecs(element)
        if made_by(element)[0] == 'udpsrc' and (
                element.get_property('buffer-size') == 0):
            element.set_property('buffer-size', _SOCKET_BYTES)

    def _on_pad(self, _: Any, pad: Any) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        name = caps[0].get_name() if caps.get_size() else ''
        with self._lock:
            is_video = name.startswith('video/')
            is_sound = name.startswith('audio/')
            if is_sound:
                self._sounds.append(pad)
            if is_video and not _is_linked(self._video_sink):
                self._codec = codec_of(pad)
                if self._video_sink:  # in place of one that was removed
                    pad.link(self._video_sink)
                    return
                self.is_blocked = True
                branch = self._add(_measure(self.rules, self.lines_fd), pad,
                                   True)
                self.is_blocked = False
                self._sink = branch.get_by_name('measured')
                self.measure = branch.get_by_name('measure')
                self._video_sink = branch.get_static_pad('sink')
                self._count(branch)
            elif is_sound and not _is_linked(self._sound_sink):
                self.has_sound = True
                if self._sound_sink:
                    pad.link(self._sound_sink)
                    return
                branch = self._add(_HEAR, pad)
                self._sound_sink = branch.get_static_pad('sink')
                branch.get_by_name('level').get_static_pad('sink').add_probe(
                    Gst.PadProbeType.BUFFER, self._on_sound)
            else:
                self._others[pad] = self._add(
                    'identity ! fakesink sync=false async=false', pad)

    def _on_pad_removed(self, _: Any, pad: Any) -> None:
        """The streams of a transport stream have other PIDs now: the next pad
        takes the place of the one that was measured."""
        with self._lock:
            if pad in self._sounds:
                self._sounds.remove(pad)
            branch = self._others.pop(pad, None)
        if branch and not self._is_closed:
            self._remove(branch)

    def _remove(self, branch: Any) -> None:
        branch.set_state(Gst.State.NULL)
        self.pipeline.remove(branch)

    def _count(self, branch: Any) -> None:
        pad = branch.get_by_name('wait').get_static_pad('sink')
        pad.add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM,
            self._on_arrived)
        pad.add_probe(Gst.PadProbeType.QUERY_DOWNSTREAM, self._on_query)
        self.measure.get_static_pad('sink').add_probe(  # type: ignore
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM,
            self._on_passed)

    def _on_query(self, _: Any, info: Any) -> Any:
        """Follows queries that wait in the queue behind frames: a probe sees
        each before it is processed, and if it succeeds also afterwards."""
        if info.get_query().type in _SERIALIZED:
            self.is_blocked = not info.type & Gst.PadProbeType.PULL
        return Gst.PadProbeReturn.OK

    def _on_arrived(self, pad: Any, info: Any) -> Any:
        self.is_blocked = False
        if info.type & Gst.PadProbeType.BUFFER:
            buffer = info.get_buffer()
            self.n_arrived += 1
            self._waiting.append(buffer.pts)
            self._arrivals.append((buffer.pts, self.clock.now()))
            if buffer.pts != Gst.CLOCK_TIME_NONE:
                self._follow(pad, buffer)
        elif info.get_event().type == Gst.EventType.CAPS:
            row = info.get_event().parse_caps()[0]
            found, number, denominator = row.get_fraction('framerate')
            if found and denominator:
                self._timing.set_rate(number, denominator)
        return Gst.PadProbeReturn.OK

    def _follow(self, pad: Any, buffer: Any) -> None:
        """Finds damage before and in a frame that has arrived."""
        time = buffer.pts
        sent = self._transport.sender_time(time)
        is_corrupted = buffer.has_flags(Gst.BufferFlags.CORRUPTED)
        if is_corrupted:
            self._reports.add_corrupted(stream_time(pad, time))
        if is_corrupted or self._timing.is_skip(sent):
            self.damaged_frames.add(time)
        lost = self._timing.add(sent, self.now(), self.damage.is_recent)
        if lost:
            self.damage.add(GAP, '', lost.frames, lost.duration)

    def _on_error(self, kind: str, time: Optional[int]) -> None:
        if time is not None:
            self.damaged_frames.add(time)
        self.damage.add(DECODE_ERROR, kind)

    def is_damaged(self, time: Optional[int]) -> bool:
        """Returns whether damage may have changed the frame with this
        timestamp, or the one before it. Any thread."""
        return time is not None and self.damaged_frames.has(time)

    def _n_left_out(self, time: int) -> int:
        """Returns how many frames were dropped before the one with this time.
        """
        count = 0
        while self._waiting and self._waiting.popleft() != time:
            count += 1
        return count

    def is_behind_gap(self, time: Optional[int]) -> bool:
        """Returns whether frames before the one with this timestamp were
        dropped here. Any thread."""
        with self._gaps_lock:
            return time in self._gaps

    def _on_sound(self, _: Any, info: Any) -> Any:
        """Marks buffers after missing sound: the element level otherwise
        counts samples only, and its times fall behind."""
        buffer = info.get_buffer()
        if buffer.pts != Gst.CLOCK_TIME_NONE:
            expected, self._sound_end = self._sound_end, buffer.pts
            if expected is not None:
                if abs(buffer.pts - expected) > INTERVAL // 2:
                    buffer.set_flags(Gst.BufferFlags.DISCONT)
                else:
                    self._sound_end = expected
            if buffer.duration != Gst.CLOCK_TIME_NONE:
                self._sound_end += buffer.duration
        return Gst.PadProbeReturn.OK

    def _on_passed(self, _: Any, info: Any) -> Any:
        if info.type & Gst.PadProbeType.BUFFER:
            count = self._n_left_out(info.get_buffer().pts)
            if count:
                self.n_lost += count
                with self._gaps_lock:
                    self._gaps.append(info.get_buffer().pts)
        else:
            event = info.get_event()
            if event.type == Gst.EventType.CAPS:
                self.caps = event.parse_caps()
        return Gst.PadProbeReturn.OK

    def _on_all_pads(self, _: Any) -> None:
        with self._lock:
            gone = None if _is_linked(self._sound_sink) else self._sound_sink
            self._sound_sink = None if gone else self._sound_sink
        if gone:  # its sink would wait for an end of the stream
            self._remove(gone.get_parent_element())
        if not _is_linked(self._video_sink):
            self._post('no-video')

    def _post(self, name: str) -> None:
        """Lets the thread that plays raise an error."""
        self.bus.post(Gst.Message.new_application(
            self.pipeline, Gst.Structure.new_empty(name)))

    # --- the thread that plays ---

    def play(self, is_over: Callable[[], bool]) -> None:
        """Plays until the end of the stream, or until @is_over returns True.
        Raises ClqcError."""
        result = self.pipeline.set_state(Gst.State.PLAYING)
        types = (Gst.MessageType.ERROR | Gst.MessageType.EOS |
                 Gst.MessageType.WARNING |
                 Gst.MessageType.ELEMENT | Gst.MessageType.APPLICATION |
                 Gst.MessageType.CLOCK_LOST | Gst.MessageType.LATENCY)
        while not is_over():
            message = self.bus.timed_pop_filtered(Gst.SECOND // 10, types)
            if message is None:
                if result == Gst.StateChangeReturn.FAILURE:
                    raise ClqcError(self._cause() or 'it cannot be opened')
                continue
            if message.type == Gst.MessageType.EOS:
                return
            if message.type == Gst.MessageType.ERROR:
                if is_without_a_frame(message):
                    return
                self._fail_of_plugin(message.parse_error()[0])
                raise ClqcError(self._announced.why() or self._why(message))
            self._on_message(message)

    def _cause(self) -> Optional[str]:
        return network_errors.probe(self.address) if self.address else None

    def _why(self, message: Any) -> str:
        """Returns the cause of an error in one sentence, as far as it can be
        found, or the message of GStreamer."""
        source = self.pipeline.get_by_name('source')
        error, debug = message.parse_error()
        if 'Could not receive any UDP packets' in f'{error.message} {debug}':
            return self.why_no_data() or _why(message)
        if self.address is None or not source or not (
                message.src is source or message.src.has_as_ancestor(source)):
            return self._of_playlist(playlists.failure) or _why(message)
        details = message.parse_error_details()
        for name in 'http-status-code', 'rtsp-status-code':
            if details and details.has_field(name):
                return network_errors.of_status(
                    details.get_uint(name)[1], error.message, self.address)
        return self._of_text(f'{error.message}\n{debug}') or (
            self._cause() or _why(message))

    def _of_text(self, text: str) -> Optional[str]:
        assert self.address
        why = network_errors.of_text(text, self.address)
        if why == self.address.because('taken', network_errors.ANOTHER):
            return self.address.because(
                'taken', udp_ports.user_of(self.address.port))
        return why

    def _on_warning(self, message: Any) -> None:
        """Raises an error if the source would only try again, many times a
        second, without success."""
        error, _ = message.parse_warning()
        if self.address and error.matches(Gst.ResourceError.quark(),
                                          Gst.ResourceError.NOT_AUTHORIZED):
            raise ClqcError(self._of_text(error.message) or error.message)

    def _fail_of_plugin(self, error: Any = None) -> None:
        """Raises Fatal if a missing plugin is the cause."""
        if self._missing and (
                error is None
                or error.matches(Gst.CoreError.quark(),
                                 Gst.CoreError.MISSING_PLUGIN)
                or error.matches(Gst.StreamError.quark(),
                                 Gst.StreamError.CODEC_NOT_FOUND)):
            raise Fatal(f'GStreamer has no plugin for it: {self._missing}')

    def _on_message(self, message: Any) -> None:
        if message.type == Gst.MessageType.APPLICATION:
            self._fail_of_plugin()
            raise ClqcError(self._announced.why() or 'it contains no video')
        if message.type == Gst.MessageType.CLOCK_LOST:
            self.pipeline.set_state(Gst.State.PAUSED)
            self.pipeline.set_state(Gst.State.PLAYING)
        elif message.type == Gst.MessageType.WARNING:
            self._on_warning(message)
        elif message.type == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        else:
            row = message.get_structure()
            name = row.get_name() if row is not None else ''
            if name == 'missing-plugin':
                self._missing = plain_line(row.get_value('name') or '')
            elif name == 'level':
                start = row.get_value('running-time')
                self.on_level(start, start + row.get_value('duration'),
                              max(row.get_value('rms')))

    # --- any thread ---

    def listen(self) -> None:
        """Finds out whether the source delivers data from now on."""
        self.has_data = False
        for pad in list(self._source_pads):
            pad.add_probe(_DATA, self._on_data)

    def why_no_data(self) -> Optional[str]:
        """Returns why the source delivers no data; None if that is unknown."""
        return (udp_ports.without_data(self.uri, self.address)
                or self._cause() or self._of_playlist(
                    playlists.why_no_data if self.n_arrived else
                    playlists.failure))

    def _of_playlist(self, find: Callable[[str, Any], Optional[str]]
                     ) -> Optional[str]:
        return find(self.uri, self.address) if (
            self.address and self._transport.is_adaptive) else None

    def arrival(self, time: Optional[int], usual: float) -> float:
        """Returns when the frame with this timestamp arrived; @usual if this
        is unknown. Forgets earlier frames."""
        for known, arrived in list(self._arrivals):
            if known == time:
                while self._arrivals and self._arrivals.popleft()[0] != time:
                    pass
                return arrived
        return usual

    def now(self) -> Optional[int]:
        """Returns the running time by the clock in nanoseconds; None if not
        playing."""
        clock = self.pipeline.get_clock()
        base = self.pipeline.get_base_time()
        if clock is None or base in (0, Gst.CLOCK_TIME_NONE):
            return None
        return int(clock.get_time() - base)

    def newest(self) -> Optional[Any]:
        """Returns the newest sample that was measured; None before."""
        return self._sink and self._sink.get_property('last-sample')

    def form(self) -> Optional[dict[str, Any]]:
        """Returns the form of the frames."""
        if self.caps is None or self.measure is None:
            return None
        self._device = self._device or plain_line(
            self.measure.get_property('device-name') or '')
        row = self.caps[0]
        found, number, denominator = row.get_fraction('framerate')
        return {'width': row.get_value('width'),
                'height': row.get_value('height'),
                'format': row.get_value('format'),
                'rate': [number, denominator] if found else None,
                'sound': self.has_sound, 'live': self.is_live,
                'device': self._device, 'codec': self._codec}

    def rate(self) -> Optional[List[int]]:
        """Returns the frame rate: that of the caps, unless the timestamps keep
        another one."""
        row = self.caps[0] if self.caps is not None else None
        found, number, denominator = row.get_fraction('framerate') if (
            row) else (False, 0, 1)
        kept = self._timing.rate
        named = number / denominator if found and denominator else 0.0
        if kept is None or abs(kept - named) <= _CLOSE_RATE * named:
            return [number, denominator] if named else None
        return usual_rate(kept)

    def facts(self) -> Dict[str, Any]:
        """Returns facts as in facts.json, for the rules of [container]; empty
        until the rate is known, if the caps do not name it."""
        if self._is_closed or self.caps is None or not (
                self.rate() or self._timing.is_settled):
            return {}
        with self._lock:
            sounds = list(self._sounds)
        found = []
        for pad in sounds:
            caps = pad.get_current_caps()
            row = caps[0] if caps else None
            found.append({'codec': codec_of(pad), **{
                name: row.get_value(name) if row else None
                for name in ('channels', 'rate')}})
        return {'video': {**colours.caps_facts(self.caps[0]),
                          'rate': self.rate(), 'codec': self._codec},
                'audio': found}

    def check(self) -> None:
        """Counts packets; called several times a second."""
        self.damage.set_transport(self._transport.counts())
        self.damage.tick(self.n_arrived)

    def close(self) -> None:
        """Stops the pipeline; the lines are complete afterwards."""
        self.form()  # stores the form: afterwards the device is unknown
        self._is_closed = True
        self._reports.close()
        self.real_time.close()
        self.pipeline.set_state(Gst.State.NULL)


def _is_linked(pad: Any) -> bool:
    return pad is not None and bool(pad.is_linked())


def usual_rate(rate: float) -> List[int]:
    """Returns a measured rate as a fraction: that of the usual one that it is
    next to, a whole number or 1000/1001 of one."""
    usual = min(([round(rate), 1], [round(rate * 1.001) * 1000, 1001]),
                key=lambda one: abs(one[0] / one[1] - rate))
    is_near = abs(usual[0] / usual[1] - rate) <= _NEAR_RATE * rate
    return usual if is_near else [round(rate * 1000), 1000]


def _why(message: Any) -> str:
    """Returns an error message of GStreamer, with the message of the library
    below."""
    text = describe(message)
    error, debug = message.parse_error()
    detail = (debug or '').strip().split('\n')[-1].strip()
    if not error.matches(Gst.ResourceError.quark(), error.code) or (
            detail in text or detail.endswith(':') or '.c(' in detail):
        return text
    return f'{text.rstrip(".")}: {detail}'


def fifo(path: str, is_over: Callable[[], bool],
         on_wait: Callable[[], None],
         clock: Clock = REAL) -> Optional[str]:
    """Opens a FIFO without blocking on its writer, then waits for its first
    bytes, and calls @on_wait meanwhile. Returns what to open instead; None if
    @is_over."""
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    while not is_over():
        found = [event for _, event in clock.poll(poll, _FIFO_WAIT_SECONDS)]
        if any(event & select.POLLIN for event in found):
            return f'fd://{reader}'
        # a writer has opened and closed it, which poll() keeps reporting
        if found:
            clock.sleep(_FIFO_WAIT_SECONDS)
        on_wait()
    return None
