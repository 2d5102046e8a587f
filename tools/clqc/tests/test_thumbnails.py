# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of a video, and those that a report shows."""
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import clips
import pytest
from clqc.common.errors import ClqcError
from clqc.decoding import gst, pictures
from clqc.reporting import thumbnails
from clqc.results.result_files import Event, Reason, Verdict
from jumping import Jumping
from reportdata import CLIP, keep, synthetic

SECOND = 10 ** 9

gst.init()


def verdict(reasons: List[Reason]) -> Verdict:
    """Returns a verdict that fails."""
    return Verdict('x.avi', 'fail', 'web', 'ab', reasons)


def _pixels(folder: Path, jpeg: bytes, pixel_format: str) -> bytes:
    path = folder / 'picture.jpg'
    path.write_bytes(jpeg)
    return subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', str(path), '-f', 'rawvideo',
         '-pix_fmt', pixel_format, '-'], check=True, capture_output=True,
        timeout=60).stdout


def _grey(folder: Path, jpeg: bytes) -> bytes:
    return _pixels(folder, jpeg, 'gray')


def test_pictures_of_the_clip() -> None:
    found = pictures.make(str(CLIP), [3 * SECOND, 0, 3 * SECOND])
    assert [picture.time for picture in found] == [0, 3 * SECOND]
    for picture in found:
        assert (picture.width, picture.height) == (320, 240)
        assert picture.jpeg.startswith(b'\xff\xd8')
        assert len(picture.jpeg) < 40_000
    assert found[0].jpeg != found[1].jpeg


def test_seeks_are_accurate(tmp_path: Path) -> None:
    # A picture of five seconds that is white from second 3 to 3.2 only, far
    # from any key frame.
    clip = tmp_path / 'flash.mkv'
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
         "color=black:size=320x180:rate=25:duration=5,drawbox=color=white:"
         "t=fill:enable='between(t,3,3.16)'", '-c:v', 'mpeg4', '-g', '250',
         str(clip)], check=True, timeout=60)
    before, at, after = pictures.make(
        str(clip), [2_960_000_000, 3_080_000_000, 3_200_000_000])
    assert (at.width, at.height) == (320, 180)
    means = []
    for picture in (before, at, after):
        grey = _grey(tmp_path, picture.jpeg)
        means.append(sum(grey) / len(grey))
    assert means[0] < 40 and means[1] > 200 and means[2] < 40


def _half_white(clip: Path, *more: str) -> None:
    """Makes a video whose left half is white and whose right half is black."""
    clips.run('-f', 'lavfi', '-i', 'color=black:size=64x32:rate=5:duration=1,'
              'drawbox=w=32:color=white:t=fill', *more, str(clip))


WHITE, BLACK = 14, 164  # rows of 100 and 0 IRE among the 176 of a waveform


def _trace(folder: Path, picture: thumbnails.Thumbnail, column: int
           ) -> List[int]:
    """Returns the first row of each bright run in a column of the waveform.
    """
    width, height = thumbnails.SCOPES['waveform']
    grey = _grey(folder, picture.scopes['waveform'])
    assert len(grey) == width * height
    rows = [row for row in range(height) if grey[row * width + column] > 200]
    return [row for row in rows if row - 1 not in rows]


