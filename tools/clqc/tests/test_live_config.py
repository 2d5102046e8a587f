# SPDX-License-Identifier: LGPL-2.1-or-later
"""The configuration file of clqc watch, addresses and passwords from files and
from the environment, and another configuration while streams are watched."""
import json
import math
import os
import random
import threading
import urllib.request
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import live
import pytest
from jumping import START, Jumping

from clqc import commandline
from clqc.common.clock import REAL
from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.live import command
from clqc.live.configuration import config_file, credentials, stream_addresses
from clqc.live.configuration.muting import Mute, times
from clqc.live.configuration.output_addresses import Broker
from clqc.live.configuration.settings import Options, make
from clqc.live.judging.judge import Rules
from clqc.live.outputs.base import Output
from clqc.live.processes import watch

EXAMPLE = Path(live.HERE, '..', 'examples', 'watch.toml')
ONE = '[streams.a]\naddress = "x://a"\n'


def arguments(*words):
    return commandline._parse(['watch', *map(str, words)])


@pytest.fixture(name='written')
def _written(tmp_path):
    """A function that writes the file; returns its path."""
    def write(text):
        path = tmp_path / 'watch.toml'
        path.write_text(text, encoding='utf-8')
        return path
    return write


@pytest.fixture(name='planned')
def _planned(written):
    return lambda text, *words: make(arguments('--config', written(text),
                                               *words))


# --- credentials ------------------------------------------------------------

@pytest.mark.parametrize('uri, user, password, expected', [
    ('rtsp://h/1', 'me', 'p@/s:s', 'rtsp://me:p%40%2Fs%3As@h/1'),
    ('rtsp://h', 'me', '', 'rtsp://me@h'), ('x://h', '', '', 'x://h'),
    ('srt://h:1', '', 'a b&c', 'srt://h:1?passphrase=a%20b%26c'),
    ('srt://h:1?mode=caller', '', 'abc',
     'srt://h:1?mode=caller&passphrase=abc'),
    ('rtsp://h/a@b', 'me', 'pw', 'rtsp://me:pw@h/a@b')])
def test_login(uri, user, password, expected):
    assert credentials.with_login(uri, user, password) == expected
    assert credentials.with_login(uri, user, password).count('@') <= (
        expected.count('@'))


@pytest.mark.parametrize('uri, user, password, why', [
    ('rtsp://you:x@h', 'me', 's3cret', 'has a user already'),
    ('rtsp://h', '', 's3cret', 'needs a user'),
    ('srt://h', 'me', 's3cret', 'has no user'),
    ('srt://h:1?mode=caller&passphrase=abc', '', 's3cret',
     'has a password already'),
    ('/dev/video0', 'me', 's3cret', 'only a URI with a host'),
    ('file:///x', 'me', 's3cret', 'only a URI with a host')])
def test_wrong_logins(uri, user, password, why):
    with pytest.raises(ClqcError, match=why) as raised:
        credentials.with_login(uri, user, password)
    assert 's3cret' not in str(raised.value)


def test_addresses_of_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv('GATE', 'srt://h:1?passphrase=s3cret')
    (tmp_path / 'studio.txt').write_text('rtmp://h/live2/key-s3cret\n')
    (tmp_path / 'path').write_text('/dev/video99')
    gate, studio, named, path = stream_addresses.parse([
        'env:GATE', f'@{tmp_path}/studio.txt', f'n=@{tmp_path}/studio.txt',
        f'@{tmp_path}/path'])
    assert (gate.name, gate.uri) == ('GATE', 'srt://h:1?passphrase=s3cret')
    assert (studio.name, studio.uri) == ('studio',
                                         'rtmp://h/live2/key-s3cret')
    assert named.name == 'n' and named.uri == studio.uri
    assert path.uri == 'v4l2:///dev/video99'
    assert gate.shown == 'srt://h:1/***' and studio.shown == 'rtmp://h/***'
    for message in ('cannot open rtmp://h/live2/key-s3cret',
                    'no stream key-s3cret', 'GET /live2/key-s3cret: 404'):
        assert 's3cret' not in stream_addresses.without(
            studio.secrets, message)


