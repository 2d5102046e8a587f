# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the packets of a stream, and those that were lost: the continuity
counters in front of the demuxer of transport streams, and the statistics of
GStreamer's elements for RTP and SRT."""
import threading
from typing import Any, Callable, Dict, List, Tuple

from clqc.common.clock import REAL, Clock
from clqc.decoding.gst import Gst, TransportPackets, made_by
from clqc.judging.rules.detectors import NANOSECONDS
from clqc.live.judging.counters import Counts, zero
from clqc.live.sources.sender_clock import (
    SenderClock, SenderTimes, unwrapped)

# For an element: its fields, and the counters to which they are added.
_FIELDS: Dict[str, Tuple[Tuple[str, str, str], ...]] = {
    'rtpjitterbuffer': (('num-pushed', 'packets', 'rtp'),
                        ('num-lost', 'lost-packets', 'rtp'),
                        ('num-late', 'lost-packets', 'rtp-late')),
    'srtsrc': (('packets-received', 'packets', 'srt'),
               ('packets-received-lost', 'lost-packets', 'srt'))}

# Payloads of RTP whose timestamps are not those of frames.
_NO_FRAMES = 'MP2T', 'MP1S', 'MP2P'


class _Input:
    """The packets in front of a demuxer of transport streams."""

    def __init__(self, pad: Any, sender: SenderClock) -> None:
        self._sender = sender
        self._packets = TransportPackets(pad, self._on_added)

    def _on_added(self) -> None:
        sent = self._packets.found.clock
        if sent is not None:
            self._sender.add(sent)

    def add_to(self, counts: Counts) -> None:
        """Adds its counts."""
        with self._packets.lock:
            found = self._packets.found
            counts['packets']['ts'] += found.packets
            counts['lost-packets']['ts'] += found.lost
            for kind, count in found.errors.items():
                counts['transport-errors'][kind] += count


class _RtpTimes:
    """Reads the clock of the sender in the packets of RTP at a pad. Calls
    @on_time with the caps, the buffer and its time in nanoseconds, for the
    first of several packets with the same time."""

    def __init__(self, pad: Any, on_time: Callable[[Any, Any, int], None]
                 ) -> None:
        self._on_time = on_time
        self._head = b''  # the newest time as bytes
        self._last = 0  # of more than 32 bits
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer)

    def _on_buffer(self, pad: Any, info: Any) -> Any:
        buffer = info.get_buffer()
        head = buffer.extract_dup(4, 4)
        if head == self._head:
            return Gst.PadProbeReturn.OK
        self._head = head
        caps = pad.get_current_caps()
        found, rate = caps[0].get_int('clock-rate') if caps else (False, 0)
        if found and rate > 0 and len(head) == 4:
            self._last = unwrapped(int.from_bytes(head, 'big'), self._last)
            self._on_time(caps[0], buffer, self._last * NANOSECONDS // rate)
        return Gst.PadProbeReturn.OK


class _Statistics:
    """The property `stats` of an element, which begins at 0 again when SRT
    connects again."""

    def __init__(self, element: Any, name: str) -> None:
        self._element = element
        self._fields = _FIELDS[name]
        self._last = [0] * len(self._fields)
        self._sums = [0] * len(self._fields)

    def add_to(self, counts: Counts) -> None:
        """Adds its counts."""
        statistics = self._element.get_property('stats')
        rows = _rows(statistics) if statistics else []
        for i, (field, key, kind) in enumerate(self._fields):
            now = sum(max(0, row.get_value(field) or 0) for row in rows)
            self._sums[i] += now - self._last[i] if now >= self._last[i] else (
                now)
            self._last[i] = now
            counts[key][kind] += self._sums[i]


def _rows(statistics: Any) -> List[Any]:
    """Returns the structures with counts: a listener of SRT has one for each
    caller."""
    if not statistics.has_field('callers'):
        return [statistics]
    return list(statistics.get_value('callers'))


class Transport:
    """The packets of a pipeline. Any thread. @on_move is called before
    GStreamer moves the timestamps of a live source."""

    def __init__(self, pipeline: Any,
                 on_move: Callable[[int], None] = lambda _: None,
                 clock: Clock = REAL) -> None:
        self._on_move = on_move
        self._clock = clock
        self._lock = threading.Lock()
        self._inputs: List[_Input] = []
        self._elements: List[_Statistics] = []
        self._times = SenderTimes()
        self._is_adaptive = False  # of files: parts of its transport streams
        # need not continue each other
        pipeline.connect('deep-element-added', self._on_element)

    def _sender(self) -> SenderClock:
        return SenderClock(self._on_move, self._clock)

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        name, klass = made_by(element)
        with self._lock:
            if 'Adaptive' in klass:
                self._is_adaptive = True
            if name == 'tsdemux':
                pad = element.get_static_pad('sink')
                if self._is_adaptive:
                    TransportPackets(pad)
                else:
                    self._inputs.append(_Input(pad, self._sender()))
            elif name in _FIELDS:
                if name == 'rtpjitterbuffer':
                    self._follow_rtp(element)
                self._elements.append(_Statistics(element, name))

    def _follow_rtp(self, element: Any) -> None:
        """Follows the clock of the sender before and behind a jitter
        buffer."""
        sender = self._sender()

        def add_time(row: Any, buffer: Any, sent: int) -> None:
            if (row.get_string('media') == 'video'
                    and row.get_string('encoding-name') not in _NO_FRAMES
                    and buffer.pts != Gst.CLOCK_TIME_NONE):
                self._times.add(buffer.pts, sent)
        _RtpTimes(element.get_static_pad('sink'),
                  lambda _, __, sent: sender.add(sent))
        _RtpTimes(element.get_static_pad('src'), add_time)

    def sender_time(self, time: int) -> int:
        """Returns when the sender made the frame with the timestamp @time, by
        its clock, in nanoseconds; @time if the packets do not tell."""
        return self._times.of(time)

    @property
    def is_adaptive(self) -> bool:
        """Returns whether the source is HLS or DASH."""
        return self._is_adaptive

    def counts(self) -> Counts:
        """Returns the counts so far."""
        counts = zero()
        with self._lock:
            for one in self._inputs:
                one.add_to(counts)
            for element in self._elements:
                element.add_to(counts)
        return counts
