# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch: follows streams until it is stopped or all have ended."""
import base64
import threading
from dataclasses import dataclass
from queue import Empty
from typing import Callable, Dict, List, Optional, Sequence

from ..clock import REAL, Clock
from ..results import Json
from .health import Fault, Health
from .judging import Rules
from .outputs import Output
from .sources import Stream
from .state import State, event_message
from .stream import Inbox, Runner, end_all

# Messages of processes that are queued for outputs; beyond it, processes block
# and drop frames, which they count.
_MOST_MESSAGES = 10_000

_TICK = 0.25  # seconds


@dataclass(frozen=True)
class Options:
    """Options of watching. Times are seconds."""
    rules: Rules
    unhealthy_after: float
    healthy_after: float
    interval: float = 1.0
    stall: float = 10.0
    loops: bool = False
    seconds: Optional[float] = None  # duration of the watch
    # rules for capture cards, if they differ
    card_rules: Optional[Rules] = None
    pictures: bool = False  # outputs receive pictures of events

    def rules_of(self, stream: Stream) -> Rules:
        """Returns the rules for the stream."""
        return self.card_rules or self.rules if stream.is_card else self.rules


class Watch:
    """All watched streams. One thread reads the messages of their processes
    and calls the outputs, with `lock` held for outputs that other threads
    read."""

    def __init__(self, streams: Sequence[Stream], options: Options,
                 outputs: Sequence[Output], clock: Clock = REAL) -> None:
        self.options = options
        self.clock = clock
        self.outputs = outputs
        self.lock = threading.RLock()
        self.states = [
            State(stream, Health(options.unhealthy_after,
                                 options.healthy_after), clock=clock)
            for stream in streams]
        self._inbox: Inbox = Inbox(_MOST_MESSAGES)
        self._runners = [
            Runner(number, stream, options.rules_of(stream), self._inbox,
                   options.interval, options.stall, options.loops,
                   clock=clock, pictures=options.pictures)
            for number, stream in enumerate(streams)]
        self._n_open = len(streams)
        self._on_message: Dict[str, Callable[[State, Json], None]] = {
            'form': self._on_form, 'source': self._on_source,
            'waits': self._on_waits, 'event': self._on_event,
            'picture': self._on_picture, 'status': self._on_status,
            'closed': self._on_closed}

    # --- what processes say ---

    def _report_change(self, state: State) -> None:
        for output in self.outputs:
            output.changed(state)

    def _judge(self, state: State, is_new: bool = False) -> None:
        """Judges a stream; calls the outputs if the state has changed, or if
        @is_new."""
        faults: List[Fault] = list(state.faults)
        if state.connection in ('waiting', 'failed'):
            why = state.error.rstrip('.')
            faults.insert(0, Fault('live.connection', 'error',
                                   f'Not connected: {why}.'))
        if not state.is_judged:
            if is_new:
                self._report_change(state)
            return
        before = state.health.healthy
        is_changed = state.health.update(faults, self.clock.now())
        self._note_health(state, before)
        if is_changed or is_new:
            self._report_change(state)

    def _note_health(self, state: State, before: Optional[bool]) -> None:
        """Records the health after a state @before was judged again."""
        if state.health.healthy != before:
            state.changed = self.clock.wall()
            state.was_unhealthy |= state.health.healthy is False

    def _settle(self, state: State) -> None:
        """Decides the health of a file that is shorter than faults must last.
        """
        before = state.health.healthy
        state.health.settle()
        self._note_health(state, before)

    def _on_form(self, state: State, message: Json) -> None:
        is_new = not state.is_connected
        before, state.form = state.form, message['form']
        state.take_faults(message['faults'])
        state.connection = 'connected'
        state.error = ''
        if is_new or before != state.form:
            self._judge(state, True)

    def _on_source(self, state: State, message: Json) -> None:
        state.stream = message['stream']

    def _on_waits(self, state: State, message: Json) -> None:
        state.connection, state.error = 'waiting', message['message']
        self._judge(state, True)

    def _on_status(self, state: State, message: Json) -> None:
        state.count(message)
        if not state.is_connected:
            return
        self._judge(state)
        for output in self.outputs:
            output.statistics(state)

    def _on_event(self, state: State, line: Json) -> None:
        kind = line['event']
        if line['state'] == 'start':
            state.events[kind] = state.events.get(kind, 0) + 1
            if kind != 'scene':
                state.open[kind] = self.clock.wall() - line.get('ago', 0)
        else:
            state.open.pop(kind, None)
        message = event_message(state, line)
        state.told[kind, line['state']] = message
        for output in self.outputs:
            output.event(state, message)

    def _on_picture(self, state: State, picture: Json) -> None:
        message = state.told.get((picture['event'], picture['state']))
        if message is None:
            return
        jpeg = base64.b64decode(picture['jpeg'])
        for output in self.outputs:
            output.picture(state, message, jpeg)

    def _on_closed(self, state: State, closed: Json) -> None:
        now = self.clock.wall()
        for kind, since in list(state.open.items()):
            self._on_event(state, {
                'event': kind, 'state': 'end', 'cut': True,
                'duration': (now - since) * 1e9})
        state.close()
        state.error = closed['message']
        if not closed['final']:
            state.restarts += 1
            state.connection = 'waiting' if closed['message'] else (
                'connecting')
        else:
            self._n_open -= 1
            if not closed['message']:
                self._settle(state)
            state.connection = 'failed' if closed['message'] else 'ended'
        self._judge(state, True)

    # --- the thread that watches ---

    def _tick(self) -> None:
        with self.lock:
            now = self.clock.now()
            for state in self.states:
                deadline = state.deadline
                if deadline is not None and now >= deadline:
                    self._judge(state)
            for runner in self._runners:
                runner.check()
            for output in self.outputs:
                output.tick()

    def _wait(self) -> float:
        """Returns the seconds until something changes by time alone."""
        now = self.clock.now()
        deadlines = [state.deadline - now for state in self.states
                     if state.deadline is not None]
        return max(0.0, min([_TICK, *deadlines]))

    def _follow(self, end: Optional[float]) -> None:
        ticked = 0.0
        while self._n_open > 0 and (end is None or self.clock.now() < end):
            try:
                number, message = self.clock.get(
                    self._inbox, self._wait())
                with self.lock:
                    self._on_message[message['type']](self.states[number],
                                                      message)
            except Empty:
                ticked = 0.0
            if self.clock.now() - ticked >= _TICK:
                ticked = self.clock.now()
                self._tick()

    def run(self) -> None:
        """Runs until the end, or an exception such as KeyboardInterrupt;
        processes are ended and outputs closed afterwards."""
        seconds = self.options.seconds
        end = None if seconds is None else self.clock.now() + seconds
        opened: List[Output] = []
        try:
            for output in self.outputs:
                output.open(self.states)
                opened.append(output)
            for runner in self._runners:
                runner.start()
            self._follow(end)
        finally:
            end_all([runner for runner in self._runners
                     if runner.ident is not None], self.clock)
            with self.lock:
                self._report_stopped(opened)
            for output in opened:
                output.close()

    def _report_stopped(self, outputs: Sequence[Output]) -> None:
        """Reports that streams are no longer watched: their state is unknown.
        """
        for state in self.states:
            if state.connection not in ('ended', 'failed'):
                state.stop()
                for output in outputs:
                    output.changed(state)

    def status(self) -> int:
        """Returns the exit status: 2 if no stream had a frame; 1 if one had
        none, was unhealthy at some time, or failed."""
        if not any(state.frames for state in self.states):
            return 2
        return int(any(state.was_unhealthy or state.connection == 'failed'
                       or not state.frames for state in self.states))
