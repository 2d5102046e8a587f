# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams that do not count for alerts: when, and what outputs show."""
import io
import math
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from livestates import BLACK, FORM, connected, state
from rich.console import Console

from clqc.live.configuration.muting import Mute, times
from clqc.live.outputs.state import state_message
from clqc.live.outputs.terminal import Terminal

BERLIN = ZoneInfo('Europe/Berlin')


def at(text, zone=BERLIN):
    """Returns a local time in seconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


@pytest.mark.parametrize('text, inside, outside', [
    ('02:00-03:00', ['2026-11-27 02:00', '2026-11-28 02:59:59'],
     ['2026-11-27 01:59:59', '2026-11-27 03:00']),
    # the 29th of November 2026 is a Sunday
    ('sun 02:00-04:00', ['2026-11-29 03:00'],
     ['2026-11-28 03:00', '2026-11-30 03:00']),
    ('SUN 23:00-01:00', ['2026-11-29 23:30', '2026-11-30 00:59'],
     ['2026-11-28 23:30', '2026-11-29 00:30', '2026-11-30 01:00']),
    ('mon-fri 00:00-24:00', ['2026-11-27 23:59:59', '2026-11-30 00:00'],
     ['2026-11-28 12:00', '2026-11-29 23:59']),
    ('sat-mon,wed 04:00-04:30', ['2026-11-28 04:00', '2026-11-29 04:29',
                                 '2026-11-30 04:15', '2026-12-02 04:00'],
     ['2026-11-27 04:00', '2026-12-01 04:00', '2026-12-03 04:15'])])
def test_maintenance(text, inside, outside):
    mute = Mute(maintenance=(times(text),), zone=BERLIN)
    assert [mute.at(at(one)) for one in inside] == (
        ['maintenance'] * len(inside))
    assert [mute.at(at(one)) for one in outside] == [''] * len(outside)


def test_zone():
    """The same moment has another time of day in another zone."""
    moment = at('2026-07-01 02:30')
    window = (times('02:00-03:00'),)
    assert Mute(maintenance=window, zone=BERLIN).at(moment)
    assert not Mute(maintenance=window, zone=ZoneInfo('UTC')).at(moment)
    assert Mute(maintenance=window, zone=ZoneInfo('UTC')).at(moment + 7200)


def test_hour_that_the_clock_repeats():
    """On the 25th of October 2026, 02:00 to 03:00 lasts two hours."""
    mute = Mute(maintenance=(times('02:00-03:00'),), zone=BERLIN)
    start = at('2026-10-25 02:00')
    assert [bool(mute.at(start + minutes * 60)) for minutes in (
        -1, 0, 59, 60, 119, 120)] == [False, True, True, True, True, False]


def test_several_times():
    mute = Mute(maintenance=(times('02:00-03:00'), times('05:00-06:00')),
                zone=BERLIN)
    assert [bool(mute.at(at(f'2026-11-28 0{hour}:30'))) for hour in
            (2, 3, 5)] == [True, False, True]


@pytest.mark.parametrize('text', [
    '', '2:00-03:00', '02:00', '02:00-02:00', '24:00-01:00', '02:00-24:01',
    '02:60-03:00', 'son 02:00-03:00', 'sun,02:00-03:00', 'sun 02:00-03:00 x',
    'sun- 02:00-03:00', '0٢:00-03:00'])
def test_wrong_times(text):
    with pytest.raises(ValueError):
        times(text)


def test_mute_until():
    mute = Mute(1000.0, (times('00:00-24:00'),), BERLIN)
    assert (mute.at(999.9), mute.at(1000)) == ('muted', 'maintenance')
    assert Mute(math.inf).at(1e12) == 'muted' and Mute().at(0) == ''


def test_state_message():
    one = connected(False)
    assert state_message(one)['muted'] is None
    one.muted = 'maintenance'
    message = state_message(one)
    assert (message['muted'], message['healthy']) == ('maintenance', False)


def lines_of(is_quiet=False):
    """The lines for a stream that fails while it is muted, and remains so."""
    text = io.StringIO()
    terminal = Terminal(Console(file=text, soft_wrap=True), is_quiet)
    one = state()
    one.connection, one.form, one.muted = 'connected', FORM, 'muted'
    terminal.open([one])
    for faults, muted in ([], 'muted'), ([BLACK], 'muted'), ([BLACK], ''), (
            [BLACK], 'maintenance'), ([], ''), ([], 'maintenance'):
        one.health.update(faults, 0)
        one.muted = muted
        terminal.changed(one)
    terminal.close()
    return [line.split(' ', 1)[1] for line in text.getvalue().splitlines()]


WHY = ': Black picture; none is allowed.'


def test_lines_of_a_terminal():
    assert lines_of() == [
        'cam: 64 × 48 I420, 25 frames/s, no sound', 'cam: muted',
        'cam: healthy (muted)', f'cam: UNHEALTHY (muted){WHY}',
        'cam: no longer muted', f'cam: UNHEALTHY{WHY}', 'cam: maintenance',
        f'cam: UNHEALTHY (maintenance){WHY}', 'cam: no longer muted',
        'cam: healthy', 'cam: maintenance']


def test_quiet_terminal():
    assert lines_of(True) == [
        'cam: healthy (muted)', f'cam: UNHEALTHY (muted){WHY}',
        f'cam: UNHEALTHY{WHY}', f'cam: UNHEALTHY (maintenance){WHY}',
        'cam: healthy']


def test_table():
    text = io.StringIO()
    one = connected(False)
    one.muted = 'maintenance'
    terminal = Terminal(Console(file=text, force_terminal=True, width=100))
    terminal.open([one])
    terminal.close()
    assert 'UNHEALTHY (maintenance)' in text.getvalue()