@pytest.mark.parametrize('word, why', [
    ('env:CLQC_NOT_SET', 'the variable CLQC_NOT_SET is not set'),
    ('env:', 'is not set'), ('env:EMPTY', 'the variable EMPTY is empty'),
    ('env:LINES', 'more than a line'), ('@/nothing/x', 'No such file'),
    ('@/dev/zero', 'more than 4096 bytes'), ('@FOLDER', 'directory'),
    ('@BINARY', 'not text in UTF-8')])
def test_wrong_sources_of_addresses(word, why, tmp_path, monkeypatch):
    monkeypatch.setenv('EMPTY', '')
    monkeypatch.setenv('LINES', 'x://a\nx://s3cret')
    (tmp_path / 'binary').write_bytes(b'\xff')
    word = word.replace('FOLDER', str(tmp_path)).replace(
        'BINARY', str(tmp_path / 'binary'))
    for words in [word], [f'a={word}']:
        with pytest.raises(ClqcError, match=why) as raised:
            make(arguments(*words))
        assert 's3cret' not in str(raised.value)
    with pytest.raises(ClqcError, match='^--mqtt: .*' + why):
        make(arguments('x://a', '--mqtt', word))


def test_broker_from_a_file(tmp_path):
    (tmp_path / 'broker').write_text('mqtt://me:s3cret@h/tv\n')
    settings = make(arguments('x://a', '--mqtt', f'@{tmp_path}/broker'))
    assert settings.targets.mqtt == Broker('h', 1883, 'tv', False, 'me',
                                           's3cret')


# --- the file ---------------------------------------------------------------

def test_streams_and_options(planned, tmp_path, monkeypatch):
    monkeypatch.setenv('PASSWORD', 'pw')
    (tmp_path / 'secret').write_text('p@ss\n')
    (tmp_path / 'mine.toml').write_text('[live]\nhealthy-after = 7\n')
    settings = planned('''
policy = "mine.toml"
stall = 5
jsonl = "x.jsonl"
pictures = "faults"
mqtt-pictures = true
prometheus = "0.0.0.0:9550"
maintenance = ["02:00-03:00"]
time-zone = "Europe/Berlin"
[mqtt]
address = "mqtts://broker/tv"
user = "qc"
password-env = "PASSWORD"
[streams.studio]
address = "rtsp://camera/1"
user = "me"
password-file = "secret"
policy = "default"
stall = 3
[streams."gate.1"]
address = "clip.mp4"
loop = true
unhealthy-after = 0
mute = 2027-01-31T18:00:00+01:00
maintenance = []
[streams.dev]
address = "/dev/video99"
mute = true
''')
    assert [(stream.name, stream.uri) for stream in settings.streams] == [
        ('studio', 'rtsp://me:p%40ss@camera/1'),
        ('gate.1', f'file://{tmp_path}/clip.mp4'),
        ('dev', 'v4l2:///dev/video99')]
    studio, gate, dev = settings.options.values()
    assert (studio.stall, gate.stall, dev.stall) == (3, 5, 5)
    assert (studio.healthy_after, gate.healthy_after) == (10, 7)
    assert (studio.unhealthy_after, gate.unhealthy_after) == (1, 0)
    assert (studio.loops, gate.loops) == (False, True)
    assert studio.mute == Mute(0, (times('02:00-03:00'),),
                               ZoneInfo('Europe/Berlin'))
    assert gate.mute.until == datetime(
        2027, 1, 31, 17, tzinfo=timezone.utc).timestamp()
    assert gate.mute.maintenance == () and dev.mute.until == math.inf
    assert settings.targets.jsonl == str(tmp_path / 'x.jsonl')
    assert settings.targets.prometheus == '0.0.0.0:9550'
    assert settings.targets.pictures == str(tmp_path / 'faults')
    assert settings.targets.mqtt_pictures and gate.pictures
    assert settings.targets.mqtt == Broker('broker', 8883, 'tv', True, 'qc',
                                           'pw')
    assert [policy.name for policy in settings.policies] == ['default', 'mine']


def test_certificates_beside_the_file(planned, tmp_path):
    (tmp_path / 'ca.pem').write_text('')
    settings = planned('[mqtt]\naddress = "mqtts://h/?ca=ca.pem"\n' + ONE)
    assert settings.targets.mqtt.authorities == str(tmp_path / 'ca.pem')


