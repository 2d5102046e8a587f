# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file in parts has the bytes of one run."""
import io
import os
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Callable, Iterator, List, Tuple
from unittest import mock

import clips
import pytest
from clqc.decoding import jobs, file_parts
from clqc.decoding.file_parts import Part
from clqc.measuring import joining, replay, video
from clqc.results import frame_lines
from command import job_here

SETTINGS = {'events': 'black+freeze+scene', 'freeze-duration': '1000000000'}
SEED = int(os.environ.get('CL_TEST_SEED', '1'))
MAX_PARTS = int(os.environ.get('CLQC_TEST_PARTS', '4'))


@pytest.fixture(scope='module', autouse=True)
def measure_here() -> Iterator[None]:
    """Measures without a process for each part."""
    with mock.patch.object(jobs, 'run', job_here):
        yield


def measure(path: str, folder: Path, n_parts: int) -> Tuple[bytes, video.
                                                            Measured]:
    keys = jobs.run('', 'packets', path=path, track=None)['keys']
    plan = video.Plan(path, str(folder), str(folder / 'log'), SETTINGS, keys,
                      n_parts)
    measured = video.measure(plan)
    return Path(measured.path).read_bytes(), measured


@dataclass
class Clip:
    """A file, and the measurement of one run."""
    path: str
    whole: bytes
    n_frames: int


Clips = Callable[[str], Clip]


@pytest.fixture(scope='module', name='clip_of')
def make_clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    """Returns the clip in the codec of an extension."""
    folder = tmp_path_factory.mktemp('clips')

    @lru_cache(None)
    def clip_of(extension: str) -> Clip:
        path = clips.make(str(folder / f'clip.{extension}'))
        whole, measured = measure(path, folder, 1)
        return Clip(path, whole, measured.n_frames)
    return clip_of


@pytest.mark.parametrize('extension', list(clips.CODECS))
def test_parts_join_exactly(extension: str, clip_of: Clips,
                            tmp_path: Path) -> None:
    clip = clip_of(extension)
    assert clip.n_frames == 400
    n_parts = random.Random(f'{SEED} {extension}').randint(2, MAX_PARTS)
    joined, of_parts = measure(clip.path, tmp_path, n_parts)
    assert joined == clip.whole
    if extension != 'mpg':  # which cannot be cut everywhere
        assert of_parts.facts['one-piece'] is None
        assert of_parts.facts['parts'] > 1


def test_freeze_across_cuts(clip_of: Clips, tmp_path: Path) -> None:
    clip = clip_of('mp4')
    n_parts = max(MAX_PARTS, 6)
    joined, of_parts = measure(clip.path, tmp_path, n_parts)
    assert of_parts.facts['parts'] == n_parts
    assert joined == clip.whole
    found, pooled = replay.replay(_file(tmp_path, clip.whole), SETTINGS)
    assert pooled['frames'] == 400
    kinds = [(event.kind, event.start_frame, event.end_frame)
             for event in found if event.kind != 'scene']
    assert ('freeze', 100, 200) in kinds
    assert ('black', 300, 400) in kinds


def _file(folder: Path, data: bytes) -> io.BufferedReader:
    path = folder / 'frames'
    path.write_bytes(data)
    return path.open('rb')


def test_parts_of_a_file_with_sound(tmp_path: Path) -> None:
    path = clips.make(str(tmp_path / 'clip.mp4'), 'testsrc=s=64x48:r=25:d=4',
                      'sine=d=4')
    whole, _ = measure(path, tmp_path, 1)
    joined, of_parts = measure(path, tmp_path, 3)
    assert of_parts.facts['parts'] == 3
    assert joined == whole


def test_part_without_frames_is_ignored(tmp_path: Path) -> None:
    """Some decoders of interlaced MPEG-2 output nothing after some cuts."""
    lines_of_part = tmp_path / 'part'
    lines_of_part.write_text('')
    joiner = video.Joiner(video.Plan(clips.SOURCE, str(tmp_path), 'log', {}),
                          [0, 5], io.StringIO())
    part = Part(clips.SOURCE, str(lines_of_part), start=5)
    with pytest.raises(joining.Inexact, match='no frame comes in front'):
        joiner.add(part)
    joiner.tail.add(first(0))
    with pytest.raises(joining.Inexact, match='there is no frame when'):
        joiner.add(part)


def test_one_piece_without_cuts(tmp_path: Path) -> None:
    """The clip has one key frame."""
    _, measured = measure(clips.SOURCE, tmp_path, 5)
    assert measured.facts['parts'] == 1
    assert 'key frames' in measured.facts['one-piece']


