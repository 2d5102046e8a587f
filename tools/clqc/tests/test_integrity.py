# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gaps between frames, moved timestamps, and their messages."""
import threading
import time
from pathlib import Path
from typing import Any, Iterator, List, Sequence
from unittest import mock

import folders
import pytest

from clqc.common.errors import ClqcError
from clqc.decoding import diagnostics, gst
from clqc.integrity import error_causes, findings, gaps, timestamp_jumps
from clqc.judging import policy
from clqc.judging.rules import completeness
from clqc.judging.rules.model import CompletenessRule
from clqc.results import sound_levels
from clqc.results.frame_lines import Frame
from clqc.results.result_files import LEVELS, Event, Results

MS = 1_000_000


def frames(times: Sequence[int], duration: int = 40) -> Iterator[Frame]:
    """Returns frames at these milliseconds."""
    return (Frame(time * MS, time * MS, duration * MS, i, '')
            for i, time in enumerate(times))


def found(times: Sequence[int], packets: Sequence[int] = (),
          rate: Any = (25, 1), key: Any = None) -> gaps.Found:
    return gaps.find(frames(times), rate, [time * MS for time in packets],
                     None if key is None else key * MS)


def rows(result: gaps.Found) -> List[Any]:
    return [(gap.start // MS, gap.end // MS, gap.frame, gap.frames,
             gap.packets) for gap in result.gaps]


WHOLE = list(range(0, 4000, 40))


def test_no_gap() -> None:
    for times in WHOLE, [0], [], [0, 40], [0, 0, 0, 0]:
        assert found(times, times).gaps == []
    assert found(WHOLE).rate_mode == 'constant'
    assert found([0, 40]).rate_mode is None


def test_missing_frames() -> None:
    """The position and number of one and of thirty missing frames."""
    assert rows(found(WHOLE[:50] + WHOLE[51:])) == [(2000, 2040, 50, 1, 0)]
    assert rows(found(WHOLE[:10] + WHOLE[40:])) == [(400, 1600, 10, 30, 0)]


def test_packets_without_frames() -> None:
    assert rows(found(WHOLE[:10] + WHOLE[40:], WHOLE)) == [
        (400, 1600, 10, 30, 30)]
    # before the first frame, and after the last one
    assert rows(found(WHOLE[10:-2], WHOLE)) == [
        (0, 400, 0, 10, 10), (3920, 4000, 88, 2, 2)]
    # those before the first key frame are no gap
    for first in 2, 30:
        for key, n_leading in (first * 40, first), (0, 0), (None, 0):
            result = found(WHOLE[first:], WHOLE, key=key)
            assert result.leading == n_leading
            assert rows(result) == ([] if n_leading else [
                (0, first * 40, 0, first, first)])


def test_a_file_that_ends_within_a_group() -> None:
    """Missing frames that are shown before the last frame, but sent after
    it."""
    order = [at for i in range(40, 4000, 160)
             for at in (i + 120, i + 40, i, i + 80)]
    sent = [0, *order[:-2]]
    assert found(sorted(sent), sent).trailing == 2
    assert rows(found(sorted(sent), sent)) == []
    # no end, more than are sent after one, and an impossible order
    for sent in ([0, *order[:22], *order[24:]], [0, *order[:-4], 4040],
                 [*WHOLE[:-3], *WHOLE[-1:]]):
        assert found(sorted(sent), sent).trailing == 0
        assert rows(found(sorted(sent), sent)) != []


def test_packets_that_repeat_the_picture() -> None:
    """Packets that repeat the picture have no frame, which is not a gap; other
    packets without frames are gaps."""
    came = WHOLE[:20] + WHOLE[40:60] + WHOLE[63:90]
    repeats = [time * MS for time in WHOLE[20:40] + WHOLE[88:]]
    result = gaps.find(frames(came), (25, 1), [time * MS for time in WHOLE],
                       None, repeats)
    assert rows(result) == [(2400, 2520, 40, 3, 3)]
    assert result.last == 4000 * MS and result.rate_mode == 'constant'


