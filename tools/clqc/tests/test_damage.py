# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files with known damage: each is found by a rule that names it, and nothing
is found in good files."""
import random
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Dict, Tuple

import clips
import damage
import pytest
from command import clqc, here, read, rules, verdict

from clqc.common.errors import ClqcError
from clqc.containers import readers, zeros

MS = 1_000_000

POLICY = damage.POLICY + '''[events.freeze]
max-count = 0
[tracks]
offset = 1
duration = 1
'''


@pytest.fixture(scope='module', name='made')
def make_all(tmp_path_factory: pytest.TempPathFactory) -> Tuple[Path, Path]:
    """Creates all files in a folder; returns the results of `check`."""
    folder = tmp_path_factory.mktemp('damage')
    for row in damage.DAMAGED:
        damage.make_damaged(folder, row)
    for name in damage.GOOD:
        damage.make_good(folder / 'good', name)
    (folder / 'policy.toml').write_text(POLICY)
    out = folder / 'out'
    done = here('check', folder, '--out', out, '--policy',
                folder / 'policy.toml', '--no-reports', '--quiet')
    assert done.returncode == 1, done.stdout
    return folder, out


@pytest.mark.parametrize('row', damage.DAMAGED, ids=lambda row: row.name)
def test_damage_is_found(row: damage.Damaged, made: Tuple[Path, Path]) -> None:
    found = verdict(made[1], row.name)
    assert found['status'] == 'fail'
    assert set(row.rules) & set(rules(made[1], row.name)), found['reasons']
    # frames that were not decoded are not frozen
    assert 'events.freeze' not in rules(made[1], row.name)


@pytest.mark.parametrize('name', list(damage.GOOD))
def test_good_files_have_no_findings(name: str,
                                     made: Tuple[Path, Path]) -> None:
    found = tuple(rules(made[1], f'good/{name}'))
    assert found == damage.TOLD.get(name, ()), verdict(
        made[1], f'good/{name}')['reasons']


def test_positions_of_damage(made: Tuple[Path, Path]) -> None:
    """Findings name the bytes, the times and the numbers of the damage."""
    rows = {(row.base, row.kind): row.name for row in damage.DAMAGED}

    def content(base: str, kind: str) -> Dict[str, object]:
        return read(made[1], rows[base, kind], 'integrity.json')
    size = (made[0] / 'good' / 'h264.mp4').stat().st_size
    one, = content('h264.mp4', 'cut at 95.8% of its bytes')['missing']
    assert (one['start'], one['end']) == (int(size * 0.958), size)
    assert 6.8e9 < one['first_time'] < 7.9e9 and one['samples'] > 0
    one, = content('h264.mp4', 'zeros from 50 to 55 %')['missing']
    assert abs(one['start'] - size * 0.5) < 8192
    assert abs(one['end'] - size * 0.55) < 8192
    size = (made[0] / 'good' / 'h264.ts').stat().st_size
    one, = content('h264.ts', 'zeros from 70 % to the end')['missing']
    assert abs(one['start'] - size * 0.7) < 376 and one['end'] == size
    # from the last picture to the first one after, as in gaps
    tracks = content('h264.ts', 'zeros from 70 % to the end')['tracks']
    assert 0 < tracks[0]['last'] - one['first_time'] < 200 * MS
    for base in 'mpeg2.ts', 'disc.m2ts', 'coded.ts', 'middle.ts':
        results = content(base, 'zeros from 50 to 55 %')
        one, = results['missing']
        assert abs(one['first_time'] - results['gaps'][0]['start']) < 200 * MS
    for base in 'h264.ts', 'disc.m2ts':
        one, = content(base, '1,000 random bytes in front')['missing']
        assert (one['start'], one['end']) == (0, 1000)
    for base in 'fragments.mp4', 'dash.mp4':
        good = made[0] / 'good' / base
        one, = content(base, 'two fragments removed')['missing']
        assert one['end'] - one['start'] == good.stat().st_size - (
            made[0] / rows[base, 'two fragments removed']).stat().st_size
    gap, = content('dash.mp4', 'two fragments removed')['gaps']
    assert abs(gap['start'] - one['first_time']) < 200 * MS
    assert abs(gap['end'] - one['last_time']) < 200 * MS
    one, = content('h264.ts', 'cut within a transport packet')['missing']
    assert one['start'] == int(size * 0.7) and one['end'] % 188 == 0
    assert 0 < one['end'] - one['start'] < 188
    gap, = content('ffv1.mkv', 'packets of the frames 60 to 89 removed')[
        'gaps']
    assert (gap['start'], gap['end']) == (2_400_000_000, 3_600_000_000)
    assert (gap['frame'], gap['frames'], gap['packets']) == (60, 30, 0)
    gap, = content('prores.mov', 'packets of the frames 100 to 100 removed')[
        'gaps']
    assert (gap['start'], gap['frames']) == (4_000_000_000, 1)
    tracks = content('h264.mp4', 'sound of 5 s')['tracks']
    assert tracks[0]['last'] == 8_000_000_000
    assert abs(tracks[1]['last'] - 5e9) < 5e7
    (_, _, texts, frame, track), = content(
        'h264.ts', 'a packet of the sound removed')['errors']
    assert 'CONTINUITY' in texts[0] and (frame, track) == (None, 'audio')
    for base in 'h264.ts', 'mpeg2.ts':
        of_good = readers.read(str(made[0] / 'good' / base))
        for share in '50 to 55', '40 to 70':
            name = rows[base, f'transport packets removed from {share} %']
            left = readers.read(str(made[0] / name))
            assert of_good and left
            n_missing = verdict(made[1], name)['measured']['missing-frames']
            # packets of which a part is left may have no frame
            assert n_missing == len(of_good.stamps) - verdict(
                made[1], name)['measured']['frames']
            assert n_missing >= len(
                set(of_good.stamps) - set(left.stamps)) > 0
        kind = 'transport packets removed from 40 to 70 %'
        assert content(base, kind)['shift']['amount'] < -500_000_000
        assert 'measure.times' in rules(made[1], rows[base, kind])
        # the missing sound equals the packets that did not arrive
        of_good_sound, of_sound = (
            one['tracks'][1] for one in (
                read(made[1], 'good', base, 'integrity.json'),
                content(base, kind)))
        length = of_good_sound['duration'] / of_good_sound['packets']
        n_lost = of_good_sound['packets'] - of_sound['packets']
        missing = sum(gap[3] for gap in content(base, kind)['sound-gaps'])
        assert n_lost > 50
        assert abs(missing - n_lost * length) < 2 * length
    tracks = read(made[1], 'good', 'edited.mp4', 'integrity.json')['tracks']
    assert [abs(track['last'] - 5.5e9) < 6e7 for track in tracks] == [
        True, True]
    assert verdict(made[1], 'good/edited.mp4')['measured']['frames'] == 138
    log = made[1] / rows['h264.mp4', '4 bytes overwritten at 200 places']
    assert verdict(made[1], log.name)['measured']['decode-errors'] > 20


@pytest.mark.parametrize('name, codec, n_lost', [
    ('av1.mkv', clips.AV1 + ' -lag-in-frames 0 -g 10', 5),
    ('png.mov', 'png', 1)])
def test_decoder_continues_after_a_packet(name: str, codec: str, n_lost: int,
                                          tmp_path: Path) -> None:
    """The decoder stops at a bad packet; it decodes the packets after it, or
    after the next key frame."""
    if 'av1' in name and not clips.has_av1():
        pytest.skip('no encoder or decoder of AV1')
    path = tmp_path / name
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=2', '-c:v',
              *codec.split(), str(path))
    offset, size = clips.packets(path)[25]
    data = bytearray(path.read_bytes())
    middle = offset + size // 2
    data[middle:middle + 30] = random.Random(0).randbytes(30)
    path.write_bytes(data)
    out = tmp_path / 'out'
    assert here('check', path, '--out', out, '--no-reports').returncode == 1
    whole = read(out, name, 'integrity.json')
    assert [row[0] for row in whole['errors']] == [
        (25 + i) * 40 * MS for i in range(n_lost)]
    gap, = whole['gaps']
    assert (gap['start'], gap['frames'], gap['packets']) == (
        1000 * MS, n_lost, n_lost)
    assert whole['tracks'][0]['last'] == 2000 * MS


@pytest.mark.skipif(subprocess.run(
    ['gst-inspect-1.0', '--exists', 'libde265dec'], check=False).returncode,
                    reason='no libde265')
def test_damaged_slices_of_hevc(tmp_path: Path) -> None:
    """FFmpeg's decoder conceals them without a message."""
    name = 'hevc.mp4'
    path = tmp_path / name
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=2,noise=alls=10:'
              'allf=t', '-pix_fmt', 'yuv420p', '-c:v', 'libx265',
              '-x265-params', 'log-level=none', str(path))
    whole = path.read_bytes()
    for place in None, 4, 20, 40:
        data = bytearray(whole)
        if place:
            offset, size = clips.packets(path)[place]
            middle = offset + size // 2
            data[middle:middle + 30] = random.Random(0).randbytes(30)
        (tmp_path / f'{place}.mp4').write_bytes(data)
        here('check', tmp_path / f'{place}.mp4', '--out', tmp_path / 'out',
             '--no-reports')
        errors = read(tmp_path / 'out', f'{place}.mp4', 'integrity.json')[
            'errors']
        assert bool(errors) == bool(place), errors
        if place:
            assert abs(errors[0][0] - place * 40 * MS) < 500 * MS
            assert errors[0][2][0].startswith('libde265dec: ')


