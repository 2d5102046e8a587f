# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc compare on real files: encodings, shifts, lost frames,
other sizes, limits."""
import gzip
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import browser
import clips
import pytest
from clqc.decoding import comparison, gst
from clqc.decoding.comparison import _better_delay, _is_better, _Stream
from clqc.decoding.compared_files import Comparison, Source
from clqc.decoding.difference_pictures import DETAIL, gain_of, place
from command import clqc, here, read

N_FRAMES = 75
X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p']
FFV1 = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p']


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reference of three seconds, and files made of it."""
    folder = tmp_path_factory.mktemp('compare')
    reference = str(folder / 'reference.mkv')
    clips.run('-f', 'lavfi', '-i', 'testsrc2=size=192x144:rate=25:duration=3',
              *FFV1, reference)
    for name, options in {
            'good.mp4': [*X264, '-crf', '20'],
            'bad.mp4': [*X264, '-crf', '42'],
            'equal.mkv': FFV1,
            'small.mp4': ['-vf', 'scale=96:72', *X264],
            'deep.mp4': [*X264[:-1], 'yuv420p10le'],
            'black.mkv': ['-vf', 'lutyuv=y=16:u=128:v=128', *FFV1],
            'early.mp4': ['-vf', 'trim=start_frame=5,setpts=PTS-STARTPTS',
                          *X264],
            'far.mp4': ['-vf', 'trim=start_frame=20,setpts=PTS-STARTPTS',
                        *X264],
            'late.mp4': ['-vf', 'tpad=start=4', *X264],
            'lost.mkv': ['-vf', r'select=not(between(n\,30\,32))',
                         '-fps_mode', 'passthrough', *FFV1]}.items():
        clips.run('-i', reference, *options, str(folder / name))
    return folder


@pytest.fixture(scope='module', name='out')
def compare_two(folder: Path, tmp_path_factory: pytest.TempPathFactory
                ) -> Path:
    out = tmp_path_factory.mktemp('out')
    done = clqc('compare', folder / 'reference.mkv', folder / 'bad.mp4',
                folder / 'good.mp4', '--out', out, '--vmaf', out / 'log.json')
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith('good.mp4 is better than bad.mp4: PSNR ')
    return out


def compare(folder: Path, *words: Any) -> 'subprocess.CompletedProcess[str]':
    """Compares files of the folder by their names."""
    return here('compare', folder / 'reference.mkv', *(
        folder / word if str(word).endswith(('.mkv', '.mp4')) else word
        for word in words))


def lines(out: Path, kind: str) -> List[Dict[str, Any]]:
    with gzip.open(out / 'compare.jsonl.gz', 'rt', encoding='utf-8') as text:
        return [row for row in map(json.loads, text) if row['type'] == kind]


def test_result(out: Path) -> None:
    result = read(out, 'compare.json')
    assert list(result) == ['reference', 'verdict', 'files', 'settings',
                            'measured']
    assert result['reference']['file'] == 'reference.mkv'
    assert (result['reference']['width'], result['reference']['rate']) == (
        192, [25, 1])
    bad, good = result['files']
    assert (bad['file'], good['file']) == ('bad.mp4', 'good.mp4')
    for one in bad, good:
        assert one['pooled']['frames'] == N_FRAMES
        assert one['pooled']['unpaired-frames'] == 0
        assert one['shift'] == 0 and one['failures'] == []
        assert set(one['worst']) == {'psnr', 'ssim', 'xpsnr'}
    for field in 'psnr-all', 'ssim-all-mean', 'xpsnr-least':
        assert good['pooled'][field] > bad['pooled'][field]
    rows = [row for row in lines(out, 'frame') if row['pad'] == 'sink_0']
    assert len(rows) == N_FRAMES
    worst = bad['worst']['psnr']
    assert worst['value'] == min(row['psnr-all'] for row in rows)
    assert rows[worst['frame']]['stream-time'] == worst['stream-time']


def test_values_are_those_of_ffmpeg(folder: Path, out: Path) -> None:
    for one in read(out, 'compare.json')['files']:
        said = subprocess.run(
            ['ffmpeg', '-hide_banner', '-i', folder / one['file'], '-i',
             folder / 'reference.mkv', '-lavfi', 'psnr', '-f', 'null', '-'],
            check=True, stderr=subprocess.PIPE, text=True).stderr
        found = re.search(r'PSNR .* average:([\d.]+)', said)
        assert found is not None
        assert one['pooled']['psnr-all'] == pytest.approx(
            float(found[1]), abs=1e-5)


