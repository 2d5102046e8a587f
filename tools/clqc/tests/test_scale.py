# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/scale.md: its commands run, and its numbers are those of the
measurements."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict

import clips
import docpages
import pytest
from clqc.judging import policy
from command import clqc

PAGE = docpages.text_of('scale.md')
SCALE = docpages.PACKAGE / 'scripts'
FIGURES = docpages.DOCS / 'measured' / 'scale.json'
sys.path.insert(0, str(SCALE))

import simulate  # noqa: E402

long = pytest.mark.skipif(
    not os.environ.get('CLQC_FARM_LONG'),
    reason='scripts/farm-test.sh runs what takes long')

ONE = {'process': 1.0, 'part': 2.0, 'second-measured': 0.5,
       'second-keys': 0.01, 'second-levels': 0.02, 'seam': 3.0,
       'second-joined': 0.1, 'bytes-of-results': 1e4, 'task': 0.001,
       'bytes-of-video': 1e6}
UNSHARED = simulate.Site(1e15, 1e15)


def makespan(*words: Any, **settings: Any) -> float:
    return simulate.simulate(ONE, *words, site=UNSHARED, **settings).makespan


def near(one: float, other: float, share: float = 0.02) -> bool:
    return abs(one - other) <= share * other


def test_file_costs_the_sum_of_its_tasks() -> None:
    # container, sound, packets, the part, the end
    assert near(makespan([100.0], 1, n_parts=1), 1 + 3 + 2 + 52 + 10)
    # four parts, three seams
    assert near(makespan([100.0], 1, n_parts=4), 1 + 3 + 2 + 58 + 19)
    # with enough workers: container, packets, a part, the end
    assert near(makespan([100.0], 9, n_parts=4), 1 + 2 + 14.5 + 19)


def test_workers_share_files() -> None:
    alone = makespan([100.0] * 400, 1, n_parts=1)
    assert near(makespan([100.0] * 400, 10, n_parts=1), alone / 10, 0.03)
    assert makespan([100.0] * 40, 1000, n_parts=1) >= 63


def test_shared_resources_are_limits() -> None:
    lengths = [100.0] * 200
    slow = simulate.simulate(ONE, lengths, 100, n_parts=1,
                             site=simulate.Site(storage=1e7))
    # packets, sound, part, the end
    read = 200 * (100 + 100 + 100 + 104) * 1e6 / 1e7
    assert slow.makespan >= read and near(slow.makespan, read, 0.1)
    assert slow.busy['storage'] > 0.9
    narrow = simulate.simulate(ONE, lengths, 100, n_parts=1,
                               site=simulate.Site(1e15, 1e5))
    assert narrow.bound == 'link'
    assert near(narrow.makespan, 200 * 100 * 2 * 1e4 / 1e5, 0.1)
    busy = simulate.simulate({**ONE, 'task': 1.0}, lengths, 1000, n_parts=1,
                             site=UNSHARED)
    assert busy.bound == 'scheduler' and busy.makespan >= 800


def test_the_archive() -> None:
    lengths = simulate.archive(1000)
    assert near(sum(lengths), 3.6e6) and max(lengths) <= 36000
    assert lengths == simulate.archive(1000)


def check_runs(content: Dict[str, Any], share: float) -> None:
    """Returns the result of the simulation for the measured runs."""
    runs = content['runs']
    for count, seconds in runs['seconds'].items():
        expected = simulate.simulate(
            content['figures'], [content['video']['seconds']] * runs['files'],
            int(count), n_parts=runs['parts']).makespan
        assert near(expected, min(seconds), share), (count, expected, seconds)


def test_simulation_equals_real_runs() -> None:
    check_runs(json.loads(FIGURES.read_text()), 0.15)


