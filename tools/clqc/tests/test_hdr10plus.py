# SPDX-License-Identifier: LGPL-2.1-or-later
"""The JSON of HDR10+ metadata, from lines of clframesum."""
import json

import pytest

from clqc import __version__, commandline
from clqc.common.errors import ClqcError
from clqc.reporting import hdr10plus

# The light of codes of 8 bits, PQ, full range: found by bisection of the
# inverse function of SMPTE ST 2084, cd/m2.
LIGHT = {64: 5.22570128, 129: 97.8340555, 130: 101.733104, 192: 1010.27208,
         255: 10000}


def frame(number, counts, average, max_rgb=None, **fields):
    histogram = [0] * 256
    for code, count in counts.items():
        histogram[code] = count
    greatest = LIGHT[max(counts)]
    return {'type': 'frame', 'frame': number, 'depth': 8,
            'light-max': greatest, 'light-average': average,
            'light-max-rgb': max_rgb or [greatest, 1.24, 1.25],
            'full-range': True, 'light-histogram': histogram, **fields}


def cut(number):
    return {'type': 'event', 'event': 'scene', 'state': 'start',
            'frame': number}


def write(path, lines):
    path.write_text(''.join(json.dumps(line, separators=(',', ':')) + '\n'
                            for line in lines))
    return str(path)


# Two frames of one scene, and three of another. The event of the second scene
# comes behind its frame.
FIRST = {64: 9000, 129: 500, 130: 300, 192: 198, 255: 2}
LINES = [
    frame(0, FIRST, 10.5), frame(1, {64: 10000}, 20.36, [LIGHT[64], 4.5, 3]),
    frame(2, {130: 100}, 100), cut(2), frame(3, {130: 100}, 200),
    {'type': 'event', 'event': 'black', 'state': 'start', 'frame': 4},
    frame(4, {130: 100}, 300.05), {'type': 'pooled', 'frames': 5}]


def test_structure(tmp_path):
    """All keys that parsers of this JSON require, and their counts."""
    out = tmp_path / 'out.json'
    hdr10plus.write(write(tmp_path / 'in.jsonl', LINES), str(out))
    made = json.loads(out.read_text())
    assert made['JSONInfo'] == {'HDR10plusProfile': 'A', 'Version': '1.0'}
    assert made['ToolInfo'] == {'Tool': 'clqc', 'Version': __version__}
    assert made['SceneInfoSummary'] == {'SceneFirstFrameIndex': [0, 2],
                                        'SceneFrameNumbers': [2, 3]}
    assert made.keys() == {'JSONInfo', 'SceneInfo', 'SceneInfoSummary',
                           'ToolInfo'}
    frames = made['SceneInfo']
    assert [[entry[key] for entry in frames] for key in (
        'SceneId', 'SceneFrameIndex', 'SequenceFrameIndex')] == [
            [0, 0, 1, 1, 1], [0, 1, 0, 1, 2], [0, 1, 2, 3, 4]]
    for entry in frames:
        assert entry.keys() == {
            'LuminanceParameters', 'NumberOfWindows', 'SceneFrameIndex',
            'SceneId', 'SequenceFrameIndex',
            'TargetedSystemDisplayMaximumLuminance'}
        # profile A
        assert entry['NumberOfWindows'] == 1
        assert entry['TargetedSystemDisplayMaximumLuminance'] == 0
        light = entry['LuminanceParameters']
        assert light.keys() == {'AverageRGB', 'LuminanceDistributions',
                                'MaxScl'}
        spread = light['LuminanceDistributions']
        assert spread.keys() == {'DistributionIndex', 'DistributionValues'}
        assert spread['DistributionIndex'] == [1, 5, 10, 25, 50, 75, 90, 95,
                                               99]
        assert len(spread['DistributionValues']) == 9
        assert len(light['MaxScl']) == 3
        for value in [light['AverageRGB'], *light['MaxScl'],
                      *spread['DistributionValues']]:
            assert isinstance(value, int) and 0 <= value <= 100000


