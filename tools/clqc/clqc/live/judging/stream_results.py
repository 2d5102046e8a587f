# SPDX-License-Identifier: LGPL-2.1-or-later
"""Follows the results of clframesum and level for one stream."""
import itertools
import json
import os
import select
import threading
from typing import Any, Callable, List, Optional

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.judging.rules.detectors import NANOSECONDS, SILENCE
from clqc.live.judging.counters import to_json
from clqc.live.judging.damage import Damage
from clqc.live.judging.event_times import EventTimes
from clqc.live.judging.events import SIGNAL_LOSS
from clqc.live.judging.judge import Judging, Rules, Silence
from clqc.live.judging.limits import statistics_of
from clqc.results.fields import check_version
from clqc.results.result_files import Json

# An event arrives right before the frame that caused it, if there is one; a
# signal-loss arrives as soon as that frame does, before the results of earlier
# frames.
_HOLD_MS = 20


def without_gaps(events: List[Json],
                 is_behind_gap: Callable[[Optional[int]], bool],
                 is_damaged: Callable[[Optional[int]], bool] = lambda _: False,
                 timeout: int = 0) -> List[Json]:
    """Drops events that begin and end with one frame because it arrives long
    after the previous one. This is not a frozen picture, and not a signal loss
    if @is_behind_gap returns that this process has dropped the frames before
    that timestamp, or if only the timestamps have a gap: by the clock, frames
    were missing for less than @timeout nanoseconds. A picture that jumps
    there, or that @is_damaged, is not a cut."""
    def is_brief(event: Json) -> bool:
        silence = event.get('silence')
        return silence is not None and silence < timeout
    events = [event for event in events if event['event'] != 'scene' or not (
        is_behind_gap(event.get('timestamp'))
        or is_damaged(event.get('timestamp')))]
    kinds = [event['event'] for event in events if event['event'] != 'scene']
    gaps = ['freeze', *(
        event['event'] for event in events if event['event'] == 'signal-loss'
        and event['state'] == 'end' and (
            is_behind_gap(event.get('timestamp')) or is_brief(event)))]
    return [event for event in events if event['event'] not in gaps
            or kinds.count(event['event']) < 2]


