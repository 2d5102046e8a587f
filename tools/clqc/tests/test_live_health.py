# SPDX-License-Identifier: LGPL-2.1-or-later
"""The state of a stream, waits, names and addresses: without GStreamer."""
import json
import os

import pytest

from clqc.common.errors import ClqcError
from clqc.inputs import discovery
from clqc.live.configuration import output_addresses, stream_addresses
from clqc.live.configuration.settings import Options
from clqc.live.judging.health import Fault, Health
from clqc.live.judging.judge import Rules
from clqc.live.processes.supervisor import GREATEST, RESET_AFTER, Backoff
from clqc.live.processes.watch import Watch

BLACK = Fault('events.black', 'error', 'Black picture; none is allowed.')
WARNING = Fault('events.white', 'warning', 'White picture.')


def test_first_judgement_does_not_wait():
    health = Health(1, 10)
    assert health.healthy is None and health.deadline is None
    assert health.update([], 100)
    assert health.healthy is True and health.reasons == []


def test_first_fault_has_to_last():
    health = Health(1, 10)
    health.update([BLACK], 100)
    assert health.healthy is None and health.deadline == 101
    assert health.update([BLACK], 101)
    assert health.healthy is False and health.reasons == [BLACK]


@pytest.mark.parametrize('faults, healthy', [([], True), ([BLACK], False)])
def test_end_before_a_judgement(faults, healthy):
    health = Health(1, 10)
    health.settle()
    assert health.healthy is None  # there was no frame
    health.update(faults, 100)
    health.settle()
    assert health.healthy is healthy and health.reasons == faults


def test_faults_have_to_last():
    health = Health(1, 10)
    health.update([], 0)
    assert not health.update([BLACK], 5)
    assert health.healthy is True and health.reasons == []
    assert health.deadline == 6
    health.update([], 5.9)
    assert not health.update([BLACK], 6)  # another one
    assert health.healthy is True and health.deadline == 7
    assert health.update([BLACK], 7)
    assert health.healthy is False and health.reasons == [BLACK]


def test_damage_lasts_from_its_first_to_its_last_error():
    """Its event, and the fault, remain open longer."""
    def gap(lasted):
        return Fault('events.gap', 'error', 'Gap.', lasted)
    health = Health(1, 10)
    health.update([], 0)
    for tenth in range(20):
        assert not health.update([gap(0.04)], 5 + tenth / 10)
    assert health.healthy is True and health.reasons == []
    health.update([], 7)
    assert health.update([gap(1)], 8)
    assert health.healthy is False
    health.update([], 9)
    health.update([gap(0.04)], 10)  # it delays the recovery
    health.update([], 11)
    assert health.deadline == 21
    assert Health(0, 10).update([gap(0)], 5)


def test_has_to_stay_well():
    health = Health(0, 10)
    health.update([BLACK], 0)
    assert health.healthy is False and health.deadline is None
    assert health.update([], 1)
    assert health.is_recovering and health.deadline == 11
    assert [fault.rule for fault in health.reasons] == ['live.recovering']
    assert 'Black picture' in health.reasons[0].message
    assert health.cause == BLACK
    health.update([BLACK], 10.9)
    assert health.reasons == [BLACK]
    health.update([], 12)
    assert not health.update([], 21.9)
    assert health.update([], 22)
    assert health.healthy is True and health.deadline is None


def test_warnings_keep_the_stream_healthy():
    health = Health(0, 0)
    assert health.update([WARNING], 0)
    assert health.healthy is True and health.reasons == [WARNING]
    assert health.update([WARNING, BLACK], 1)
    assert health.reasons == [BLACK, WARNING]


def test_changed_text_is_not_a_change_of_state():
    health = Health(0, 0)
    health.update([BLACK], 0)
    assert not health.update([Fault(BLACK.rule, 'error', 'Others.')], 1)
    assert health.reasons[0].message == 'Others.'


def test_waits_double_to_a_limit():
    backoff = Backoff(lambda: 1.0)
    waits = [backoff.wait(0) for _ in range(8)]
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]
    assert backoff.wait(RESET_AFTER) == 1


def test_waits_differ_by_chance():
    assert Backoff(lambda: 0.0).wait(0) == 0.5
    waits = {Backoff().wait(0) for _ in range(20)}
    assert len(waits) > 10 and all(0.5 <= wait <= 1 for wait in waits)
    assert GREATEST >= 30


@pytest.mark.parametrize('connections, frames, was_unhealthy, status', [
    (['ended', 'ended'], (9, 9), False, 0),
    (['ended', 'stopped'], (9, 9), True, 1),
    (['ended', 'failed'], (9, 9), False, 1),
    (['failed', 'failed'], (9, 9), False, 1),
    (['failed', 'failed'], (0, 0), True, 2),
    # streams that never deliver, until --seconds have passed
    (['stopped', 'stopped'], (9, 0), False, 1),
    (['stopped', 'stopped'], (0, 0), False, 2),
    (['stopped', 'failed'], (0, 0), True, 2)])
