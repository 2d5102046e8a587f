# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges a stream at each moment by a policy, from the lines of clframesum and
the levels of the sound, without GStreamer."""
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional

from clqc.judging.rules import container
from clqc.judging.rules.detectors import GAP, SILENCE
from clqc.judging.rules.model import (ContainerRule, EventRule, FrameRule,
                                      Live, StreamRule)
from clqc.judging.rules.schema import OF_FILES
from clqc.judging.rules.time_spans import Span
from clqc.live.judging.events import SIGNAL_LOSS, Recent, is_live, judge
from clqc.live.judging.health import Fault
from clqc.live.judging.limits import Limit
from clqc.live.judging.time_axis import TimeAxis
from clqc.results.result_files import Json

if TYPE_CHECKING:  # needs packages that the decoding process may not have
    from clqc.judging.policy import Policy


# Default for capture cards: a card without a signal shows the same picture
# with the noise of its converter. docs/live.md has measurements.
_OF_CARDS = {'freeze-noise': '0.003'}


@dataclass(frozen=True)
class Rules:
    """The part of a policy for streams. The decoding process gets it pickled,
    because its Python may lack the packages that read policies."""
    frames: List[FrameRule] = field(default_factory=list)
    events: List[EventRule] = field(default_factory=list)
    container: List[ContainerRule] = field(default_factory=list)
    stream: List[StreamRule] = field(default_factory=list)
    live: Live = Live()
    measure: Dict[str, str] = field(default_factory=dict)
    audio: Dict[str, float] = field(default_factory=dict)

    @staticmethod
    def of(policy: 'Policy', is_card: bool = False) -> 'Rules':
        """Returns the rules of a policy, for a stream from a capture card or
        for others."""
        usual = {key: value for key, value in _OF_CARDS.items() if is_card
                 and key in policy.measure and key not in policy.named}
        measure = {**policy.measure, **usual}
        measure.pop('zone-events', None)
        return Rules(policy.frames, list(filter(is_live, policy.events)),
                     [rule for rule in policy.container
                      if rule.key not in OF_FILES],
                     policy.stream, policy.live, measure, policy.audio)

    def flags(self) -> List[str]:
        """Returns the statistics of clframesum that the rules need."""
        return sorted({rule.statistic.flag for rule in self.frames})


def left_out(policy: 'Policy') -> List[str]:
    """Returns the rules that need the ends of a file, or the whole file."""
    return sorted({rule.name for rule in policy.pooled}
                  | {rule.name for rule in policy.container
                     if rule.key in OF_FILES}
                  | {rule.name for rule in policy.completeness}
                  | {rule.name if rule.place == 'anywhere' else
                     f'{rule.name} at = "{rule.place}"'
                     for rule in policy.events if not is_live(rule)})


class Judging:
    """Judges one stream. Times are nanoseconds on an axis without jumps."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.recent = Recent(rules.live.window)
        self.limits = [Limit(rule, rules.live.window)
                       for rule in rules.frames]
        self.facts: Json = {}  # about the stream, for rules.container
        self._axis = TimeAxis()

    @property
    def now(self) -> int:
        """Returns the end of the newest frame."""
        return self._axis.now

    @property
    def newest(self) -> int:
        """Returns the start of the newest frame."""
        return self._axis.start

    def frame(self, line: Json, clock: Optional[int] = None) -> None:
        """Adds a line of the type `frame`, with its arrival time by any clock.
        """
        start = line['running-time']
        if start is None:
            start = self.now - self._axis.offset
        start, end = self._axis.add(start, start + (line['duration'] or 0),
                                    clock)
        for limit in self.limits:
            limit.frame(line, start, end, self.recent)
        self.recent.forget(self.now)

    def event(self, line: Json) -> Span:
        """Adds a line of the type `event`, or an event of Silence. Returns its
        times so far."""
        kind = line['event']

        def place(time: int) -> int:
            # Silence has an axis of its own, which is like this one.
            return time if kind == SILENCE else self._axis.of(time)
        time = line.get('running-time')
        time = self.now if time is None else place(time)
        if kind == 'scene':
            return self.recent.end(kind, time, time, self.now)
        if line['state'] == 'start':
            self.recent.start(kind, time)
            return Span(time, time)
        if kind == GAP:
            self.recent.close(kind)
            return Span(time, time)
        start = line['start-running-time']
        start = time if start is None else place(start)
        return self.recent.end(kind, start, time, self.now)

    def gap(self, duration: int) -> None:
        """Adds missing frames, which rules count one by one; several gaps may
        be one event."""
        self.recent.add(GAP, max(0, self.now - duration), self.now)

    def faults(self, lasted: Mapping[str, float] = MappingProxyType({})
               ) -> List[Fault]:
        """Returns the current faults. @lasted: how many seconds the errors of
        an event have lasted so far, for kinds that stay open longer."""
        faults: List[Fault] = []
        if self.recent.is_open(SIGNAL_LOSS):
            faults.append(Fault('live.signal-loss', 'error',
                                'No frames arrive.'))
        for limit in self.limits:
            faults += limit.faults(self.now)
        for form in self.rules.container if self.facts else ():
            faults += [Fault(reason.rule, reason.severity, reason.message)
                       for reason in container.judge(form, self.facts)]
        for rule in self.rules.events:
            faults += judge(rule, self.recent, self.now,
                            lasted.get(rule.kind))
        return faults


