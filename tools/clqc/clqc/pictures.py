# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in a process of its own: decodes small pictures of a video at chosen
times."""
from typing import Any, List, Optional

from .clock import REAL, Clock
from .gst import Gst, Line, source
from .thumbnails import Thumbnail
from .videotrack import decode_alone, decoder

WIDTH = 320        # pixels at most, as for the height
LIMIT = 60.0       # seconds that all pictures of a file may take


def make(path: str, times: List[int], limit: float = LIMIT,
         clock: Clock = REAL, track: Optional[str] = None
         ) -> List[Thumbnail]:
    """The pictures that the track shows at these times, upright, in the order
    of time. A time that cannot be shown, or not before `limit` seconds have
    passed, has none. Raises ClqcError where an element is missing. Blocks;
    may run in any thread."""
    pipeline = Line(
        f'{source(path)} ! {decoder(track)} ! videoscale ! '
        f'video/x-raw, format=I420, width=[1,{WIDTH}], height=[1,{WIDTH}], '
        'pixel-aspect-ratio=1/1 ! videoflip video-direction=auto ! '
        'jpegenc quality=75 ! appsink name=sink sync=false').pipeline
    decode_alone(pipeline, track)
    end = clock.now() + limit
    pictures: List[Thumbnail] = []
    try:
        pipeline.set_state(Gst.State.PAUSED)
        if _settled(pipeline, end - clock.now()):
            for time in sorted(set(times)):
                if not pipeline.seek_simple(
                        Gst.Format.TIME,
                        Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time):
                    continue
                if not _settled(pipeline, end - clock.now()):
                    break
                picture = _picture(pipeline.get_by_name('sink'), time)
                if picture is not None:
                    pictures.append(picture)
    finally:
        pipeline.set_state(Gst.State.NULL)
    return pictures


def _settled(pipeline: Any, left: float) -> bool:
    """Waits until the pipeline holds a frame, or knows that it has none.
    False after an error, or when no seconds are left."""
    if left <= 0:
        return False
    message = pipeline.get_bus().timed_pop_filtered(
        int(left * Gst.SECOND),
        Gst.MessageType.ASYNC_DONE | Gst.MessageType.ERROR)
    return (message is not None
            and message.type == Gst.MessageType.ASYNC_DONE)


def _picture(sink: Any, time: int) -> Optional[Thumbnail]:
    sample = sink.emit('try-pull-preroll', 0)
    if sample is None:
        return None
    buffer = sample.get_buffer()
    caps = sample.get_caps()[0]
    return Thumbnail(time, buffer.extract_dup(0, buffer.get_size()),
                     caps.get_value('width'), caps.get_value('height'))
