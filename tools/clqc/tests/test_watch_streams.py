# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch with streams that are odd, broken, or not there, and with
outputs that are."""
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import clips
import live
import pytest
from command import clqc

NEWEST = os.path.join(os.path.dirname(os.environ.get(
    'CLQC_BUILT', '/nothing/clqc')), 'clqc-newest')
needs_broker = pytest.mark.skipif(
    not live.program('mosquitto') or not live.program('mosquitto_sub'),
    reason='there is no mosquitto')


def lines(path):
    with open(path, encoding='utf-8') as file:
        return list(map(json.loads, file))


def states(path):
    return [line for line in lines(path) if line['type'] == 'state']


@pytest.fixture(scope='module', name='policy')
def _policy(tmp_path_factory):
    path = tmp_path_factory.mktemp('policy') / 'live.toml'
    path.write_text(live.POLICY, encoding='utf-8')
    return path


@pytest.fixture(scope='module', name='clip')
def _clip(tmp_path_factory):
    """Two seconds that move, with a tone."""
    return clips.make(
        str(tmp_path_factory.mktemp('clip') / 'clip.mp4'),
        'testsrc2=size=128x96:rate=25:duration=2',
        'sine=frequency=440:duration=2')


def test_file_is_played_once(tmp_path, policy, clip):
    started = time.monotonic()
    done = clqc('watch', clip, '--policy', policy, '--jsonl',
                tmp_path / 'x.jsonl')
    assert done.returncode == 0, done.stdout
    assert time.monotonic() - started > 2  # at its own pace
    last = states(tmp_path / 'x.jsonl')[-1]
    assert (last['stream'], last['connection'], last['healthy']) == (
        'clip', 'ended', True)
    statistics = [line for line in lines(tmp_path / 'x.jsonl')
                  if line['type'] == 'statistics'][-1]
    assert statistics['frames'] + statistics['dropped'] == 50
    assert 'YAVG' in statistics['statistics']


def test_file_waits_for_kernels(tmp_path, policy, clip):
    """They take longer to compile than it lasts; nothing of it is lost."""
    done = clqc('watch', clip, '--policy', policy, '--jsonl',
                tmp_path / 'x.jsonl', POCL_CACHE_DIR=str(tmp_path / 'new'),
                GST_OPENCL_CACHE_DIR='')
    assert done.returncode == 0, done.stdout
    statistics = [line for line in lines(tmp_path / 'x.jsonl')
                  if line['type'] == 'statistics'][-1]
    assert statistics['frames'] > 40  # the machine may be slow
    assert statistics['frames'] + statistics['dropped'] == 50
    assert [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'event'] == []


@pytest.mark.parametrize('limit, healthy, status', [(255, True, 0),
                                                    (20, False, 1)])
def test_file_of_one_frame(tmp_path, limit, healthy, status):
    """Shorter than a fault has to last, and than a look at what is wrong."""
    clip = clips.make(str(tmp_path / 'one.mkv'),
                      'testsrc2=size=128x96:rate=25:duration=0.04')
    (tmp_path / 'mine.toml').write_text(f'[frames.YMAX]\nmax = {limit}\n')
    done = clqc('watch', clip, '--policy', tmp_path / 'mine.toml', '--jsonl',
                tmp_path / 'x.jsonl')
    assert done.returncode == status, done.stdout
    last = states(tmp_path / 'x.jsonl')[-1]
    assert (last['connection'], last['healthy']) == ('ended', healthy)
    assert [reason['rule'] for reason in last['reasons']] == (
        [] if healthy else ['frames.YMAX'])


def test_file_without_a_frame(tmp_path, policy):
    path = tmp_path / 'none.mkv'
    clips.run('-f', 'lavfi', '-i', 'testsrc2', '-frames:v', '0', '-c:v',
              'mjpeg', '-pix_fmt', 'yuvj420p', str(path))
    done = clqc('watch', path, '--policy', policy)
    assert done.returncode == 2
    assert 'it has ended without a frame; given up' in done.stdout


def test_file_with_a_fault(tmp_path, policy):
    clip = clips.make(str(tmp_path / 'dark.mp4'),
                      'color=black:size=128x96:rate=25:duration=3')
    done = clqc('watch', clip, '--policy', policy, '--jsonl',
                tmp_path / 'x.jsonl')
    assert done.returncode == 1
    assert 'dark: UNHEALTHY: Black picture' in done.stdout
    begun = [line['event'] for line in lines(tmp_path / 'x.jsonl')
             if line['type'] == 'event' and line['state'] == 'start']
    assert 'black' in begun and 'signal-loss' not in begun


def test_file_again_and_again(tmp_path, policy, clip):
    done = clqc('watch', f'again={clip}', '--policy', policy, '--loop',
                '--seconds', 7, '--jsonl', tmp_path / 'x.jsonl')
    assert done.returncode == 0, done.stdout
    last = states(tmp_path / 'x.jsonl')[-1]
    assert last['connection'] == 'stopped' and last['restarts'] >= 1
    statistics = [line for line in lines(tmp_path / 'x.jsonl')
                  if line['type'] == 'statistics'][-1]
    assert statistics['frames'] + statistics['dropped'] > 50


def test_machine_that_is_too_slow(tmp_path, policy):
    """Every frame is measured or counted, and what was lost here is no
    fault of the stream."""
    clip = clips.make(
        str(tmp_path / 'large.avi'),
        'testsrc2=size=1920x1080:rate=60:duration=2')
    done = clqc('watch', clip, '--policy', policy, '--jsonl',
                tmp_path / 'x.jsonl')
    last = [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'statistics'][-1]
    assert last['frames'] + last['dropped'] == 120
    assert [line for line in lines(tmp_path / 'x.jsonl')
            if line['type'] == 'event'] == []
    assert done.returncode == 0


def test_bad_streams_disturb_nobody(tmp_path, policy, clip):
    """Nothing listens, no plugin, sound alone, no video at all, and a good
    one."""
    sound = tmp_path / 'sound.mp4'
    clips.run('-f', 'lavfi', '-i', 'sine=duration=1', str(sound))
    (tmp_path / 'text.ts').write_text('no video')
    port = live.free_port()
    done = clqc(
        'watch', f'refused=rtsp://me:s3cret@127.0.0.1:{port}/x',
        'odd=gopher://127.0.0.1/', f'sound={sound}',
        f'text={tmp_path}/text.ts', f'good={clip}', '--policy', policy,
        '--seconds', 12, '--jsonl', tmp_path / 'x.jsonl')
    assert done.returncode == 1, done.stdout
    assert 's3cret' not in done.stdout
    with open(tmp_path / 'x.jsonl', encoding='utf-8') as file:
        assert 's3cret' not in file.read()
    by_name = {}
    for state in states(tmp_path / 'x.jsonl'):
        by_name.setdefault(state['stream'], []).append(state)
    assert by_name['odd'][-1]['connection'] == 'failed'
    assert 'gopher' in by_name['odd'][-1]['error']
    assert by_name['sound'][-1]['error'] == 'there is no video in it'
    assert by_name['text'][-1]['connection'] == 'failed'
    refused = [state for state in by_name['refused']
               if state['connection'] == 'waiting']
    assert 'Failed to connect' in refused[-1]['error']
    assert len(refused) >= 2 and refused[-1]['restarts'] >= 2
    assert refused[-1]['uri'] == f'rtsp://me:***@127.0.0.1:{port}/x'
    good = by_name['good'][-1]
    assert (good['connection'], good['healthy']) == ('ended', True)


def test_plugins_that_are_missing(tmp_path, policy, clip):
    """One line says what, and it is not tried again."""
    (tmp_path / 'list.m3u8').write_text(
        '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nx.ts\n')
    done = clqc(
        'watch', f'list={tmp_path}/list.m3u8', f'film={clip}', '--policy',
        policy, GST_PLUGIN_FEATURE_RANK=','.join(f'{name}:NONE' for name in (
            'hlsdemux', 'hlsdemux2', 'avdec_h264', 'openh264dec',
            'vaapih264dec', 'vah264dec', 'v4l2slh264dec', 'nvh264dec')))
    assert done.returncode == 2, done.stdout
    for name in 'list', 'film':
        told = [line for line in done.stdout.splitlines()
                if f'{name}: not connected' in line]
        assert len(told) == 1 and 'no plugin for it' in told[0], told
        assert told[0].endswith('given up')


def test_nothing_can_be_opened(policy):
    done = clqc('watch', 'a=gopher://127.0.0.1/', '--policy', policy)
    assert done.returncode == 2
    assert 'given up' in done.stdout


@pytest.mark.parametrize('words, said', [
    (['nothing.ts'], 'nothing.ts: no such file'),
    (['a=x://y', 'a=x://z'], 'two streams are named a'),
    (['x://y', '--policy', 'nope'], 'nope: no such policy'),
    (['rtsp://me:secret@[::1/x'], 'rtsp://me:***@[::1/x: no URI: '),
    (['x://y', '--mqtt', 'localhost'], 'not a URL of MQTT'),
    (['x://y', '--mqtt', ''], 'argument --mqtt: its value is empty'),
    (['x://y', '--prometheus', 'nine'], 'give [HOST:]PORT'),
    (['x://y', '--jsonl', '/nothing/x'], '/nothing/x: No such file'),
    (['x://y', '--loop'], '--loop is for files'),
    (['x://y', '--interval', '0'], 'at least 0.1')])
def test_wrong_commands(words, said):
    done = clqc('watch', *words)
    assert done.returncode == 2
    assert said in done.stdout


def test_port_that_is_taken():
    with live.socket.create_server(('127.0.0.1', 0)) as server:
        port = server.getsockname()[1]
        done = clqc('watch', 'x://y', '--prometheus', port)
    assert done.returncode == 2
    assert 'Address already in use' in done.stdout


@pytest.mark.parametrize('option, value, package', [
    ('--mqtt', 'mqtt://127.0.0.1:1', 'paho'),
    ('--prometheus', '9', 'prometheus_client')])
def test_library_that_is_missing(tmp_path, option, value, package):
    (tmp_path / f'{package}.py').write_text('raise ImportError("no")')
    path = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    done = clqc('watch', 'x://y', option, value, PYTHONPATH=path)
    assert done.returncode == 2
    assert f"{option} needs" in done.stdout
    assert "clqc[live]" in done.stdout


def test_broker_that_is_away(policy, clip):
    done = clqc('watch', clip, '--policy', policy, '--mqtt',
                f'mqtt://127.0.0.1:{live.free_port()}')
    assert done.returncode == 0, done.stdout
    assert done.stdout.count('MQTT') == 1  # one line, and not one a second


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
        heard.wait('clqc/cam/state', 20, healthy=True)
        sent = sender.tell('picture black')
        heard.wait('clqc/cam/event', since=sent, event='black')
        with urllib.request.urlopen(
                f'http://127.0.0.1:{page}/metrics', timeout=5) as answer:
            text = answer.read()
        assert b'clqc_frames_total{stream="cam"}' in text
        checked = subprocess.run(['promtool', 'check', 'metrics'],
                                 input=text, check=False,
                                 capture_output=True)
        assert checked.returncode == 0 and not checked.stderr, checked
        # One that is killed cannot say so: the broker does.
        watch.process.send_signal(signal.SIGKILL)
        heard.wait('clqc/status', since=sent, text='offline')


def test_fifo_without_a_writer(tmp_path):
    """Its process waits, and is known to live; the stream is not well."""
    os.mkfifo(tmp_path / 'quiet')
    done = clqc('watch', tmp_path / 'quiet', '--seconds', 7, '--jsonl',
                tmp_path / 'x.jsonl', '--interval', 60, '--stall', 3,
                CLQC_SILENT_SECONDS='4')
    assert done.returncode == 2, done.stdout
    told = list(states(tmp_path / 'x.jsonl'))
    assert [(state['connection'], state['healthy']) for state in told] == [
        ('connecting', None), ('waiting', None), ('waiting', False),
        ('stopped', None)]
    assert told[2]['reasons'][0]['message'] == (
        'Not connected: nobody has written into it for 3 seconds.')
    assert told[2]['restarts'] == 0


def test_fifo_that_is_opened_and_left(tmp_path):
    """Its writer has failed before the first byte. The wait goes on as before
    it, and costs as little, until another one writes."""
    line = pytest.importorskip('clqc.live.line')
    path = tmp_path / 'channel'
    os.mkfifo(path)
    waits, opened = [], []
    waiting = threading.Thread(target=lambda: opened.append(line.fifo(
        str(path), lambda: False, lambda: waits.append(1))), daemon=True)
    waiting.start()
    with open(path, 'wb'):
        pass
    time.sleep(1.2)
    assert waiting.is_alive() and len(waits) <= 4
    with open(path, 'wb') as writer:
        writer.write(b'x')
        writer.flush()
        waiting.join(5)
    assert opened[0].startswith('fd://')
    os.close(int(opened[0].removeprefix('fd://')))


def test_long_interval(policy):
    """A process that has nothing to tell for six seconds is no dead one."""
    done = clqc('watch', clips.SOURCE, '--policy', policy, '--interval', 60,
                CLQC_SILENT_SECONDS='4')
    assert done.returncode == 0, done.stdout


def test_camera_without_a_coder(tmp_path):
    """Pictures come as devices of V4L2 have them, and sound beside them."""
    if not live.program('gst-inspect-1.0') or subprocess.run(
            ['gst-inspect-1.0', '--exists', 'testsrcbin'], check=False
            ).returncode:
        pytest.skip('there is no testsrcbin')
    with live.Watch(tmp_path, 'cam=testbin://video,pattern=smpte75,'
                    'horizontal-speed=2,is-live=true,caps=[video/x-raw,'
                    'format=YUY2,width=320,height=240,framerate=10/1]'
                    '+audio,is-live=true,volume=0.1') as watch:
        form = watch.wait(30, stream='cam', healthy=True)['form']
        assert form['format'] == 'YUY2' and form['live'] and form['sound']
        watch.wait(10, type='statistics')
        assert not [line for line in watch.lines if line['type'] == 'event']


def test_srt(tmp_path):
    port = live.free_port(live.socket.SOCK_DGRAM)
    with live.Sender('srt', port) as sender, live.Watch(
            tmp_path, f'srt://127.0.0.1:{port}?mode=caller', '--stall',
            '4') as watch:
        state = watch.wait(20, healthy=True)
        assert state['stream'] == f'127-0-0-1-{port}'
        sent = sender.tell('picture black')
        watch.wait(since=sent, event='black', state='start')
        sender.kill()
        away = watch.wait(30, sent, connection='waiting')
        with live.Sender('srt', port):
            watch.wait(30, away['came'], connection='connected')


def test_rtsp(tmp_path):
    """A camera with a password, which is switched off and on again."""
    gi = pytest.importorskip('gi')
    try:
        gi.require_version('GstRtspServer', '1.0')
    except ValueError as error:
        pytest.skip(str(error))
    port = live.free_port()

    def camera():
        process = live.Process(
            sys.executable, os.path.join(live.HERE, 'rtsp_camera.py'), port,
            'me', 's3cret', stdout=subprocess.PIPE)
        assert process.process.stdout.readline() == 'listening\n'
        return process
    with camera() as first, live.Watch(
            tmp_path, f'right=rtsp://me:s3cret@127.0.0.1:{port}/live',
            f'wrong=rtsp://me:other@127.0.0.1:{port}/live') as watch:
        state = watch.wait(20, stream='right', healthy=True)
        assert state['form']['live'] is True
        refused = watch.wait(20, stream='wrong', connection='waiting')
        assert 'nauthorized' in refused['error']
        first.kill()
        away = watch.wait(30, stream='right', connection='waiting')
        with camera():
            watch.wait(30, away['came'], stream='right',
                       connection='connected')
        assert 's3cret' not in watch.said() + str(watch.lines)


def test_process_that_hangs(tmp_path, clip):
    """It is ended, and another one opens the stream; nobody else waits."""
    port = live.free_port(live.socket.SOCK_DGRAM)
    with live.Sender('ts', port), live.Watch(
            tmp_path, f'cam=udp://127.0.0.1:{port}', f'film={clip}',
            '--loop', CLQC_SILENT_SECONDS='4') as watch:
        watch.wait(20, stream='cam', healthy=True)
        watch.wait(20, stream='film', healthy=True)
        with open('/proc/net/udp', encoding='utf-8') as file:
            inode, = [row.split()[9] for row in file
                      if f'0100007F:{port:04X} ' in row]
        hung, = [pid for pid in watch.children() if f'socket:[{inode}]' in [
            os.readlink(f'/proc/{pid}/fd/{fd}')
            for fd in os.listdir(f'/proc/{pid}/fd')]]
        sent = time.time()
        os.kill(hung, signal.SIGSTOP)
        state = watch.wait(15, sent, stream='cam', connection='waiting')
        assert 'signal 9' in state['error']
        watch.wait(15, state['came'], stream='cam', connection='connected')
        assert watch.find(sent + 2, stream='film', type='statistics')
        assert not os.path.exists(f'/proc/{hung}')


def test_reader_that_goes(policy, clip):
    done = subprocess.run(
        ['sh', '-c', f'"$0" -m clqc watch {clip} --loop --policy {policy} '
         '--jsonl - | head -n 2', sys.executable], timeout=30, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert 'has gone' in done.stdout and 'Traceback' not in done.stdout


@needs_broker
def test_killed_leaves_no_processes(tmp_path, clip):
    with live.Watch(tmp_path, clip, '--loop') as watch:
        watch.wait(20, type='statistics')
        children = watch.children()
        assert children
        watch.process.kill()
        live.until(lambda: not any(
            os.path.exists(f'/proc/{pid}') for pid in children), 10,
            'processes are left')


@needs_broker
def test_broker_with_a_lock(tmp_path, clip, policy):
    """TLS, and users with passwords."""
    certificate, key = tmp_path / 'ca.pem', tmp_path / 'key.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
         '-keyout', key, '-out', certificate, '-days', '2', '-subj',
         '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
        check=True, capture_output=True)
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
        assert 'refuses the connection' in done.stdout
        assert 'wrong' not in done.stdout
