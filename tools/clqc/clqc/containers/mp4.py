# SPDX-License-Identifier: LGPL-2.1-or-later
"""MP4 and QuickTime files (ISO/IEC 14496-12): the bytes in the sample tables
and fragments."""
import struct
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy

from clqc.containers.boxes import Box, Integers, boxes, find, length, table
from clqc.containers.fragments import Fragmented, Fragments, number
from clqc.containers.structure import (CUT, ZERO, Missing, Structure, Table,
                                       joined)

_FIRST = (b'ftyp', b'moov', b'mdat', b'free', b'skip', b'wide', b'pnot')
# Boxes that are reported if truncated; other bytes may follow the last box.
_LARGE = (b'moov', b'mdat', b'moof', b'free')
_KINDS = {b'vide': 'video', b'soun': 'audio'}

# Samples of these begin with zeros where the picture is black or the sound is
# silent. Other raw pictures are not here: Y, Cb and Cr of 0 are no colour.
_RAW = (b'raw ', b'yuv2', b'twos', b'sowt', b'in24', b'in32', b'fl32', b'fl64',
        b'lpcm', b'NONE', b'ipcm', b'fpcm', b'alaw', b'ulaw', b'r210', b'R10k',
        b'R10g', b'b64a', b'b48r', b'I420', b'YV12', b'BGRA', b'ABGR', b'rle ')

# Nanoseconds of a track that an edit list skips: more than reordered pictures
# need.
_EDITED = 500_000_000

# Hours of frames have fewer.
_MOST_SAMPLES = 10_000_000

# No compressed sample begins with this many zeros.
_ZEROS = 32


def is_of(data: Any) -> bool:
    """Returns whether the file begins like this format."""
    return bytes(data[4:8]) in _FIRST


@dataclass
class Samples:
    """The samples of a track, in decoding order."""
    kind: str
    codec: bytes
    offsets: Integers
    sizes: Integers
    times: Integers  # nanoseconds
    more: Fragmented

    def add_fragments(self) -> None:
        """Adds the samples of fragments after the tables."""
        offsets, sizes, times = self.more.samples()
        self.offsets = numpy.concatenate([self.offsets, offsets])
        self.sizes = numpy.concatenate([self.sizes, sizes])
        self.times = numpy.concatenate([self.times, times])


def _repeated(values: Integers, counts: Integers, most: int) -> Integers:
    """Returns each value as often as its count says, @most in total, because a
    damaged count may be any number."""
    counts = numpy.clip(counts, 0, most)
    n = int(numpy.searchsorted(numpy.cumsum(counts), most)) + 1
    return numpy.repeat(values[:n], counts[:n])[:most]


