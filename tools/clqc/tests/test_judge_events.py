# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every key of a policy about events, kept and broken."""
import pytest

from folders import event, facts, messages, verdict

from clqc.judging.rules import wording


# What a reason says of the values of an event.
DETAILS = {
    'freeze': ({'evidence': 'picture'}, ', 50 frames were decoded'),
    'card': ({'card': 'slate', 'share': 0.95}, ', slate'),
    'flash': ({'kind': 'red', 'result': 3, 'transitions': 9, 'x': 0, 'y': 8,
               'width': 64, 'height': 36},
              ', more than three flashes in a second of red; this is a '
              'screening, not a certification'),
    'levels': ({'component': 'G', 'share': 0.0123},
               ', 1.23 % of the pixels, by G'),
    'repeat': ({'frames': 9, 'period': 5},
               ', 9 repeated frames in a pattern of 5')}


@pytest.mark.parametrize('kind', (
    'black', 'white', 'freeze', 'single-color', 'defocus', 'range', 'noisy',
    'border', 'repeat', 'blocky', 'field-order',
    'card', 'flash', 'levels', 'silence'))
def test_kinds(tmp_path, kind):
    values, more = DETAILS.get(kind, ({}, ''))
    text = f'[events.{kind}]\nmax-count = 0'
    other = 'white' if kind == 'black' else 'black'
    assert verdict(tmp_path, text, events=[event(other, 0, 2)]
                   ).status == 'pass'
    found = verdict(tmp_path, text, events=[event(kind, 1, 3, **values)])
    reason, = found.reasons
    assert found.status == 'fail'
    assert (reason.rule, reason.start, reason.end) == (
        f'events.{kind}', 10 ** 9, 3 * 10 ** 9)
    assert reason.frame == (None if kind == 'silence' else 25)
    assert (f'from 0:00:01.000 to 0:00:03.000 (2 s){more}; none'
            in reason.message)


def test_evidence(tmp_path):
    found = verdict(tmp_path, '[events.freeze]\nmax-count = 0', events=[
        event('freeze', 1, 3, evidence='corrupted')])
    assert 'were decoded, with missing data (corrupted)' in messages(found)[0]


def test_gaps(tmp_path):
    """The first reason of several gaps has the sum of their frames."""
    gaps = [event('gap', at, at + n * 0.04, frames=n, packets=0)
            for at, n in ((1, 2), (2, 5), (3, 1))]
    limit = '[events.gap]\nmax-count = '
    found = messages(verdict(tmp_path, limit + '0', events=gaps))
    assert found[0] == ('There are 3 gaps, 8 frames are missing in all; none '
                        'is allowed.')
    assert len(found) == 4
    assert messages(verdict(tmp_path, limit + '2', events=gaps))[0] == (
        'There are 3 gaps, 8 frames are missing in all; the limit is 2.')
    one, = messages(verdict(tmp_path, limit + '0', events=gaps[:1]))
    assert one.startswith('Gap from')
    sound = event('gap', 4, 5, track=1, missing=10 ** 9)
    sound.start_frame = None
    assert len(messages(verdict(tmp_path, limit + '0',
                                events=[sound, gaps[0]]))) == 3


ZONES = '[measure]\ngrid-columns = 3\ngrid-rows = 2\n'


def test_zones(tmp_path):
    """Each zone has the limit, and the frame has none."""
    frozen = [event('freeze', 0, 3, evidence='picture'),
              event('freeze', 0, 2, 1, evidence='gap'),
              event('freeze', 2.5, 3, 1, evidence='picture'),
              event('freeze', 0, 2.5, 5, evidence='picture')]
    text = f'{ZONES}[zone-events.freeze]\n'
    assert messages(verdict(tmp_path, f'{text}max-duration = 2.2',
                            events=frozen)) == [
        'Frozen picture in zone column 2, row 1 from 0:00:00.000 to '
        '0:00:02.500 (2.5 s), 62 frames were decoded; 2.2 s is allowed.']
    assert messages(verdict(tmp_path, f'{text}max-count = 1',
                            events=frozen))[0] == (
        'There are 2 frozen pictures in zone column 1, row 0; the limit is 1.')
    found = verdict(tmp_path, f'{text}max-total = 2.4\nat = "anywhere"',
                    events=frozen)
    assert [reason.rule for reason in found.reasons] == [
        'zone-events.freeze'] * 2
    assert 'with missing data (gap)' in messages(verdict(
        tmp_path, f'{text}max-count = 0', events=frozen))[0]
    assert verdict(tmp_path, f'{ZONES}[events.freeze]\nmax-count = 1',
                   events=frozen).status == 'pass'
    assert verdict(tmp_path, f'{text}max-count = 0\nexcept = ["black"]',
                   events=[*frozen, event('black', 0, 3)]).status == 'pass'


def test_many_zones(tmp_path):
    found = verdict(
        tmp_path, '[measure]\ngrid-columns = 20\ngrid-rows = 20\n'
        '[zone-events.freeze]\nmax-count = 0',
        events=[event('freeze', 0, 1, zone) for zone in range(400)])
    assert len(found.reasons) == wording.MOST + 1
    assert '350 more' in messages(found)[-1]


def test_cuts(tmp_path):
    cuts = [event('scene', second, second, score=12.0)
            for second in (1, 2, 3)]
    text = '[events.scene]\nmax-count = '
    assert verdict(tmp_path, text + '3', events=cuts).status == 'pass'
    found = verdict(tmp_path, text + '2', events=cuts)
    assert messages(found) == [
        'There are 3 cuts; the limit is 2.', 'Cut at 0:00:01.000.',
        'Cut at 0:00:02.000.', 'Cut at 0:00:03.000.']


