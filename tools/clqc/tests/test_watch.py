# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch with streams over RTP and through a FIFO, whose faults are
published by a broker of MQTT, in lines of JSON and on the page for
Prometheus."""
import os
import signal
import time
import urllib.request

import live
import pytest

pytestmark = pytest.mark.skipif(
    not live.program('mosquitto') or not live.program('mosquitto_sub'),
    reason='there is no mosquitto')

# Seconds without a frame after which a stream is opened again: a busy machine
# takes seconds from the report of a lost signal to the next frame.
STALL = '20'

# Seconds after the earliest time at which a fault can be detected. Frames
# arrive every tenth of a second, and test machines are busy.
LATE = 5


class Running:
    """A camera over RTP, a channel with sound through a FIFO, a broker."""

    def __init__(self, folder):
        self.folder = folder
        self.broker = live.Broker(folder, keeps=True)
        self.page = live.free_port()
        self.heard = live.Subscriber(self.broker.port, 'tv/qc', '-c', '-i',
                                     'heard')
        self.port = live.free_port(live.socket.SOCK_DGRAM)
        self.cam = live.Sender('rtp', self.port)
        self.fifo = folder / 'chan'
        os.mkfifo(self.fifo)
        self.watch = live.Watch(
            folder, f'cam={live.sdp(folder, self.port)}',
            f'chan={self.fifo}', '--mqtt',
            f'mqtt://127.0.0.1:{self.broker.port}/tv/qc',
            '--prometheus', str(self.page), '--stall', STALL)
        self.chan = live.Sender('fifo', self.fifo)
        self.healthy('cam', 'chan')

    def healthy(self, *names, since=0.0):
        for name in names:
            self.watch.wait(since=since, stream=name, type='state',
                            healthy=True, connection='connected')

    def said_of(self, name, since, *kinds):
        return [line for line in list(self.watch.lines)
                if line['stream'] == name and line['came'] >= since
                and line['type'] in kinds]

    def metrics(self):
        with urllib.request.urlopen(
                f'http://127.0.0.1:{self.page}/metrics', timeout=60) as page:
            return page.read().decode()

    def close(self):
        for process in (self.watch, self.cam, self.chan, self.heard,
                        self.broker):
            process.kill()


@pytest.fixture(scope='module', name='running')
def _running(tmp_path_factory):
    running = Running(tmp_path_factory.mktemp('watch'))
    yield running
    running.close()


@pytest.mark.parametrize('name, command, back, kind, least, rule', [
    ('cam', 'picture black', 'picture moving', 'black', 0.5, 'events.black'),
    ('cam', 'picture still', 'picture moving', 'freeze', 0.5,
     'events.freeze'),
    ('cam', 'frames off', 'frames on', 'signal-loss', live.LOSS,
     'live.signal-loss'),
    ('chan', 'picture black', 'picture moving', 'black', 0.5,
     'events.black'),
    ('chan', 'frames off', 'frames on', 'signal-loss', live.LOSS,
     'live.signal-loss'),
    ('chan', 'sound off', 'sound on', 'silence', 0.5, 'events.silence')])
def test_fault(running, name, command, back, kind, least, rule):
    sender = getattr(running, name)
    other = {'cam': 'chan', 'chan': 'cam'}[name]
    sent = sender.send(command)
    line = running.watch.wait(since=sent, stream=name, type='event',
                              event=kind, state='start')
    came, message = running.heard.wait(f'tv/qc/{name}/event', since=sent,
                                       event=kind, state='start')
    assert line['came'] - sent - least < LATE
    assert came - sent - least < LATE
    assert message['at'] == line['at']
    state = running.watch.wait(since=sent, stream=name, type='state',
                               healthy=False)
    assert [reason['rule'] for reason in state['reasons']] == [rule]
    running.heard.wait(f'tv/qc/{name}/state', since=sent, healthy=False)

    sender.send(back)
    end = running.watch.wait(since=line['came'], stream=name, type='event',
                             event=kind, state='end')
    assert end['duration'] >= least
    if kind == 'signal-loss':  # those frames are missing
        gap = running.watch.wait(since=sent, stream=name, type='event',
                                 event='gap', state='end')
        assert gap['frames'] >= 10 * live.LOSS - 1
    running.watch.wait(since=state['came'], stream=name, type='state',
                       healthy=True)
    assert running.said_of(other, sent, 'event', 'state') == []


def test_warning_keeps_the_stream_healthy(running):
    sent = running.cam.send('picture white')
    state = running.watch.wait(since=sent, stream='cam', type='state')
    assert (state['healthy'], [
        (reason['rule'], reason['severity']) for reason in state['reasons']
    ]) == (True, [('events.white', 'warning')])
    running.cam.send('picture moving')
    running.watch.wait(since=state['came'], stream='cam', type='state',
                       reasons=[])


def test_size_changes(running):
    for width, height in ((64, 48), (128, 96)):
        sent = running.cam.send(f'size {width} {height}')
        state = running.watch.wait(since=sent, stream='cam', type='state')
        assert (state['form']['width'], state['form']['height'],
                state['healthy'], state['reasons']) == (
            width, height, True, [])


def decoder(running):
    """Returns the process id of the stream from the FIFO."""
    child, = [pid for pid in running.watch.children() if any(
        os.readlink(f'/proc/{pid}/fd/{fd}') == str(running.fifo)
        for fd in os.listdir(f'/proc/{pid}/fd'))]
    return child


def test_stopped_decoder(running):
    """It is a fault by the times of the policy. clqc then ends the process,
    and says so."""
    sent = time.time()
    os.kill(decoder(running), signal.SIGSTOP)
    state = running.watch.wait(since=sent, stream='chan', type='state',
                               healthy=False)
    assert [reason['rule'] for reason in state['reasons']] == ['live.process']
    assert state['connection'] == 'connected'
    ended = running.watch.wait(since=sent, stream='chan', type='state',
                               connection='waiting')
    assert ended['error'] == ('clqc ended the decoding process, which had not '
                              f'responded for {STALL} seconds')
    running.chan.kill()
    running.chan = live.Sender('fifo', running.fifo)
    running.healthy('chan', since=ended['came'])
    assert running.said_of('cam', sent, 'event', 'state') == []


def test_killed_decoder(running):
    sent = time.time()
    before = running.watch.find(stream='cam', type='statistics')
    os.kill(decoder(running), signal.SIGKILL)
    state = running.watch.wait(since=sent, stream='chan', type='state',
                               connection='waiting')
    assert 'signal 9' in state['error'] and state['restarts'] == 2
    running.chan.kill()
    running.chan = live.Sender('fifo', running.fifo)
    running.healthy('chan', since=sent)
    assert running.said_of('cam', sent, 'event', 'state') == []
    last = running.said_of('cam', sent, 'statistics')[-1]
    assert last['frames'] > before['frames']


def test_sender_ends(running):
    sent = time.time()
    running.chan.kill()
    state = running.watch.wait(since=sent, stream='chan', type='state',
                               connection='waiting')
    assert state['error'] == 'the stream has ended'
    unhealthy = running.watch.wait(since=sent, stream='chan', type='state',
                                   healthy=False)
    assert unhealthy['reasons'][0]['rule'] == 'live.connection'
    running.chan = live.Sender('fifo', running.fifo)
    running.healthy('chan', since=sent)
    assert running.said_of('cam', sent, 'event', 'state') == []


def test_broker_restarts(running):
    running.broker.stop()
    sent = running.cam.send('picture black')
    running.watch.wait(since=sent, stream='cam', type='event', event='black',
                       state='start')  # the broker blocks nothing
    state = running.watch.wait(since=sent, stream='cam', type='state',
                               healthy=False)
    back = running.cam.send('picture moving')
    running.watch.wait(since=state['came'], stream='cam', type='state',
                       healthy=True)
    running.broker = live.Broker(running.folder, running.broker.port,
                                 keeps=True)
    for state in 'start', 'end':
        running.heard.wait('tv/qc/cam/event', since=sent, event='black',
                           state=state)
    running.heard.wait('tv/qc/cam/state', since=back, healthy=True)
    running.heard.wait('tv/qc/status', since=back, text='online')


def test_page(running):
    page = running.metrics()
    counts = {}
    for line in running.watch.lines:
        if line['type'] == 'event' and line['state'] == 'start':
            key = f'event="{line["event"]}",stream="{line["stream"]}"'
            counts[key] = counts.get(key, 0) + 1
    assert counts
    for key, count in counts.items():
        event, stream = key.split(',')
        assert any(line == f'clqc_events_total{{{labels}}} {count}.0'
                   for line in page.split('\n')
                   for labels in (key, f'{stream},{event}')), key
    assert 'clqc_healthy{stream="cam"} 1.0' in page
    assert 'clqc_restarts_total{stream="chan"} 3.0' in page
    assert 'statistic="YAVG"' in page


def test_state_is_retained(running):
    with live.Subscriber(running.broker.port, 'tv/qc') as late:
        _, state = late.wait('tv/qc/cam/state', healthy=True)
        assert state['uri'].startswith('sdp://')
        late.wait('tv/qc/status', text='online')


def test_stops(running):
    """The last test with these streams."""
    children = running.watch.children()
    assert len(children) == 2
    sent = time.time()
    assert running.watch.stop() == 0
    running.heard.wait('tv/qc/cam/state', since=sent, connection='stopped',
                       healthy=None)
    running.heard.wait('tv/qc/status', since=sent, text='offline')
    assert not any(os.path.exists(f'/proc/{pid}') for pid in children)
    assert 'Traceback' not in running.watch.output()
