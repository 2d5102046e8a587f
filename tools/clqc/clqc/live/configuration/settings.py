# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clqc watch has to do: from its arguments and its configuration file."""
import argparse
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.live.configuration import (config_file, credentials,
                                     output_addresses, stream_addresses)
from clqc.live.configuration.muting import Mute
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.judge import Rules
from clqc.measuring import card_files

# Defaults of options that the command line and the file may both have.
USUAL = {'interval': 1.0, 'stall': 10.0, 'loop': False, 'quiet': False,
         'policy': policy.DEFAULT}


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
    policy: str = ''  # its hash
    mute: Mute = Mute()

    def rules_of(self, stream: Stream) -> Rules:
        """Returns the rules for the stream."""
        return self.card_rules or self.rules if stream.is_card else self.rules


@dataclass(frozen=True)
class Targets:
    """Where the outputs are. The first word of a field is the output's name.
    """
    jsonl: Optional[str]
    mqtt: Optional[output_addresses.Broker]
    prometheus: Optional[str]
    pictures: Optional[str] = None  # folder
    mqtt_pictures: bool = False

    def of(self, name: str) -> Dict[str, Any]:
        """Returns the fields of an output."""
        return {key: value for key, value in vars(self).items()
                if key.split('_')[0] == name}


@dataclass(frozen=True)
class Settings:
    """Streams with the options of each, and outputs."""
    streams: List[Stream]
    options: Dict[str, Options]  # by name of the stream
    policies: List[policy.Policy]  # each once
    targets: Targets
    is_quiet: bool


def _options(values: Dict[str, Any],
             policies: Dict[str, policy.Policy]) -> Options:
    """@policies: those that have been loaded, by name."""
    name = values['policy']
    if name not in policies:
        policies[name] = card_files.load_policy(name)
    chosen = policies[name]
    rules = Rules.of(chosen)
    return Options(
        rules, values.get('unhealthy-after', rules.live.unhealthy_after),
        values.get('healthy-after', rules.live.healthy_after),
        values['interval'], values['stall'], values['loop'],
        values.get('seconds'), Rules.of(chosen, True),
        bool(values.get('pictures') or values.get('mqtt-pictures')),
        chosen.hash, config_file.mute_of(values))


def _broker(arguments: argparse.Namespace, found: Optional[config_file.Config]
            ) -> Optional[output_addresses.Broker]:
    if arguments.mqtt:
        try:
            url, _ = credentials.address(arguments.mqtt)
        except ClqcError as error:
            raise ClqcError(f'--mqtt: {error}') from error
        return output_addresses.broker(url)
    return found.broker if found else None


def make(arguments: argparse.Namespace) -> Settings:
    """Returns the settings. Reads files again at each call. Raises
    ClqcError."""
    found: Optional[config_file.Config] = None
    if arguments.config:
        if arguments.streams:
            raise ClqcError('streams are in the file of --config, or in the '
                            'command line: give one of them')
        found = config_file.load(arguments.config)
        streams = found.streams
    else:
        if not arguments.streams:
            raise ClqcError('no stream; give [NAME=]URI, or --config FILE')
        streams = stream_addresses.parse(arguments.streams)
    given = {name.replace('_', '-'): value for name, value
             in vars(arguments).items()
             if value is not None and value is not False}
    top: Dict[str, Any] = {
        **USUAL, **(found.top if found else {}), **given}
    of_streams = found.values if found else {}
    policies: Dict[str, policy.Policy] = {}
    options = {stream.name: _options(
        {**top, **of_streams.get(stream.name, {})}, policies)
        for stream in streams}
    return Settings(streams, options, list(policies.values()), Targets(
        top.get('jsonl'), _broker(arguments, found), top.get('prometheus'),
        top.get('pictures'), top.get('mqtt-pictures', False)), top['quiet'])
