# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what GStreamer's demuxer does not read of a video track in MPEG-4 and
QuickTime files: the colour range, of which it reports limited for `colr`, and
an orientation with mirroring."""
import math
import struct
from typing import Any, Callable, Iterator, Optional, Tuple, TypeVar

from clqc.containers import mapped, mp4
from clqc.containers.boxes import Box, boxes, find

_What = TypeVar('_What')

# From the start of a video sample entry to its inner boxes.
_VIDEO_ENTRY = 78


def _of_entry(data: Any, entry: Box) -> Optional[str]:
    """Returns the range in a sample entry; `colr` takes precedence over
    `vpcC`."""
    flags = {}
    for box in boxes(data, entry.start + _VIDEO_ENTRY, entry.end):
        if box.kind == b'colr' and data[box.start:box.start + 4] == b'nclx':
            flags['colr'] = data[box.start + 10] >> 7
        elif box.kind == b'vpcC':
            flags['vpcC'] = data[box.start + 6] & 1
    flag = flags.get('colr', flags.get('vpcC'))
    return None if flag is None else 'full' if flag else 'limited'


def _videos(data: Any) -> Iterator[Tuple[int, Box, Box]]:
    """Yields the number of each video track, its header and the box of its
    sample entries."""
    for moov in boxes(data, 0, len(data)):
        for trak in boxes(data, moov.start, min(moov.end, len(data))
                          ) if moov.kind == b'moov' else ():
            tkhd = find(data, trak, b'tkhd')
            hdlr = find(data, trak, b'mdia', b'hdlr')
            stsd = find(data, trak, b'mdia', b'minf', b'stbl', b'stsd')
            if trak.kind == b'trak' and tkhd and hdlr and stsd and (
                    data[hdlr.start + 8:hdlr.start + 12] == b'vide'):
                at = tkhd.start + (20 if data[tkhd.start] == 1 else 12)
                yield struct.unpack_from('>I', data, at)[0], tkhd, stsd


def _range(data: Any, _: Box, stsd: Box) -> Optional[str]:
    found = {_of_entry(data, entry) for entry in
             boxes(data, stsd.start + 8, stsd.end)}
    return found.pop() if len(found) == 1 else None


def _orientation(data: Any, tkhd: Box, _: Box) -> Tuple[int, bool]:
    right, down = struct.unpack_from('>ii', data, tkhd.end - 44)
    _, x_of_y, y_of_y = struct.unpack_from('>3i', data, tkhd.end - 36)
    is_mirrored = right * y_of_y < down * x_of_y
    degrees = round(math.degrees(math.atan2(down, right)))
    return (degrees + 180 * is_mirrored) % 360, is_mirrored


def _read(path: str, track: Optional[str],
          what: Callable[[Any, Box, Box], Optional[_What]]
          ) -> Optional[_What]:
    """Returns @what of the track with this GStreamer name or of the first
    video. Returns None if the file is of another format, or is broken."""
    return mapped.read(path, mp4.is_of, lambda data: next(
        (what(data, tkhd, stsd) for number, tkhd, stsd in _videos(data)
         if track in (None, f'{number:03}')), None), None)


def colour_range(path: str, track: Optional[str]) -> Optional[str]:
    """Returns `full` or `limited`; None if the track has no range or several.
    """
    return _read(path, track, _range)


def orientation(path: str, track: Optional[str]
                ) -> Optional[Tuple[int, bool]]:
    """Returns the degrees by which players rotate the picture clockwise, and
    whether they mirror it before."""
    return _read(path, track, _orientation)
