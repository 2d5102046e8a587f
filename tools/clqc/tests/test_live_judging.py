# SPDX-License-Identifier: LGPL-2.1-or-later
"""Verdicts of policies on streams, from lines like those of clframesum."""
import json
import os
from types import SimpleNamespace

import pytest
from livestates import event, judging, rules

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.live.judging.judge import Rules, Silence, left_out
from clqc.live.judging.stream_results import StreamResults, without_gaps

SECOND = 10 ** 9
FRAME = SECOND // 25


def frames(judge, first, count, **fields):
    """Frames of a 25th of a second, from the number @first on."""
    for number in range(first, first + count):
        frame(judge, number * FRAME, **fields)
    return first + count


def frame(judge, time, clock=None, **fields):
    """A frame, with its timestamp and time of arrival."""
    judge.frame({
        'type': 'frame', 'running-time': time, 'duration': FRAME, 'depth': 8,
        'format': 'I420', 'components': ['Y', 'U', 'V'], **fields}, clock)


def test_limit_holds_for_a_moment():
    judge = judging('[frames.YMAX]\nmax = 235')
    at = frames(judge, 0, 10, YMAX=235)
    assert rules(judge) == []
    at = frames(judge, at, 1, YMAX=240)
    fault, = judge.faults()
    assert fault.message == 'The greatest luma (YMAX) is 240, above 235.'
    at = frames(judge, at, 12, YMAX=235)
    assert rules(judge) == ['frames.YMAX']
    frames(judge, at, 1, YMAX=235)
    assert rules(judge) == []


def test_limit_of_other_depths():
    judge = judging('[frames.YMAX]\nmax = 235\nmin = 16')
    at = frames(judge, 0, 1, YMAX=940, depth=10)
    assert rules(judge) == []
    frames(judge, at, 1, YMAX=63, depth=10)
    assert 'below 64' in judge.faults()[0].message


def test_limit_for_a_time():
    judge = judging('[frames.YMAX]\nmax = 235\nfor = 1')
    at = frames(judge, 0, 24, YMAX=240)
    assert rules(judge) == []
    frames(judge, at, 1, YMAX=240)
    assert rules(judge) == ['frames.YMAX']


def test_limit_for_a_time_is_without_a_break():
    judge = judging('[frames.YMAX]\nmax = 235\nfor = 1')
    at = frames(judge, 0, 24, YMAX=240)
    at = frames(judge, at, 1, YMAX=200)
    frames(judge, at, 24, YMAX=240)
    assert rules(judge) == []


def test_share_of_the_window():
    judge = judging('[frames.YMAX]\nmax = 235\nshare = 0.1\n'
                    '[live]\nwindow = 20')
    at = frames(judge, 0, 5 * 25, YMAX=240)
    assert rules(judge) == []  # too few are known
    at = frames(judge, at, 6 * 25, YMAX=200)
    fault, = judge.faults()
    assert 'of the last 20.0 s' in fault.message
    frames(judge, at, 30 * 25, YMAX=200)
    assert rules(judge) == []


def test_exempt_events():
    judge = judging('[frames.YMIN]\nmin = 20\nexcept = ["black"]')
    event(judge, 'black', 'start', 0)
    at = frames(judge, 0, 10, YMIN=16)
    assert rules(judge) == []
    event(judge, 'black', 'end', at * FRAME, 0)
    frames(judge, at, 1, YMIN=16)
    assert rules(judge) == ['frames.YMIN']


def test_outside_needs_the_histogram():
    text = '[frames.outside.Y]\nlow = 5\nhigh = 246\nmax = 0.01'
    judge = judging(text)
    assert judge.rules.flags() == ['histogram']
    frames(judge, 0, 1, histogram=[[50] + [1] * 255, [], []])
    fault, = judge.faults()
    assert 'share of samples' in fault.message


def test_zones():
    judge = judging('[measure]\ngrid-columns = 2\n'
                    '[zones.mean.Y]\nmin = 20')
    frames(judge, 0, 1, **{'zone-mean': [[100, 10], [1, 1], [1, 1]]})
    assert 'in a zone, below 20' in judge.faults()[0].message


def test_missing_statistics():
    judge = judging('[frames.RMAX]\nmax = 20\n[frames.SATMAX]\nmax = 9')
    frames(judge, 0, 1, components=['Y'], format='GRAY8')
    assert rules(judge) == ['frames.RMAX']
    assert 'cannot be judged' in judge.faults()[0].message


