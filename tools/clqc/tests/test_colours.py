# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colours: what the container says, what the stream says, what is measured."""
from typing import Any, Dict

import clips
import pytest
from command import here, read, rules, verdict

from clqc import colour, gst

gst.init()

LIMITED = 'limited range, matrix unknown, transfer unknown, primaries unknown'

CODECS = {'vp9.mkv': 'libvpx-vp9 -cpu-used 8', 'h264.mkv': 'libx264',
          'h265.mkv': 'libx265 -x265-params log-level=none'}


@pytest.fixture(scope='module', name='done')
def check_all(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """Each codec in full range: once its container says so, once it says
    limited range."""
    folder = tmp_path_factory.mktemp('colours')
    for name, codec in CODECS.items():
        clips.run('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.4', '-vf',
                  'scale=out_range=full,format=yuv420p', '-color_range', 'pc',
                  '-c:v', *codec.split(), str(folder / name))
        path = folder / ('limited-' + name)
        path.write_bytes(_limited((folder / name).read_bytes()))
    clips.run('-i', str(folder / 'h264.mkv'), '-c', 'copy',
              str(folder / 'h264.mp4'))
    matrix = '-color_primaries {0} -color_trc {0} -colorspace {0}'
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.4', '-c:v',
              'libx264', *matrix.format('bt709').split(),
              str(folder / 'matrix.mkv'))
    data = (folder / 'matrix.mkv').read_bytes()
    assert data.count(b'\x55\xb1\x81\x01') == 1
    (folder / 'matrix.mkv').write_bytes(
        data.replace(b'\x55\xb1\x81\x01', b'\x55\xb1\x81\x09'))
    out = tmp_path_factory.mktemp('out')
    assert here('check', folder, '--out', out, '--no-reports').returncode < 2
    return {'out': out}


def _limited(data: bytes) -> bytes:
    """A file of Matroska whose element Range says 1, and not 2."""
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


@pytest.mark.parametrize('name', CODECS)
def test_a_range_that_the_stream_contradicts(done: Dict[str, Any], name: str
                                             ) -> None:
    assert read(done['out'], 'limited-' + name, 'facts.json')['video'][
        'colours'] == LIMITED
    assert [reason['message'] for reason in
            verdict(done['out'], 'limited-' + name)['reasons']
            if reason['rule'] == 'measure.colour'] == [
        'The container says limited range, the stream says full range; it '
        'was measured as limited range.']


def test_a_matrix_that_the_stream_contradicts(done: Dict[str, Any]) -> None:
    assert 'measure.colour' in rules(done['out'], 'matrix.mkv')
    assert read(done['out'], 'matrix.mkv', 'facts.json')['video'][
        'contradictions'] == [{'what': 'matrix', 'container': 'bt2020',
                               'stream': 'bt709'}]


def test_words() -> None:
    assert colour.words('2:0:0:0') == LIMITED
    assert colour.words('bt709') == (
        'limited range, matrix bt709, transfer bt709, primaries bt709')
    assert colour.words('none of these').startswith('unknown range')
