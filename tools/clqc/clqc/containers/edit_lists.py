# SPDX-License-Identifier: LGPL-2.1-or-later
"""Works around a bug with edit lists of MPEG-4 and QuickTime that begin within
their media. GStreamer before 1.22.3 adds the skipped media time to the
position at which it expects the end of the movie, and stops at the next key
frame."""
import contextlib
import os
import shutil
import struct
import tempfile
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from clqc.common.files import copy
from clqc.containers import boxes, mapped, mp4

# Seconds; less is needed for reordered pictures.
_LEAST = 0.2


@dataclass(frozen=True)
class _Length:
    """A movie duration with which such a GStreamer outputs all frames."""
    place: int  # offset in the file
    form: str   # format for struct
    ticks: int


def _left_out(data: Any, track: boxes.Box) -> float:
    """Returns the seconds of media before the first edit."""
    edits = boxes.find(data, track, b'edts', b'elst')
    header = boxes.find(data, track, b'mdia', b'mdhd')
    if edits is None or header is None:
        return 0
    form, width = ('>Qq', 20) if data[edits.start] == 1 else ('>Ii', 12)
    starts = [struct.unpack_from(form, data, at)[1]
              for at in range(edits.start + 8, edits.end - width + 1, width)]
    start = next((start for start in starts if start >= 0), 0)
    return float(start / boxes.length(data, header)[2])


def _length(data: Any) -> Optional[_Length]:
    """Returns the duration to write; None if GStreamer outputs all frames of
    the file."""
    moov = next((box for box in boxes.boxes(data, 0, len(data))
                 if box.kind == b'moov' and box.end <= len(data)), None)
    mvhd = boxes.find(data, moov, b'mvhd') if moov else None
    if moov is None or mvhd is None or boxes.find(data, moov, b'mvex'):
        return None
    left_out = max((_left_out(data, track)
                    for track in boxes.boxes(data, moov.start, moov.end)
                    if track.kind == b'trak'), default=0)
    if left_out < _LEAST:
        return None
    place, form, timescale, ticks = boxes.length(data, mvhd)
    ticks += int(left_out * timescale) + 1
    return _Length(place, form, ticks) if (
        ticks < 1 << 8 * struct.calcsize(form) - 1) else None


@contextlib.contextmanager
def mended(path: str) -> Iterator[str]:
    """Returns the path, or that of a copy of which GStreamer outputs all
    frames; the copy exists within the block and has another duration than the
    file. Raises OSError."""
    wanted = mapped.read(path, mp4.is_of, _length, None)
    if not wanted:
        yield path
        return
    folder = tempfile.mkdtemp(prefix='clqc-')
    try:
        target = os.path.join(folder, 'edited')
        copy(path, target)
        with open(target, 'r+b') as file:
            file.seek(wanted.place)
            file.write(struct.pack(wanted.form, wanted.ticks))
        yield target
    finally:
        shutil.rmtree(folder, ignore_errors=True)