def test_values(tmp_path):
    """All frames of a scene have the values of the scene, in 0.1 cd/m2."""
    out = tmp_path / 'out.json'
    hdr10plus.write(write(tmp_path / 'in.jsonl', LINES), str(out))
    first, same, second, *others = (
        entry['LuminanceParameters']
        for entry in json.loads(out.read_text())['SceneInfo'])
    assert first == same
    assert all(second == other for other in others)
    # (10.5 + 20.36) / 2 = 15.43; 1.24 and 1.25 are below 4.5 and 3
    assert first['AverageRGB'] == 154
    assert first['MaxScl'] == [100000, 45, 30]
    # 19000 of 20000 pixels have code 64, 19500 at most 129 (97.5 %), 19998
    # at most 192 (99.99 %), so that the 99.98 % percentile is code 192, too.
    dark, bright = (round(10 * LIGHT[code]) for code in (64, 192))
    assert first['LuminanceDistributions']['DistributionValues'] == [
        dark, bright, 98, dark, dark, dark, dark, dark, bright]
    # (100 + 200 + 300.05) / 3 = 200.01666; all pixels above 100 cd/m2
    assert second['AverageRGB'] == 2000
    bright = round(10 * LIGHT[130])
    assert second['MaxScl'] == [bright, 12, 13]
    assert second['LuminanceDistributions']['DistributionValues'] == [
        bright, bright, 0, *[bright] * 6]


def test_percentiles():
    """The least code that at least this share does not exceed."""
    def of(percent, *counts):
        return hdr10plus.percentile(hdr10plus.numpy.array(counts), percent)
    assert [of(percent, 1, 98, 1) for percent in (1, 1.01, 99, 99.01, 100)
            ] == [0, 1, 1, 2, 2]
    assert of(99.98, 4999, 1) == 0
    assert of(99.99, 4999, 1) == 1
    assert of(1, 0, 0, 5, 0) == 2


@pytest.mark.parametrize('transfer, depth, is_full, code, expected', (
    ('pq', 8, True, 129, LIGHT[129]), ('pq', 8, True, 255, 10000),
    ('pq', 10, False, 64, 0), ('pq', 10, False, 3, 0),
    ('pq', 10, False, 940, 10000), ('pq', 10, False, 1023, 10000),
    ('pq', 10, False, 509, 99.9128), ('hlg', 10, False, 940, 1000),
    ('hlg', 10, False, 64, 0), ('hlg', 10, False, 502, 50.7)))
def test_light(transfer, depth, is_full, code, expected):
    light = hdr10plus.light_of_codes(transfer, depth, is_full)
    assert len(light) == 1 << depth
    assert light[code] == pytest.approx(expected, rel=1e-3, abs=1e-9)


def test_range(tmp_path):
    """A line has its own range, or that of the option."""
    lines = [frame(0, {130: 100}, 5)]
    path = write(tmp_path / 'in.jsonl', lines)
    assert len(hdr10plus.scenes(path, 'pq', 'limited')) == 1
    del lines[0]['full-range']
    path = write(tmp_path / 'in.jsonl', lines)
    assert len(hdr10plus.scenes(path, 'pq', 'full')) == 1
    for transfer, usual_range in ('pq', 'limited'), ('hlg', 'full'):
        with pytest.raises(ClqcError, match='line 1: .*--transfer or --range'):
            hdr10plus.scenes(path, transfer, usual_range)


def without(name):
    return {key: value for key, value in LINES[1].items() if key != name}


@pytest.mark.parametrize('line, expected', (
    (without('light-average'), 'without the statistic light$'),
    (without('light-max-rgb'), 'without the statistic light$'),
    (without('light-histogram'), 'without the statistic light-histogram'),
    (LINES[0], 'frame 1 is missing'), (LINES[2], 'frame 1 is missing'),
    ({**LINES[1], 'light-histogram': [1]}, 'a count for each code'),
    ({**LINES[1], 'light-histogram': [0] * 256}, 'no pixels'),
    ({**LINES[1], 'full-range': False}, 'depth or the range changes')))
def test_refused(tmp_path, line, expected):
    path = write(tmp_path / 'in.jsonl', [LINES[0], line])
    with pytest.raises(ClqcError, match=f'line 2: .*{expected}'):
        hdr10plus.scenes(path, 'pq', 'limited')


@pytest.mark.parametrize('text, expected', (
    ('', 'no frames'), ('x', 'line 1: not a line of clframesum'),
    ('{"type":"frame"', 'line 1: not JSON')))
def test_no_lines(tmp_path, text, expected):
    path = tmp_path / 'in.jsonl'
    path.write_text(text)
    with pytest.raises(ClqcError, match=expected):
        hdr10plus.scenes(str(path), 'pq', 'limited')


def test_command(tmp_path, capsys):
    path, out = write(tmp_path / 'in.jsonl', LINES), tmp_path / 'out.json'
    assert commandline.main(['hdr10plus', path, '-o', str(out)]) == 0
    assert len(json.loads(out.read_text())['SceneInfo']) == 5
    assert commandline.main(
        ['hdr10plus', path, '-o', str(out), '--transfer', 'hlg']) == 2
    assert 'line 1: ' in capsys.readouterr().err
    assert commandline.main(['hdr10plus', path + 'x', '-o', str(out)]) == 2
    assert 'No such file' in capsys.readouterr().err
