# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report: its contents, its size, and its behaviour in a browser."""
import base64
import itertools
import json
import re
import tracemalloc
import zlib
from pathlib import Path
from typing import Any, Dict, List, Sequence
from unittest import mock

import numpy as np
import pytest

import browser
from clqc.reporting import detail_levels, loudness, packing, report
from clqc.reporting.chart_data import Histogram, Tracks, charts
from clqc.reporting.thumbnails import Thumbnail
from clqc.results.result_files import LEVELS, Event, Reason, Verdict
from reportdata import CLIP, FACTS, Synthetic, keep, measure, synthetic

SECOND = 10 ** 9
HOSTILE = '</script><script>alert(1)</script><b>&"\udc80.avi'

EVENTS = [Event('black', 8 * SECOND, 10 * SECOND, 200, 250),
          Event('scene', 14 * SECOND, 14 * SECOND, 350, 350),
          Event('silence', 12 * SECOND, 13 * SECOND)]
REASONS = [
    Reason('frames.YMAX', 'error', 'YMAX is 255 in 1 frame.', 31_080_000_000,
           31_120_000_000, 777, 255, 235),
    Reason('events.black', 'warning', 'Black for 2 s.', 8 * SECOND,
           10 * SECOND),
    Reason('container.codec', 'warning', HOSTILE)]

in_browser = pytest.mark.skipif(browser.CHROMIUM is None,
                                reason='needs Chromium')


def write(path: Path, frames: Any, events: Sequence[Event] = (),
          reasons: Sequence[Reason] = (), file: str = 'x.avi',
          thumbnails: Sequence[Thumbnail] = ()) -> Path:
    """Returns a report of such frames."""
    verdict = Verdict(file, 'fail', 'web', 'abcdef', list(reasons))
    report.write(str(path), file, Synthetic(frames, events), verdict,
                 list(thumbnails))
    return path


