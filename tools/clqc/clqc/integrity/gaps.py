# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds missing frames, by timestamps and by packets that gave no frame, and
missing packets of the sound."""
from array import array
from dataclasses import dataclass, field, replace
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy
import numpy.typing

from clqc.integrity.timestamp_jumps import Clock
from clqc.results.frame_lines import Frame

Integers = numpy.typing.NDArray[numpy.int64]

# A rate is constant if this share of the distances between timestamps are
# multiples of one duration, within a quarter of it, and this share are exactly
# one duration.
_MULTIPLES = 0.95
_SINGLES = 0.9

# Distances whose sum shows whether their differences are rounding.
_RUN = 8

# Frames around a gap that may share a time, because demuxers interpolate.
_NEAR = 4

# Nanoseconds by which the timestamp of a frame may differ from its packet's
# timestamp.
_ROUNDED = 2_000_000

# A frame is missing if more than this share of its duration is not covered: a
# sound that begins before the picture shifts the first frame by a part of it.
_MISSING = 0.75

# Tolerance: containers round timestamps, and name rates that frames do not
# keep.
_CLOSE = 0.02

# Nanoseconds to which timestamps of sound are rounded.
_SOUND_ROUNDED = 3_000_000

# If more packets of sound than this share follow a gap, timestamps do not
# follow from the packets.
_MOST_GAPS = 0.25

# This share of the packets of sound is at most as long as the usual length, if
# the container has no durations: packets of Vorbis have two lengths.
_USUAL = 0.9


@dataclass(frozen=True)
class Gap:
    """Missing frames. Times are nanoseconds of the stream on the demuxer's
    clock, which may be shifted after lost data."""
    start: int    # end of the frame before
    end: int      # start of the frame after them
    frame: int    # number of that frame
    frames: int   # number of missing frames, by packet timestamps
    packets: int  # number of packets of that time in the file


def _none() -> Integers:
    return numpy.zeros(0, numpy.int64)


@dataclass(frozen=True)
class Found:
    """The result for the video of a file."""
    gaps: List[Gap]
    rate_mode: Optional[str] = None  # constant or variable, if that is known
    duration: int = 0                # of a frame, nanoseconds
    stamps: Integers = field(default_factory=_none)  # of frames, in order
    times: Integers = field(default_factory=_none)   # their stream times
    last: Optional[int] = None       # end of the last frame, stream time
    # packets without a frame before the first key frame: a recording may begin
    # within a group of pictures
    leading: int = 0
    # missing frames that are shown before the last ones and stored after them
    trailing: int = 0

    @property
    def first(self) -> Optional[int]:
        """Returns the start of the first frame, stream time."""
        return int(self.times[0]) if len(self.times) else None

    def frame_at(self, time: int) -> int:
        """Returns the number of the frame at a stream time, or of the frame
        before."""
        return max(int(numpy.searchsorted(
            self.times, time + self.duration // 4, 'right')) - 1, 0)

    def stream_time(self, stamp: int) -> int:
        """Returns the stream time of a timestamp."""
        if not len(self.stamps):
            return stamp
        near = min(int(numpy.searchsorted(self.stamps, stamp)),
                   len(self.stamps) - 1)
        return stamp + int(self.times[near] - self.stamps[near])


def _duration(distances: Integers, rate: Optional[Sequence[int]],
              resolution: float = 0) -> float:
    """Returns the duration of a frame: the stream's, if frames keep it, or
    twice that, if @rate is of fields. Rounding to a @resolution gives
    distances that are one unit apart."""
    middle = float(numpy.median(distances))
    near = distances[abs(distances - middle) < max(0.2 * middle,
                                                   1.5 * resolution)]
    mean = float(near.mean()) if len(near) else middle
    if rate and rate[0] > 0 and rate[1] > 0:
        for n_packets in (1, 2):
            declared = n_packets * 1e9 * rate[1] / rate[0]
            if abs(declared - mean) < _CLOSE * mean:
                return declared
    return mean


def _is_constant(distances: Integers, duration: float,
                 resolution: float = 0) -> bool:
    """Returns whether the rate is constant. With a @resolution, distances may
    differ by less than one unit, and their sums by one unit: rounding does not
    add up, as a change of the rate does."""
    n = numpy.maximum(numpy.rint(distances / duration), 1)
    rest = distances - n * duration
    if resolution:
        sums = abs(numpy.convolve(rest, numpy.ones(_RUN), 'valid'))
        if (sums < 1.5 * resolution).mean() < _MULTIPLES:
            return False
    is_multiple = abs(rest) < (resolution or 0.25 * duration)
    is_single = is_multiple & (n == 1)
    return bool(is_multiple.mean() >= _MULTIPLES
                and is_single.mean() >= _SINGLES)


def _joined(gaps: Iterable[Gap]) -> List[Gap]:
    """Returns the gaps in order; merges gaps that are separated only by frames
    with the time of the end of the first gap."""
    found: List[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (gap.start, gap.end, gap.frame)):
        last = found[-1] if found else None
        if last and last.end == gap.start == gap.end:
            found[-1] = replace(last, frames=last.frames + gap.frames,
                                packets=last.packets + gap.packets)
        else:
            found.append(gap)
    return found


class _Finder:
    """Compares shown pictures and packets. @frames: the decoded pictures,
    ordered by timestamp; packets in file order."""

    def __init__(self, stamps: Integers, times: Integers, frames: Integers,
                 packets: Integers, duration: float) -> None:
        self.stamps = stamps
        self.frames = frames
        self.times = times
        self.sent = packets
        self.packets = numpy.sort(packets)
        self.duration = duration
        self.n_trailing = 0  # distances that are not gaps

    def gap(self, first: float, last: float, n_missing: int) -> Gap:
        """Returns the gap between the timestamps @first and @last: the start
        of the first missing frame and the start of the next frame."""
        half = self.duration / 2
        n_packets = (numpy.searchsorted(self.packets, last - half)
                     - numpy.searchsorted(self.packets, first - half))
        after = int(numpy.searchsorted(self.stamps, last - half))
        before = int(numpy.searchsorted(self.stamps, first - half)) - 1
        end = self._time(last, after)
        start = min(self._time(first, before if before >= 0 else after), end)
        number = int(numpy.searchsorted(self.frames, last - half))
        return Gap(start, end, number, n_missing, int(n_packets))

    def _time(self, stamp: float, at: int) -> int:
        """Returns the stream time of a timestamp near the frame @at."""
        near = min(at, len(self.stamps) - 1)
        return round(stamp) + int(self.times[near] - self.stamps[near])

    def _take_trailing(self, gaps: List[Gap]) -> None:
        """Removes missing frames at the end of a file that ends between a
        frame and frames that are shown earlier and stored later: no more than
        elsewhere in the file."""
        sent = self.sent
        depth = int((numpy.argsort(numpy.argsort(sent, kind='stable'))
                     - numpy.arange(len(sent))).max(initial=0))
        while gaps and gaps[-1].packets == 0 and depth:
            behind = self.frames[min(gaps[-1].frame, len(self.frames) - 1)]
            after = sent[int((sent >= behind - _ROUNDED).argmax()) + 1:]
            n_frames = self.n_trailing + gaps[-1].frames
            if max(len(after), n_frames + (after < behind).sum()) > depth:
                return
            self.n_trailing = n_frames
            gaps.pop()

    def by_stamps(self) -> List[Gap]:
        """Finds gaps by timestamps: distances of two frames with room for more
        frames."""
        distances = numpy.diff(self.stamps)
        missing = numpy.rint(distances / self.duration).astype(int) - 1
        missing[(missing == 1)
                & (distances <= (1 + _MISSING) * self.duration)] = 0
        gaps = [self.gap(self.stamps[i] + self.duration, self.stamps[i + 1],
                         n_missing)
                for i, n_missing in self._left(missing)]
        self._take_trailing(gaps)
        # If no packet is lost in total, a decoder has moved the frame.
        is_whole = len(self.stamps) >= len(self.packets) > 0
        return [gap for gap in gaps if not (
            is_whole and (gap.packets >= gap.frames or (
                gap.frames == 1 and gap.frame == len(self.frames) - 1)))]

    @staticmethod
    def _left(missing: Integers) -> Iterator[Tuple[int, int]]:
        """Returns where frames are missing, and how many, without frames that
        share a time nearby."""
        shared = (missing < 0).astype(int)
        for i in numpy.flatnonzero(missing > 0):
            near = shared[max(i - _NEAR, 0):i + _NEAR + 1]
            taken = numpy.flatnonzero(near)[:missing[i]]
            near[taken] = 0
            if len(taken) < missing[i]:
                yield int(i), int(missing[i] - len(taken))

    def lost_packets(self, near_by: float) -> List[Tuple[int, int]]:
        """Returns runs of packets without a nearby frame, as the index of the
        first packet and the index after the last."""
        at = numpy.searchsorted(self.stamps, self.packets)
        before = self.stamps[numpy.maximum(at - 1, 0)]
        after = self.stamps[numpy.minimum(at, len(self.stamps) - 1)]
        near = numpy.minimum(abs(self.packets - before),
                             abs(self.packets - after))
        lost = numpy.flatnonzero(near > near_by)
        if not len(lost):
            return []
        ends = numpy.flatnonzero(numpy.diff(lost) > 1)
        starts = [0, *(ends + 1)]
        stops = [*ends, len(lost) - 1]
        return [(int(lost[a]), int(lost[b]) + 1)
                for a, b in zip(starts, stops)]

    def leading(self, key: Optional[int]) -> int:
        """Returns the number of packets without a frame before the first key
        frame, whose stream time is @key, and removes these packets."""
        if key is None or not len(self.packets):
            return 0
        stamp = min(key - int(self.times[0] - self.stamps[0]),
                    int(self.stamps[0])) - _ROUNDED
        n_leading = int(numpy.searchsorted(self.packets, stamp))
        self.packets = self.packets[n_leading:]
        return n_leading

    def by_packets(self, ends_only: bool) -> List[Gap]:
        """Finds gaps by packets without a frame, at the ends of the file or
        anywhere."""
        gaps = []
        # if each field has its own packet, half a frame, rounded, is not a gap
        near_by = self.duration * 3 / 4 if ends_only else _ROUNDED
        for start, stop in self.lost_packets(near_by):
            is_end = (self.packets[start] < self.stamps[0]
                      or self.packets[start] > self.stamps[-1])
            if ends_only and not is_end:
                continue
            following = (self.packets[stop] if stop < len(self.packets)
                         else self.packets[-1] + self.duration)
            gaps.append(self.gap(self.packets[start], following,
                                 stop - start))
        return gaps


def _shown(stamps: Integers, times: Integers, repeats: Sequence[int]
           ) -> Tuple[Integers, Integers]:
    """Returns timestamps and stream times of frames and of the @repeats
    without a frame."""
    more = numpy.array(repeats, numpy.int64)
    at = numpy.searchsorted(stamps, more)
    near = numpy.minimum(
        abs(more - stamps[numpy.maximum(at - 1, 0)]),
        abs(more - stamps[numpy.minimum(at, len(stamps) - 1)]))
    more, before = more[near > _ROUNDED], numpy.maximum(at - 1, 0)[
        near > _ROUNDED]
    joined = numpy.concatenate([stamps, more])
    order = numpy.argsort(joined, kind='stable')
    return joined[order], numpy.concatenate(
        [times, more + times[before] - stamps[before]])[order]


def find(frames: Iterable[Frame], rate: Optional[Sequence[int]],
         packets: Sequence[int], key: Optional[int] = None,
         repeats: Sequence[int] = (),
         clock: Optional[Clock] = None, resolution: float = 0) -> Found:
    """Finds gaps. @frames: all lines. @rate: the stream's fraction, or None.
    @packets: timestamps of the track's packets, in file order. @key: stream
    time of the first key frame, or None. @repeats: timestamps of packets that
    repeat the picture. @clock: of a demuxer that has changed timestamps;
    frames are then counted by the packets' timestamps. @resolution: of the
    container's timestamps, nanoseconds; 0 if they are exact."""
    table = numpy.fromiter(
        ((frame.timestamp, frame.timestamp if frame.stream_time is None
          else frame.stream_time, frame.duration or 0)
         for frame in frames if frame.timestamp is not None),
        [('stamp', numpy.int64), ('time', numpy.int64),
         ('duration', numpy.int64)])
    table.sort(order='stamp')
    stamps, times = table['stamp'], table['time']
    if not len(table):
        return Found([])
    sent = numpy.array(packets, numpy.int64)
    shown, shown_times = _shown(stamps, times, repeats)
    last = int(shown_times[-1])
    counted = stamps
    if clock:
        counted = numpy.sort(clock.shown(stamps))
        sent = clock.constant(sent)
        shown = clock.shown(shown)
        order = numpy.argsort(shown, kind='stable')
        shown, shown_times = shown[order], shown_times[order]
    distances = numpy.diff(shown)
    distances = distances[distances > 0]
    if len(distances) < 2:
        return Found([], None, int(table['duration'][0]), stamps, times,
                     int(times[-1] + table['duration'][-1]))
    duration = _duration(distances, rate)
    is_constant = _is_constant(distances, duration)
    if resolution and not is_constant:
        rounded = _duration(distances, rate, resolution)
        is_constant = _is_constant(distances, rounded, resolution)
        duration = rounded if is_constant else duration
    finder = _Finder(shown, shown_times, counted, sent, duration)
    leading = finder.leading(key)
    gaps = finder.by_stamps() if is_constant else []
    if len(finder.packets):
        gaps += finder.by_packets(is_constant)
    return Found(_joined(gaps), 'constant' if is_constant else 'variable',
                 round(duration), stamps, times, last + round(duration),
                 leading, finder.n_trailing)