def test_missing_bytes_of_unreadable_files(made: Tuple[Path, Path],
                                           tmp_path: Path) -> None:
    """The index is at the end of the file."""
    data = (made[0] / 'good' / 'nosound.mp4').read_bytes()
    end = data.index(b'moov') - 4
    for name, content, why in (
            ('cut.mp4', data[:end - 10000],
             f'the index (moov) is missing; the file has {end - 10000:,} of '
             f'at least {end:,} bytes'),
            ('without.mp4', data[:end], 'the index (moov) is missing'),
            ('zero.mp4', bytes(8192) + data[8192:],
             'bytes 0 to 8,192 are missing: they are zero')):
        (tmp_path / name).write_bytes(content)
        done = here('check', tmp_path / name, '--out', tmp_path / 'out',
                    '--no-reports')
        assert done.returncode == 2
        reason, = verdict(tmp_path / 'out', name)['reasons']
        assert reason['message'].startswith('not a video that GStreamer can')
        assert reason['message'].endswith('; ' + why)
    # whose demuxer stops at damage
    data = (made[0] / 'good' / 'fields.mxf').read_bytes()
    (tmp_path / 'removed.mxf').write_bytes(damage.remove(0.5, 0.55)(
        data, random.Random()))
    assert here('check', tmp_path / 'removed.mxf', '--out', tmp_path / 'out',
                '--no-reports').returncode == 2
    reason, = verdict(tmp_path / 'out', 'removed.mxf')['reasons']
    start, end = (int(word.replace(',', '')) for word in re.findall(
        r'bytes ([\d,]+) to ([\d,]+) are missing: they were removed$',
        reason['message'])[0])
    assert abs(start - len(data) * 0.5) < 10_000
    assert abs(end - start - len(data) * 0.05) < 2