def test_same_bytes_again(folder: Path, out: Path, tmp_path: Path) -> None:
    done = compare(folder, 'bad.mp4', 'good.mp4', '--out', tmp_path)
    assert done.returncode == 0, done.stdout
    for name in 'compare.json', 'compare.jsonl.gz':
        assert (tmp_path / name).read_bytes() == (out / name).read_bytes()


def test_page(out: Path, tmp_path: Path) -> None:
    text = (out / 'report.html').read_text(encoding='utf-8')
    assert 'good.mp4 is better than bad.mp4' in text
    assert text.count('<div class="side">') >= 2
    assert 0 < text.count('class="difference"') == 2 * text.count(
        '<div class="side">')
    if browser.CHROMIUM:
        dom, console = browser.load(out / 'report.html', tmp_path)
        found = browser.attributes(dom)
        assert console == [] and found['problems'] == ''
        assert dom.count('class="uplot') == 3


def test_logs_of_libvmaf(out: Path) -> None:
    for number, file in enumerate(read(out, 'compare.json')['files'], 1):
        log = read(out, f'log-{number}.json')
        assert log['fps'] == 25 and len(log['frames']) == N_FRAMES
        assert log['pooled_metrics']['ssim']['mean'] == pytest.approx(
            file['pooled']['ssim-all-mean'], abs=1e-6)
        assert set(log['frames'][0]['metrics']) == {
            'psnr_y', 'psnr_cb', 'psnr_cr', 'xpsnr_y', 'xpsnr_cb',
            'xpsnr_cr', 'ssim'}


