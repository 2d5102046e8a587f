# SPDX-License-Identifier: LGPL-2.1-or-later
"""The file for QCTools, compared with the output of ffprobe."""
import gzip
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple
from xml.etree import ElementTree

import pytest

from clqc.reporting import qctools
from reportdata import CLIP, FACTS, measure, synthetic

Frame = Tuple[Dict[str, str], Dict[str, str]]


def read(text: bytes) -> List[Frame]:
    """The attributes and the tags of every frame; newer versions of ffprobe
    have the tags in a separate element."""
    return [(dict(frame.attrib),
             {tag.attrib['key']: tag.attrib['value']
              for tag in frame.iter('tag')})
            for frame in ElementTree.fromstring(text).iter('frame')]


def ffprobe(clip: Path) -> List[Frame]:
    """The output of ffprobe for the clip."""
    graph = f'movie={clip},signalstats=stat=tout+vrep+brng'
    return read(subprocess.run(
        ['ffprobe', '-v', 'error', '-f', 'lavfi', '-i', graph,
         '-show_frames', '-of', 'xml'],
        check=True, capture_output=True, timeout=300).stdout)


def written(path: Path, file: str,
            frames: List[Dict[str, Any]]) -> List[Frame]:
    """The data that QCTools reads."""
    qctools.write(str(path), file, iter(frames), FACTS)
    return read(gzip.decompress(path.read_bytes()))


def clip_of(kind: str, folder: Path) -> Path:
    """A clip of another kind: interlaced rates, another subsampling."""
    if kind == 'pedestrians':
        return CLIP
    clip = folder / f'{kind}.mkv'
    rate, pixels = {'ntsc': ('30000/1001', 'yuv420p'),
                    'film': ('24000/1001', 'yuv422p'),
                    'fast': ('60', 'yuv444p')}[kind]
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
         f'testsrc2=size=192x108:rate={rate}:duration=1', '-vf', 'noise=c0s=9',
         '-pix_fmt', pixels, '-c:v', 'ffv1', str(clip)],
        check=True, timeout=60)
    return clip


@pytest.mark.skipif(not shutil.which('ffprobe'), reason='needs ffprobe')
@pytest.mark.parametrize('kind', ['pedestrians', 'ntsc', 'film', 'fast'])
def test_values_are_those_of_ffprobe(kind: str, tmp_path: Path) -> None:
    clip = clip_of(kind, tmp_path)
    expected = ffprobe(clip)
    frames = written(tmp_path / 'x.xml.gz', str(clip),
                     measure(clip, tmp_path / 'lines'))
    assert len(expected) > 20
    assert len(frames) == len(expected)
    for (ours, tags), (theirs, their_tags) in zip(frames, expected):
        assert tags == their_tags  # the order depends on FFmpeg's version
        for name in ('media_type', 'stream_index', 'width', 'height',
                     'pix_fmt'):
            assert ours[name] == theirs[name]
        # Matroska counts in milliseconds, and demuxers refine them.
        assert float(ours['pts_time']) == pytest.approx(
            float(theirs['pts_time']), abs=0.001)
        assert ours['pkt_pts_time'] == ours['pts_time']


@pytest.mark.skipif(not shutil.which('ffprobe'), reason='needs ffprobe')
def test_times_are_those_of_ffprobe(tmp_path: Path) -> None:
    frames = written(tmp_path / 'x.xml.gz', 'clip.avi',
                     measure(CLIP, tmp_path / 'lines'))
    assert ([ours['pts_time'] for ours, _ in frames]
            == [theirs['pts_time'] for theirs, _ in ffprobe(CLIP)])


def test_what_qctools_reads(tmp_path: Path) -> None:
    path = tmp_path / 'x.xml.gz'
    frames = written(path, 'a/b/x <&".avi', list(synthetic(3)))
    times, tags = frames[2]
    assert times['pkt_pts_time'] == '0.080000'
    assert times['pkt_duration_time'] == '0.040000'
    assert times['pkt_pts'] == '7200'
    assert tags['lavfi.signalstats.YAVG'] == '50.2'
    root = ElementTree.fromstring(gzip.decompress(path.read_bytes()))
    assert root.tag == '{http://www.ffmpeg.org/schema/ffprobe}ffprobe'
    # QCTools searches for this name, with its prefix, and for streams after
    # the frames.
    text = gzip.decompress(path.read_bytes()).decode()
    assert '\n<ffprobe:ffprobe ' in text
    assert [child.tag for child in root][-3:] == ['frames', 'streams',
                                                  'format']
    stream = root.find('streams/stream')
    assert stream is not None and stream.attrib['codec_type'] == 'video'
    container = root.find('format')
    assert container is not None
    assert container.attrib['filename'] == 'x <&".avi'


def test_missing_values_are_left_out(tmp_path: Path) -> None:
    frames = list(synthetic(1))
    frames[0]['timestamp'] = None
    del frames[0]['SATAVG']
    (times, tags), = written(tmp_path / 'x.xml.gz', 'x', frames)
    assert 'pkt_pts_time' not in times
    assert 'lavfi.signalstats.SATAVG' not in tags
    assert 'lavfi.signalstats.SATMAX' in tags


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ('a', 'b'):
        qctools.write(str(tmp_path / name), 'x', synthetic(9), FACTS)
    assert (tmp_path / 'a').read_bytes() == (tmp_path / 'b').read_bytes()


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Any:
        yield from synthetic(1)
        raise RuntimeError('broken')

    with pytest.raises(RuntimeError):
        qctools.write(str(tmp_path / 'a'), 'x', broken(), FACTS)
    assert not list(tmp_path.iterdir())


def test_the_name_is_that_of_the_video_and_a_suffix() -> None:
    assert qctools.file_name('a/b.avi') == 'b.avi.qctools.xml.gz'
