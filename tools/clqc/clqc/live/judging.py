# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a policy says to a stream at each moment. It is made of the lines of
clframesum and of the levels of the sound, without GStreamer."""
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from ..results import Json
from ..rules.detectors import SILENCE
from ..rules.figures import FIGURES
from ..rules.model import EventRule, FrameRule, Live
from .axis import Axis
from .events import SIGNAL_LOSS, Recent, is_live, judge
from .health import Fault
from .limits import Limit

if TYPE_CHECKING:  # needs what the process that decodes may not have
    from ..policy import Policy


# What a policy that does not name it has for cards: one without a signal shows
# the same picture with the noise of its converter. docs/live.md has figures.
_OF_CARDS = {'freeze-noise': '0.003'}


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
    def of(policy: 'Policy', is_card: bool = False) -> 'Rules':
        """Those of a policy, for a stream from a card or for others."""
        usual = {key: value for key, value in _OF_CARDS.items() if is_card
                 and key in policy.measure and key not in policy.named}
        return Rules(policy.frames, list(filter(is_live, policy.events)),
                     policy.live, {**policy.measure, **usual}, policy.audio)

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
                  | {rule.name for rule in policy.whole}
                  | {rule.name if rule.place == 'anywhere' else
                     f'{rule.name} at = "{rule.place}"'
                     for rule in policy.events if not is_live(rule)})


class Judging:
    """Follows one stream. Times are nanoseconds, on an axis without jumps."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.recent = Recent(rules.live.window)
        self.limits = [Limit(rule, rules.live.window)
                       for rule in rules.frames]
        self._axis = Axis()

    @property
    def now(self) -> int:
        """The end of the newest frame."""
        return self._axis.now

    def frame(self, line: Json, clock: Optional[int] = None) -> None:
        """A line of the type `frame`, and when it came by any clock."""
        start = line['running-time']
        if start is None:
            start = self.now - self._axis.offset
        start, end = self._axis.add(start, start + (line['duration'] or 0),
                                    clock)
        for limit in self.limits:
            limit.frame(line, start, end, self.recent)
        self.recent.forget(self.now)

    def event(self, line: Json) -> None:
        """A line of the type `event`, or one that Silence has made."""
        kind, time = line['event'], line['running-time']
        time = self.now if time is None else self._axis.of(time)
        if kind == 'scene':
            self.recent.end(kind, time, time)
        elif line['state'] == 'start':
            self.recent.start(kind, time)
        else:
            start = line['start-running-time']
            start = time if start is None else self._axis.of(start)
            self.recent.end(kind, start, max(start, time))

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


# After so much of the picture without sound, sound stays away: nanoseconds.
_OVERDUE = 2_000_000_000

# So much of a step of the picture counts at most: where it stood still and
# goes on, as after a loss of the signal, sound need not have stayed away.
_MOST_OF_A_STEP = 1_000_000_000


class Silence:
    """Finds the event `silence` in the levels of the sound while they come.
    Times are nanoseconds, @shown the end of the newest picture by
    Judging.now. There is no silence in front of the first sound."""

    def __init__(self, level: float, least: int) -> None:
        self.level = level  # dB of full scale
        self.least = least
        self._axis = Axis()
        self._start: Optional[int] = None  # the end of what was heard last
        self._shown = 0  # at the last look
        self._away = 0   # how much of the picture came since the last sound
        self._is_open = False

    def add(self, start: int, end: int, rms: float,
            shown: int) -> List[Json]:
        """The RMS of the loudest channel, in dB, with its running time.
        Returns lines as clframesum has them for its events."""
        start, end = self._axis.add(start, end, shown)
        self._shown, self._away = shown, 0
        if self._start is None:
            self._start = start
        if rms < self.level:
            return self._lasts(self._start, end)
        found = self._ends(self._start, start)
        self._start = end
        return found

    def missing(self, shown: int) -> List[Json]:
        """There are pictures until @shown, and sound that is long overdue:
        that is silence, too. To be asked some times a second."""
        self._away += min(shown - self._shown, _MOST_OF_A_STEP)
        self._shown = shown
        if self._start is None or self._away <= _OVERDUE:
            return []
        return self._lasts(self._start, self._axis.now + self._away)

    def _lasts(self, start: int, now: int) -> List[Json]:
        if self._is_open or now - start < self.least:
            return []
        self._is_open = True
        return [{'type': 'event', 'event': SILENCE, 'state': 'start',
                 'running-time': start - self._axis.offset}]

    def _ends(self, start: int, end: int) -> List[Json]:
        if not self._is_open:
            return []
        self._is_open = False
        return [{'type': 'event', 'event': SILENCE, 'state': 'end',
                 'running-time': end - self._axis.offset,
                 'start-running-time': start - self._axis.offset,
                 'duration': end - start}]