def test_none_is_allowed_while_it_is_open():
    judge = judging('[events.black]\nmax-count = 0')
    event(judge, 'black', 'start', 0)
    at = frames(judge, 0, 60)
    assert [fault.message for fault in judge.faults()] == [
        'Black picture; none is allowed.']
    event(judge, 'black', 'end', at * FRAME, 0)
    frames(judge, at, 1)
    assert rules(judge) == []


def test_duration_of_one():
    judge = judging('[events.black]\nmax-duration = 4')
    event(judge, 'black', 'start', 0)
    at = frames(judge, 0, 100)
    assert rules(judge) == []
    frames(judge, at, 1)
    assert judge.faults()[0].message == (
        'Black picture for longer than the limit of 4 s.')


def test_number_and_time_in_the_window():
    judge = judging('[live]\nwindow = 20\n[[events.black]]\nmax-count = 1\n'
                    '[[events.black]]\nmax-total = 5\n'
                    '[[events.black]]\nmax-share = 0.2')
    at = 0
    for _ in range(2):
        event(judge, 'black', 'start', at * FRAME)
        start, at = at, frames(judge, at, 75)
        event(judge, 'black', 'end', at * FRAME, start * FRAME)
    messages = [fault.message for fault in judge.faults()]
    assert messages == [
        '2 black pictures in the last 20.0 s; the limit is 1.',
        'Black pictures for more than 5 s in the last 20.0 s.',
        'Black pictures for more than 4 s in the last 20.0 s.']
    frames(judge, at, 20 * 25)
    assert rules(judge) == []


def test_cuts():
    judge = judging('[live]\nwindow = 10\n[events.scene]\nmax-count = 2')
    at = 0
    for _ in range(3):
        event(judge, 'scene', 'start', at * FRAME)
        at = frames(judge, at, 25)
    assert rules(judge) == ['events.scene']
    frames(judge, at, 10 * 25)
    assert rules(judge) == []


def test_events_without_others():
    judge = judging('[events.freeze]\nexcept = ["black"]\nmax-count = 0')
    event(judge, 'black', 'start', 0)
    event(judge, 'freeze', 'start', 0)
    at = frames(judge, 0, 50)
    assert rules(judge) == []
    event(judge, 'black', 'end', at * FRAME, 0)
    frames(judge, at, 1)
    assert rules(judge) == ['events.freeze']


@pytest.mark.parametrize('kind, silent, is_wrong', [
    ('black-with-sound', False, True), ('black-with-sound', True, False)])
def test_combined(kind, silent, is_wrong):
    judge = judging(f'[events.{kind}]\nmax-count = 0')
    if silent:
        event(judge, 'silence', 'start', 0)
    event(judge, 'black', 'start', 0)
    frames(judge, 0, 60)
    assert bool(rules(judge)) == is_wrong


def test_signal_loss():
    judge = judging('')
    event(judge, 'signal-loss', 'start', 0)
    assert rules(judge) == ['live.signal-loss']
    event(judge, 'signal-loss', 'end', SECOND, 0)
    assert rules(judge) == []


def test_rules_that_need_the_end_of_a_file():
    chosen = policy.parse(
        '[[events.black]]\nat = "ends"\nmax-count = 0\n'
        '[[events.black]]\nat = "inside"\nmax-count = 0\n'
        '[pooled.mean.Y]\nmin = 9\n[container]\nwidth = 9\n'
        'format = "MP4"', 'test')
    assert left_out(chosen) == ['container.format',
                                'events.black at = "ends"',
                                'pooled.mean.Y']
    assert [rule.place for rule in Rules.of(chosen).events] == ['inside']


def test_memory_of_events_is_bounded():
    judge = judging('[live]\nwindow = 5\n[events.scene]\nmax-count = 9')
    at = 0
    for _ in range(200):
        event(judge, 'scene', 'start', at * FRAME)
        at = frames(judge, at, 5)
    assert len(judge.recent.spans('scene', at * FRAME)) <= 26


