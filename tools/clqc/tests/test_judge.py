# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every key of a policy about statistics, kept and broken."""
import gzip

import pytest

from folders import (FRAME, event, frame, frames, histogram, messages, pooled,
                     verdict)
from folders import results as write

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.judging.judge import judge, why_not


def test_empty_policy(tmp_path):
    found = verdict(tmp_path, '')
    assert (found.file, found.status, found.policy, found.reasons) == (
        'a/clip.avi', 'pass', 'my', [])
    assert found.policy_hash == policy.parse('', '', '').hash


def test_no_frames(tmp_path):
    for whole in ({}, {'type': 'pooled', 'frames': 0}):
        found = verdict(tmp_path, '', [], whole=whole)
        assert found.status == 'unmeasured'
        assert found.reasons[0].message


# Statistics of frames.

@pytest.mark.parametrize('key, limit', (
    ('max', 199), ('max', 199.5), ('min', 201)))
def test_limit(tmp_path, key, limit):
    assert verdict(tmp_path, f'[frames.YMAX]\n{key} = 200').status == 'pass'
    found = verdict(tmp_path, f'[frames.YMAX]\n{key} = {limit}')
    reason, = found.reasons
    assert found.status == 'fail'
    assert (reason.rule, reason.severity, reason.start, reason.end,
            reason.frame, reason.value, reason.limit) == (
                'frames.YMAX', 'error', 0, 100 * FRAME, 0, 200, limit)


def test_place_and_worst_frame(tmp_path):
    lines = frames(100, {50: {'YMAX': 240}, 51: {'YMAX': 250},
                         52: {'YMAX': 250}, 53: {'YMAX': 241},
                         70: {'YMAX': 236}})
    first, second = verdict(tmp_path, '[frames.YMAX]\nmax = 235',
                            lines).reasons
    assert (first.start, first.end, first.frame, first.value) == (
        50 * FRAME, 54 * FRAME, 51, 250)
    assert first.message == (
        'From 0:00:02.000 to 0:00:02.160 (4 frames) the greatest luma (YMAX) '
        'is above 235: 250 in the worst frame, 51.')
    assert (second.start, second.end, second.frame) == (
        70 * FRAME, 71 * FRAME, 70)
    assert second.message == ('At 0:00:02.800 (frame 70) the greatest luma '
                              '(YMAX) is 236, above 235.')


def test_both_limits_in_one_place(tmp_path):
    lines = frames(10, {4: {'YAVG': 5}, 5: {'YAVG': 250}})
    reason, = verdict(tmp_path, '[frames.YAVG]\nmin = 20\nmax = 200',
                      lines).reasons
    assert (reason.frame, reason.value, reason.limit) == (5, 250, 200)


@pytest.mark.parametrize('key', [
    'mean.U', 'variance.Y', 'stddev.V', 'min.Y', 'max.Y', 'low.Y', 'median.Y',
    'high.Y', 'mean-difference.Y', 'bit-depth.Y', 'YMIN', 'ULOW', 'VAVG',
    'YHIGH', 'UMAX', 'VDIF', 'YBITDEPTH', 'SATMIN', 'SATLOW', 'SATAVG',
    'SATHIGH', 'SATMAX', 'HUEAVG', 'HUEMED', 'TOUT', 'VREP', 'BRNG',
    'saturation-min', 'saturation-low', 'saturation-mean', 'saturation-high',
    'saturation-max', 'hue-mean', 'hue-median', 'hue-concentration',
    'outliers', 'repetition', 'gamut'])
def test_each_statistic(tmp_path, key):
    """A limit at the value is kept, one below it is not; also at 10 bits."""
    line = frame(0)
    name, _, component = key.partition('.')
    value = line[name]
    if component:
        value = value[line['components'].index(component)]
    for depth in (8, 10):
        bits = depth - 8 if key in ('bit-depth.Y', 'YBITDEPTH') else 0
        lines = frames(3, depth=depth)
        assert verdict(tmp_path, f'[frames.{key}]\nmax = {value + bits}',
                       lines).status == 'pass'
        below = verdict(tmp_path, f'[frames.{key}]\n'
                        f'max = {(value + bits) * 0.999}', lines)
        assert [reason.frame for reason in below.reasons] == [0]


