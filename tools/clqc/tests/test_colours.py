# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colours: of the container, of the stream, and as measured."""
from pathlib import Path
from typing import Any, Dict

import clips
import pytest
from command import here, job_here, read, rules, verdict

from clqc.containers import av1
from clqc.decoding import colours, gst, jobs
from clqc.measuring import video

gst.init()

LIMITED = 'limited range, matrix unknown, transfer unknown, primaries unknown'

CODECS = {'vp9.mkv': 'libvpx-vp9 -cpu-used 8', 'h264.mkv': 'libx264',
          'h265.mkv': 'libx265 -x265-params log-level=none'}

MATRIX = '-color_primaries {0} -color_trc {0} -colorspace {0}'
BT709 = MATRIX.format('bt709') + ' -c:v '

# The ffmpeg options of a clip of each range.
RANGED = {'bt709-h264.mp4': BT709 + CODECS['h264.mkv'],
          'bt709-h264.mov': BT709 + CODECS['h264.mkv'],
          'bt709-h265.mp4': BT709 + CODECS['h265.mkv'],
          'bt709-h265.mov': BT709 + CODECS['h265.mkv'],
          'vp9.mp4': '-c:v ' + CODECS['vp9.mkv'],
          'av1.mp4': '-c:v ' + clips.AV1}


def _skip_without_av1(name: str) -> None:
    if 'av1' in name and not clips.has_av1():
        pytest.skip('no encoder or decoder of AV1')


def _encode(path: Path, full: bool, *options: str) -> None:
    name, short = ('full', 'pc') if full else ('limited', 'tv')
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.4', '-vf',
              f'scale=out_range={name}:out_color_matrix=bt709,format=yuv420p',
              '-color_range', short, *options, str(path))


@pytest.fixture(scope='module', name='done')
def check_all(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """Each codec in full range: once with full range in its container, once
    with limited range."""
    folder = tmp_path_factory.mktemp('colours')
    for name, codec in CODECS.items():
        _encode(folder / name, True, '-c:v', *codec.split())
        path = folder / ('limited-' + name)
        path.write_bytes(_limited((folder / name).read_bytes()))
    clips.run('-i', str(folder / 'h264.mkv'), '-c', 'copy',
              str(folder / 'h264.mp4'))
    _add_ranged(folder)
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.4', '-c:v',
              'libx264', *MATRIX.format('bt709').split(),
              str(folder / 'matrix.mkv'))
    data = (folder / 'matrix.mkv').read_bytes()
    assert data.count(b'\x55\xb1\x81\x01') == 1
    (folder / 'matrix.mkv').write_bytes(
        data.replace(b'\x55\xb1\x81\x01', b'\x55\xb1\x81\x09'))
    out = tmp_path_factory.mktemp('out')
    assert here('check', folder, '--out', out, '--no-reports').returncode < 2
    return {'out': out, 'folder': folder}


def _add_ranged(folder: Path) -> None:
    for name, options in RANGED.items():
        if 'av1' not in name or clips.has_av1():
            _encode(folder / ('full-' + name), True, *options.split())
            _encode(folder / ('low-' + name), False, *options.split())
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.4', '-c:v',
              'libx264rgb', '-color_primaries', 'bt709', '-color_trc', 'bt709',
              str(folder / 'rgb.mp4'))
    data = (folder / 'full-bt709-h264.mp4').read_bytes()
    full = b'nclx\0\1\0\1\0\1\x80'
    assert data.count(full) == 1
    (folder / 'limited-nclx.mp4').write_bytes(
        data.replace(full, full[:-1] + b'\0'))
    data = (folder / 'full-vp9.mp4').read_bytes()
    at = data.index(b'vpcC') + 10
    (folder / 'limited-vpcc.mp4').write_bytes(
        data[:at] + bytes([data[at] & 254]) + data[at + 1:])
    if clips.has_av1():
        _encode(folder / 'av1.mkv', True, '-c:v',
                *clips.AV1.split())
        (folder / 'limited-av1.mkv').write_bytes(
            _limited((folder / 'av1.mkv').read_bytes()))
    long = RANGED['bt709-h264.mov'].split()
    _encode(folder / 'long.mov', True, *long, '-g', '2', '-bf', '0')


def _limited(data: bytes) -> bytes:
    """A Matroska file whose element Range is 1, and not 2."""
    full = b'\x55\xb9\x81\x02'
    assert data.count(full) == 1
    return data.replace(full, b'\x55\xb9\x81\x01')


@pytest.mark.parametrize('name', [*CODECS, 'h264.mp4'])
def test_full_range_without_a_matrix(done: Dict[str, Any], name: str) -> None:
    video = read(done['out'], name, 'facts.json')['video']
    assert video['range'] == 'full'
    assert video['colours'] == LIMITED.replace('limited', 'full')
    assert 'contradictions' not in video
    assert 'frames.gamut' not in rules(done['out'], name)
    assert 'measure.colour' not in rules(done['out'], name)


@pytest.mark.parametrize('name', RANGED)
def test_range_lost_by_the_demuxer(done: Dict[str, Any], name: str) -> None:
    _skip_without_av1(name)
    for start, expected in ('full-', 'full'), ('low-', 'limited'):
        video_facts = read(done['out'], start + name, 'facts.json')['video']
        assert video_facts['range'] == expected
        assert 'contradictions' not in video_facts
        assert 'measure.colour' not in rules(done['out'], start + name)
    assert 'frames.gamut' not in rules(done['out'], 'full-' + name)


