# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page for Prometheus, without streams; and the files for Grafana and
Prometheus, which name the page's metrics."""
import json
import os
import re
import subprocess
import threading
import urllib.error
import urllib.request

import jsonschema
import live
import pytest
import yaml
from jumping import Jumping
from livestates import connected, state
from rich.console import Console

from clqc.common.errors import ClqcError
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.outputs.base import JsonLines, Output
from clqc.live.outputs.terminal import Terminal

FILES = os.path.join(live.HERE, '..', 'examples')


def lossy():
    """Whose disk is full."""
    output = JsonLines('/dev/full', lambda _: None)
    output.open([state()])
    output.close()
    return output


class Away(Output):
    """Its server is not connected."""
    name = 'away'
    is_connected = False


def page():
    client = pytest.importorskip('prometheus_client')
    from clqc.live.outputs.prometheus import Collector
    registry = client.CollectorRegistry()
    one = connected()
    one.events = {'black': 2}
    one.open = {'black': 1.0}
    new = state('new')
    film = state('film')
    film.connection = 'ended'
    film.muted = 'maintenance'
    bad = connected(False)
    bad.stream = Stream('bad', 'udp://127.0.0.1:9')
    back = connected(False)
    back.stream = Stream('back', 'udp://127.0.0.1:9')
    back.health.healthy_after = 10
    back.health.update([], 1)
    registry.register(Collector([one, new, film, bad, back], threading.RLock(),
                                ['black', 'scene'],
                                [Terminal(Console()), lossy(), Output(),
                                 Away()]))
    return client.generate_latest(registry).decode()


@pytest.mark.parametrize('host', ['127.0.0.1', '::1', 'localhost'])
def test_hosts(host):
    """The page is available at the requested address, also by IPv6."""
    pytest.importorskip('prometheus_client')
    from clqc.live.outputs.prometheus import Prometheus
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
            text = answer.read().decode()
        assert 'clqc_frames_total{stream="cam"} 0.0' in text
        # of this process
        assert float(re.search('^process_resident_memory_bytes (.*)$', text,
                               re.MULTILINE)[1]) > 1e6
    finally:
        output.close()


def test_page_about_itself():
    """A watching thread that has not run for ten seconds is stuck, even if it
    holds its lock."""
    pytest.importorskip('prometheus_client')
    from clqc.live.outputs.prometheus import STUCK_SECONDS, Prometheus
    clock, lock, port = Jumping(), threading.RLock(), live.free_port()
    output = Prometheus('127.0.0.1', port, lock, [], [], clock)
    output.open([state()])

    def read():
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{port}/healthz',
                                        timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
    try:
        with lock:
            assert read() == (200, b'ok\n')
            clock.sleep(STUCK_SECONDS)
            assert read() == (200, b'ok\n')
            clock.sleep(2)
            assert read() == (
                503, b'clqc watch has not worked for 12 seconds\n')
            output.tick()
            assert read() == (200, b'ok\n')
    finally:
        output.close()


def test_page():
    text = page()
    for line in ('clqc_frames_total{stream="cam"} 9.0',
                 'clqc_dropped_frames_total{stream="cam"} 1.0',
                 'clqc_missing_frames_total{stream="cam"} 3.0',
                 'clqc_packets_total{kind="ts",stream="cam"} 93.0',
                 'clqc_lost_packets_total{kind="ts",stream="cam"} 7.0',
                 'clqc_lost_packets_total{kind="rtp-late",stream="cam"} 0.0',
                 'clqc_transport_errors_total{kind="continuity",'
                 'stream="cam"} 2.0',
                 'clqc_decode_errors_total{kind="video",stream="cam"} 4.0',
                 'clqc_frame_rate{stream="cam"} 24.5',
                 'clqc_stream_info{codec="H.264",format="I420",height="48",'
                 'rate="25",stream="cam",width="64"} 1.0',
                 'clqc_healthy{stream="cam"} 1.0',
                 'clqc_connected{stream="new"} 0.0',
                 'clqc_ended{stream="film"} 1.0',
                 'clqc_ended{stream="new"} 0.0',
                 'clqc_muted{stream="cam"} 0.0',
                 'clqc_muted{stream="film"} 1.0',
                 'clqc_behind_seconds{stream="cam"} 0.25',
                 'clqc_statistic{statistic="YAVG",stream="cam"} 99.5',
                 'clqc_events_total{event="black",stream="cam"} 2.0',
                 'clqc_event_open{event="black",stream="cam"} 1.0',
                 'clqc_memory_bytes{stream="cam"} 5e+06',
                 'clqc_reason{rule="events.black",severity="error",'
                 'stream="bad"} 1.0',
                 # it recovers
                 'clqc_reason{rule="events.black",severity="error",'
                 'stream="back"} 1.0',
                 'clqc_output_connected{output="away"} 0.0',
                 'clqc_lost_messages_total{output="terminal"} 0.0',
                 'clqc_lost_messages_total{output="jsonl"} 1.0'):
        assert line in text
    assert text.count('clqc_lost_messages_total{') == 3
    for name, count in ('reason', 2), ('output_connected', 1):
        assert text.count(f'clqc_{name}{{') == count
    assert 'clqc_memory_bytes{stream="new"}' not in text
    for name in 'healthy', 'frame_rate':
        assert f'clqc_{name}{{stream="new"}}' not in text
    assert text.count('clqc_stream_info{') == 3


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


