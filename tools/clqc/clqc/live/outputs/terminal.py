# SPDX-License-Identifier: LGPL-2.1-or-later
"""Output for people: a table of all streams on a terminal, and a line for each
change."""
import time
from typing import Any, Dict, Optional, Sequence, Set

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from clqc.common import printable
from clqc.live.outputs.base import Lines, Output
from clqc.live.outputs.state import State
from clqc.results.result_files import Json

_WORDS: Dict[Optional[bool], str] = {
    True: 'healthy', False: 'UNHEALTHY', None: 'not judged yet'}
_STYLES: Dict[str, str] = {
    'healthy': 'green', 'UNHEALTHY': 'bold red', 'connecting': 'yellow'}


def _word(state: State) -> str:
    """Returns the state as a word."""
    if state.connection in ('connecting', 'stopped', 'ended', 'failed'):
        return state.connection
    return _WORDS[state.health.healthy]


def _style(state: State, word: str) -> str:
    return 'dim' if state.muted else _STYLES.get(word, '')


def _form(form: Json) -> str:
    rate = form.get('rate')
    text = f'{form["width"]} × {form["height"]} {form["format"]}'
    if rate and rate[1] and rate[0]:
        text += f', {rate[0] / rate[1]:.4g} frames/s'
    return text + ('' if form['sound'] else ', no sound')


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02}:{rest:02}'


class Terminal(Output):
    """The output on the terminal. With @is_quiet, only changes of the health.
    """

    name = 'terminal'

    def __init__(self, console: Console, is_quiet: bool = False) -> None:
        self.console = console
        self.is_quiet = is_quiet
        self._n_lost = 0
        self._n_reported = 0  # of these, reported
        self.states: Sequence[State] = ()
        self._reported: Dict[str, Any] = {}
        self._without_pictures: Set[str] = set()  # names
        self._live: Optional[Live] = None
        self._lines: Optional[Lines] = None

    @property
    def n_lost(self) -> int:
        return self._n_lost

    def open(self, states: Sequence[State]) -> None:
        self.states = states
        if self.console.is_terminal and not self.is_quiet:
            self._live = Live(self._table(), console=self.console,
                              auto_refresh=False)
            self._live.start()
        self._lines = Lines(self._write, 'terminal')

    def _write(self, what: Any) -> None:
        """Writes a line; runs in the writer's thread."""
        try:
            if isinstance(what, Table):
                assert self._live
                self._live.update(what, refresh=True)
            else:
                self.console.print(what)
        except OSError:
            pass  # its reader has closed it

    def say(self, text: str, style: str = '') -> None:
        """Writes a line with the time of day."""
        if self._lines and not self._lines.put(Text(
                f'{time.strftime("%H:%M:%S")} {printable.line(text)}', style)):
            self._n_lost += 1

    def event(self, state: State, message: Json) -> None:
        if self.is_quiet:
            return
        text = f'{state.name}: {message["event"]}'
        if message['event'] == 'scene':
            text += ' (a cut)'
        elif message['state'] == 'start':
            text += ' begins'
        else:
            duration = message['duration']
            text += ' ends' if duration is None else (
                f' ends after {duration:.1f} s')
        self.say(text)

    def no_picture(self, state: State, why: str) -> None:
        """Writes the first reason of each stream."""
        if state.name not in self._without_pictures:
            self._without_pictures.add(state.name)
            self.say(f'{state.name}: no picture: {why}')

    def changed(self, state: State) -> None:
        """Writes what has changed since the last call. A reason that comes
        and goes is written once while the health is the same."""
        before = self._reported.get(state.name, {})
        why = {(fault.rule, fault.severity) for fault in state.health.reasons}
        now = {'connection': state.connection, 'form': state.form,
               'error': state.error, 'healthy': state.health.healthy,
               'muted': state.muted, 'written': why}
        if why and now['healthy'] == before.get('healthy'):
            now['written'] = why | before.get('written', set())
        if not state.form:
            now['form'] = before.get('form')
        self._reported[state.name] = now
        if not self.is_quiet:
            self._say_connection(state, before, now)
        if now['muted'] != before.get('muted', '') and not self.is_quiet:
            self.say(f'{state.name}: ' + (state.muted or 'no longer muted'))
        is_same = now['healthy'] == before.get('healthy') and (
            now['healthy'] or now['muted'] == before.get('muted')) and (
            self.is_quiet or now['written'] == before.get('written')
            or state.health.is_recovering)
        if now['healthy'] is None or is_same:
            return
        reasons = ' '.join(
            ('' if fault.severity == 'error' else 'Warning: ') + fault.message
            for fault in state.health.reasons)
        word = _WORDS[state.health.healthy]
        muted = f' ({state.muted})' if state.muted else ''
        self.say(f'{state.name}: {word}{muted}' + (
            f': {reasons}' if reasons else ''), _style(state, word))

    def _say_connection(self, state: State, before: Json, now: Json) -> None:
        connection = state.connection
        if connection == 'connected':
            if now['form'] != before.get('form') and state.form:
                self.say(f'{state.name}: {_form(state.form)}')
        elif connection in ('waiting', 'failed'):
            if (connection, now['error']) != (
                    before.get('connection'), before.get('error')):
                self.say(f'{state.name}: not connected: {state.error}' + (
                    '' if connection == 'waiting' else '; given up'))
        elif connection == 'ended' != before.get('connection'):
            self.say(f'{state.name}: ended')

    def _row(self, state: State) -> Sequence[Any]:
        word = _word(state)
        why = state.health.reasons[0].message if state.health.reasons else ''
        if len(state.health.reasons) > 1:
            why += f' (and {len(state.health.reasons) - 1} more)'
        brightness = state.statistics.get(
            'YAVG', state.statistics.get('GAVG'))
        muted = f' ({state.muted})' if state.muted else ''
        return (Text(state.name), Text(word + muted, _style(state, word)),
                _duration(state.clock.wall() - state.changed),
                '' if state.rate is None else f'{state.rate:.1f}',
                str(state.counts['missing-frames']['']), str(state.dropped),
                '' if state.behind is None else f'{state.behind:.2f} s',
                '' if brightness is None else f'{brightness:.1f}',
                Text(printable.line(why or ', '.join(state.open))))

    def _table(self) -> Table:
        table = Table(expand=True, box=box.SIMPLE_HEAD)
        table.add_column('stream', no_wrap=True)
        table.add_column('state', no_wrap=True)
        for name in 'for', 'rate', 'missing', 'dropped', 'behind', 'mean':
            table.add_column(name, justify='right', no_wrap=True)
        table.add_column('why', ratio=1)
        for state in self.states:
            table.add_row(*self._row(state))
        return table

    def tick(self) -> None:
        count = self._n_lost - self._n_reported
        if count and self._lines and self._lines.is_idle:
            self._n_reported = self._n_lost
            self.say(f'{count} lines were lost here')
        # While lines wait, no table is queued: a later one would be newer.
        if self._live and self._lines and self._lines.is_idle:
            self._lines.put(self._table())

    def close(self) -> None:
        self.tick()
        if self._lines:
            self._lines.close()
        if self._live:
            self._live.stop()
