# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds missing frames in the timestamps of a stream, frame by frame. The
event `gap` of clframesum needs most frames to be there: it finds nothing in a
stream that has lost most of them. Here, reported damage is evidence, too."""
import math
from collections import deque
from dataclasses import dataclass
from typing import Deque, List, Optional

from clqc.live.judging.time_axis import AHEAD

# Frames whose distances decide about gaps, the least number of them before a
# gap, and those from which a rate is learnt.
_KNOWN = 64
_LEAST = 8
_LEARNT = 32

# A distance is a multiple of a duration if it differs by at most this share of
# the duration; frames are missing if there is room for this share of one.
_NEAR = 0.25
_ROOM = 0.75

# Shares of the distances: all of a constant rate are multiples of one
# duration. It is the duration of a frame if most distances are that long;
# fewer suffice while other damage is known.
_MULTIPLES = 0.9
_SINGLES = 2 / 3

# Share of the distances after a gap that are as long as a frame: with fewer,
# the rate has changed.
_AFTER = 0.5

# Frames around a distance that may make up for it: the frame was only late.
# GStreamer moves the timestamps of live sources to those of their arrival, and
# back within about this many frames.
_NEXT = 4
_NEXT_LIVE = 24

# Most frames from before a move of the timestamps that come after it, and
# nanoseconds by which the frames differ from the move.
_MOVED = 48
_UNEVEN = 500_000_000


@dataclass(frozen=True)
class Lost:
    """Missing frames."""
    frames: int
    duration: int  # their duration in nanoseconds


class MissingFrames:
    """Follows the timestamps of all frames that arrive, in nanoseconds."""

    def __init__(self) -> None:
        self._time: Optional[int] = None   # of the newest frame
        self._clock: Optional[int] = None  # its arrival
        self._distances: Deque[int] = deque(maxlen=_KNOWN)
        self._is_damaged: Deque[bool] = deque(maxlen=_NEXT_LIVE + 1)
        self._next = _NEXT
        self._named = 0  # duration of a frame by the caps; 0: unknown
        self._found = 0  # by the timestamps
        self._moved = 0  # frames among which timestamps move
        self._by = 0     # how far, at most

    def set_rate(self, numerator: int, denominator: int) -> None:
        """Sets the rate that the caps name; 0: none."""
        self._named = denominator * 10 ** 9 // numerator if numerator else 0
        self._found = 0
        self._distances.clear()

    def set_live(self) -> None:
        """Called if the source is live."""
        self._next = _NEXT_LIVE

    def move(self, change: int) -> None:
        """Called when a live source moves the timestamps of packets that
        arrive: the next distance that is too long, by at most @change, is a
        jump. The source may not have told so far that it is live."""
        self._by = max(change, self._by if self._moved else 0)
        self._moved = _MOVED

    @property
    def is_settled(self) -> bool:
        """Returns whether enough frames have arrived to know the rate."""
        return len(self._distances) >= _LEARNT

    @property
    def duration(self) -> int:
        """Returns the usual duration of a frame; 0: unknown."""
        return self._found or self._named

    @property
    def rate(self) -> Optional[float]:
        """Returns the frames per second that the timestamps keep; None if the
        rate is not constant, or not known yet."""
        return 1e9 / self._found if self._found else None

    def is_skip(self, time: int) -> bool:
        """Returns whether the next frame, at @time, comes later than usual;
        to be called before add()."""
        return bool(self._time is not None and self.duration and (
            time - self._time > (1 + _ROOM) * self.duration))

    def add(self, time: int, clock: Optional[int] = None,
            is_damaged: bool = False) -> Optional[Lost]:
        """Adds the next frame, which arrived at the time @clock of any clock.
        @is_damaged: whether damage of any kind was found lately. Returns what
        is missing before a frame that came a few frames ago."""
        last, self._time = self._time, time
        before, self._clock = self._clock, clock
        if last is None:
            return None
        distance = time - last
        passed = 0 if clock is None or before is None else clock - before
        if (distance <= 0 or distance > AHEAD + passed
                or self._is_moved(distance)):  # a jump
            self._distances.clear()
            return None
        self._distances.append(distance)
        self._is_damaged.append(is_damaged)
        self._learn()
        return self._judge()

    def _is_moved(self, distance: int) -> bool:
        """Returns whether the timestamps were moved before the newest
        frame."""
        if not self._moved or self._next != _NEXT_LIVE:
            return False
        is_jump = bool(self.duration) and (
            (1 + _ROOM) * self.duration < distance
            <= self.duration + self._by + _UNEVEN)
        self._moved = 0 if is_jump else self._moved - 1
        return is_jump

    def _share(self, duration: int, most: float, last: int = _KNOWN) -> float:
        """Returns the share of the @last distances that are 1 to @most
        multiples of a duration."""
        distances = list(self._distances)[-last:]
        near = [distance for distance in distances
                if 1 <= round(distance / duration) <= most
                and abs(distance / duration - round(distance / duration))
                <= _NEAR]
        return len(near) / len(distances)

    def _learn(self) -> None:
        """Finds the rate that most frames keep, which the caps need not name,
        and which may change."""
        recent = list(self._distances)[-_LEARNT:]
        if len(recent) < _LEARNT:
            return
        usual = sorted(recent)[_LEARNT // 2]
        single = [distance for distance in recent
                  if abs(distance - usual) <= _NEAR * usual]
        if len(single) >= _MULTIPLES * _LEARNT:
            self._found = sum(single) // len(single)

    def _judge(self) -> Optional[Lost]:
        """Judges the distance before the last frames."""
        duration = self.duration
        if not duration or len(self._distances) < _LEAST + self._next:
            return None
        around: List[int] = list(self._distances)[-_NEXT - self._next - 1:]
        room = around[_NEXT] / duration - 1
        if room < _ROOM or self._share(duration, 1e9) < _MULTIPLES:
            return None
        if not any(self._is_damaged) and (
                self._share(duration, 1) < _SINGLES
                or self._share(duration, 1, self._next) < _AFTER):
            return None
        left = sum(around) / duration - len(around) + 1 - _ROOM
        missing = min(round(room), math.floor(left))
        return Lost(missing, missing * duration) if missing > 0 else None