def test_error_that_the_discoverer_loses(
        made: Tuple[Path, Path], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """It then only reports a time-out."""
    from clqc.decoding import media_info
    media_info.Gst.init(None)
    lost = SimpleNamespace(
        get_result=lambda: media_info.GstPbutils.DiscovererResult.TIMEOUT)
    monkeypatch.setattr(
        media_info.GstPbutils.Discoverer, 'new',
        lambda _: SimpleNamespace(discover_uri=lambda _: lost,
                                  connect=lambda *_: None))
    path = tmp_path / 'cut.mp4'
    path.write_bytes((made[0] / 'good' / 'nosound.mp4').read_bytes()[:-10000])
    with pytest.raises(ClqcError, match='read: This file contains no play'):
        media_info.describe(str(path))


def test_results_of_damaged_files_repeat(made: Tuple[Path, Path],
                                         tmp_path: Path) -> None:
    """The results are the same in each run and with any number of parts;
    clqc.log has the messages of decoders."""
    for row in damage.DAMAGED[:2]:
        path = made[0] / row.name
        lines = set()
        for n_parts in 1, 1, 3:
            out = tmp_path / str(n_parts)
            done = clqc('check', path, '--out', out, '--no-reports', '--parts',
                        n_parts, '--jobs', 2)
            assert done.returncode == 1, done.stdout
            lines.add((out / row.name / 'frames.jsonl.gz').read_bytes())
            log = (out / row.name / 'clqc.log').read_text()
            assert 'libav: error while decoding MB' in log
            for name in 'facts.json', 'integrity.json':
                (out / row.name / name).unlink()
        assert len(lines) == 1
        assert verdict(tmp_path / '3', row.name)['measured'][
            'one-piece'] == 'its decoder reports errors'


@pytest.mark.parametrize('base', list(damage.BASES))
def test_reader_accepts_any_damage(base: str, made: Tuple[Path, Path],
                                   tmp_path: Path) -> None:
    """The reader must not fail, whatever the tables contain."""
    whole = (made[0] / 'good' / base).read_bytes()
    chance = random.Random(base)
    path = tmp_path / base
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 10, 100))):
            area = chance.choice((64, 4096, len(data) - 8))
            at = chance.choice((0, len(data) - area - 8)) + chance.randrange(
                area)
            data[at:at + 4] = chance.choice((
                bytes(4), b'\xff' * 4, chance.randbytes(4)))
        path.write_bytes(data[:chance.randrange(len(data))])
        found = readers.read(str(path))
        if found:
            assert all(0 <= one.start <= one.end for one in found.missing)