class StreamResults:
    """Follows the lines of clframesum and the levels of the sound. @say
    receives the events, then on_event; `line` is the LivePipeline. Both are
    set before the first frame."""

    def __init__(self, rules: Rules, say: Callable[[Json], None],
                 clock: Clock = REAL) -> None:
        self.say = say
        self.on_event: Callable[[Json], None] = lambda line: None
        self.clock = clock
        self.damage = Damage(rules.stream, rules.live.window, self._on_damage,
                             self._on_gap, clock)
        # protects `silence`; taken before `lock`
        self.hearing = threading.Lock()
        self.lock = threading.Lock()  # protects the members below
        self.judging = Judging(rules)
        self.silence = Silence(rules.audio.get('silence-level', -60.0),
                               int(rules.audio.get('silence-duration', 2e9)))
        self.of_pictures = EventTimes()
        self.of_sound = EventTimes()
        self.frame: Optional[Json] = None
        self.n_frames = 0
        self.behind = 0.0
        self.line: Any = None
        self.error: Optional[ClqcError] = None  # of a line
        self._numbers = itertools.count()  # of events
        # Used by the reading thread only.
        self.held: List[Json] = []
        self.is_lost = False  # the signal is lost, and this was reported

    def read(self, descriptor: int) -> None:
        """Reads lines until clframesum closes its file."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        rest = b''
        while True:
            if self.held and not poll.poll(_HOLD_MS):
                self._release()
            data = os.read(descriptor, 1 << 16)
            if not data:
                self._release()
                os.close(descriptor)
                return
            *lines, rest = (rest + data).split(b'\n')
            for text in lines:
                try:
                    self._on_line(json.loads(text))
                except ClqcError as error:
                    self.error = error

    def _on_line(self, line: Json) -> None:
        if 'schema' in line:
            check_version(line['schema'], 'the plugin opencl')
        if line['type'] == 'event':
            self.held.append(line)
        elif line['type'] == 'frame':
            self._release()
            self._on_frame(line)

    def _release(self) -> None:
        for event in without_gaps(
                self.held, self.line.is_behind_gap, self.line.is_damaged,
                self.judging.rules.live.signal_loss):
            if self._is_reported(event):
                self.event(event)
        self.held = []

    def _is_reported(self, event: Json) -> bool:
        """Returns whether to report an event. A stream without a frame so far
        is not connected, and has lost no signal that could return."""
        if event['event'] != SIGNAL_LOSS:
            return True
        is_start = event['state'] == 'start'
        is_reported = self.n_frames > 0 if is_start else self.is_lost
        self.is_lost = is_start and is_reported
        return is_reported

    def _on_frame(self, line: Json) -> None:
        now = self.line.now()
        with self.lock:
            self.judging.frame(line, now)
            self.of_pictures.arrive(self.judging.newest, self.line.arrival(
                line.get('timestamp'), self.clock.now()))
            self.frame = line
            self.n_frames += 1
            self.behind = self._age(now, line['running-time'])
        self.line.real_time.begin()

    def _age(self, now: Optional[int], time_of: Optional[int]) -> float:
        """Returns the seconds since a running time of frames."""
        if now is None or time_of is None:
            return 0.0
        return float(max(0, now - time_of - self.line.real_time.offset) / 1e9)

    def _on_damage(self, line: Json) -> None:
        with self.lock:
            self.judging.event(line)
        self._tell(line)

    def _tell(self, line: Json) -> None:
        """Reports an event with a number, which its picture has, too."""
        line = {**line, 'number': next(self._numbers)}
        self.say(line)
        self.on_event(line)

    def _on_gap(self, duration: int) -> None:
        with self.lock:
            self.judging.gap(duration)

    def event(self, line: Json) -> None:
        """Handles an event of the picture or of the sound."""
        now, kind = self.clock.now(), line['event']
        with self.lock:
            event_times = (self.of_sound if kind == SILENCE
                           else self.of_pictures)
            span = self.judging.event(line)
            if line['state'] == 'start':
                moment = event_times.begin(kind, span.start, now,
                                           kind == SIGNAL_LOSS)
            else:
                waited = line.get('silence')  # by the clock of clframesum
                moment, duration = event_times.end(kind, span.end, now, (
                    span.duration if waited is None else waited) / NANOSECONDS)
                line = {**line, 'duration': round(duration * NANOSECONDS)}
        self._tell({**line, 'ago': round(now - moment, 3)})

    def level(self, start: int, end: int, rms: float) -> None:
        """Handles a level of the sound."""
        with self.hearing:
            for event in self.silence.add(start, end, rms,
                                          self.judging.now):
                self.event(event)
            self.of_sound.arrive(self.silence.now, self.clock.now())

    def no_level(self) -> None:
        """Detects missing sound while there are pictures: that is silence."""
        with self.hearing:
            for event in self.silence.missing(self.judging.now):
                self.event(event)

    def check(self) -> None:
        """Looks for damage; called several times a second."""
        self.line.check()
        facts = self.line.facts() if self.judging.rules.container else {}
        with self.lock:
            if facts and self.frame:
                facts['video'].update(
                    depth=self.frame['depth'],
                    range='full' if self.frame.get('full-range') else
                    'limited')
            self.judging.facts = facts

    def status(self) -> Json:
        """Returns the current status."""
        damaged, lasted = self.damage.faults(), self.damage.lasted()
        with self.lock:
            frame = self.frame or {}
            position = frame.get('stream-time')
            return {
                'type': 'status', 'frames': self.n_frames,
                'dropped': self.line.n_lost,
                'behind': round(self.behind, 3) if self.n_frames else None,
                'position': None if position is None else position / 1e9,
                'statistics': dict(statistics_of(frame)),
                'rate': self.damage.rate(),
                'counts': to_json(self.damage.counts()),
                'faults': [fault.to_status() for fault in (
                    *damaged, *self.judging.faults(lasted))]}
