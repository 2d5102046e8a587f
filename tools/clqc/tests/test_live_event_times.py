# SPDX-License-Identifier: LGPL-2.1-or-later
"""When events begin and end, if packets cease and return: by the clock,
whatever the timestamps."""
from types import SimpleNamespace

import pytest
from jumping import Jumping

from clqc.live.judging.event_times import EventTimes
from clqc.live.judging.judge import Rules
from clqc.live.judging.stream_results import StreamResults

SECOND = 10 ** 9
FRAME = SECOND // 25

# Timestamps of the first packet after a pause of 30 seconds at 12 s: its own
# time, no time passed, the sender was restarted, a wrong clock.
RETURNS = {'own': 42, 'without a gap': 12, 'restarted': 0, 'ahead': 4000}


class Channel:
    """Plays frames and sound; the clock is at the time of their arrival."""

    def __init__(self, duration=FRAME):
        self.duration = duration
        self.clock = Jumping()
        self.events = []
        self.results = StreamResults(Rules(), self._on_event, self.clock)
        self.results.line = SimpleNamespace(
            now=lambda: int(self.clock.now() * SECOND),
            arrival=lambda _, usual: usual,
            real_time=SimpleNamespace(begin=lambda: None, offset=0))
        self.shift = self.sound_shift = 0.0  # of the timestamps, seconds

    def _on_event(self, line):
        at = self.clock.now() - line['ago']
        self.events.append((line['event'], line['state'], round(at, 2),
                            line.get('duration', 0) / SECOND))

    def time(self):
        return round((self.clock.now() + self.shift) * SECOND)

    def play(self, seconds, picture=True, sound=None):
        """Plays for this time. @sound: its level, if there is one."""
        for number in range(round(seconds * 25)):
            if picture:
                self.results._on_frame({
                    'type': 'frame', 'running-time': self.time(),
                    'timestamp': 0, 'duration': self.duration, 'depth': 8,
                    'format': 'I420', 'components': ['Y', 'U', 'V']})
            self.clock.sleep(0.04)
            if sound is not None and number % 5 == 4:
                end = round((self.clock.now() + self.sound_shift) * SECOND)
                self.results.level(end - 5 * FRAME, end, sound)
            self.results.no_level()

    def event(self, kind, state, ago=0.0, start=None, **more):
        """An event of a frame that arrives now; it began @ago seconds
        earlier."""
        self.results.event({
            'type': 'event', 'event': kind, 'state': state,
            'running-time': self.time() - round(ago * SECOND),
            'start-running-time': start, **more})


@pytest.mark.parametrize('returns', RETURNS.values(), ids=RETURNS)
@pytest.mark.parametrize('kind', ['black', 'freeze', 'defocus'])
def test_picture_that_ceases_during_an_event(kind, returns):
    channel = Channel()
    channel.play(10)
    channel.event(kind, 'start', ago=2)
    channel.play(2)
    channel.clock.sleep(30)
    channel.shift = returns - 42
    channel.event(kind, 'end')
    assert channel.events == [(kind, 'start', 8, 0),
                              (kind, 'end', 42, pytest.approx(34, abs=0.1))]
    # and what follows has times of its own
    channel.play(5)
    channel.event(kind, 'start', ago=1)
    channel.play(1)
    channel.event(kind, 'end')
    assert channel.events[2:] == [(kind, 'start', 46, 0),
                                  (kind, 'end', 48, pytest.approx(2))]


@pytest.mark.parametrize('returns', RETURNS.values(), ids=RETURNS)
def test_sound_that_ceases(returns):
    """Pictures continue. The silence is as long as the clock says; so is the
    next one."""
    channel = Channel()
    channel.play(12, sound=-20)
    channel.play(30)
    channel.sound_shift = returns - 42
    channel.play(10, sound=-20)
    channel.play(4, sound=-90)
    channel.play(1, sound=-20)
    assert channel.events == [
        ('silence', 'start', pytest.approx(12, abs=0.25), 0),
        ('silence', 'end', pytest.approx(42, abs=0.25),
         pytest.approx(30, abs=0.25)),
        ('silence', 'start', pytest.approx(52, abs=0.25), 0),
        ('silence', 'end', pytest.approx(56, abs=0.25),
         pytest.approx(4, abs=0.25))]
    for start, end in zip(channel.events[::2], channel.events[1::2]):
        assert end[2] >= start[2]