def test_page_has_the_costs() -> None:
    content = json.loads(FIGURES.read_text())
    seconds = content['runs']['seconds']
    times = min(seconds['1']) / min(seconds['2'])
    assert f'{times:.2f} times' in PAGE
    one, two = (statistics.median(seconds[count]) for count in ('1', '2'))
    assert f'At the median they were {one / two:.2f} times' in PAGE
    assert f'{one:.1f} s and {two:.1f} s' in PAGE
    for key, value in content['figures'].items():
        if key not in ('second-keys', 'bytes-of-results', 'bytes-of-video'):
            assert f'{1000 * value:.3g} ms' in PAGE, (key, value)
    for size in '640x360', '1920x1080':
        of_size = json.loads(
            (FIGURES.parent / f'scale-{size}.json').read_text())
        assert of_size['clock'] == 'processor'
        for key in ('second-measured', 'second-joined', 'process', 'part',
                    'seam'):
            ms = float(f"{1000 * of_size['figures'][key]:.3g}")
            assert f'| {ms:g} ms |' in PAGE, (size, key, ms)
    lengths = simulate.archive(10000)
    for count in 10, 100:
        one = simulate.simulate(content['figures'], lengths, count, 300)
        assert simulate.clock(one.makespan) in PAGE, (
            count, simulate.clock(one.makespan))


@long
def test_costs_measured_again(tmp_path: Path) -> None:
    """The limits are wide, because the machine may have other work."""
    pytest.importorskip('distributed')
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip('one core')
    out = tmp_path / 'figures.json'
    subprocess.run([sys.executable, SCALE / 'measure.py', '--rounds', '2',
                    '--seconds', '20', out], check=True, timeout=400,
                   stdout=subprocess.DEVNULL)
    content = json.loads(out.read_text())
    seconds = content['runs']['seconds']
    assert min(seconds['1']) / min(seconds['2']) > 1.3, seconds
    check_runs(content, 0.5)


@long
def test_picture_is_drawn_from_the_costs(tmp_path: Path) -> None:
    version = pytest.importorskip('matplotlib').__version__
    drawn = FIGURES.parents[1] / 'pictures' / 'scale.png'
    if f'Matplotlib version{version}'.encode() not in drawn.read_bytes():
        pytest.skip('another Matplotlib has drawn it')
    subprocess.run([sys.executable, SCALE / 'picture.py', FIGURES,
                    tmp_path / 'scale.png'], check=True, timeout=300)
    assert (tmp_path / 'scale.png').read_bytes() == drawn.read_bytes()


# --- the commands -----------------------------------------------------------

TOOLS = dict(re.findall(r'^python3 tools/clqc/scripts/(\w+)\.py (.+)$', PAGE,
                        re.MULTILINE))


def run_tool(name: str, folder: Path, *more: str) -> str:
    """The command of the page, with options for another size."""
    return subprocess.run(
        [sys.executable, SCALE / f'{name}.py', *TOOLS[name].split(), *more],
        check=True, cwd=folder, text=True, timeout=400,
        stdout=subprocess.PIPE).stdout


def test_simulation_prints_the_page(tmp_path: Path) -> None:
    shutil.copy(FIGURES, tmp_path / 'figures.json')
    lines = run_tool('simulate', tmp_path, '--hours', '50').splitlines()
    assert ' 50 hours' in lines[0]
    assert [int(line.split()[0]) for line in lines[1:]] == list(
        simulate.WORKERS)


@long
def test_measurement_runs_as_on_the_page(tmp_path: Path) -> None:
    """Runs the command for a video of the reader, and the next command of the
    page."""
    pytest.importorskip('distributed')
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=8', '-f',
              'lavfi', '-i', 'sine=d=8:r=48000', '-c:v', 'mpeg2video', '-g',
              '12', str(tmp_path / 'film.mxf'))
    assert list(TOOLS) == ['measure', 'simulate']
    run_tool('measure', tmp_path, '--rounds', '1', '--processor')
    content = json.loads((tmp_path / 'figures.json').read_text())
    assert content['clock'] == 'processor' and 'runs' not in content
    assert set(content['figures']) == set(ONE) - {'task'}
    run_tool('measure', tmp_path, '--rounds', '1')
    content = json.loads((tmp_path / 'figures.json').read_text())
    assert near(content['video']['seconds'], 8)
    assert set(content['figures']) == set(ONE)
    assert ' 50 hours' in run_tool('simulate', tmp_path, '--hours', '50')