def test_codes_of_ten_bits(tmp_path):
    lines = frames(3, {1: {'YMAX': 941}}, depth=10)
    reason, = verdict(tmp_path, '[frames.YMAX]\nmax = 235', lines).reasons
    assert (reason.frame, reason.value, reason.limit) == (1, 941, 940)
    assert verdict(tmp_path, '[frames.YMAX]\nmax = 941\ncodes = "native"',
                   lines).status == 'pass'
    assert verdict(tmp_path, '[frames.YMAX]\nmax = 940\ncodes = "native"',
                   lines).status == 'fail'
    assert verdict(tmp_path, '[frames.YMAX]\nmax = 235\ncodes = "8-bit"',
                   lines).status == 'fail'


def test_share(tmp_path):
    lines = frames(100, {n: {'TOUT': 0.02} for n in (10, 20, 21)})
    assert verdict(tmp_path, '[frames.TOUT]\nmax = 0.01\nshare = 0.03',
                   lines).status == 'pass'
    found = verdict(tmp_path, '[frames.TOUT]\nmax = 0.01\nshare = 0.02',
                    lines)
    whole, first, second = found.reasons
    assert (whole.start, whole.value, whole.limit) == (None, 0.03, 0.02)
    assert 'In 3 % of the frames (3 of 100)' in whole.message
    assert (first.frame, second.frame) == (10, 20)


def test_for(tmp_path):
    lines = frames(100, {n: {'VREP': 0.5} for n in (10, *range(20, 45))})
    text = '[frames.VREP]\nmax = 0.1\nfor = '
    reason, = verdict(tmp_path, text + '1', lines).reasons
    assert (reason.start, reason.end) == (20 * FRAME, 45 * FRAME)
    assert verdict(tmp_path, text + '1.01', lines).status == 'pass'


def test_for_and_share(tmp_path):
    lines = frames(100, {n: {'VREP': 0.5} for n in (10, *range(20, 45))})
    text = '[frames.VREP]\nmax = 0.1\nfor = 1\nshare = '
    assert verdict(tmp_path, text + '0.25', lines).status == 'pass'
    assert verdict(tmp_path, text + '0.24', lines).status == 'fail'


def test_severity(tmp_path):
    lines = frames(10, {3: {'YMAX': 250}})
    found = verdict(tmp_path, '[[frames.YMAX]]\nmax = 235\n'
                    'severity = "warning"\n[[frames.YMAX]]\nmax = 251', lines)
    assert found.status == 'pass'
    assert [reason.severity for reason in found.reasons] == ['warning']


def test_errors_come_first(tmp_path):
    lines = frames(10, {3: {'YMAX': 250, 'YMIN': 3}})
    found = verdict(tmp_path, '[frames.YMAX]\nmax = 235\n'
                    'severity = "warning"\n[frames.YMIN]\nmin = 16', lines)
    assert found.status == 'fail'
    assert [reason.rule for reason in found.reasons] == [
        'frames.YMIN', 'frames.YMAX']


def test_except(tmp_path):
    lines = frames(100, {n: {'VREP': 1} for n in range(0, 55)})
    text = '[frames.VREP]\nmax = 0.1\n'
    black = [event('black', 0, 2)]
    reason, = verdict(tmp_path, text + 'except = ["black"]', lines,
                      black).reasons
    assert (reason.start, reason.end) == (50 * FRAME, 55 * FRAME)
    reason, = verdict(tmp_path, text + 'except = ["white"]', lines,
                      black).reasons
    assert reason.start == 0


def test_except_to_the_last_frame(tmp_path):
    """It counts where it ended the event, not where it belongs to one."""
    lines = frames(100, {n: {'VREP': 1} for n in range(50, 100)})
    text = '[frames.VREP]\nmax = 0.1\nexcept = ["black"]'
    assert verdict(tmp_path, text, lines, [event('black', 2, 4)]
                   ).reasons == []
    reason, = verdict(tmp_path, text, lines, [event('black', 2, 3.96)]
                      ).reasons
    assert (reason.start, reason.end) == (99 * FRAME, 100 * FRAME)


