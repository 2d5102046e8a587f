# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams that lose packets: counters, events, rules and cuts of the real
pipeline."""
import json
import os
import random
import threading
from contextlib import suppress

import clips
import live
import pytest
from damage import twice
from jumping import Jumping

from clqc.decoding import gst
from clqc.judging import policy
from clqc.live.judging import damage
from clqc.live.judging.judge import Rules
from clqc.live.judging.stream_results import StreamResults
from clqc.live.sources.pipeline import LivePipeline
from clqc.live.sources.real_time import RealTime
from clqc.live.sources.transport import Transport

gst.init()

DATAGRAM = 7 * 188
SECONDS = 12

# Twelve seconds of 25 frames that move; codec, GStreamer's name of it.
CODECS = {
    'h264': ('-c:v libx264 -preset veryfast -b:v 600k -maxrate 700k -bufsize '
             '300k -g 25 -bf 0 -c:a aac', 'H.264*'),
    'mpeg2': ('-c:v mpeg2video -b:v 800k -maxrate 900k -bufsize 500k -g 12 '
              '-bf 2 -c:a mp2', 'MPEG-2 Video*')}


@pytest.fixture(scope='module', name='clip_of')
def _clip_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp('lossy')

    def make(codec):
        path = folder / f'{codec}.ts'
        if not path.exists():
            clips.run('-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:'
                      f'duration={SECONDS},scroll=h=0.01', '-f', 'lavfi', '-i',
                      f'sine=duration={SECONDS}', *CODECS[codec][0].split(),
                      str(path))
        return path.read_bytes()
    return make


class Played:
    """The pipeline of a process of clqc watch, with data that arrives as fast
    as it is decoded. Each @nth datagram from the second second on is lost."""

    def __init__(self, monkeypatch, data, nth, text=''):
        monkeypatch.setattr(RealTime, 'hold', lambda *_: None)
        self.lines = []
        sent = [data[at:at + DATAGRAM] for at in range(0, len(data), DATAGRAM)]
        first = len(sent) // SECONDS
        kept = [one for i, one in enumerate(sent)
                if not nth or i < first or i % nth]
        self.n_sent, self.n_kept = len(data) // 188, len(b''.join(kept)) // 188
        source, sink = os.pipe()

        def feed():
            with suppress(BrokenPipeError), open(sink, 'wb', 0) as file:
                for one in kept:
                    file.write(one)
        rules = Rules.of(policy.parse(text, 'test'))
        self.results = results = StreamResults(rules, self.lines.append)
        reader, writer = os.pipe()
        results.line = line = LivePipeline(
            f'fd://{source}', rules, writer, results.level, results.damage)
        feeding = threading.Thread(target=feed, daemon=True)
        reading = threading.Thread(target=results.read, args=(reader,),
                                   daemon=True)
        # the stream has been entered
        monkeypatch.setattr(damage, 'ENTRY', 0)
        results.damage.tick(1)
        feeding.start()
        reading.start()
        try:
            line.play(lambda: False)
            results.check()
            self.faults = [fault['rule']
                           for fault in results.status()['faults']]
        finally:
            line.close()
            os.close(writer)
            reading.join(60)
        self.n_arrived = line.n_arrived
        self.form = line.form()
        self.counts = results.damage.counts()

    def begun(self):
        return {line['event'] for line in self.lines
                if line['state'] == 'start'}


@pytest.mark.parametrize('codec', CODECS)
def test_intact_stream(monkeypatch, clip_of, codec):
    one = Played(monkeypatch, clip_of(codec), 0,
                 '[container]\nwidth = 320\nheight = 180\nrate = 25\n'
                 f'codec = "{CODECS[codec][1]}"\naudio-tracks = 1\n'
                 'range = "limited"\naudio-channels = 1\n'
                 '[events.gap]\nmax-count = 0\n'
                 '[events.decode-error]\nmax-count = 0\n')
    assert one.n_arrived == SECONDS * 25
    counts = {key: {kind: count for kind, count in of_kind.items() if count}
              for key, of_kind in one.counts.items()}
    assert counts == {
        'missing-frames': {}, 'decode-errors': {}, 'transport-errors': {},
        'packets': {'ts': one.n_sent}, 'lost-packets': {}}
    assert one.faults == [] and not one.begun() & {
        'gap', 'decode-error', 'transport-error'}


# Options of the sound of two parts of a transport stream.
_SOUNDS = {'the same': ('', ''), 'none at first': ('-an', ''),
           'none later': ('', '-an'),
           'two': ('-map 0 -map 1', '-map 0 -map 1 -map 1')}


@pytest.mark.parametrize('first, second', _SOUNDS.values(), ids=_SOUNDS)
def test_change_of_the_pids(monkeypatch, tmp_path, first, second):
    """All frames of both parts are measured, and the end is reached."""
    parts = []
    for sound, pid in (first, 0x100), (second, 0x200):
        path = tmp_path / f'{pid}.ts'
        clips.run('-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=25:'
                  'duration=3', '-f', 'lavfi', '-i', 'sine=duration=3',
                  *sound.split(), '-c:v', 'mpeg2video', '-c:a', 'mp2',
                  '-mpegts_start_pid', str(pid), '-tables_version',
                  str(pid >> 8), '-output_ts_offset', str(3 * len(parts)),
                  str(path))
        parts.append(path.read_bytes())
    one = Played(monkeypatch, b''.join(parts), 0,
                 '[container]\nwidth = 64\n[events.gap]\nmax-count = 0\n')
    assert 148 <= one.n_arrived <= 150
    assert one.results.n_frames + one.results.line.n_lost == one.n_arrived
    assert one.faults == [] and 'gap' not in one.begun()
    assert one.form['sound'] and 'MPEG-2' in one.form['codec']


@pytest.mark.parametrize('nth', [1, 3])
def test_packets_that_are_sent_twice(monkeypatch, clip_of, nth):
    """The pipe gives blocks in which packets begin anywhere."""
    data = twice(nth)(clip_of('h264'), random.Random(0))
    one = Played(monkeypatch, data, 0)
    assert one.n_arrived == SECONDS * 25
    assert one.counts['packets']['ts'] == len(data) // 188
    assert not any(count for key, of_kind in one.counts.items()
                   for count in of_kind.values() if key != 'packets')


@pytest.mark.parametrize('codec', CODECS)
@pytest.mark.parametrize('nth', [20, 100])
def test_lost_datagrams(monkeypatch, clip_of, codec, nth):
    """All lost packets and frames are counted. Frames at the ends are not
    between others."""
    one = Played(monkeypatch, clip_of(codec), nth)
    assert one.counts['packets']['ts'] == one.n_kept
    assert one.counts['lost-packets']['ts'] > 0
    # packets without a payload do not count
    n_lost = one.n_sent - one.n_kept
    assert n_lost - 5 <= one.counts['lost-packets']['ts'] <= n_lost
    assert one.counts['transport-errors']['continuity'] > 0
    n_missing = one.counts['missing-frames']['']
    assert n_missing > 0
    assert SECONDS * 25 - 30 <= one.n_arrived + n_missing <= SECONDS * 25
    assert one.begun() >= {'gap', 'transport-error'}


def test_jumps_after_lost_frames_are_no_cuts(monkeypatch, clip_of):
    text = '[events.scene]\nmax-count = 0'
    data = clip_of('h264')
    one = Played(monkeypatch, data, 20, text)
    assert one.counts['missing-frames'][''] > 30
    assert 'scene' not in one.begun()
    # they are found where nothing tells of damage
    monkeypatch.setattr(LivePipeline, 'is_damaged', lambda *_: False)
    monkeypatch.setattr(LivePipeline, 'is_behind_gap', lambda *_: False)
    assert 'scene' in Played(monkeypatch, data, 20, text).begun()


def test_form_that_is_not_allowed(monkeypatch, clip_of):
    one = Played(monkeypatch, clip_of('h264'), 0,
                 '[container]\nwidth = 1920\nrate = 50\ncodec = "H.265*"\n'
                 'audio-channels = 6\nheight = 180\n')
    assert sorted(one.faults) == [
        'container.audio-channels', 'container.codec', 'container.rate',
        'container.width']


@pytest.mark.parametrize('where', ['file', 'pipe'])
def test_damage_in_a_file(monkeypatch, clip_of, tmp_path, where):
    """Its demuxer seeks while it opens the file."""
    data = clip_of('h264')
    at = len(data) // 188 // 2 * 188
    cut = data[:at] + data[at + 188 * 5:]
    if where == 'pipe':
        one = Played(monkeypatch, cut, 0)
        counts = one.counts
    else:
        path = tmp_path / 'damaged.ts'
        path.write_bytes(cut)
        monkeypatch.setattr(RealTime, 'hold', lambda *_: None)
        results = StreamResults(Rules(), lambda _: None)
        reader, writer = os.pipe()
        results.line = line = LivePipeline(path.as_uri(), Rules(), writer,
                                           results.level, results.damage)
        threading.Thread(target=results.read, args=(reader,),
                         daemon=True).start()
        line.play(lambda: False)
        line.check()
        line.close()
        os.close(writer)
        counts = results.damage.counts()
    assert counts['packets']['ts'] == len(cut) // 188
    assert counts['lost-packets']['ts'] == 5


def test_source_that_waits_for_programs(monkeypatch, clip_of):
    """While programs are compiled for the first frame, a source waits with its
    query behind this frame in the queue, and delivers no other one."""
    states = []
    passed = LivePipeline._on_passed

    def compile_programs(line, pad, info):
        if info.type & gst.Gst.PadProbeType.BUFFER and not states:
            queue = pad.get_parent_element().get_parent().get_by_name('wait')
            query = gst.Gst.Query.new_allocation(line.caps, False)
            threading.Thread(target=queue.get_static_pad('sink').query,
                             args=(query,), daemon=True).start()
            live.until(lambda: line.is_blocked, live.GUARD, 'not blocked')
            states.append(line)
        return passed(line, pad, info)
    monkeypatch.setattr(LivePipeline, '_on_passed', compile_programs)
    one = Played(monkeypatch, clip_of('h264'), 0)
    assert one.n_arrived == SECONDS * 25
    assert [line.is_blocked for line in states] == [False]


def test_clock_that_jumps(tmp_path):
    """The clock of the sender jumps by an hour, between two intact parts."""
    for start in 0, 3600:
        clips.run('-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=25:'
                  'duration=0.8', '-c:v', 'mpeg2video', '-output_ts_offset',
                  str(start), str(tmp_path / f'{start}.ts'))
    (tmp_path / 'all.ts').write_bytes(
        (tmp_path / '0.ts').read_bytes() + (tmp_path / '3600.ts').read_bytes())
    for name, count in ('0', 0), ('all', 1):
        moves = []
        line = gst.Gst.parse_launch(
            f'filesrc location={tmp_path}/{name}.ts ! queue ! decodebin ! '
            'fakesink')
        Transport(line, moves.append, Jumping())
        line.set_state(gst.Gst.State.PLAYING)
        line.bus.timed_pop_filtered(60 * gst.Gst.SECOND, (
            gst.Gst.MessageType.EOS | gst.Gst.MessageType.ERROR))
        line.set_state(gst.Gst.State.NULL)
        assert len(moves) == count


@pytest.mark.parametrize('n_frames, count', [(20, 0), (40, 1)])
def test_timestamps_of_rtp_that_jump(n_frames, count):
    """The clock stands still, while those of the packets advance by less or
    more than a second."""
    moves = []
    line = gst.Gst.Pipeline.new(None)
    Transport(line, moves.append, Jumping())
    line.add(gst.Gst.parse_bin_from_description(
        f'videotestsrc num-buffers={n_frames} ! video/x-raw,width=64,'
        'height=48,framerate=25/1 ! rtpvrawpay ! rtpjitterbuffer ! fakesink',
        False))
    line.set_state(gst.Gst.State.PLAYING)
    line.bus.timed_pop_filtered(60 * gst.Gst.SECOND, (
        gst.Gst.MessageType.EOS | gst.Gst.MessageType.ERROR))
    line.set_state(gst.Gst.State.NULL)
    assert len(moves) == count


def test_timestamps_of_a_sender_that_stands_still():
    """Half a second of frames arrives at once, several times: the jitter
    buffer moves the timestamps, the sender's are even. Those that the sender
    jumps over are missing, also where their number has more than 32 bits."""
    sender = gst.Gst.parse_launch(
        'videotestsrc num-buffers=200 ! video/x-raw,format=UYVY,width=32,'
        'height=16,framerate=25/1 ! rtpvrawpay timestamp-offset=4294600000 ! '
        'appsink name=sink sync=false')
    sender.set_state(gst.Gst.State.PLAYING)
    samples = iter(lambda: sender.get_by_name('sink').emit('pull-sample'),
                   None)
    packets = [(sample.get_caps(), sample.get_buffer()) for sample in samples]
    sender.set_state(gst.Gst.State.NULL)

    line = gst.Gst.Pipeline.new(None)
    transport = Transport(line, clock=Jumping())
    line.add(gst.Gst.parse_bin_from_description(
        'appsrc name=source format=time ! rtpjitterbuffer latency=0 ! '
        'appsink name=sink sync=false', False))
    line.set_state(gst.Gst.State.PLAYING)
    source, sink = map(line.get_by_name, ('source', 'sink'))
    source.set_property('caps', packets[0][0])
    times, sent = [], []
    for i, (_, buffer) in enumerate(packets):
        if i in (5, 6):
            continue
        late = 20 - i % 20 if 20 < i < 120 and i % 20 > 8 else 0
        arriving = gst.Gst.Buffer.new_wrapped(
            buffer.extract_dup(0, buffer.get_size()))
        arriving.dts = (i + late) * gst.Gst.SECOND // 25
        source.emit('push-buffer', arriving)
        time = sink.emit('pull-sample').get_buffer().pts
        times.append(time)
        sent.append(transport.sender_time(time))
    line.set_state(gst.Gst.State.NULL)
    frame = gst.Gst.SECOND // 25
    steps = [round(b - a, -6) for a, b in zip(sent, sent[1:])]
    assert steps == [3 * frame if i == 4 else frame
                     for i in range(len(sent) - 1)]
    assert max(b - a for a, b in zip(times[5:], times[6:])) > 2 * frame


@pytest.mark.skipif(not gst.Gst.ElementFactory.find('srtsrc'),
                    reason='GStreamer has no SRT')
@pytest.mark.parametrize('mode, other', [('listener', 'caller'),
                                         ('caller', 'listener')])
def test_packets_of_srt(mode, other):
    """A listener has statistics for each caller."""
    port = live.free_port(live.socket.SOCK_DGRAM)
    receiver = gst.Gst.Pipeline.new(None)
    found = Transport(receiver)
    source = gst.Gst.ElementFactory.make('srtsrc')
    source.set_property('uri', f'srt://127.0.0.1:{port}?mode={mode}')
    sink = gst.Gst.ElementFactory.make('fakesink')
    for element in source, sink:
        receiver.add(element)
    source.link(sink)
    sender = gst.Gst.parse_launch(
        'videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! '
        'rtpvrawpay mtu=1300 ! srtsink '
        f'uri=srt://127.0.0.1:{port}?mode={other} wait-for-connection=false')
    first, second = (receiver, sender) if mode == 'listener' else (
        sender, receiver)
    try:
        first.set_state(gst.Gst.State.PLAYING)
        assert found.counts()['packets']['srt'] == 0
        second.set_state(gst.Gst.State.PLAYING)
        live.until(lambda: found.counts()['packets']['srt'] > 10, live.GUARD,
                   'no packets')
    finally:
        sender.set_state(gst.Gst.State.NULL)
        receiver.set_state(gst.Gst.State.NULL)


class Lossy:
    """Streams with the default policy."""

    def __init__(self, folder):
        self.ports = [live.free_port(live.socket.SOCK_DGRAM)
                      for _ in range(3)]
        form = (320, 240, 25)
        self.senders = [live.Sender('ts', self.ports[0], *form),
                        # its socket holds seconds of it
                        live.Sender('ts', self.ports[1]),
                        live.Sender('rtp', self.ports[2], *form)]
        text = open(os.path.join(policy._SHIPPED, 'default.toml'),
                    encoding='utf-8').read()
        self.watch = live.Watch(
            folder, f'bad=udp://127.0.0.1:{self.ports[0]}',
            f'good=udp://127.0.0.1:{self.ports[1]}',
            f'cam={live.sdp(folder, self.ports[2])}', policy=text)
        for name in 'bad', 'good', 'cam':
            self.watch.wait(stream=name, type='state', healthy=True)

    def reasons(self, name, since):
        """Returns the errors as soon as there are some."""
        def of_damage():
            for line in list(self.watch.lines):
                if line['came'] >= since and line['type'] == 'state' and (
                        line['stream'] == name and not line['healthy']):
                    return [reason for reason in line['reasons']
                            if reason['severity'] == 'error']
            return None
        return live.until(of_damage, live.GUARD,
                          lambda: f'{self.watch.output()}')

    def close(self):
        for process in (self.watch, *self.senders):
            process.kill()


@pytest.fixture(scope='module', name='lossy')
def _lossy(tmp_path_factory):
    one = Lossy(tmp_path_factory.mktemp('watch'))
    yield one
    one.close()


@pytest.mark.parametrize('name, number, protocol', [('bad', 0, 'ts'),
                                                    ('cam', 2, 'rtp')])
def test_five_percent_are_unhealthy(lossy, name, number, protocol):
    sent = lossy.senders[number].send('datagrams lost 20')
    lossy.watch.wait(since=sent, stream=name, type='event',
                     event='transport-error', state='start')
    rules = {reason['rule'] for reason in lossy.reasons(name, sent)}
    assert rules <= {'stream.lost-packets', 'stream.missing-frames',
                     'stream.decode-errors', 'events.gap', 'events.freeze',
                     'stream.transport-errors'} and rules, rules
    live.until(lambda: any(
        line['lost-packets'][protocol] for line in list(lossy.watch.lines)
        if line['type'] == 'statistics' and line['stream'] == name),
        live.GUARD, 'no lost packets')
    lossy.senders[number].send('datagrams kept')


def test_the_other_stream_is_healthy(lossy):
    lines = [line for line in list(lossy.watch.lines)
             if line['stream'] == 'good']
    assert not [line for line in lines if line['type'] == 'state'
                and line['healthy'] is False], json.dumps(lines[-1])
    last = [line for line in lines if line['type'] == 'statistics'][-1]
    assert last['transport-errors']['continuity'] == 0
    assert last['packets']['ts'] > 0
    assert not {line['event'] for line in lines if line['type'] == 'event'} & {
        'gap', 'transport-error', 'decode-error'}
    form = [line['form'] for line in lines if line.get('form')][-1]
    assert form['codec'].startswith('H.264')