def test_local_time_of_mute(planned):
    """It is one of the stream's zone."""
    settings = planned('time-zone = "Asia/Tokyo"\n' + ONE
                       + 'mute = 2027-01-31T09:00:00\n')
    assert settings.options['a'].mute.until == datetime(
        2027, 1, 31, tzinfo=timezone.utc).timestamp()


def test_options_of_the_command_line(planned):
    """They replace those at the top of the file, not those of streams."""
    text = ('stall = 5\npolicy = "web-delivery"\nunhealthy-after = 4\n' + ONE
            + '[streams.b]\naddress = "x://b"\nstall = 3\n')
    settings = planned(text, '--stall', 8, '--policy', 'default',
                       '--unhealthy-after', 0, '--jsonl', '-', '--quiet')
    assert [(options.stall, options.unhealthy_after)
            for options in settings.options.values()] == [(8, 0), (3, 0)]
    assert [policy.name for policy in settings.policies] == ['default']
    assert settings.targets.jsonl == '-' and settings.is_quiet
    assert [options.stall for options in planned(text).options.values()] == [
        5, 3]


@pytest.mark.parametrize('text, line, why', [
    ('', 1, 'streams: there is no stream'),
    ('streams = 5', 1, 'streams: there is no stream'),
    ('[streams]\na = 5', 2, 'streams.a: allowed is a table'),
    ('[streams.a]', 1, 'streams.a: it has no address'),
    ('[streams.a]\naddress = 5', 2, 'its value is not allowed here; allowed '
     'is a line of text'),
    ('[streams.a]\nadress = "x"', 2, 'no such key; did you mean address?'),
    ('x = 1\n' + ONE, 1, 'x: no such key'),
    ('stall = 0\n' + ONE, 1, 'stall: 0 is not allowed here; allowed is a '
     'number of seconds, at least 0.1'),
    ('stall = true\n' + ONE, 1, 'stall: true is not allowed'),
    ('healthy-after = nan\n' + ONE, 1, 'is not allowed here; allowed'),
    ('loop = 1\n' + ONE, 1, 'loop: 1 is not allowed here; allowed is true'),
    ('time-zone = "Europe/Berlim"\n' + ONE, 1, '"Europe/Berlim" is not'),
    ('time-zone = "../passwd"\n' + ONE, 1, '"../passwd" is not'),
    ('time-zone = "Europe"\n' + ONE, 1, '"Europe" is not'),
    (ONE + 'maintenance = ["2:00"]', 3, '["2:00"] is not allowed here; '
     'allowed is a list of times, as ["02:00-03:00"'),
    (ONE + 'maintenance = "02:00-03:00"', 3, 'is not allowed here'),
    (ONE + 'mute = 2027-01-31', 3, '2027-01-31 is not allowed here'),
    (ONE + 'interval = 1', 3, 'interval: no such key'),
    ('mute = true\n' + ONE, 1, 'mute: no such key'),
    (ONE + 'address-env = "HOME"', 3, 'there is address, too; give one'),
    ('[streams.a]\naddress-env = "CLQC_NOT_SET"', 2,
     'address-env: the variable CLQC_NOT_SET is not set'),
    ('[streams.a]\naddress-file = "none"', 2, 'none: No such file'),
    (ONE + 'user = "me"\npassword-file = "/nothing"', 4, '/nothing: No such'),
    (ONE + 'password = "s3cret"', 1, 'a password needs a user'),
    (ONE + 'user = "me"\npassword = ["s3cret"]', 4, 'its value is not'),
    ('[streams.a]\naddress = "rtsp://me:s3cret@h"\nuser = "you"', 1,
     'has a user already'),
    ('[streams.a]\naddress = "1me:s3cret@camera"', 1, 'no such file; a URI'),
    ('[streams."a b"]\naddress = "x://a"', 1, 'a name of a stream has ASCII'),
    ('prometheus = "x"\n' + ONE, 1, 'prometheus: x: give [HOST:]PORT'),
    ('[mqtt]\n' + ONE, 1, 'mqtt: it has no address'),
    ('mqtt = "mqtt://me:s3cret@h"\n' + ONE, 1, 'mqtt: allowed is a table'),
    ('[mqtt]\naddress = "mqtt://me:s3cret@h:x"\n' + ONE, 1, 'not a port'),
    ('[mqtt]\naddress = "http://me:s3cret@h"\n' + ONE, 1, 'not an MQTT URL'),
    ('[mqtt]\naddress = "mqtt://me:s3cret@h\u2100"\n' + ONE, 1, 'not a URL'),
    ('[mqtt]\naddress = "mqtt://h"\npolicy = "x"\n' + ONE, 3, 'no such key'),
    ('a = \n', 1, 'not TOML')])
