# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays sources that are not live in real time."""
import threading
from typing import Any, Callable, List, Optional

from clqc.common.clock import REAL, Clock
from clqc.decoding.gst import Gst
from clqc.live.judging.time_axis import AHEAD, BACK


class RealTime:
    """Delays the buffers of pads until their time. The first buffer of any pad
    sets the start, so that picture and sound stay in sync. @now: running time
    by the clock, nanoseconds; None if not playing. With @is_patient, buffers
    after the first picture wait until begin(), because a file can wait for
    programs to be compiled."""

    def __init__(self, now: Callable[[], Optional[int]],
                 is_patient: bool = False, clock: Clock = REAL) -> None:
        self._now = now
        self._clock = clock
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._begins = threading.Event()
        if not is_patient:
            self.begin()
        self._offset: Optional[int] = None

    @property
    def offset(self) -> int:
        """Returns the offset from running times of buffers to those of the
        clock; nanoseconds."""
        return self._offset or 0

    @property
    def has_begun(self) -> bool:
        """Returns whether buffers after the first picture may pass."""
        return self._begins.is_set()

    def begin(self) -> None:
        """Called when the first picture is measured. Any thread."""
        self._begins.set()

    def hold(self, pad: Any, is_picture: bool) -> None:
        """Delays the buffers of a pad from now on."""
        last: List[int] = []  # the previous time, if there is one
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer, last,
                      is_picture)

    def close(self) -> None:
        """Lets all buffers pass, so that waiting threads can end."""
        self._is_over.set()
        self._begins.set()

    def wait(self, time: int, is_back: bool = False) -> float:
        """Returns the seconds until a running time of buffers. A jump ahead,
        or with @is_back a jump back, passes at once."""
        self._begins.wait()
        now = self._now()
        while now is None:
            if self._clock.wait(self._is_over, 0.01):
                return 0.0
            now = self._now()
        with self._lock:
            if self._offset is None or is_back or (
                    time + self._offset - now > AHEAD):
                self._offset = now - time
            return (time + self._offset - now) / 1e9

    def _on_buffer(self, pad: Any, info: Any, last: List[int],
                   is_picture: bool) -> Any:
        buffer = info.get_buffer()
        event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        if event is not None and buffer.pts != Gst.CLOCK_TIME_NONE:
            time = event.parse_segment().to_running_time(
                Gst.Format.TIME, buffer.pts)
            if time != Gst.CLOCK_TIME_NONE:
                is_first, is_back = not last, last and time < last[0] - BACK
                last[:] = [time]
                seconds = 0.0 if is_first and is_picture else self.wait(
                    time, bool(is_back))
                if seconds > 0:
                    self._clock.wait(self._is_over, seconds)
        return Gst.PadProbeReturn.OK
