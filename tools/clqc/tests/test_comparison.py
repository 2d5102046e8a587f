# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results of a comparison: lines, verdict, limits, page, libvmaf's log."""
import json
import math
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

import browser
import numpy as np
import pytest
from clqc import __version__
from clqc.judging import comparison as judging
from clqc.reporting import comparison, vmaf
from clqc.results import compared
from clqc.results.compared import METRICS, Compared

PSNR, SSIM, XPSNR = METRICS
SECOND = 10 ** 9
HOSTILE = '</script><script>alert(1)</script><b>&"\udc80.mp4'

in_browser = pytest.mark.skipif(browser.CHROMIUM is None,
                                reason='needs Chromium')


def frame(pad: int, number: int, psnr: Optional[float], ssim: float = 0.9,
          **fields: Any) -> Dict[str, Any]:
    """Returns the line of a pair, at 25 frames a second."""
    return {'type': 'frame', 'timestamp': number * SECOND // 25,
            'stream-time': number * SECOND // 25, 'frame': number,
            'pad': f'sink_{pad}', 'width': 64, 'height': 48, 'depth': 8,
            'components': ['Y', 'U', 'V'], 'psnr': [psnr, 40.0, 41.0],
            'psnr-all': psnr, 'ssim-all': ssim, 'xpsnr': [psnr, 42.0, 43.0],
            **fields}


def pooled(pad: int, psnr: Optional[float], ssim: Optional[float] = None,
           xpsnr: Optional[float] = None, **fields: Any) -> Dict[str, Any]:
    """Returns the line of a stream; the fields of metrics that were measured.
    """
    row: Dict[str, Any] = {
        'type': 'pooled', 'span': 'stream', 'pad': f'sink_{pad}',
        'components': ['Y', 'U', 'V'], 'frames': 3, 'different-frames': 3,
        'max-difference': [9, 2, 3]}
    for name, value in (('psnr-all', psnr), ('ssim-all', ssim),
                        ('xpsnr-first', xpsnr)):
        if value is None and name != 'psnr-all':
            continue
        row.update({f'{name}-{what}': value for what in (
            'mean', 'min', 'max', 'harmonic-mean', 'p1', 'p5', 'p50')})
    row['psnr-all'] = psnr
    if xpsnr is not None:
        row['xpsnr'] = [xpsnr, 50.0, 51.0]
    return {**row, **fields}


