# SPDX-License-Identifier: LGPL-2.1-or-later
"""Limits that are learnt from good files are kept by them, and not by
others."""
import pytest

from folders import event, facts, frames, integrity, pooled
from folders import results as write

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.judging.judge import judge, why_not
from clqc.judging.learning import learn


SHORT = policy.parse('[measure]\nfreeze-duration = 0.5\n'
                     'black-min-duration = 0.5\n', '')


def good(tmp_path):
    """Three files that differ in everything."""
    one = frames(50, {7: {'YMAX': 212, 'TOUT': 0.0042}})
    two = frames(60, {9: {'YMIN': 22, 'VREP': 0.01}})
    three = frames(40, {3: {'YMAX': 860, 'SATMAX': 300}}, depth=10)
    return [
        write(tmp_path / 'one', one, [event('freeze', 1, 2),
                                      event('scene', 1, 1, score=11.0)],
              facts(video={'codec': 'H.264 (High Profile)'}),
              found_with=SHORT),
        write(tmp_path / 'two', two, [event('silence', 0, 2.4)],
              facts(audio=[], video={'rate': [30000, 1001], 'range': None}),
              found_with=SHORT),
        write(tmp_path / 'three', three, [event('freeze', 0, 1),
                                          event('freeze', 1, 1.5)],
              facts(video={'depth': 10}),
              pooled(three, mean=[480.0, 400.0, 400.0]), SHORT)]


def learnt(folders):
    return policy.parse(learn(folders), 'learnt.toml')


def test_good_files_pass_learnt_limits(tmp_path):
    folders = good(tmp_path)
    found = learnt(folders)
    for results in folders:
        assert why_not(results, found) is None
        assert judge('x', results, found).reasons == []


def test_damaged_file_fails_learnt_limits(tmp_path):
    """One decode error more than a good file has, and the same offset."""
    def made(n_errors):
        results = write(tmp_path / str(n_errors), frames(50))
        results.write('integrity.json', integrity(
            errors=[[0, 1, ['a'], 0, 'video']] * n_errors,
            tracks=[{'kind': kind, 'measured': kind == 'video',
                     'first': first, 'last': 2_000_000_000}
                    for kind, first in (('video', 0),
                                        ('audio', 400_000_000))]))
        return results
    good_one, bad_one = made(1), made(2)
    found = learnt([good_one])
    limits = {rule.name: rule.limit for rule in found.completeness}
    assert limits == {
        'file.missing-bytes': 0, 'file.missing-packets': 0,
        'file.missing-duration': 0.1, 'decode.errors': 1, 'dropped.frames': 0,
        'tracks.offset': 0.5, 'tracks.duration': 0.1}
    assert [rule.max_count for rule in found.events
            if rule.kind == 'gap'] == [0]
    assert judge('x', good_one, found).status == 'pass'
    assert {reason.rule for reason in judge('x', bad_one, found).reasons} == {
        'decode.errors'}


def test_deterministic(tmp_path):
    folders = good(tmp_path)
    assert learn(folders) == learn(folders[::-1])


def test_limits(tmp_path):
    rules = {rule.name: rule for rule in learnt(good(tmp_path)).frames}
    # 860 of 10 bits is 215 of 8.
    assert rules['frames.YMAX'].maximum == 217
    assert rules['frames.YMIN'].minimum == 20
    assert rules['frames.SATMAX'].maximum == 77
    assert rules['frames.TOUT'].maximum == 0.0063
    assert rules['frames.VREP'].maximum == 0.0135
    assert rules['frames.VREP'].exempt == ('black', 'white', 'single-color')


def test_black_frames_repeat_their_rows(tmp_path):
    lines = frames(50, {n: {'VREP': 1} for n in range(20, 50)})
    made = write(tmp_path / 'one', lines, [event('black', 0.8, 2)],
                 found_with=SHORT)
    rules = {rule.name: rule for rule in learnt([made]).frames}
    assert rules['frames.VREP'].maximum == 0.0035
    assert judge('x', made, learnt([made])).reasons == []


def test_comments_name_the_source(tmp_path):
    text = learn(good(tmp_path))
    assert ('# Greatest luma: the greatest is 215, in frame 3 of three.'
            in text)
    assert '# Learnt from 3 good files.' in text
    assert 'frame 7 of one' in text
    assert all(len(line) <= 200 for line in text.split('\n'))