def test_mistake(text, line, why, planned):
    with pytest.raises(ClqcError) as raised:
        planned(text)
    message = str(raised.value)
    assert f'watch.toml, line {line}: ' in message.split('\n')[0]
    assert why in message and 's3cret' not in message
    assert '--' not in message  # options of the command line


def test_secret_addresses_in_mistakes(planned, tmp_path):
    (tmp_path / 'address').write_text('1me:s3cret@camera')
    with pytest.raises(ClqcError, match='cannot be used') as raised:
        planned('[streams.a]\naddress-file = "address"')
    assert 's3cret' not in str(raised.value)


def test_address_that_only_gstreamer_knows(planned):
    settings = planned('[streams.a]\naddress = "testbin://video,caps=[x/y]"')
    assert settings.streams[0].uri == 'testbin://video,caps=[x/y]'


def test_every_mistake_is_a_line(planned):
    with pytest.raises(ClqcError) as raised:
        planned('x = 1\nstall = 0\n[streams.a]\naddress = 5\n[streams.b]\n')
    assert [line.split(': ')[1] for line in str(raised.value).split('\n')] == [
        'x', 'stall', 'streams.a.address', 'streams.b']


TOKENS = ('"x://y"', '[', '[[', '{', '}', '=', '1', '-1', '1e400', 'nan',
          'true', '1979-05-27T07:32:00Z', '0001-01-01T00:00:00', '02:00:00',
          '[streams]', '[mqtt]', '.', '""', '[]', '{}', 'password', '"s"',
          'mute', 'maintenance = ["x"]', '"mqtt://h"', '[streams.b]')


def test_changed_at_random(written, monkeypatch):
    """A file with any content is read, or each of its mistakes is a line."""
    chance = random.Random(43)
    text = EXAMPLE.read_text(encoding='utf-8')
    monkeypatch.setattr(credentials, 'from_file', lambda _: 'pw')
    monkeypatch.setenv('CLQC_GATE', 'srt://h')
    found = Counter()
    for _ in range(400):
        rows = text.split('\n')
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(rows))
            key, equals, _ = rows[place].partition('=')
            token = chance.choice(TOKENS)
            rows[place] = chance.choice((
                token + rows[place], rows[place] + token,
                f'{key}{equals} {token}'))
        try:
            make(arguments('--config', written('\n'.join(rows))))
            found['right'] += 1
        except ClqcError as error:
            # a policy that does not exist is another file
            found['wrong'] += all(
                'watch.toml, line ' in line or 'No such file' in line
                for line in str(error).split('\n'))
    assert found['right'] + found['wrong'] == 400 and len(found) == 2


@pytest.mark.parametrize('before, text, times_of_it', [
    ('x = ', '[', 5000), ('x = ', '1', 5000),
    (ONE, 'mute = 0001-01-01T00:00:00', 1),
    (ONE, 'mute = 9999-12-31T23:59:59', 1)])
def test_extremes(before, text, times_of_it, planned):
    with pytest.raises(ClqcError, match='watch.toml[:,] '):
        planned(before + text * times_of_it)


def test_wrong_policy(planned):
    with pytest.raises(ClqcError, match='/nothing.toml: No such file'):
        planned('policy = "/nothing.toml"\n' + ONE)


@pytest.mark.parametrize('words, why', [
    ([], 'no stream; give .NAME=.URI, or --config FILE'),
    (['--config', '/nothing'], '/nothing: No such file'),
    (['x://a', '--config', '/nothing'], 'give one of them')])
def test_wrong_words(words, why):
    with pytest.raises(ClqcError, match=why):
        make(arguments(*words))