def test_exit_status(connections, frames, was_unhealthy, status):
    streams = [stream_addresses.Stream(name, f'x://{name}') for name in 'ab']
    watch = Watch(streams, Options(Rules(), 1, 10), [])
    for state, connection, count in zip(watch.states, connections, frames):
        state.connection, state.frames = connection, count
        state.was_unhealthy = was_unhealthy
    assert watch.status() == status


@pytest.mark.parametrize('uri, name', [
    ('rtsp://admin:pw@10.0.0.7:554/live/1', '10-0-0-7-554-live-1'),
    ('udp://239.1.1.1:5004', '239-1-1-1-5004'),
    ('srt://host:9000?passphrase=secret', 'host-9000'),
    ('v4l2:///dev/video0', 'video0')])
def test_names_from_uris(uri, name):
    stream, = stream_addresses.parse([uri])
    assert (stream.name, stream.uri, stream.is_file) == (name, uri, False)


def test_names_are_unique(tmp_path):
    for folder in 'ab':
        (tmp_path / folder).mkdir()
        (tmp_path / folder / 'one=two.mp4').write_bytes(b'')
    streams = stream_addresses.parse([
        str(tmp_path / 'a' / 'one=two.mp4'),
        str(tmp_path / 'b' / 'one=two.mp4'),
        'one-two-2=rtsp://x/?a=b', 'rtsp://x/?a=c'])
    assert [stream.name for stream in streams] == [
        'one-two', 'one-two-3', 'one-two-2', 'x']
    assert streams[0].is_file and streams[2].uri == 'rtsp://x/?a=b'


def test_paths(tmp_path):
    os.mkfifo(tmp_path / 'channel')
    (tmp_path / 'camera.sdp').write_text('v=0')
    fifo, sdp = stream_addresses.parse([str(tmp_path / 'channel'),
                                        f'file://{tmp_path}/camera.sdp'])
    assert fifo.uri == f'fifo://{tmp_path}/channel' and not fifo.is_file
    assert sdp.uri == f'sdp://{tmp_path}/camera.sdp' and not sdp.is_file


def why_not(path):
    """Returns why the stream of a path cannot be opened. Its state can be
    written as a line."""
    stream, = stream_addresses.parse([str(path)])
    json.dumps(stream.shown + stream.name, ensure_ascii=False).encode()
    with pytest.raises(ClqcError) as raised:
        stream.opened()
    str(raised.value).encode()
    return str(raised.value)


def test_path_with_any_byte(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path / 'a') + b'\xff.mp4')
    with open(path, 'wb'):
        pass
    assert why_not(path).endswith('a\\xff.mp4: ' + discovery.NOT_UTF8)
    assert why_not(path + '.sdp').endswith('no such file')


def test_paths_that_cannot_be_opened(tmp_path, monkeypatch):
    assert why_not(tmp_path / 'x.mp4') == f'{tmp_path}/x.mp4: no such file'
    assert why_not('/') == '/: a folder, not a file'
    (tmp_path / 'loop').symlink_to('loop')
    assert 'symbolic links' in why_not(tmp_path / 'loop')
    assert 'embedded null' in why_not(tmp_path / 'a\0b')
    (tmp_path / 'mine').write_text('')
    assert 'Not a directory' in why_not(tmp_path / 'mine' / 'x')
    monkeypatch.setattr(os, 'access', lambda *_: False)
    assert why_not(tmp_path / 'mine').endswith('mine: permission denied')


@pytest.mark.parametrize('path, uri, is_file', [
    ('/dev/video99', 'v4l2:///dev/video99', False),
    ('/dev/v4l/by-id/cam', 'v4l2:///dev/v4l/by-id/cam', False),
    ('/nothing/x.sdp', 'sdp:///nothing/x.sdp', False),
    ('/nothing/x', 'file:///nothing/x', True)])
def test_missing_paths(path, uri, is_file):
    """They are what their names say, until they are there."""
    for word in path, f'a={path}', f'file://{path}':
        stream, = stream_addresses.parse([word])
        assert (stream.uri, stream.is_file) == (uri, is_file)
        assert stream.is_card == uri.startswith('v4l2')


def test_path_becomes_something(tmp_path):
    stream, = stream_addresses.parse([str(tmp_path / 'x')])
    assert stream.is_file
    os.mkfifo(tmp_path / 'x')
    assert stream.opened() == stream_addresses.Stream(
        'x', f'fifo://{tmp_path}/x', False, f'{tmp_path}/x')
    (tmp_path / 'x').unlink()
    (tmp_path / 'x').write_text('')
    assert stream.opened() == stream


