# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the command clqc watch."""
import argparse
import sys
from typing import List, Optional

from rich.console import Console

from .. import cardfile, policy
from ..clock import REAL, Clock
from ..errors import ClqcError
from ..rules.detectors import PICTURE, SILENCE
from . import addresses, sources
from .events import SIGNAL_LOSS
from .judging import Rules, left_out
from .outputs import JsonLines, Output
from .pictures import Pictures
from .terminal import Terminal
from .watch import Options, Watch


def _options(arguments: argparse.Namespace, rules: Rules,
             card_rules: Rules) -> Options:
    def chosen(asked: Optional[float], usual: float) -> float:
        return usual if asked is None else asked
    return Options(
        rules, chosen(arguments.unhealthy_after, rules.live.unhealthy_after),
        chosen(arguments.healthy_after, rules.live.healthy_after),
        arguments.interval, arguments.stall, arguments.loop,
        arguments.seconds, card_rules,
        bool(arguments.pictures or arguments.mqtt_pictures))


def _kinds(rules: Rules) -> List[str]:
    """Returns the kinds of events that can happen."""
    chosen = rules.measure.get('events', '').split('+')
    return [*(kind for kind in PICTURE if kind in chosen), SILENCE,
            SIGNAL_LOSS]


def _make(arguments: argparse.Namespace, streams: List[sources.Stream],
          chosen: policy.Policy, clock: Clock) -> Watch:
    rules = Rules.of(chosen)
    console = Console(stderr=arguments.jsonl == '-', highlight=False,
                      markup=False, soft_wrap=True)
    terminal = Terminal(console, arguments.quiet)
    outputs: List[Output] = [terminal]
    options = _options(arguments, rules, Rules.of(chosen, True))
    watch = Watch(streams, options, outputs, clock)
    if arguments.jsonl:
        outputs.append(JsonLines(arguments.jsonl, terminal.say))
    if arguments.pictures:
        outputs.append(Pictures(arguments.pictures, terminal.say))
    if arguments.mqtt:
        from .mqtt import Mqtt
        outputs.append(Mqtt(addresses.broker(arguments.mqtt), terminal.say,
                            clock, arguments.mqtt_pictures))
    if arguments.prometheus:
        from .prometheus import Prometheus
        outputs.append(Prometheus(*addresses.endpoint(arguments.prometheus),
                                  watch.lock, _kinds(rules), outputs, clock))
    return watch


def run(arguments: argparse.Namespace, clock: Clock = REAL) -> int:
    """Watches until it is stopped; returns the exit status."""
    chosen = cardfile.load_policy(arguments.policy or policy.DEFAULT)
    streams = sources.parse(arguments.streams)
    if not arguments.quiet:
        print(f'policy: {chosen.name}', file=sys.stderr)
        names = left_out(chosen)
        if names:
            print('not judged, because streams have no end: '
                  + ', '.join(names), file=sys.stderr)
    if arguments.loop and not any(stream.is_file for stream in streams):
        raise ClqcError('--loop is for files, and there is none')
    if arguments.mqtt_pictures and not arguments.mqtt:
        raise ClqcError('--mqtt-pictures needs --mqtt')
    watch = _make(arguments, streams, chosen, clock)
    try:
        watch.run()
    except KeyboardInterrupt:
        return 0
    return watch.status()
