# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch with streams that are unusual, broken, or absent, and with such
outputs. Tests that depend on time are in test_live_watch.py."""
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request

import clips
import live
import pytest
import webserver
from command import clqc, here

NEWEST = os.path.join(os.path.dirname(os.environ.get(
    'CLQC_BUILT', '/nothing/clqc')), 'clqc-newest')
needs_broker = pytest.mark.skipif(
    not live.program('mosquitto') or not live.program('mosquitto_sub'),
    reason='there is no mosquitto')


def lines(path):
    with open(path, encoding='utf-8') as file:
        return list(map(json.loads, file))


@pytest.fixture(scope='module', name='policy')
def _policy(tmp_path_factory):
    path = tmp_path_factory.mktemp('policy') / 'live.toml'
    path.write_text(live.POLICY, encoding='utf-8')
    return path


@pytest.fixture(scope='module', name='clip')
def _clip(tmp_path_factory):
    """Two seconds of motion, with a tone."""
    return clips.make(
        str(tmp_path_factory.mktemp('clip') / 'clip.mp4'),
        'testsrc2=size=128x96:rate=25:duration=2',
        'sine=frequency=440:duration=2')


class Files:
    """The output of one command for files and for inputs that cannot be
    played, while its broker was away."""

    def __init__(self, folder, clip, policy):
        dark = clips.make(str(folder / 'dark.mp4'),
                          'color=black:size=128x96:rate=25:duration=2')
        none, sound = folder / 'none.mkv', folder / 'sound.mp4'
        clips.run('-f', 'lavfi', '-i', 'testsrc2', '-frames:v', '0', '-c:v',
                  'mjpeg', '-pix_fmt', 'yuvj420p', str(none))
        clips.run('-f', 'lavfi', '-i', 'sine=duration=1', str(sound))
        one = clips.make(str(folder / 'one.mkv'),
                         'testsrc2=size=128x96:rate=25:duration=0.04')
        (folder / 'text.ts').write_text('no video')
        done = clqc(
            'watch', clip, dark, none, one, sound, folder / 'text.ts',
            'odd=gopher://127.0.0.1/', '--policy', policy, '--mqtt',
            f'mqtt://127.0.0.1:{live.free_port()}', '--jsonl',
            folder / 'x.jsonl')
        self.status, self.output = done.returncode, done.stdout
        self.lines = lines(folder / 'x.jsonl')

    def of(self, name, kind='state'):
        return [line for line in self.lines
                if line['stream'] == name and line['type'] == kind]


@pytest.fixture(scope='module', name='files')
def _files(tmp_path_factory, clip, policy):
    return Files(tmp_path_factory.mktemp('files'), clip, policy)


def test_files_are_played_once(files):
    assert files.status == 1
    for name, count, healthy in ('clip', 50, True), ('one', 1, True), (
            'dark', 50, False):
        last = files.of(name)[-1]
        assert (last['connection'], last['healthy']) == ('ended', healthy)
        last = files.of(name, 'statistics')[-1]
        assert last['frames'] + last['dropped'] == count
        assert 'YAVG' in last['statistics']


def test_file_with_a_fault(files):
    assert 'dark: UNHEALTHY: Black picture' in files.output
    begun = [line['event'] for line in files.of('dark', 'event')
             if line['state'] == 'start']
    assert 'black' in begun and 'signal-loss' not in begun


def test_unplayable_inputs(files):
    """It has no effect."""
    assert 'none: not connected: it has ended without a frame; given up' in (
        files.output)
    for name, why in (('odd', 'gopher'), ('text', ''),
                      ('sound', 'it contains no video')):
        last = files.of(name)[-1]
        assert last['connection'] == 'failed' and why in last['error']


CODECS = {'H.264': ['libx264', '-bf', '0'],
          'H.265': ['libx265', '-x265-params', 'log-level=none'],
          'MPEG-2': ['mpeg2video']}


def changing(folder, before, after):
    """Writes a transport stream whose codec changes after a second, but not
    its program map table."""
    def is_of_pmt(packet):
        return packet[1] & 0x1f == 0x10 and packet[2] == 0
    packets = []
    for codec in before, after:
        path = folder / f'{codec}.ts'
        clips.run('-f', 'lavfi', '-i', 'testsrc2=size=128x96:rate=25:d=1',
                  '-pix_fmt', 'yuv420p', '-c:v', *CODECS[codec], str(path))
        data = path.read_bytes()
        packets += [data[i:i + 188] for i in range(0, len(data), 188)]
    table = next(filter(is_of_pmt, packets))
    path = folder / 'changing.ts'
    path.write_bytes(b''.join(
        packet[:4] + table[4:] if is_of_pmt(packet) else packet
        for packet in packets))
    return path


@pytest.mark.parametrize('before, after', [
    ('H.264', 'H.265'), ('H.265', 'H.264'), ('MPEG-2', 'H.264'),
    ('H.264', 'MPEG-2')])
def test_codec_changes_without_its_table(before, after, policy, tmp_path):
    done = here('watch', changing(tmp_path, before, after), '--policy', policy,
                '--jsonl', tmp_path / 'x.jsonl')
    last = [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'state'][-1]
    assert last['error'] == (
        f'its program map table (PMT) says {before}, but its video is '
        f'{after}'), done.stdout
    assert last['connection'] == 'failed'


def test_absent_broker(files):
    assert files.output.count('MQTT') == 1  # one line, and not one a second


def test_nothing_can_be_opened(policy):
    done = clqc('watch', 'a=gopher://127.0.0.1/', '--policy', policy)
    assert done.returncode == 2
    assert 'given up' in done.stdout


def test_absent_source(tmp_path, policy, clip):
    """Other streams are watched; it is opened as soon as it is there."""
    path = tmp_path / 'later.mp4'
    with live.Watch(tmp_path, f'ok={clip}', f'dev={tmp_path}/video9',
                    f'later={path}', '--loop') as watch:
        state = watch.wait(stream='dev', healthy=False)
        assert state['reasons'][0]['message'] == (
            f'Not connected: {tmp_path}/video9: no such file.')
        watch.wait(stream='later', healthy=False)
        watch.wait(stream='ok', healthy=True)
        os.link(clip, path)
        watch.wait(stream='later', healthy=True)
        watch.wait(stream='dev', connection='waiting', restarts=3)
        assert watch.stop() == 0
    assert 'dev: UNHEALTHY: Not connected: ' in watch.output()


def test_configuration_file(tmp_path, clip):
    """SIGHUP reads it again: a stream that is the same keeps its process, and
    nobody sees the password."""
    path = tmp_path / 'watch.toml'
    port = live.free_port(live.socket.SOCK_DGRAM)
    same = f'[streams.same]\naddress = "udp://127.0.0.1:{port}"\n'
    camera = ('[streams.camera]\naddress = "rtsp://127.0.0.1:'
              f'{live.free_port()}/x"\nuser = "me"\n'
              'password-env = "CAMERA"\n')
    path.write_text(same + camera)
    with live.Sender('ts', port), live.Watch(
            tmp_path, '--config', path, CAMERA='p@ss/s3cret') as watch:
        watch.wait(stream='same', healthy=True)
        state = watch.wait(stream='camera', healthy=False)
        before = watch.children()
        commands = ''
        for pid in watch.process.pid, *before:
            with contextlib.suppress(OSError), open(
                    f'/proc/{pid}/cmdline', encoding='utf-8') as file:
                commands += file.read()
        assert commands.count('clqc') >= 2 and 's3cret' not in commands
        path.write_text('x = 1\n' + same)
        watch.process.send_signal(signal.SIGHUP)
        live.until(lambda: 'the former configuration remains' in
                   watch.output(), live.GUARD, watch.output)
        path.write_text(same + f'[streams.new]\naddress = "{clip}"\n')
        watch.process.send_signal(signal.SIGHUP)
        watch.wait(stream='new', connection='ended', healthy=True)
        gone = watch.wait(stream='camera', connection='stopped')
        assert gone['healthy'] is None and gone['uri'] == state['uri']
        assert state['uri'].startswith('rtsp://me:***@')
        live.until(lambda: len(watch.children()) == 1, 8,
                   'processes are left')
        assert watch.children()[0] in before
        assert watch.find(stream='same', connection='connecting',
                          restarts=1) is None
        assert watch.stop() == 0
        assert 's3cret' not in watch.output() + str(watch.lines)


@needs_broker
def test_muted_stream_at_a_broker(tmp_path):
    """At SIGHUP the connection gets a user: its status is online at last."""
    path = tmp_path / 'watch.toml'
    port = live.free_port(live.socket.SOCK_DGRAM)
    stream = f'[streams.cam]\naddress = "udp://127.0.0.1:{port}"\n'
    with live.Sender('ts', port), live.Broker(tmp_path) as broker, \
            live.Subscriber(broker.port, 'tv') as heard:
        mqtt = f'[mqtt]\naddress = "mqtt://127.0.0.1:{broker.port}/tv"\n'
        path.write_text(mqtt + stream + 'mute = true\n')
        with live.Watch(tmp_path, '--config', path) as watch:
            _, state = heard.wait('tv/cam/state', healthy=True)
            assert state['muted'] == 'muted'
            pids = watch.children()
            path.write_text(mqtt + 'user = "me"\npassword = "s3cret"\n'
                            + stream)
            watch.process.send_signal(signal.SIGHUP)
            came, _ = heard.wait('tv/status', text='offline')
            heard.wait('tv/status', since=came, text='online')
            heard.wait('tv/cam/state', since=came, healthy=True, muted=None)
            assert watch.children() == pids
            assert 's3cret' not in watch.output() + str(heard.messages)


def test_in_real_time(tmp_path, clip):
    """Options in seconds, by the clock of the machine: a file begins again,
    and the process of a FIFO without a writer keeps running without
    messages."""
    os.mkfifo(tmp_path / 'quiet')
    with live.Watch(tmp_path, f'again={clip}', tmp_path / 'quiet', '--loop',
                    '--stall', '3', '--interval', '60') as watch:
        state = watch.wait(stream='quiet', type='state', healthy=False)
        watch.wait(stream='again', connection='connected', restarts=1)
        assert watch.stop() == 0
    assert state['reasons'][0]['message'] == (
        'Not connected: no process has written into it for 3 seconds.')
    assert state['restarts'] == 0
    states = {name: [line for line in watch.lines if line['type'] == 'state'
                     and line['stream'] == name] for name in (
                         'again', 'quiet')}
    assert states['again'][-1]['connection'] == 'stopped'
    assert [(state['connection'], state['healthy'])
            for state in states['quiet']] == [
        ('connecting', None), ('waiting', None), ('waiting', False),
        ('stopped', None)]


def test_file_of_one_frame_with_a_fault(tmp_path):
    """Shorter than the minimum duration of a fault, and than a check of
    faults."""
    clip = clips.make(str(tmp_path / 'one.mkv'),
                      'testsrc2=size=128x96:rate=25:duration=0.04')
    (tmp_path / 'mine.toml').write_text('[frames.YMAX]\nmax = 20\n')
    done = clqc('watch', clip, '--policy', tmp_path / 'mine.toml', '--jsonl',
                tmp_path / 'x.jsonl')
    assert done.returncode == 1, done.stdout
    last = [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'state'][-1]
    assert (last['connection'], last['healthy']) == ('ended', False)
    assert [reason['rule'] for reason in last['reasons']] == ['frames.YMAX']


def test_codec_that_demuxers_do_not_name(tmp_path):
    """DNxHR: demuxers of MOV and Matroska in GStreamer 1.22 do not know it.
    One of the files comes through a FIFO."""
    paths = []
    for name, options in (
            ('parts.mov', ['-movflags', 'frag_keyframe+empty_moov']),
            ('clip.mkv', [])):
        paths.append(tmp_path / name)
        clips.run('-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=25:d=1', '-c:v',
                  'dnxhd', '-profile:v', 'dnxhr_lb', '-pix_fmt', 'yuv422p',
                  *options, str(paths[-1]))
    os.mkfifo(tmp_path / 'fifo')
    with (live.Watch(tmp_path, *paths, tmp_path / 'fifo', '--interval', '1',
                     '--stall', '100') as watch,
          subprocess.Popen(['sh', '-c', 'cat "$0" > "$1"', paths[-1],
                            tmp_path / 'fifo'])):
        def counted():
            return {line['stream']: line['frames'] + line['dropped']
                    for line in list(watch.lines)
                    if line['type'] == 'statistics'}

        live.until(lambda: counted() == {
            'parts': 25, 'clip': 25, 'fifo': 25}, live.GUARD,
                   lambda: f'{counted()}; {watch.output()}')
        watch.stop()


@pytest.mark.parametrize('source, n_frames, settings', [
    # kernels take longer to compile than it lasts
    ('testsrc2=size=128x96:rate=25:duration=2', 50,
     {'POCL_CACHE_DIR': 'new', 'GST_OPENCL_CACHE_DIR': ''}),
    # the machine is too slow
    ('testsrc2=size=1920x1080:rate=60:duration=2', 120, {})])
def test_files_without_waiting(tmp_path, policy, source, n_frames, settings):
    """Every frame is measured or counted; frames that were lost here are no
    fault of the stream."""
    clip = clips.make(str(tmp_path / 'clip.avi'), source)
    if settings:
        settings = {**settings, 'POCL_CACHE_DIR': str(tmp_path / 'new')}
    done = clqc('watch', clip, '--policy', policy, '--jsonl',
                tmp_path / 'x.jsonl', **settings)
    assert done.returncode == 0, done.stdout
    last = [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'statistics'][-1]
    assert last['frames'] + last['dropped'] == n_frames
    # a file waits until its first picture is measured: otherwise only those in
    # the queue, eight, would be left; machines may be slow
    assert not settings or last['frames'] > 20
    assert [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'event'] == []


def test_missing_plugins(tmp_path, policy, clip):
    """One line reports it, without another attempt."""
    (tmp_path / 'list.m3u8').write_text(
        '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nx.ts\n')
    done = clqc(
        'watch', f'list={tmp_path}/list.m3u8', f'film={clip}', '--policy',
        policy, GST_PLUGIN_FEATURE_RANK=','.join(f'{name}:NONE' for name in (
            'hlsdemux', 'hlsdemux2', 'avdec_h264', 'openh264dec',
            'vaapih264dec', 'vah264dec', 'v4l2slh264dec', 'nvh264dec')))
    assert done.returncode == 2, done.stdout
    for name in 'list', 'film':
        lines = [line for line in done.stdout.splitlines()
                 if f'{name}: not connected' in line]
        assert len(lines) == 1 and 'no plugin for it' in lines[0], lines
        assert lines[0].endswith('given up')


@pytest.mark.parametrize('words, expected', [
    (['a=x://y', 'a=x://z'], 'two streams are named a'),
    (['x://y', '--policy', 'nope'], 'nope: no such policy'),
    (['rtsp://me:secret@[::1/x'], 'rtsp://me:***@[::1/x: not a URI: '),
    (['x://y', '--mqtt', 'localhost'], 'not an MQTT URL'),
    (['x://y', '--mqtt', ''], 'argument --mqtt: its value is empty'),
    (['x://y', '--prometheus', 'nine'], 'give [HOST:]PORT'),
    (['x://y', '--jsonl', '/nothing/x'], '/nothing/x: No such file'),
    (['x://y', '--loop'], '--loop is for files'),
    (['x://y', '--interval', '0'], 'at least 0.1')])
def test_wrong_commands(words, expected):
    done = here('watch', *words)
    assert done.returncode == 2
    assert expected in done.stdout


def test_port_in_use():
    with live.socket.create_server(('127.0.0.1', 0)) as server:
        port = server.getsockname()[1]
        done = here('watch', 'x://y', '--prometheus', port)
    assert done.returncode == 2
    assert 'Address already in use' in done.stdout


@pytest.mark.parametrize('option, value, package', [
    ('--mqtt', 'mqtt://127.0.0.1:1', 'paho'),
    ('--prometheus', '9', 'prometheus_client')])
def test_missing_library(tmp_path, option, value, package):
    (tmp_path / f'{package}.py').write_text('raise ImportError("no")')
    path = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    done = clqc('watch', 'x://y', option, value, PYTHONPATH=path)
    assert done.returncode == 2
    assert f"{option} needs" in done.stdout
    assert "clqc[live]" in done.stdout


@needs_broker
@pytest.mark.parametrize('library', ['installed', 'newest'])
def test_libraries(tmp_path, library):
    """Debian's paho-mqtt and prometheus_client, and the newest ones."""
    path = os.environ.get('PYTHONPATH', '')
    if library == 'newest':
        if not os.path.isdir(NEWEST):
            pytest.skip('scripts/setup.sh test could not get them from PyPI')
        path = os.pathsep.join([NEWEST, path])
    port = live.free_port(live.socket.SOCK_DGRAM)
    page = live.free_port()
    with live.Broker(tmp_path) as broker, \
            live.Subscriber(broker.port, 'clqc') as heard, \
            live.Sender('ts', port) as sender, live.Watch(
                tmp_path, f'cam=udp://127.0.0.1:{port}', '--mqtt',
                f'mqtt://127.0.0.1:{broker.port}', '--prometheus', str(page),
                PYTHONPATH=path) as watch:
        heard.wait('clqc/cam/state', healthy=True)
        sent = sender.send('picture black')
        heard.wait('clqc/cam/event', since=sent, event='black')
        with urllib.request.urlopen(
                f'http://127.0.0.1:{page}/metrics', timeout=60) as answer:
            text = answer.read()
        assert b'clqc_frames_total{stream="cam"}' in text
        checked = subprocess.run(['promtool', 'check', 'metrics'],
                                 input=text, check=False,
                                 capture_output=True)
        assert checked.returncode == 0 and not checked.stderr, checked
        # A killed process cannot report it: the broker does.
        children = watch.children()
        assert children
        watch.process.send_signal(signal.SIGKILL)
        heard.wait('clqc/status', since=sent, text='offline')
        live.until(lambda: not any(
            os.path.exists(f'/proc/{pid}') for pid in children), 8,
            'processes are left')


