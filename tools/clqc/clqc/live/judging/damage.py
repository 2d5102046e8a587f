# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the damage of a stream, reports it as events, and judges it."""
import threading
from collections import deque
from typing import Callable, Deque, Dict, List, Optional, Sequence, Tuple

from clqc.common.clock import REAL, Clock
from clqc.judging.rules import stream_damage
from clqc.judging.rules.detectors import (DECODE_ERROR, GAP, NANOSECONDS,
                                          TRANSPORT_ERROR)
from clqc.judging.rules.model import StreamRule
from clqc.live.judging.counters import Counts, zero
from clqc.live.judging.health import Fault
from clqc.results.result_files import Json

# The kinds of events, and their field with the number of errors.
EVENTS = {TRANSPORT_ERROR: 'errors', DECODE_ERROR: 'errors', GAP: 'frames'}

# Least seconds between two entries of a window, of which there are about this
# many.
_STEP = 1.0
_ENTRIES = 120

# Seconds of the measured frame rate.
_RATE_SECONDS = 10.0

# Damage is recent for this many seconds.
_RECENT = 2.0

# Seconds from the first frame on in which damage is only counted: the receiver
# may have lost datagrams while the pipeline was built.
ENTRY = 2.0

# Seconds without another error after which an event ends.
_HOLD = 2.0


class ErrorEvent:
    """Errors of one kind that follow each other, as one event: a damaged
    stream may have hundreds of them a second. Times are seconds of a clock
    that does not jump. @unit: the field with the number of errors."""

    def __init__(self, kind: str, unit: str) -> None:
        self.kind = kind
        self.unit = unit
        self._count = 0
        self._start = self._end = 0.0

    def _line(self, state: str, ago: float) -> Json:
        """Returns a line like those of clframesum."""
        return {'type': 'event', 'event': self.kind, 'state': state,
                'running-time': None, 'ago': round(max(0.0, ago), 3),
                self.unit: self._count}

    @property
    def lasted(self) -> float:
        """Returns the seconds from the first error to the last one so far."""
        return self._end - self._start

    def add(self, now: float, count: int, duration: float = 0.0
            ) -> List[Json]:
        """Adds @count errors that were found now and lasted for @duration
        seconds. Returns the lines of events that begin or end."""
        lines = self.tick(now)
        self._end = now
        self._count += count
        if self._count == count:
            self._start = now - duration
            lines.append(self._line('start', duration))
        return lines

    def tick(self, now: float) -> List[Json]:
        """Returns the line of an event that has ended."""
        if not self._count or now - self._end <= _HOLD:
            return []
        line = {**self._line('end', now - self._end),
                'start-running-time': None,
                'duration': round((self._end - self._start) * NANOSECONDS)}
        self._count = 0
        return [line]


def _difference(new: Counts, old: Counts) -> Counts:
    return {key: {kind: count - old[key][kind]
                  for kind, count in of_kind.items()}
            for key, of_kind in new.items()}