def test_shipped_example(monkeypatch):
    """The file that docs/live.md names."""
    monkeypatch.setenv('CLQC_GATE', 'srt://10.0.0.8:7001?passphrase=x')
    monkeypatch.setattr(credentials, 'from_file', lambda path: {
        '/etc/clqc/studio': 's3cret', '/etc/clqc/broker': 'pw'}[path])
    settings = make(arguments('--config', EXAMPLE))
    assert settings.targets.mqtt.password == 'pw'
    assert settings.streams[0].uri.startswith('rtsp://clqc:s3cret@')
    names = {key.name for key in config_file.KEYS}
    text = EXAMPLE.read_text(encoding='utf-8')
    assert len([name for name in names if f'\n{name} = ' in text]) > 10


# --- another configuration --------------------------------------------------

PROGRAM = r'''#!/bin/sh
read -r request
echo "$request" >> {folder}/requests
printf '%s\n' '{{"type": "form", "form": {{"width": 64, "height": 48,' \
  '"format": "I420", "rate": [25, 1], "sound": false, "live": true,' \
  '"device": "x"}}, "faults": []}}' | tr -d '\n'
echo
echo '{{"type": "status", "frames": 5, "dropped": 0, "behind": 0,' \
  '"position": 0, "statistics": {{}}, "faults": []}}'
cat > /dev/null
'''


