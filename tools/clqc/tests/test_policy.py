# SPDX-License-Identifier: LGPL-2.1-or-later
"""Policies are parsed, and their errors found."""
import os
import random

import pytest

from clqc.common.errors import ClqcError
from clqc.judging import policy
from clqc.measuring.measurement import settings_of


def parse(text):
    return policy.parse(text, 'my.toml', 'my')


def mistakes(text):
    with pytest.raises(ClqcError) as caught:
        parse(text)
    return str(caught.value).split('\n')


@pytest.mark.parametrize('event, statistic', (
    ('noisy', 'noise'), ('border', 'active-area'), ('blocky', 'blockiness'),
    ('field-order', 'fields'), ('card', 'cells'), ('flash', 'flash'),
    ('levels', 'levels')))
def test_statistics_of_events(event, statistic):
    """Lines of frames have what clqc-replay needs for the event."""
    settings = settings_of(parse(f'[events.{event}]\nmax-count = 0\n'))
    assert statistic in settings['statistics'].split('+')
    assert 'detection' in settings['statistics'].split('+')
    of_limits = settings_of(parse('[frames.noise]\nmax = 3\n'))
    assert 'noise' in of_limits['statistics'].split('+')
    usual = settings_of(parse('[events.black]\nmax-count = 0\n'))
    assert 'statistics' not in usual


@pytest.mark.parametrize('name', policy.shipped())
def test_shipped(name):
    loaded = policy.load(name)
    assert loaded.name == name
    assert loaded.description
    assert loaded.frames or loaded.events


def test_shipped_names():
    assert policy.shipped() == [
        'broadcast-range', 'camera-archive', 'default', 'digitised-tape',
        'hdr10', 'pse', 'web-delivery']
    assert policy.load().name == policy.DEFAULT


def test_from_file(tmp_path):
    path = tmp_path / 'strict.toml'
    path.write_bytes(b'\xef\xbb\xbf[frames.YMAX]\r\nmax = 235\r\n')
    loaded = policy.load(str(path))
    assert loaded.name == 'strict'
    rule, = loaded.frames
    assert (rule.name, rule.maximum, rule.minimum, rule.severity, rule.share,
            rule.duration, rule.is_native, rule.exempt) == (
                'frames.YMAX', 235, None, 'error', 0, 0, False, ())


def test_by_name_in_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'strict').write_text('name = "other"')
    assert policy.load('strict').name == 'other'


def test_hash_is_of_the_content():
    one = parse('[frames.YMAX]\nmax = 235')
    assert one.hash == parse('# hi\n\n[frames]\nYMAX = {max = 235}').hash
    assert one.hash != parse('[frames.YMAX]\nmax = 234').hash
    assert len(one.hash) == 64


def test_measure():
    measure = parse('[measure]\nevents = ["freeze", "black"]\n'
                    'freeze-noise = 0.002\nfreeze-duration = 1.5\n').measure
    assert measure == {
        'events': 'black+freeze', 'pixel-black-threshold': '0.1',
        'picture-black-ratio': '0.98', 'black-min-duration': '2000000000',
        'freeze-noise': '0.002', 'freeze-duration': '1500000000'}


def test_measure_by_default_and_none():
    assert parse('').measure['events'] == (
        'black+white+freeze+scene+single-color+defocus+range')
    assert parse('').measure['scene-threshold'] == '10.0'
    assert parse('[measure]\nevents = []').measure == {'events': '0'}
    ruled = parse('[events.noisy]\nmax-count = 0').measure
    assert ruled['events'].split('+')[-2:] == ['range', 'noisy']
    assert ruled['noisy-threshold'] == '0.03'


def test_card_file():
    """It is beside the policy; without the event it is not used."""
    text = '[measure]\ncard-file = "my cards"\n'
    assert 'card-file' not in parse(text).measure
    measure = policy.parse(f'{text}[events.card]\nmax-count = 0',
                           '/a/b/my.toml').measure
    assert measure['card-file'] == '/a/b/my cards'
    assert measure['card-min-duration'] == '500000000'


def test_measure_zones():
    measure = parse('[measure]\ngrid-columns = 8.0').measure
    assert (measure['grid-columns'], measure['grid-rows'],
            measure['region-histograms']) == ('8', '1', 'false')
    assert 'grid-rows' not in parse('[measure]\ngrid-rows = 1').measure