def test_outside(tmp_path):
    bins = histogram({4: 1, 5: 40, 246: 57, 247: 2})
    lines = frames(5, {2: {'min': [4, 0, 0], 'max': [247, 255, 255],
                           'histogram': [bins, [0] * 256, [0] * 256]}})
    text = '[frames.outside.Y]\nlow = 5\nhigh = 246\nmax = '
    assert verdict(tmp_path, text + '0.03', lines).status == 'pass'
    reason, = verdict(tmp_path, text + '0.029', lines).reasons
    assert (reason.frame, reason.value) == (2, 0.03)
    assert 'samples of luma outside 5 to 246 (outside.Y)' in reason.message
    for only, value in (('low = 5', 0.01), ('high = 246', 0.02)):
        reason, = verdict(tmp_path, f'[frames.outside.Y]\n{only}\nmax = 0',
                          lines).reasons
        assert reason.value == value


def test_outside_at_ten_bits(tmp_path):
    bins = histogram({19: 1, 20: 40, 984: 57, 985: 2}, 10)
    lines = frames(2, {1: {'min': [19], 'max': [985], 'histogram': [bins]}},
                   depth=10, components=['Y'])
    text = '[frames.outside.Y]\nmax = 0\n'
    reason, = verdict(tmp_path, text + 'low = 5\nhigh = 246', lines).reasons
    assert reason.value == 0.03
    assert verdict(tmp_path, text + 'low = 19\nhigh = 985\n'
                   'codes = "native"', lines).status == 'pass'


def test_zones(tmp_path):
    zones = [[100] * 6, [128] * 6, [128] * 6]
    bright = [[100, 100, 100, 100, 230, 100], *zones[1:]]
    lines = frames(10, {4: {'zone_mean': bright}}, zone_columns=3,
                   zone_rows=2, zone_mean=zones, zone_gamut=[0.5] * 6)
    head = '[measure]\ngrid-columns = 3\ngrid-rows = 2\n'
    reason, = verdict(tmp_path, head + '[zones.mean.Y]\nmax = 200',
                      lines).reasons
    assert (reason.rule, reason.frame, reason.value) == (
        'zones.mean.Y', 4, 230)
    assert 'in zone column 1, row 1' in reason.message
    assert verdict(tmp_path, head + '[zones.mean.Y]\nmin = 100\nmax = 230',
                   lines).status == 'pass'
    assert verdict(tmp_path, head + '[zones.gamut]\nmin = 0.6',
                   lines).status == 'fail'


def test_number_of_places_is_limited(tmp_path):
    lines = frames(300, {n: {'YMAX': 236} for n in range(0, 240, 2)})
    lines[200]['YMAX'] = 255
    found = verdict(tmp_path, '[frames.YMAX]\nmax = 235', lines)
    assert len(found.reasons) == 51
    assert found.reasons[-1].start is None
    assert 'There are 70 more places' in found.reasons[-1].message
    named = [reason.frame for reason in found.reasons[:-1]]
    assert 200 in named and named == sorted(named)
    assert named[-1] > 230  # of equal ones, those that apply to the whole file


def test_grey_keeps_limits_of_colour(tmp_path):
    lines = frames(5, components=['Y'], format='GRAY8')
    assert verdict(tmp_path, '[frames.SATMAX]\nmax = 10\n[frames.UMAX]\n'
                   'max = 10\n[frames.mean.V]\nmax = 10', lines
                   ).status == 'pass'


def test_rgb_has_no_luma(tmp_path):
    lines = frames(5, components=['R', 'G', 'B'], format='RGB')
    found = verdict(tmp_path, '[frames.YMAX]\nmax = 255', lines)
    assert found.status == 'fail'
    assert 'cannot be judged: the pictures are RGB' in messages(found)[0]
    assert verdict(tmp_path, '[frames.GMAX]\nmax = 200', lines
                   ).status == 'pass'
    assert verdict(tmp_path, '[frames.GMAX]\nmax = 199', lines
                   ).status == 'fail'


def test_frames_without_times(tmp_path):
    lines = frames(10, {5: {'YMAX': 250}}, timestamp=None, stream_time=None,
                   running_time=None, duration=None)
    reason, = verdict(tmp_path, '[frames.YMAX]\nmax = 235', lines,
                      whole=pooled(lines, stream_time=None,
                                   end_stream_time=None)).reasons
    assert (reason.start, reason.end) == (5 * FRAME, 6 * FRAME)