LONG = [event('freeze', 0, 2), event('freeze', 2.5, 3)]


def freeze(limits):
    return f'[measure]\nfreeze-duration = 0.1\n[events.freeze]\n{limits}'


@pytest.mark.parametrize('kept, broken, value, limit', (
    ('max-duration = 2', 'max-duration = 1.9', 2, 1.9),
    ('max-total = 2.5', 'max-total = 2.4', 2.5, 2.4),
    ('max-share = 0.625', 'max-share = 0.62', 0.625, 0.62)))
def test_limits_of_events(tmp_path, kept, broken, value, limit):
    assert verdict(tmp_path, freeze(kept), events=LONG).status == 'pass'
    reason, = verdict(tmp_path, freeze(broken), events=LONG).reasons
    assert (reason.start, reason.end) == (0, 2 * 10 ** 9)
    assert reason.value == pytest.approx(value)
    assert reason.limit == pytest.approx(limit)


def test_min_duration(tmp_path):
    text = freeze('max-count = 0\nmin-duration = ')
    assert len(verdict(tmp_path, text + '0.5', events=LONG).reasons) == 2
    assert len(verdict(tmp_path, text + '0.6', events=LONG).reasons) == 1
    assert verdict(tmp_path, text + '2.1', events=LONG).status == 'pass'


@pytest.mark.parametrize('place, starts', (
    ('anywhere', [0, 1, 3]), ('ends', [0, 3]), ('start', [0]), ('end', [3]),
    ('inside', [1])))
def test_at(tmp_path, place, starts):
    events = [event('black', 0, 0.5), event('black', 1, 2),
              event('black', 3, 4)]
    found = verdict(tmp_path, '[measure]\nblack-min-duration = 0.1\n'
                    f'[events.black]\nmax-count = 0\nat = "{place}"',
                    events=events)
    assert [reason.start / 1e9 for reason in found.reasons] == starts


def test_severity_of_events(tmp_path):
    found = verdict(tmp_path, '[events.black]\nmax-count = 0\n'
                    'severity = "warning"', events=[event('black', 0, 2)])
    assert (found.status, found.reasons[0].severity) == ('pass', 'warning')


def test_except_of_events(tmp_path):
    events = [event('black', 0, 2.5), event('freeze', 0, 4)]
    text = '[events.freeze]\nmax-count = 0\nexcept = ["black"]\n'
    reason, = verdict(tmp_path, text, events=events).reasons
    assert (reason.start, reason.end) == (25 * 10 ** 8, 4 * 10 ** 9)
    assert verdict(tmp_path, text + 'min-duration = 2', events=events
                   ).status == 'pass'
    assert verdict(tmp_path, text, events=[event('black', 0, 3),
                                           event('freeze', 1, 3)]
                   ).status == 'pass'


def test_black_with_sound(tmp_path):
    text = '[events.black-with-sound]\nmax-count = 0\nmin-duration = '
    black, silence = event('black', 0, 4), event('silence', 1.5, 4)
    measure = '[measure]\nblack-min-duration = 1\n'
    reason, = verdict(tmp_path, measure + text + '1.5',
                      events=[black, silence]).reasons
    assert (reason.start, reason.end) == (0, 15 * 10 ** 8)
    assert 'Black picture with sound from' in reason.message
    assert verdict(tmp_path, measure + text + '1.6',
                   events=[black, silence]).status == 'pass'
    assert verdict(tmp_path, measure + text + '1', events=[
        black, event('silence', 0, 4)]).status == 'pass'
    # a file without a track of sound
    assert verdict(tmp_path, measure + text + '1', events=[black],
                   facts_of=facts(audio=[])).status == 'pass'


def test_picture_without_sound(tmp_path):
    text = '[events.picture-without-sound]\nmax-count = 0\nmin-duration = '
    silence, black = event('silence', 0, 4), event('black', 0, 2)
    reason, = verdict(tmp_path, text + '2', events=[silence, black]).reasons
    assert (reason.start, reason.end) == (2 * 10 ** 9, 4 * 10 ** 9)
    assert verdict(tmp_path, text + '2.1', events=[silence, black]
                   ).status == 'pass'
    assert verdict(tmp_path, text + '2', events=[silence,
                                                 event('black', 0, 4)]
                   ).status == 'pass'


def test_number_of_events_is_limited(tmp_path):
    cuts = [event('scene', n / 25, n / 25, score=20.0) for n in range(60)]
    found = verdict(tmp_path, '[events.scene]\nmax-count = 0', events=cuts)
    assert len(found.reasons) == 51
    assert 'There are 10 more places' in found.reasons[-1].message
    # Of equal ones, those that apply to the whole file.
    assert 58 / 25 * 1e9 <= found.reasons[-2].start


def test_one_place_is_one_reason(tmp_path):
    """An error of one rule of black, and not a warning of the other."""
    text = ('[[events.black]]\nmax-duration = 2\n[[events.black]]\n'
            'max-count = 0\nseverity = "warning"')
    found = verdict(tmp_path, text, events=[event('black', 0, 0.5),
                                            event('black', 1, 4)])
    assert [(reason.severity, reason.start / 1e9) for reason in found.reasons
            ] == [('error', 1), ('warning', 0)]


@pytest.mark.parametrize('nanoseconds, shown', [
    (2_966_666_667, '2.967 s'), (2 * 10 ** 9, '2 s'), (40_000_000, '0.04 s'),
    (500, '5e-07 s'), (9_999_999_999, '10 s'), (12_345 * 10 ** 6, '12.3 s')])
def test_seconds(nanoseconds, shown):
    assert wording.seconds(nanoseconds) == shown
