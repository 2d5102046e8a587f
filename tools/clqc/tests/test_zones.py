# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones of a policy, on a real video: measured, judged, named."""
import gzip
import json
import shutil
from pathlib import Path
from typing import Any, Dict, List
from xml.etree import ElementTree

import clips
import pytest
from command import here, read, verdict

POLICY = '''name = "zones"
[measure]
grid-columns = 4
grid-rows = 3
[zones.mean.Y]
max = 200
[zones.stddev.Y]
min = 1
for = 0.5
severity = "warning"
'''
FAULT = 'in zone column 2, row 1'


@pytest.fixture(scope='module', name='done')
def check_one(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """Checks a grey picture with noise, in which the zone of column 2 and row
    1 is white for ten frames from second 1. The size of the picture is not a
    multiple of the size of a zone."""
    folder = tmp_path_factory.mktemp('zones')
    path = folder / 'zones.mp4'
    white = ("drawbox=x=81:y=41:w=40:h=40:color=white:t=fill:"
             "enable='between(n,25,34)'")
    clips.make(str(path), 'color=gray:s=162x122:r=25:d=3,'
               f'noise=alls=40:allf=t,{white}')
    (folder / 'policy.toml').write_text(POLICY)
    out = folder / 'out'
    done = here('check', path, '--out', out, '--policy',
                folder / 'policy.toml')
    assert done.returncode == 1, done.stdout
    return {'path': path, 'out': out, 'output': done.stdout,
            'policy': folder / 'policy.toml'}


def test_the_verdict_names_the_zone(done: Dict[str, Any]) -> None:
    reason, = verdict(done['out'], 'zones.mp4')['reasons']
    assert (reason['rule'], reason['severity']) == ('zones.mean.Y', 'error')
    assert FAULT in reason['message']
    assert (reason['start'], reason['end']) == (10 ** 9, 14 * 10 ** 8)
    assert reason['limit'] == 200 and 200 < reason['value'] <= 235
    assert FAULT in done['output']


def frames_of(out: Path) -> List[Dict[str, Any]]:
    with gzip.open(out / 'zones.mp4' / 'frames.jsonl.gz') as file:
        return [json.loads(line) for line in file]


def test_the_lines_have_the_zones(done: Dict[str, Any]) -> None:
    for number, frame in enumerate(frames_of(done['out'])):
        assert (frame['zone-columns'], frame['zone-rows']) == (4, 3)
        luma = frame['zone-mean'][0]
        assert len(luma) == 12
        assert [zone for zone, mean in enumerate(luma) if mean > 200] == (
            [6] if 25 <= number <= 34 else [])


def test_reports_name_the_zone(done: Dict[str, Any]) -> None:
    out = done['out']
    assert FAULT in (out / 'zones.mp4' / 'report.html').read_text()
    assert FAULT in (out / 'summary.html').read_text()
    assert FAULT in (out / 'summary.csv').read_text()
    failure, = ElementTree.parse(out / 'junit.xml').iter('failure')
    assert failure.attrib['type'] == 'zones.mean.Y'
    assert FAULT in failure.attrib['message']


def test_the_same_in_parts(done: Dict[str, Any], tmp_path: Path) -> None:
    assert here('check', done['path'], '--out', tmp_path, '--policy',
                done['policy'], '--parts', 3, '--no-reports'
                ).returncode == 1
    assert verdict(tmp_path, 'zones.mp4')['measured']['parts'] == 3
    for name in 'frames.jsonl.gz', 'events.json', 'pooled.json':
        assert (tmp_path / 'zones.mp4' / name).read_bytes() == (
            done['out'] / 'zones.mp4' / name).read_bytes(), name


def test_events_of_zones(done: Dict[str, Any], tmp_path: Path) -> None:
    """The picture has none of these events, a zone of it has."""
    rules = tmp_path / 'rules.toml'
    rules.write_text(
        '[measure]\ngrid-columns = 4\ngrid-rows = 3\n'
        'white-ratio = 0.8\nwhite-leave-ratio = 0.8\n'
        'white-min-duration = 0.2\n[events.white]\nmax-count = 0\n'
        '[zone-events.white]\nmax-duration = 0.3\n')
    assert here('check', done['path'], '--out', tmp_path, '--policy', rules,
                '--parts', 3, '--no-reports').returncode == 1
    found = verdict(tmp_path, 'zones.mp4')
    reason, = found['reasons']
    assert (reason['rule'], reason['start'], reason['end']) == (
        'zone-events.white', 10 ** 9, 14 * 10 ** 8)
    assert FAULT in reason['message']
    assert found['measured']['parts'] == 1
    events = read(tmp_path, 'zones.mp4', 'events.json')
    assert [event['zone'] for event in events['zone-events']] == [6]
    assert [event for event in events['events']
            if event['kind'] == 'white'] == []
    rules.write_text(rules.read_text().replace('0.3', '0.5'))
    assert here('judge', tmp_path, '--policy', rules).returncode == 0
    result = here('judge', done['out'], '--policy', rules)
    assert result.returncode == 2
    assert 'it was measured without zone-events' in result.stdout
    rules.write_text(
        '[measure]\ngrid-columns = 4\ngrid-rows = 3\n'
        '[zone-events.freeze]\nmax-count = 0\n')
    assert here('judge', tmp_path, '--policy', rules).returncode == 0
    # These lines have no histograms of zones.
    new = tmp_path / 'new'
    assert here('check', done['path'], '--out', new, '--policy', rules,
                '--no-reports').returncode == 0
    assert 'zone-histogram' not in frames_of(new)[0]
    assert 'zone-reference-limit' in frames_of(new)[0]


def test_other_zones_are_measured_again(done: Dict[str, Any],
                                        tmp_path: Path) -> None:
    other = tmp_path / 'other.toml'
    other.write_text(POLICY.replace('grid-rows = 3', 'grid-rows = 2'))
    before = read(done['out'], 'zones.mp4', 'verdict.json')
    result = here('judge', done['out'], '--policy', other)
    assert result.returncode == 2
    assert result.stdout.count('\n') == 1
    assert 'grid-rows was 3, and the policy needs 2' in result.stdout
    assert read(done['out'], 'zones.mp4', 'verdict.json') == before
    # With two rows, zones are too large for the white box to fill one.
    shutil.copytree(done['out'], tmp_path / 'out')
    assert here('check', done['path'], '--out', tmp_path / 'out', '--policy',
                other, '--no-reports').returncode == 0
    assert frames_of(tmp_path / 'out')[0]['zone-rows'] == 2


def test_policy_without_zones_accepts_them(done: Dict[str, Any]) -> None:
    assert here('judge', done['out'], '--policy', 'default'
                ).returncode < 2
    assert here('judge', done['out'], '--policy', done['policy']
                ).returncode == 1
    assert FAULT in verdict(done['out'], 'zones.mp4')['reasons'][0]['message']