def test_the_range_of_rgb(done: Dict[str, Any]) -> None:
    assert read(done['out'], 'rgb.mp4', 'facts.json')['video'][
        'range'] == 'full'
    assert not {'frames.gamut', 'measure.colour'} & set(
        rules(done['out'], 'rgb.mp4'))


def test_the_same_range_in_parts(done: Dict[str, Any], tmp_path: Path,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, 'run', job_here)
    path = str(done['folder'] / 'long.mov')
    keys = jobs.run('', 'packets', path=path, track=None)['keys']
    texts = []
    for n_parts in 1, 3:
        work = tmp_path / str(n_parts)
        work.mkdir()
        measured = video.measure(video.Plan(
            path, str(work), '', {}, keys, n_parts, range='full'))
        assert measured.facts['parts'] == n_parts
        texts.append(Path(measured.path).read_text(encoding='utf-8'))
    assert texts[0] == texts[1]
    assert texts[0].count('"full-range":true') == measured.n_frames


@pytest.mark.parametrize('name', [*CODECS, 'av1.mkv', 'nclx.mp4', 'vpcc.mp4'])
def test_range_contradicted_by_the_stream(done: Dict[str, Any],
                                          name: str) -> None:
    _skip_without_av1(name)
    found = read(done['out'], 'limited-' + name, 'facts.json')['video']
    assert found['range'] == 'limited'
    if name.endswith('.mkv'):
        assert found['colours'] == LIMITED
    assert [reason['message'] for reason in
            verdict(done['out'], 'limited-' + name)['reasons']
            if reason['rule'] == 'measure.colour'] == [
        'The container says limited range, the stream says full range; it '
        'was measured as limited range.']


def test_matrix_contradicted_by_the_stream(done: Dict[str, Any]) -> None:
    assert 'measure.colour' in rules(done['out'], 'matrix.mkv')
    assert read(done['out'], 'matrix.mkv', 'facts.json')['video'][
        'contradictions'] == [{'what': 'matrix', 'container': 'bt2020',
                               'stream': 'bt709'}]


def test_words() -> None:
    assert colours.words('2:0:0:0') == LIMITED
    assert colours.words('bt709') == (
        'limited range, matrix bt709, transfer bt709, primaries bt709')
    assert colours.words('none of these').startswith('unknown range')


def _header(bits: str) -> bytes:
    """A unit of AV1 with a sequence header of these bits."""
    bits = bits.replace(' ', '')
    bits += '0' * (-len(bits) % 8)
    content = int(bits, 2).to_bytes(len(bits) // 8, 'big')
    return bytes([0x12, 0, 0x0a, len(content)]) + content


# With all optional parts before the colours: timing, decoder model, delay;
# then the size of the picture and tools.
_FRONT = ('000 0 0' + '1' + '0' * 64 + '1 00101' + '1' + '00011' + '0' * 42 +
          '1 00000' + '0' * 12 + '01000 0' + '1' + '0' * 9 + '1 1010' +
          '0001 0001 00 00' + '1 0000000' + '000' + '0000 1 00 0 1 0 1' +
          '111' + '000')


@pytest.mark.parametrize('colours, expected', [
    ('0 0 0 1', 'full'), ('0 0 0 0', 'limited'), ('0 1 0 1', 'full'),
    ('0 0 1 00000001 00000001 00000001 0', 'limited'),
    ('0 0 1 00000001 00001101 00000000 0', 'full')])
def test_sequence_header_of_av1(colours: str, expected: str) -> None:
    assert av1.colour_range(_header(_FRONT + colours)) == expected


def test_no_sequence_header_of_av1() -> None:
    for data in b'', b'\x12\0', b'\x0a\1\0', b'\x32\x81\x81':
        assert av1.colour_range(data) is None


@pytest.mark.parametrize('name, cll, fall', [
    ('dark.mp4', 1000, 400), ('dark.mkv', 1000, 400),
    ('bright.ts', 5000, 4000), ('none.mp4', None, None)])
def test_light_of_hdr10(name: str, cll: Any, fall: Any,
                        tmp_path: Path) -> None:
    """The picture is half white, of 2000 cd/m2."""
    light = '' if cll is None else (
        f':hdr10=1:max-cll={cll},{fall}:master-display=G(13250,34500)'
        'B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)')
    clips.run('-f', 'lavfi', '-i', 'color=s=64x48:r=25:d=0.4,'
              'format=yuv420p10,geq=lum=64+lt(X\\,32)*727:cb=512:cr=512',
              '-c:v', 'libx265', '-x265-params',
              'log-level=none:range=limited:'
              'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'
              + light,
              str(tmp_path / name))
    out = tmp_path / 'out'
    here('check', tmp_path / name, '--out', out, '--policy', 'hdr10',
         '--no-reports')
    video = read(out, name, 'facts.json')['video']
    assert (video.get('max-cll'), video.get('max-fall')) == (cll, fall)
    if cll:
        assert video['mastering-display'] == {
            'points': [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329],
            'min': 0.005, 'max': 1000}
    found = [reason['message'] for reason in verdict(out, name)['reasons']
             if reason['rule'] == 'measure.light']
    assert [text.split(' cd/m2')[0] for text in found] == ([
        'The file names MaxCLL 1000', 'The file names MaxFALL 400']
        if cll == 1000 else [])
