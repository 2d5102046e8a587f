# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page for Prometheus, without streams; and the files for Grafana and
Prometheus, which name the page's metrics."""
import json
import os
import re
import subprocess
import threading
import urllib.request

import jsonschema
import live
import pytest
from livestates import connected, state
from rich.console import Console

from clqc.errors import ClqcError
from clqc.live.outputs import JsonLines, Output
from clqc.live.terminal import Terminal

FILES = os.path.join(live.HERE, '..', 'live')


def lossy():
    """Whose disk is full."""
    output = JsonLines('/dev/full', lambda _: None)
    output.open([state()])
    output.close()
    return output


def page():
    client = pytest.importorskip('prometheus_client')
    from clqc.live.prometheus import Collector
    registry = client.CollectorRegistry()
    one = connected()
    one.events = {'black': 2}
    one.open = {'black': 1.0}
    new = state('new')
    film = state('film')
    film.connection = 'ended'
    registry.register(Collector([one, new, film], threading.RLock(),
                                ['black', 'scene'],
                                [Terminal(Console()), lossy(), Output()]))
    return client.generate_latest(registry).decode()


@pytest.mark.parametrize('host', ['127.0.0.1', '::1', 'localhost'])
def test_hosts(host):
    """The page is available at the requested address, also by IPv6."""
    pytest.importorskip('prometheus_client')
    from clqc.live.prometheus import Prometheus
    shown = f'[{host}]' if ':' in host else host
    port = live.free_port()
    output = Prometheus(host, port, threading.RLock(), [], [])
    try:
        output.open([state()])
    except ClqcError as error:
        if host == '::1' and not os.path.exists('/proc/net/if_inet6'):
            pytest.skip(f'there is no IPv6: {error}')
        raise
    try:
        with urllib.request.urlopen(f'http://{shown}:{port}/metrics',
                                    timeout=60) as answer:
            assert b'clqc_frames_total{stream="cam"} 0.0' in answer.read()
    finally:
        output.close()


def test_page():
    text = page()
    for line in ('clqc_frames_total{stream="cam"} 9.0',
                 'clqc_dropped_frames_total{stream="cam"} 1.0',
                 'clqc_healthy{stream="cam"} 1.0',
                 'clqc_connected{stream="new"} 0.0',
                 'clqc_ended{stream="film"} 1.0',
                 'clqc_ended{stream="new"} 0.0',
                 'clqc_behind_seconds{stream="cam"} 0.25',
                 'clqc_statistic{statistic="YAVG",stream="cam"} 99.5',
                 'clqc_events_total{event="black",stream="cam"} 2.0',
                 'clqc_event_open{event="black",stream="cam"} 1.0',
                 'clqc_lost_messages_total{output="terminal"} 0.0',
                 'clqc_lost_messages_total{output="jsonl"} 1.0'):
        assert line in text
    assert text.count('clqc_lost_messages_total{') == 2
    assert 'clqc_healthy{stream="new"}' not in text


def names_in(text):
    return set(re.findall(r'\bclqc_[a-z_]+', text))


def names_of_page():
    return {line.split('{')[0] for line in page().split('\n')
            if line.startswith('clqc_')}


# The fields of the classic model in Grafana's documentation, as far as this
# dashboard has them.
PANEL = {
    'type': 'object', 'additionalProperties': False,
    'required': ['id', 'title', 'type', 'gridPos', 'targets', 'fieldConfig'],
    'properties': {
        'id': {'type': 'integer', 'minimum': 1},
        'title': {'type': 'string', 'minLength': 1},
        'description': {'type': 'string'},
        'type': {'enum': ['stat', 'timeseries', 'state-timeline']},
        'datasource': {'const': {'type': 'prometheus',
                                 'uid': '${datasource}'}},
        'gridPos': {'type': 'object', 'required': ['x', 'y', 'w', 'h'],
                    'properties': {'x': {'maximum': 23, 'minimum': 0},
                                   'w': {'maximum': 24, 'minimum': 1}}},
        'fieldConfig': {'type': 'object',
                        'required': ['defaults', 'overrides']},
        'options': {'type': 'object'},
        'targets': {'type': 'array', 'minItems': 1, 'items': {
            'type': 'object', 'required': ['expr', 'refId', 'legendFormat'],
            'properties': {'expr': {'type': 'string'},
                           'refId': {'pattern': '^[A-Z]$'}}}}}}
DASHBOARD = {
    'type': 'object',
    'required': ['title', 'uid', 'schemaVersion', 'panels', 'templating',
                 'time', 'refresh'],
    'properties': {
        'uid': {'type': 'string', 'maxLength': 40},
        'schemaVersion': {'type': 'integer', 'minimum': 36},
        'panels': {'type': 'array', 'minItems': 1, 'items': PANEL},
        'templating': {'type': 'object', 'required': ['list'], 'properties': {
            'list': {'items': {'required': ['name', 'type', 'query']}}}}}}


def test_dashboard():
    with open(os.path.join(FILES, 'dashboard.json'),
              encoding='utf-8') as file:
        text = file.read()
    dashboard = json.loads(text)
    jsonschema.validate(dashboard, DASHBOARD)
    assert names_in(text) - {'clqc_statistics'} <= names_of_page()
    assert names_of_page() <= names_in(text)
    numbers = [panel['id'] for panel in dashboard['panels']]
    assert len(set(numbers)) == len(numbers)
    taken = set()
    for panel in dashboard['panels']:
        place = panel['gridPos']
        assert place['x'] + place['w'] <= 24
        cells = {(x, y) for x in range(place['x'], place['x'] + place['w'])
                 for y in range(place['y'], place['y'] + place['h'])}
        assert not cells & taken
        taken |= cells


def test_alerts_name_existing_metrics():
    with open(os.path.join(FILES, 'alerts.yml'), encoding='utf-8') as file:
        assert names_in(file.read()) <= names_of_page()


needs_promtool = pytest.mark.skipif(not live.program('promtool'),
                                    reason='there is no promtool')


@needs_promtool
@pytest.mark.parametrize('words', [['check', 'rules', 'alerts.yml'],
                                   ['test', 'rules', 'alerts_test.yml']])
def test_alerts(words):
    done = subprocess.run([live.program('promtool'), *words], cwd=FILES,
                          check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@needs_promtool
def test_queries_of_the_dashboard(tmp_path):
    """promtool parses each, as the expression of a rule."""
    with open(os.path.join(FILES, 'dashboard.json'),
              encoding='utf-8') as file:
        panels = json.load(file)['panels']
    queries = [target['expr'] for panel in panels
               for target in panel['targets']]
    rules = [{'record': f'query:{number}', 'expr': query.replace(
        '$__rate_interval', '1m')} for number, query in enumerate(queries)]
    path = tmp_path / 'rules.yml'
    path.write_text(json.dumps(
        {'groups': [{'name': 'dashboard', 'rules': rules}]}))
    done = subprocess.run([live.program('promtool'), 'check', 'rules', path],
                          check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@needs_promtool
def test_page_follows_the_conventions():
    done = subprocess.run([live.program('promtool'), 'check', 'metrics'],
                          input=page(), check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and not done.stdout, done.stdout
