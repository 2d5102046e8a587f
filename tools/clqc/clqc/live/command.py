# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the command clqc watch."""
import argparse
import contextlib
import os
import signal
import sys
import threading
from dataclasses import replace
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from rich.console import Console

from clqc.common import printable
from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError, one_line
from clqc.judging.rules.detectors import PICTURE, SILENCE
from clqc.live.configuration import output_addresses
from clqc.live.configuration.settings import Settings, Targets, make
from clqc.live.judging.damage import EVENTS
from clqc.live.judging.events import SIGNAL_LOSS
from clqc.live.judging.judge import Rules, left_out
from clqc.live.outputs.base import JsonLines, Output
from clqc.live.outputs.picture_files import Pictures
from clqc.live.outputs.terminal import Terminal
from clqc.live.processes.watch import Watch


def _kinds(rules: Sequence[Rules]) -> List[str]:
    """Returns the kinds of events that can happen."""
    chosen = {kind for one in rules
              for kind in one.measure.get('events', '').split('+')}
    return [*(kind for kind in PICTURE if kind in chosen), SILENCE,
            SIGNAL_LOSS, *EVENTS]


def _check(settings: Settings) -> None:
    """Raises ClqcError if options do not fit the streams."""
    loops = [stream for stream in settings.streams
             if settings.options[stream.name].loops]
    if loops and not any(stream.is_file for stream in loops):
        raise ClqcError('--loop is for files, and there is none')
    if settings.targets.mqtt_pictures and not settings.targets.mqtt:
        raise ClqcError('--mqtt-pictures needs --mqtt')


class _Command:
    """The command with its outputs, which may get other streams."""

    def __init__(self, arguments: argparse.Namespace, settings: Settings,
                 clock: Clock) -> None:
        self.arguments = arguments
        self.settings = settings
        self.clock = clock
        console = Console(stderr=settings.targets.jsonl == '-',
                          highlight=False, markup=False, soft_wrap=True)
        self.terminal = Terminal(console, settings.is_quiet)
        outputs: List[Output] = [self.terminal]
        self.kinds = _kinds(self._rules())
        first = settings.streams[0]
        self.watch = Watch(settings.streams, settings.options[first.name],
                           outputs, clock, settings.options)
        self.watch.reload = self.reload
        # By name; each depends on the fields of Targets with these names.
        self.makers: Dict[str, Callable[[Targets], Optional[Output]]] = {
            'jsonl': self._jsonl, 'pictures': self._pictures,
            'mqtt': self._mqtt, 'prometheus': self._prometheus}
        self.outputs = {name: make_output(settings.targets)
                        for name, make_output in self.makers.items()}
        outputs += filter(None, self.outputs.values())

    def _jsonl(self, targets: Targets) -> Optional[Output]:
        if not targets.jsonl:
            return None
        return JsonLines(targets.jsonl, self.terminal.say)

    def _pictures(self, targets: Targets) -> Optional[Output]:
        if not targets.pictures:
            return None
        return Pictures(targets.pictures, self.terminal.say)

    def _mqtt(self, targets: Targets) -> Optional[Output]:
        if not targets.mqtt:
            return None
        from clqc.live.outputs.mqtt import Mqtt
        return Mqtt(targets.mqtt, self.terminal.say, self.clock,
                    targets.mqtt_pictures)

    def _prometheus(self, targets: Targets) -> Optional[Output]:
        if not targets.prometheus:
            return None
        from clqc.live.outputs.prometheus import Prometheus
        return Prometheus(*output_addresses.endpoint(targets.prometheus),
                          self.watch.lock, self.kinds, self.watch.outputs,
                          self.clock)

    def _rules(self) -> List[Rules]:
        return [options.rules for options in self.settings.options.values()]

    def reload(self) -> None:
        """Reads the configuration file again. If it is wrong, the former one
        remains. Reports the result in one line."""
        path = self.arguments.config
        try:
            settings = make(self.arguments)
            _check(settings)
        except (ClqcError, OSError) as error:
            first, *more = one_line(error).split('\n')
            rest = f' (and {len(more)} more mistakes)' if more else ''
            self.terminal.say(f'{path}: the former configuration remains: '
                              + first.removeprefix(f'{path}, ') + rest)
            return
        before, self.settings = self.settings, settings
        with self.watch.lock:
            self.kinds[:] = _kinds(self._rules())
        changes = self.watch.apply(settings.streams, settings.options)
        words = [f'{word}: {", ".join(names)}' for word, names in (
            ('new', changes.added), ('opened again', changes.changed),
            ('no longer watched', changes.ended),
            ('other outputs', self._replace_outputs(before))) if names]
        self.terminal.say(f'{path} was read again'
                          + ''.join(f'; {word}' for word in words))

    def _replace_outputs(self, before: Settings) -> List[str]:
        """Replaces the outputs that have changed. Returns their names. If one
        cannot be opened, the former one remains."""
        replaced = []
        targets, former = self.settings.targets, before.targets
        if (targets.jsonl == '-', self.settings.is_quiet) != (
                former.jsonl == '-', before.is_quiet):
            self.terminal.say('quiet, and jsonl = "-", change at the next '
                              'start only')
            targets = replace(targets, jsonl=former.jsonl)
        for name, make_output in self.makers.items():
            if targets.of(name) == former.of(name):
                continue
            try:
                new = make_output(targets)
                self.watch.replace_output(self.outputs[name], new)
            except ClqcError as error:
                remains = self.outputs[name] in self.watch.outputs
                self.terminal.say(f'{name}: ' + (
                    'the former output remains: ' if remains else
                    'there is no output: ') + str(error))
                targets = replace(targets, **former.of(name))
            else:
                self.outputs[name] = new
                replaced.append(name)
        self.settings = replace(self.settings, targets=targets,
                                is_quiet=before.is_quiet)
        return replaced


def _terminals() -> List[int]:
    """Returns which of the standard descriptors are terminals that exist."""
    return [number for number in range(3) if os.isatty(number)]


@contextlib.contextmanager
def _hangups(is_reload_due: threading.Event) -> Iterator[None]:
    """Sets the event at SIGHUP, except when that means that the terminal is
    gone: this stops the command."""
    terminals = _terminals()

    def on_signal(*_: Any) -> None:
        if _terminals() != terminals:
            raise KeyboardInterrupt
        is_reload_due.set()
    before = signal.signal(signal.SIGHUP, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _introduce(settings: Settings) -> None:
    names = ', '.join(policy.name for policy in settings.policies)
    print(printable.line(f'policy: {names}'), file=sys.stderr)
    ignored = {name: None for policy in settings.policies
               for name in left_out(policy)}
    if ignored:
        print('not judged, because streams have no end: '
              + ', '.join(ignored), file=sys.stderr)


def run(arguments: argparse.Namespace, clock: Clock = REAL) -> int:
    """Watches until it is stopped; returns the exit status."""
    is_reload_due = threading.Event()
    with _hangups(is_reload_due) if arguments.config else (
            contextlib.nullcontext()):
        return _watch(arguments, clock, is_reload_due)


def _watch(arguments: argparse.Namespace, clock: Clock,
           is_reload_due: threading.Event) -> int:
    settings = make(arguments)
    if not settings.is_quiet:
        _introduce(settings)
    _check(settings)
    watch = _Command(arguments, settings, clock).watch
    watch.is_reload_due = is_reload_due
    try:
        watch.run()
    except KeyboardInterrupt:
        return 0
    return watch.status()
