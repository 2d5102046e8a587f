# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the command clqc watch."""
import argparse
import contextlib
import os
import signal
import sys
from typing import Any, Iterator, List, Sequence

from rich.console import Console

from .. import plain
from ..clock import REAL, Clock
from ..errors import ClqcError, one_line
from ..rules.detectors import PICTURE, SILENCE
from . import addresses
from .events import SIGNAL_LOSS
from .judging import Rules, left_out
from .outputs import JsonLines, Output
from .pictures import Pictures
from .plan import Plan, make
from .terminal import Terminal
from .watch import Watch


def _kinds(rules: Sequence[Rules]) -> List[str]:
    """Returns the kinds of events that can happen."""
    chosen = {kind for one in rules
              for kind in one.measure.get('events', '').split('+')}
    return [*(kind for kind in PICTURE if kind in chosen), SILENCE,
            SIGNAL_LOSS]


def _check(plan: Plan) -> None:
    """Raises ClqcError if options do not fit the streams."""
    loops = [stream for stream in plan.streams
             if plan.options[stream.name].loops]
    if loops and not any(stream.is_file for stream in loops):
        raise ClqcError('--loop is for files, and there is none')
    if plan.targets.mqtt_pictures and not plan.targets.broker:
        raise ClqcError('--mqtt-pictures needs --mqtt')


class _Command:
    """The command with its outputs, which may get other streams."""

    def __init__(self, arguments: argparse.Namespace, plan: Plan,
                 clock: Clock) -> None:
        self.arguments = arguments
        self.plan = plan
        targets = plan.targets
        console = Console(stderr=targets.jsonl == '-', highlight=False,
                          markup=False, soft_wrap=True)
        self.terminal = Terminal(console, plan.is_quiet)
        outputs: List[Output] = [self.terminal]
        self.kinds = _kinds(self._rules())
        self.watch = Watch(plan.streams, plan.options[plan.streams[0].name],
                           outputs, clock, plan.options)
        self.watch.reload = self.reload
        if targets.jsonl:
            outputs.append(JsonLines(targets.jsonl, self.terminal.say))
        if targets.pictures:
            outputs.append(Pictures(targets.pictures, self.terminal.say))
        if targets.broker:
            from .mqtt import Mqtt
            outputs.append(Mqtt(targets.broker, self.terminal.say, clock,
                                targets.mqtt_pictures))
        if targets.prometheus:
            from .prometheus import Prometheus
            outputs.append(Prometheus(
                *addresses.endpoint(targets.prometheus), self.watch.lock,
                self.kinds, outputs, clock))

    def _rules(self) -> List[Rules]:
        return [options.rules for options in self.plan.options.values()]

    def reload(self) -> None:
        """Reads the configuration file again. If it is wrong, the former one
        remains. Reports the result in one line."""
        path = self.arguments.config
        try:
            plan = make(self.arguments)
            _check(plan)
        except (ClqcError, OSError) as error:
            first, *more = one_line(error).split('\n')
            rest = f' (and {len(more)} more mistakes)' if more else ''
            self.terminal.say(f'{path}: the former configuration remains: '
                              + first.removeprefix(f'{path}, ') + rest)
            return
        before, self.plan = self.plan, plan
        with self.watch.lock:
            self.kinds[:] = _kinds(self._rules())
        changes = self.watch.apply(plan.streams, plan.options)
        words = [f'{word}: {", ".join(names)}' for word, names in (
            ('new', changes.added), ('opened again', changes.changed),
            ('no longer watched', changes.ended)) if names]
        if (plan.targets, plan.is_quiet) != (before.targets, before.is_quiet):
            words.append('outputs change at the next start only')
        self.terminal.say(f'{path} was read again'
                          + ''.join(f'; {word}' for word in words))


def _terminals() -> List[int]:
    """Returns which of the standard descriptors are terminals that exist."""
    return [number for number in range(3) if os.isatty(number)]


@contextlib.contextmanager
def _hangups(watch: Watch) -> Iterator[None]:
    """Reads the configuration again at SIGHUP, except when that means that the
    terminal is gone: this stops the command."""
    terminals = _terminals()

    def on_signal(*_: Any) -> None:
        if _terminals() != terminals:
            raise KeyboardInterrupt
        watch.request_reload()
    before = signal.signal(signal.SIGHUP, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _introduce(plan: Plan) -> None:
    names = ', '.join(policy.name for policy in plan.policies)
    print(plain.line(f'policy: {names}'), file=sys.stderr)
    ignored = {name: None for policy in plan.policies
               for name in left_out(policy)}
    if ignored:
        print('not judged, because streams have no end: '
              + ', '.join(ignored), file=sys.stderr)


def run(arguments: argparse.Namespace, clock: Clock = REAL) -> int:
    """Watches until it is stopped; returns the exit status."""
    plan = make(arguments)
    if not plan.is_quiet:
        _introduce(plan)
    _check(plan)
    watch = _Command(arguments, plan, clock).watch
    try:
        with _hangups(watch) if arguments.config else contextlib.nullcontext():
            watch.run()
    except KeyboardInterrupt:
        return 0
    return watch.status()
