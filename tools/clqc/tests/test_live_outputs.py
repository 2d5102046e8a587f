# SPDX-License-Identifier: LGPL-2.1-or-later
"""What outputs write, without streams; and the files for Grafana and
Prometheus, which name what the page has."""
import io
import json
import os
import re
import subprocess
import threading
import time

import jsonschema
import live
import pytest
from rich.console import Console

from clqc.live.health import Fault, Health
from clqc.live.outputs import JsonLines, Lines
from clqc.live.sources import Stream
from clqc.live.state import State, event_message, state_message
from clqc.live.terminal import Terminal

FILES = os.path.join(live.HERE, '..', 'live')
BLACK = Fault('events.black', 'error', 'Black picture; none is allowed.')
FORM = {'width': 64, 'height': 48, 'format': 'I420', 'rate': [25, 1],
        'sound': False}


def state(name='cam', uri='rtsp://me:secret@host/1'):
    return State(Stream(name, uri), Health())


def connected(healthy=True):
    one = state()
    one.connection = 'connected'
    one.form = FORM
    one.health.update([] if healthy else [BLACK], 0)
    one.count({'frames': 9, 'dropped': 1, 'behind': 0.25, 'position': 3.0,
               'statistics': {'YAVG': 99.5}, 'faults': []})
    return one


def test_counts_add_up():
    one = connected()
    one.close()
    assert one.statistics == {} and one.behind is None
    one.count({'frames': 2, 'dropped': 0, 'behind': 0, 'position': 0,
               'statistics': {}, 'faults': []})
    assert (one.frames, one.dropped) == (11, 1)


def test_state_message():
    message = state_message(connected(False))
    assert message['healthy'] is False and message['form'] == FORM
    assert message['reasons'] == [BLACK.to_json()]
    assert message['uri'] == 'rtsp://me:***@host/1'
    assert re.match(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
                    message['time'])


def test_event_messages():
    began = event_message(state(), {
        'event': 'black', 'state': 'start', 'ago': 2.5, 'ratio': 1})
    assert began['ratio'] == 1 and 'duration' not in began
    assert began['at'] < began['time']
    lost = event_message(state(), {
        'event': 'signal-loss', 'state': 'end', 'duration': 0,
        'silence': 3 * 10 ** 9})
    assert lost['duration'] == 3.0


def said(*changes, is_quiet=False):
    text = io.StringIO()
    terminal = Terminal(Console(file=text, soft_wrap=True), is_quiet)
    one = state()
    terminal.open([one])
    for change in changes:
        change(one, terminal)
    terminal.close()
    return [line.split(' ', 1)[1] for line in text.getvalue().splitlines()]


def fail(one, terminal):
    one.health.update([BLACK], 1)
    terminal.changed(one)


def connect(one, terminal):
    one.connection, one.form = 'connected', FORM
    one.health.update([], 0)
    terminal.changed(one)


def lose(one, terminal):
    one.connection, one.error, one.form = 'waiting', 'no \x1b[2J route', {}
    terminal.changed(one)


def test_lines_of_a_terminal():
    assert said(connect, connect, fail, fail, lose, lose) == [
        'cam: 64 × 48 I420, 25 frames/s, no sound', 'cam: healthy',
        'cam: UNHEALTHY: Black picture; none is allowed.',
        'cam: not connected: no \\x1b[2J route']


def test_quiet_terminal():
    assert said(connect, fail, lose, is_quiet=True) == [
        'cam: healthy', 'cam: UNHEALTHY: Black picture; none is allowed.']


def test_table():
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    terminal = Terminal(console)
    terminal.open([connected(False)])
    terminal.close()
    assert 'UNHEALTHY' in text.getvalue() and '99.5' in text.getvalue()


def test_who_writes_is_never_held_up():
    """A terminal that was stopped, a disk that hangs."""
    goes_on = threading.Event()
    lines = Lines(lambda _: goes_on.wait(5) and None)
    started = time.monotonic()
    for number in range(10_100):
        lines.put(str(number))
    assert time.monotonic() - started < 2
    assert 90 <= lines.n_lost <= 100
    goes_on.set()
    lines.close()


