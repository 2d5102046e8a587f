# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch with a clock that jumps: its messages, and when it sends them,
for streams whose processes play messages of the test."""
import json
import os
import threading
from types import SimpleNamespace

import live
import pytest
from jumping import START, Jumping

from clqc import commandline
from clqc.common import network_errors
from clqc.live import command
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging import counters
from clqc.live.judging.damage import Damage
from clqc.live.outputs import base
from clqc.live.outputs.state import when
from clqc.live.processes import watch, worker

FORM = {'width': 64, 'height': 48, 'format': 'I420', 'rate': [25, 1],
        'sound': False, 'live': True, 'device': 'x'}
BLACK = {'rule': 'events.black', 'severity': 'error', 'message': 'Black.'}


def form(*faults):
    return {'type': 'form', 'form': FORM, 'faults': list(faults)}


def status(frames, *faults):
    return {'type': 'status', 'frames': frames, 'dropped': 0, 'behind': 0.0,
            'position': 0.0, 'statistics': {'YAVG': 99.0},
            'faults': list(faults)}


def event(state, **more):
    return {'type': 'event', 'event': 'black', 'state': state, **more}


def closed(message='', final=False):
    return {'type': 'closed', 'message': message, 'kind': '', 'good-for': 0.0,
            'final': final, 'wait': 0.0}


class Watched:
    """Runs the command. @messages: for each stream, the messages of its
    process: seconds and a message. @silent: from when to when a process does
    not respond."""

    def __init__(self, folder, monkeypatch, messages, *words, silent=()):
        silent = dict(silent)
        self.clock = clock = Jumping()
        self.checks = []  # when runners were checked

        class Script:
            ident = None

            def __init__(self, number, stream, _, inbox, *__, **___):
                self.name = stream.name
                self.rows = [(seconds, (number, message)) for seconds, message
                             in messages[stream.name]]
                self.inbox = inbox

            def start(self):
                self.ident = 1
                for seconds, row in self.rows:
                    clock.at(seconds, lambda row=row: self.inbox.put(row))

            def check(one):
                self.checks.append(clock.now())
                since, until = silent.get(one.name, (0, 0))
                return since <= clock.now() < until

            def join(self, _):
                """Does nothing: there is no thread."""

            stop = kill = is_alive = lambda self: None
        monkeypatch.setattr(watch, 'Runner', Script)
        # a thread writes the lines: it gets the time that it needs
        monkeypatch.setattr(base.Lines.close, '__defaults__', (60.0,))
        (folder / 'live.toml').write_text(live.POLICY)
        path = folder / 'x.jsonl'
        self.status = command.run(commandline._parse([
            'watch', *(f'{name}=x://{name}' for name in messages), '--policy',
            str(folder / 'live.toml'), '--jsonl', str(path),
            *map(str, words)]), clock)
        with open(path, encoding='utf-8') as file:
            self.lines = [json.loads(line) for line in file]

    def of(self, kind, name='a'):
        return [line for line in self.lines
                if line['type'] == kind and line['stream'] == name]

    def states(self, name='a'):
        """Returns the time, the connection, whether it is healthy, and why
        not."""
        return [(line['time'], line['connection'], line['healthy'],
                 [reason['rule'] for reason in line['reasons']])
                for line in self.of('state', name)]


@pytest.fixture(name='watched')
def _watched(tmp_path, monkeypatch):
    return lambda messages, *words, **more: Watched(
        tmp_path, monkeypatch, messages, *words, **more)


def at(seconds):
    return when(START + seconds)


def test_health_follows_the_clock(watched):
    """The policy requires 0.2 s of a fault, and 1 s without a fault for a
    healthy stream."""
    found = watched({'a': [
        (1, form()), (2, status(10, BLACK)), (4, status(30)),
        (6, closed(final=True))]})
    assert found.states() == [
        (at(0), 'connecting', None, []), (at(1), 'connected', True, []),
        (at(2.2), 'connected', False, ['events.black']),
        (at(4), 'connected', False, ['live.recovering']),
        (at(5), 'connected', True, []), (at(6), 'ended', True, [])]
    assert [line['since'] for line in found.of('state')][2:5] == [
        at(2.2), at(2.2), at(5)]
    assert found.status == 1


def test_counters_of_all_connections(watched):
    found = watched({'a': [
        (1, form()),
        (2, {**status(10), 'rate': 22.5, 'counts': {
            'missing-frames': 3, 'lost-packets': {'ts': 7}}}),
        (3, closed('gone')), (4, form()),
        (5, {**status(10), 'counts': {'missing-frames': 2,
                                      'decode-errors': {'audio': 1}}}),
        (6, closed(final=True))]})
    first, last = found.of('statistics')
    assert (first['missing-frames'], first['rate']) == (3, 22.5)
    assert (last['missing-frames'], last['rate']) == (5, None)
    assert last['lost-packets'] == {'ts': 7, 'rtp': 0, 'rtp-late': 0,
                                    'srt': 0}
    assert last['decode-errors'] == {'video': 0, 'audio': 1, 'other': 0}


def test_short_fault(watched):
    found = watched({'a': [
        (1, form()), (2, status(10, BLACK)), (2.1, status(11)),
        (6, closed(final=True))]})
    assert {row[2] for row in found.states()} == {None, True}
    assert found.status == 0


def test_events(watched):
    """When a process ends, its open events end."""
    found = watched({'a': [
        (1, form()), (3, event('start', ago=0.5)),
        (5, event('end', duration=2.5e9)), (6, event('start')),
        (8, closed('gone')), (9, closed('gone', True))]})
    assert [(line['state'], line['at'], line.get('duration'),
             line.get('cut')) for line in found.of('event')] == [
        ('start', at(2.5), None, None), ('end', at(5), 2.5, None),
        ('start', at(6), None, None), ('end', at(8), 2.0, True)]


def test_process_that_does_not_respond(watched):
    """The stream is unhealthy as long as its process is silent, and no
    longer."""
    found = watched({'a': [(1, form()), (2, status(10)), (9, status(20)),
                           (12, closed(final=True))]},
                    silent={'a': (4, 8)})
    assert found.states()[1:-1] == [
        (at(1), 'connected', True, []),
        (at(4.2), 'connected', False, ['live.process']),
        (at(8.2), 'connected', False, ['live.recovering']),
        (at(9.2), 'connected', True, [])]


def test_silent_process_before_the_first_frame(watched):
    """The stream has no state yet, as it may still connect."""
    found = watched({'a': [(9, form()), (12, closed(final=True))]},
                    silent={'a': (1, 9)})
    assert [row[2] for row in found.states()] == [None, True, True]


def test_fifo_without_a_writer(watched):
    """The stream is unhealthy; its state afterwards is unknown."""
    found = watched({'a': [(3, {'type': 'waits', 'message': 'nobody'})]},
                    '--seconds', 7)
    *states, last = found.states()
    assert states == [
        (at(0), 'connecting', None, []), (at(3), 'waiting', None, []),
        (at(3.2), 'waiting', False, ['live.connection'])]
    assert last[1:] == ('stopped', None, [])
    assert found.of('state')[2]['reasons'][0]['message'] == (
        'Not connected: nobody.')
    assert 7 <= found.clock.now() <= 7 + watch._TICK
    assert found.status == 2
    assert not found.of('state')[2]['restarts']


def test_counts_go_on_with_the_next_process(watched):
    found = watched({'a': [
        (1, form()), (2, status(50)), (2, closed()), (3, form()),
        (4, status(20))]}, '--seconds', 7)
    assert [line['frames'] for line in found.of('statistics')] == [50, 70]
    last = found.of('state')[-1]
    assert (last['connection'], last['restarts']) == ('stopped', 1)
    assert found.status == 0


@pytest.mark.parametrize('kinds, expected', [
    ([closed(final=True)], 2), ([form(), closed('broken', True)], 2),
    ([form(), status(1), closed(final=True)], 0),
    ([form(), status(1), closed('broken', True)], 1),
    ([form(BLACK), status(1, BLACK), closed(final=True)], 1)])
def test_exit_status(watched, kinds, expected):
    """A file shorter than the minimum duration of a fault is judged as it
    is."""
    assert watched({'a': [(1, one) for one in kinds]}).status == expected


def test_failed_stream_counts(watched):
    found = watched({
        'a': [(1, form()), (1, status(1)), (2, closed(final=True))],
        'b': [(1, closed('no plugin', True))]})
    assert found.status == 1
    assert found.states('b')[-1][1] == 'failed'


def test_path_becomes_another_source(watched):
    found = watched({'a': [
        (1, {**closed('/x: no such file'), 'kind': 'absent'}),
        (3, {'type': 'source', 'stream': Stream('a', 'fifo:///x')}),
        (4, form()), (5, status(10))], 'b': [(1, form()), (2, status(9))]},
        '--seconds', 7)
    assert found.states()[:5] == [
        (at(0), 'connecting', None, []), (at(1), 'waiting', None, []),
        (at(1.2), 'waiting', False, ['live.connection']),
        (at(4), 'connected', False, ['live.recovering']),
        (at(5), 'connected', True, [])]
    assert [line['uri'] for line in found.of('state')][::3] == [
        'x://a', 'fifo:///x']
    assert [row[2] for row in found.states('b')] == [None, True, None]


def test_runners_are_checked_several_times_a_second(watched):
    """With and without messages."""
    found = watched({'a': [(1, form()), *(
        (2 + n / 50, status(n)) for n in range(1, 250))]}, '--seconds', 10)
    steps = [after - before for before, after in
             zip(found.checks, found.checks[1:])]
    assert max(steps) <= 2 * watch._TICK and len(steps) <= 45


# --- the process of a stream ------------------------------------------------

class Ticking:
    """The ticker of a process with a clock that jumps. @arrived and @measured:
    frames by seconds."""

    def __init__(self, monkeypatch, arrived, measured, stall=10, interval=60,
                 has_begun=True, data=lambda now: True, cause=None,
                 is_blocked=False):
        self.clock = clock = Jumping()
        self.messages = []
        self.line = line = SimpleNamespace(
            form=lambda: FORM if measured(clock.now()) else None,
            has_sound=False, has_data=False, is_blocked=is_blocked,
            listen=self.listen,
            why_no_data=lambda: cause,
            address=network_errors.address('rtsp://camera/1'),
            real_time=SimpleNamespace(has_begun=has_begun))
        self.damage = Damage([], 60 * 10 ** 9, self.say, self.say, clock)
        results = SimpleNamespace(
            line=line, status=lambda: status(results.n_frames),
            damage=self.damage,
            check=lambda: self.damage.tick(line.n_arrived))

        def count():
            line.n_arrived = arrived(clock.now())
            line.has_data = line.has_data or data(clock.now())
            results.n_frames = measured(clock.now())
            clock.at(clock.now() + worker.TICK / 2, count)
        count()
        self.ticker = worker._Ticker(
            results, SimpleNamespace(say=self.say),
            {'interval': interval, 'stall': stall, 'times': {
                'signal_loss': 2, 'silent': 3, 'ended': 10}}, clock)

        self.ticker.start = lambda action: action()

        def end(_):
            raise SystemExit
        monkeypatch.setattr(worker.os, '_exit', end)

    def listen(self):
        self.line.has_data = False

    def say(self, message):
        self.messages.append((round(self.clock.now(), 3), message))

    def run(self, seconds):
        self.clock.at(seconds, self.ticker.has_ended.set)
        self.ticker.run()

    def of(self, kind):
        return [row for row in self.messages if row[1]['type'] == kind]


def frames(seconds):
    return int(seconds * 25)


def test_idle_process_reports_that_it_is_alive(monkeypatch):
    one = Ticking(monkeypatch, frames, frames)
    one.run(65)
    assert 60 <= len(one.of('alive')) <= 65
    first, second = one.of('status')
    assert first[0] < 1 and 60 <= second[0] < 61
    assert len(one.of('form')) == 1


@pytest.mark.parametrize('arrived, measured, waits, seconds, expected', [
    (lambda now: frames(min(now, 5)), lambda now: frames(min(now, 5)), {},
     15, 'no frame has arrived for 10 seconds'),
    (frames, lambda now: frames(min(now, 5)), {}, 65,
     'no frame has been measured for 60 seconds'),
    # a file waits until its first frame is measured
    (lambda now: 1, lambda now: 0, {'has_begun': False}, 300,
     'no frame has been measured for 300 seconds'),
    # a source waits until programs are compiled
    (lambda now: 1, lambda now: 0, {'is_blocked': True}, 300,
     'no frame has been measured for 300 seconds')])
def test_stalled_process_ends_itself(monkeypatch, arrived, measured, waits,
                                     seconds, expected):
    one = Ticking(monkeypatch, arrived, measured, **waits)
    with pytest.raises(SystemExit):
        one.run(1000)
    (when_said, error), = one.of('error')
    assert (error['kind'], error['message']) == ('stall', expected)
    assert seconds <= when_said < seconds + 0.5


@pytest.mark.parametrize('arrived, expected', [
    (frames, ['live.process']), (lambda now: frames(min(now, 5)), [])])
def test_device_that_hangs(monkeypatch, arrived, expected):
    """Frames arrive, and none is measured: this is a fault long before the
    process ends. A stream without frames is another fault."""
    one = Ticking(monkeypatch, arrived, lambda now: frames(min(now, 5)),
                  stall=60)
    one.run(20)
    faults = [(when_said, [fault['rule'] for fault in said['faults']])
              for when_said, said in one.of('status') if when_said > 5]
    assert [rules for _, rules in faults] == [expected] * len(expected)
    assert all(8 <= when_said < 8.5 for when_said, _ in faults)


def test_nobody_sends(monkeypatch):
    """This is reported by the time of a signal loss, and is the reason when
    the stream is opened again."""
    one = Ticking(monkeypatch, lambda _: 0, lambda _: 0,
                  data=lambda _: False, cause='nobody sends')
    with pytest.raises(SystemExit):
        one.run(1000)
    (when_said, said), = one.of('waits')
    assert said['message'] == 'nobody sends' and 2 <= when_said < 2.5
    (when_said, error), = one.of('error')
    assert error['message'] == 'nobody sends' and 10 <= when_said < 10.5


@pytest.mark.parametrize('data, cause, expected', [
    # a picture that begins with the next key frame
    (lambda now: True, 'nobody sends', 'no frame has arrived for 10 seconds'),
    # a server that accepts the connection
    (lambda now: False, None, 'no data arrives from camera:554')])
def test_stream_that_starts_late(monkeypatch, data, cause, expected):
    """It may still start: only the time-out is an error."""
    one = Ticking(monkeypatch, lambda _: 0, lambda _: 0, data=data,
                  cause=cause)
    with pytest.raises(SystemExit):
        one.run(1000)
    assert one.of('waits') == []
    assert [said['message'] for _, said in one.of('error')] == [expected]


def test_sender_that_leaves(monkeypatch):
    """A stream that had frames has lost its signal; the cause is known when it
    is opened again."""
    one = Ticking(monkeypatch, lambda now: frames(min(now, 5)),
                  lambda now: frames(min(now, 5)),
                  data=lambda now: now <= 5, cause='nobody sends')
    with pytest.raises(SystemExit):
        one.run(1000)
    assert one.of('waits') == []
    assert [said['message'] for _, said in one.of('error')] == [
        'nobody sends']


def test_stalled_process_names_lost_packets(monkeypatch):
    """The packets that arrive decode to no frame."""
    one = Ticking(monkeypatch, lambda now: 0, lambda now: 0, interval=1)
    counts = counters.zero()
    counts['packets']['ts'] = 60
    counts['lost-packets']['ts'] = 30
    counts['transport-errors']['continuity'] = 3
    one.clock.at(2, lambda: one.damage.set_transport(counts))
    with pytest.raises(SystemExit):
        one.run(1000)
    (_, error), = one.of('error')
    assert error['message'] == ('no frame has arrived for 10 seconds; 33.3 % '
                                'of its packets were lost')
    assert one.of('status'), 'the counters are reported without a frame'


def test_missing_writer_is_reported_once():
    clock, messages = Jumping(), []
    one = worker._Patience(3, SimpleNamespace(say=messages.append), clock)
    for _ in range(20):
        clock.sleep(0.5)
        one.on_wait()
    assert [message['type'] for message in messages].count('alive') == 20
    assert [(n, message['message']) for n, message in enumerate(messages)
            if message['type'] == 'waits'] == [
        (6, 'no process has written into it for 3 seconds')]


@pytest.fixture(name='line')
def _line():
    pytest.importorskip('gi')
    from clqc.live.sources import pipeline
    return pipeline


def test_fifo_writer_without_data(tmp_path, line):
    """Its writer has failed before the first byte. The wait continues as
    before, at the same cost, until another one writes."""
    path, clock, waits, writers = tmp_path / 'channel', Jumping(), [], []
    os.mkfifo(path)

    def leave():
        with open(path, 'wb'):
            pass

    def write():
        writers.append(open(path, 'wb', buffering=0))
        writers[0].write(b'x')
    clock.at(1.2, leave)
    clock.at(9.8, write)
    opened = line.fifo(str(path), lambda: False,
                       lambda: waits.append(clock.now()), clock)
    # at once when it closes the FIFO, and then as before
    assert waits == pytest.approx(
        [0.5, 1.0, *(1.7 + n / 2 for n in range(18))])
    assert opened.startswith('fd://')
    os.close(int(opened.removeprefix('fd://')))
    writers[0].close()


def test_fifo_at_its_end(tmp_path, line):
    os.mkfifo(tmp_path / 'channel')
    over, clock = threading.Event(), Jumping()
    clock.at(3, over.set)
    assert line.fifo(str(tmp_path / 'channel'), over.is_set, lambda: None,
                     clock) is None
    assert clock.now() <= 3.5


def test_frames_are_held_back_until_their_time(line):
    from clqc.decoding.gst import Gst, init
    from clqc.live.sources.real_time import RealTime
    init()
    clock, times = Jumping(), []
    real_time = RealTime(lambda: int(clock.now() * 1e9), clock=clock)
    segment = Gst.Segment()
    segment.init(Gst.Format.TIME)
    pad = SimpleNamespace(get_sticky_event=lambda *_: Gst.Event.new_segment(
        segment))
    last = []
    for number in range(26):
        buffer = Gst.Buffer()
        buffer.pts = number * Gst.SECOND // 25
        real_time._on_buffer(
            pad, SimpleNamespace(get_buffer=lambda: buffer), last, True)
        times.append(clock.now())
    # the first frame does not define when to show the others
    assert times == pytest.approx([0, *(number / 25 for number in range(25))])
