# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/live.md: its policy is valid, and it names all keys."""
import os
import re
import shlex

import docpages

from clqc.commandline import _parser
from clqc.common import network_errors
from clqc.judging import policy
from clqc.live.configuration import (config_file, credentials,
                                     output_addresses, stream_addresses)
from clqc.live.judging import counters
from clqc.live.outputs import prometheus

PAGE = docpages.DOCS / 'live.md'
TEXT = docpages.text_of('live.md')


def indented(start):
    """Returns the words of a command that readers must adapt."""
    text = re.search(rf'^ +{start}((?:.*\\\n)*.*)', TEXT, re.MULTILINE)
    return shlex.split(text[1].replace('\\\n', ' '))


def test_command_of_the_service():
    """Commands have words of clqc, with other paths."""
    words = indented('ExecStart=/usr/bin/clqc watch ')
    arguments = _parser()[0].parse_args(['watch', *words])
    assert arguments.config == '/etc/clqc/watch.toml' and arguments.quiet
    arguments = _parser()[0].parse_args(['watch', *indented('clqc watch ')])
    assert [stream.name for stream in
            stream_addresses.parse(arguments.streams)] == ['studio', 'gate']
    assert output_addresses.broker(arguments.mqtt).prefix == 'tv'
    assert output_addresses.endpoint(arguments.prometheus) == ('0.0.0.0', 9550)


EXAMPLES = docpages.fenced('live.md', 'toml')


def test_policy():
    texts = [text for text in EXAMPLES if '[streams.' not in text]
    assert len(texts) == 2
    for text in texts:
        assert policy.parse(text, 'page').live.healthy_after == 10


def test_configuration(monkeypatch):
    text, = (text for text in EXAMPLES if '[streams.' in text)
    monkeypatch.setenv('STUDIO_PASSWORD', 'pw')
    monkeypatch.setattr(credentials, 'from_file', {
        '/etc/clqc/broker': 'x', '/etc/clqc/gate': 'srt://h:1'}.get)
    found = config_file.parse(text, '/etc/clqc/watch.toml')
    assert [(stream.name, stream.uri) for stream in found.streams] == [
        ('studio', 'rtsp://qc:pw@camera-1/stream'), ('gate', 'srt://h:1')]
    assert found.broker.password == 'x'
    assert found.top['policy'] == '/etc/clqc/channel.toml'


TABLES = {config_file.TOP: 'top', config_file.STREAMS: 'stream',
          config_file.MQTT: '`[mqtt]`'}


def test_keys_of_the_configuration():
    """The table of the page; WRITE_TABLES=1 writes it."""
    rows = ''.join(
        f'| `{key.name}` | {", ".join(TABLES[table] for table in key.tables)}'
        f' | {config_file.KINDS[key.kind][1]} | {key.meaning} |\n'
        for key in config_file.KEYS)
    head = '| key | in | value | meaning |\n|---|---|---|---|\n'
    start = TEXT.index(head) + len(head)
    end = TEXT.index('\n\n', start) + 1
    if os.environ.get('WRITE_TABLES'):
        with open(PAGE, 'w', encoding='utf-8') as page:
            page.write(TEXT[:start] + rows + TEXT[end:])
    else:
        assert TEXT[start:end] == rows


def test_names_every_option():
    usage = _parser()[1]['watch']
    options = re.findall(r'--[a-z-]+', usage.format_help())
    for option in set(options) - {'--help'}:
        assert f'`{option}' in TEXT, option


def test_names_every_cause():
    rows = re.findall(r'^\| ([^|]+) \| [^|]+ \|$', TEXT, re.MULTILINE)
    for sentence in network_errors.SENTENCES.values():
        assert sentence.format(
            at='HOST:PORT', host='HOST', port='PORT', scheme='SCHEME',
            other='SCHEME', detail='..') in rows


def test_counters():
    """The page has the table of all counters."""
    rows = [f'| `{row.key}` | {row.unit} | ' + row.text[:-1] + (
        ': ' + ', '.join(f'`{kind}`' for kind in row.kinds)
        if row.kinds else '') + '. |\n' for row in counters.COUNTERS]
    assert ''.join(rows) in TEXT


def test_names_every_metric():
    names = {f'clqc_{name}' + ('_total' if kind == 'counter' else '')
             for name, kind, _ in prometheus._METRICS}
    names |= {f'clqc_{row.metric}_total' for row in counters.COUNTERS}
    names |= {prometheus.STATISTIC, prometheus.EVENTS + '_total',
              prometheus.EVENT_OPEN, prometheus.LOST + '_total',
              prometheus.REASON, prometheus.OUTPUT_CONNECTED,
              prometheus.INFO}
    for name in names:
        assert f'`{name}`' in TEXT