# After this many nanoseconds of picture without sound, the sound is missing.
_OVERDUE = 2_000_000_000

# Maximum counted step of the picture: if the picture stopped and continues, as
# after a signal loss, the sound need not be missing.
_MOST_OF_A_STEP = 1_000_000_000


class Silence:
    """Detects the event `silence` in the levels of the sound. Times are
    nanoseconds; @shown is the end of the newest picture by Judging.now. There
    is no silence before the first sound. The running times of its events are
    on an axis without jumps, as Judging.now is."""

    def __init__(self, level: float, least: int) -> None:
        self.level = level  # dB of full scale
        self.least = least
        self._axis = TimeAxis()
        self._start: Optional[int] = None  # end of the last sound
        self._shown = 0  # at the last check
        self._away = 0   # duration of the picture since the last sound
        self._is_open = False

    def add(self, start: int, end: int, rms: float,
            shown: int) -> List[Json]:
        """Adds the RMS of the loudest channel, in dB, with its running time.
        Returns events as lines like those of clframesum. Sound that was
        missing continues by the time of the picture: the sender may have left
        out the time, too."""
        was_missing = self._is_overdue(shown)
        start, end = self._axis.add(start, end, shown, was_missing)
        self._shown, self._away = shown, 0
        if self._start is None:
            self._start = start
        if rms < self.level:
            return self._lasts(self._start, end)
        found = self._ends(self._start, start)
        self._start = end
        return found

    def missing(self, shown: int) -> List[Json]:
        """Detects overdue sound while there are pictures until @shown: that is
        silence, too. Called several times a second."""
        if self._start is None or not self._is_overdue(shown):
            return []
        return self._lasts(self._start, self._axis.now + self._away)

    @property
    def now(self) -> int:
        """Returns the end of the newest sound."""
        return self._axis.now

    def _is_overdue(self, shown: int) -> bool:
        """Returns whether the picture has continued without sound."""
        self._away += min(shown - self._shown, _MOST_OF_A_STEP)
        self._shown = shown
        return self._away > _OVERDUE

    def _lasts(self, start: int, now: int) -> List[Json]:
        if self._is_open or now - start < self.least:
            return []
        self._is_open = True
        return [{'type': 'event', 'event': SILENCE, 'state': 'start',
                 'running-time': start}]

    def _ends(self, start: int, end: int) -> List[Json]:
        if not self._is_open:
            return []
        self._is_open = False
        return [{'type': 'event', 'event': SILENCE, 'state': 'end',
                 'running-time': end, 'start-running-time': start,
                 'duration': end - start}]