@dataclass(frozen=True)
class SoundGap:
    """Missing packets of the sound. Times are nanoseconds of the stream on the
    demuxer's clock, which may be shifted after lost data."""
    start: int    # end of the packet before
    end: int      # start of the packet after them
    missing: int  # nanoseconds, by the timestamps in the packets


class _SoundGapFinder:
    """Follows the timestamps of packets of sound."""

    def __init__(self) -> None:
        self.gaps: List[SoundGap] = []
        self._next: Optional[int] = None  # expected start of the next packet
        self._demuxed = 0  # the same on the demuxer's clock
        self._since = 0  # packets since the last late or early one
        self._early = 0  # by how much it was early

    def add(self, time: int, duration: int, demuxed: int) -> None:
        """Adds the next packet. If it begins half a packet too late, there is
        a gap before it, unless a nearby packet is too early, or a later one by
        as much: the packets between them are all there, and only late.
        @demuxed: its time on the demuxer's clock."""
        late = 0 if self._next is None else time - self._next
        least = max(duration // 2, _SOUND_ROUNDED)
        before, self._demuxed = self._demuxed, demuxed + duration
        self._next = time + duration
        self._since += 1
        if abs(late) <= least:
            return
        is_near = self._since <= _NEAR
        self._since = 0
        early, self._early = (self._early if is_near else 0), 0
        if late < 0 and self.gaps and not early and (
                is_near or abs(self.gaps[-1].missing + late) <= least):
            self.gaps.pop()
        elif late < 0:
            self._early = early - late
        elif late - early > least:
            self.gaps.append(SoundGap(min(before, demuxed), demuxed, late))


class SoundGaps:
    """Finds missing packets of a track of sound. Times are nanoseconds of the
    stream."""

    def __init__(self) -> None:
        self._n_packets = 0
        self._duration = 0  # duration of the last packet that has one
        self._finder = _SoundGapFinder()
        # of packets without a duration
        self._starts: 'array[int]' = array('q')

    def add(self, time: int, duration: int,
            demuxed: Optional[int] = None) -> None:
        """Adds the next packet, in file order. @duration: 0 if unknown.
        @demuxed: its time on the demuxer's clock, if that differs."""
        self._n_packets += 1
        self._duration = duration or self._duration
        if self._duration == 0:
            self._starts.append(time)
        else:
            self._finder.add(time, self._duration,
                             time if demuxed is None else demuxed)

    def _without_durations(self) -> List[SoundGap]:
        """Finds gaps by the usual distance of packets. The packet after a
        shorter one is not early, unless it is by as much as one was late."""
        if len(self._starts) < 2:
            return []
        starts = numpy.array(self._starts, numpy.int64)
        distances = numpy.diff(starts)
        length = int(numpy.quantile(distances, _USUAL))
        finder = _SoundGapFinder()
        for start, distance in zip(self._starts, [*distances, length]):
            late = finder.gaps[-1].missing if finder.gaps else 0
            is_early = distance <= 0 or (
                late and abs(length - distance - late) <= _SOUND_ROUNDED)
            finder.add(start, length if is_early
                       else min(length, int(distance)), start)
        return finder.gaps

    def find(self) -> List[SoundGap]:
        """Returns gaps of at least half a packet. Returns none if timestamps
        do not follow from the packets."""
        found = self._finder.gaps + self._without_durations()
        return found if len(found) <= self._n_packets * _MOST_GAPS else []