class Damage:
    """The damage of one stream. Any thread. @report receives lines like those
    of clframesum about events, @on_gap the duration of missing frames in
    nanoseconds."""

    def __init__(self, rules: Sequence[StreamRule], window: int,
                 report: Callable[[Json], None],
                 on_gap: Callable[[int], None], clock: Clock = REAL) -> None:
        # of several rules about one key, the first broken one is a fault
        keys = list(stream_damage.ROWS)
        self.rules = sorted(rules, key=lambda rule: (
            rule.severity != 'error', keys.index(rule.key)))
        self.window = window / NANOSECONDS
        self._report = report
        self._on_gap = on_gap
        self._clock = clock
        self._lock = threading.Lock()
        self._counts = zero()
        self._events = {
            kind: ErrorEvent(kind, unit) for kind, unit in EVENTS.items()}
        self._frames = 0    # that arrived
        self._ticked = 0.0  # at this time
        self._entry: Optional[float] = None  # when the first one did
        self._is_entered = False
        self._found = -1.0  # when damage was found; below 0: never
        # Time, counts and frames, from before the window on.
        self._past: Deque[Tuple[float, Counts, int]] = deque(
            [(clock.now(), zero(), 0)])
        self._step = max(_STEP, self.window / _ENTRIES)
        self._arrived: Deque[Tuple[float, int]] = deque()  # times and frames

    @property
    def is_recent(self) -> bool:
        """Returns whether damage was found lately."""
        return self.is_damaged and (
            self._clock.now() - self._found < _RECENT)

    @property
    def is_damaged(self) -> bool:
        """Returns whether damage was found at all."""
        return self._found >= 0

    def counts(self) -> Counts:
        """Returns all counts since the start."""
        with self._lock:
            return {key: dict(of_kind)
                    for key, of_kind in self._counts.items()}

    def add(self, event: str, kind: str = '', count: int = 1,
            duration: int = 0) -> None:
        """Counts missing frames (GAP) with their duration in nanoseconds, or a
        packet with errors (DECODE_ERROR) of a kind of track."""
        key = 'missing-frames' if event == GAP else 'decode-errors'
        with self._lock:
            self._counts[key][kind] += count
            lines = self._join(event, count, duration)
            is_gap = event == GAP and self._is_entered
        for line in lines:
            self._report(line)
        if is_gap:  # a part of the event that has begun
            self._on_gap(duration)

    def _join(self, event: str, count: int, duration: int = 0) -> List[Json]:
        """Adds errors to an event. Called with the lock held."""
        self._found = now = self._clock.now()
        return self._events[event].add(
            now, count, duration / NANOSECONDS) if self._is_entered else []

    def set_transport(self, counts: Counts) -> None:
        """Sets the counts of packets. New errors of the transport stream, and
        new lost packets of RTP, are an event."""
        with self._lock:
            new = {key: counts[key] for key in
                   ('packets', 'lost-packets', 'transport-errors')}
            old = {key: self._counts[key] for key in new}
            change = _difference(new, old)
            self._counts.update({key: dict(of_kind)
                                 for key, of_kind in new.items()})
            errors = max(0, sum(change['transport-errors'].values())
                         + change['lost-packets']['rtp'])
            lines = self._join(TRANSPORT_ERROR, errors) if errors else []
        for line in lines:
            self._report(line)

    def tick(self, frames: int) -> None:
        """Called several times a second, with the number of frames that have
        arrived: ends events, and moves the window."""
        now = self._clock.now()
        with self._lock:
            lines = [line for event in self._events.values()
                     for line in event.tick(now)]
            self._frames, self._ticked = frames, now
            if not self._is_entered:
                self._enter(now)
            if now - self._past[-1][0] >= self._step:
                self._past.append((now, {
                    key: dict(of_kind)
                    for key, of_kind in self._counts.items()}, frames))
            while len(self._past) > 1 and self._past[1][0] <= (
                    now - self.window):
                self._past.popleft()
            if self._is_entered and (not self._arrived or (
                    now - self._arrived[-1][0] >= _STEP)):
                self._arrived.append((now, frames))
            while len(self._arrived) > 1 and self._arrived[1][0] <= (
                    now - _RATE_SECONDS):
                self._arrived.popleft()
        for line in lines:
            self._report(line)

    def _enter(self, now: float) -> None:
        """Lets the window begin when the stream has been entered."""
        if self._frames and self._entry is None:
            self._entry = now
        self._is_entered = (self._entry is not None
                            and now - self._entry >= ENTRY)
        self._past.clear()
        self._past.append((now, {
            key: dict(of_kind) for key, of_kind in self._counts.items()},
            self._frames))

    def rate(self) -> Optional[float]:
        """Returns the frames per second that have arrived in the last seconds;
        None if too little is known."""
        with self._lock:
            if not self._arrived:
                return None
            start, frames = self._arrived[0]
            known = self._ticked - start
            return None if known < _STEP else round(
                (self._frames - frames) / known, 2)

    def lately(self) -> str:
        """Returns which share of the packets was lost in the window, or
        before the first frame, as the end of a sentence; empty if none."""
        with self._lock:
            change = _difference(self._counts, self._past[0][1]
                                 if self._is_entered else zero())
        lost, all_of = stream_damage.lost_packets(change)
        return (f'; {lost / all_of * 100:.3g} % of its packets were lost'
                if lost else '')

    def lasted(self) -> Dict[str, float]:
        """Returns the seconds from the first error to the last one of the
        newest event of each kind."""
        with self._lock:
            return {kind: event.lasted
                    for kind, event in self._events.items()}

    def faults(self) -> List[Fault]:
        """Returns the current faults."""
        with self._lock:
            now = self._clock.now()
            start, counts, frames = self._past[0]
            change = _difference(self._counts, counts)
            frames = self._frames - frames
        found: Dict[str, Fault] = {}
        for rule in self.rules:
            message = stream_damage.judge(rule, change, frames, now - start,
                                          self.window)
            if message:
                found.setdefault(rule.name, Fault(rule.name, rule.severity,
                                                  message))
        return list(found.values())
