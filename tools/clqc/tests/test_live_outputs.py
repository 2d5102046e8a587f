# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of clqc watch, without streams."""
import errno
import gc
import io
import json
import os
import re
import threading

import live
import pytest
from jumping import Jumping
from livestates import BLACK, FORM, connected, state
from rich.console import Console

from clqc.live.judging.health import Fault
from clqc.live.outputs.base import JsonLines, Lines
from clqc.live.outputs.state import event_message, state_message
from clqc.live.outputs.terminal import Terminal


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
        'event': 'signal-loss', 'state': 'end', 'duration': 3 * 10 ** 9,
        'silence': 0})
    assert lost['duration'] == 3.0


def lines_of(*changes, is_quiet=False):
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


def fail_with_gap(one, terminal):
    one.health.update([BLACK, Fault('events.gap', 'error', 'Gap.'), Fault(
        'events.silence', 'warning', 'Silence.')], 1)
    terminal.changed(one)


def lose(one, terminal):
    one.connection, one.error, one.form = 'waiting', 'no \x1b[2J route', {}
    terminal.changed(one)


def test_lines_of_a_terminal():
    assert lines_of(connect, connect, fail, fail, lose, lose) == [
        'cam: 64 × 48 I420, 25 frames/s, no sound', 'cam: healthy',
        'cam: UNHEALTHY: Black picture; none is allowed.',
        'cam: not connected: no \\x1b[2J route']


def test_reasons_that_come_and_go():
    black = 'cam: UNHEALTHY: Black picture; none is allowed.'
    assert lines_of(connect, fail, fail_with_gap, fail, fail_with_gap, fail,
                    connect, fail_with_gap)[1:] == [
        'cam: healthy', black, f'{black} Gap. Warning: Silence.',
        'cam: healthy', f'{black} Gap. Warning: Silence.']


def test_frames_that_cannot_be_encoded():
    """Each stream has one line, whatever happens later."""
    def lose_picture(one, terminal):
        terminal.no_picture(one, 'clupload0: no memory')
        terminal.tick()
        terminal.no_picture(one, 'clupload1: no memory')
        terminal.no_picture(state('other'), 'no memory')
    assert lines_of(lose_picture, lose_picture) == [
        'cam: no picture: clupload0: no memory',
        'other: no picture: no memory']


def test_quiet_terminal():
    assert lines_of(connect, fail, lose, is_quiet=True) == [
        'cam: healthy', 'cam: UNHEALTHY: Black picture; none is allowed.']


def test_stopped_terminal():
    """For example by Ctrl-S. The number of omitted lines is printed, too."""
    class Stopped(io.StringIO):
        goes_on = threading.Event()

        def write(self, text):
            self.goes_on.wait()
            return super().write(text)
    file = Stopped()
    terminal = Terminal(Console(file=file, soft_wrap=True))
    terminal.open([state()])
    for _ in range(10_050):
        terminal.say('x')
    n_lost = terminal.n_lost
    assert 40 <= n_lost <= 50
    terminal.tick()
    file.goes_on.set()
    live.until(lambda: terminal._lines.is_idle, 60, 'shown')
    terminal.tick()
    terminal.close()
    lines = file.getvalue().splitlines()
    assert lines[-1].endswith(f' {n_lost} lines were lost here')
    assert sum('lost' in line for line in lines) == 1


def test_table():
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    terminal = Terminal(console)
    terminal.open([connected(False)])
    terminal.close()
    shown = text.getvalue()
    assert 'UNHEALTHY' in shown and '99.5' in shown
    # the frame rate, missing frames and dropped frames
    assert re.search(r' 24\.5 +3 +1 ', shown)


def test_writers_never_block():
    """A terminal that was stopped, a disk that blocks."""
    goes_on = threading.Event()
    lines = Lines(lambda _: goes_on.wait() and None)
    n_lost = sum(not lines.put(str(number)) for number in range(10_100))
    assert 90 <= n_lost <= 100
    goes_on.set()
    lines.close()


