# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch: follows streams until it is stopped or all have ended."""
import base64
import contextlib
import itertools
import threading
from dataclasses import dataclass
from queue import Empty
from typing import (Any, Callable, Dict, List, Mapping, Optional, Sequence,
                    Set, Tuple)

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.live.configuration.settings import Options
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.health import STUCK, Fault, Health
from clqc.live.outputs.base import Output
from clqc.live.outputs.state import State, event_message
from clqc.live.processes.supervisor import END_SECONDS, Inbox, Runner, end_all
from clqc.results.result_files import Json

# Messages of processes that are queued for outputs; beyond it, processes block
# and drop frames, which they count.
_MOST_MESSAGES = 10_000

_TICK = 0.25  # seconds


def _process_of(stream: Stream, options: Options) -> Tuple[Any, ...]:
    """Returns what the process of a stream depends on. If it changes, the
    stream is opened again."""
    return (stream.path or stream.uri, stream.is_hidden,
            options.rules_of(stream), options.policy, options.interval,
            options.stall, options.loops, options.pictures)


@dataclass(frozen=True)
class Changes:
    """The names of streams that apply() has added, ended and opened again."""
    added: List[str]
    ended: List[str]
    changed: List[str]


class Watch:
    """All watched streams. One thread reads the messages of their processes
    and calls the outputs, with `lock` held for outputs that other threads
    read. @own: options by the name of a stream, in place of @options."""

    def __init__(self, streams: Sequence[Stream], options: Options,
                 outputs: List[Output], clock: Clock = REAL,
                 own: Optional[Mapping[str, Options]] = None) -> None:
        self.options = options
        self.clock = clock
        self.outputs = outputs
        self.lock = threading.RLock()
        self.states: List[State] = []  # outputs have this list, too
        # Reads the configuration again; called by the thread that watches.
        self.reload: Callable[[], None] = lambda: None
        # Any thread, and handlers of signals, may set it.
        self.is_reload_due = threading.Event()
        self._inbox: Inbox = Inbox(_MOST_MESSAGES)
        self._numbers = itertools.count()  # of runners
        self._state_of: Dict[int, State] = {}    # by number
        self._runners: Dict[str, Runner] = {}    # by name of the stream
        self._process_of: Dict[str, Tuple[Any, ...]] = {}  # by name
        self._open: Set[str] = set()             # names
        # runners that end, and when they have to be killed
        self._ending: List[Tuple[float, Runner]] = []
        for stream in streams:
            self._add(stream, (own or {}).get(stream.name, options))
        self._on_message: Dict[str, Callable[[State, Json], None]] = {
            'form': self._on_form, 'source': self._on_source,
            'waits': self._on_waits, 'event': self._on_event,
            'picture': self._on_picture, 'status': self._on_status,
            'closed': self._on_closed}

    # --- which streams ---

    def _add(self, stream: Stream, options: Options) -> None:
        state = State(stream, Health(options.unhealthy_after,
                                     options.healthy_after),
                      clock=self.clock, mute=options.mute)
        state.check_mute()
        self.states.append(state)
        self._add_runner(state, options)

    def _add_runner(self, state: State, options: Options) -> None:
        """Adds the process of a stream; it starts after those that end."""
        number, stream = next(self._numbers), state.stream
        runner = Runner(
            number, stream, options.rules_of(stream), self._inbox,
            options.interval, options.stall, options.loops, clock=self.clock,
            pictures=options.pictures,
            after=[runner for _, runner in self._ending])
        self._state_of[number] = state
        self._runners[stream.name] = runner
        self._process_of[stream.name] = _process_of(stream, options)
        self._open.add(stream.name)

    def _end_runner(self, state: State) -> None:
        """Ends the process of a stream. Its further messages are ignored."""
        runner = self._runners.pop(state.name)
        self._state_of = {number: other for number, other
                          in self._state_of.items() if other is not state}
        self._open.discard(state.name)
        self._end_events(state)
        runner.stop()
        self._ending.append((self.clock.now() + END_SECONDS, runner))

    def _end_stream(self, state: State) -> None:
        self._end_runner(state)
        self.states.remove(state)
        state.stop()
        self._report_change(state)

    def _change(self, state: State, stream: Stream, options: Options) -> bool:
        """Changes the options of a stream. Returns whether it has to be opened
        again."""
        state.mute = options.mute
        state.health.unhealthy_after = options.unhealthy_after
        state.health.healthy_after = options.healthy_after
        if self._process_of[state.name] == _process_of(stream, options):
            return False
        self._end_runner(state)
        state.reopen(stream)
        self._report_change(state)
        return True

    def apply(self, streams: Sequence[Stream], own: Mapping[str, Options]
              ) -> Changes:
        """Watches these streams from now on, with their options by name.
        Streams that are the same continue. Called by the thread that watches.
        """
        with self.lock:
            names = [stream.name for stream in streams]
            changes = Changes([], [], [])
            for state in list(self.states):
                if state.name not in names:
                    changes.ended.append(state.name)
                    self._end_stream(state)
            known = {state.name: state for state in self.states}
            for stream in streams:
                if stream.name not in known:
                    changes.added.append(stream.name)
                elif self._change(known[stream.name], stream,
                                  own[stream.name]):
                    changes.changed.append(stream.name)
            for stream in streams:
                if stream.name in changes.added:
                    self._add(stream, own[stream.name])
                    self._report_change(self.states[-1])
                elif stream.name in changes.changed:
                    self._add_runner(known[stream.name], own[stream.name])
            self.states.sort(key=lambda state: names.index(state.name))
            for name in changes.added + changes.changed:
                self._runners[name].start()
            return changes

    def replace_output(self, old: Optional[Output], new: Optional[Output]
                       ) -> None:
        """Closes the output @old, and opens @new. Raises ClqcError if @new
        cannot be opened; @old is opened again then, and is among the outputs
        if that succeeds. Called by the thread that watches."""
        if old in self.outputs:
            with self.lock:
                self.outputs.remove(old)
            old.close()
        try:
            self._open_output(new)
        except ClqcError:
            with contextlib.suppress(ClqcError):
                self._open_output(old)
            raise

    def _open_output(self, output: Optional[Output]) -> None:
        if output:
            output.open(self.states)
            with self.lock:
                self.outputs.append(output)

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
        if state.is_silent:
            faults.insert(0, Fault(STUCK, 'error', 'The decoding process does '
                                   'not respond.'))
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
            state.note_unhealthy()

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
                state.open[kind] = self.clock.now() - line.get('ago', 0)
        else:
            state.open.pop(kind, None)
        message = event_message(state, line)
        if 'number' in line and kind != 'scene':
            state.remember(line['number'], message)
        for output in self.outputs:
            output.event(state, message)

    def _on_picture(self, state: State, picture: Json) -> None:
        message = state.told.get(picture['number'])
        if message is None:
            return
        jpeg = base64.b64decode(picture.get('jpeg', ''))
        for output in self.outputs:
            if jpeg:
                output.picture(state, message, jpeg)
            else:
                output.no_picture(state, picture['error'])

    def _end_events(self, state: State) -> None:
        """Ends the open events of a stream whose process has ended."""
        now = self.clock.now()
        for kind, since in list(state.open.items()):
            self._on_event(state, {
                'event': kind, 'state': 'end', 'cut': True,
                'duration': (now - since) * 1e9})

    def _on_closed(self, state: State, closed: Json) -> None:
        self._end_events(state)
        state.close()
        state.error = closed['message']
        if not closed['final']:
            state.restarts += 1
            state.connection = 'waiting' if closed['message'] else (
                'connecting')
        else:
            self._open.discard(state.name)
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
                if state.check_mute():
                    self._report_change(state)
                is_silent = self._runners[state.name].check() and (
                    state.is_connected)
                if is_silent != state.is_silent:
                    state.is_silent = is_silent
                    self._judge(state)
            self._end_late(now)
            for output in self.outputs:
                output.tick()

    def _end_late(self, now: float) -> None:
        """Kills processes that should have ended themselves."""
        self._ending = [(end, runner) for end, runner in self._ending
                        if runner.is_alive()]
        for end, runner in self._ending:
            if now >= end:
                runner.kill()

    def _wait(self) -> float:
        """Returns the seconds until something changes by time alone."""
        now = self.clock.now()
        deadlines = [state.deadline - now for state in self.states
                     if state.deadline is not None]
        return max(0.0, min([_TICK, *deadlines]))

    def _follow(self, end: Optional[float]) -> None:
        ticked = 0.0
        while self._open and (end is None or self.clock.now() < end):
            if self.is_reload_due.is_set():
                self.is_reload_due.clear()
                self.reload()
            try:
                number, message = self.clock.get(
                    self._inbox, self._wait())
                if number in self._state_of:
                    with self.lock:
                        self._on_message[message['type']](
                            self._state_of[number], message)
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
        to_open, self.outputs[:] = list(self.outputs), []
        try:
            for output in to_open:
                self._open_output(output)
            for runner in self._runners.values():
                runner.start()
            self._follow(end)
        finally:
            ending = [runner for _, runner in self._ending]
            end_all([runner for runner in [*self._runners.values(), *ending]
                     if runner.ident is not None], self.clock)
            with self.lock:
                self._report_stopped()
            for output in self.outputs:
                output.close()

    def _report_stopped(self) -> None:
        """Reports that streams are no longer watched: their state is unknown.
        """
        for state in self.states:
            if state.connection not in ('ended', 'failed'):
                state.stop()
                self._report_change(state)

    def status(self) -> int:
        """Returns the exit status: 2 if no stream had a frame; 1 if one had
        none, was unhealthy at some time, or failed."""
        if not any(state.frames for state in self.states):
            return 2
        return int(any(state.was_unhealthy or state.connection == 'failed'
                       or not state.frames for state in self.states))