@pytest.fixture(name='videos')
def make_videos(tmp_path: Path) -> None:
    (tmp_path / 'videos').mkdir()
    clips.make(str(tmp_path / 'videos' / 'clip.mp4'),
               f'movie={clips.SOURCE},scale=320:240,trim=0:3')


@long
@pytest.mark.usefixtures('videos')
@pytest.mark.parametrize('text', docpages.fenced('scale.md', 'sh'))
def test_commands(text: str, tmp_path: Path) -> None:
    pytest.importorskip('distributed')
    status, printed = docpages.shell(text, tmp_path)
    assert status == 0, printed
    found = list((tmp_path / 'out').glob('*/clip.mp4/verdict.json'))
    assert len(found) == 1, printed
    assert json.loads(found[0].read_text())['status'] == 'pass'


@pytest.mark.parametrize('text', docpages.fenced('scale.md', 'toml'))
def test_descriptions(text: str, tmp_path: Path) -> None:
    pytest.importorskip('distributed')
    from clqc.farm import cluster
    path = tmp_path / 'farm.toml'
    path.write_text(text)
    found = cluster.describe(str(path))
    assert found.kind in cluster.KINDS and found.keys
    assert cluster.KINDS[found.kind].is_scaled == ('workers' in found.keys)
    assert policy.parse_toml(text, 'page')


@long
@pytest.mark.usefixtures('videos')
def test_pcs_by_ssh(tmp_path: Path) -> None:
    """An SSH server on the loopback interface, and a user whose Dask prints
    errors only."""
    pytest.importorskip('asyncssh')
    sshd = shutil.which('sshd', path=os.environ['PATH'] + ':/usr/sbin')
    if not sshd or not shutil.which('ssh-keygen'):
        pytest.skip('there is no server of SSH')
    from farms import free_port
    port = free_port()
    keys = tmp_path / 'keys'
    keys.mkdir(0o700)
    for name in 'host', 'user':
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f',
                        keys / name], check=True)
    (keys / 'conf').write_text(
        f'Port {port}\nListenAddress 127.0.0.1\nHostKey {keys}/host\n'
        f'AuthorizedKeysFile {keys}/user.pub\nPidFile none\nUsePAM no\n'
        'StrictModes no\nPasswordAuthentication no\n')
    public = (keys / 'host.pub').read_text().split()
    (keys / 'known').write_text(f'[127.0.0.1]:{port} {" ".join(public[:2])}\n')
    python = tmp_path / 'python'
    kept = ''.join(f"export {key}='{value}'\n"
                   for key, value in os.environ.items() if re.match(
                       'PYTHON|GST_|POCL_|CLQC_', key))
    python.write_text(f'#!/bin/sh\n{kept}exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / 'pcs.toml').write_text(
        'type = "ssh"\nhosts = ["127.0.0.1", "127.0.0.1", "127.0.0.1", '
        '"127.0.0.2"]\n'  # where nothing answers
        f'remote_python = "{python}"\n[connect_options]\nport = {port}\n'
        f'client_keys = ["{keys}/user"]\nknown_hosts = "{keys}/known"\n'
        '[worker_options]\nnthreads = 1\n')
    if os.geteuid() == 0:
        os.makedirs('/run/sshd', exist_ok=True)
    with subprocess.Popen([sshd, '-D', '-f', keys / 'conf', '-E',
                           keys / 'log']) as server:
        try:
            time.sleep(1)
            if server.poll() is not None:
                pytest.skip((keys / 'log').read_text())
            done = clqc('check', tmp_path / 'videos', '--out',
                        tmp_path / 'out', '--no-reports', '--cluster',
                        tmp_path / 'pcs.toml',
                        DASK_LOGGING__DISTRIBUTED='error')
        finally:
            server.terminate()
    assert done.returncode == 0, done.stdout
    assert 'farm: 127.0.0.2 is left out: ' in done.stdout
    assert 'Warning' not in done.stdout