@pytest.mark.parametrize('kind, histograms', (
    ('black', 'true'), ('white', 'true'), ('single-color', 'true'),
    ('freeze', 'false'), ('defocus', 'false')))
def test_events_of_zones(kind, histograms):
    made = parse('[measure]\ngrid-rows = 2\ngrid-columns = 5.0\n'
                 f'[zone-events.{kind}]\nmax-count = 0')
    rule, = made.events
    assert (rule.name, rule.kind, rule.zone_columns) == (
        f'zone-events.{kind}', kind, 5)
    assert (made.measure['zone-events'], made.measure['region-histograms']
            ) == (kind, histograms)
    assert (made.most_parts(4), parse('').most_parts(4)) == (1, 4)


@pytest.mark.parametrize('text, n_parts', (
    ('[events.flash]\nmax-count = 0', 1),
    ('[measure]\nevents = ["flash"]', 1),
    ('[frames.flash-red-area]\nmax = 0.5', 1),
    ('[events.levels]\nmax-count = 0', 4)))
def test_parts(text, n_parts):
    """Flashes depend on more frames before than parts overlap."""
    assert parse(text).most_parts(4) == n_parts


def test_statistics_of_pooled_rules():
    """They are measured in each frame."""
    settings = settings_of(parse('[pooled.max-cll]\nmax = 1000'))
    assert 'light' in settings['statistics'].split('+')
    assert 'statistics' not in settings_of(parse('[pooled.mean.Y]\nmin = 9'))


def test_flash_area():
    """The lines follow from it, and events alone from other settings."""
    made = parse('[measure]\nflash-area = 0.1\nlevels-area = 0.2\n'
                 'events = ["flash", "levels"]')
    assert (made.measure['flash-area'], made.measure['levels-area'],
            made.measure['levels-min-duration']) == ('0.1', '0.2', '0')
    settings = settings_of(made)
    assert settings['flash-area'] == '0.1'
    assert 'levels-area' not in settings
    assert {'flash', 'levels'} <= set(settings['statistics'].split('+'))


def test_measure_significant_bits():
    measure = parse('[measure]\nsignificant-bits = 12.0').measure
    assert measure['significant-bits'] == '12'
    assert 'significant-bits' not in parse('').measure


def test_audio():
    assert parse('').audio == {'silence-level': -60,
                               'silence-duration': 2_000_000_000}
    assert parse('[audio]\nsilence-level = -40\nsilence-duration = 0.5'
                 ).audio == {'silence-level': -40,
                             'silence-duration': 500_000_000}


@pytest.mark.parametrize('text', (
    '[frames.mean.Y]\nmax = 3', '[frames."mean.Y"]\nmax = 3',
    '[frames]\nmean.Y.max = 3', '[[frames.mean.Y]]\nmax = 3',
    '[frames.mean]\nY = {max = 3}'))
def test_component(text):
    rule, = parse(text).frames
    assert (rule.name, rule.statistic.field, rule.statistic.component) == (
        'frames.mean.Y', 'mean', 'Y')


def test_several_rules_of_one_statistic():
    rules = parse('[[frames.TOUT]]\nmax = 0.01\nseverity = "warning"\n'
                  '[[frames.TOUT]]\nmax = 0.1\n').frames
    assert [(rule.maximum, rule.severity) for rule in rules] == [
        (0.01, 'warning'), (0.1, 'error')]


def test_container_forms():
    rules = parse('[container]\nseverity = "warning"\ncodec = "H.264"\n'
                  'rate = [25, "30000/1001"]\n'
                  'width = {min = 640, max = 1920, severity = "error"}\n'
                  ).container
    assert [(rule.key, rule.severity) for rule in rules] == [
        ('codec', 'warning'), ('rate', 'warning'), ('width', 'error')]
    assert rules[0].allowed == ('H.264',)
    assert [round(float(value), 2) for value in rules[1].allowed] == [
        25, 29.97]
    assert (rules[2].minimum, rules[2].maximum) == (640, 1920)


