# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small pictures of a video at chosen times, decoded by GStreamer."""
import gzip
import importlib
import json
import time as clock
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Optional, Set

from clqc.results import FRAMES, Event, Reason, Results, Verdict

MOST = 24          # pictures of a report
APART = 10 ** 9    # nanoseconds between two of them, at least
WIDTH = 320        # pixels at most, as for the height
LIMIT = 60.0       # seconds that all pictures of a file may take

_PIPELINE = (
    'uridecodebin name=source expose-all-streams=false'
    ' caps=video/x-raw(ANY)'
    ' ! videoconvert ! videoscale ! video/x-raw, format=I420,'
    f' width=[1,{WIDTH}], height=[1,{WIDTH}], pixel-aspect-ratio=1/1'
    ' ! jpegenc quality=75 ! appsink name=sink sync=false')


@dataclass
class Thumbnail:
    """A picture in JPEG."""
    time: int  # nanoseconds from the start of the file: that asked for
    jpeg: bytes
    width: int
    height: int


def make(uri: str, times: List[int],
         limit: float = LIMIT) -> List[Thumbnail]:
    """The pictures that are shown at these times, in the order of time. A
    time that cannot be shown, or not before `limit` seconds have passed, has
    none. Blocks; may run in any thread."""
    gst = _gst()
    pipeline = gst.parse_launch(_PIPELINE)
    source = pipeline.get_by_name('source')
    source.set_property('uri', uri)
    end = clock.monotonic() + limit
    pictures: List[Thumbnail] = []
    try:
        pipeline.set_state(gst.State.PAUSED)
        if _settled(pipeline, end):
            for time in sorted(set(times)):
                if not pipeline.seek_simple(
                        gst.Format.TIME,
                        gst.SeekFlags.FLUSH | gst.SeekFlags.ACCURATE, time):
                    continue
                if not _settled(pipeline, end):
                    break
                picture = _picture(pipeline.get_by_name('sink'), time)
                if picture is not None:
                    pictures.append(picture)
    finally:
        pipeline.set_state(gst.State.NULL)
    return pictures


@lru_cache(maxsize=None)
def _gst() -> Any:
    importlib.import_module('gi').require_version('Gst', '1.0')
    gst: Any = importlib.import_module('gi.repository.Gst')
    gst.init(None)
    return gst


def _settled(pipeline: Any, end: float) -> bool:
    """Waits until the pipeline holds a frame, or knows that it has none.
    False after an error, or at `end`."""
    gst = _gst()
    left = end - clock.monotonic()
    if left <= 0:
        return False
    message = pipeline.get_bus().timed_pop_filtered(
        int(left * gst.SECOND),
        gst.MessageType.ASYNC_DONE | gst.MessageType.ERROR)
    return (message is not None
            and message.type == gst.MessageType.ASYNC_DONE)


def _picture(sink: Any, time: int) -> Optional[Thumbnail]:
    sample = sink.emit('try-pull-preroll', 0)
    if sample is None:
        return None
    buffer = sample.get_buffer()
    caps = sample.get_caps().get_structure(0)
    return Thumbnail(time, buffer.extract_dup(0, buffer.get_size()),
                     caps.get_value('width'), caps.get_value('height'))


def choose(results: Results, verdict: Verdict) -> List[int]:
    """The times worth a picture, in order: where the worst frames of errors
    and then of warnings are, where events are, at last where cuts are. There
    are at most MOST, APART from each other."""
    reasons = sorted(verdict.reasons, key=lambda reason: (
        reason.severity != 'error', reason.start or 0))
    frames = _frame_times(results, {
        reason.frame for reason in reasons if reason.frame is not None})
    wanted = [_worst(reason, frames) for reason in reasons]
    events = [event for event in results.events()
              if event.start_frame is not None]
    wanted += _spread([_middle(event) for event in events
                       if event.kind != 'scene'])
    wanted += _spread([event.start for event in events
                       if event.kind == 'scene'])
    chosen: List[int] = []
    for time in wanted:
        if time is not None and all(abs(time - other) >= APART
                                    for other in chosen):
            chosen.append(time)
            if len(chosen) == MOST:
                break
    return sorted(chosen)


def _worst(reason: Reason, frames: Dict[int, int]) -> Optional[int]:
    """The time of its worst frame, or else of its middle. Sounds and files as
    a whole have none."""
    if reason.frame is not None and reason.frame in frames:
        return frames[reason.frame]
    if reason.start is None:
        return None
    return (reason.start + (reason.end or reason.start)) // 2


def _middle(event: Event) -> int:
    return (event.start + event.end) // 2


def _spread(times: List[int]) -> List[Optional[int]]:
    """The times in such an order that each beginning of the list is spread
    over the whole: many cuts at the start of a film leave pictures for its
    end."""
    order: List[Optional[int]] = []
    step = 1
    while step < len(times):
        step *= 2
    seen: Set[int] = set()
    while step >= 1:
        for at in range(0, len(times), step):
            if at not in seen:
                seen.add(at)
                order.append(times[at])
        step //= 2
    return order


def _frame_times(results: Results, numbers: Iterable[int]) -> Dict[int, int]:
    """When these frames are shown. Only their lines are parsed: a line is
    long, and its place in the file is its number."""
    left = set(numbers)
    times: Dict[int, int] = {}
    if not left:
        return times
    with gzip.open(results.path(FRAMES), 'rb') as file:
        for number, line in enumerate(file):
            if number in left:
                frame = json.loads(line)
                time = frame.get('stream-time', frame.get('timestamp'))
                if time is not None:
                    times[number] = time
                left.discard(number)
                if not left:
                    break
    return times