def test_quiet_sound_that_ceases():
    """Silence of samples continues as silence without packets."""
    channel = Channel()
    channel.play(12, sound=-20)
    channel.play(5, sound=-90)
    channel.play(20)
    channel.sound_shift = -20
    channel.play(3, sound=-90)
    channel.play(1, sound=-20)
    assert channel.events == [
        ('silence', 'start', pytest.approx(12, abs=0.25), 0),
        ('silence', 'end', pytest.approx(40, abs=0.25),
         pytest.approx(28, abs=0.25))]


@pytest.mark.parametrize('returns', RETURNS.values(), ids=RETURNS)
@pytest.mark.parametrize('duration', [FRAME, None])
def test_picture_and_sound_that_cease(returns, duration):
    """This is a lost signal, and no silence."""
    channel = Channel(duration)
    channel.play(12, sound=-20)
    channel.clock.sleep(2)
    channel.event('signal-loss', 'start', ago=2)
    channel.clock.sleep(28)
    channel.shift = channel.sound_shift = returns - 42
    channel.event('signal-loss', 'end', silence=4 * SECOND)
    channel.play(5, sound=-20)
    assert channel.events == [
        ('signal-loss', 'start', pytest.approx(12, abs=0.05), 0),
        ('signal-loss', 'end', 42, pytest.approx(30, abs=0.1))]


def test_times_of_sound_after_a_gap():
    """The element level counts samples from there on: packets that cease for
    less time than a silence do not shift the times of the sound."""
    pytest.importorskip('gi')
    from clqc.decoding.gst import Gst, init
    from clqc.decoding.sound import INTERVAL
    from clqc.live.sources.pipeline import LivePipeline
    init()
    pipeline = Gst.parse_launch(
        'appsrc name=source format=time caps=audio/x-raw,format=S16LE,'
        'rate=8000,channels=1,layout=interleaved ! '
        f'level name=level interval={INTERVAL} ! fakesink sync=false')
    line = SimpleNamespace(_sound_end=None)
    pipeline.get_by_name('level').get_static_pad('sink').add_probe(
        Gst.PadProbeType.BUFFER,
        lambda *words: LivePipeline._on_sound(line, *words))
    pipeline.set_state(Gst.State.PLAYING)
    numbers = [*range(5), *range(12, 17), *range(40, 45)]
    for number in numbers:
        buffer = Gst.Buffer.new_wrapped(bytes(1600))
        buffer.pts, buffer.duration = number * INTERVAL, INTERVAL
        pipeline.get_by_name('source').emit('push-buffer', buffer)
    pipeline.get_by_name('source').emit('end-of-stream')
    times = []
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ELEMENT)
        assert message is not None
        if message.type == Gst.MessageType.EOS:
            break
        times.append(message.get_structure().get_value('running-time'))
    pipeline.set_state(Gst.State.NULL)
    assert [time // INTERVAL for time in times][:len(numbers)] == numbers


def test_losses_do_not_overlap():
    """Frames return at once, with a gap in their timestamps: the second loss
    has lasted for no time, and does not begin before the end of the first."""
    channel = Channel()
    channel.play(12)
    channel.clock.sleep(5)
    channel.event('signal-loss', 'start', ago=5)
    channel.shift = -5
    channel.event('signal-loss', 'end', silence=5 * SECOND)
    channel.event('signal-loss', 'start')
    channel.shift = 0
    channel.event('signal-loss', 'end', silence=50_000)
    assert [row[2:] for row in channel.events] == [
        (12, 0), (17, 5), (17, 0), (17, pytest.approx(0, abs=1e-3))]


def test_durations_are_exact_if_timestamps_are_right():
    """Frames that arrive early or late by less than a second do not count."""
    event_times = EventTimes()
    event_times.arrive(10 * SECOND, 110.3)
    assert event_times.begin('black', 9 * SECOND, 110.4) == pytest.approx(
        109.3)
    event_times.arrive(12 * SECOND, 112.0)
    moment, duration = event_times.end('black', 12 * SECOND, 112.2, 3.0)
    assert (moment, duration) == (pytest.approx(112.2), 3.0)


@pytest.mark.parametrize('place', [-3600 * SECOND, 0, 9 * SECOND])
@pytest.mark.parametrize('duration', [-1.0, 0.0, 1.0])
def test_no_event_ends_before_its_start(place, duration):
    event_times = EventTimes()
    event_times.arrive(10 * SECOND, 10.0)
    start = event_times.begin('black', 10 * SECOND, 10.5)
    moment, lasted = event_times.end('black', place, 10.5, duration)
    assert moment >= start and lasted >= 0
    assert event_times.begin('black', place, 10.5) >= moment