MISTAKES = (
    # text, line, key, message
    ('[frame.YMAX]\nmax = 1', 1, 'frame', 'did you mean frames?'),
    ('\n[frames.YMXA]\nmax = 1', 2, 'frames.YMXA', 'did you mean YMAX?'),
    ('[frames.ymax]\nmax = 1', 1, 'frames.ymax', 'did you mean YMAX?'),
    ('[frames.xyz]\nmax = 1', 1, 'frames.xyz',
     'docs/policies.md'),
    ('[frames.mean]\nmax = 1', 1, 'frames.mean', 'mean.Y'),
    ('[frames.mean.X]\nmax = 1', 1, 'frames.mean.X', 'no such statistic'),
    ('[frames]\nYMAX = 235', 2, 'frames.YMAX', 'allowed is a table'),
    ('[frames.YMAX]\n\nmaximum = 235', 3, 'frames.YMAX.maximum',
     'did you mean max?'),
    ('[frames.YMAX]\nmax = "235"', 2, 'frames.YMAX.max', 'a number'),
    ('[frames.YMAX]\nmax = true', 2, 'frames.YMAX.max', 'a number'),
    ('[frames.YMAX]\nmax = nan', 2, 'frames.YMAX.max', 'a finite number'),
    ('[frames.YMAX]\nmax = -inf', 2, 'frames.YMAX.max', 'a finite number'),
    (f'[frames.YMAX]\nmax = 1{"0" * 400}', 2, 'frames.YMAX.max', '2^63'),
    ('[frames.YMAX]\nmax = 1979-05-27', 2, 'frames.YMAX.max', 'a number'),
    ('[frames.YMAX]\nmax = -1', 2, 'frames.YMAX.max', '0 or more'),
    ('[frames.YMAX]\nseverity = "error"', 1, 'frames.YMAX', 'no limit'),
    ('[frames.YMAX]\nmin = 5\nmax = 4', 2, 'frames.YMAX.min', 'above max'),
    ('[frames.YMAX]\nmax = 5\nshare = 1.5', 3, 'frames.YMAX.share',
     'a share, 0 to 1'),
    ('[frames.YMAX]\nmax = 5\nfor = -1', 3, 'frames.YMAX.for', 'seconds'),
    ('[frames.YMAX]\nmax = 5\nseverity = "fatal"', 3, 'frames.YMAX.severity',
     '"error" or "warning"'),
    ('[frames.YMAX]\nmax = 5\ncodes = "10-bit"', 3, 'frames.YMAX.codes',
     '"8-bit" or "native"'),
    ('[frames.YMAX]\nmax = 5\nexcept = ["dark"]', 3, 'frames.YMAX.except',
     '"black"'),
    ('[frames.YMAX]\nmax = 5\nexcept = "black"', 3, 'frames.YMAX.except',
     'a list of'),
    ('[frames.YMAX]\nmax = 5\nlow = 3', 3, 'frames.YMAX.low', 'outside'),
    ('[frames.BRNG]\nmax = 5', 2, 'frames.BRNG.max', '0 to 1'),
    ('[frames.HUEAVG]\nmax = 361', 2, 'frames.HUEAVG.max', '0 to 360'),
    ('[frames.outside.Y]\nmax = 0.1', 1, 'frames.outside.Y', 'low, high'),
    ('[frames.outside.Y]\nmax = 0.1\nlow = 9\nhigh = 8', 3,
     'frames.outside.Y.low', 'above high'),
    ('[[frames.TOUT]]\nmax = 0.1\n\n[[frames.TOUT]]\nmax = 2', 5,
     'frames.TOUT.max', '0 to 1'),
    ('[zones.mean.Y]\nmax = 5', 1, 'zones', 'grid-columns'),
    ('[zone-events.black]\nmax-count = 0', 1, 'zone-events', 'grid-columns'),
    ('[measure]\ngrid-rows = 2\n[zone-events.scene]\nmax-count = 0', 3,
     'zone-events.scene', 'black'),
    ('[measure]\ngrid-rows = 2\n[zone-events.black]\nat = "start"', 3,
     'zone-events.black', 'no limit'),
    ('[measure]\ngrid-rows = 2\nevents = ["white"]\n[zone-events.black]\n'
     'max-count = 0', 4, 'zone-events.black', 'measure.events'),
    ('[measure]\ngrid-rows = 2\n[zones.YMAX]\nmax = 5', 3, 'zones.YMAX',
     'not a statistic of zones'),
    ('[measure]\ngrid-rows = 2\n[zones.outside.Y]\nmax = 1\nlow = 1', 3,
     'zones.outside.Y', 'not a statistic of zones'),
    ('[measure]\ngrid-rows = 2\n[zones.blockiness]\nmax = 3', 3,
     'zones.blockiness', 'not a statistic of zones'),
    ('[measure]\ngrid-rows = 2\n[zones.light-max]\nmax = 3', 3,
     'zones.light-max', 'not a statistic of zones'),
    ('[frames.max-cll]\nmax = 3', 1, 'frames.max-cll',
     'a statistic of the whole file; use [pooled.max-cll]'),
    ('[frames.levels-r]\nmax = 1.5', 2, 'frames.levels-r.max',
     'allowed is 0 to 1 (share)'),
    ('[pooled.max-fall]\nmin = -1', 2, 'pooled.max-fall.min',
     'allowed is 0 or more (cd/m2)'),
    ('[pooled.TOUT]\nmax = 1', 1, 'pooled.TOUT', 'not a statistic of the'),
    ('[pooled.mean]\nmax = 1', 1, 'pooled.mean', 'mean.Y'),
    ('[pooled.mean.Y]\nmax = 1\nshare = 0.1', 3, 'pooled.mean.Y.share',
     'no such key'),
    ('[pooled.meen.Y]\nmax = 1', 1, 'pooled.meen', 'did you mean'),
    ('[events.dark]\nmax-count = 0', 1, 'events.dark', 'black'),
    ('[events.signal-loss]\nmax-count = 0', 1, 'events.signal-loss',
     'no such key'),
    ('[events.black]\nat = "ends"', 1, 'events.black', 'no limit'),
    ('[events.black]\nmax-count = 1.5', 2, 'events.black.max-count',
     'a whole number'),
    ('[events.black]\nmax-count = -1', 2, 'events.black.max-count',
     'a whole number'),
    ('[events.black]\nmax-count = 1\nat = "middle"', 3, 'events.black.at',
     '"inside"'),
    ('[events.black]\nmax-duration = "2 s"', 2, 'events.black.max-duration',
     'a number of seconds'),
    ('[events.black]\nmax-total = -1', 2, 'events.black.max-total',
     'a number of seconds'),
    ('[events.black]\nmax-share = 50', 2, 'events.black.max-share',
     '0 to 1'),
    ('[events.black]\nmax-count = 0\nmin-duration = 1', 3,
     'events.black.min-duration', 'black-min-duration'),
    ('[events.silence]\nmax-count = 0\nmin-duration = 1', 3,
     'events.silence.min-duration', 'silence-duration'),
    ('[events.black]\nmax-count = 0\nexcept = ["black"]', 3,
     'events.black.except', 'excludes itself'),
    ('[events.scene]\nmax-duration = 1', 2, 'events.scene.max-duration',
     'a cut has no duration'),
    ('[measure]\nevents = ["freeze"]\n[events.black]\nmax-count = 0', 3,
     'events.black', 'measure.events'),
    ('[measure]\nevents = []\n[events.black-with-sound]\nmax-count = 0', 3,
     'events.black-with-sound', 'measure.events'),
    ('[measure]\nevents = []\n[frames.VREP]\nmax = 0\nexcept = ["black"]', 5,
     'frames.VREP.except', 'measure.events'),
    ('[measure]\nevents = ["blak"]', 2, 'measure.events', '"black"'),
    ('[measure]\nevents = "black"', 2, 'measure.events', 'a list of'),
    ('[measure]\nfreeze-nois = 1', 2, 'measure.freeze-nois',
     'did you mean freeze-noise?'),
    ('[measure]\nfreeze-noise = 2', 2, 'measure.freeze-noise', '0 to 1'),
    ('[measure]\nscene-threshold = 101', 2, 'measure.scene-threshold',
     '0 to 100'),
    ('[measure]\nblack-min-duration = 2e9', 2, 'measure.black-min-duration',
     'seconds'),
    ('[measure]\nsignificant-bits = 8', 2, 'measure.significant-bits',
     '9 to 16'),
    ('[measure]\nsignificant-bits = 17', 2, 'measure.significant-bits',
     '9 to 16'),
    ('[measure]\ngrid-columns = 0', 2, 'measure.grid-columns', '1 to 1023'),
    ('[measure]\ngrid-columns = 40\ngrid-rows = 40', 2,
     'measure.grid-columns', '1600 zones; at most 1023 are possible'),
    ('[audio]\nsilence-level = 3', 2, 'audio.silence-level', '-600 to 0'),
    ('[audio]\nlevel = 3', 2, 'audio.level', 'silence-level'),
    ('[container]\ncodek = "H.264"', 2, 'container.codek',
     'did you mean codec?'),
    ('[container]\ncodec = 264', 2, 'container.codec', 'a text in quotes'),
    ('[container]\ncodec = []', 2, 'container.codec', 'a text in quotes'),
    ('[container]\ncodec = {min = "a"}', 2, 'container.codec.min',
     'no such key'),
    ('[container]\nwidth = "1920"', 2, 'container.width', 'a number'),
    ('[container]\nwidth = {severity = "error"}', 2, 'container.width',
     'no limit'),
    ('[container]\nwidth = {min = 5, max = 4}', 2, 'container.width.min',
     'above max'),
    ('[container]\nrate = "25/0"', 2, 'container.rate', '30000/1001'),
    ('[container]\nrate = {min = "30/1", max = 25}', 2,
     'container.rate.min', 'above max'),
    ('[container.width]\nmin = 5\nmost = 6', 3, 'container.width.most',
     'no such key'),
    ('name = 5', 1, 'name', 'a text in quotes'),
    ('name = ""', 1, 'name', 'a text in quotes'),
    ('description = 5', 1, 'description', 'a text in quotes'),
    ('frames = 5', 1, 'frames', 'a table of tables'),
    ('events = 5', 1, 'events', 'a table'))


