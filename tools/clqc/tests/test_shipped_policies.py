# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped policies find the faults that they are for."""
import pytest

from folders import event, facts, frames, histogram, integrity, pooled
from folders import results as write

from clqc.judging import policy
from clqc.judging.judge import judge


CLEAN = ('default', 'broadcast-range', 'digitised-tape', 'web-delivery',
         'camera-archive', 'pse')


@pytest.mark.parametrize('name', CLEAN)
def test_shipped_passes_a_clean_file(tmp_path, name):
    made = write(tmp_path, frames(100))
    assert judge('clip', made, policy.load(name)).reasons == []


BAD = histogram({0: 30, 128: 70})


@pytest.mark.parametrize('name, changed, events, rule', (
    ('default', {'gamut': 0.3}, [], 'frames.gamut'),
    ('default', {}, [event('black', 1, 3.5)], 'events.black'),
    ('default', {}, [event('black', 0, 3.96)], 'events.black'),
    ('default', {}, [event('freeze', 1, 3.5)], 'events.freeze'),
    ('broadcast-range', {'min': [0, 0, 0], 'histogram': [BAD] * 3}, [],
     'frames.outside.Y'),
    ('broadcast-range', {'SATHIGH': 119}, [], 'frames.SATHIGH'),
    ('digitised-tape', {'TOUT': 0.02}, [], 'frames.TOUT'),
    ('digitised-tape', {'VREP': 0.1}, [], 'frames.VREP'),
    ('digitised-tape', {'SATHIGH': 130}, [], 'frames.SATHIGH'),
    ('digitised-tape', {}, [event('freeze', 1, 2.2)], 'events.freeze'),
    ('web-delivery', {}, [event('black', 0, 1)], 'events.black'),
    ('web-delivery', {}, [event('black', 2.9, 3.96)], 'events.black'),
    ('web-delivery', {}, [event('freeze', -3, 3.96)], 'events.freeze'),
    ('web-delivery', {}, [event('silence', -2, 4)],
     'events.picture-without-sound'),
    ('pse', {}, [event('flash', 1, 2, **{'kind': 'red', 'result': 3})],
     'events.flash'),
    ('camera-archive', {}, [event('freeze', 1, 1.6)], 'events.freeze'),
    ('camera-archive', {}, [event('defocus', 0, 3)], 'events.defocus')))
def test_shipped_finds(tmp_path, name, changed, events, rule):
    made = write(tmp_path, frames(100, **changed), events)
    found = judge('clip', made, policy.load(name))
    assert found.status == 'fail'
    assert rule in [reason.rule for reason in found.reasons
                    if reason.severity == 'error']


def test_pse_is_no_certificate():
    assert 'not a certification' in policy.load('pse').description


PQ = 'limited range, matrix bt2020, transfer smpte2084, primaries bt2020'
HLG = PQ.replace('smpte2084', 'arib-std-b67')


@pytest.mark.parametrize('colours, depth, fields, expected', (
    (PQ, 10, {'max_cll': 10000, 'max_fall': 180.5}, []),
    (HLG, 10, {'max_cll': 900, 'max_fall': 180.5}, ['container.colours']),
    (None, 10, {'max_cll': 900, 'max_fall': 180.5}, ['container.colours']),
    (PQ, 8, {'max_cll': 900, 'max_fall': 180.5}, ['container.depth']),
    (PQ, 12, {'max_cll': 10001, 'max_fall': 180.5}, ['pooled.max-cll']),
    (PQ, 10, {}, ['pooled.max-cll', 'pooled.max-fall'])))
def test_hdr10(tmp_path, colours, depth, fields, expected):
    lines = frames(100, depth=depth)
    of_file = facts()
    of_file['video'] |= {'colours': colours, 'depth': depth}
    made = write(tmp_path, lines, [event('levels', 1, 2, **{
        'component': 'R', 'share': 0.5})], of_file, pooled(lines, **fields))
    found = judge('clip', made, policy.load('hdr10')).reasons
    assert [reason.rule for reason in found] == [*expected, 'events.levels']
    assert found[-1].severity == 'warning'


@pytest.mark.parametrize('name', ('broadcast-range', 'digitised-tape'))
def test_warns_about_another_range(tmp_path, name):
    made = write(tmp_path, frames(100), [event('range', 0, 3.96)])
    found = judge('clip', made, policy.load(name))
    assert found.status == 'pass'
    assert [(reason.rule, reason.severity) for reason in found.reasons] == [
        ('events.range', 'warning')]


@pytest.mark.parametrize('kind', ('white', 'single-color'))
def test_still_picture_is_reported_once(tmp_path, kind):
    """Whatever it shows; motion around it does not matter."""
    def reasons(*events):
        made = write(tmp_path, frames(100), events)
        return [(reason.rule, reason.severity) for reason in judge(
            'clip', made, policy.load('default')).reasons]
    still = event('freeze', 1.04, 3.5)
    assert reasons(event(kind, 1, 3.5), still) == [('events.freeze', 'error')]
    assert reasons(event(kind, 1, 3.5)) == [('events.' + kind, 'warning')]


@pytest.mark.parametrize('name', policy.shipped())
def test_no_damaged_file_passes(tmp_path, name):
    made = write(tmp_path, frames(100),
                 [event('gap', 1, 2, frames=25, packets=0)])
    made.write('integrity.json', integrity(
        errors=[[0, 1, ['a'], 0, 'video']], absent_packets=1, missing=[
            {'start': 0, 'end': 9, 'why': 'x', 'first_time': None,
             'last_time': None, 'samples': 0}]))
    found = {reason.rule for reason in judge(
        'clip', made, policy.load(name)).reasons if reason.severity == 'error'}
    assert {'decode.errors', 'file.missing-bytes', 'file.missing-packets',
            'events.gap'} <= found


def test_tape_may_be_black(tmp_path):
    made = write(tmp_path, frames(100, {n: {'VREP': 1} for n in range(50)}),
                 [event('black', 0, 2)])
    assert judge('clip', made, policy.load('digitised-tape')).reasons == []