def test_alerts_of_streams_leave_muted_ones_out():
    with open(os.path.join(FILES, 'alerts.yml'), encoding='utf-8') as file:
        alerts = file.read().split('- alert: ')[1:]
    of_streams = [alert for alert in alerts if '$labels.stream' in alert]
    assert 5 < len(of_streams) < len(alerts)
    for alert in of_streams:
        assert 'clqc_muted' in alert.split('annotations:')[0], alert


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


class Alertmanager(live.Process):
    """Alertmanager with the shipped rules, which sends nothing."""

    def __init__(self, folder):
        with open(os.path.join(FILES, 'inhibitions.yml'),
                  encoding='utf-8') as file:
            rules = yaml.safe_load(file)
        config = folder / 'alertmanager.yml'
        config.write_text(json.dumps({
            'route': {'receiver': 'none'}, 'receivers': [{'name': 'none'}],
            **rules}))
        self.page = f'http://127.0.0.1:{live.free_port()}'
        super().__init__(
            live.program('prometheus-alertmanager'), '--config.file', config,
            '--storage.path', folder, '--cluster.listen-address', '',
            '--web.listen-address', self.page.removeprefix('http://'),
            stderr=subprocess.DEVNULL)
        live.until(self._answers, live.GUARD, 'alertmanager')

    def _answers(self):
        try:
            with urllib.request.urlopen(f'{self.page}/-/ready',
                                        timeout=60) as answer:
                return answer.status == 200
        except OSError:
            return False

    def fire(self, labels):
        request = urllib.request.Request(
            f'{self.page}/api/v2/alerts', json.dumps(
                [{'labels': one} for one in labels]).encode(),
            {'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=60):
            pass

    def sent(self, last):
        """Returns the names of the alerts that are not inhibited. @last: an
        alert that is inhibited by the one that was fired last, so that the
        server has taken account of all."""
        def all_alerts():
            with urllib.request.urlopen(f'{self.page}/api/v2/alerts',
                                        timeout=60) as answer:
                found = json.load(answer)
            return found if any(
                one['labels'] == last and one['status']['inhibitedBy']
                for one in found) else None
        return sorted((one['labels']['alertname'], one['labels'].get('stream'))
                      for one in live.until(all_alerts, live.GUARD, 'alerts')
                      if not one['status']['inhibitedBy'])


@pytest.mark.skipif(not live.program('prometheus-alertmanager'),
                    reason='there is no prometheus-alertmanager')
def test_one_alert_for_a_cause(tmp_path):
    """A dead stream, one that is reopened again and again, others that are
    slow, of which one is black; a machine that is gone, a broker that is away.
    """
    def of(instance, stream, *names):
        return [{'alertname': f'Clqc{name}', 'instance': instance,
                 **({'stream': stream} if stream else {})} for name in names]
    everything = ('StreamNotConnected', 'StreamStands', 'StreamUnstable',
                  'StreamBehind', 'FramesDropped')
    labels = [
        *of('a', 'dead', 'StreamUnhealthy', *everything),
        *of('a', 'new', *everything),
        *of('a', 'slow', 'StreamBehind', 'FramesDropped'),
        *of('a', 'black', 'StreamUnhealthy', 'StreamBehind'),
        *of('b', 'dead', 'StreamUnhealthy', 'StreamNotConnected'),
        *of('b', None, 'Gone'),
        *({'alertname': f'Clqc{name}', 'instance': 'a', 'output': output}
          for name, output in (('MessagesLost', 'jsonl'),
                               ('MessagesLost', 'mqtt'),
                               ('OutputNotConnected', 'mqtt')))]
    with Alertmanager(tmp_path) as server:
        server.fire(labels)
        assert server.sent(labels[-2]) == sorted([
            ('ClqcStreamUnhealthy', 'dead'),
            ('ClqcStreamUnhealthy', 'black'), ('ClqcStreamBehind', 'black'),
            ('ClqcStreamNotConnected', 'new'), ('ClqcStreamStands', 'new'),
            ('ClqcStreamBehind', 'slow'), ('ClqcFramesDropped', 'slow'),
            ('ClqcGone', None), ('ClqcOutputNotConnected', None),
            ('ClqcMessagesLost', None)], key=lambda row: (row[0], row[1] or '')
        )


def test_inhibitions_name_existing_alerts():
    with open(os.path.join(FILES, 'alerts.yml'), encoding='utf-8') as file:
        rules = yaml.safe_load(file)['groups'][0]['rules']
    with open(os.path.join(FILES, 'inhibitions.yml'),
              encoding='utf-8') as file:
        names = re.findall(r'\bClqc\w+', file.read())
    assert set(names) <= {rule['alert'] for rule in rules}


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
