# SPDX-License-Identifier: LGPL-2.1-or-later
"""The stored results that another policy can be applied to."""
import pytest

from folders import DEFAULT, facts, frames
from folders import results as write

from clqc.judging import policy
from clqc.judging.judge import why_not
from clqc.judging.rules.detectors import STATISTICS


def ask(folder, text, lines=None, kept=None):
    settings = {**DEFAULT.measure, **(kept or {})}
    made = write(folder, frames(3) if lines is None else lines,
                 facts_of=facts(measured={'settings': settings}))
    return why_not(made, policy.parse(text, 'my.toml'))


def test_allowed(tmp_path):
    assert ask(tmp_path, '[events.freeze]\nmax-count = 0\n[frames.YMAX]\n'
               'max = 3') is None


def test_other_thresholds(tmp_path):
    """Events are detected again from the lines."""
    assert ask(tmp_path, '[measure]\nblack-min-duration = 0.1\n'
               'pixel-black-threshold = 0.2\nscene-threshold = 4\n'
               'defocus-average-time = 9\nfreeze-duration = 0.5\n'
               '[audio]\nsilence-level = -40', kept={'events': 'white'}
               ) is None


def test_freeze_noise(tmp_path):
    assert ask(tmp_path, '[measure]\nfreeze-noise = 0.002') == (
        'freeze-noise was 0.001, and the policy needs 0.002')
    kept = {'freeze-noise': '2e-3'}
    assert ask(tmp_path, '[measure]\nfreeze-noise = 0.002', kept=kept
               ) is None
    assert ask(tmp_path, '', kept=kept) == (
        'freeze-noise was 2e-3, and the policy needs 0.001')


def test_freeze_noise_of_no_event(tmp_path):
    assert ask(tmp_path, '[measure]\nevents = ["black"]\n'
               'freeze-noise = 0.5') is None


def test_freeze_noise_by_default(tmp_path):
    made = write(tmp_path, frames(3), facts_of=facts(
        measured={'settings': {'events': 'black'}}))
    assert why_not(made, DEFAULT) is None


def test_zones(tmp_path):
    text = '[measure]\ngrid-columns = 4\n[zones.mean.Y]\nmax = 3'
    assert ask(tmp_path, text) == (
        'grid-columns was 1, and the policy needs 4')
    lines = frames(3, zone_mean=[[1] * 4] * 3)
    kept = {'grid-columns': '4', 'grid-rows': '1'}
    assert ask(tmp_path, text, lines, kept) is None
    assert ask(tmp_path, '[frames.YMAX]\nmax = 3', lines, kept) is None


def test_events_of_zones(tmp_path):
    text = ('[measure]\ngrid-columns = 4\n'
            '[zone-events.{}]\nmax-count = 0').format
    kept = {'grid-columns': '4', 'grid-rows': '1'}
    assert ask(tmp_path, text('freeze'), kept=kept) == (
        'it was measured without zone-events')
    kept |= {'zone-events': 'freeze', 'region-histograms': 'false'}
    assert ask(tmp_path, text('freeze'), kept=kept) is None
    assert ask(tmp_path, text('black'), kept=kept) == (
        'region-histograms was false, and the policy needs true')
    kept['region-histograms'] = 'true'
    assert ask(tmp_path, text('black'), kept=kept) is None


@pytest.mark.parametrize('name, key', (
    ('YMAX', 'YMAX'), ('TOUT', 'TOUT'), ('mean', 'mean.Y'),
    ('saturation-max', 'saturation-max'), ('histogram', 'outside.Y'),
    ('noise', 'noise'), ('blockiness', 'blockiness'),
    ('range-above', 'range-above.Y')))
def test_statistic_that_was_not_measured(tmp_path, name, key):
    lines = frames(3)
    for line in lines:
        line.pop(name, None)
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


def test_flash_area(tmp_path):
    """The transitions in the lines follow from it."""
    text = '[measure]\nflash-area = {}\n[events.flash]\nmax-count = 0'.format
    lines = frames(3, flash_region_luminance_result=0)
    assert ask(tmp_path, text(0.25), lines) is None
    assert ask(tmp_path, text(0.1), lines) == (
        'flash-area was 0.25, and the policy needs 0.1')
    assert ask(tmp_path, text(0.1), lines, {'flash-area': '0.1'}) is None


@pytest.mark.parametrize('event', STATISTICS)
def test_event_whose_statistic_was_not_measured(tmp_path, event):
    name, field = STATISTICS[event]
    text = f'[events.{event}]\nmax-count = 0'
    assert ask(tmp_path, text) == (
        f'the event {event} needs the statistic {name}, which was not '
        'measured')
    lines = frames(3, **{field.replace('-', '_'): [0] * 3})
    assert ask(tmp_path, text, lines) is None
    assert ask(tmp_path, text, []) is None  # the verdict says so


def test_formats_without_the_statistic(tmp_path):
    """That is part of the verdict."""
    text = '[frames.SATMAX]\nmax = 1\n[frames.YMAX]\nmax = 255'
    assert ask(tmp_path, text, frames(3, components=['Y'])) is None
    assert ask(tmp_path, text, frames(3, components=['R', 'G', 'B'])) is None
