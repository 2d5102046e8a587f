# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each command of clqc once, as a user runs it, on two small files."""
import json
import subprocess
from pathlib import Path
from typing import Any, Dict

import clips
import damage
import pytest
from clqc import commandline
from clqc.judging import policy
from command import clqc, here, read, rules, verdict

POLICY = '''name = "no-black"
[measure]
events = ["black"]
black-min-duration = 0.5
[audio]
silence-duration = 0.5
[events.black]
max-count = 0
[events.silence]
max-count = 0
[live]
unhealthy-after = 0.2
'''
SIZE = 'size=128x96:rate=25:duration=1'


@pytest.fixture(scope='module', name='done')
def check_both(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """A moving picture with a tone, and a black one."""
    folder = tmp_path_factory.mktemp('commands')
    (folder / 'videos').mkdir()
    clips.make(str(folder / 'videos' / 'good.avi'), f'testsrc2={SIZE}',
               'sine=d=1')
    clips.make(str(folder / 'videos' / 'black.avi'), f'color=black:{SIZE}')
    (folder / 'my.toml').write_text(POLICY)
    done = clqc('check', folder / 'videos', '--out', folder / 'out',
                '--policy', folder / 'my.toml', '--jobs', 2)
    return {'folder': folder, 'out': folder / 'out', 'done': done}


def test_check(done: Dict[str, Any]) -> None:
    assert done['done'].returncode == 1, done['done'].stdout
    assert '] pass: good.avi' in done['done'].stdout
    assert '] FAIL: black.avi: ' in done['done'].stdout
    out = done['out']
    assert verdict(out, 'good.avi')['status'] == 'pass'
    assert verdict(out, 'black.avi')['status'] == 'fail'
    assert rules(out, 'black.avi') == ['events.black']
    facts = read(out, 'good.avi', 'facts.json')
    assert facts['measured']['frames'] == 25
    assert (facts['video']['width'], facts['video']['height']) == (128, 96)
    assert facts['audio'][0]['channels'] == 1
    for name in ('frames.jsonl.gz', 'events.json', 'pooled.json',
                 'levels.json', 'report.html', 'good.avi.qctools.xml.gz'):
        assert (out / 'good.avi' / name).stat().st_size > 0, name
    assert 'failures="1"' in (out / 'junit.xml').read_text()
    assert 'black.avi,fail' in (out / 'summary.csv').read_text()
    assert 'black.avi' in (out / 'summary.html').read_text()


def test_check_damage(tmp_path: Path) -> None:
    """One file of each kind in test_damage.py."""
    folder = tmp_path / 'videos'
    folder.mkdir()
    for kind, base in (('4 bytes overwritten at 200 places', 'h264.mp4'),
                       ('cut at 95.8% of its bytes', 'h264.mkv'),
                       ('packets of the frames 60 to 89 removed', 'ffv1.mkv')):
        row, = [row for row in damage.DAMAGED
                if (row.kind, row.base) == (kind, base)]
        (folder / row.name).write_bytes(
            damage.make_damaged(tmp_path, row).read_bytes())
    done = here('check', folder, '--out', tmp_path / 'out', '--no-reports')
    assert done.returncode == 1, done.stdout
    for row in damage.DAMAGED:
        if (folder / row.name).exists():
            assert row.rules[0] in rules(tmp_path / 'out', row.name)


def test_judge(done: Dict[str, Any]) -> None:
    """Judges with another policy, without the videos."""
    loose = done['folder'] / 'loose.toml'
    loose.write_text(POLICY.replace('no-black', 'loose').replace(
        'black-min-duration = 0.5', 'black-min-duration = 5.0'))
    result = clqc('judge', done['out'], '--policy', loose)
    assert result.returncode == 0, result.stdout
    assert verdict(done['out'], 'black.avi')['policy'] == 'loose'


def test_learn(done: Dict[str, Any], tmp_path: Path) -> None:
    """The good file passes the limits that are learnt from it."""
    result = clqc('learn', done['out'] / 'good.avi')
    assert result.returncode == 0, result.stdout
    (tmp_path / 'learnt.toml').write_text(result.stdout)
    assert clqc('judge', done['out'], '--policy', tmp_path / 'learnt.toml',
                '--quiet').returncode == 1  # the black one does not
    assert verdict(done['out'], 'good.avi')['status'] == 'pass'


def test_policies() -> None:
    result = clqc('policies')
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == (
        list(policy.shipped()))


def test_watch(done: Dict[str, Any], tmp_path: Path) -> None:
    """Files end. The first measured frame breaks the rule, whichever frames a
    busy machine drops."""
    path = tmp_path / 'x.jsonl'
    (tmp_path / 'bright.toml').write_text('[frames.YAVG]\nmin = 20\n')
    result = clqc('watch', done['folder'] / 'videos' / 'good.avi',
                  f'dark={done["folder"]}/videos/black.avi', '--policy',
                  tmp_path / 'bright.toml', '--jsonl', path)
    assert result.returncode == 1, result.stdout
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for name, is_healthy in ('good', True), ('dark', False):
        rows = [line for line in lines if line['stream'] == name]
        state = [row for row in rows if row['type'] == 'state'][-1]
        assert (state['connection'], state['healthy']) == (
            'ended', is_healthy)
        last = [row for row in rows if row['type'] == 'statistics'][-1]
        assert last['frames'] + last['dropped'] == 25
    assert 'dark: UNHEALTHY: ' in result.stdout


def test_hdr10plus(tmp_path: Path) -> None:
    """The JSON of lines of clframesum."""
    lines = tmp_path / 'lines.jsonl'
    subprocess.run(
        ['gst-launch-1.0', '-q', 'videotestsrc', 'num-buffers=5', '!',
         'video/x-raw,format=I420,width=128,height=96', '!', 'clframesum',
         'statistics=moments+light+light-histogram', 'light-transfer=pq',
         'events=scene', f'location={lines}', '!', 'fakesink'], check=True)
    result = clqc('hdr10plus', lines, '-o', tmp_path / 'out.json')
    assert result.returncode == 0, result.stdout
    assert len(read(tmp_path, 'out.json')['SceneInfo']) == 5


def test_compare(done: Dict[str, Any], tmp_path: Path) -> None:
    """The reference has a sound; one file differs in all frames."""
    videos = done['folder'] / 'videos'
    result = clqc('compare', videos / 'good.avi', videos / 'good.avi',
                  videos / 'black.avi', '--out', tmp_path, '--max-difference',
                  0)
    assert result.returncode == 1, result.stdout
    assert 'good.avi is better than ' in result.stdout
    assert 'black.avi fails: largest difference ' in result.stdout
    same, black = [file['pooled'] for file in read(
        tmp_path, 'compare.json')['files']]
    assert (same['frames'], same['different-frames']) == (25, 0)
    assert black['different-frames'] == black['frames'] >= 24
    assert (tmp_path / 'report.html').stat().st_size > 0


def test_all_commands_are_tested() -> None:
    assert set(commandline.COMMANDS) == {
        name.removeprefix('test_') for name in globals()
        if name.startswith('test_')} - {
            'all_commands_are_tested', 'check_damage'}
