# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a policy says to a stream at each moment. It is made of the lines of
clframesum and of the levels of the sound, without GStreamer."""
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List

from ..results import Json
from ..rules.detectors import SILENCE
from ..rules.figures import FIGURES
from ..rules.model import EventRule, FrameRule, Live
from .events import SIGNAL_LOSS, Recent, is_live, judge
from .health import Fault
from .limits import Limit

if TYPE_CHECKING:  # needs what the process that decodes may not have
    from ..policy import Policy


@dataclass(frozen=True)
class Rules:
    """The part of a policy that is about streams. The process that decodes
    gets it as JSON: its Python may lack what policies are read with."""
    frames: List[FrameRule] = field(default_factory=list)
    events: List[EventRule] = field(default_factory=list)
    live: Live = Live()
    measure: Dict[str, str] = field(default_factory=dict)
    audio: Dict[str, float] = field(default_factory=dict)

    @staticmethod
    def of(policy: 'Policy') -> 'Rules':
        """Those of a policy."""
        return Rules(policy.frames, list(filter(is_live, policy.events)),
                     policy.live, policy.measure, policy.audio)

    def flags(self) -> List[str]:
        """The statistics of clframesum that the rules need."""
        return sorted({rule.figure.flag for rule in self.frames})

    def to_json(self) -> Json:
        """What from_json() takes."""
        return {**asdict(self), 'frames': [
            {**asdict(rule), 'figure': rule.figure.key}
            for rule in self.frames]}

    @staticmethod
    def from_json(data: Json) -> 'Rules':
        """Those of which to_json() was made."""
        def listed(row: Json) -> Any:
            return {**row, 'exempt': tuple(row['exempt'])}
        return Rules(
            [FrameRule(**listed({**row, 'figure': FIGURES[row['figure']]}))
             for row in data['frames']],
            [EventRule(**listed(row)) for row in data['events']],
            Live(**data['live']), data['measure'], data['audio'])


def left_out(policy: 'Policy') -> List[str]:
    """Rules that need the ends of a file, or the whole of it."""
    return sorted({rule.name for rule in policy.pooled}
                  | {rule.name for rule in policy.container}
                  | {f'{rule.name} at = "{rule.place}"'
                     for rule in policy.events if not is_live(rule)})


class Judging:
    """Follows one stream. Times are nanoseconds of running time."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.recent = Recent(rules.live.window)
        self.limits = [Limit(rule, rules.live.window)
                       for rule in rules.frames]
        self.now = 0  # the end of the newest frame

    def frame(self, line: Json) -> None:
        """A line of the type `frame`."""
        start = line['running-time']
        if start is None:
            start = self.now
        end = start + (line['duration'] or 0)
        self.now = max(self.now, end)
        for limit in self.limits:
            limit.frame(line, start, end, self.recent)
        self.recent.forget(self.now)

    def event(self, line: Json) -> None:
        """A line of the type `event`, or one that sound.py has made."""
        kind, time = line['event'], line['running-time']
        time = self.now if time is None else time
        if kind == 'scene':
            self.recent.end(kind, time, time)
        elif line['state'] == 'start':
            self.recent.start(kind, time)
        else:
            start = line['start-running-time']
            self.recent.end(kind, time if start is None else start, time)

    def faults(self) -> List[Fault]:
        """What is wrong now."""
        faults: List[Fault] = []
        if self.recent.is_open(SIGNAL_LOSS):
            faults.append(Fault('live.signal-loss', 'error',
                                'No frames arrive.'))
        for limit in self.limits:
            faults += limit.faults(self.now)
        for rule in self.rules.events:
            faults += judge(rule, self.recent, self.now)
        return faults


# Sound may come so much later than pictures of the same time, nanoseconds.
_OVERDUE = 2_000_000_000


class Silence:
    """Finds the event `silence` in the levels of the sound while they come.
    Times are nanoseconds of running time."""

    def __init__(self, level: float, least: int) -> None:
        self.level = level  # dB of full scale
        self.least = least
        self._start: int = 0
        self._last: int = 0
        self._is_open = False

    def add(self, start: int, end: int, rms: float) -> List[Json]:
        """The RMS of the loudest channel, in dB. Returns lines as clframesum
        has them for its events."""
        self._last = end
        if rms < self.level:
            return self._lasts(end)
        found = self._ends(start)
        self._start = end
        return found

    def missing(self, now: int) -> List[Json]:
        """There are pictures until @now, and sound that is long overdue:
        that is silence, too."""
        return self._lasts(now) if now - self._last > _OVERDUE else []

    def _lasts(self, now: int) -> List[Json]:
        if self._is_open or now - self._start < self.least:
            return []
        self._is_open = True
        return [{'type': 'event', 'event': SILENCE, 'state': 'start',
                 'running-time': self._start}]

    def _ends(self, end: int) -> List[Json]:
        if not self._is_open:
            return []
        self._is_open = False
        return [{'type': 'event', 'event': SILENCE, 'state': 'end',
                 'running-time': end, 'start-running-time': self._start,
                 'duration': end - self._start}]