def read(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def written(path, lines):
    live.until(lambda: path.exists() and len(read(path)) == lines, 60, path)
    return read(path)


def test_moved_file(tmp_path):
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
def test_full_disk():
    complaints = []
    output = JsonLines('/dev/full', complaints.append)
    output.open([state(), state('b')])
    output.close()
    assert complaints == ['/dev/full: No space left on device; '
                          'lines are lost']
    assert output.n_lost == 2


@pytest.mark.parametrize('is_shared', [False, True])
def test_disk_with_free_space_again(tmp_path, monkeypatch, is_shared):
    """The number of lost lines is reported. A truncated line is removed; if
    another program has written after it, it damages no other line."""
    complaints = []
    is_full = threading.Event()
    write = os.write

    def written_in_part(descriptor, data):
        if not is_full.is_set() or descriptor < 3:
            return write(descriptor, data)
        if data.startswith(b'{'):
            count = write(descriptor, data[:5])
            if is_shared:
                with open(path, 'ab', 0) as file:
                    write(file.fileno(), b'!')
            return count
        raise OSError(errno.ENOSPC, 'No space left on device')
    monkeypatch.setattr(os, 'write', written_in_part)
    path = tmp_path / 'x'
    output = JsonLines(str(path), complaints.append)
    output.open([])
    one = connected()
    is_full.set()
    for _ in range(3):
        output.changed(one)
    live.until(lambda: output.n_lost == 3, 60, 'lines are lost')
    is_full.clear()
    output.statistics(one)
    live.until(lambda: len(complaints) == 2, 60,
               'the end of the losses is reported')
    output.close()
    assert complaints == [f'{path}: No space left on device; lines are lost',
                          f'{path}: 3 lines were lost']
    *rest, last = path.read_text(encoding='utf-8').splitlines()
    assert json.loads(last)['type'] == 'statistics'
    assert rest == (['{"tim!'] if is_shared else [])


def test_slow_disk(tmp_path, monkeypatch):
    complaints = []
    goes_on = threading.Event()
    monkeypatch.setattr(JsonLines, '_is_moved',
                        lambda _: goes_on.wait() and False)
    output = JsonLines(str(tmp_path / 'x'), complaints.append)
    output.open([])
    one = connected()
    for _ in range(10_050):
        output.changed(one)
    assert 40 <= output.n_lost <= 50
    assert complaints == [f'{tmp_path / "x"}: written too slowly; '
                          'lines are lost']
    goes_on.set()
    live.until(lambda: len(complaints) == 2, 60,
               'the end of the losses is reported')
    output.close()
    assert complaints[1:] == [
        f'{tmp_path / "x"}: {output.n_lost} lines were lost']


def test_queue_of_mqtt_is_bounded():
    """There is no receiver, and a thousand messages wait."""
    pytest.importorskip('paho.mqtt.client')
    from clqc.live.configuration import output_addresses
    from clqc.live.outputs import mqtt
    output = mqtt.Mqtt(output_addresses.broker(
        f'mqtt://127.0.0.1:{live.free_port()}'), lambda _: None)
    one = state()
    output.open([one])
    for _ in range(mqtt.MOST_WAITING + 50):
        output.event(one, {'event': 'black'})
    assert output.n_lost == 50
    output.close()


def test_broker_that_does_not_answer():
    """It accepts the connection, and does not answer. One line reports that,
    and another one if the output is opened again."""
    pytest.importorskip('paho.mqtt.client')
    from clqc.live.configuration import output_addresses
    from clqc.live.outputs import mqtt
    complaints, clock = [], Jumping()
    with live.socket.create_server(('127.0.0.1', 0)) as server:
        port = server.getsockname()[1]
        output = mqtt.Mqtt(output_addresses.broker(f'mqtt://127.0.0.1:{port}'),
                           complaints.append, clock)
        for n_before in 0, 1:
            output.open([state()])
            clock.sleep(3)
            output.tick()
            assert len(complaints) == n_before
            for _ in range(3):
                clock.sleep(1)
                output.tick()
            live.until(lambda: len(complaints) > n_before, live.GUARD,
                       'a complaint')
            output.close()
    assert complaints == 2 * [
        f'MQTT: 127.0.0.1:{port} does not answer; clqc continues '
        'and retries']


def test_closed_output_has_no_descriptors():
    """A configuration that is read again may name another broker."""
    pytest.importorskip('paho.mqtt.client')
    from clqc.live.configuration import output_addresses
    from clqc.live.outputs import mqtt
    gc.collect()
    gc.disable()
    try:
        before = len(os.listdir('/proc/self/fd'))
        output = mqtt.Mqtt(output_addresses.broker(
            f'mqtt://127.0.0.1:{live.free_port()}'), lambda _: None)
        for _ in range(2):
            output.open([state()])
            output.close()
        assert len(os.listdir('/proc/self/fd')) > before
        del output
        assert len(os.listdir('/proc/self/fd')) == before
    finally:
        gc.enable()


KEEPS = {'keeps': True, 'more': 'max_queued_messages 0'}
HEARD = ('-c', '-i', 'heard')


@pytest.fixture(name='away')
def _away(tmp_path):
    """Returns the output to an absent broker, with the maximum number of
    waiting events. The broker will keep messages for a subscriber."""
    pytest.importorskip('paho.mqtt.client')
    if not live.program('mosquitto') or not live.program('mosquitto_sub'):
        pytest.skip('there is no mosquitto')
    from clqc.live.configuration import output_addresses
    from clqc.live.outputs import mqtt
    complaints = []
    port = live.free_port()
    with live.Broker(tmp_path, port, **KEEPS) as broker:
        live.Subscriber(port, 'full', *HEARD).kill()
        broker.stop()
    output = mqtt.Mqtt(
        output_addresses.broker(f'mqtt://127.0.0.1:{port}/full'),
        complaints.append)
    states = [state(f'cam{number}') for number in range(5)]
    output.open(states)
    for number in range(mqtt.MOST_WAITING + 50):
        output.event(states[0], {'event': 'black', 'number': number})
    yield output, states, port, complaints
    output.close()


@pytest.mark.complete
def test_states_precede_waiting_events(away, tmp_path):
    """While events wait for the broker, the newest state of each stream and
    `online` are sent first."""
    output, states, port, complaints = away
    for one in states:
        one.health.update([BLACK], 0)
        output.changed(one)
    with live.Broker(tmp_path, port, **KEEPS), live.Subscriber(
            port, 'full', *HEARD) as heard:
        live.until(lambda: (output.tick(), output._n_events < 900)[1], 60,
                   'events are acknowledged')
        states[1].health.update([], 99)
        output.changed(states[1])
        for one in states:
            heard.wait(f'full/{one.name}/state',
                       healthy=one is states[1])
        heard.wait('full/status', text='online')
        heard.wait('full/cam0/event', number=999)
        live.until(lambda: (output.tick(), not output._waiting)[1], 60,
                   'all are acknowledged')
        assert output._n_events == 0 and not +output._n_waiting
        assert [line for line in complaints if 'lost' in line] == [
            f'MQTT: 127.0.0.1:{port}: 1000 events are waiting for it; '
            'events are lost',
            f'MQTT: 127.0.0.1:{port}: 50 events were lost']
        output.close()
        heard.wait('full/status', text='offline')


@pytest.mark.complete
def test_states_of_broken_connections(away):
    """A broker that acknowledges nothing gets few messages of a state; when it
    acknowledges, it gets the newest one."""
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
    output._client._out_messages.clear()  # like acknowledgements
    for number in list(output._waiting):
        output._on_publish(None, None, number)
    output.tick()
    assert json.loads(dict(sent)['full/cam0/state'])['restarts'] == 199
    output._on_disconnect()
