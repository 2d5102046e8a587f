# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what GStreamer's demuxer does not read of a video track in Matroska
and WebM files: its orientation, and the fourcc of a codec of QuickTime."""
import math
from typing import Any, Dict, Iterator, Optional, Tuple

from clqc.containers import mapped, matroska
from clqc.containers.matroska import Element, children

_SEGMENT, _TRACKS, _TRACK = 0x18538067, 0x1654AE6B, 0xAE
_NUMBER, _VIDEO = 0xD7, 0xE0
_PRIVATE, _DURATION, _COLOUR, _RANGE = 0x63A2, 0x23E383, 0x55B0, 0x55B9
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


def _videos(data: Any, name: Optional[str]) -> Iterator[Element]:
    """Yields the track with this GStreamer name, or all tracks of video."""
    tracks = _find(data, Element(0, 0, 0, len(data), True), _SEGMENT, _TRACKS)
    for track in children(data, tracks) if tracks else ():
        number = _find(data, track, _NUMBER)
        if track.kind == _TRACK and number and _find(data, track, _VIDEO) and (
                name is None or name.startswith(
                    f'{matroska.unsigned(data, number):03}:')):
            yield track


def quicktime(data: bytearray, name: str) -> Tuple[str, int, int]:
    """Returns the fourcc of a track whose codec is one of QuickTime, the
    duration of its frames in nanoseconds, and its colour range: 1 is limited,
    2 full. What is unknown is empty or 0. @data: the start of the file."""
    def number(*kinds: int) -> int:
        found = _find(data, track, *kinds)
        return matroska.unsigned(data, found) if found else 0

    for track in _videos(data, name):
        private = _find(data, track, _PRIVATE)
        at = private.start + 4 if private else len(data)
        return (data[at:at + 4].decode('latin-1'), number(_DURATION),
                number(_VIDEO, _COLOUR, _RANGE))
    return '', 0, 0


def _orientation(data: Any, track: Element) -> Optional[Tuple[int, bool]]:
    projection = _find(data, track, _VIDEO, _PROJECTION)
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
    return mapped.read(path, matroska.is_of, lambda data: next(
        (_orientation(data, one) for one in _videos(data, track)), None), None)