@pytest.mark.parametrize('text, line, key, expected', MISTAKES)
def test_mistake(text, line, key, expected):
    found = mistakes(text)
    assert len(found) == 1
    assert found[0].startswith(f'my.toml, line {line}: {key}: ')
    assert expected in found[0]


def test_line_behind_text_of_several_lines():
    text = ('description = """\n[frames.YMAX]\nmax = 3\n"""\n# max = 4\n'
            '[frames.YMAX]\nexcept = [\n  "black",\n]\nmax = "5"')
    assert mistakes(text)[0].startswith('my.toml, line 10: frames.YMAX.max: ')


def test_every_mistake_is_a_line():
    found = mistakes('[frames.YMXA]\nmax = 1\n[events.blak]\nmax-count = 0\n'
                     '[container]\nwidth = "x"\n')
    assert [line.split(':')[0] for line in found] == [
        'my.toml, line 1', 'my.toml, line 3', 'my.toml, line 6']


@pytest.mark.parametrize('text, line, expected', (
    ('name = "a"\nmax 5\n', 2, 'not TOML'),
    ('[frames.YMAX]\nmax = 5\nmax = 6\n', 3, 'overwrite'),
    ('name = """\nnever ends\n', 2, 'not TOML'),
    ('[frames', 1, 'not TOML')))