@pytest.mark.parametrize('rate', [None, (0, 1), (25, 1), (30, 1), (1000, 1)])
def test_wrong_frame_rate_in_the_container(rate: Any) -> None:
    assert rows(found(WHOLE[:50] + WHOLE[51:], rate=rate)) == [
        (2000, 2040, 50, 1, 0)]


def test_rounded_timestamps() -> None:
    """29.97 frames a second in milliseconds, as in Matroska, and fields with
    separate packets."""
    times = [round(i * 1001 / 30) for i in range(3000)]
    assert found(times, rate=(30000, 1001)).gaps == []
    less = found(times[:900] + times[2000:], rate=(30000, 1001))
    assert [gap.frames for gap in less.gaps] == [1100]
    fields = sorted(WHOLE + [time + 20 for time in WHOLE])
    assert found(WHOLE, fields).gaps == []


@pytest.mark.parametrize('rate, unit', [
    (240, 1e6), (300, 1e6), (480, 1e6), (240, 1e9 / 600), (30, 1e7),
    (500, 1e6), (240, 1e9 / 90_000)])
def test_timestamps_of_a_coarse_time_base(rate: int, unit: float) -> None:
    """Rounding to the unit of the container's timestamps is not a variable
    rate, and missing frames are found."""
    times = [int(round(i * 1e9 / rate / unit) * unit) for i in range(2400)]

    def find(kept: Sequence[int], declared: Any = (rate, 1)) -> gaps.Found:
        return gaps.find((Frame(time, time, 0, i, '')
                          for i, time in enumerate(kept)), declared, kept,
                         resolution=unit)
    for declared in (rate, 1), None:
        assert (find(times, declared).rate_mode, find(times, declared).gaps
                ) == ('constant', [])
        less = find(times[:1200] + times[1210:], declared)
        assert [gap.frames for gap in less.gaps] == [10]
    assert less.rate_mode == 'constant'


def test_variable_rate_in_a_coarse_time_base() -> None:
    """60, 30 and 20 frames a second in units of a sixtieth of a second; one
    unit is a frame, and another one is missing."""
    unit = 1e9 / 60
    for ticks, mode, n_missing in (
            ([1] * 30 + [2] * 60, 'variable', 0),
            ([2] * 9 + [3] * 12, 'variable', 0),
            ([1] * 50 + [2], 'constant', 10)):
        times = [0]
        for n in ticks * 10:
            times.append(times[-1] + n)
        result = gaps.find(
            (Frame(int(n * unit), int(n * unit), 0, i, '')
             for i, n in enumerate(times)), None, [], resolution=unit)
        assert result.rate_mode == mode
        assert sum(gap.frames for gap in result.gaps) == n_missing


def test_variable_rate_has_no_time_gaps() -> None:
    """In files with a variable rate, only packets show missing frames."""
    times = [0]
    for i in range(200):
        times.append(times[-1] + (33, 50, 17, 120)[i % 4])
    assert found(times).rate_mode == 'variable'
    assert found(times, times).gaps == []
    assert [gap.frames for gap in found(times[:80] + times[83:], times).gaps
            ] == [3]


def test_every_other_frame_is_missing_for_a_while() -> None:
    times = WHOLE[:40] + WHOLE[40:48:2] + WHOLE[48:]
    result = found(times)
    assert result.rate_mode == 'constant'
    assert sum(gap.frames for gap in result.gaps) == 4


def test_less_than_three_quarters_of_a_frame() -> None:
    """The first frame is late, as if the priming of the sound moved it."""
    for distance, expected in (63, []), (69, []), (72, [(40, 72, 1, 1, 0)]):
        times = [0, *(time + distance for time in WHOLE)]
        assert rows(found(times)) == expected


def test_a_frame_that_shares_a_time_is_one() -> None:
    """A frame with the time of another frame is subtracted from a gap near
    it."""
    times = WHOLE[:20] + WHOLE[25:27] + WHOLE[26:27] + WHOLE[28:]
    assert sum(gap.frames for gap in found(times).gaps) == 5