def test_equal_frames(folder: Path, tmp_path: Path) -> None:
    done = compare(folder, 'equal.mkv', '--max-difference', 0, '--out',
                   tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout == (
        'equal.mkv is equal to the reference in all frames.\n')
    file, = read(tmp_path, 'compare.json')['files']
    assert file['pooled']['psnr-all'] is None
    assert file['events'] == {'unpaired': 0, 'offset': 0, 'mismatch': 0}
    text = (tmp_path / 'report.html').read_text(encoding='utf-8')
    assert '✓ pass' in text and 'drawn at 100 dB' in text


@pytest.mark.parametrize('name, shift, pairs, sentence', [
    ('early.mp4', -5, 70, 'early by 5 frames (0.200 s)'),
    ('late.mp4', 4, 75, 'late by 4 frames (0.160 s)'),
    # more than the element finds: by the ends of the files
    ('far.mp4', -20, 55, 'early by 20 frames (0.800 s)')])
def test_shift(folder: Path, tmp_path: Path, name: str, shift: int,
               pairs: int, sentence: str) -> None:
    done = compare(folder, name, '--out', tmp_path)
    assert done.returncode == 0, done.stdout
    assert f'{name} is {sentence}; this is corrected.' in done.stdout
    file, = read(tmp_path, 'compare.json')['files']
    assert file['shift'] == shift * 40_000_000
    assert file['shift-frames'] == shift
    assert file['pooled']['frames'] == pairs
    assert file['pooled']['psnr-all'] > 32
    # the pictures are those of the pairs
    text = (tmp_path / 'report.html').read_text(encoding='utf-8')
    gains = list(map(int, re.findall(r'luma\n× (\d+)', text)))
    assert gains and min(gains) >= 4

    done = compare(folder, name, '--keep-times', '--json', tmp_path / 'kept')
    file, = read(tmp_path, 'kept')['files']
    assert file['shift'] == 0
    assert file['pooled']['psnr-all'] < 25


def test_picture_later_than_the_sound(folder: Path, tmp_path: Path) -> None:
    """Its frames are between those of the reference."""
    path = tmp_path / 'later.mkv'
    clips.run('-itsoffset', '0.71', '-i', str(folder / 'reference.mkv'), '-f',
              'lavfi', '-i', 'sine=d=3', '-map', '0:v', '-map', '1:a',
              '-fps_mode', 'passthrough', *X264, '-bf', '0', '-c:a', 'flac',
              str(path))
    done = compare(folder, path, '--json', tmp_path / 'x', '--metrics', 'psnr')
    assert 'later.mkv is late by ' in done.stdout
    file, = read(tmp_path, 'x')['files']
    # within half a frame
    assert 690_000_000 < file['shift'] < 730_000_000
    assert file['pooled']['frames'] == N_FRAMES
    assert file['pooled']['psnr-all'] > 32


def test_lost_frames(folder: Path, tmp_path: Path) -> None:
    done = compare(folder, 'lost.mkv', '--out', tmp_path)
    assert done.returncode == 0, done.stdout
    assert ('lost.mkv: frames without a partner, which are not compared: 3 '
            'of the reference.') in done.stdout
    file, = read(tmp_path, 'compare.json')['files']
    assert file['pooled']['frames'] == N_FRAMES - 3
    assert file['pooled']['different-frames'] == 0
    assert file['events']['unpaired'] == 1
    # in order, all after the lost frames are shifted
    done = compare(folder, 'lost.mkv', '--pair', 'order', '--json',
                   tmp_path / 'order.json')
    file, = read(tmp_path, 'order.json')['files']
    assert file['pooled']['different-frames'] >= N_FRAMES - 3 - 30


@pytest.mark.parametrize('name, option, what', [
    ('small.mp4', '--scale', '96x72'), ('deep.mp4', '--convert', 'I420_10LE')])
def test_conversions(folder: Path, tmp_path: Path, name: str, option: str,
                     what: str) -> None:
    done = compare(folder, 'good.mp4', name, '--metrics', 'psnr')
    assert done.returncode == 2
    assert done.stdout.startswith(f'clqc: {name} has {what}, reference has ')
    assert done.stdout.endswith(f' clqc compare {option} does this.\n')
    done = compare(folder, 'good.mp4', name, option, '--json', tmp_path / 'x',
                   '--metrics', 'psnr')
    assert done.returncode == 0, done.stdout
    good, other = read(tmp_path, 'x')['files']
    assert good['pooled']['psnr-all'] > other['pooled']['psnr-all'] > 15


def test_limits(folder: Path, tmp_path: Path) -> None:
    done = compare(folder, 'good.mp4', 'bad.mp4', '--min-psnr', 32, '--out',
                   tmp_path, '--no-report', '--quiet')
    assert done.returncode == 1, done.stdout
    good, bad = read(tmp_path, 'compare.json')['files']
    value = bad['pooled']['psnr-all']
    assert done.stdout == (
        f'bad.mp4 fails: PSNR {value:.2f} dB is less than 32.\n')
    assert bad['failures'] == [done.stdout.strip()]
    assert good['failures'] == []
    assert bad['events']['mismatch'] >= 1 and good['events']['mismatch'] == 0
    assert not (tmp_path / 'report.html').exists()


def test_frames_too_small_for_ssim(tmp_path: Path) -> None:
    """A limit of SSIM is not passed by frames that have none."""
    paths = [tmp_path / 'small.mkv', tmp_path / 'negative.mkv']
    clips.run('-f', 'lavfi', '-i', 'testsrc2=size=6x6:rate=25', '-frames:v',
              '8', *FFV1, str(paths[0]))
    clips.run('-i', str(paths[0]), '-vf', 'negate', *FFV1, str(paths[1]))
    done = here('compare', *paths, '--min-ssim', 0.99, '--out', tmp_path / 'o')
    assert done.returncode == 1, done.stdout
    limit, verdict = done.stdout.splitlines()
    assert limit == (
        'negative.mkv fails: there is nothing to compare with --min-ssim '
        '0.99: frames of less than 8 x 8 samples have no SSIM.')
    assert verdict.startswith('negative.mkv: PSNR ') and 'SSIM' not in verdict
    assert 'SSIM,' not in (tmp_path / 'o/report.html').read_text('utf-8')


def test_other_pictures(folder: Path, tmp_path: Path) -> None:
    """The values may be less than 0, which is no limit."""
    done = compare(folder, 'black.mkv', '--out', tmp_path)
    assert done.returncode == 0, done.stdout
    file, = read(tmp_path, 'compare.json')['files']
    assert file['worst']['xpsnr']['value'] < 0
    assert file['events']['mismatch'] == 0
    assert file['shift'] == 0


def test_a_file_longer_than_the_reference(folder: Path, tmp_path: Path
                                          ) -> None:
    """The rest of it, without pairs, is progress."""
    long = tmp_path / 'long.mp4'
    clips.run('-stream_loop', '9', '-i', str(folder / 'good.mp4'), '-c',
              'copy', str(long))
    done = clqc('compare', folder / 'good.mp4', long, '--metrics', 'psnr',
                '--keep-times')
    assert done.returncode == 0, done.stdout
    assert f'not compared: {9 * N_FRAMES} of long.mp4.' in done.stdout
    assert 'in all frames that have a partner.' in done.stdout

    gst.init()
    ticks: List[int] = []
    comparison.compare(
        Comparison(Source(str(folder / 'good.mp4')), [Source(str(long))],
                   str(tmp_path / 'lines.jsonl'), {'metrics': 'psnr'}, False),
        ticks.append)
    assert max(ticks) > N_FRAMES * 10 ** 9 // 25


def test_json_on_standard_output(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, '-m', 'clqc', 'compare', folder / 'reference.mkv',
         folder / 'good.mp4', '--json', '-', '--metrics', 'psnr'],
        capture_output=True, text=True, check=True, timeout=240)
    assert json.loads(done.stdout)['files'][0]['file'] == 'good.mp4'
    assert done.stderr.startswith('good.mp4: PSNR ')