def _sizes(data: Any, stbl: Box) -> Integers:
    box = find(data, stbl, b'stsz')
    if box is None:
        return numpy.zeros(0, numpy.int64)
    size, count = struct.unpack_from('>II', data, box.start + 4)
    if size:
        return numpy.broadcast_to(numpy.int64(size),
                                  (min(count, len(data) // size),))
    return table(data, box, 8, '>u4', 1)[:, 0]


def _offsets(data: Any, stbl: Box, sizes: Integers) -> Integers:
    chunks = table(data, find(data, stbl, b'stco'), 4, '>u4', 1)[:, 0]
    if not len(chunks):
        chunks = table(data, find(data, stbl, b'co64'), 4, '>u8', 1)[:, 0]
    runs = table(data, find(data, stbl, b'stsc'), 4, '>u4', 3)
    if not len(runs) or not len(chunks):
        return numpy.zeros(0, numpy.int64)
    ends = numpy.append(runs[1:, 0], len(chunks) + 1)
    per_chunk = _repeated(runs[:, 1], ends - runs[:, 0], len(chunks))
    chunk_of = _repeated(numpy.arange(len(per_chunk)), per_chunk, len(sizes))
    sizes = sizes[:len(chunk_of)]
    before = numpy.cumsum(sizes) - sizes
    first = numpy.searchsorted(chunk_of, chunk_of)  # of the same chunk
    return numpy.asarray(chunks[chunk_of] + before - before[first])


def _media_start(data: Any, trak: Box, scale: int) -> int:
    """Returns the nanoseconds of media before its first shown picture."""
    box = find(data, trak, b'edts', b'elst')
    if box is None:
        return 0
    form, width = ('>Qq', 20) if data[box.start] == 1 else ('>Ii', 12)
    for at in range(box.start + 8, box.end - width + 1, width):
        start = struct.unpack_from(form, data, at)[1]
        if start >= 0:
            return int(start) * 10 ** 9 // scale
    return 0


def _samples(data: Any, trak: Box) -> Optional[Samples]:
    tkhd = find(data, trak, b'tkhd')
    mdhd = find(data, trak, b'mdia', b'mdhd')
    hdlr = find(data, trak, b'mdia', b'hdlr')
    stbl = find(data, trak, b'mdia', b'minf', b'stbl')
    if mdhd is None or hdlr is None or stbl is None:
        return None
    scale = length(data, mdhd)[2] or 1
    sizes = _sizes(data, stbl)
    if len(sizes) > _MOST_SAMPLES:
        return None  # sound without compression, whose samples are bytes
    offsets = _offsets(data, stbl, sizes)
    runs = table(data, find(data, stbl, b'stts'), 4, '>u4', 2)
    lengths = _repeated(runs[:, 1], runs[:, 0], len(sizes))
    times = (numpy.cumsum(lengths) - lengths) * (10 ** 9 / scale)
    n = min(len(offsets), len(times))
    stsd = find(data, stbl, b'stsd')
    codec = bytes(data[stsd.start + 12:stsd.start + 16]) if stsd else b''
    start = _media_start(data, trak, scale)
    return Samples(
        _KINDS.get(bytes(data[hdlr.start + 8:hdlr.start + 12]), 'other'),
        codec, offsets[:n], sizes[:n],
        times[:n].astype(numpy.int64) - start,
        Fragmented(number(data, tkhd) if tkhd else 0, scale, start,
                   int(lengths.sum())))


@dataclass
class _Gone:
    """Samples of all tracks that are missing for the same reason."""
    times: List[Integers] = field(default_factory=list)
    end: int = 0
    n_video: int = 0

    def add(self, samples: Samples, which: Any) -> None:
        """Adds samples of a track."""
        times = samples.times[which]
        if not len(times):
            return
        self.times.append(times)
        self.end = max(self.end, int(
            (samples.offsets[which] + samples.sizes[which]).max()))
        if samples.kind == 'video':
            self.n_video += len(times)

    def missing(self, start: int, end: int, why: str) -> Missing:
        """Returns the missing ranges."""
        times = numpy.concatenate(self.times)
        return Missing(start, end, why, max(int(times.min()), 0),
                       max(int(times.max()), 0), self.n_video)


def _cut(tracks: List[Samples], size: int) -> Optional[Missing]:
    """Returns the samples that end after the end of the file."""
    gone = _Gone()
    for samples in tracks:
        gone.add(samples, samples.offsets + samples.sizes > size)
    return gone.missing(size, gone.end, CUT) if gone.times else None


def _run_of(samples: Samples, starts: Integers, ends: Integers) -> Integers:
    """Returns for each sample the run of zeros in which it begins, or -1. Some
    codecs pad their samples with zeros; compressed samples do not begin with
    zeros."""
    if samples.codec in _RAW:
        return numpy.full(len(samples.offsets), -1)
    run = numpy.searchsorted(starts, samples.offsets, 'right') - 1
    heads = samples.offsets + numpy.minimum(samples.sizes, _ZEROS)
    inside = (run >= 0) & (samples.sizes > 0) & (
        heads <= ends[numpy.maximum(run, 0)])
    return numpy.where(inside, run, -1)


def _zero(tracks: List[Samples],
          zeros: Sequence[Tuple[int, int]]) -> List[Missing]:
    if not zeros:
        return []
    starts, ends = numpy.array(zeros, numpy.int64).T
    gone: Dict[int, _Gone] = {}
    for samples in tracks:
        run_of = _run_of(samples, starts, ends)
        for run in numpy.unique(run_of[run_of >= 0]):
            gone.setdefault(int(run), _Gone()).add(samples, run_of == run)
    return [one.missing(*zeros[run], ZERO)
            for run, one in sorted(gone.items())]


def _is_edited(samples: Samples) -> bool:
    """Returns whether an edit list skips a part of the track, so that not all
    samples are output."""
    return int(samples.times[0]) < -_EDITED


def read(data: Any, size: int,
         zeros: Sequence[Tuple[int, int]]) -> Structure:
    """Reads the structure. @data: the file, as bytes. @zeros: start and end of
    runs of zero bytes."""
    tracks: List[Samples] = []
    fragments: Optional[Fragments] = None
    lacks = 'the index (moov) is missing'
    last: Optional[Box] = None
    for box in boxes(data, 0, size):
        last = box
        if box.kind != b'moov':
            continue
        lacks = ''
        if box.end > size:
            lacks = 'the index (moov) is cut'
            break
        tracks += [samples for samples in (
            _samples(data, trak) for trak in boxes(data, box.start, box.end)
            if trak.kind == b'trak') if samples]
        if find(data, box, b'mvex'):
            fragments = Fragments(data, box,
                                  [samples.more for samples in tracks])
            last = fragments.read(box.end, size) or last
            break
    for samples in tracks:
        samples.add_fragments()
    tracks = [samples for samples in tracks if len(samples.times)]
    found = Structure([
        Table(samples.kind,
              None if _is_edited(samples) else len(samples.sizes))
        for samples in tracks], _zero(tracks, zeros), lacks)
    found.resolution = next((10 ** 9 / samples.more.scale
                             for samples in tracks
                             if samples.kind == 'video'), 0)
    cut = _cut(tracks, size)
    is_cut = last is not None and last.end > size
    if fragments:
        found.missing = joined(
            found.missing + fragments.missing(size, zeros))
        # after removed bytes, offsets of samples are wrong
        cut = fragments.longer(cut if is_cut else None, size)
    if cut is None and is_cut and last and last.kind in _LARGE:
        first = fragments.end_time() if fragments else None
        cut = Missing(size, last.end, CUT, first)
    found.missing += [cut] if cut else []
    if lacks and last and last.kind == bytes(4):  # apparently not a box
        found.missing += [Missing(start, end, ZERO)
                          for start, end in zeros if end > last.start]
    return found