def test_cuts_are_key_frames() -> None:
    keys = [0, 10, 20, 30, 90]
    assert file_parts.choose_cuts(keys, 1) == []
    assert file_parts.choose_cuts(keys, 2) == [30]
    assert file_parts.choose_cuts(keys, 3) == [30, 90]
    assert file_parts.choose_cuts(keys, 50) == [10, 20, 30, 90]
    assert file_parts.choose_cuts(
        [key + 10 ** 6 for key in keys], 2) == [10 ** 6 + 30]


def test_decoding_begins_a_key_frame_earlier() -> None:
    keys = [0, 10, 20, 30]
    assert file_parts.entry_point(keys, None) == 0
    assert file_parts.entry_point(keys, 9) == 0
    assert file_parts.entry_point(keys, 20) == 10
    assert file_parts.entry_point(keys, 35) == 20


# --- cuts, without a decoder ---------------------------------------------


def frame(time: int, moves: bool, rest: str = 'x') -> frame_lines.Frame:
    sad = 9 if moves else 1
    return frame_lines.Frame(time, time, 1, time,
                             f'"y":"{rest}","reference-difference":{sad},'
                             '"reference-count":5,"reference-limit":5}\n')


def first(time: int) -> frame_lines.Frame:
    return frame_lines.Frame(time, time, 1, time,
                             '"y":"x","reference-difference":0,'
                             '"reference-count":0,"reference-limit":5}\n')


def tail() -> joining.Tail:
    made = joining.Tail()
    for one in first(0), frame(1, False), frame(2, False):
        made.add(one)
    return made


def run_of(true: List[frame_lines.Frame]) -> joining.Measure:
    """A mock of a decoder with the frames of one run."""
    def run(times: List[int], start: int,
            limit: int) -> List[frame_lines.Frame]:
        return [one for one in true if one.stream_time in times] + [
            one for one in true if one.stream_time is not None and
            one.stream_time >= start][:limit]
    return run


def test_frames_up_to_a_common_reference_are_replaced() -> None:
    true = [first(0), frame(1, False), frame(2, False), frame(3, False),
            frame(4, True), frame(5, False)]
    part = [first(3), frame(4, False), frame(5, True)]
    assert tail().frames() == [tail().reference, tail().last]
    # at 4 the part keeps its reference: neither replaces it
    taken, rest = joining.over_cut(tail(), part, 3, run_of(true))
    assert (taken, rest) == (true[3:], [])
    part[1] = frame(4, True)
    taken, rest = joining.over_cut(tail(), part, 3, run_of(true))
    assert (taken, rest) == (true[3:5], part[2:])


def test_other_frames_are_found() -> None:
    true = [first(0), frame(1, False), frame(2, False), frame(3, True)]
    with pytest.raises(joining.Inexact, match='differs when the decoder'):
        joining.over_cut(tail(), [frame(3, True, 'z')], 3, run_of(true))
    with pytest.raises(joining.Inexact, match='were expected'):
        joining.over_cut(tail(), [frame(3, True)], 3, run_of(true[1:]))
    wrong = [first(0), frame(1, False), frame(2, False, 'z'), frame(3, True)]
    with pytest.raises(joining.Inexact, match='differs when the decoder'):
        joining.over_cut(tail(), [frame(3, True)], 3, run_of(wrong))


def test_a_part_that_ends_early_is_found() -> None:
    true = [first(0), frame(1, False), frame(2, False), frame(3, True),
            frame(4, True)]
    with pytest.raises(joining.Inexact, match='differs when the decoder'):
        joining.over_cut(tail(), [frame(4, True)], 4, run_of(true))


def test_lines_are_copied_unchanged() -> None:
    text = ('{"type":"frame","timestamp":5,"stream-time":4,"running-time":9,'
            '"duration":null,"frame":3,"element":"a\\",\\\\","width":2,'
            '"sum-differences":[1,2],'
            '"zone-mean-difference":[[1.5,2e-05],[3,4]],"YDIF":0.5,'
            '"previous-count":0,"z":1}\n')
    parsed = frame_lines.parse(text)
    assert parsed is not None
    assert parsed.text(7) == text.replace('"running-time":9',
                                          '"running-time":4').replace(
        '"frame":3,"element":"a\\",\\\\"', '"frame":7')
    assert parsed.alone() == '"width":2,"z":1}\n'
    assert frame_lines.parse('{"type":"pooled","frames":1}\n') is None