def event(pad: int, kind: str, state: str, number: int,
          **fields: Any) -> Dict[str, Any]:
    return {'type': 'event', 'event': kind, 'state': state,
            'pad': f'sink_{pad}', 'frame': number,
            'stream-time': number * SECOND // 25, **fields}


def read(*rows: Dict[str, Any]) -> List[Compared]:
    n = 1 + max(int(row['pad'][5:]) for row in rows)
    return compared.read(map(json.dumps, rows), n)


def test_lines_are_read_by_file() -> None:
    one, other = read(
        {'type': 'second', 'schema': 1, 'pad': 'sink_0'},
        frame(0, 0, 40.5), frame(1, 0, 30.5), frame(0, 1, None),
        event(1, 'unpaired', 'start', 1),
        event(1, 'unpaired', 'end', 2, frames=1),
        frame(0, 2, 38.0), frame(1, 2, 31.0),
        pooled(0, 39.0, 0.95, 38.5), pooled(1, 30.7))
    assert list(one.numbers) == [0, 1, 2]
    assert list(one.values['psnr']) == [40.5, math.inf, 38.0]
    assert list(other.numbers) == [0, 2]
    assert list(other.times) == [0, 80_000_000]
    assert (len(other.starts), len(other.ends)) == (1, 1)
    assert one.whole(PSNR) == 39.0 and one.whole(XPSNR) == 38.5
    assert one.of(SSIM, 'p5') == 0.95
    assert other.whole(SSIM) is None
    assert one.worst(PSNR) == {'frame': 2, 'stream-time': 80_000_000,
                               'value': 38.0}


def test_xpsnr_of_rgb_is_that_of_green() -> None:
    rgb: Dict[str, Any] = {'components': ['R', 'G', 'B'],
                           'xpsnr': [30.0, 33.0, 31.0]}
    file, = read({**frame(0, 0, 40.0), **rgb}, {**pooled(0, 40.0), **rgb})
    assert list(file.values['xpsnr']) == [33.0]
    assert file.whole(XPSNR) == 33.0


@pytest.mark.parametrize('rows, sentence', [
    ([(40.123, 0.98765, 39)],
     'a: PSNR 40.12 dB, SSIM 0.9877, XPSNR 39.00 dB.'),
    ([(40, 0.98, 39), (35, 0.95, 33)],
     'a is better than b: PSNR 40.00 dB against 35.00; SSIM 0.9800 against '
     '0.9500; XPSNR 39.00 dB against 33.00.'),
    ([(35, 0.95, 33), (36, 0.95, 34)],
     'b is better than a: PSNR 36.00 dB against 35.00; SSIM 0.9500 against '
     '0.9500; XPSNR 34.00 dB against 33.00.'),
    ([(35, 0.96, 33), (36, 0.95, 34)],
     'The metrics disagree: b is best by PSNR 36.00 dB against 35.00; a is '
     'best by SSIM 0.9600 against 0.9500; b is best by XPSNR 34.00 dB '
     'against 33.00.'),
    ([(35, 0.95, 33), (38, 0.97, 36), (36, 0.96, 34)],
     'b is best, before c and a: PSNR 38.00 dB against 36.00, 35.00; SSIM '
     '0.9700 against 0.9600, 0.9500; XPSNR 36.00 dB against 34.00, 33.00.'),
    ([(35.001, 0.95, 33), (35.004, 0.95, 33)],
     'a and b are equally good: PSNR 35.00 dB, SSIM 0.9500, XPSNR 33.00 dB.'),
    ([(None, 1, None), (35, 0.95, 33)],
     'a is better than b: PSNR equal against 35.00; SSIM 1.0000 against '
     '0.9500; XPSNR equal against 33.00.'),
    ([(40, None, None), (35, None, None)],
     'a is better than b: PSNR 40.00 dB against 35.00.'),
])
def test_verdict(rows: Sequence[Any], sentence: str) -> None:
    names = list('abc'[:len(rows)])
    found = []
    for pad, (psnr, ssim, xpsnr) in enumerate(rows):
        row = pooled(pad, psnr, ssim, xpsnr)
        if psnr is None:
            row['xpsnr'] = [None, None, None]
        found.append(row)
    assert judging.verdict(names, read(*found)) == sentence


def test_verdict_of_equal_frames() -> None:
    files = read(pooled(0, None, **{'different-frames': 0}))
    assert judging.verdict(['a'], files) == (
        'a is equal to the reference in all frames.')
    files = read(pooled(0, None, **{'different-frames': 0,
                                    'unpaired-reference-frames': 2}))
    assert judging.verdict(['a'], files) == (
        'a is equal to the reference in all frames that have a partner.')


def test_worst_frames_say_otherwise() -> None:
    same = read(pooled(0, 40, 0.98, 39), pooled(1, 35, 0.95, 33))
    assert judging.in_worst_frames('ab', same) is None
    other = read(pooled(0, 40, 0.98, 39, **{'psnr-all-p1': 20.0}),
                 pooled(1, 35, 0.95, 33, **{'psnr-all-p1': 34.0}))
    assert judging.in_worst_frames('ab', other) == (
        'In the worst hundredth of the frames (p1) it is otherwise: b is '
        'best by PSNR 34.00 dB against 20.00.')


def test_limits() -> None:
    file, = read(pooled(0, 34.5, 0.95, 33.25))
    assert judging.failures('a', file, {
        'min-psnr': 34.5, 'min-ssim': 0.95, 'min-xpsnr': 33,
        'max-difference': 9}) == []
    assert judging.failures('a', file, {
        'min-psnr': 35.0, 'min-ssim': 0.96, 'min-xpsnr': 34,
        'max-difference': 8}) == [
        'a fails: PSNR 34.50 dB is less than 35.',
        'a fails: SSIM 0.9500 is less than 0.96.',
        'a fails: XPSNR 33.25 dB is less than 34.',
        'a fails: largest difference 9 is more than 8.']
    equal, = read(pooled(0, None, 1))
    assert judging.failures('a', equal, {'min-psnr': 90}) == []
    without, = read(pooled(0, 40))
    assert judging.failures('a', without, {'min-ssim': 0.5}) == [
        'a fails: there is nothing to compare with --min-ssim 0.5.']


def test_frames_too_small_for_ssim() -> None:
    """They have no SSIM, rather than that of equal frames."""
    rows = [frame(0, 0, 6.0), pooled(0, 6.0, 0.5)]
    for row in rows:
        row.update({name: None for name in row if name.startswith('ssim')})
    file, = read(*rows)
    assert file.whole(SSIM) is None and file.of(SSIM, 'p5') is None
    assert file.worst(SSIM) is None
    assert judging.verdict(['a'], [file]) == 'a: PSNR 6.00 dB.'
    assert judging.failures('a', file, {'min-ssim': 0.99}) == [
        'a fails: there is nothing to compare with --min-ssim 0.99: frames '
        'of less than 8 x 8 samples have no SSIM.']
    log = vmaf.log(map(json.dumps, rows), 'sink_0', None)
    assert 'ssim' not in log['frames'][0]['metrics']


def test_no_harmonic_mean() -> None:
    """Its null is no infinity, unless all frames are equal."""
    row = pooled(0, 6.0, None, -6.0)
    row['xpsnr-first-harmonic-mean'] = None
    file, = read(row)
    assert file.of(XPSNR, 'harmonic-mean') is None
    row['xpsnr-first-min'] = None
    file, = read(row)
    assert file.of(XPSNR, 'harmonic-mean') == math.inf


def test_log_of_libvmaf() -> None:
    rows = [frame(0, 0, 30.0, 0.9), frame(1, 0, 5.0), frame(0, 1, None, 1.0),
            frame(0, 3, 20.0, 0.8), pooled(0, 25.0)]
    log = vmaf.log(map(json.dumps, rows), 'sink_0', [30000, 1001])
    assert list(log) == ['version', 'fps', 'frames', 'pooled_metrics',
                         'aggregate_metrics']
    assert log['version'] == f'clqc {__version__}'
    assert log['fps'] == 29.97003
    assert [row['frameNum'] for row in log['frames']] == [0, 1, 3]
    assert log['frames'][0]['metrics'] == {
        'psnr_y': 30.0, 'psnr_cb': 40.0, 'psnr_cr': 41.0, 'xpsnr_y': 30.0,
        'xpsnr_cb': 42.0, 'xpsnr_cr': 43.0, 'ssim': 0.9}
    # libvmaf's limit at 8 bits
    assert log['frames'][1]['metrics']['psnr_y'] == 60.0
    assert log['pooled_metrics']['psnr_y'] == {
        'min': 20.0, 'max': 60.0, 'mean': 36.666667,
        'harmonic_mean': round(3 / (1 / 31 + 1 / 61 + 1 / 21) - 1, 6)}


def test_log_without_harmonic_mean() -> None:
    rows = [frame(0, 0, 30.0, xpsnr=[8.0, 1.0, 1.0]),
            frame(0, 1, 30.0, xpsnr=[-1.0, -0.5, -7.0])]
    found = vmaf.log(map(json.dumps, rows), 'sink_0', None)['pooled_metrics']
    assert found['xpsnr_y'] == {'min': -1.0, 'max': 8.0, 'mean': 3.5}
    assert found['xpsnr_cb']['harmonic_mean'] == round(
        2 / (1 / 2 + 1 / 0.5) - 1, 6)
    assert 'harmonic_mean' not in found['xpsnr_cr']


def test_log_without_ssim() -> None:
    row = {**frame(0, 0, 30.0), 'components': ['Y'], 'psnr': [30.0]}
    del row['ssim-all'], row['xpsnr']
    log = vmaf.log([json.dumps(row)], 'sink_0', None)
    assert log['frames'][0]['metrics'] == {'psnr_y': 30.0}
    assert log['fps'] == 0


def many(count: int = 250) -> Iterator[Dict[str, Any]]:
    """Yields lines of two files. The first one lacks frames 50 to 54 and is
    worst in frame 200, the second one in frame 100; frame 10 of the first one
    is equal."""
    for number in range(count):
        if not 50 <= number < 55:
            yield frame(0, number, None if number == 10
                        else 20.0 if number == 200 else 40.0, 0.98)
        yield frame(1, number, 25.0 if number == 100 else 35.0,
                    0.5 if number == 100 else 0.95)
    yield event(0, 'unpaired', 'start', 50)
    yield event(0, 'unpaired', 'end', 55, frames=5, **{
        'start-stream-time': 2 * SECOND})
    yield pooled(0, 39.0, 0.98, 39)
    yield pooled(1, 34.9, 0.948, 34.9)


def test_frames_to_show() -> None:
    files = compared.read(map(json.dumps, many()), 2)
    shown = comparison.choose(['a', 'b'], comparison.Frames(files))
    # in frame 10 the files differ most: one is equal to the reference
    assert [(one.frame, one.time, one.why) for one in shown] == [
        (10, 4 * SECOND // 10, 'PSNR differs most, XPSNR differs most'),
        (100, 4 * SECOND, 'least PSNR of b, least SSIM of b, SSIM differs '
         'most, least XPSNR of b'),
        (200, 8 * SECOND, 'least PSNR of a, least XPSNR of a')]


def test_frames_to_show_are_apart() -> None:
    files = compared.read((json.dumps(frame(0, number, 40.0 - value, 1 - value
                                            / 100))
                           for number, value in enumerate([1, 3, 2])), 1)
    assert [one.frame for one in comparison.choose(
        ['a'], comparison.Frames(files))] == [1]


def test_frames_without_a_pair_have_times() -> None:
    frames = comparison.Frames(compared.read(map(json.dumps, [
        frame(0, 1, 30.0), frame(0, 4, 30.0)]), 1))
    assert frames.count == 5
    assert frames.times[1:] == [40_000_000, 80_000_000, 120_000_000,
                                160_000_000]
    values = frames.values(0, PSNR)
    assert values is not None
    assert np.isnan(values).tolist() == [True, False, True, True, False]


@pytest.fixture(scope='module', name='page')
def make_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two files, one with a name that is HTML."""
    path = tmp_path_factory.mktemp('page') / 'report.html'
    files = compared.read(map(json.dumps, many()), 2)
    names = [HOSTILE, 'b.mp4']
    shown = comparison.choose(names, comparison.Frames(files))
    shown[0].pictures = {
        'gain': 16, 'pictures': ['cQ==', 'cg==', 'cw=='],
        'details': ['ZA==', 'ZQ==', 'Zg=='], 'differences': ['bQ==', 'bg==']}
    comparison.write(str(path), comparison.Page(
        'ref.mkv', names, files, judging.Judgement(
            judging.verdict(names, files), [[], ['b.mp4 fails: so.']],
            ['A note.']),
        [[('Size', '1 MB')], [('Size', '2 MB')], [('Size', '3 MB')]],
        [('Decoder', 'one')], shown, True))
    return path


def test_page(page: Path) -> None:
    text = page.read_text(encoding='utf-8')
    assert '<script>alert' not in text
    assert not re.search('(src|href)="(?!#|data:)', text)
    assert 'is better than b.mp4: PSNR 39.00 dB against 34.90' in text
    assert '✗ fail' in text and 'b.mp4 fails: so.' in text
    assert '<td class="number best">39.00</td>' in text
    assert '<td class="number">34.90</td>' in text
    assert 'drawn at 100 dB' in text
    side = re.search('<div class="side">.*?</div>', text, re.DOTALL)
    assert side is not None
    assert [side.group().count(words) for words in (
        '<figure>', 'class="detail"', 'class="difference"')] == [3, 3, 2]
    assert '× 16' in text
    assert '<a href="#t=8.000,8.000">0:00:08.000</a>' in text


@in_browser
def test_page_in_a_browser(page: Path, tmp_path: Path) -> None:
    dom, console = browser.load(page, tmp_path)
    found = browser.attributes(dom)
    assert console == []
    assert found['problems'] == '' and 'ready' in found
    assert found['to'] == '10.000'
    assert dom.count('class="uplot') == 3
    assert 'aria-label="unpaired 1: 1 in the whole file"' in dom
    buttons = re.search('<div id="buttons".*?</div>', dom)
    assert buttons is not None
    assert 'Next event' in buttons.group()
    assert 'Next reason' not in buttons.group()
