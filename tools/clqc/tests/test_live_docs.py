# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/live.md: its policy is valid, and it names all keys."""
import os
import re
import shlex

import pytest

from clqc import policy
from clqc.cli import _parser
from clqc.live import addresses, prometheus, sources

ROOT = os.path.join(os.path.dirname(__file__), '..', '..', '..')
with open(os.path.join(ROOT, 'docs', 'live.md'), encoding='utf-8') as file:
    TEXT = file.read()


def indented(start):
    """Returns the words of a command that readers must adapt."""
    text = re.search(rf'^ +{start}((?:.*\\\n)*.*)', TEXT, re.MULTILINE)
    return shlex.split(text[1].replace('\\\n', ' '))


def test_command_of_the_service():
    """The command has words of clqc, with other paths."""
    words = indented('ExecStart=/usr/bin/clqc watch ')
    arguments = _parser()[0].parse_args(['watch', *words])
    assert [stream.name for stream in sources.parse(arguments.streams)] == [
        'one', 'two']
    assert addresses.broker(arguments.mqtt).user == 'qc'
    assert addresses.endpoint(arguments.prometheus) == ('0.0.0.0', 9550)


@pytest.mark.parametrize('text', re.findall(
    r'^```toml\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL))
def test_policy(text):
    assert policy.parse(text, 'page').live.healthy_after == 10


def test_names_every_option():
    usage = _parser()[1]['watch']
    options = re.findall(r'--[a-z-]+', usage.format_help())
    for option in set(options) - {'--help'}:
        assert f'`{option}' in TEXT, option


def test_names_every_metric():
    names = {f'clqc_{name}' + ('_total' if kind == 'counter' else '')
             for name, kind, _ in prometheus._METRICS}
    names |= {prometheus.STATISTIC, prometheus.EVENTS + '_total',
              prometheus.EVENT_OPEN, prometheus.LOST + '_total',
              prometheus.REASON, prometheus.OUTPUT_CONNECTED}
    for name in names:
        assert f'`{name}`' in TEXT
