# SPDX-License-Identifier: LGPL-2.1-or-later
"""Works around headers of MPEG-4 and QuickTime that make GStreamer drop a
video track: it treats a track with less than a fifth of the movie's duration
as a preview."""
import os
import struct
from dataclasses import dataclass
from typing import Any, List, Optional

from clqc.common import files
from clqc.containers import boxes, mapped, mp4

_LEAST = 0.2  # of the movie's length

_COPY = 'mended'


@dataclass(frozen=True)
class Short:
    """The header of a video track that GStreamer would drop."""
    place: int      # offset of its duration in the file
    form: str       # its format for struct
    timescale: int  # ticks of a second
    duration: int       # ticks
    table: int      # ticks of all its frames
    needed: int     # least ticks of a track that is not a preview


def _of_video(data: Any, track: boxes.Box, seconds: float) -> Optional[Short]:
    """Returns the header if it is too short; None for other tracks and for a
    cover."""
    mdhd = boxes.find(data, track, b'mdia', b'mdhd')
    hdlr = boxes.find(data, track, b'mdia', b'hdlr')
    stts = boxes.find(data, track, b'mdia', b'minf', b'stbl', b'stts')
    if mdhd is None or hdlr is None or stts is None or (
            data[hdlr.start + 8:hdlr.start + 12] != b'vide'):
        return None
    place, form, timescale, duration = boxes.length(data, mdhd)
    runs = boxes.table(data, stts, 4, '>u4', 2)
    needed = int(timescale * seconds * _LEAST) + 1
    if runs[:, 0].sum() < 2:
        return None
    return Short(place, form, timescale, duration,
                 int((runs[:, 0] * runs[:, 1]).sum()), needed)


def _videos(data: Any) -> List[Short]:
    moov = next((box for box in boxes.boxes(data, 0, len(data))
                 if box.kind == b'moov' and box.end <= len(data)), None)
    mvhd = boxes.find(data, moov, b'mvhd') if moov else None
    if moov is None or mvhd is None or boxes.find(data, moov, b'mvex'):
        return []  # fragments have their own durations
    _, _, timescale, duration = boxes.length(data, mvhd)
    found = [_of_video(data, box, duration / timescale)
             for box in boxes.boxes(data, moov.start, moov.end)
             if box.kind == b'trak']
    return [short for short in found if short]


def short_tracks(path: str) -> List[Short]:
    """Returns the video tracks of a file that GStreamer would drop, if these
    are all: beside others they are previews. Returns none for a file of
    another format or a broken one."""
    videos: List[Short] = mapped.read(path, mp4.is_of, _videos, [])
    is_shown = any(video.duration >= video.needed for video in videos)
    return [] if is_shown else videos


def mended(path: str, folder: str) -> str:
    """Returns the path, or that of a copy in the @folder whose tracks
    GStreamer does not drop. Raises OSError."""
    shorts = short_tracks(path)
    if not shorts:
        return path
    copy = os.path.join(folder, _COPY)
    files.copy(path, copy)
    with open(copy, 'r+b') as target:
        for short in shorts:
            target.seek(short.place)
            target.write(struct.pack(short.form, max(
                short.table, short.needed)))
    return copy
