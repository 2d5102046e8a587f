# SPDX-License-Identifier: LGPL-2.1-or-later
"""Facts of containers, with containers of a few bytes."""
import struct
import threading
from pathlib import Path
from typing import Any, List, Sequence, Tuple
from unittest import mock

import clips
import pytest

from clqc.containers import mpegts, readers
from clqc.judging.rules import completeness
from clqc.judging.rules.model import CompletenessRule

MS = 1_000_000


def missing(path: Path, data: bytes) -> List[Tuple[Any, ...]]:
    """Returns for each range: start, end, reason, and its times in
    milliseconds."""
    path.write_bytes(data)
    found = readers.read(str(path))
    assert found is not None
    return [(one.start, one.end, one.why, *(
        None if time is None else time // MS
        for time in (one.first_time, one.last_time)))
        for one in found.missing]


@pytest.mark.parametrize('name, options, unit', [
    ('a.mkv', '', 1e6), ('a.flv', '', 1e6), ('a.wmv', '', 1e6),
    ('a.ts', '-c:v mpeg2video', 1e9 / 90_000),
    ('a.mpg', '-c:v mpeg2video', 1e9 / 90_000),
    ('a.mp4', '-video_track_timescale 600', 1e9 / 600), ('a.avi', '', 0)])
def test_resolution_of_timestamps(name: str, options: str, unit: float,
                                  tmp_path: Path) -> None:
    clips.run('-f', 'lavfi', '-i', 'testsrc=s=64x48:r=25:d=0.2',
              *options.split(), str(tmp_path / name))
    found = readers.read(str(tmp_path / name))
    assert found is not None and found.resolution == unit


def test_slow_reader_reports_progress(tmp_path: Path) -> None:
    """The process that reads reports progress, at any step."""
    ticked = threading.Event()

    def slow(*_: Any) -> readers.Structure:
        assert ticked.wait(60)
        return readers.Structure()
    path = tmp_path / 'long.ts'
    path.write_bytes((b'G' + bytes(2) + b'\x10' + bytes(184)) * 9)
    with mock.patch.object(readers, '_TICK_SECONDS', 0.01), \
            mock.patch.object(mpegts, 'read', slow):
        assert readers.read(str(path), ticked.set) is not None


def box(kind: bytes, *content: bytes) -> bytes:
    inner = b''.join(content)
    return struct.pack('>I4s', 8 + len(inner), kind) + inner


def full(kind: bytes, flags: int, *numbers: int) -> bytes:
    """A box with version 0, flags and numbers of four bytes."""
    return box(kind, struct.pack(f'>{1 + len(numbers)}I', flags, *numbers))


def init() -> bytes:
    """ftyp and moov of a video with a thousand ticks a second, whose samples
    have 40 ticks and 100 bytes."""
    trak = box(
        b'trak', full(b'tkhd', 0, 0, 0, 1), box(
            b'mdia', full(b'mdhd', 0, 0, 0, 1000, 0),
            box(b'hdlr', bytes(8), b'vide'),
            box(b'minf', box(b'stbl', full(b'stsd', 0, 1, 86), bytes(12)))))
    return box(b'ftyp', b'isom') + box(
        b'moov', trak, box(b'mvex', full(b'trex', 0, 1, 1, 40, 100, 0)))


def fragment(number: int, time: int) -> bytes:
    """Returns a fragment of 25 samples."""
    moof = box(b'moof', full(b'mfhd', 0, number), box(
        b'traf', full(b'tfhd', 0x20000, 1), full(b'tfdt', 0, time),
        full(b'trun', 1, 25, 92)))  # after moof, 84 bytes
    return moof + box(b'mdat', b'x' * 2500)


SIZE = len(fragment(1, 0))


def file_of(numbers: Sequence[int]) -> bytes:
    """Returns a file of fragments of a second."""
    return init() + b''.join(
        fragment(number, 1000 * (number - 1)) for number in numbers)


def index(n_fragments: int) -> bytes:
    """Returns the index of all fragments, for the end of a file."""
    rows = b''.join(struct.pack('>II3B', 1000 * i, len(init()) + SIZE * i,
                                1, 1, 1) for i in range(n_fragments))
    return box(b'mfra', box(
        b'tfra', struct.pack('>4I', 0, 1, 0, n_fragments), rows))