def shifted(came: Sequence[int], own: Sequence[int], shown: Sequence[int]
            ) -> List[Any]:
    """Returns gaps of frames at the times @shown, whose packets had the times
    @own and arrived with the times @came."""
    content = findings.collect(
        {'stamps': [time * MS for time in came], 'keys': [0], 'tracks': [],
         'sound-gaps': [], 'structure': {'stamps': [
             (time + 1000) * MS for time in own]}}, frames(shown), {}, [])
    return [tuple(gap[name] // (MS if name in ('start', 'end') else 1)
                  for name in ('start', 'end', 'frame', 'frames'))
            for gap in content['gaps']]


def test_sound_is_counted_by_the_packets() -> None:
    """After a hole, the demuxer repeats times; a parser splits each packet in
    two."""
    own = [*range(0, 2000, 40), *range(3000, 4000, 40)]
    came = [time + (100 if i < 55 else -900) for i, time in enumerate(own)]
    stamps = [time * MS + half for time in came for half in (0, 20 * MS)]
    sound = gaps.SoundGaps()
    for stamp, demuxed in zip(timestamp_jumps.unchanged(
            [time * MS for time in came], [time * MS for time in own],
            stamps), stamps):
        sound.add(stamp, 20 * MS, demuxed)
    assert sound.find() == [
        gaps.SoundGap(2100 * MS, 3100 * MS, 1000 * MS)]


def test_frames_are_counted_by_the_packets() -> None:
    """If the demuxer moves the times after a hole, position and length of a
    gap have moved times; the number of frames comes from packets."""
    own = WHOLE[:60] + WHOLE[75:]
    for moved, end in (-500, 2500), (-600, 2400), (500, 3500):
        came = WHOLE[:60] + [time + moved for time in WHOLE[75:]]
        assert shifted(came, own, came) == [(2400, end, 60, 15)]
    # later frames have the time of the one before until theirs arrive
    came = WHOLE[:60] + [time - 1000 for time in WHOLE[75:]]
    shown = WHOLE[:60] + [max(time, 2360) for time in came[60:]]
    assert sum(gap[3] for gap in shifted(came, own, shown)) == 15
    # recordings that were joined continue where the one before ends
    came = WHOLE[:60] + [time - 500 for time in WHOLE[75:]]
    joined = [*came, *(time + came[-1] + 40 for time in WHOLE)]
    assert shifted(joined, own + WHOLE, joined) == [(2400, 2500, 60, 15)]
    # nothing is missing in files with moved timestamps only
    came = WHOLE[:60] + [time - 20 for time in WHOLE[60:]]
    assert shifted(came, WHOLE, came) == []
    # the parser drops packets after the hole, sent in another order
    order = [at for i in range(0, 4000, 160)
             for at in (i + 120, i + 40, i, i + 80)]
    own = order[:60] + order[76:]
    came = order[:60] + [time - 500 for time in order[78:]]
    assert shifted(came, own, sorted(came)) == [
        (2400, 2540, 60, 16), (2580, 2620, 61, 1), (2660, 2700, 62, 1)]