@pytest.fixture(scope='module')
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 3000 frames, two minutes."""
    return write(tmp_path_factory.mktemp('report') / 'report.html',
                 synthetic(3000), EVENTS, REASONS, HOSTILE,
                 [Thumbnail(SECOND, b'\xff\xd8\xff\xd9', 320, 240, {
                     'waveform': b'a', 'vectorscope': b'b'})])


def unpack(packed: packing.Packed) -> 'np.ndarray[Any, Any]':
    """Actions in the browser."""
    data = np.frombuffer(zlib.decompress(base64.b64decode(packed.text)),
                         dtype=np.uint8)
    planes = data.reshape(packed.bytes, packed.count).astype(np.int64)
    differences = sum(planes[plane] << (8 * plane)
                      for plane in range(packed.bytes))
    codes = np.cumsum(differences) % 256 ** packed.bytes
    return np.where(codes > 0, packed.low + (codes - 1) * packed.step,
                    np.nan)


def test_whole_numbers_are_packed_exactly() -> None:
    values = np.array([3, 255, 16, np.nan, 16, 235, 0], dtype=np.float64)
    packed = packing.pack(values, 16)
    assert np.array_equal(unpack(packed), values, equal_nan=True)
    assert packed.step == 1


def test_fractions_are_rounded_to_steps() -> None:
    values = np.random.default_rng(1).normal(100, 30, 5000)
    for bits in (8, 12, 16):
        packed = packing.pack(values, bits)
        error = np.abs(unpack(packed) - values).max()
        assert error <= packed.step / 2 * 1.001
        assert packed.step <= np.ptp(values) / (2 ** bits - 2) * 1.001


def test_values_that_are_all_missing() -> None:
    packed = packing.pack(np.full(5, np.nan), 16)
    assert np.isnan(unpack(packed)).all()


def test_times_of_a_day_are_packed() -> None:
    times = [0, 33_366_666, 24 * 3600 * SECOND]
    assert unpack(packing.pack_times(times)) == pytest.approx(
        [0, 0.03337, 86400.0], abs=1e-9)


def test_an_envelope_keeps_single_peaks() -> None:
    values = np.zeros(1001)
    values[777] = 9
    values[1000] = np.nan
    least, greatest = packing.envelope(values, 8)
    assert greatest[777 // 8] == 9 and greatest.sum(where=greatest > 0) == 9
    assert np.isnan(least[-1])


def test_histograms_add_up() -> None:
    histogram = Histogram()
    for number in range(5000):
        histogram.add(number, [0] * 255 + [1] if number < 4000
                      else [1] + [0] * 1023)
    assert histogram.span == 4
    picture = histogram.levels()
    assert picture.shape == (64, 1250)
    assert (picture[63, :1000] == 63).all()
    assert (picture[0, 1000:] == 63).all()
    assert (picture[1:63] == 0).all()


def test_the_waveform_by_time_has_each_code() -> None:
    """Frames of 8 and of 10 bits, with the luma of white, of 50 % and of
    black."""
    def frame(number: int, depth: int, code: int) -> Dict[str, Any]:
        counts = [0] * 2 ** depth
        counts[code << depth - 8] = 99
        return {'components': ['Y', 'U'], 'stream-time': number * SECOND,
                'duration': SECOND, 'histogram': [counts, counts]}
    codes = [235, 126, 16]
    tracks = Tracks(frame(number, depth, code) for number, (depth, code) in
                    enumerate(itertools.product((8, 10), codes)))
    picture = tracks.histograms['Y'].levels()
    assert picture.shape == (256, 6)
    assert np.argwhere(picture.T == 63).tolist() == [
        list(found) for found in enumerate(codes * 2)]
    assert np.count_nonzero(picture) == 6
    assert tracks.histograms['U'].levels().shape == (64, 6)


def test_rgb_has_histograms_of_the_same_size() -> None:
    frames = [{'components': ['R', 'G', 'B'], 'stream-time': 0,
               'duration': SECOND, 'histogram': [[1] * 256] * 3}]
    found = Tracks(iter(frames)).histograms
    assert {component: histogram.bins for component, histogram
            in found.items()} == {'R': 64, 'G': 64, 'B': 64}


def test_every_statistic_of_clframesum_has_a_chart(tmp_path: Path) -> None:
    tracks = Tracks(iter(measure(CLIP, tmp_path / 'lines')))
    found = dict(charts(tracks.values, tracks.components))
    assert list(found)[:4] == ['Y', 'U', 'V', 'Saturation']
    assert found['Y'] == ['YMIN', 'YLOW', 'YAVG', 'YHIGH', 'YMAX', 'YMEDIAN']
    assert found['Difference to the previous frame'] == [
        'YDIF', 'UDIF', 'VDIF']
    assert found['Bits in use'] == ['YBITDEPTH', 'UBITDEPTH', 'VBITDEPTH']
    assert found['Shares of the picture'] == ['TOUT', 'VREP', 'BRNG', 'gamut']
    assert sum(map(len, found.values())) == 41


def test_a_change_of_format_leaves_gaps() -> None:
    frames = list(synthetic(4))
    frames[2] = {'components': ['R'], 'RAVG': 7.5, 'duration': 1,
                 'stream-time': 80_000_000}
    tracks = Tracks(iter(frames))
    assert tracks.values['RAVG'][2] == 7.5
    assert np.isnan(tracks.values['YAVG'][2])
    assert tracks.values['YAVG'][3] == pytest.approx(50.3)


def test_sound_goes_with_its_frames(tmp_path: Path) -> None:
    results = keep(tmp_path, [])
    tenth = 100_000_000
    results.write(LEVELS, {'levels': [
        [0, tenth, -20.5, -10.25], [tenth, tenth, None, None],
        [2 * tenth, tenth, -30.0, -3.0], [3 * tenth, tenth, -40.0, -9.0]]})
    found = loudness.of(results, [0, 120_000_000, 160_000_000, 4 * tenth],
                        5 * tenth)
    # The third frame is shown from the second interval to the end.
    assert found['sound-rms'][:3].tolist() == [-20.5, -100, -30]
    assert found['sound-peak'][:3].tolist() == [-10.25, -100, -3]
    assert np.isnan(found['sound-rms'][3])
    assert dict(charts(found, ['Y'])) == {
        'Sound, dB of full scale': ['sound-rms', 'sound-peak']}
    path = tmp_path / 'report.html'
    keep(tmp_path, synthetic(5))
    report.write(str(path), 'x', results,
                 Verdict('x', 'pass', 'web', 'ab'), [])
    assert 'sound-peak' in path.read_text(encoding='utf-8')


def test_times_never_run_backwards() -> None:
    frames = list(synthetic(4))
    frames[2]['stream-time'] = frames[2]['timestamp'] = None
    frames[3]['stream-time'] = 0
    assert list(Tracks(iter(frames)).times) == [0, 40_000_000, 80_000_000,
                                                120_000_000]


def test_many_frames_keep_their_values() -> None:
    """Including frames that are stored in a file meanwhile, on both sides of a
    change."""
    frames = list(synthetic(10_000))
    frames[5000] = {**frames[5000], 'components': ['R'], 'RAVG': 7.5}
    values = Tracks(iter(frames)).values
    expected = [frame['YAVG'] for frame in frames]
    expected[5000] = np.nan
    np.testing.assert_array_equal(values['YAVG'], expected)
    assert np.flatnonzero(np.isfinite(values['RAVG'])).tolist() == [5000]


def test_hours_take_no_more_memory_than_minutes() -> None:
    """Except for the time of each frame, and one track at a time."""
    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            tracks = Tracks(synthetic(count))
            detail_levels.overview(tracks.times, tracks.values)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    few, many = peak(12_000), peak(36_000)
    assert (many - few) / 24_000 < 30  # bytes of a frame; all are 330


def test_noise_is_coarser_and_fits() -> None:
    generator = np.random.default_rng(1)
    values = {str(track): generator.normal(size=20_000)
              for track in range(10)}
    times = list(range(0, 20_000 * 40_000_000, 40_000_000))
    exact = detail_levels.finest(times, values, 10 ** 9)
    assert (exact.bits, exact.span) == (16, 1)
    for room in (400_000, 250_000, 60_000):
        level = detail_levels.finest(times, values, room)
        assert level.size() <= room
        for name, track in level.series.items():
            # The maximum is still there.
            assert np.nanmax(unpack(track)) == pytest.approx(
                values[name].max(), abs=track.step)
    assert detail_levels.finest(times, values, 60_000).span > 1


def test_an_hour_of_noise_is_under_five_megabytes(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    noise = generator.integers(0, 256, 4099)

    def frames() -> Any:
        for number, frame in enumerate(synthetic(90_000)):
            for place, key in enumerate(
                    ('YMIN', 'YLOW', 'YHIGH', 'YMAX', 'UMIN', 'UMAX', 'VMIN',
                     'SATMAX', 'HUEMED', 'VMAX', 'UHIGH', 'VHIGH')):
                frame[key] = int(noise[(number * (place + 3)) % 4099])
            frame['TOUT'] = float(noise[number % 4099]) / 777
            yield frame

    pictures = [Thumbnail(place * SECOND, b'\xff\xd8' + bytes(
        generator.integers(0, 256, 20_000, dtype=np.uint8)), 320, 240)
        for place in range(24)]
    path = write(tmp_path / 'hour.html', frames(), EVENTS * 900, REASONS * 50,
                 thumbnails=pictures)
    assert path.stat().st_size < 5_000_000


def test_pictures_leave_less_room_for_curves(tmp_path: Path) -> None:
    with mock.patch.object(detail_levels, 'room',
                           wraps=detail_levels.room) as room:
        for scopes in {}, {'waveform': bytes(3000), 'vectorscope': bytes(600)}:
            write(tmp_path / 'x.html', synthetic(3000), thumbnails=[
                Thumbnail(SECOND, b'', 320, 240, scopes)])
    (_, without), (_, taken) = [call.args for call in room.call_args_list]
    assert 4800 <= taken - without < 4900


def test_texts_of_files_are_escaped(page: Path) -> None:
    text = page.read_text(encoding='utf-8')
    assert '<script>alert' not in text and '<b>' not in text
    assert text.count('&lt;script&gt;alert(1)') == 3
    data = re.search('<script type="application/json" id="data">(.*)'
                     '</script>', text)
    assert data is not None
    assert '</script><script>alert(1)</script><b>' in (
        json.loads(data.group(1))['reasons'][2]['message'])
    # Nothing is fetched from anywhere.
    assert not re.search('(src|href)="(?!#|data:)', text)


def test_reasons_are_linked_to_their_place(page: Path) -> None:
    text = page.read_text(encoding='utf-8')
    assert '<a href="#t=31.080,31.120">0:00:31.080 to 0:00:31.120</a>' in (
        text)
    assert 'alt="Picture at 0:00:01.000"' in text


def test_scopes_are_beside_their_picture(page: Path) -> None:
    found = re.search('<div class="frame">.*?</div>',
                      page.read_text(encoding='utf-8'), re.DOTALL)
    assert found is not None
    frame = found.group().replace('\n', ' ')
    assert frame.index('alt="Picture at') < frame.index('<figure>')
    assert ('<img src="data:image/jpeg;base64,YQ=="  width="320" height="176" '
            ' alt="Waveform at 0:00:01.000"> <figcaption>waveform, IRE<'
            ) in frame
    assert ('<img src="data:image/jpeg;base64,Yg=="  width="176" height="176" '
            ' alt="Vectorscope at 0:00:01.000"> <figcaption>vectorscope<'
            ) in frame


@in_browser
def test_the_page_opens_offline_without_an_error(page: Path,
                                                 tmp_path: Path) -> None:
    dom, console = browser.load(page, tmp_path)
    found = browser.attributes(dom)
    assert console == []
    assert found['problems'] == '' and 'ready' in found
    assert found['from'] == '0.000' and found['to'] == '120.000'
    assert dom.count('class="uplot') == 10
    assert 'aria-label="black: 1 in the whole file"' in dom
    assert '♪ silence' in dom


@pytest.mark.parametrize('mode, expected', [
    ('constant', '25 frames/s'), ('variable', '10.78 frames/s on average')])
def test_the_rate_is_that_of_the_frames(mode: str, expected: str) -> None:
    tracks = mock.Mock(times=range(44), end=4_080_000_000)
    rate = report._rate({'rate': [25, 1], 'rate-mode': mode}, tracks)
    assert rate == expected


@in_browser
def test_no_frames_make_a_page(tmp_path: Path) -> None:
    dom, console = browser.load(
        write(tmp_path / 'empty.html', [], [], REASONS[2:]), tmp_path)
    assert console == [] and browser.attributes(dom)['problems'] == ''


KEYS = '''
const log = {};
const view = name => log[name] = [Number(page.from), Number(page.to),
  Number(page.frame), Number(page.span)];
document.getElementById('plots').focus();
log.outline = getComputedStyle(document.activeElement).outlineStyle;
key('r'); view('black reason');
key('r'); view('bright reason');
await pause(100);
view('settled');
const plot = document.querySelector('.u-over');
log.line = new DOMMatrix(getComputedStyle(
  plot.querySelector('.u-cursor-x')).transform).e / plot.clientWidth;
log.lane = (parseFloat(document.getElementById('cursor').style.left) - 92)
  / document.querySelector('.row canvas').clientWidth;
key(','); view('frame before');
key('.'); key('.'); view('frame after');
log.values = [...document.querySelectorAll('.legend button')].slice(0, 5)
  .map(button => button.textContent);
for (let i = 0; i < 20; i++) key('+');
view('closest');
key('-'); view('wider');
key('ArrowRight'); view('right');
key('0'); view('whole');
key('e'); view('event');
key('E'); view('event before');
key('Home'); view('start');
key('End'); view('end');
key('?'); log.help = document.getElementById('help').open;
log.keys = [...document.querySelectorAll('#keys kbd')].map(k => k.textContent);
document.querySelector('.reasons a').click(); view('link');
const curve = document.querySelector('.legend button');
curve.click(); log.pressed = curve.getAttribute('aria-pressed');
log.problems = page.problems;
return log;
'''


@in_browser
def test_keys_links_and_the_cursor(page: Path, tmp_path: Path) -> None:
    log: Dict[str, Any] = browser.drive(page, tmp_path, KEYS)
    assert 'failed' not in log, log
    assert log['problems'] == ''
    assert log['outline'] != 'none'
    assert log['black reason'][:3] == [6, 12, 200]
    assert log['bright reason'][:3] == [30.08, 32.12, 777]
    assert log['bright reason'][3] == 1  # single frames
    assert log['settled'] == log['bright reason']
    assert log['line'] == pytest.approx(1 / 2.04, abs=0.002)
    assert log['lane'] == pytest.approx(1 / 2.04, abs=0.002)
    assert log['frame before'][2] == 776
    assert log['frame after'][2] == 778
    assert log['values'] == ['YMIN 16', 'YLOW 46', 'YAVG 127.80',
                             'YHIGH 106', 'YMAX 235']
    begin, end = log['closest'][:2]
    assert end - begin == pytest.approx(0.16) and begin < 31.12 < end
    begin, end = log['wider'][:2]
    assert end - begin == pytest.approx(0.32)
    assert log['right'][0] == pytest.approx(begin + 0.08, abs=0.002)
    assert log['whole'][:2] == [0, 120]
    assert log['event'][2] == 200         # after the end: the first again
    assert log['event before'][2] == 350  # and in the other direction
    width = log['start'][1] - log['start'][0]
    assert log['start'][0] == 0
    assert log['end'][:2] == [pytest.approx(120 - width, abs=0.002), 120]
    assert log['help'] is True
    assert {'+', '-', '0', '←', '→', 'r', 'e', '?'} <= set(log['keys'])
    assert log['link'][:2] == [30.08, 32.12]
    assert log['pressed'] == 'false'


MOUSE = """
const over = document.querySelectorAll('.u-over')[2];
over.scrollIntoView();
await pause(50);
const box = over.getBoundingClientRect();
const fire = (type, share) => over.dispatchEvent(new MouseEvent(type, {
  bubbles: true, clientX: box.left + box.width * share,
  clientY: box.top + 20, button: 0, buttons: 1 }));
