# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which kept figures another policy can be applied to."""
import pytest

from folders import SETTINGS, event, facts, frames
from folders import results as write

from clqc import policy
from clqc.judge import why_not


def ask(folder, text, lines=None, kept=None, **parts):
    settings = {**SETTINGS, **(kept or {})}
    made = write(folder, frames(3) if lines is None else lines,
                 [event('black', 0, 2)],
                 facts(measured={'settings': settings}, **parts))
    return why_not(made, policy.parse(text, 'my.toml'))


FREEZE = '[events.freeze]\nmax-count = 0\n'
ALL = ''.join(f'[events.{kind}]\nmax-count = 0\n' for kind in (
    'black', 'white', 'freeze', 'scene', 'single-color', 'defocus', 'silence',
    'black-with-sound', 'picture-without-sound'))


def test_allowed(tmp_path):
    assert ask(tmp_path, ALL + '[frames.YMAX]\nmax = 3') is None


def test_allowed_with_the_properties_that_were_set(tmp_path):
    asked = policy.parse('', '')
    assert ask(tmp_path, ALL, kept={**asked.measure, **asked.audio}) is None


@pytest.mark.parametrize('setting, wanted', (
    ('pixel-black-threshold', 0.2), ('picture-black-ratio', 0.9),
    ('white-pixel-threshold', 0.2), ('white-ratio', 0.9),
    ('white-leave-ratio', 0.9), ('freeze-noise', 0.002),
    ('scene-threshold', 5), ('single-color-spread', 0.1),
    ('single-color-ratio', 0.8), ('single-color-leave-ratio', 0.8),
    ('defocus-ratio', 0.4), ('defocus-leave-ratio', 0.6),
    ('defocus-average-time', 30), ('black-min-duration', 1),
    ('white-min-duration', 1), ('freeze-duration', 1),
    ('single-color-min-duration', 1), ('defocus-min-duration', 1)))
def test_other_setting(tmp_path, setting, wanted):
    why = ask(tmp_path, f'[measure]\n{setting} = {wanted}\n{ALL}')
    assert why and why.startswith(f'{setting} was ')


@pytest.mark.parametrize('setting', (
    'black-min-duration', 'white-min-duration', 'freeze-duration',
    'scene-threshold', 'single-color-min-duration', 'defocus-min-duration'))
def test_greater_than_kept(tmp_path, setting):
    assert ask(tmp_path, f'[measure]\n{setting} = 20\n{ALL}') is None


def test_setting_of_no_rule(tmp_path):
    assert ask(tmp_path, '[measure]\nfreeze-noise = 0.5\n'
               '[events.black]\nmax-count = 0') is None


def test_setting_of_an_exception(tmp_path):
    assert ask(tmp_path, '[measure]\nfreeze-noise = 0.5\n[frames.VREP]\n'
               'max = 1\nexcept = ["freeze"]').startswith('freeze-noise')
    assert ask(tmp_path, '[measure]\nfreeze-noise = 0.5\n[events.black]\n'
               'max-count = 0\nexcept = ["freeze"]'
               ).startswith('freeze-noise')


def test_event_that_was_not_measured(tmp_path):
    assert ask(tmp_path, FREEZE, kept={'events': 'black+scene'}
               ) == 'freeze was not measured'


def test_silence(tmp_path):
    rule = '[events.silence]\nmax-count = 0\n'
    assert ask(tmp_path, '[audio]\nsilence-level = -50\n' + rule
               ) == ('silence-level was -60.0, and the policy asks for -50.0')
    assert ask(tmp_path, '[audio]\nsilence-duration = 1\n' + rule
               ).startswith('silence-duration was')
    assert ask(tmp_path, '[audio]\nsilence-duration = 3\n' + rule) is None
    assert ask(tmp_path, rule, kept={'silence-level': None}
               ).startswith('silence-level is not known')
    assert ask(tmp_path, '[audio]\nsilence-level = -50\n' + rule, audio=[]
               ) is None


def test_zones(tmp_path):
    text = '[measure]\ngrid-columns = 4\n[zones.mean.Y]\nmax = 3'
    assert ask(tmp_path, text) == (
        'grid-columns was 1, and the policy asks for 4')
    lines = frames(3, zone_mean=[[1] * 4] * 3)
    kept = {'grid-columns': '4', 'grid-rows': '1'}
    assert ask(tmp_path, text, lines, kept) is None
    assert ask(tmp_path, '[frames.YMAX]\nmax = 3', lines, kept) is None


@pytest.mark.parametrize('name, key', (
    ('YMAX', 'YMAX'), ('TOUT', 'TOUT'), ('mean', 'mean.Y'),
    ('saturation-max', 'saturation-max'), ('histogram', 'outside.Y')))
def test_statistic_that_was_not_measured(tmp_path, name, key):
    lines = frames(3)
    for line in lines:
        del line[name]
    extra = 'low = 3\n' if 'outside' in key else ''
    made = write(tmp_path, lines, whole={'frames': 3, 'components': ['Y']},
                 facts_of=facts())
    why = why_not(made, policy.parse(f'[frames.{key}]\nmax = 1\n{extra}', ''))
    assert why == f'{key} was not measured'


def test_pooled_statistic_that_was_not_measured(tmp_path):
    made = write(tmp_path, frames(3),
                 whole={'frames': 3, 'components': ['Y']})
    assert why_not(made, policy.parse('[pooled.mean.Y]\nmax = 1', '')
                   ) == 'mean.Y was not measured'


def test_pictures_that_have_no_such_statistic(tmp_path):
    """That is for the verdict to say."""
    text = '[frames.SATMAX]\nmax = 1\n[frames.YMAX]\nmax = 255'
    assert ask(tmp_path, text, frames(3, components=['Y'])) is None
    assert ask(tmp_path, text, frames(3, components=['R', 'G', 'B'])) is None