def test_not_toml(text, line, expected):
    found = mistakes(text)
    assert len(found) == 1
    assert found[0].startswith(f'my.toml, line {line}: ')
    assert expected in found[0]


def test_not_utf8(tmp_path):
    path = tmp_path / 'a.toml'
    path.write_bytes(b'name = "a"\n# \xff\n')
    with pytest.raises(ClqcError, match='a.toml, line 2: not UTF-8'):
        policy.load(str(path))


def test_no_file(tmp_path):
    with pytest.raises(ClqcError, match='none.toml: No such file'):
        policy.load(str(tmp_path / 'none.toml'))
    with pytest.raises(ClqcError, match='Is a directory'):
        policy.load(f'{tmp_path}{os.sep}')
    with pytest.raises(ClqcError, match='broadcast: no such policy; .*'
                                        'broadcast-range'):
        policy.load('broadcast')


TOKENS = ('max', '"error"', '[', '[[', '{', '}', '=', '1', '-1', '1e400',
          'nan', 'true', '1979-05-27T07:32:00Z', '[frames]', 'mean', 'Y', '.',
          '""', '[]', '{}', 'outside', 'except', 'at', '[measure]', '1.5')


def test_changed_at_random():
    """A policy with any content loads, or its errors have lines."""
    chance = random.Random(18)
    texts = [policy.read_text(policy._find(name)) for name in policy.shipped()]
    n_right = 0
    for _ in range(300):
        lines = chance.choice(texts).split('\n')
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(lines))
            key, equals, _ = lines[place].partition('=')
            token = chance.choice(TOKENS)
            lines[place] = chance.choice((
                token + lines[place], lines[place] + token,
                f'{key}{equals} {token}'))
        try:
            parse('\n'.join(lines))
            n_right += 1
        except ClqcError as error:
            for line in str(error).split('\n'):
                assert line.startswith('my.toml, line ')
    assert 0 < n_right < 300