@pytest.mark.parametrize('codec, is_found', [
    ('v210', True), ('rawvideo -pix_fmt uyvy422', True),
    ('rawvideo -pix_fmt yuyv422', True), ('rawvideo -pix_fmt rgb24', False)])
def test_zeros_in_raw_pictures(codec: str, is_found: bool,
                               tmp_path: Path) -> None:
    """Zeros may be black in RGB, but are no colour in Y, Cb and Cr. The first
    of four frames begins before the first whole block of zeros."""
    path = tmp_path / 'raw.mov'
    clips.run('-f', 'lavfi', '-i', 'color=black:s=192x108:r=25:d=1', '-c:v',
              *codec.split(), str(path))
    rows = clips.packets(path)
    data = path.read_bytes()
    start, end = rows[10][0], rows[14][0]
    path.write_bytes(data[:start] + bytes(end - start) + data[end:])
    found = readers.read(str(path))
    assert found
    assert [(one.why, one.samples) for one in found.missing] == (
        [(readers.ZERO, 3)] if is_found else [])


def test_zeros(tmp_path: Path) -> None:
    """The bytes of a hole in a sparse file are not read."""
    path = tmp_path / 'x'
    block = zeros.BLOCK
    for content, runs in (
            (b'', []), (b'x', []), (bytes(10), [(0, 10)]),
            (bytes(block - 1) + b'x', []),
            (b'x' + bytes(2 * block) + b'x', [(block, 2 * block)]),
            (bytes(block) + b'x' * block + bytes(block + 5),
             [(0, block), (2 * block, 3 * block + 5)])):
        path.write_bytes(content)
        assert zeros.runs(str(path)) == runs
    with open(path, 'wb') as file:
        file.write(b'x' * block)
        file.seek(1 << 36)
        file.write(b'x')
    assert zeros.runs(str(path)) == [(block, 1 << 36)]