@pytest.mark.parametrize('words, why', [
    (['1me:secret@camera/1'], r'^1me:\*\*\*@camera/1: no such file'),
    (['t\xfcr=rtsp://a:b@c'], "^'t\xfcr' is not a name of a stream, "),
    (['t\xfcr=/dev/video99'], "^'t\xfcr' is not a name of a stream, "),
    (['the door=/'], "^'the door' is not a name of a stream, "),
    (['a=rtsp://x', 'a=rtsp://y'], 'two streams are named a'),
    # NFKC of the sign has a slash: urlsplit() prints what is before the path
    (['rtsp://me:s3cret@h\u2100'], r'^((?!s3cret).)*not a URI((?!s3cret).)*$')
])
def test_invalid_streams(words, why):
    with pytest.raises(ClqcError, match=why):
        stream_addresses.parse(words)


@pytest.mark.parametrize('uri', [
    'rtsp://admin:s3cret@camera/1', 'rtsp://:s3cret@camera',
    'rtsp://admin:s3cret@10.0.0.1:554/1?a=b@c', 'admin:s3cret@camera/1',
    'srt://h:1?mode=caller&passphrase=s3cret&x=1',
    'https://h/x.m3u8?X-Amz-Signature=s3cret',
    'https://h/?access_token=s3cret',
    'rtmp://h/app/x playpath=y apikey=s3cret',
    'could not open rtsp://a:s3cret@b/c, sorry'])
def test_secrets_are_hidden(uri):
    assert 's3cret' not in stream_addresses.masked(uri)
    assert '***' in stream_addresses.masked(uri)
    assert stream_addresses.secrets(uri) == ['s3cret']


@pytest.mark.parametrize('password', ['pa/s3cret', 's3cret#1', 'a?s3cret',
                                      's3@cret'])
def test_passwords_outside_uris(password):
    """They are not quoted, and hidden all the same."""
    stream, = stream_addresses.parse([f'rtsp://admin:{password}@camera/live'])
    assert 's3' not in stream.shown + stream.name
    assert 'cret' not in stream.shown + stream.name
    assert stream_addresses.secrets(stream.uri) == [password]


@pytest.mark.parametrize('uri', [
    'rtsp://admin@camera:554/a:b@c', 'rtsp://camera:554/a@b',
    'rtsp://[fe80::1]:554/a@b', 'udp://239.1.1.1:5004', 'file:///a:b@c'])
def test_public_parts_are_shown(uri):
    assert stream_addresses.masked(
        uri) == uri and stream_addresses.secrets(uri) == []


def test_broker():
    broker = output_addresses.broker('mqtt://us%40er:p%2Fw@h:99/qc/one/')
    assert (broker.host, broker.port, broker.prefix, broker.user,
            broker.password, broker.is_secure) == (
        'h', 99, 'qc/one', 'us@er', 'p/w', False)
    assert output_addresses.broker('mqtt://h').port == 1883
    assert output_addresses.broker('mqtts://h').port == 8883
    assert output_addresses.broker('mqtt://h').prefix == 'clqc'
    assert output_addresses.broker('mqtt://h').shown == 'h:1883'
    assert output_addresses.broker('mqtt://[::1]').shown == '[::1]:1883'


def test_password_of_the_environment(monkeypatch):
    monkeypatch.setenv(output_addresses.PASSWORD, 'other')
    assert output_addresses.broker('mqtt://a@h').password == 'other'
    assert output_addresses.broker('mqtt://a:b@h').password == 'b'


@pytest.mark.parametrize('url, why', [
    ('http://h', 'not an MQTT URL'), ('mqtt:///x', 'it has no host'),
    ('mqtt://h:x', 'not a port'), ('mqtt://[::1/x', 'not a URL'),
    ('mqtt://h/a%23', 'is not a topic'),
    ('mqtt://h/a?ca=b', 'mqtts alone'), ('mqtts://h/a?b=c', 'ca=FILE'),
    ('mqtts://h/a?ca=/nothing', '/nothing: no such file')])
def test_invalid_brokers(url, why):
    with pytest.raises(ClqcError, match=why):
        output_addresses.broker(url)


def test_endpoint():
    assert output_addresses.endpoint('9550') == ('127.0.0.1', 9550)
    assert output_addresses.endpoint('0.0.0.0:9550') == ('0.0.0.0', 9550)
    assert output_addresses.endpoint('[::1]:9550') == ('::1', 9550)
    for text in ('', 'x', 'h:', 'h:0', '70000'):
        with pytest.raises(ClqcError, match='HOST:'):
            output_addresses.endpoint(text)