def test_reader_ends(policy, clip):
    done = subprocess.run(
        ['sh', '-c', f'"$0" -m clqc watch {clip} --loop --policy {policy} '
         '--jsonl - | head -n 2', sys.executable], timeout=120, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert 'has closed them' in done.stdout and 'Traceback' not in done.stdout


@needs_broker
def test_broker_with_passwords(tmp_path, clip, policy):
    """TLS, and users with passwords."""
    webserver.certificate(tmp_path)
    certificate, key = tmp_path / 'public.pem', tmp_path / 'key.pem'
    users = tmp_path / 'users'
    subprocess.run([live.program('mosquitto_passwd'), '-b', '-c', users,
                    'qc', 'p@ss'], check=True)
    key.chmod(0o644)
    port = live.free_port()
    with live.Broker(tmp_path, port, f'''
            listener {port} 127.0.0.1
            certfile {certificate}
            keyfile {key}
            allow_anonymous false
            password_file {users}
            '''.replace('            ', '')), live.Subscriber(
                port, 'clqc', '-h', 'localhost', '--cafile', certificate,
                '-u', 'qc', '-P', 'p@ss') as heard:
        done = clqc('watch', clip, '--policy', policy, '--mqtt',
                    f'mqtts://qc:p%40ss@localhost:{port}/?ca={certificate}')
        assert done.returncode == 0 and 'MQTT' not in done.stdout
        heard.wait('clqc/clip/state', healthy=True)
        done = clqc('watch', clip, '--policy', policy, '--mqtt',
                    f'mqtts://qc@localhost:{port}/?ca={certificate}',
                    CLQC_MQTT_PASSWORD='wrong')
        assert 'wrong' not in done.stdout
        assert f'MQTT: localhost:{port} refuses the user name or the ' in (
            done.stdout)
        cases = {
            f'mqtts://qc@localhost:{port}/':
                f'the certificate of localhost:{port} is not trusted: '
                'self-signed certificate',
            f'mqtts://qc@127.0.0.1:{port}/?ca={certificate}':
                f'the certificate of 127.0.0.1:{port} is for another name',
            f'mqtt://qc@localhost:{port}/':
                f'localhost:{port} uses TLS, which needs mqtts://',
            f'mqtts://localhost:{port}/?ca={certificate}':
                f'localhost:{port} requires a user name and a password',
            f'mqtt://127.0.0.1:{live.free_port()}/':
                'refuses the connection: no program listens there',
            'mqtt://broker.invalid/': 'broker.invalid'}
        # they wait most of the time
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            ended = pool.map(lambda url: clqc(
                'watch', clip, '--policy', policy, '--mqtt', url,
                CLQC_MQTT_PASSWORD='p@ss'), cases)
            for done, sentence in zip(ended, cases.values()):
                messages = [line for line in done.stdout.splitlines()
                            if 'MQTT: ' in line]
                assert len(messages) == 1 and sentence in messages[0], messages