def test_folders_are_checked_before_the_work(folder: Path, tmp_path: Path
                                             ) -> None:
    for option in '--vmaf', '--json':
        path = tmp_path / 'none/log.json'
        done = compare(folder, 'good.mp4', '--out', tmp_path / 'out', option,
                       path)
        assert done.returncode == 2
        assert done.stdout == f'clqc: {path}: no such folder\n'
        assert list((tmp_path / 'out').iterdir()) == []
    # that of the results is made
    done = compare(folder, 'good.mp4', '--metrics', 'psnr', '--out',
                   tmp_path / 'new', '--vmaf', tmp_path / 'new/log.json')
    assert done.returncode == 0, done.stdout
    assert read(tmp_path / 'new', 'log.json')['fps'] == 25


def test_metrics_by_name(folder: Path) -> None:
    for metrics in 'vmaf', 'psnr+', 'psnr ssim':
        done = compare(folder, 'good.mp4', '--metrics', metrics)
        assert done.returncode == 2
        assert f'argument --metrics: {metrics}: not psnr, ssim' in done.stdout
    done = compare(folder, 'equal.mkv', '--metrics', 'max-difference',
                   '--max-difference', 0)
    assert done.returncode == 0, done.stdout


def test_files_of_one_name(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / 'good.mp4'
    shutil.copy(folder / 'bad.mp4', other)
    done = compare(folder, 'good.mp4', other, '--metrics', 'psnr')
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(
        f'{folder}/good.mp4 is better than {other}: ')


def test_what_is_no_video(folder: Path, tmp_path: Path) -> None:
    (tmp_path / 'text.mp4').write_text('no video')
    for name, why in (
            (tmp_path / 'text.mp4', 'not a video that GStreamer can read'),
            (tmp_path / 'none.mp4', 'no such file'),
            (tmp_path, 'not a file')):
        done = compare(folder, name)
        assert done.returncode == 2
        assert done.stdout.startswith(f'clqc: {name}: {why}')
    assert compare(folder, 'good.mp4', '--min-ssim', 2).returncode == 2


def test_delays() -> None:
    """A file between two frames of the reference, one with a shift that has
    been found, and one that begins far away."""
    gst.init()
    frame, second = 40_000_000, 10 ** 9
    reference = _Stream('reference', Source(''), first=0)

    def delay(**found: Any) -> int:
        stream = _Stream('sink_0', Source(''), n_pairs=9, psnr=40.0, **found)
        return _better_delay(stream, reference, frame)
    assert delay(first=0) == 0
    assert delay(first=3 * frame + 1_000_000) == 0  # rounded times
    # clcompare pairs frames that are less than half a frame apart
    assert delay(first=frame // 2 + 1) == frame // 2 - 1
    assert delay(first=frame // 3) == -(frame // 3)
    assert delay(first=0, shifts=[[1, 10], [-3, 40]]) == 3 * frame
    assert delay(first=frame // 2, shifts=[[2, 25]]) in (
        -frame * 5 // 2, -frame * 3 // 2)
    assert delay(first=3 * second) == -3 * second


def test_which_delay_is_kept() -> None:
    frame = 40_000_000

    def stream(delay: int, psnr: float, n_pairs: int = 9) -> _Stream:
        return _Stream('sink_0', Source(''), delay, psnr=psnr,
                       n_pairs=n_pairs)
    old = stream(0, 30.0)
    assert _is_better(stream(9 * frame, 31.1), old, frame)
    assert not _is_better(stream(9 * frame, 30.9, 99), old, frame)
    assert _is_better(stream(frame // 2, 30.0, 10), old, frame)
    assert not _is_better(stream(frame // 2, 30.0), old, frame)
    assert _is_better(stream(0, 12.0), stream(0, -math.inf, 0), frame)


def test_place_of_a_detail() -> None:
    import numpy as np
    difference = np.zeros((1080, 1920), np.int32)
    difference[700:720, 1500:1540] = 257 * 60
    left, top = place([np.zeros_like(difference), difference])
    assert left <= 1500 and 1540 <= left + DETAIL[0]
    assert top <= 700 and 720 <= top + DETAIL[1]
    assert gain_of([difference]) == 64  # less than a thousandth differs
    difference[:540] = 257 * 60
    assert gain_of([difference]) == 4
    assert place([difference[:100, :100]]) == (0, 0)