const log = {};
fire('mouseenter', 0.5); fire('mousemove', 0.5);
await pause(50);
log.cursor = Number(page.cursor);
log.lines = [...document.querySelectorAll('.u-over')].map(chart =>
  new DOMMatrix(getComputedStyle(chart.querySelector('.u-cursor-x'))
    .transform).e / box.width);
fire('mousedown', 0.25); fire('mousemove', 0.75); fire('mouseup', 0.75);
await pause(50);
log.dragged = [Number(page.from), Number(page.to)];
fire('dblclick', 0.5);
await pause(50);
log.whole = [Number(page.from), Number(page.to)];
const lane = document.querySelector('canvas[aria-label^="black"]');
const place = lane.getBoundingClientRect();
lane.dispatchEvent(new MouseEvent('click', { bubbles: true,
  clientX: place.left + place.width * 9 / 120, clientY: place.top + 9 }));
log.lane = [Number(page.from), Number(page.to)];
log.problems = page.problems;
return log;
"""


WAVEFORM = """
const canvas = document.querySelector('canvas[aria-label^="Waveform by"]');
const { height } = canvas;
const row = code => [...canvas.getContext('2d').getImageData(
  0, height - 1 - code, 1, 1).data].join();
const box = canvas.getBoundingClientRect();
const lines = [...document.querySelectorAll('.levels span')].map(label => {
  const place = label.getBoundingClientRect();
  return [label.textContent,
    255.5 - (place.top + place.height / 2 - box.top) / box.height * 256];
});
return { height, shown: box.height, lines, problems: page.problems,
  codes: Object.fromEntries([99, 100, 155, 156, 16, 235].map(
    code => [code, row(code)])) };