class Running:
    """The command with processes that only report frames."""

    def __init__(self, folder, path):
        program = folder / 'python'
        program.write_text(PROGRAM.format(folder=folder))
        program.chmod(0o755)
        self.folder = folder
        chosen = arguments('--config', path, '--jsonl', folder / 'x.jsonl')
        self.command = command._Command(chosen, make(chosen), REAL)
        self.watch = self.command.watch
        self.said = []
        self.command.terminal.say = lambda text, _='': self.said.append(text)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            self.watch.run()
        except KeyboardInterrupt:
            pass

    def pids(self):
        """Returns the process ids by name, when all streams have frames."""
        def known():
            with self.watch.lock:
                return all(state.is_connected for state in self.watch.states)
        live.until(known, live.GUARD, 'connected')
        return {name: runner._process.pid
                for name, runner in self.watch._runners.items()}

    def reload(self):
        """Returns what is said of it."""
        del self.said[:]
        self.watch.is_reload_due.set()
        live.until(lambda: [line for line in self.said if 'watch.toml' in line
                            ], live.GUARD, lambda: self.said)
        return [line for line in self.said if 'watch.toml' in line]

    def of(self, name):
        """Returns the connections of a stream in the lines of JSON."""
        with open(self.folder / 'x.jsonl', encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        return [row['connection'] for row in rows
                if row['stream'] == name and row['type'] == 'state']

    def stop(self):
        def stop():
            raise KeyboardInterrupt
        self.watch.reload = stop
        self.watch.is_reload_due.set()
        self.thread.join(live.GUARD)
        assert not self.thread.is_alive()


@pytest.fixture(name='running')
def _running(tmp_path, written, monkeypatch):
    monkeypatch.setattr(jobs, 'interpreter', lambda: str(tmp_path / 'python'))
    monkeypatch.setattr(jobs, 'environment', lambda _: dict(os.environ))
    made = []

    def start(text):
        made.append(Running(tmp_path, written(text)))
        return made[0]
    yield start
    for one in made:
        one.stop()


def streams(**addresses):
    return ''.join(f'[streams.{name}]\naddress = "{address}"\n'
                   for name, address in addresses.items())


def test_reload(running, written):
    """Streams that are the same keep their processes."""
    one = running(streams(a='x://a', b='x://b', c='x://c'))
    before = one.pids()
    written(streams(d='x://d', c='x://other', a='x://a'))
    line, = one.reload()
    assert line.endswith('watch.toml was read again; new: d; opened again: c; '
                         'no longer watched: b')
    after = one.pids()
    assert list(after) != list(before) and set(after) == {'a', 'c', 'd'}
    assert after['a'] == before['a'] and after['c'] != before['c']
    live.until(lambda: not any(
        os.path.exists(f'/proc/{before[name]}') for name in 'bc'), live.GUARD,
        'processes are left')
    assert [state.name for state in one.watch.states] == ['d', 'c', 'a']
    *_, c, a = one.watch.states
    live.until(lambda: c.frames == 10, live.GUARD, 'its counters continue')
    assert (c.restarts, a.restarts, a.frames) == (1, 0, 5)
    live.until(lambda: one.of('d')[-1:] == ['connected'], live.GUARD, 'd')
    assert one.of('a') == ['connecting', 'connected']
    assert one.of('b') == ['connecting', 'connected', 'stopped']
    assert one.of('c') == ['connecting', 'connected', 'connecting',
                           'connected']
    assert one.of('d') == ['connecting', 'connected']


@pytest.mark.parametrize('text, why', [
    ('x = 1\n', 'line 1: x: no such key'),
    ('policy = "/nothing.toml"\n', '/nothing.toml: No such file'),
    ('loop = 1\nstall = 0\nx = 1\n', '(and 2 more mistakes)')])
def test_wrong_file_keeps_the_former(text, why, running, written):
    one = running(streams(a='x://a'))
    before = one.pids()
    written(text + '\n' + streams(b='x://b'))
    line, = one.reload()
    assert 'watch.toml: the former configuration remains: ' in line
    assert why in line
    assert '\n' not in line and one.pids() == before
    assert list(one.command.settings.options) == ['a']
    written(streams(a='x://a'))
    line, = one.reload()
    assert line.endswith('watch.toml was read again')
    assert one.pids() == before


def test_password_changes(running, written, tmp_path):
    (tmp_path / 'pw').write_text('first-s3cret')
    text = (streams(a='x://a') + 'user = "me"\npassword-file = "pw"\n'
            + streams(b='x://b'))
    one = running(text)
    before = one.pids()
    (tmp_path / 'pw').write_text('second-s3cret')
    line, = one.reload()
    assert line.endswith('opened again: a')
    after = one.pids()
    assert after['a'] != before['a'] and after['b'] == before['b']
    assert 'me:second-s3cret@a' in (tmp_path / 'requests').read_text()
    for pid in after.values():
        with open(f'/proc/{pid}/cmdline', encoding='utf-8') as file:
            assert 's3cret' not in file.read()
    assert 's3cret' not in (tmp_path / 'x.jsonl').read_text()
    assert 's3cret' not in ''.join(one.said)


def test_options_that_need_no_process(running, written):
    """Health and mute change in place; a policy opens the stream again."""
    one = running(streams(a='x://a'))
    before = one.pids()
    written(streams(a='x://a') + 'mute = true\nunhealthy-after = 9\n')
    one.reload()
    state, = one.watch.states
    live.until(lambda: state.muted, live.GUARD, 'muted')
    assert one.pids() == before and state.health.unhealthy_after == 9
    written(streams(a='x://a') + 'policy = "web-delivery"\n')
    one.reload()
    assert one.pids() != before and state.health.unhealthy_after == 1


def test_other_outputs(running, written, tmp_path, monkeypatch):
    """Processes continue, and each output gets the states."""
    ports = [live.free_port() for _ in range(3)]
    one = running(f'prometheus = "{ports[0]}"\n[mqtt]\naddress = '
                  f'"mqtt://127.0.0.1:{ports[2]}/tv"\n' + streams(a='x://a'))
    before = one.pids()
    written(f'prometheus = "{ports[1]}"\n[mqtt]\naddress = '
            f'"mqtt://127.0.0.1:{ports[2]}/tv"\nuser = "me"\npassword = '
            '"s3cret"\n' + streams(a='x://a'))
    line, = one.reload()
    assert line.endswith('read again; other outputs: mqtt, prometheus')
    assert one.pids() == before and 's3cret' not in ''.join(one.said)
    with urllib.request.urlopen(f'http://127.0.0.1:{ports[1]}/metrics',
                                timeout=60) as answer:
        assert b'clqc_connected{stream="a"} 1.0' in answer.read()
    with pytest.raises(OSError):
        urllib.request.urlopen(f'http://127.0.0.1:{ports[0]}/', timeout=60)
    assert [output.name for output in one.watch.outputs] == [
        'terminal', 'jsonl', 'mqtt', '']
    assert one.command.outputs['mqtt'].broker.password == 's3cret'
    written(streams(a='x://a'))
    line, = one.reload()
    assert line.endswith('read again; other outputs: mqtt, prometheus')
    assert [output.name for output in one.watch.outputs] == ['terminal',
                                                             'jsonl']
    with pytest.raises(OSError):
        urllib.request.urlopen(f'http://127.0.0.1:{ports[1]}/', timeout=60)


def test_other_file_of_lines(running, written, tmp_path):
    one = running(streams(a='x://a'))
    one.pids()
    one.command.arguments.jsonl = None  # only the file names it
    written('jsonl = "y.jsonl"\n' + streams(a='x://a'))
    line, = one.reload()
    assert line.endswith('other outputs: jsonl')
    live.until(lambda: 'connected' in (tmp_path / 'y.jsonl').read_text(),
               live.GUARD, 'y.jsonl')


def test_output_that_cannot_be_opened(running, written, tmp_path):
    """The former one continues; the next SIGHUP tries again."""
    port = live.free_port()
    one = running(f'prometheus = "{port}"\n' + streams(a='x://a'))
    one.pids()
    with live.socket.create_server(('127.0.0.1', 0)) as server:
        used = server.getsockname()[1]
        text = f'prometheus = "{used}"\n' + streams(a='x://a')
        written(text)
        line, = one.reload()
        assert line.endswith('watch.toml was read again')
        assert one.said[0].startswith('prometheus: the former output remains: '
                                      f'--prometheus: 127.0.0.1:{used}: ')
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/metrics',
                                    timeout=60) as answer:
            assert b'clqc_connected{stream="a"}' in answer.read()
    line, = one.reload()
    assert line.endswith('other outputs: prometheus')