def test_scopes_are_those_of_the_frame(tmp_path: Path) -> None:
    """In either half the waveform has the level of this half."""
    clip = tmp_path / 'half.avi'
    _half_white(clip, '-c:v', 'ffv1', '-pix_fmt', 'yuv420p')
    picture, = pictures.make(str(clip), [0])
    assert list(picture.scopes) == ['waveform', 'vectorscope']
    assert max(map(len, picture.scopes.values())) < 20_000
    white, = _trace(tmp_path, picture, 100)
    black, = _trace(tmp_path, picture, 220)
    assert abs(white - WHITE) <= 1 and abs(black - BLACK) <= 1
    width, height = thumbnails.SCOPES['vectorscope']
    grey = _grey(tmp_path, picture.scopes['vectorscope'])
    assert len(grey) == width * height
    middle = [grey[y * width + x] for y in range(86, 90)
              for x in range(86, 90)]
    assert max(middle) > 200  # without colour
    assert sorted(grey)[len(grey) // 2] < 16


def test_scopes_are_the_same_each_time() -> None:
    one, other = (pictures.make(str(CLIP), [SECOND])[0].scopes
                  for _ in range(2))
    assert one == other


def test_waveforms_have_lines_of_ire(tmp_path: Path) -> None:
    """Also those of PQ, as the caption says."""
    clip = tmp_path / 'pq.mkv'
    _half_white(clip, '-c:v', 'ffv1', '-pix_fmt', 'yuv420p10',
                '-color_trc', 'smpte2084', '-color_primaries', 'bt2020',
                '-colorspace', 'bt2020nc')
    picture, = pictures.make(str(clip), [0])
    width, height = thumbnails.SCOPES['waveform']
    grey = _grey(tmp_path, picture.scopes['waveform'])
    column = grey[100::width]
    assert len(column) == height
    lines = [row for row in range(WHITE + 8, BLACK - 8)
             if column[row] > max(column[row - 1], column[row + 1], 30)]
    assert lines == pytest.approx(
        [WHITE + (BLACK - WHITE) * part / 5 for part in range(1, 5)], abs=1)


@pytest.mark.parametrize('name', ['turned.mp4', 'turned.mkv'])
def test_scopes_of_a_turned_picture(name: str, tmp_path: Path) -> None:
    """Every column of the upright picture has both levels."""
    clip = tmp_path / name
    _half_white(clip, '-c:v', 'mpeg4', *clips.COLOURS)
    if name == 'turned.mp4':
        clips.turn(clip)
    else:
        clips.pose(clip, 0, -90)
    picture, = pictures.make(str(clip), [0])
    for column in (100, 220):
        white, black = _trace(tmp_path, picture, column)
        assert abs(white - WHITE) <= 1 and abs(black - BLACK) <= 1


def test_scopes_have_the_format_of_the_video(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of the pictures in JPEG."""
    clip = tmp_path / 'deep.mkv'
    clips.run('-f', 'lavfi', '-i', 'color=gray:size=64x32:rate=5:duration=1,'
              'format=yuv422p10', '-c:v', 'ffv1', str(clip))
    formats: List[str] = []
    picture = pictures._picture

    def watched(pipeline: Any, *rest: Any) -> Any:
        caps = pipeline.get_by_name('frame').get_static_pad(
            'sink').get_current_caps()
        formats.append(caps[0].get_value('format'))
        return picture(pipeline, *rest)
    monkeypatch.setattr(pictures, '_picture', watched)
    assert pictures.make(str(clip), [0])[0].scopes
    assert formats == ['I422_10LE']


def test_pictures_without_a_device(tmp_path: Path) -> None:
    """Another machine may make a report again."""
    done = subprocess.run(
        [sys.executable, '-c',
         'from clqc.decoding import gst, pictures; gst.init();'
         f'print(pictures.make({str(CLIP)!r}, [0])[0].scopes)'],
        env={**os.environ, 'OCL_ICD_VENDORS': str(tmp_path / 'none')},
        check=True, stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.stdout == '{}\n'


def test_portrait_keeps_its_shape(tmp_path: Path) -> None:
    clip = tmp_path / 'portrait.mkv'
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
         'testsrc=size=360x640:rate=5:duration=1', '-c:v', 'mpeg4',
         str(clip)], check=True, timeout=60)
    picture, = pictures.make(str(clip), [0])
    assert (picture.width, picture.height) == (180, 320)


def test_a_turned_picture_is_upright(tmp_path: Path) -> None:
    """The left half, which is white, is at the top."""
    clip = tmp_path / 'turned.mp4'
    _half_white(clip, '-c:v', 'mpeg4')
    clips.turn(clip)
    picture, = pictures.make(str(clip), [0])
    assert (picture.width, picture.height) == (32, 64)
    grey = _grey(tmp_path, picture.jpeg)
    assert min(grey[:32 * 24]) > 200 and max(grey[32 * 40:]) < 40


def test_pictures_have_the_colours_of_the_video(tmp_path: Path) -> None:
    """A green of limited range, with the matrix of HD."""
    clip = tmp_path / 'green.mkv'
    clips.run('-f', 'lavfi', '-i', 'color=0x20a060:size=1280x720:rate=5:'
              'duration=1,scale=out_color_matrix=bt709:out_range=tv',
              '-c:v', 'ffv1', '-pix_fmt', 'yuv444p', '-colorspace', 'bt709',
              '-color_primaries', 'bt709', '-color_trc', 'bt709', str(clip))
    picture, = pictures.make(str(clip), [0])
    found = _pixels(tmp_path, picture.jpeg, 'rgb24')[:3]
    assert list(found) == pytest.approx([0x20, 0xa0, 0x60], abs=6)


def test_missing_time_has_no_picture() -> None:
    found = pictures.make(str(CLIP), [SECOND, 3600 * SECOND])
    assert [picture.time for picture in found] == [SECOND]


def test_file_without_video_has_no_pictures(tmp_path: Path) -> None:
    path = tmp_path / 'no.avi'
    path.write_text('not a video')
    assert pictures.make(str(path), [0]) == []
    assert pictures.make(str(tmp_path / 'gone'), [0]) == []


def test_a_missing_element_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, 'source', lambda path: 'no-such-element')
    with pytest.raises(ClqcError, match='no-such-element'):
        pictures.make(str(CLIP), [0])


def test_there_is_a_limit_of_time() -> None:
    """The clock advances by a minute with each read."""
    class Hurrying(Jumping):
        def now(self) -> float:
            self.sleep(60)
            return self.seconds
    assert pictures.make(str(CLIP), [0, SECOND], clock=Hurrying()) == []
    assert len(pictures.make(str(CLIP), [0, SECOND], 150, Hurrying())) == 1


def test_worst_frames_and_events_are_chosen(tmp_path: Path) -> None:
    results = keep(tmp_path, synthetic(400), [
        Event('black', 8 * SECOND, 10 * SECOND, 200, 250),
        Event('scene', 14 * SECOND, 14 * SECOND, 350, 350),
        Event('silence', 12 * SECOND, 13 * SECOND)])
    reasons = [Reason('frames.YMAX', 'error', 'Bright.', 0, 16 * SECOND, 100),
               Reason('events.black', 'error', 'Black.', 8 * SECOND,
                      10 * SECOND),
               Reason('container.codec', 'error', 'Codec.')]
    # The worst frame, the middle of the black part, the cut; silence has no
    # picture.
    assert thumbnails.choose(results, verdict(reasons)) == [
        4 * SECOND, 9 * SECOND, 14 * SECOND]


def test_equal_faults_are_spread_over_the_file(tmp_path: Path) -> None:
    """Each rule has pictures."""
    reasons = [Reason('events.black', 'error', 'Black.', 60 * n * SECOND,
                      60 * n * SECOND + 2 * SECOND) for n in range(60)]
    reasons.append(Reason('events.white', 'error', 'White.', 3500 * SECOND,
                          3502 * SECOND))
    times = thumbnails.choose(keep(tmp_path, synthetic(10), []),
                              verdict(reasons))
    assert len(times) == thumbnails.MOST
    assert 3501 * SECOND in times
    gaps = [after - before for before, after in zip(times, times[1:])]
    assert times[0] == SECOND and times[-1] > 3200 * SECOND
    assert max(gaps) <= 240 * SECOND


def test_number_of_pictures_is_limited(tmp_path: Path) -> None:
    events = [Event('scene', place * SECOND // 2, place * SECOND // 2,
                    place, place) for place in range(1000)]
    results = keep(tmp_path, synthetic(10), events)
    times = thumbnails.choose(results, verdict([
        Reason('frames.YMAX', 'warning', 'Bright.', 0, 0, 9)]))
    assert len(times) == thumbnails.MOST
    assert 360_000_000 in times
    assert times == sorted(times)
    assert min(after - before for before, after in zip(times, times[1:])) >= (
        thumbnails.APART)
    # Over the whole file, not only at its start.
    assert times[-1] > 400 * SECOND