def levels(silence, start, count, rms):
    found = []
    for number in range(start, start + count):
        end = (number + 1) * SECOND // 10
        found += silence.add(number * SECOND // 10, end, rms, end)
    return found


def test_silence():
    silence = Silence(-60, 2 * SECOND)
    assert levels(silence, 0, 10, -20) == []
    assert levels(silence, 10, 19, -70) == []
    began, = levels(silence, 29, 5, -700)
    assert (began['state'], began['running-time']) == ('start', SECOND)
    ended, = levels(silence, 34, 5, -20)
    assert (ended['running-time'], ended['duration']) == (
        34 * SECOND // 10, 24 * SECOND // 10)


def missing(silence, start, end):
    """Pictures arrive without sound; the judge is called every tenth of a
    second."""
    found = []
    for tenth in range(start * 10 + 1, end * 10 + 1):
        found += silence.missing(tenth * SECOND // 10)
    return found


def test_missing_sound_is_silence():
    silence = Silence(-60, 2 * SECOND)
    levels(silence, 0, 10, -20)
    assert silence.missing(SECOND) == []
    assert missing(silence, 1, 3) == []  # it may arrive late
    assert len(missing(silence, 3, 4)) == 1
    assert missing(silence, 4, 5) == []
    assert len(levels(silence, 50, 1, -20)) == 1


def test_missing_pictures_are_not_silence():
    """Pictures return before the next sound, whether the sound continued or
    was missing, too."""
    silence = Silence(-60, 2 * SECOND)
    levels(silence, 0, 10, -20)
    for start, end in (10, 100), (100, 1000):
        for tenth in range(start, end):
            silence.add(tenth * SECOND // 10, (tenth + 1) * SECOND // 10, -20,
                        start * SECOND // 10)
        assert missing(silence, end // 10, end // 10 + 1) == []
    assert len(missing(silence, 101, 103)) == 1


def test_late_sound_is_not_silence():
    """The start of the sound comes from its own timestamps."""
    silence = Silence(-60, 2 * SECOND)
    assert silence.missing(9 * SECOND) == []
    assert levels(silence, 100, 1, -70) == []
    assert silence.missing(10 * SECOND) == []
    assert levels(silence, 101, 18, -70) == []
    began, = levels(silence, 119, 1, -70)
    assert began['running-time'] == 10 * SECOND


def test_sound_returns_after_a_long_time():
    silence = Silence(-60, 2 * SECOND)
    levels(silence, 0, 10, -20)
    assert len(missing(silence, 1, 60)) == 1
    ended, = levels(silence, 600, 1, -20)
    assert ended['duration'] == 59 * SECOND


@pytest.mark.parametrize('hours', [1, -1])
def test_one_sound_with_another_time(hours):
    """One wrong timestamp of the sound neither causes nor hides silence."""
    silence = Silence(-60, 2 * SECOND)
    levels(silence, 0, 10, -20)
    far = SECOND + hours * 3600 * SECOND
    assert silence.add(far, far + SECOND // 10, -20, 11 * SECOND // 10) == []
    assert levels(silence, 11, 19, -70) == []
    assert silence.missing(3 * SECOND) == []
    began, = levels(silence, 30, 5, -70)
    assert abs(began['running-time'] - 11 * SECOND // 10) <= SECOND // 10


@pytest.mark.parametrize('hours', [1, -1])
@pytest.mark.parametrize('has_clock', [False, True])
def test_one_frame_with_another_time(hours, has_clock):
    """One wrong timestamp of a frame neither stops the judge nor lengthens an
    event."""
    judge = judging(
        '[frames.YMAX]\nmax = 235\nfor = 1\n'
        '[events.black]\nmax-duration = 60\n'
        '[[events.scene]]\nmax-count = 0\n[live]\nwindow = 20')
    at = 0

    def more(count, **fields):
        nonlocal at
        for _ in range(count):
            frame(judge, at * FRAME, at * FRAME if has_clock else None,
                  **fields)
            at += 1
    more(50, YMAX=200)
    event(judge, 'black', 'start', 25 * FRAME)
    event(judge, 'scene', 'start', 25 * FRAME)
    assert rules(judge) == ['events.scene']
    frame(judge, at * FRAME + hours * 3600 * SECOND,
          at * FRAME if has_clock else None, YMAX=200)
    at += 1
    assert rules(judge) == ['events.scene']
    more(24, YMAX=240)
    assert rules(judge) == ['events.scene']
    more(2, YMAX=240)
    assert rules(judge) == ['frames.YMAX', 'events.scene']
    event(judge, 'black', 'end', at * FRAME, 25 * FRAME)
    more(25, YMAX=200)
    assert rules(judge) == ['events.scene']
    black, = judge.recent.spans('black', judge.now)
    assert abs(black.duration - 52 * FRAME) <= 2 * FRAME
    more(20 * 25, YMAX=200)
    assert rules(judge) == []


def test_timestamps_restart():
    """A sender that was restarted, in the middle of an event."""
    judge = judging('[events.black]\nmax-duration = 4')
    frames(judge, 10 ** 6, 25)
    event(judge, 'black', 'start', 10 ** 6 * FRAME)
    frames(judge, 0, 75)
    assert rules(judge) == []
    frames(judge, 75, 1)
    assert rules(judge) == ['events.black']


def test_gap_without_frames():
    """The clock distinguishes a gap from a jump."""
    judge = judging('[events.black]\nmax-duration = 4')
    frame(judge, 0, 100 * SECOND)
    event(judge, 'black', 'start', 0)
    frame(judge, 20 * SECOND, 120 * SECOND)
    assert rules(judge) == ['events.black']
    assert judge.now == 20 * SECOND + FRAME


def test_real_time_of_times_that_jump():
    pytest.importorskip('gi')
    from clqc.live.sources.real_time import RealTime
    now = [0]
    real_time = RealTime(lambda: now[0])
    assert real_time.wait(50 * SECOND) == 0
    assert real_time.wait(51 * SECOND) == 1
    now[0] = SECOND
    assert real_time.wait(3600 * SECOND) == 0
    assert real_time.wait(52 * SECOND, True) == 0
    assert real_time.wait(53 * SECOND) == 1


def test_gaps_are_not_freezes():
    def both(kind):
        return [{'event': kind, 'state': state, 'timestamp': time}
                for state, time in (('start', 0), ('end', 9))]
    gaps = (9,)
    assert without_gaps(both('freeze'), ().__contains__) == []
    assert without_gaps(both('signal-loss'), gaps.__contains__) == []
    assert len(without_gaps(both('signal-loss'), ().__contains__)) == 2
    assert len(without_gaps(both('freeze')[:1], gaps.__contains__)) == 1
    # a gap of the timestamps only
    loss = both('signal-loss')
    for silence, count in (0, 0), (SECOND, 0), (2 * SECOND, 2), (None, 2):
        loss[1]['silence'] = silence
        assert len(without_gaps(loss, ().__contains__,
                                timeout=2 * SECOND)) == count
    assert len(without_gaps(both('black'), gaps.__contains__)) == 2


def test_signal_of_a_stream_that_had_no_frame():
    """For a stream without a frame, neither signal loss nor its end is
    reported."""
    events = []
    results = StreamResults(Rules(), events.append)
    results.line = SimpleNamespace(
        is_behind_gap=lambda time: time == 9, now=lambda: 0,
        arrival=lambda _, usual: usual,
        is_damaged=lambda _: False,
        real_time=SimpleNamespace(begin=lambda: None, offset=0))

    def read(*lines):
        end, start = os.pipe()
        os.write(start, b''.join(json.dumps(line).encode() + b'\n'
                                 for line in lines))
        os.close(start)
        results.read(end)

    def loss(state, time=0):
        return {'type': 'event', 'event': 'signal-loss', 'state': state,
                'timestamp': time, 'running-time': 0, 'start-running-time': 0}
    picture = {
        'type': 'frame', 'running-time': 0, 'duration': FRAME, 'depth': 8,
        'format': 'I420', 'components': ['Y', 'U', 'V']}
    read(loss('start'))
    read(picture, picture, loss('end'), picture)
    assert events == []
    read(loss('start'), loss('end'), picture)
    assert [line['state'] for line in events] == ['start', 'end']
    # frames were lost here, and results of others arrive first
    read(loss('start'), loss('end', 9), picture, picture)
    assert len(events) == 2


@pytest.mark.parametrize('text, expected', [
    ('[live]\nwindow = 0', 'live.window: 0 is not allowed here; allowed is a '
     'number of seconds, 1 to 86400'),
    ('[live]\nhealty-after = 1', 'did you mean healthy-after'),
    ('[live]\nunhealthy-after = -1', 'a number of seconds, 0 or more'),
    ('live = 3', 'allowed is a table')])
def test_mistakes(text, expected):
    with pytest.raises(ClqcError) as raised:
        policy.parse(text, 'mine.toml')
    assert 'mine.toml, line ' in str(raised.value)
    assert expected in str(raised.value)