def test_neither_output_can_be_opened(scripted):
    class Broken(Output):
        def open(self, states):
            raise ClqcError('broken')
    one = scripted()
    one.watch.outputs.append(old := Broken())
    for _ in range(2):
        with pytest.raises(ClqcError, match='broken'):
            one.watch.replace_output(old, Broken())
        assert one.watch.outputs == []
    one.watch.replace_output(old, new := Output())
    assert one.watch.outputs == [new]


def test_lines_on_standard_output(running, written):
    """They would be between lines of the terminal."""
    one = running(streams(a='x://a'))
    one.pids()
    one.command.arguments.jsonl = None
    written('jsonl = "-"\nquiet = true\n' + streams(a='x://a'))
    line, = one.reload()
    assert line.endswith('watch.toml was read again')
    assert 'change at the next start only' in one.said[0]
    assert one.command.settings.targets.jsonl.endswith('x.jsonl')


class Script:
    """Replaces a runner: its process is in no hurry."""

    made = []

    def __init__(self, number, stream, *_, after, inbox=None, **__):
        self.number, self.stream, self.after = number, stream, after
        self.calls = []
        self.ident = None
        self.is_over = False
        self.made.append(self)

    def start(self):
        self.ident = 1

    def is_alive(self):
        return not self.is_over

    def check(self):
        """Does nothing."""

    def stop(self):
        self.calls.append('stop')

    def kill(self):
        self.calls.append('kill')
        self.is_over = True

    def join(self, _=None):
        """Does nothing."""


@pytest.fixture(name='scripted')
def _scripted(monkeypatch):
    """A watch with a clock that jumps; streams a and b."""
    monkeypatch.setattr(watch, 'Runner', Script)
    monkeypatch.setattr(Script, 'made', [])

    def options(**more):
        return Options(Rules(), 1, 10, **more)

    def make_watch(**more):
        clock = Jumping()
        found = [stream_addresses.Stream(name, f'x://{name}') for name in 'ab']
        one = watch.Watch(found, options(seconds=60, **more), [], clock)
        return SimpleNamespace(watch=one, clock=clock, streams=found,
                               options=options)
    return make_watch


def test_process_that_does_not_end(scripted):
    """It is killed after some seconds. The next process of the stream, and new
    streams, wait for it: it may still use the same device or port."""
    one = scripted()
    a, _ = Script.made
    changed = [stream_addresses.Stream('a', 'x://other'),
               stream_addresses.Stream('c', 'x://a'), one.streams[1]]

    def reload():
        one.watch.apply(changed, {name: one.options() for name in 'abc'})
    one.watch.reload = reload
    one.clock.at(10, one.watch.is_reload_due.set)
    calls = []
    one.clock.at(10.5, lambda: calls.append(list(a.calls)))
    one.clock.at(14, lambda: calls.append(list(a.calls)))
    one.watch.run()
    assert calls == [['stop'], ['stop', 'kill']]
    new = Script.made[2:]
    assert {(script.stream.name, script.stream.uri) for script in new} == {
        ('a', 'x://other'), ('c', 'x://a')}
    assert all(script.after == [a] and script.ident for script in new)
    assert one.watch._ending == []


