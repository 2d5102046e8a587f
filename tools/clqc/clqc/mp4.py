# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headers of MPEG-4 and QuickTime that make GStreamer leave a video track out:
one that tells less than a fifth of the movie's length passes for a preview."""
import os
import shutil
import struct
from dataclasses import dataclass
from typing import BinaryIO, Dict, Iterator, List, Optional, Tuple

# Types of boxes with which such a file begins.
_FIRST = (b'ftyp', b'moov', b'mdat', b'wide', b'free', b'skip', b'pnot')

_LEAST = 0.2  # of the movie's length

_COPY = 'mended'
_PIECE = 1 << 30  # bytes that are copied at a time


@dataclass(frozen=True)
class Box:
    """What is within it, in bytes of the file."""
    kind: bytes
    start: int
    end: int


@dataclass(frozen=True)
class Short:
    """The header of a video track that would be left out."""
    place: int      # of its duration in the file
    form: str       # of that, for struct
    timescale: int  # ticks of a second
    told: int       # ticks
    table: int      # ticks of all its frames
    needed: int     # ticks that are not taken for a preview


def _boxes(file: BinaryIO, start: int, end: int) -> Iterator[Box]:
    while start + 8 <= end:
        file.seek(start)
        size, kind = struct.unpack('>I4s', file.read(8))
        head = 8
        if size == 1:
            size, head = struct.unpack('>Q', file.read(8))[0], 16
        elif size == 0:
            size = end - start
        if size < head or start + size > end:
            return
        yield Box(kind, start + head, start + size)
        start += size


def _within(file: BinaryIO, box: Optional[Box]) -> Dict[bytes, Box]:
    """The boxes in one, the first of each kind."""
    found: Dict[bytes, Box] = {}
    if box:
        for inner in _boxes(file, box.start, box.end):
            found.setdefault(inner.kind, inner)
    return found


def _length(file: BinaryIO, box: Box) -> Tuple[int, str, int, int]:
    """Of mvhd or mdhd: where the duration is, its form, the timescale, the
    duration."""
    file.seek(box.start)
    is_long = file.read(1) == b'\1'
    file.seek(box.start + (20 if is_long else 12))
    form = '>Q' if is_long else '>I'
    timescale, = struct.unpack('>I', file.read(4))
    place = file.tell()
    duration, = struct.unpack(form, file.read(struct.calcsize(form)))
    return place, form, timescale, duration


def _table(file: BinaryIO, box: Box) -> Tuple[int, int]:
    """Of stts: how many frames there are, and the ticks of all."""
    file.seek(box.start + 4)
    count, = struct.unpack('>I', file.read(4))
    rows = file.read(min(8 * count, box.end - file.tell()))
    pairs = list(struct.iter_unpack('>II', rows[:len(rows) // 8 * 8]))
    return (sum(n for n, _ in pairs), sum(n * ticks for n, ticks in pairs))


def _of_video(file: BinaryIO, track: Box, seconds: float
              ) -> Optional[Short]:
    """None for other tracks, and for a cover."""
    media = _within(file, _within(file, track).get(b'mdia'))
    stbl = _within(file, media.get(b'minf')).get(b'stbl')
    stts = _within(file, stbl).get(b'stts')
    if not stts or b'mdhd' not in media or b'hdlr' not in media:
        return None
    file.seek(media[b'hdlr'].start + 8)
    if file.read(4) != b'vide':
        return None
    place, form, timescale, told = _length(file, media[b'mdhd'])
    n_frames, table = _table(file, stts)
    needed = int(timescale * seconds * _LEAST) + 1
    if n_frames < 2:
        return None
    return Short(place, form, timescale, told, table, needed)


def short_tracks(path: str) -> List[Short]:
    """The video tracks of a file that GStreamer would leave out, where these
    are all: beside others they are previews. None of a file of another kind,
    or of one that is broken."""
    try:
        with open(path, 'rb') as file:
            if file.read(8)[4:] not in _FIRST:
                return []
            end = os.fstat(file.fileno()).st_size
            moov = next((box for box in _boxes(file, 0, end)
                         if box.kind == b'moov'), None)
            within = _within(file, moov)
            if not moov or b'mvhd' not in within or b'mvex' in within:
                return []  # fragments tell their lengths themselves
            _, __, timescale, duration = _length(file, within[b'mvhd'])
            found = [_of_video(file, box, duration / timescale)
                     for box in _boxes(file, moov.start, moov.end)
                     if box.kind == b'trak']
    except (OSError, struct.error, ZeroDivisionError):
        return []
    videos = [short for short in found if short]
    is_shown = any(video.told >= video.needed for video in videos)
    return [] if is_shown else videos


def mended(path: str, folder: str) -> str:
    """The path, or that of a copy in the @folder whose tracks GStreamer does
    not leave out. Raises OSError."""
    shorts = short_tracks(path)
    if not shorts:
        return path
    copy = os.path.join(folder, _COPY)
    with open(path, 'rb') as source, open(copy, 'wb') as target:
        try:  # where the file system can, both share what they hold
            while os.copy_file_range(source.fileno(), target.fileno(),
                                     _PIECE):
                pass
        except OSError:
            source.seek(0)
            target.seek(0)
            shutil.copyfileobj(source, target, 1 << 20)
    with open(copy, 'r+b') as target:
        for short in shorts:
            target.seek(short.place)
            target.write(struct.pack(short.form, max(
                short.table, short.needed)))
    return copy
