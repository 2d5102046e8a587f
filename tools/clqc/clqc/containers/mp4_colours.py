# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the colour range of a video track in MPEG-4 and QuickTime files.
GStreamer's demuxer does not read it from `colr` and reports limited."""
import mmap
import struct
from typing import Any, Iterator, Optional

from clqc.containers import mp4
from clqc.containers.boxes import Box, boxes, find

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


def _videos(data: Any) -> Iterator[Any]:
    """Yields the number of each video track and the box of its sample entries.
    """
    for moov in boxes(data, 0, len(data)):
        for trak in boxes(data, moov.start, min(moov.end, len(data))
                          ) if moov.kind == b'moov' else ():
            tkhd = find(data, trak, b'tkhd')
            hdlr = find(data, trak, b'mdia', b'hdlr')
            stsd = find(data, trak, b'mdia', b'minf', b'stbl', b'stsd')
            if trak.kind == b'trak' and tkhd and hdlr and stsd and (
                    data[hdlr.start + 8:hdlr.start + 12] == b'vide'):
                at = tkhd.start + (20 if data[tkhd.start] == 1 else 12)
                yield struct.unpack_from('>I', data, at)[0], stsd


def _of_track(data: Any, track: Optional[str]) -> Optional[str]:
    for number, stsd in _videos(data):
        if track in (None, f'{number:03}'):
            found = {_of_entry(data, entry) for entry in
                     boxes(data, stsd.start + 8, stsd.end)}
            return found.pop() if len(found) == 1 else None
    return None


def colour_range(path: str, track: Optional[str]) -> Optional[str]:
    """Returns `full` or `limited`, of the track with this GStreamer name or of
    the first video. Returns None if the file has no range or several, is of
    another format, or is broken."""
    try:
        with open(path, 'rb') as file, mmap.mmap(
                file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _of_track(data, track) if mp4.is_of(data) else None
    except (OSError, ValueError, IndexError, struct.error):
        return None