def test_fragments_are_counted(tmp_path: Path) -> None:
    path = tmp_path / 'x'
    assert missing(path, file_of(range(1, 9))) == []
    found = readers.read(str(path))
    assert found and [table.samples for table in found.tables] == [200]


def test_missing_fragments(tmp_path: Path) -> None:
    """Numbers and times skip; an index has the number of bytes."""
    path = tmp_path / 'x'
    place = len(init()) + 3 * SIZE
    lost = file_of((1, 2, 3, 6, 7, 8))
    assert missing(path, lost) == [
        (place, place, readers.LOST, 3000, 5000)]
    assert missing(path, lost + index(8)) == [
        (place, place + 2 * SIZE, readers.LOST, 3000, 5000)]
    # numbers of several files in one, and a pause of a recorder
    assert missing(path, init() + fragment(1, 0) + fragment(3, 1000)) == []
    assert missing(path, init() + fragment(1, 0) + fragment(2, 9000)) == []


def test_truncated_fragments(tmp_path: Path) -> None:
    path = tmp_path / 'x'
    data = file_of((1, 2, 3))
    start = len(init()) + 2 * SIZE
    moof = SIZE - 2508
    assert missing(path, data[:-1250]) == [
        (len(data) - 1250, len(data), readers.CUT, 2480, 2960)]
    assert missing(path, data[:start + 40]) == [
        (start + 40, start + moof, readers.CUT, 2000, None)]
    # by an index of four fragments at the start
    sidx = full(b'sidx', 0, 1, 1000, 0, 0, 4, *(SIZE, 1000, 0) * 4)
    indexed = data.replace(init(), init() + sidx)
    assert missing(path, indexed) == [
        (len(indexed), len(indexed) + SIZE, readers.CUT, 3000, 4000)]


def test_fragments_behind_damage(tmp_path: Path) -> None:
    """Fragments are found again after missing and after wrong bytes."""
    path = tmp_path / 'x'
    data = file_of(range(1, 9))
    place = len(init()) + 3 * SIZE
    assert missing(path, data[:place - 500] + data[place:]) == [
        (place - 500, place, readers.LOST, None, None)]
    # a damaged size is not the end of the file
    longer = data[:place] + b'\x7f' + data[place + 1:]
    assert missing(path, longer) == [
        (place, place + SIZE, readers.BROKEN, 3000, 4000)]
    broken = data[:place] + b'\xee' * SIZE + data[place + SIZE:]
    assert missing(path, broken) == [
        (place, place + SIZE, readers.BROKEN, 3000, 4000)]


