# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damage of streams, without GStreamer: continuity counters, missing frames,
events, rules, and cuts that are none."""
import itertools
import json

import pytest
from jumping import Jumping
from livestates import event, judging, rules

from clqc.common.errors import ClqcError
from clqc.integrity.continuity import Continuity
from clqc.judging import policy
from clqc.live.judging import counters
from clqc.live.judging.damage import Damage, ErrorEvent
from clqc.live.judging.stream_results import without_gaps
from clqc.live.sources.damaged_frames import DamagedFrames
from clqc.live.sources.missing_frames import MissingFrames
from clqc.live.sources.sender_clock import SenderClock

SECOND = 10 ** 9
FRAME = SECOND // 25
WINDOW = 60 * SECOND


# --- continuity counters ----------------------------------------------------

def packet(pid, counter, payload=True, is_marked=False, is_damaged=False):
    """A transport packet."""
    flags = 0x10 * payload | 0x20 * (is_marked or not payload) | counter & 15
    field = bytes([1, 0x80 * is_marked]) if flags & 0x20 else b''
    head = bytes([0x47, 0x80 * is_damaged | pid >> 8, pid & 0xff, flags])
    return (head + field).ljust(188, b'\xff')


def stream(n=100):
    """Two PIDs in turn, and stuffing."""
    return [one for i in range(n) for one in (
        packet(0x100, i), packet(0x101, i), packet(0x1fff, 0))]


def counted(packets, step=7, size=188):
    """Feeds whole datagrams."""
    found = Continuity()
    for at in range(0, len(packets), step):
        found.feed(b''.join(one[:188] + bytes(size - 188)
                            for one in packets[at:at + step]))
    return found


def figures(found):
    return (found.packets, found.lost, found.errors['continuity'],
            found.errors['transport'], found.errors['sync'])


@pytest.mark.parametrize('step, size', [(7, 188), (1, 188), (50, 188),
                                        (7, 204)])
def test_intact_packets(step, size):
    assert figures(counted(stream(), step, size)) == (300, 0, 0, 0, 0)


def test_m2ts():
    found = Continuity()
    found.feed(b''.join(b'\1\2\3\4' + one for one in stream()))
    # the last packet lacks the four bytes before the next one
    assert figures(found) == (299, 0, 0, 0, 0)


def test_bytes_in_any_pieces():
    data = b'noise' + b''.join(stream())
    found = Continuity()
    for at in range(0, len(data), 100):
        found.feed(data[at:at + 100])
    assert figures(found) == (300, 0, 0, 0, 0)


def test_lost_packets():
    """Of one PID, two in a row; a single one of the other."""
    packets = stream()
    kept = packets[:30] + packets[31:33] + packets[34:100] + packets[101:]
    assert [packets[i][2] for i in (30, 33, 100)] == [0, 0, 1]
    assert figures(counted(kept)) == (297, 3, 2, 0, 0)


def test_counter_wraps():
    """16 lost packets of a PID look like a packet that is sent twice."""
    packets = [packet(0x100, i) for i in range(100)]
    assert counted(packets[:20] + packets[37:]).lost == 1
    assert counted(packets[:20] + packets[36:]).lost == 0


def test_legal_repetitions_and_jumps():
    packets = stream()
    twice = packets[:60] + [packets[60]] + packets[60:]
    assert figures(counted(twice)) == (301, 0, 0, 0, 0)
    thrice = packets[:60] + [packets[60]] * 2 + packets[60:]
    assert figures(counted(thrice)) == (302, 0, 1, 0, 0)
    clock = packets[:60] + [packet(0x100, 19, payload=False)] + packets[60:]
    assert figures(counted(clock)) == (301, 0, 0, 0, 0)
    marked = [packet(0x100, i) for i in range(20)] + [
        packet(0x100, 5 + i, is_marked=i == 0) for i in range(20)]
    assert figures(counted(marked)) == (40, 0, 0, 0, 0)


@pytest.mark.parametrize('step', [188, 7 * 188, 100, 333, 1])
def test_places_of_packets_that_are_sent_twice(step):
    """Each is found in the bytes that have its control field, and once."""
    ones = [packet(0x100, i)[:8] + bytes([i]) * 180 for i in range(40)]
    clock = bytearray(clocked(1)[:12] + bytes(176))
    clock[3:5] = 0x30 | 40 & 15, 20
    again = bytearray(clock)
    again[8] ^= 1  # the clock of the second one
    packets = [*ones[:5], ones[4], *ones[5:], clock, again, *(
        packet(0x100, 41 + i) for i in range(20))]
    data, found, places = b''.join(packets), Continuity(), []
    for at in range(0, len(data), step):
        found.feed(data[at:at + step])
        places += [at + place for place in found.repeats]
        assert all(place + 3 < step for place in found.repeats)
    assert places == [5 * 188, 42 * 188]
    assert figures(found) == (63, 0, 0, 0, 0)


def test_packet_with_the_counter_of_the_one_before():
    """It is another one: 15 were lost."""
    ones = [packet(0x100, i)[:8] + bytes([i]) * 180 for i in range(60)]
    found = Continuity()
    found.feed(b''.join(ones[:20] + ones[35:]))
    assert found.repeats == [] and found.errors['continuity'] == 1


def test_datagrams_in_another_order():
    """They cannot be told from lost ones; a demuxer drops their packets."""
    sent = stream()
    grams = [sent[at:at + 7] for at in range(0, len(sent), 7)]
    for order in [[*range(10), 11, 10, *range(12, 42)],
                  [*range(10), 9, *range(10, 42)]]:
        found = counted([one for i in order for one in grams[i]])
        assert found.lost > 7 and found.errors['continuity'] >= 2


def test_packets_marked_as_damaged():
    packets = stream()
    packets[30] = packet(0x100, 10, is_damaged=True)
    assert figures(counted(packets)) == (300, 0, 0, 1, 0)


@pytest.mark.parametrize('step', [7, 50])
def test_packet_without_a_sync_byte(step):
    packets = stream()
    packets[32] = b'\0' + packets[32][1:]  # stuffing
    assert figures(counted(packets, step)) == (299, 0, 0, 0, 1)


def test_bytes_between_packets():
    packets = stream()
    found = Continuity()
    found.feed(b''.join(packets[:150]) + b'xyz' + b''.join(packets[150:]))
    assert found.packets + found.lost == 300
    assert found.errors['sync'] == 1


# --- missing frames ---------------------------------------------------------

def missing(numbers, rate=(25, 1), is_damaged=False, frame=FRAME,
            is_live=False):
    """Returns the missing frames of a stream that has these of its frames."""
    found = MissingFrames()
    found.set_rate(*rate)
    if is_live:
        found.set_live()
    lost = [found.add(round(number * frame), None, is_damaged)
            for number in numbers]
    return sum(one.frames for one in lost if one), found


def without(*gone, n=300):
    return [i for i in range(n) if i not in gone]


@pytest.mark.parametrize('is_live', [False, True])
@pytest.mark.parametrize('rate', [(25, 1), (0, 1)])
@pytest.mark.parametrize('numbers, count', [
    (without(), 0), (without(100, 200), 2), (without(*range(100, 105)), 5),
    (without(*range(100, 300, 10), n=340), 20),
    ([i + 0.2 * (i % 3 - 1) for i in range(300)], 0),      # jitter
    ([i + (1.5 if i % 50 == 0 else 0) for i in range(300)], 0),  # late
    ([0.3 * i * (1 + i % 3) for i in range(300)], 0),      # variable
    ([i if i < 150 else 2 * i - 150 for i in range(300)], 0),
    ([i if i < 150 else 25 * (i - 149) + 149 for i in range(300)], 0),
    ([2 * i for i in range(300)], 0)])
def test_missing_frames(rate, numbers, count, is_live):
    """The last rows: cameras that slow down, and one that has half the rate of
    the caps."""
    assert missing(numbers, rate, is_live=is_live)[0] == count


def test_timestamps_of_a_machine_that_is_busy():
    """Distances from a jitter buffer, in milliseconds, while the machine stood
    still: later frames make up for it."""
    late = [690.5, 76.2, 58.9, 49.1, 36.5, 32.5, 33.5, 34.8, 37.2, 52.8, 68.4,
            74.9, 80, 85, 90, 95, 98, 100]
    times = list(itertools.accumulate([100] * 60 + late + [100] * 160))
    assert missing(times, (0, 1), frame=10 ** 6, is_live=True)[0] == 0
    gone = times[:200] + times[202:]
    assert missing(gone, (0, 1), frame=10 ** 6, is_live=True)[0] == 2


def test_half_of_the_frames_are_missing():
    """Timestamps alone cannot tell heavy losses from a variable rate; other
    damage can."""
    kept = [i for i in range(600) if i % 7 in (0, 2, 3)]
    n_missing = kept[-1] + 1 - len(kept)
    assert missing(kept)[0] == 0
    found = missing(kept, is_damaged=True)[0]
    assert 0.95 * n_missing < found <= n_missing


def test_jumps_are_not_missing_frames():
    assert missing([*range(100), *range(1000, 1100)])[0] == 0
    assert missing([*range(100), *range(100)])[0] == 0
    found = MissingFrames()
    found.set_rate(25, 1)
    lost = [found.add(i * FRAME, i * FRAME)  # the clock has passed, too
            for i in [*range(100), *range(1000, 1100)]]
    assert sum(one.frames for one in lost if one) == 900


def test_timestamps_that_the_source_moves():
    """They have no missing frames, wherever the clock is, and however long the
    frames waited before they arrived; later ones have."""
    for passed in FRAME, 75 * FRAME:
        found = MissingFrames()
        found.set_rate(25, 1)
        found.set_live()
        clock, lost = 0, []
        for i in [*range(100), *range(175, 300), *range(302, 500)]:
            clock += passed if i == 175 else FRAME
            if i == 80:
                found.move(75 * FRAME)
            lost.append(found.add(i * FRAME, clock))
        assert sum(one.frames for one in lost if one) == 2


@pytest.mark.parametrize('is_live, count', [(True, 0), (False, 20)])
def test_move_while_a_source_is_opened(is_live, count):
    """Whether it is live is known later; only then it moves timestamps."""
    found = MissingFrames()
    found.set_rate(25, 1)
    found.move(20 * FRAME)
    if is_live:
        found.set_live()
    lost = [found.add(i * FRAME, None)
            for i in [*range(30), *range(50, 200)]]
    assert sum(one.frames for one in lost if one) == count


def test_distance_that_is_longer_than_the_move():
    """The machine stood still for a second; then frames were lost."""
    found = MissingFrames()
    found.set_rate(25, 1)
    found.set_live()
    found.move(25 * FRAME)
    lost = [found.add(i * FRAME, i * FRAME)
            for i in [*range(40), *range(190, 300)]]
    assert sum(one.frames for one in lost if one) == 150


def test_move_without_a_distance():
    """It is forgotten."""
    found = MissingFrames()
    found.set_rate(25, 1)
    found.set_live()
    found.move(FRAME)
    lost = [found.add(i * FRAME, i * FRAME) for i in without(160, n=300)]
    assert sum(one.frames for one in lost if one) == 1


def clocked(seconds, pid=0x100):
    """A packet with a PCR."""
    base = round(seconds * 90000)
    return bytes([0x47, pid >> 8, pid & 0xff, 0x20, 183, 0x10]) + (
        base << 7).to_bytes(5, 'big') + bytes(177)


def test_clock_of_the_sender():
    found = Continuity()
    for seconds in 1, 2, 90_000:
        found.feed(clocked(seconds) * 8 + clocked(7, 0x101) * 8)
        assert found.clock == seconds * SECOND


def test_moves_of_the_clock_of_the_sender():
    """Pauses and jumps of more than a second; drifts and bursts are none."""
    clock, moves, sent = Jumping(), [], 0
    sender = SenderClock(lambda _: moves.append(i), clock)
    for i in range(2000):
        clock.sleep(3 if i == 600 else 0.8 if i == 300 else
                    0 if 300 < i < 320 else 0.04)
        sent += 3600 * SECOND if i == 1200 else round(FRAME * 0.999)
        sender.add(sent)
        sender.add(sent)
    assert moves == [600, 1200]


@pytest.mark.parametrize('frame, rate', [
    (SECOND / 25, [25, 1]), (SECOND * 1001 / 30000, [30000, 1001]),
    (SECOND * 1001 / 24000, [24000, 1001]), (SECOND / 60, [60, 1]),
    (SECOND / 12.5, [12500, 1000])])
def test_rate_of_the_timestamps(frame, rate):
    line = pytest.importorskip('clqc.live.sources.pipeline')
    assert line.usual_rate(missing(without(), (0, 1), frame=frame)[1].rate
                           ) == rate


# --- events -----------------------------------------------------------------

def test_errors_are_joined_to_one_event():
    one = ErrorEvent('gap', 'frames')
    lines = one.add(100, 2, 0.5)
    for now in (101, 102.5, 104.5, 106.5):
        lines += one.tick(now)
        lines += one.add(now, 1) if now < 104.5 else []
    assert [(line['state'], line['frames'], line['ago'],
             line.get('duration')) for line in lines] == [
        ('start', 2, 0.5, None), ('end', 4, 4.0, 3 * SECOND)]
    lines = one.add(200, 1)
    assert [line['frames'] for line in lines] == [1]


class Damaged:
    """Damage with a clock that jumps."""

    def __init__(self, text='', window=WINDOW):
        rules = policy.parse(text, 'test').stream
        self.clock = Jumping()
        self.lines = []
        self.gaps = []
        self.damage = Damage(rules, window, self.lines.append,
                             self.gaps.append, self.clock)
        self.frames = 0
        self.counts = counters.zero()
        self.enter()

    def enter(self):
        for _ in range(4):
            self.frames += 25
            self.damage.tick(self.frames)
            self.clock.sleep(1)

    def run(self, seconds, packets=100, lost=0, missing_of=0):
        """@packets arrive, and @lost are lost, each second; of each
        @missing_of frames, one is missing."""
        for _ in range(round(seconds)):
            for i in range(25):
                if missing_of and (self.frames + i) % missing_of == 0:
                    self.damage.add('gap', '', 1, FRAME)
                else:
                    self.frames += 1
            self.counts['packets']['ts'] += packets
            self.counts['lost-packets']['ts'] += lost
            self.counts['transport-errors']['continuity'] += bool(lost)
            self.damage.set_transport(self.counts)
            self.clock.sleep(1)
            self.damage.tick(self.frames)

    def faults(self):
        return [(one.rule, one.severity, one.message)
                for one in self.damage.faults()]


def default():
    rules = policy.load('default')
    one = Damaged()
    one.damage = Damage(rules.stream, rules.live.window, one.lines.append,
                        one.gaps.append, one.clock)
    one.enter()
    return one


def test_one_lost_datagram_is_a_warning():
    """At any time of a stream of few packets; for a window."""
    for second in 2, 30, 1000:
        one = default()
        one.run(second, packets=50)
        one.run(1, packets=43, lost=7)
        assert one.faults() == [
            ('stream.lost-packets', 'warning',
             '7 packets were lost in the last 60.0 s; none is allowed.')]
        one.run(60, packets=50)
        assert one.faults() == []


def test_an_event_begins_before_its_gaps():
    one, told = Damaged(), []
    one.damage = Damage([], WINDOW, lambda line: told.append(line['state']),
                        told.append, one.clock)
    one.enter()
    for _ in range(2):
        one.damage.add('gap', '', 1, FRAME)
        one.clock.sleep(3)
    assert told == ['start', FRAME, 'end', 'start', FRAME]


def test_one_missing_frame_is_a_warning():
    one = default()
    one.run(30)
    one.damage.add('gap', '', 1, FRAME)
    assert one.faults() == [
        ('stream.missing-frames', 'warning',
         '1 frame was missing in the last 60.0 s; none is allowed.')]


def test_five_percent_of_the_packets():
    """They are an error within seconds, and the reason has no warning about
    the same."""
    one = default()
    one.run(600)
    assert one.faults() == []
    one.run(10, packets=95, lost=5)
    assert one.faults() == [
        ('stream.lost-packets', 'error',
         '0.833 % of the packets were lost in the last 60.0 s (50); the limit '
         'is 0.5 %.')]
    one.run(50, packets=95, lost=5)
    assert one.faults()[0][2].startswith('5 % of the packets were lost ')
    one.run(61)
    assert one.faults() == []


def test_share_at_the_start_is_of_the_whole_window():
    one = Damaged('[stream.lost-packets]\nmax-share = 0.05')
    one.run(3, packets=50, lost=50)
    assert one.faults() == []  # 150 of about 6,000
    one.run(4, packets=50, lost=50)
    assert one.faults()


@pytest.mark.parametrize('text, key', [
    ('max-share = 0.02\nmin-count = 5', True),
    ('max-share = 0.02\nmin-count = 5000', False),
    ('max-count = 5', True), ('max-count = 1000', False)])
@pytest.mark.parametrize('table', ['lost-packets', 'missing-frames',
                                   'decode-errors', 'transport-errors'])
def test_limits(table, text, key):
    one = Damaged(f'[stream.{table}]\nseverity = "warning"\n{text}')
    for _ in range(60):
        one.run(1, packets=20, lost=1, missing_of=10)
        one.damage.add('decode-error', 'video')
    found = one.faults()
    assert [row[:2] for row in found] == (
        [(f'stream.{table}', 'warning')] if key else [])


def test_losses_while_a_stream_is_entered():
    """They are counted; they are no event and break no rule."""
    one = default()
    one.damage = Damage(one.damage.rules, WINDOW, one.lines.append,
                        one.gaps.append, one.clock)
    one.frames = 0
    one.run(2, lost=50)
    one.damage.add('gap', '', 9, 9 * FRAME)
    one.run(1)
    assert one.faults() == one.lines == one.gaps == []
    assert one.damage.counts()['lost-packets']['ts'] == 100
    assert one.damage.counts()['missing-frames'][''] == 9
    one.run(1)
    one.damage.add('gap', '', 9, 9 * FRAME)
    assert one.lines and one.faults() and one.gaps


def test_events_and_counters():
    one = Damaged()
    one.run(5)
    one.run(3, lost=7)
    one.damage.add('decode-error', 'audio')
    one.run(5)
    assert [(line['event'], line['state'], line['errors'])
            for line in one.lines] == [
        ('transport-error', 'start', 1), ('decode-error', 'start', 1),
        ('transport-error', 'end', 3), ('decode-error', 'end', 1)]
    counts = counters.to_json(one.damage.counts())
    assert counts['lost-packets']['ts'] == 21
    assert counts['decode-errors']['audio'] == 1
    assert counters.to_json(counters.from_json(
        json.loads(json.dumps(counts)))) == counts


def test_frame_rate():
    one = Damaged()
    assert Damage([], WINDOW, print, print, one.clock).rate() is None
    assert one.damage.rate() == 25
    one.run(20)
    assert one.damage.rate() == 25
    for _ in range(10):
        one.frames += 20
        one.clock.sleep(1)
        one.damage.tick(one.frames)
    assert one.damage.rate() == 20


def test_memory_is_bounded():
    one = Damaged(window=86400 * SECOND)
    one.run(2000)
    assert len(one.damage._past) < 10 and len(one.damage._arrived) <= 12


# --- rules ------------------------------------------------------------------

def play(judge, seconds):
    for _ in range(round(seconds * 25)):
        judge.frame({'type': 'frame', 'running-time': judge.now,
                     'duration': FRAME, 'depth': 8, 'format': 'I420',
                     'components': ['Y', 'U', 'V']})


def test_gaps_of_streams():
    """No gap is allowed: the fault lasts until the end of the event, which may
    have several."""
    judge = judging('[events.gap]\nmax-count = 0')
    play(judge, 5)
    for _ in range(2):
        event(judge, 'gap', 'start', None)
        for _ in range(3):
            judge.gap(FRAME)
            for _ in range(9):
                assert rules(judge) == ['events.gap']
                play(judge, 0.2)
        event(judge, 'gap', 'end', None)
        assert rules(judge) == []
        play(judge, 0.2)


def test_how_long_damage_has_lasted():
    """The events last until the last error, and remain open longer."""
    one = Damaged()
    one.enter()
    judge = judging('[events.gap]\nmax-count = 0\nmax-total = 0.01')
    play(judge, 5)
    event(judge, 'gap', 'start', None)
    judge.gap(FRAME)
    for expected in 0.04, 0.54:
        one.damage.add('gap', '', 1, FRAME)
        assert [fault.lasted for fault in judge.faults(one.damage.lasted())
                ] == [pytest.approx(expected), None]
        one.clock.sleep(0.5)
        play(judge, 0.5)


def test_short_gaps_are_allowed():
    """A gap of an earlier event does not count."""
    judge = judging('[events.gap]\nmin-duration = 0.05\nmax-count = 0')
    play(judge, 5)
    for frames, expected in (1, []), (2, ['events.gap']), (1, []):
        event(judge, 'gap', 'start', None)
        judge.gap(frames * FRAME)
        assert rules(judge) == expected
        event(judge, 'gap', 'end', None)
        play(judge, 1)


def test_total_of_gaps_has_no_time_between_them():
    judge = judging('[events.gap]\nmax-total = 0.5')
    event(judge, 'gap', 'start', None)
    for _ in range(13):
        assert rules(judge) == []
        play(judge, 1)
        judge.gap(FRAME)
    assert rules(judge) == ['events.gap']


@pytest.mark.parametrize('kind', ['decode-error', 'transport-error'])
def test_errors_as_events(kind):
    judge = judging(f'[events.{kind}]\nmax-count = 0')
    play(judge, 1)
    event(judge, kind, 'start', None)
    play(judge, 1)
    assert rules(judge) == [f'events.{kind}']
    event(judge, kind, 'end', None)
    play(judge, 1)
    assert rules(judge) == []


FACTS = {'video': {'width': 1920, 'height': 1080, 'rate': [25, 1],
                   'codec': 'H.264'}, 'audio': [{'channels': 2}]}


@pytest.mark.parametrize('text, video, message', [
    ('width = 1920\nheight = 1080\nrate = 25', {}, None),
    ('width = 1920', {'width': 1280}, 'The width is 1280; allowed is 1920.'),
    ('rate = 25', {'rate': [25000, 2000]},
     'The frame rate is 12.5; allowed is 25.'),
    ('rate = "30000/1001"', {'rate': [30000, 1001]}, None),
    ('rate = {min = "24000/1001", max = 30}', {}, None),
    ('rate = 25', {'rate': None},
     'The frame rate is unknown; allowed is 25.'),
    ('codec = ["H.264*", "H.265*"]', {'codec': 'MPEG-2 Video'},
     'The codec is MPEG-2 Video; allowed is H.264* or H.265*.'),
    ('audio-channels = 6', {},
     'The number of audio channels is 2; allowed is 6.'),
    ('format = "MP4"\nduration = 3', {}, None)])
def test_form_of_a_stream(text, video, message):
    judge = judging(f'[container]\n{text}')
    play(judge, 1)
    assert rules(judge) == []  # nothing is known yet
    judge.facts = {**FACTS, 'video': {**FACTS['video'], **video}}
    assert [fault.message for fault in judge.faults()] == (
        [message] if message else [])


@pytest.mark.parametrize('text, message', [
    ('[stream.lost-packets]\nseverity = "warning"',
     'no limit; give max-count, max-share or both'),
    ('[stream.lost]\nmax-count = 0', 'there are lost-packets'),
    ('[[stream.lost-packets]]\nmax-share = 2', 'a share, 0 to 1')])
def test_mistakes(text, message):
    with pytest.raises(ClqcError, match=message):
        policy.parse(text, 'test')


# --- cuts that are none -----------------------------------------------------

def test_pictures_that_damage_changes():
    found = DamagedFrames()
    for key in range(0, 3000, 25):
        found.add_key(key * FRAME)
    found.add(110 * FRAME)
    assert [number for number in range(300)
            if found.has(number * FRAME)] == list(range(110, 126))
    found.add(125 * FRAME)  # the key frame itself
    assert [number for number in range(300)
            if found.has(number * FRAME)] == list(range(110, 151))


def test_damage_without_key_frames():
    found = DamagedFrames()
    found.add(100 * FRAME)
    assert [n for n in range(300) if found.has(n * FRAME)] == [100]
    found.add_key(0)
    assert [n for n in range(500) if found.has(n * FRAME)] == list(
        range(100, 350))


def test_cuts_next_to_damage_are_left_out():
    cut = {'event': 'scene', 'state': 'start', 'timestamp': 7}
    black = {'event': 'black', 'state': 'start', 'timestamp': 7}

    def never(_):
        return False

    def seven(time):
        return time == 7
    assert without_gaps([cut, black], never, seven) == [black]
    assert without_gaps([cut, black], seven, never) == [black]
    assert without_gaps([cut, black], never, never) == [cut, black]