"""


@in_browser
@pytest.mark.parametrize('colour_range, black, white', [
    ('limited', 16, 235), ('full', 0, 255)])
def test_the_waveform_by_time_is_drawn(
        tmp_path: Path, colour_range: str, black: int, white: int,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """The first frame has codes from 100 to 155. Lines and labels of IRE have
    the codes of the range."""
    monkeypatch.setitem(FACTS['video'], 'range', colour_range)
    log = browser.drive(write(tmp_path / 'x.html', synthetic(300)), tmp_path,
                        WAVEFORM)
    assert log['problems'] == ''
    assert log['height'] == log['shown'] == 256
    codes = log['codes']
    assert codes['99'] == codes['156'] == '255,255,255,255'
    assert codes['100'] == codes['155'] != codes['99']
    for code in 16, 235:
        assert (codes[str(code)] != codes['99']) == (code in (black, white))
    labels, places = zip(*log['lines'])
    assert labels == ('0', '20', '40', '60', '80', '100')
    assert places == pytest.approx(np.linspace(black, white, 6), abs=0.6)


@in_browser
def test_mouse(page: Path, tmp_path: Path) -> None:
    log: Dict[str, Any] = browser.drive(page, tmp_path, MOUSE)
    assert 'failed' not in log, log
    assert log['problems'] == ''
    assert log['cursor'] == pytest.approx(60, abs=0.2)
    # One cursor through all charts.
    assert log['lines'] == pytest.approx([0.5] * 10, abs=0.002)
    assert log['dragged'] == pytest.approx([30, 90], abs=0.2)
    assert log['whole'] == [0, 120]
    assert log['lane'] == [6, 12]


@in_browser
def test_three_hours_open_quickly(tmp_path: Path) -> None:
    """In three times the time of a loop, which takes most of a second: other
    processes slow down both."""
    path = write(tmp_path / 'long.html', synthetic(270_000), EVENTS, REASONS)
    assert path.stat().st_size < 15_000_000
    steps = '''
const plots = document.getElementById('plots');
const whole = Number(page.span);
key('r'); key('r');
const bright = { frame: page.frame, span: page.span,
  values: [...document.querySelectorAll('.legend button')].slice(0, 5)
    .map(button => button.textContent) };
const started = performance.now();
let sum = 0;
for (let i = 0; i < 1e9; i++)
  sum = (sum ^ i) | 0;
return { opened: Number(page.opened), ready: Number(page.ready), whole,
  bright, problems: page.problems, sum, loop: performance.now() - started };
'''
    ratios: List[float] = []
    for attempt in range(3):  # others may use the machine
        log = browser.drive(path, tmp_path / str(attempt), steps)
        ratios.append(log['opened'] / log['loop'])
        assert log['problems'] == '' and log['whole'] > 100
        assert log['bright']['frame'] == '777'
        assert log['bright']['span'] == '1'
        assert log['bright']['values'][4] == 'YMAX 255'
        if ratios[-1] < 3:
            break
    assert min(ratios) < 3, ratios
