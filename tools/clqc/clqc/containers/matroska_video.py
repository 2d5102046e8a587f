# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the orientation of a video track in Matroska and WebM files, which
GStreamer's demuxer does not read."""
import math
import mmap
from typing import Any, Dict, Iterator, Optional, Tuple

from clqc.containers import matroska
from clqc.containers.matroska import Element, children

_SEGMENT, _TRACKS, _TRACK = 0x18538067, 0x1654AE6B, 0xAE
_NUMBER, _VIDEO = 0xD7, 0xE0
_PROJECTION, _YAW, _PITCH, _ROLL = 0x7670, 0x7673, 0x7674, 0x7675


def _find(data: Any, parent: Element, *kinds: int) -> Optional[Element]:
    """Returns the first element below @parent on this path."""
    for kind in kinds:
        found = next((one for one in children(data, parent)
                      if one.kind == kind), None)
        if found is None:
            return None
        parent = found
    return parent


def _videos(data: Any) -> Iterator[Tuple[int, Element]]:
    """Yields the number of each video track, and its element of the video."""
    tracks = _find(data, Element(0, 0, 0, len(data), True), _SEGMENT, _TRACKS)
    for track in children(data, tracks) if tracks else ():
        number = _find(data, track, _NUMBER)
        video = _find(data, track, _VIDEO)
        if track.kind == _TRACK and number and video:
            yield int.from_bytes(data[number.start:number.end], 'big'), video


def _orientation(data: Any, video: Element) -> Optional[Tuple[int, bool]]:
    projection = _find(data, video, _PROJECTION)
    pose: Dict[int, float] = {
        one.kind: matroska.number(data, one)
        for one in (children(data, projection) if projection else ())
        if one.kind in (_YAW, _PITCH, _ROLL)}
    roll, yaw = pose.get(_ROLL, 0.0), pose.get(_YAW, 0.0)
    if not math.isfinite(roll) or pose.get(_PITCH) or (
            yaw not in (0, 180, -180)):
        return None
    return round(-roll) % 360, yaw != 0  # the roll is counter-clockwise


def orientation(path: str, track: Optional[str]
                ) -> Optional[Tuple[int, bool]]:
    """Returns the degrees by which players rotate the picture clockwise, and
    whether they mirror it before, of the track with this GStreamer name or of
    the first video. Returns None if the file is of another format, or is
    broken."""
    try:
        with open(path, 'rb') as file, mmap.mmap(
                file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return next((_orientation(data, video)
                         for number, video in _videos(data)
                         if track is None or track.startswith(f'{number:03}:')
                         ), None) if matroska.is_of(data) else None
    except (OSError, ValueError, IndexError):
        return None
