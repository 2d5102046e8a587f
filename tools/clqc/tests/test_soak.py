# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults that the soak test must not attribute to a sender."""
import soak_watch
import standstill


def test_stalled_machine():
    now = [100.0]
    gaps = []
    for seconds in 0.05, 0.2, 1.5, 0.05:
        def sleep(_):
            now[0] += seconds
        standstill.look(gaps, sleep, lambda: now[0])
    assert gaps == [(100.25, 101.75)]


def soak(gaps=(), stood=()):
    one = object.__new__(soak_watch.Soak)
    one.gaps, one.stood = list(gaps), list(stood)
    return one


def line(event='signal-loss', came=11.0):
    return {'stream': 'good', 'event': event, 'came': came}


def test_stalled_machine_is_not_a_fault():
    """A pause of the machine affects all streams, including those whose
    senders were not late."""
    assert not soak().is_of_gap(line())
    assert soak(stood=[(10, 11)]).is_of_gap(line())
    assert not soak(stood=[(10, 11)]).is_of_gap(line('black'))
    assert not soak(stood=[(10, 11)]).is_of_gap(line(came=14))
    assert soak(gaps=[('good', 10, 11)]).is_of_gap(line())
    assert not soak(gaps=[('cam', 10, 11)]).is_of_gap(line())
