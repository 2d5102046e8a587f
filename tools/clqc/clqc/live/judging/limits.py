# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges limits of the statistics of each frame, while frames arrive."""
from collections import deque
from typing import Any, Deque, List, Optional, Sequence, Tuple

from clqc.judging.rules import frame_statistics, wording
from clqc.judging.rules.detectors import NANOSECONDS
from clqc.judging.rules.model import FrameRule
from clqc.live.judging.events import HOLD, Recent
from clqc.live.judging.health import Fault
from clqc.results.result_files import Json

# A share is known after this duration of frames.
ENOUGH = 10 * NANOSECONDS


class _Share:
    """The share of recent frames that violate a limit, by seconds."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.seconds: Deque[List[int]] = deque()  # start, frames, broken

    def add(self, time: int, is_broken: bool) -> None:
        """Adds the next frame."""
        if not self.seconds or not (
                0 <= time - self.seconds[-1][0] < NANOSECONDS):
            self.seconds.append([time, 0, 0])
        self.seconds[-1][1] += 1
        self.seconds[-1][2] += is_broken
        while self.seconds[0][0] < time - self.window:
            self.seconds.popleft()

    def value(self) -> float:
        """Returns the share; 0 while too few frames are known."""
        if not self.seconds:
            return 0.0
        known = self.seconds[-1][0] - self.seconds[0][0]
        if known < min(ENOUGH, self.window - NANOSECONDS):
            return 0.0
        frames = sum(second[1] for second in self.seconds)
        return sum(second[2] for second in self.seconds) / frames


def _values(rule: FrameRule, line: Json) -> List[float]:
    """Returns the value of the frame, or the values of its zones; empty if
    unknown."""
    statistic = rule.statistic
    if statistic.field != 'outside':
        value: Any = statistic.of(line, 'zone-' if rule.is_of_zones else '')
        values = value if isinstance(value, list) else [value]
        return [one for one in values if one is not None]
    components = line['components']
    if statistic.component not in components or 'histogram' not in line:
        return []
    times = 1.0 if rule.is_native else 2.0 ** (line['depth'] - 8)
    return [frame_statistics.outside(
        line['histogram'][components.index(statistic.component)],
        rule.low * times, rule.high * times)]


class Limit:
    """One rule about the frames of one stream. Times are nanoseconds of
    Judging.now."""

    def __init__(self, rule: FrameRule, window: int) -> None:
        self.rule = rule
        self._share = _Share(window) if rule.share > 0 else None
        self._run: Optional[int] = None   # start of consecutive violations
        self._wrong: Optional[int] = None  # last violating frame
        self._message = ''
        self._unknown: List[Fault] = []

    def _broken(self, line: Json) -> Optional[str]:
        """Returns how the frame violates a limit."""
        rule, statistic = self.rule, self.rule.statistic
        values = _values(rule, line)
        if not values:
            self._unknown = [
                Fault(reason.rule, reason.severity, reason.message)
                for reason in wording.unknown(rule, line['format'],
                                              line['components'])]
            return None
        self._unknown = []
        scale = frame_statistics.scale(statistic, line['depth'],
                                       rule.is_native)
        unit = statistic.unit.name
        for value, limit, sign, word in (
                (max(values), rule.maximum, 1, 'above'),
                (min(values), rule.minimum, -1, 'below')):
            if limit is not None and sign * (value - limit * scale) > 0:
                zone = ' in a zone' if rule.is_of_zones else ''
                return (f'The {wording.name(rule)} is '
                        f'{wording.number(value, unit)}{zone}, {word} '
                        f'{wording.number(limit * scale, unit)}.')
        return None

    def frame(self, line: Json, start: int, end: int, recent: Recent) -> None:
        """Adds the next frame with its line and its time."""
        message = None
        if not any(recent.is_open(kind) for kind in self.rule.exempt):
            message = self._broken(line)
        if message is None:
            self._run = None
        elif self._run is None:
            self._run = start
        counts = self._run is not None and end - self._run >= (
            self.rule.duration)
        if self._share:
            self._share.add(start, counts)
        if counts:
            self._wrong = end
            self._message = message or ''

    def faults(self, now: int) -> Sequence[Fault]:
        """Returns the faults at the time @now."""
        if self._unknown:
            return self._unknown
        rule = self.rule
        if self._share:
            share = self._share.value()
            if share <= rule.share:
                return []
            return [Fault(
                rule.name, rule.severity,
                f'In {wording.number(share, "share")} of the frames of the '
                f'last {wording.seconds(self._share.window)} the '
                f'{wording.name(rule)} is beyond its limits; the limit is '
                f'{wording.number(rule.share, "share")}.')]
        if self._wrong is None or now - self._wrong > HOLD:
            return []
        return [Fault(rule.name, rule.severity, self._message)]


def statistics_of(line: Json) -> List[Tuple[str, float]]:
    """Returns the statistics of a line for outputs: the keys of signalstats,
    and the share outside the colour range."""
    return [(key, line[key]) for key in line
            if (key.isupper() or key == 'gamut')
            and isinstance(line[key], (int, float))]
