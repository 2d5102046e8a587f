# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG pictures of the frames at which events begin and end, in the process of
a stream."""
import base64
import threading
from queue import Full, Queue
from typing import Any, Callable, Optional

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.decoding.gst import GLib, Gst, GstVideo, Pipeline
from clqc.results.result_files import Json

# Pictures that wait to be encoded; those of further events are left out.
MOST = 4

# Seconds for the frame of an event to pass the measurement: its event may
# arrive before it.
WAIT_SECONDS = 1.0

_STEP_SECONDS = 0.02
_ENCODE_SECONDS = 10

_DOWNLOAD = ('appsrc name=frame format=time ! clupload ! cldownload ! '
             'video/x-raw ! fakesink name=out sync=false')

# What readers of JPEG assume: full range, the matrix of BT.601; and squares.
_CAPS = 'image/jpeg, colorimetry=(string)1:4:0:0, pixel-aspect-ratio=1/1'


def running_time(sample: Any) -> Optional[int]:
    """Returns the running time of a frame; None if it has no timestamp."""
    pts = sample.get_buffer().pts
    if pts == Gst.CLOCK_TIME_NONE:
        return None
    time: int = sample.get_segment().to_running_time(Gst.Format.TIME, pts)
    return time


def _in_system_memory(sample: Any) -> Any:
    """Returns a frame in system memory, which the conversion needs. clupload
    accepts each memory that clframesum accepts. Raises ClqcError."""
    if sample.get_caps().get_features(0).contains('memory:SystemMemory'):
        return sample
    line = Pipeline(_DOWNLOAD)
    try:
        line.pipeline.set_state(Gst.State.PAUSED)  # appsrc takes frames
        frame = line.element('frame')
        frame.emit('push-sample', sample)
        frame.emit('end-of-stream')
        line.play()
        return line.element('out').get_property('last-sample')
    finally:
        line.close()


def jpeg(sample: Any) -> bytes:
    """Returns a frame in JPEG. Raises ClqcError."""
    sample = _in_system_memory(sample)
    try:
        picture = GstVideo.video_convert_sample(
            sample, Gst.Caps.from_string(_CAPS), _ENCODE_SECONDS * Gst.SECOND)
    except GLib.Error as error:
        raise ClqcError(error.message) from error
    buffer = picture.get_buffer()
    return bytes(buffer.extract_dup(0, buffer.get_size()))


def _encoded(sample: Any) -> Json:
    try:
        return {'jpeg': base64.b64encode(jpeg(sample)).decode()}
    except ClqcError as error:
        return {'error': str(error)}


class Snapshots:
    """Encodes pictures in its own thread. @newest returns the newest sample
    that was measured, or None. @say receives the messages."""

    def __init__(self, newest: Callable[[], Any], say: Callable[[Json], None],
                 clock: Clock = REAL) -> None:
        self.newest = newest
        self.say = say
        self.clock = clock
        self._queue: 'Queue[Optional[Json]]' = Queue(MOST)
        self._thread = threading.Thread(target=self._run, daemon=True,
                                        name='snapshots')
        self._thread.start()

    def event(self, line: Json) -> None:
        """Asks for the picture of an event; a cut has none, since there are
        many. Any thread; does not wait."""
        if line['event'] == 'scene':
            return
        try:
            self._queue.put_nowait(line)
        except Full:
            pass

    def close(self) -> None:
        """Encodes the pictures that wait, within a time limit."""
        try:
            self._queue.put(None, timeout=_STEP_SECONDS)
        except Full:
            return
        self._thread.join(WAIT_SECONDS)

    def _run(self) -> None:
        while True:
            line = self._queue.get()
            if line is None:
                return
            sample = self._sample(line)
            if sample is not None:
                self.say({'type': 'picture', 'number': line['number'],
                          **_encoded(sample)})

    def _sample(self, line: Json) -> Any:
        """Returns the frame of the event, or a later one; the newest one if
        none comes. A lost signal has no frame, so its picture is the last
        one."""
        wanted = line['running-time']
        if line['event'] == 'signal-loss' and line['state'] == 'start':
            wanted = None
        end = self.clock.now() + WAIT_SECONDS
        while True:
            sample = self.newest()
            if sample is not None:
                time = running_time(sample)
                if wanted is None or time is None or time >= wanted:
                    return sample
            if self.clock.now() >= end:
                return sample
            self.clock.sleep(_STEP_SECONDS)