def read(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def written(path, lines):
    live.until(lambda: path.exists() and len(read(path)) == lines, 5, path)
    return read(path)


def test_file_that_is_moved(tmp_path):
    complaints = []
    output = JsonLines(str(tmp_path / 'x'), complaints.append)
    one = connected()
    output.open([one])
    written(tmp_path / 'x', 1)
    os.rename(tmp_path / 'x', tmp_path / 'x.1')
    output.statistics(one)
    row, = written(tmp_path / 'x', 1)
    assert row['type'] == 'statistics' and row['behind'] == 0.25
    output.close()
    assert len(read(tmp_path / 'x.1')) == 1 and complaints == []


def test_file_is_added_to(tmp_path):
    for _ in range(2):
        output = JsonLines(str(tmp_path / 'x'), print)
        output.open([state()])
        output.close()
    assert len(read(tmp_path / 'x')) == 2


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='no /dev/full')
def test_disk_that_is_full():
    complaints = []
    output = JsonLines('/dev/full', complaints.append)
    output.open([state(), state('b')])
    output.close()
    assert len(complaints) == 1 and 'No space left' in complaints[0]


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
                                ['black', 'scene']))
    return client.generate_latest(registry).decode()


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
                 'clqc_event_open{event="black",stream="cam"} 1.0'):
        assert line in text
    assert 'clqc_healthy{stream="new"}' not in text


def names_in(text):
    return set(re.findall(r'\bclqc_[a-z_]+', text))


def names_of_page():
    return {line.split('{')[0] for line in page().split('\n')
            if line.startswith('clqc_')}


# The fields of the classic model that Grafana's documentation names, as far
# as this dashboard has them.
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


def test_alerts_name_what_there_is():
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


def test_queue_of_mqtt_is_bounded():
    """Nobody listens, and a thousand messages wait."""
    pytest.importorskip('paho.mqtt.client')
    from clqc.live import addresses, mqtt
    output = mqtt.Mqtt(addresses.broker(
        f'mqtt://127.0.0.1:{live.free_port()}'), lambda _: None)
    one = state()
    output.open([one])
    started = time.monotonic()
    for _ in range(mqtt.MOST_WAITING + 50):
        output.event(one, {'event': 'black'})
    assert time.monotonic() - started < 5
    assert output.n_lost == 50
    output.close()


@pytest.fixture(name='away')
def _away(tmp_path):
    """A broker that is away, with as many events as may wait for it."""
    pytest.importorskip('paho.mqtt.client')
    if not live.program('mosquitto') or not live.program('mosquitto_sub'):
        pytest.skip('there is no mosquitto')
    from clqc.live import addresses, mqtt
    said = []
    port = live.free_port()
    output = mqtt.Mqtt(addresses.broker(f'mqtt://127.0.0.1:{port}/full'),
                       said.append)
    states = [state(f'cam{number}') for number in range(5)]
    output.open(states)
    for number in range(mqtt.MOST_WAITING + 50):
        output.event(states[0], {'event': 'black', 'number': number})
    yield output, states, port, said
    output.close()


def test_states_get_past_events_that_wait(away, tmp_path):
    """The newest of each, and `online`."""
    output, states, port, said = away
    for one in states:
        one.health.update([BLACK], 0)
        output.changed(one)
    with live.Broker(tmp_path, port), live.Subscriber(port, 'full') as heard:
        end = time.monotonic() + 20
        while time.monotonic() < end and not output._n_events < 900:
            output.tick()
            time.sleep(0.05)
        states[1].health.update([], 99)
        output.changed(states[1])
        for one in states:
            heard.wait(f'full/{one.name}/state',
                       healthy=one is states[1])
        heard.wait('full/status', text='online')
        heard.wait('full/cam0/event', number=999)
        live.until(lambda: (output.tick(), not output._waiting)[1], 5,
                   'all are acknowledged')
        assert output._n_events == 0 and not +output._n_waiting
        assert any('50 events are lost' in line for line in said), said
        output.close()
        heard.wait('full/status', text='offline')


def test_states_of_connections_that_break(away):
    """A broker that acknowledges nothing gets few texts of a state, and the
    newest as soon as it does."""
    output, states, _, _ = away
    sent = []
    publish = output._client.publish

    def take(topic, text, *more):
        sent.append((topic, text))
        info = publish(topic, text, *more)
        assert info.rc != output._paho.MQTT_ERR_QUEUE_SIZE
        return info
    output._client.publish = take
    for number in range(200):
        output._on_connect(None, None, None, 0)
        states[0].restarts = number
        output.changed(states[0])
        output._on_disconnect()
    assert len(sent) <= 6 * 3
    output._on_connect(None, None, None, 0)
    output._client._out_messages.clear()  # as acknowledgements do
    for number in list(output._waiting):
        output._on_publish(None, None, number)
    output.tick()
    assert json.loads(dict(sent)['full/cam0/state'])['restarts'] == 199
    output._on_disconnect()