def test_metrics_end_with_their_stream(scripted):
    client = pytest.importorskip('prometheus_client')
    from clqc.live.outputs.prometheus import Collector
    one = scripted()
    registry = client.CollectorRegistry()
    registry.register(Collector(one.watch.states, one.watch.lock, [], []))

    def names():
        text = client.generate_latest(registry).decode()
        return [name for name in 'abc' if f'clqc_frames_total{{stream="{name}'
                in text]
    assert names() == ['a', 'b']
    one.watch.apply([stream_addresses.Stream(name, f'x://{name}')
                     for name in 'cb'], {name: one.options() for name in 'bc'})
    assert names() == ['b', 'c']


def test_late_messages_of_an_ended_process(scripted):
    one = scripted()
    one.watch.reload = lambda: one.watch.apply(
        one.streams[1:], {'b': one.options()})
    one.clock.at(10, one.watch.is_reload_due.set)
    one.clock.at(11, lambda: one.watch._inbox.put((0, {
        'type': 'status', 'frames': 5})))
    one.watch.run()
    assert [state.name for state in one.watch.states] == ['b']


def test_stream_that_has_ended_is_not_opened_again(scripted):
    """Except if it has another address."""
    one = scripted()
    one.watch._inbox.put((0, {'type': 'closed', 'message': '', 'kind': '',
                              'good-for': 0.0, 'final': True, 'wait': 0.0}))
    one.watch.reload = lambda: one.watch.apply(
        one.streams, {name: one.options() for name in 'ab'})
    one.clock.at(10, one.watch.is_reload_due.set)

    def change():
        assert len(Script.made) == 2
        assert one.watch.states[0].connection == 'ended'
        one.streams[0] = stream_addresses.Stream('a', 'x://other')
        one.watch.is_reload_due.set()
    one.clock.at(20, change)
    one.watch.run()
    assert [script.stream.uri for script in Script.made[2:]] == ['x://other']


def test_unhealthy_while_muted(scripted):
    """It does not count for the exit status, until the mute ends."""
    for until, status in (START + 20, 1), (math.inf, 0):
        one = scripted(mute=Mute(until))
        for number in 0, 1:
            for message in (
                    {'type': 'status', 'frames': 5, 'dropped': 0, 'behind': 0,
                     'position': 0, 'statistics': {}, 'faults': []},
                    {'type': 'waits', 'message': 'gone'}):
                one.clock.at(5, lambda row=(number, message):
                             one.watch._inbox.put(row))
        found = []
        for seconds in 19, 21:
            one.clock.at(seconds, lambda: found.append(
                [state.muted for state in one.watch.states]))
        one.watch.run()
        assert found == [['muted'] * 2,
                         ['muted' if until == math.inf else ''] * 2]
        assert one.watch.status() == status


def test_hangup_of_the_terminal(monkeypatch):
    """SIGHUP stops the command if its terminal is gone; otherwise the file is
    read again."""
    found = [True]
    monkeypatch.setattr(os, 'isatty', lambda _: found[0])
    is_due = threading.Event()
    before = command.signal.getsignal(command.signal.SIGHUP)
    with command._hangups(is_due):
        os.kill(os.getpid(), command.signal.SIGHUP)
        assert is_due.is_set()
        found[0] = False
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), command.signal.SIGHUP)
    assert command.signal.getsignal(command.signal.SIGHUP) == before


def test_hangup_at_the_start(written, monkeypatch):
    """SIGHUP while the file is read for the first time ends nothing: it is
    read again."""
    chosen = arguments('--config', written(streams(a='/none')), '--seconds',
                       '0.5', '--quiet')
    monkeypatch.setattr(os, 'isatty', lambda _: True)
    # without the handler, SIGHUP would end the tests
    before = command.signal.signal(command.signal.SIGHUP,
                                   command.signal.SIG_IGN)
    plans = []

    def make_and_hang_up(given):
        if not plans:
            os.kill(os.getpid(), command.signal.SIGHUP)
        plans.append(make(given))
        return plans[-1]
    monkeypatch.setattr(command, 'make', make_and_hang_up)
    try:
        assert command.run(chosen) == 2
    finally:
        command.signal.signal(command.signal.SIGHUP, before)
    assert len(plans) == 2