def test_pooled(tmp_path):
    rule, = learnt(good(tmp_path)).pooled
    assert (rule.name, rule.minimum, rule.maximum) == (
        'pooled.mean.Y', 92, 128)


def test_events(tmp_path):
    rules = {rule.kind: rule for rule in learnt(good(tmp_path)).events}
    assert (rules['black'].max_count, rules['black'].max_duration) == (
        0, None)
    assert (rules['freeze'].max_count, rules['freeze'].max_duration) == (
        2, 1_300_000_000)
    assert (rules['silence'].max_count, rules['silence'].max_duration) == (
        1, 3_000_000_000)
    assert 'scene' not in rules


def test_container(tmp_path):
    text = learn(good(tmp_path))
    assert 'codec = ["H.264", "H.264 (High Profile)"]' in text
    assert 'rate = [25, "30000/1001"]' in text
    assert 'range = ["limited", "unknown"]' in text
    assert 'audio-tracks = [0, 1]' in text
    assert 'depth = [8, 10]' in text
    assert 'duration' not in {rule.key for rule
                              in learnt(good(tmp_path)).container}


def test_names_with_stars_and_quotes(tmp_path):
    odd = facts(container={'format': 'a "b" *[c]? \\ ü'})
    made = write(tmp_path / 'one', frames(5), facts_of=odd)
    assert judge('x', made, learnt([made])).reasons == []
    other = write(tmp_path / 'two', frames(5), facts_of=facts(
        container={'format': 'a "b" xyzc? \\ ü'}))
    assert judge('x', other, learnt([made])).status == 'fail'


def test_folder_with_line_break(tmp_path):
    made = write(tmp_path / 'a\nmax = 3', frames(5))
    assert judge('x', made, learnt([made])).reasons == []


@pytest.mark.parametrize('changed, events, rule', (
    ({'YMAX': 220}, [], 'frames.YMAX'), ({'YMIN': 19}, [], 'frames.YMIN'),
    ({'VREP': 0.02}, [], 'frames.VREP'), ({}, [event('black', 0, 1)],
                                          'events.black'),
    ({}, [event('freeze', 0, 1.4)], 'events.freeze')))
def test_other_files_fail_learnt_limits(tmp_path, changed, events, rule):
    made = write(tmp_path / 'bad', frames(50, **changed), events)
    verdict = judge('x', made, learnt(good(tmp_path)))
    assert [reason.rule for reason in verdict.reasons] == [rule]


def test_settings_equal_those_of_the_files(tmp_path):
    asked = policy.parse(
        '[measure]\nevents = ["black", "freeze"]\nfreeze-noise = 0.002\n'
        'freeze-duration = 0.5\n[audio]\nsilence-level = -45\n'
        'silence-duration = 1.5', '')
    made = write(tmp_path / 'one', frames(5), facts_of=facts(
        measured={'settings': asked.measure}), found_with=asked)
    found = learnt([made])
    assert (found.measure, found.audio) == (asked.measure, asked.audio)
    assert why_not(made, found) is None


def test_different_settings(tmp_path):
    folders = [write(tmp_path / name, frames(5), found_with=policy.parse(
        f'[measure]\nfreeze-noise = {noise}', ''))
        for name, noise in (('a', '0.001'), ('b', '0.002'))]
    with pytest.raises(ClqcError, match='b: freeze-noise was 0.002, and '
                       '0.001 in .*a; '):
        learn(folders)


def test_full_range_has_no_limits_of_codes(tmp_path):
    made = write(tmp_path / 'a', frames(5, YMAX=255, YMIN=0))
    names = {rule.name for rule in learnt([made]).frames}
    assert not {'frames.YMAX', 'frames.YMIN'} & names
    assert 'frames.BRNG' in names


def test_rgb_and_grey(tmp_path):
    for name, components in (('rgb', 'RGB'), ('grey', 'Y')):
        made = write(tmp_path / name, frames(5, components=components))
        found = learnt([made])
        assert f'frames.{components[0]}MAX' in {
            rule.name for rule in found.frames}
        assert judge('x', made, found).reasons == []


def test_nothing_to_learn_from(tmp_path):
    with pytest.raises(ClqcError, match='no files'):
        learn([])
    with pytest.raises(ClqcError, match='no frame was measured'):
        learn([write(tmp_path / 'a', [], whole={})])
