# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: decodes thumbnails of a video at given times."""
from typing import Any, Iterable, List, Optional

from clqc.common.clock import REAL, Clock
from clqc.decoding.gst import Gst, Pipeline, source
from clqc.decoding.video_track import decode_alone, decoder, pose
from clqc.reporting.thumbnails import SCOPES, Thumbnail

WIDTH = 320        # maximum width and height in pixels
LIMIT = 60.0       # seconds for all pictures of a file

# What readers of JPEG assume: full range, the matrix of BT.601.
CAPS = 'video/x-raw, format=I420, colorimetry=1:4:0:0'

# Frames after the requested one are not decoded.
QUEUE = 'queue max-size-buffers=1 max-size-bytes=0 max-size-time=0'


def make(path: str, times: List[int], limit: float = LIMIT,
         clock: Clock = REAL, track: Optional[str] = None
         ) -> List[Thumbnail]:
    """Returns the pictures that the track shows at these times, upright,
    ordered by time, with their scopes. Pictures that cannot be decoded, or not
    within `limit` seconds, are missing. Scopes are missing without the plugin
    or an OpenCL device. Raises ClqcError if an element is missing. Blocks; may
    run in any thread."""
    end = clock.now() + limit
    found: List[Thumbnail] = []
    if Gst.ElementFactory.find('clscope'):
        found = _make(path, times, end, clock, track, SCOPES)
    return found or _make(path, times, end, clock, track, ())


def _upright(path: str, track: Optional[str]) -> str:
    """Returns the part of a launch line that turns the picture. GStreamer's
    demuxers output no tag for all orientations."""
    degrees, is_mirrored = pose(path, track) or (0, False)
    tag = f'{"flip-" * is_mirrored}rotate-{degrees}'
    return (f'taginject tags=image-orientation={tag} ! ' if tag != 'rotate-0'
            and degrees % 90 == 0 else '') + 'videoflip video-direction=auto'


def _launch_line(path: str, track: Optional[str],
                 scopes: Iterable[str]) -> str:
    line = (f'{source(path)} ! {decoder(track)} dither=none ! '
            f'{_upright(path, track)} ! tee name=frame ! '
            f'{QUEUE} ! videoconvert ! videoscale ! '
            f'{CAPS}, width=[1,{WIDTH}], height=[1,{WIDTH}], '
            'pixel-aspect-ratio=1/1 ! '
            'jpegenc quality=75 ! appsink name=picture sync=false')
    for kind in scopes:
        width, height = SCOPES[kind]
        line += (f' frame. ! {QUEUE} ! clscope kind={kind} graticule=ire '
                 f'width={width} height={height} ! {CAPS} ! '
                 f'jpegenc quality=75 ! appsink name={kind} sync=false')
    return line


def _make(path: str, times: List[int], end: float, clock: Clock,
          track: Optional[str], scopes: Iterable[str]) -> List[Thumbnail]:
    pipeline = Pipeline(_launch_line(path, track, scopes)).pipeline
    decode_alone(pipeline, track)
    pictures: List[Thumbnail] = []
    try:
        pipeline.set_state(Gst.State.PAUSED)
        if settled(pipeline, end - clock.now()):
            for time in sorted(set(times)):
                # A seek of the pipeline is one of each sink.
                if not pipeline.get_by_name('picture').seek_simple(
                        Gst.Format.TIME,
                        Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time):
                    continue
                if not settled(pipeline, end - clock.now()):
                    break
                picture = _picture(pipeline, time, scopes)
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


def _picture(pipeline: Any, time: int,
             scopes: Iterable[str]) -> Optional[Thumbnail]:
    sample = pull(pipeline, 'picture')
    if sample is None:
        return None
    caps = sample.get_caps()[0]
    drawn = {kind: pull(pipeline, kind) for kind in scopes}
    return Thumbnail(
        time, bytes_of(sample), caps.get_value('width'),
        caps.get_value('height'),
        {kind: bytes_of(scope) for kind, scope in drawn.items() if scope})


def pull(pipeline: Any, sink: str) -> Any:
    """Returns the sample at a sink of a paused pipeline, or None."""
    return pipeline.get_by_name(sink).emit('try-pull-preroll', 0)


def bytes_of(sample: Any) -> bytes:
    """Returns the content of a sample."""
    buffer = sample.get_buffer()
    return bytes(buffer.extract_dup(0, buffer.get_size()))
