# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays what is not live as fast as it was made."""
import threading
from typing import Any, Callable, List, Optional

from ..clock import REAL, Clock
from ..gst import Gst
from .axis import AHEAD, BACK


class Pace:
    """Holds back the buffers of pads until their time has come. The first of
    all is in time; so the picture and the sound of a stream keep together.

    @now: running time by the clock, nanoseconds; None: it does not play
    yet. With @is_patient, what follows the first picture is held back until
    begin() is called: a file has time for what is compiled meanwhile."""

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
        """What is to be added to running times of buffers to get those of the
        clock; nanoseconds."""
        return self._offset or 0

    @property
    def has_begun(self) -> bool:
        """Whether more than the first picture may go on."""
        return self._begins.is_set()

    def begin(self) -> None:
        """The first picture is measured. Any thread."""
        self._begins.set()

    def hold(self, pad: Any, is_picture: bool) -> None:
        """From now on."""
        last: List[int] = []  # the time before, if there is one
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer, last,
                      is_picture)

    def close(self) -> None:
        """Lets all through, so that threads that wait can end."""
        self._is_over.set()
        self._begins.set()

    def wait(self, time: int, is_back: bool = False) -> float:
        """Seconds until a running time of buffers. What jumps, ahead or with
        @is_back, goes on at once."""
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
