# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files and folders without permission, and full disks: one line each, and the
other files are checked."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import clips
import pytest
from clqc.common import files
from command import clqc, here, verdict


@pytest.fixture(scope='module', name='clip')
def make_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Video of ten frames."""
    path = tmp_path_factory.mktemp('clip') / 'clip.avi'
    clips.run('-i', clips.SOURCE, '-t', '1', '-c', 'copy', str(path))
    return path


@pytest.fixture(name='videos')
def make_videos(clip: Path, tmp_path: Path) -> Iterator[Path]:
    """Some in a folder, which can be read, and be removed afterwards."""
    folder = tmp_path / 'videos'
    for name in 'a.avi', 'b.avi', 'deep/c.avi':
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clip, path)
    yield folder
    subprocess.run(['chmod', '-R', 'u+rwx', str(tmp_path)], check=True)


@pytest.fixture(scope='module', name='bound')
def find_bound(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    """Starts a program that is subject to permissions, whoever the user is:
    root without the capabilities to bypass them."""
    secret = tmp_path_factory.mktemp('secret') / 'secret'
    secret.touch(0)
    before = [] if os.geteuid() else [
        'setpriv', '--bounding-set=-dac_override,-dac_read_search']
    if before and not shutil.which('setpriv'):
        pytest.skip('there is no setpriv')
    if subprocess.run([*before, 'cat', secret], check=False,
                      stderr=subprocess.DEVNULL).returncode == 0:
        pytest.skip('permissions do not hold here')
    return before


def lines(text: str) -> List[str]:
    """Returns those about files, in order, without their numbers."""
    return sorted(line.split('] ')[-1] for line in text.splitlines()
                  if not line.startswith('policy: '))


def test_files_that_nobody_may_read(videos: Path, tmp_path: Path,
                                    bound: List[str]) -> None:
    out = tmp_path / 'out'
    (videos / 'a.avi').chmod(0)
    (videos / 'deep').chmod(0)
    done = clqc('check', videos, '--out', out, '--no-reports', before=bound)
    assert done.returncode == 2
    assert lines(done.stdout) == [
        'not measured: a.avi: Permission denied',
        'not measured: deep: Permission denied', 'pass: b.avi']
    assert verdict(out, 'a.avi')['status'] == 'unmeasured'
    assert 'deep,unmeasured' in (out / 'summary.csv').read_text()
    assert 'errors="2"' in (out / 'junit.xml').read_text()
    # After it becomes readable, it is measured.
    (videos / 'deep').chmod(0o700)
    done = clqc('check', videos, '--out', out, '--no-reports', before=bound)
    assert 'pass: deep/c.avi' in done.stdout


def test_files_of_a_folder_that_are_not_taken(videos: Path, tmp_path: Path
                                              ) -> None:
    for name in 'a.DPX', 'b.dpx', 'c.yuv', 'noext', '.hidden':
        (videos / name).touch()
    os.rename(videos / 'b.avi', videos / 'b.divx')
    output = 'files without the extension of a video: 2 .dpx, 1 .yuv, ' \
        '1 without an extension'
    words = 'check', videos, '--out', tmp_path / 'out', '--no-reports'
    done = here(*words)
    assert output in done.stdout.splitlines()
    assert 'pass: b.divx' in done.stdout
    assert here(*words, '--quiet').stdout == ''
    for path in videos / 'a.avi', videos / 'b.divx', videos / 'deep' / 'c.avi':
        path.unlink()
    assert here(*words).stdout == (
        f'clqc: {videos}: no video in this folder; {output}\n')


def test_files_of_macos_beside_videos(clip: Path, tmp_path: Path) -> None:
    """AppleDouble files: skipped in a folder, one clear line if named; another
    file whose name begins so is checked."""
    videos, out = tmp_path / 'videos', tmp_path / 'out'
    (videos / 'deep').mkdir(parents=True)
    shutil.copy(clip, videos / 'a.avi')
    shutil.copy(clip, videos / '._video.avi')
    double = bytes.fromhex('0005160700020000') + b'Mac OS X' + bytes(4080)
    for path in videos / '._a.avi', videos / 'deep' / '._b.mov':
        path.write_bytes(double)
    done = here('check', videos, '--out', out, '--no-reports')
    assert done.returncode == 0
    assert lines(done.stdout) == ['pass: ._video.avi', 'pass: a.avi']
    assert not (out / '._a.avi').exists()
    done = here('check', videos / '._a.avi', videos / 'a.avi', '--out', out,
                '--no-reports')
    assert done.returncode == 2
    assert lines(done.stdout) == [
        'not measured: ._a.avi: an AppleDouble file, in which macOS keeps '
        'attributes of the file of the same name without "._"; it has no '
        'video', 'pass: a.avi']
    done = here('check', videos / 'deep', '--out', out)
    assert done.stdout == f'clqc: {videos}/deep: no video in this folder\n'


@pytest.mark.parametrize('words, name', [
    (['judge', ''], 'DIR'), (['judge', 'x', '--policy', ''], '--policy'),
    (['check', 'x', '', '--out', 'y'], 'PATH'), (['learn', ''], 'GOOD')])
def test_an_argument_that_is_empty(words: List[str], name: str) -> None:
    done = here(*words)
    assert done.returncode == 2
    assert f'argument {name}: its value is empty' in done.stdout


@pytest.mark.parametrize('words', [
    ['--vers'], ['watch', 'x.mp4', '--stal', '3', '--seconds', '.1'],
    ['judge', 'x', '--poli=y'],
    ['check', 'x', '--out', 'y', '--part', '3'], ['learn', 'x', '--ca', 'y'],
    ['hdr10plus', 'x', '--ou', 'y'], ['policies', '--hel']])
def test_a_part_of_the_name_of_an_option(words: List[str]) -> None:
    done = here(*words)
    assert done.returncode == 2
    assert words[0] == '--vers' or 'unrecognized arguments: --' in (
        done.stdout) or 'arguments are required: -o/--out' in done.stdout


def test_folders_that_are_named(videos: Path, tmp_path: Path,
                                bound: List[str]) -> None:
    (videos / 'deep').chmod(0)
    for name, paths in (('deep', [videos / 'deep']),
                        ('c.avi', [videos / 'deep' / 'c.avi'])):
        done = clqc('check', *paths, videos / 'b.avi', '--out',
                    tmp_path / 'out', '--no-reports', before=bound)
        assert done.returncode == 2
        assert lines(done.stdout) == [
            f'not measured: {name}: Permission denied', 'pass: b.avi']


def test_a_folder_for_results_that_nobody_may_write(
        videos: Path, tmp_path: Path, bound: List[str]) -> None:
    out = tmp_path / 'out'
    out.mkdir()
    out.chmod(0o555)
    for folder in out, out / 'deeper':
        done = clqc('check', videos, '--out', folder, before=bound)
        assert done.returncode == 2
        assert lines(done.stdout) == [f'clqc: {folder}: Permission denied']


def test_a_folder_for_results_where_another_works(
        videos: Path, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    out.mkdir()
    with files.alone_in(str(out)):
        for words in (['check', videos, '--out', out], ['judge', out]):
            done = here(*words)
            assert done.returncode == 2
            assert lines(done.stdout) == [
                f'clqc: {out}: another clqc is using this folder']
    done = here('judge', out)
    assert lines(done.stdout) == [
        f'clqc: {out}: no results of clqc check']


def test_a_folder_of_one_file_that_nobody_may_write(
        videos: Path, tmp_path: Path, bound: List[str]) -> None:
    closed = tmp_path / 'out' / 'a.avi'
    closed.mkdir(parents=True)
    closed.chmod(0o555)
    done = clqc('check', videos, '--out', tmp_path / 'out', '--no-reports',
                before=bound)
    assert done.returncode == 2
    assert lines(done.stdout) == [
        f'not measured: a.avi: {closed}/clqc.log: Permission denied',
        'pass: b.avi', 'pass: deep/c.avi']


def test_results_that_nobody_may_read(videos: Path, tmp_path: Path,
                                      bound: List[str]) -> None:
    out = tmp_path / 'out'
    here('check', videos, '--out', out, '--no-reports')
    (out / 'a.avi').chmod(0)
    facts = out / 'deep' / 'c.avi' / 'facts.json'
    facts.chmod(0)
    done = clqc('judge', out, before=bound)
    assert done.returncode == 2
    assert lines(done.stdout) == [
        f'not judged: {out}/a.avi: Permission denied',
        f'not judged: {facts}: Permission denied', 'pass: b.avi']
    done = clqc('learn', out, before=bound)
    assert done.returncode == 2
    assert done.stdout == f'clqc: {out}/a.avi: Permission denied\n'


def test_a_policy_that_nobody_may_read(videos: Path, tmp_path: Path,
                                       bound: List[str]) -> None:
    policy = tmp_path / 'my.toml'
    policy.touch(0)
    done = clqc('check', videos, '--out', tmp_path / 'out', '--policy',
                policy, before=bound)
    assert done.returncode == 2
    assert done.stdout == f'clqc: {policy}: Permission denied\n'


def halves(folder: Path) -> List[str]:
    """Files of an interrupted start."""
    return [str(path) for path in folder.rglob('*')
            if path.name.endswith('.new') or path.name == 'work']


def test_no_space_for_lines(videos: Path, tmp_path: Path) -> None:
    """A limit of the file size needs no disk. The lines of a thousand zones
    are longer than any other output."""
    out, policy = tmp_path / 'out', tmp_path / 'zones.toml'
    policy.write_text('[measure]\ngrid-columns = 33\ngrid-rows = 31\n'
                      '[zones.mean.Y]\nmax = 255\n')
    words = ['check', videos / 'a.avi', videos / 'b.avi', '--out', out,
             '--no-reports', '--policy', policy]
    done = clqc(*words, before=['prlimit', '--fsize=2000000'])
    assert done.returncode == 2
    assert len(lines(done.stdout)) == 2, done.stdout
    for line in lines(done.stdout):
        assert 'part-0.jsonl' in line and 'File too large' in line
    assert not halves(out)
    done = here(*words)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize('name', (
    'frames.jsonl.gz', 'events.json', 'report.html'))
def test_no_space_for_one_file(videos: Path, tmp_path: Path,
                               name: str) -> None:
    out = tmp_path / 'out'
    (out / 'b.avi').mkdir(parents=True)
    full(out / 'b.avi' / name)
    reports = [] if name == 'report.html' else ['--no-reports']
    done = here('check', videos / 'a.avi', videos / 'b.avi', '--out', out,
                *reports)
    assert done.returncode == 2
    assert lines(done.stdout) == [
        f'not measured: b.avi: {out}/b.avi/{name}: No space left on device',
        'pass: a.avi']
    assert verdict(out, 'b.avi')['status'] == 'unmeasured'
    assert not (out / 'b.avi' / name).exists()
    assert not halves(out)
    done = here('check', videos / 'b.avi', '--out', out, *reports)
    assert done.returncode == 0, done.stdout
    assert (out / 'b.avi' / name).stat().st_size > 0


def full(path: Path) -> None:
    """There is no space for the files of @path."""
    if not os.path.exists('/dev/full'):
        pytest.skip('there is no /dev/full')
    path.with_name(path.name + '.new').symlink_to('/dev/full')


@pytest.mark.parametrize('name', ('summary.html', 'summary.csv', 'junit.xml'))
def test_no_space_for_the_summary(videos: Path, tmp_path: Path,
                                  name: str) -> None:
    out = tmp_path / 'out'
    words = ['check', videos / 'a.avi', '--out', out, '--no-reports']
    assert here(*words).returncode == 0
    before = (out / name).read_bytes()
    full(out / name)
    done = here(*words)
    assert done.returncode == 2
    assert lines(done.stdout) == [
        f'clqc: {out}/{name}: No space left on device', 'pass: a.avi']
    assert (out / name).read_bytes() == before


def test_no_older_verdict_stays(videos: Path, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    words = ['check', videos / 'a.avi', '--out', out, '--no-reports']
    assert here(*words).returncode == 0
    (videos / 'a.avi').write_bytes(b'')
    full(out / 'a.avi' / 'verdict.json')
    assert here(*words).returncode == 2
    assert not (out / 'a.avi' / 'verdict.json').exists()


def test_a_disk_that_fills(videos: Path, tmp_path: Path) -> None:
    """There is space for the first file, not for the next."""
    disk = tmp_path / 'disk'
    disk.mkdir()
    if subprocess.run(
            ['mount', '-t', 'tmpfs', '-o', 'size=300k', 'none', str(disk)],
            check=False, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip('no disk can be mounted here')
    try:
        done = here('check', videos, '--out', disk)
        assert done.returncode == 2
        found = lines(done.stdout)
        assert 'pass: a.avi' in found
        assert len(found) >= 3, done.stdout
        for line in found:
            assert line == 'pass: a.avi' or (
                line.endswith('No space left on device')), done.stdout
        assert not halves(disk)
        subprocess.run(['mount', '-o', 'remount,size=9m', str(disk)],
                       check=True)
        assert here('check', videos, '--out', disk).returncode == 0
    finally:
        subprocess.run(['umount', str(disk)], check=True)


def test_whose_fault_an_error_is(clip: Path, tmp_path: Path,
                                 bound: List[str]) -> None:
    """On this machine: another one may be able to."""
    def error_of(before: List[str], task: str, **request: str
                 ) -> Dict[str, Any]:
        order = {'task': task, 'log': str(tmp_path / 'log'), 'settings': {},
                 'request': request}
        done = subprocess.run(
            [*before, sys.executable, '-m', 'clqc.decoding.worker'],
            text=True, input=json.dumps(order), check=False,
            stdout=subprocess.PIPE)
        answer: Dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        assert 'error' in answer
        return answer
    lines_of = tmp_path / 'lines'
    broken = tmp_path / 'broken.mp4'
    broken.write_bytes(b'no video' * 99)
    for path in clip, broken:
        assert error_of([], 'measure', path=str(path), lines=str(
            tmp_path / 'none' / 'lines'))['of-machine']
    assert error_of(['prlimit', '--fsize=20000'], 'measure', path=str(clip),
                    lines=str(lines_of))['of-machine']
    assert not error_of([], 'measure', path=str(broken),
                        lines=str(lines_of))['of-machine']
    assert error_of([], 'container', path=str(tmp_path / 'none.mp4')
                    )['of-machine']
    clip.chmod(0)
    assert error_of(bound, 'levels', path=str(clip))['of-machine']
    clip.chmod(0o644)