def test_last_line_without_end(tmp_path):
    """The parser handles lines in pieces of any length."""
    lines = frames(2000, {1999: {'YMAX': 250}})
    reason, = verdict(tmp_path, '[frames.YMAX]\nmax = 235', lines).reasons
    assert reason.frame == 1999


def test_broken_lines(tmp_path):
    made = write(tmp_path, frames(500))
    path = tmp_path / 'frames.jsonl.gz'
    whole = path.read_bytes()
    asked = policy.parse('[frames.YMAX]\nmax = 235', '')
    for data in whole[:-500], b'no gzip', whole[:50] + b'xyz' + whole[53:]:
        path.write_bytes(data)
        with pytest.raises(ClqcError, match='frames.jsonl.gz: broken'):
            judge('x', made, asked)
    for line in b'{"frame":', b'{}', b'[]':
        path.write_bytes(gzip.compress(line + b'\n'))
        with pytest.raises(ClqcError, match='frames.jsonl.gz, line 1: not'):
            judge('x', made, asked)
        with pytest.raises(ClqcError, match='frames.jsonl.gz, line 1: not'):
            why_not(made, asked)


# Statistics of the whole file.

@pytest.mark.parametrize('key, value', (
    ('mean', 100.5), ('variance', 400.25), ('stddev', 20.5), ('min', 30),
    ('max', 200)))
def test_pooled(tmp_path, key, value):
    for depth in (8, 10):
        lines = frames(3, depth=depth)
        for kept, broken in (('max', value - 0.5), ('min', value + 0.5)):
            assert verdict(tmp_path, f'[pooled.{key}.Y]\n{kept} = {value}',
                           lines).status == 'pass'
            found = verdict(tmp_path, f'[pooled.{key}.Y]\n'
                            f'{kept} = {broken}\n', lines)
            reason, = found.reasons
            assert (reason.rule, reason.start) == (f'pooled.{key}.Y', None)
            assert found.status == 'fail'


def test_pooled_codes_and_severity(tmp_path):
    found = verdict(tmp_path, '[pooled.max.Y]\nmax = 799\ncodes = "native"\n'
                    'severity = "warning"', frames(3, depth=10))
    assert found.status == 'pass'
    assert (found.reasons[0].value, found.reasons[0].limit) == (800, 799)


def test_pooled_outside(tmp_path):
    text = '[pooled.outside.Y]\nlow = 31\nmax = '
    for depth in (8, 10):
        lines = frames(3, depth=depth)
        assert verdict(tmp_path, text + '0.5', lines).status == 'pass'
        assert verdict(tmp_path, text + '0.4', lines).reasons[0].value == 0.5


def test_pooled_of_rgb_and_grey(tmp_path):
    lines = frames(3, components=['R', 'G', 'B'])
    assert verdict(tmp_path, '[pooled.mean.Y]\nmax = 255', lines
                   ).status == 'fail'
    assert verdict(tmp_path, '[pooled.mean.U]\nmax = 1',
                   frames(3, components=['Y'])).status == 'pass'


def test_light(tmp_path):
    """In cd/m2, whatever the depth is."""
    lines = frames(3, {1: {'light-max': 1200.5}}, depth=10, light_max=800)
    whole = pooled(lines, max_cll=1200.5, max_fall=300, levels_r=0.02)
    found = verdict(
        tmp_path, '[frames.light-max]\nmax = 1000\n[pooled.max-cll]\n'
        'max = 1000\n[pooled.max-fall]\nmax = 400\n[pooled.levels-r]\n'
        'max = 0.01\n[pooled.robust-max-cll]\nmin = 0', lines, whole=whole)
    assert messages(found) == [
        'At 0:00:00.040 (frame 1) the greatest light of R, G and B '
        '(light-max) is 1200.5 cd/m2, above 1000 cd/m2.',
        'In the whole file the MaxCLL (max-cll) is 1200.5 cd/m2, above 1000 '
        'cd/m2.',
        'In the whole file the share of pixels whose R is beyond the '
        'preferred range (levels-r) is 2 %, above 1 %.',
        'The MaxCLL without outliers (robust-max-cll) cannot be judged: the '
        'pictures are Y+U+V, and were measured without it.']