def test_timestamps_moved_by_the_demuxer() -> None:
    own = [1_000 + time for time in WHOLE[:30] + WHOLE[60:]]
    came = WHOLE[:30] + [time - 1000 for time in WHOLE[60:]]

    def find(came: Sequence[int], own: Sequence[int]) -> Any:
        result, breaks = timestamp_jumps.find([time * MS for time in came],
                                              [time * MS for time in own])
        assert not breaks
        return result and (result.stamp // MS, result.amount // MS)
    assert find(came, own) == (1400, -1000)
    # all have one time for a while
    assert find(WHOLE[:30] + [1200] * 10 + WHOLE[40:], WHOLE) == (
        1200, -360)
    # dropped packets move nothing
    later = [time + 1000 for time in WHOLE]
    assert find(WHOLE[:30] + WHOLE[50:], later) is None
    # a recording begins within a group of pictures, and a parser needs the
    # first packets of a group
    order = [at for i in range(0, 4000, 160)
             for at in (i + 120, i + 40, i, i + 80)]
    for first in 0, 20, 70:
        assert find(order[first:], [500 + time for time in order]) is None
    assert find(WHOLE, WHOLE) is find([], [1]) is find([1], []) is None


def test_joined_recordings() -> None:
    """Timestamps jump back, or farther than a hole; changes by the demuxer
    after the jump are also reported."""
    def find(came: Sequence[int], own: Sequence[int]) -> Any:
        result, breaks = timestamp_jumps.find([time * MS for time in came],
                                              [time * MS for time in own])
        return [(one.stamp // MS, one.before // MS, one.after // MS)
                for one in breaks], result and result.amount // MS
    later = [time + 4020 for time in WHOLE]
    for start in 0, 500_000:
        own = [1000 + time for time in WHOLE] + [start + t for t in WHOLE]
        assert find(WHOLE + later, own) == ([(4020, 4960, start)], None)
        # a parser drops the first packets after it
        assert find(WHOLE + later[9:], own) == ([(4380, 4960, start)], None)
    assert find(WHOLE + later[:50] + [time + 700 for time in later[50:]],
                own)[1] == 700
    content = findings.collect(
        {'stamps': [time * MS for time in WHOLE + later], 'keys': [0],
         'tracks': [], 'sound-gaps': [[0, 3990 * MS, 9000 * MS, 5010 * MS]],
         'structure': {'stamps': [time * MS for time in own]}},
        frames(WHOLE + later), {}, [])
    assert content['gaps'] == content['sound-gaps'] == []
    assert content['breaks'] == [
        {'time': 4020 * MS, 'before': 4960 * MS, 'after': 500_000 * MS}]


def test_the_clock_of_the_demuxer() -> None:
    """Packets have the times of the demuxer, whether it has moved them or
    not."""
    own = [1_000 + time for time in WHOLE]
    came = [time if time < 2000 else time - 500 for time in WHOLE]
    clock = timestamp_jumps.Clock([time * MS for time in came],
                                  [time * MS for time in own])
    assert [clock.demuxed(time * MS) // MS for time in (
        1000, 1400, 4000, 900, 5000)] == [0, 400, 2500, -100, 3500]
    # of a packet that did not arrive
    clock = timestamp_jumps.Clock(
        [time * MS for time in came[:10] + came[20:]],
        [time * MS for time in own])
    assert clock.demuxed(own[12] * MS) // MS == WHOLE[12]
    assert timestamp_jumps.Clock([], []).demuxed(7) == 7


def test_gap_is_not_a_freeze() -> None:
    """A gap ends an event of the picture if it has the minimum length of such
    an event; a shorter one is subtracted from its length."""
    def kept(start: int, end: int, *holes: Any) -> List[Any]:
        content = folders.integrity(gaps=[
            {'start': first * MS, 'end': last * MS} for first, last in holes])
        return [(event.start // MS, event.end // MS)
                for event in findings.outside_gaps(
                    [Event('freeze', start * MS, end * MS, 1, 2),
                     Event('scene', start * MS, start * MS, 1, 1)],
                    content, {'freeze': 2000 * MS})
                if event.kind == 'freeze']
    assert kept(0, 5000) == [(0, 5000)]
    assert kept(960, 6000, (1000, 6000)) == []
    assert kept(0, 9000, (3000, 6000)) == [(0, 3000), (6000, 9000)]
    assert kept(0, 9000, (1000, 6000)) == [(6000, 9000)]
    assert kept(0, 5000, (1000, 1040)) == [(0, 5000)]
    assert kept(0, 2500, (1000, 2200)) == []


class Counted(int):
    """Counts the comparisons."""
    n = 0

    def __lt__(self, other: Any) -> bool:
        Counted.n += 1
        return int(self) < int(other)

    def __gt__(self, other: Any) -> bool:
        Counted.n += 1
        return int(self) > int(other)


def test_many_gaps_and_many_events() -> None:
    """Each event is compared with few of the gaps."""
    n = 2000
    content = folders.integrity(gaps=[
        {'start': Counted(i * 10_000 * MS),
         'end': Counted((i * 10_000 + 3000) * MS)} for i in range(n)])
    found_events = [Event('freeze', (i * 10_000 + 1000) * MS,
                          (i * 10_000 + 9000) * MS, i, i + 1)
                    for i in range(n)]
    Counted.n = 0
    kept = findings.outside_gaps(found_events, content, {'freeze': 2000 * MS})
    assert [(event.start // MS, event.end // MS) for event in kept] == [
        (i * 10_000 + 3000, i * 10_000 + 9000) for i in range(n)]
    assert Counted.n < 100 * n


def test_threads_report_one_at_a_time() -> None:
    """Only one streaming thread at a time changes the counters."""
    gst.init()
    collects = diagnostics.Diagnostics(mock.Mock())
    collects.close()
    n, inside, most = 200, [0], [0]

    def cause(*_: Any) -> int:
        inside[0] += 1
        for _ in range(20):
            time.sleep(0)  # others may run
            most[0] = max(most[0], inside[0])
        inside[0] -= 1
        return error_causes.PACKET

    def report() -> None:
        for i in range(n):
            collects.add_corrupted(i % 7)
    threads = [threading.Thread(target=report) for _ in range(4)]
    with mock.patch.object(diagnostics, '_write'), \
            mock.patch.object(diagnostics, '_cause', cause):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [1]
    assert sum(row[1] for row in collects.places()) == 4 * n


def collected(errors: Sequence[Any], key: int) -> Any:
    """Returns the frames of errors that count, and of those at the start of a
    file whose first key frame is the one with the number @key."""
    content = findings.collect(
        {'stamps': [], 'keys': [key * 40 * MS], 'tracks': [],
         'sound-gaps': []}, frames(WHOLE),
        {}, [(frame * 40 * MS, 1, ['x'], kind, cause)
             for frame, kind, cause in errors])
    return [[row[3] for row in content[name]]
            for name in ('errors', 'leading-errors')]


def test_errors_of_the_start() -> None:
    """Errors before the first key frame do not count, because a recording may
    begin anywhere; later errors do."""
    reference, packet, container = range(3)
    before = [(frame, 'video', packet) for frame in range(5)]
    assert collected(before, 5) == [[], [0, 1, 2, 3, 4]]
    assert collected(before, 0) == [[0, 1, 2, 3, 4], []]
    # frames refer to earlier ones before the start for a while
    after = [(frame, 'video', reference) for frame in (4, 20, 30, 60)]
    assert collected(after, 0) == [[60], [4, 20, 30]]
    assert collected([(2, 'video', packet), *after], 0) == [
        [2, 4, 20, 30, 60], []]
    # packets lost before the decoder are lost
    assert collected([(2, 'video', container), (3, 'audio', packet)], 9) == [
        [2, None], []]


def test_errors_in_a_row_are_one_event() -> None:
    content = folders.integrity(errors=[
        [0, 1, ['a'], 0, 'video'], [0, 1, ['d'], None, 'audio'],
        [folders.FRAME, 2, ['b'], 1, 'video'],
        [10 * folders.FRAME, 1, ['c'], 10, 'video'],
        [None, 1, ['d'], None, 'audio']])
    assert [(event.start, event.end, event.start_frame, event.values['errors'])
            for event in findings.events(content)] == [
        (0, 2 * folders.FRAME, 0, 3),
        (10 * folders.FRAME, 11 * folders.FRAME, 10, 1),
        (0, folders.FRAME, None, 2)]


def test_messages_about_damage() -> None:
    """Messages of GStreamer 1.22 about damaged files, and about good ones."""
    error, warning, debug, log = 1, 2, 5, 6
    for category, level, text in (
            ('libav', error, 'mb incr damaged'),
            ('videodecoder', warning, 'error: Invalid input packet'),
            ('h264parse', warning,
             'broken/invalid nal Type: 1 Slice, Size: 900 will be dropped'),
            ('matroskareadcommon', warning, 'Dropping short buffer at offset '
             '741151: wanted 10772 bytes, got 9599 bytes'),
            ('qtdemux', warning, 'broken traf box, ignoring'),
            ('avidemux', warning, 'Short read at offset 8, only got 1/2 bytes '
             '(truncated file?)'),
            ('flvdemux', warning, 'unsupported tag type 0'),
            ('flvdemux', warning, 'partial pull got 3 when expecting 9 from '
             'offset 7'),
            ('default', warning, 'Payload for unknown stream 0, skipping'),
            ('asfdemux', warning, 'Short packet!'),
            ('oggdemux', log, 'discont in page found, continuing'),
            ('mxfdemux', warning, 'Skipping non-MXF packet of size 17 at '
             'offset 9, key: 00.00'),
            ('mxfdemux', error, 'Invalid KLV packet length: 9'),
            ('mpegpsdemux', debug, 'sync_code=0000010b, non PES sync found, '
             'continuing'),
            ('mpegpsdemux', debug, 'lost sync'),
            ('mpegtspacketizer', warning, 'PID 0x0100 afc == 0x30 and length '
             '200 > 182'),
            ('mpegtsbase', error, 'Could not get PMT (corrupted ?)'),
            ('tsdemux', warning, 'Error parsing PES header. pid: 0x100')):
        assert diagnostics.source_of(category, level, text), text
    for category, level, text in (
            ('libav', warning, 'No specified format'),
            ('videodecoder', warning, 'decreasing timestamp (1 < 2)'),
            ('h264parse', warning,
             'broken/invalid nal Type: 6 SEI, Size: 9 will be dropped'),
            ('matroskareadcommon', warning,
             'Unknown CueTrackPositions subelement 0xf0 - ignoring'),
            ('qtdemux', warning, 'unknown QuickTime node type sgpd'),
            ('qtdemux', warning, 'length too long (12 > 4)'),
            ('avidemux', warning, 'invalid stream nr 9 (0x1, JUNK)'),
            ('flvdemux', warning, 'unsupported tag type 15'),
            ('flvdemux', warning, 'failed when pulling 4 bytes from offset 9: '
             'eos'),
            ('default', warning, 'Unexpected MPEG-1 layer in audio/mpeg'),
            ('oggdemux', warning, 'Locking on pts 0:00:00.0'),
            ('mpegpsdemux', warning, 'unknown mpeg audio layer'),
            ('mpegtspacketizer', warning,
             'PID 0x0000 section discontinuity (1 vs 3)'),
            ('mpegtspacketizer', warning, 'WRAPAROUND detected. diff 1:0'),
            ('basesrc', warning, 'pad not activated yet')):
        assert not diagnostics.source_of(category, level, text), text


def test_levels_are_read_as_written(tmp_path: Path) -> None:
    """In pieces, also as JSON with other spaces; a truncated file is
    broken."""
    results = Results(str(tmp_path))
    levels = sound_levels.none()
    assert not sound_levels.read(results)
    for second in range(5000):
        sound_levels.append(levels, (second * 10 ** 9, 10 ** 9, -20.25,
                                     None if second % 3 else -3.5))
    sound_levels.write(results, levels)
    rows = list(sound_levels.rows(levels))
    assert rows[4999] == (4999 * 10 ** 9, 10 ** 9, -20.25, None)
    assert sound_levels.span(levels) == (0, 5000 * 10 ** 9)
    content = results.read(LEVELS)
    assert [tuple(row) for row in content['levels']] == rows
    assert list(sound_levels.rows(sound_levels.read(results))) == rows
    results.write(LEVELS, content)
    assert list(sound_levels.rows(sound_levels.read(results))) == rows
    path = tmp_path / LEVELS
    text = path.read_text()
    for broken in (text[:-3], text[:-40], text.replace(' -20', ' x', 1),
                   ''):
        path.write_text(broken)
        with pytest.raises(ClqcError, match='levels.json: broken'):
            sound_levels.read(results)


def test_silence_where_there_is_no_sound() -> None:
    """There is silence before the start of the sound, and from its end to the
    end of the picture."""
    loud = [[time * MS, 100 * MS, -20.0, -10.0]
            for time in range(3000, 6000, 100)]
    assert [(event.start // MS, event.end // MS)
            for event in sound_levels.find_silence(
                loud, -60, 2000 * MS, 9000 * MS)] == [
        (0, 3000), (6000, 9000)]
    assert sound_levels.find_silence([], -60, 2000 * MS, 9000 * MS) == []


@pytest.mark.parametrize('duration', [20, 0])  # 0: the container has none
def test_gaps_of_the_sound(duration: int) -> None:
    def find(times: Sequence[int]) -> List[Any]:
        sound = gaps.SoundGaps()
        for start in times:
            sound.add(start * MS, duration * MS)
        return [(gap.start // MS, gap.end // MS) for gap in sound.find()]
    whole_sound = list(range(0, 2000, 20))
    assert find([]) == find([0]) == find(whole_sound) == []
    assert find([at for at in whole_sound if at != 500]) == [(500, 520)]
    assert find(whole_sound[:10] + whole_sound[60:]) == [(200, 1200)]
    # rounded by the container
    assert find([at + at // 20 % 3 - 1 for at in whole_sound]) == []
    # packets that share a time
    assert find([at // 40 * 40 if 800 < at < 1600 else at
                 for at in whole_sound]) == []
    # packets of 0.4 s that are late by less than one, or by two
    for late in 14, 40:
        assert find([at + late * (200 <= at % 1000 < 600)
                     for at in whole_sound]) == []
    # recordings that were joined begin again
    assert find(whole_sound + whole_sound) == []
    # three lengths: nothing follows from the timestamps
    assert find([(i // 3) * 150 + (0, 20, 80)[i % 3] for i in range(99)]) == []


def test_two_lengths_of_packets() -> None:
    """As for Vorbis, whose containers have no durations."""
    sound, at = gaps.SoundGaps(), 0
    for i in range(200):
        sound.add(at, 0)
        at += (23 if i % 4 else 3) * MS + (100 * MS if i == 70 else 0)
    assert [gap.missing for gap in sound.find()] == [100 * MS]


@pytest.mark.parametrize('samples, missing, has_gap', [
    (50, [], True), (51, [], False), (51, [{'start': 0}], True)])
def test_sound_packets_omitted_by_the_demuxer(samples: int, missing: List[Any],
                                              has_gap: bool) -> None:
    """Packets that the demuxer omits are not missing: the table of the file
    has them, and no byte is missing."""
    content = findings.collect(
        {'stamps': [], 'keys': [], 'sound-gaps': [[0, 0, 1, 1]],
         'tracks': [{'kind': 'audio', 'packets': 50, 'measured': False,
                     'first': None, 'last': None}],
         'structure': {'missing': missing, 'tables': [
             {'kind': 'audio', 'samples': samples}]}}, frames(WHOLE), {}, [])
    assert bool(content['sound-gaps']) == has_gap


@pytest.mark.parametrize('n_sounds, last', [(1, 6000), (2, 3018)])
def test_decoded_sound_counts(n_sounds: int, last: int) -> None:
    """With wrong times in packets, as for ADPCM in AVI."""
    content = findings.collect(
        {'stamps': [], 'keys': [], 'sound-gaps': [], 'tracks': [
            {'kind': 'audio', 'packets': 9, 'measured': False,
             'first': 100 * MS, 'last': 3018 * MS}] * n_sounds},
        frames(WHOLE), {}, [], (), (0, 6000 * MS))
    assert content['tracks'][0]['last'] == last * MS
    first = content['tracks'][0]['first']
    assert content['tracks'][0]['duration'] == last * MS - first


def test_a_gap_of_the_sound_is_silent(tmp_path: Any) -> None:
    content = folders.integrity(
        sound_gaps=[[1, 3000 * MS, 6000 * MS, 3000 * MS]])
    event, = findings.events(content)
    assert (event.kind, event.start_frame) == ('gap', None)
    verdict = folders.verdict(tmp_path, '[events.gap]\nmax-count = 0\n',
                              events=[event])
    assert folders.messages(verdict) == [
        'Gap from 0:00:03.000 to 0:00:06.000 (3 s), 3 s of the sound '
        '(track 2) is missing; none is allowed.']
    loud = [[time * MS, 100 * MS, -20.0, -10.0]
            for time in (*range(0, 3000, 100), *range(6000, 9000, 100))]
    assert [(event.start // MS, event.end // MS)
            for event in sound_levels.find_silence(loud, -60, 2000 * MS)
            ] == [(3000, 6000)]


def reasons(key: str, limit: float, **content: Any) -> List[str]:
    rule = CompletenessRule(key, 'error', limit)
    return [reason.message
            for reason in completeness.judge(
                rule, folders.integrity(**content))]


def track(kind: str, first: int, last: int) -> Any:
    return {'kind': kind, 'codec': 'x', 'packets': 1,
            'measured': kind == 'video', 'first': first * MS,
            'last': last * MS}


def test_texts_of_findings() -> None:
    errors = [[920 * MS, 5, ['libav: a', 'libav: b'], 23, 'video'],
              [None, 1, ['x: c'], None, 'audio'],
              [0, 1, ['y: d'], None, 'audio'],
              [40 * MS, 1, ['y: e'], None, 'other']]
    assert reasons('decode.errors', 1, errors=errors) == [
        'Demuxers and decoders report errors; packets with errors: 4; the '
        'limit is 1.',
        'Decode error at 0:00:00.920, frame 23: libav: a; libav: b; 3 more.',
        'Decode error at an unknown time: x: c.',
        'Decode error at 0:00:00.000, the sound: y: d.',
        'Decode error at 0:00:00.040, another track: y: e.']
    assert reasons('decode.errors', 4, errors=errors) == []
    missing = [{'start': 1000, 'end': 3000, 'why': 'they are zero',
                'first_time': 2000 * MS, 'last_time': 4000 * MS,
                'samples': 50}]
    assert reasons('file.missing-bytes', 0, missing=missing) == [
        '2,000 bytes of the file are missing; none is allowed.',
        'Bytes 1,000 to 3,000 are missing (2,000 bytes): they are zero; time '
        '0:00:02.000 to 0:00:04.000; 50 frames.']
    assert reasons('file.missing-packets', 0, absent_packets=3) == [
        'The sample table has 3 frames that the demuxer does not output; none '
        'is allowed.']
    tracks = [track('video', 0, 20000), track('audio', 1500, 30000),
              track('text', 9000, 9001)]
    assert reasons('file.missing-duration', 0.1, tracks=tracks,
                   duration=31000 * MS) == [
        'The container lasts 0:00:31.000; its last track ends at 0:00:30.000, '
        '1 s earlier; the limit is 0.1 s.']
    assert reasons('tracks.offset', 1, tracks=tracks) == [
        'The picture begins at 0:00:00.000, the sound at 0:00:01.500: 1.5 s '
        'apart; the limit is 1 s.']
    assert reasons('tracks.duration', 2, tracks=tracks) == [
        'The picture ends at 0:00:20.000, the sound at 0:00:30.000: 10.0 s '
        'apart; the limit is 2 s.']
    assert reasons('tracks.duration', 2,
                   tracks=[*tracks, track('audio', 0, 31000)]) == [
        'The picture ends at 0:00:20.000, the sound (track 4) at 0:00:31.000: '
        '11.0 s apart; the limit is 2 s.']
    for key in ('file.missing-duration', 'tracks.offset', 'tracks.duration'):
        assert reasons(key, 0) == []


def test_number_of_places_is_limited() -> None:
    errors = [[i * 400 * MS, 1, ['a'], i, 'video'] for i in range(60)]
    assert len(reasons('decode.errors', 0, errors=errors)) == 52


def test_a_gap_in_a_verdict(tmp_path: Any) -> None:
    gap = Event('gap', 0, 1000 * MS, 0, 0, {'frames': 25, 'packets': 3})
    verdict = folders.verdict(tmp_path, '[events.gap]\nmax-count = 0\n',
                              events=[gap])
    assert folders.messages(verdict) == [
        'Gap from 0:00:00.000 to 0:00:01.000 (1 s), 25 frames are missing, 3 '
        'packets of that time did not decode; none is allowed.']


def test_strict_and_lenient(tmp_path: Any) -> None:
    """Each rule has a severity and a limit; none is a default."""
    made = folders.results(tmp_path, folders.frames(3))
    Results(made.folder).write('integrity.json', folders.integrity(
        errors=[[0, 1, ['a'], 0, 'video']]))
    from clqc.judging.judge import judge
    for text, status in (('', 'pass'), ('[decode]\nerrors = 0', 'fail'),
                         ('[decode]\nerrors = 1', 'pass'),
                         ('[decode]\nerrors = 0\nseverity = "warning"',
                          'pass')):
        assert judge('x', made, policy.parse(text, 'my.toml')
                     ).status == status
    with pytest.raises(Exception, match='decode.error: no such key; did you'):
        policy.parse('[decode]\nerror = 0', 'my.toml')