def element(kind: int, content: bytes, size: int = -1) -> bytes:
    """An element of Matroska: @size: its size field, if it differs; 2^56 - 1
    says that the size is unknown."""
    head = kind.to_bytes(-(-kind.bit_length() // 8), 'big')
    n_bytes = len(content) if size < 0 else size
    return head + ((1 << 56) + n_bytes).to_bytes(8, 'big') + content


UNKNOWN = (1 << 56) - 1


def cluster(time: int, size: int = -1) -> bytes:
    """Returns a cluster of one block."""
    return element(0x1F43B675, element(0xE7, time.to_bytes(2, 'big'))
                   + element(0xA3, b'x' * 1000), size)


@pytest.mark.parametrize('size', [-1, UNKNOWN])
def test_clusters_of_a_live_stream(size: int, tmp_path: Path) -> None:
    """The segment has no size, and maybe no cluster has one."""
    path = tmp_path / 'x'
    start = element(0x1A45DFA3, b'') + element(0x18538067, b'', UNKNOWN)
    whole_file = start + b''.join(
        cluster(1000 * i, size) for i in range(4))
    assert missing(path, whole_file) == []
    n = len(whole_file)
    assert missing(path, whole_file[:-300]) == [
        (n - 300, n, readers.CUT, 3000, None)]
    last = n - len(cluster(0))
    assert missing(path, whole_file[:last]) == []
    # within its head
    assert missing(path, whole_file[:last + 5]) == [
        (last + 5, last + 5, readers.CUT, 2000, None)]
    # a damaged size is not the end of the file
    damaged = bytearray(whole_file)
    first = whole_file.index(b'\xa3', len(start))
    damaged[first + 1:first + 9] = b'\x01\x00\x00\x00\xff\xff\xff\xff'
    assert [row[2] for row in missing(path, bytes(damaged))] == (
        [readers.BROKEN] if size == UNKNOWN else [])
    # an element that belongs to no cluster is not the end of the file either
    assert missing(path, whole_file + b'\xb0' * 40) == [
        (n, n + 40, readers.BROKEN, 3000, None)]


def page(serial: int, number: int, flags: int = 0, content: bytes = b'x' * 500
         ) -> bytes:
    """A page of Ogg, a second long in a stream of Opus."""
    lacing = [255] * (len(content) // 255) + [len(content) % 255]
    return b'OggS' + struct.pack(
        '<BBqIIIB', 0, flags, max(number - 1, 0) * 48000, serial, number, 0,
        len(lacing)) + bytes(lacing) + content


def test_pages(tmp_path: Path) -> None:
    """Two streams, whose pages alternate."""
    path = tmp_path / 'x'
    head = b'OpusHead' + bytes(11)
    pages = [page(1, 0, 2, head), page(2, 0, 2, head)] + [
        page(serial, i, 4 * (i == 5))
        for i in range(1, 6) for serial in (1, 2)]
    data = b''.join(pages)
    n = len(data)
    assert missing(path, data) == []
    assert missing(path, data[:-100]) == [
        (n - 100, n, readers.CUT, 4000, None)]
    # the last one is missing
    assert missing(path, b''.join(pages[:-1])) == [
        (n - len(pages[-1]), n - len(pages[-1]), readers.CUT, 4000, None)]
    lost = b''.join(pages[:4] + pages[5:])
    place = len(b''.join(pages[:6])) - len(pages[4])
    assert missing(path, lost) == [
        (place, place, readers.LOST, 0, 2000)]
    # within a page: later ones are found again, and reported once
    place = len(b''.join(pages[:5]))
    assert missing(path, data[:place - 200] + data[place:]) == [
        (place - 200, place, readers.LOST, 1000, 1000)]


def test_tags(tmp_path: Path) -> None:
    """Tags of FLV: their chain, and the size in the first one."""
    path = tmp_path / 'x'

    def tag(time: int, kind: int = 9, content: bytes = b'x' * 300) -> bytes:
        head = struct.pack('>I', kind << 24 | len(content))
        whole_tag = head + struct.pack('>I', time << 8) + bytes(3) + content
        return whole_tag + struct.pack('>I', len(whole_tag))

    def file(named_size: float) -> bytes:
        meta = b'filesize\0' + struct.pack('>d', named_size)
        return (b'FLV\1\5' + struct.pack('>II', 9, 0) + tag(0, 18, meta)
                + b''.join(tag(1000 * i) for i in range(8)))
    n = len(file(0))
    one = len(tag(0))
    for named_size in 0, n:
        assert missing(path, file(named_size)) == []
    assert missing(path, file(0)[:-100]) == [
        (n - 100, n, readers.CUT, 6000, None)]
    assert missing(path, file(n)[:-one]) == [
        (n - one, n, readers.CUT, 6000, None)]
    place = n - 4 * one
    assert missing(path, file(n)[:place] + b'\xee' * 50 + file(n)[place:]) == [
        (place, place + 50, readers.BROKEN, 3000, 4000)]
    assert missing(path, file(n)[:place - 50] + file(n)[place:]) == [
        (place - 50, place, readers.LOST, 3000, 4000)]


def test_packs(tmp_path: Path) -> None:
    """Packs of a program stream, a second each."""
    path = tmp_path / 'x'

    def pack(seconds: int) -> bytes:
        clock = seconds * 90_000
        bits = (1 << 46 | clock >> 30 << 43 | 1 << 42
                | (clock >> 15 & 0x7fff) << 27 | 1 << 26
                | (clock & 0x7fff) << 11 | 1 << 10 | 1)
        return (b'\0\0\1\xba' + bits.to_bytes(6, 'big') + bytes(3) + b'\xf8'
                + b'\0\0\1\xe0' + struct.pack('>H', 2000) + b'x' * 2000)
    data = b''.join(pack(i) for i in range(5, 10))
    one = len(pack(0))
    assert missing(path, data) == missing(path, data + b'\0\0\1\xb9') == []
    assert missing(path, data[:one] + bytes(1000) + data[one:]) == []
    assert missing(path, data[:-100]) == [
        (5 * one - 100, 5 * one, readers.CUT, 4000, None)]
    assert missing(path, data[:one] + b'\xee' * 50 + data[one:]) == [
        (one, one + 50, readers.BROKEN, 0, 1000)]


def test_packets_of_mxf(tmp_path: Path) -> None:
    """Partitions contain their position, and that of the footer."""
    path = tmp_path / 'x'
    key = b'\x06\x0e\x2b\x34'

    def packet(name: bytes, content: bytes) -> bytes:
        size = len(content).to_bytes(3, 'big')
        return key + name + b'\x83' + size + content

    def partition(kind: int, place: int, footer: int) -> bytes:
        name = bytes.fromhex('020501010d01020101') + bytes((kind, 4, 0))
        return packet(name, struct.pack('>HHI3Q', 1, 3, 1, place, 0, footer))
    rate = packet(bytes.fromhex('025301010d01010101012800'),
                  struct.pack('>HHII', 0x3001, 8, 25, 1))
    pictures = [packet(bytes.fromhex('010201010d01030115010500'), b'x' * 900)
                for _ in range(10)]
    head = len(partition(2, 0, 0) + rate)
    one = len(pictures[0])
    footer = head + 10 * one
    data = (partition(2, 0, footer) + rate + b''.join(pictures)
            + partition(4, footer, footer))
    n = len(data)
    assert missing(path, data) == []
    assert missing(path, data[:-9]) == [(n - 9, n, readers.CUT, 400, None)]
    assert missing(path, data[:head + 5 * one]) == [
        (head + 5 * one, footer, readers.CUT, 200, None)]
    place = head + 4 * one
    assert missing(path, data[:place] + data[place + 2 * one:]) == [
        (footer - 2 * one, footer, readers.LOST, 320, None)]
    assert missing(path, data[:place] + b'\xee' * 50 + data[place:]) == [
        (place, place + 50, readers.BROKEN, 160, None)]
    # a damaged length is not the end of the file
    assert missing(path, data[:place + 17] + b'\xff' + data[place + 18:]) == [
        (place, place + one, readers.BROKEN, 160, None)]


def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / 'x'
    start = box(b'ftyp', b'isom')
    mdat = box(b'mdat', bytes(range(1, 201)) * 100)
    for data, expected in (
            (start + mdat, '; the index (moov) is missing'),
            (start + mdat[:-100],
             '; the index (moov) is missing; the file has 19,920 of at least '
             '20,020 bytes'),
            (start + mdat + init()[12:-10],
             '; the index (moov) is cut; the file has 20,194 of at least '
             '20,204 bytes'),
            (start + mdat + bytes(8192),
             '; the index (moov) is missing; bytes 20,480 to 28,212 are '
             'missing: they are zero'),
            (bytes(5000) + mdat, '; bytes 0 to 4,096 are missing: they are '
             'zero'),
            (mdat[8:], ''), (file_of((1, 2)), '')):
        path.write_bytes(data)
        assert readers.damage_of(str(path)) == expected
    assert readers.damage(None) == ''


def test_unknown_number_of_missing_bytes() -> None:
    rule = CompletenessRule('file.missing-bytes', 'error', 0)
    row = {'start': 1000, 'end': 1000, 'why': 'x', 'samples': 0,
           'first_time': 3000 * MS, 'last_time': 5000 * MS}
    assert [reason.message for reason in completeness.judge(
        rule, {'missing': [row]})] == [
        'Bytes of the file are missing, at least 1; none is allowed.',
        'Bytes are missing at byte 1,000, an unknown number: '
        'x; time 0:00:03.000 to 0:00:05.000.']
