# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: decodes thumbnails of a video at given times."""
from typing import Any, List, Optional

from .clock import REAL, Clock
from .gst import Gst, Line, source
from .thumbnails import Thumbnail
from .videotrack import decode_alone, decoder

WIDTH = 320        # maximum width and height in pixels
LIMIT = 60.0       # seconds for all pictures of a file


def make(path: str, times: List[int], limit: float = LIMIT,
         clock: Clock = REAL, track: Optional[str] = None
         ) -> List[Thumbnail]:
    """Returns the pictures that the track shows at these times, upright,
    ordered by time. Pictures that cannot be decoded, or not within `limit`
    seconds, are missing. Raises ClqcError if an element is missing. Blocks;
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
        if settled(pipeline, end - clock.now()):
            for time in sorted(set(times)):
                if not pipeline.seek_simple(
                        Gst.Format.TIME,
                        Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time):
                    continue
                if not settled(pipeline, end - clock.now()):
                    break
                picture = _picture(pipeline.get_by_name('sink'), time)
                if picture is not None:
                    pictures.append(picture)
    finally:
        pipeline.set_state(Gst.State.NULL)
    return pictures


def settled(pipeline: Any, left: float) -> bool:
    """Waits until the pipeline has prerolled or has no frame. Returns False
    after an error, or when the time is over."""
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
