# SPDX-License-Identifier: LGPL-2.1-or-later
"""Farms whose workers are jobs of Slurm, by dask-jobqueue."""
import os
import re
from pathlib import Path
from typing import Any, Dict, Iterator

import clips
import docpages
import pytest
from command import clqc, read

pytest.importorskip('distributed')
pytest.importorskip('dask_jobqueue')
import farms  # noqa: E402
import slurm  # noqa: E402

pytestmark = pytest.mark.skipif(
    not os.environ.get('CLQC_FARM_LONG') or not slurm.is_there(),
    reason='scripts/farm-test.sh runs what takes long; or there is no Slurm')

PAGE = docpages.text_of('scale.md')


@pytest.fixture(scope='module', name='clip')
def make_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(clips.make(str(tmp_path_factory.mktemp('clip') / 'clip.mp4'),
                           sound='sine=d=16'))


@pytest.fixture(scope='module', name='whole')
def check_here(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp('whole')
    clqc('check', clip, '--out', out, '--no-reports')
    return out / clip.name


@pytest.fixture(scope='module', name='queue')
def start_slurm(tmp_path_factory: pytest.TempPathFactory
                ) -> Iterator[slurm.Slurm]:
    """Starts a queue that can run one of the page's jobs at a time."""
    with slurm.running(tmp_path_factory.mktemp('slurm'), queue='gpu',
                       cores=15) as found:
        yield found


def describe(folder: Path, workers: int) -> Path:
    """The page's file, for fewer workers on the loopback interface."""
    text, = re.findall(r'^```toml\n(# slurm\.toml\n.*?)^```', PAGE,
                       re.MULTILINE | re.DOTALL)
    assert 'workers = 40\n' in text
    path = folder / 'slurm.toml'
    path.write_text(text.replace('workers = 40', f'workers = {workers}')
                    + f'interface = "lo"\nlog_directory = "{folder}"\n')
    module = folder / 'module'  # where the page's machines have modules
    module.write_text(f'#!/bin/sh\necho "$@" >> {folder}/modules\n')
    module.chmod(0o755)
    return path


def start(clip: Path, folder: Path, queue: slurm.Slurm, workers: int = 2,
          **settings: str) -> farms.Check:
    environment: Dict[str, Any] = {
        **settings, **queue.settings,
        'PATH': f'{folder}:{queue.settings["PATH"]}'}
    return farms.Check(
        clip, '--out', folder / 'out', '--no-reports', '--parts', 6,
        '--cluster', describe(folder, workers), **environment)


def test_job_waits_in_the_queue(clip: Path, whole: Path, tmp_path: Path,
                                queue: slurm.Slurm) -> None:
    """The running job does all the work."""
    one = start(clip, tmp_path, queue)
    states = farms.until(lambda: len(queue.jobs()) == 2 and queue.jobs())
    output = one.end()
    assert one.process.returncode == 1, output
    assert 'PENDING' in states.values()
    assert farms.same(whole, tmp_path / 'out' / clip.name)
    assert read(tmp_path / 'out', clip.name, 'facts.json')[
        'measured']['parts'] == 6
    assert (tmp_path / 'modules').read_text() == 'load gstreamer\n'
    log, = tmp_path.glob('dask-worker-*.err')
    assert 'Registered to:' in log.read_text()
    farms.until(lambda: not queue.jobs())


def test_a_job_is_cancelled(clip: Path, whole: Path, tmp_path: Path,
                            queue: slurm.Slurm) -> None:
    """The waiting job then starts and continues the work."""
    one = start(clip, tmp_path, queue)
    farms.until(lambda: list((tmp_path / 'out').glob('*/parts/*')))
    running, = [number for number, state in queue.jobs().items()
                if state == 'RUNNING']
    queue.ask('scancel', running)
    output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole, tmp_path / 'out' / clip.name)
    assert (tmp_path / 'modules').read_text() == 'load gstreamer\n' * 2
    farms.until(lambda: not queue.jobs())


def test_only_job_reaches_its_time_limit(clip: Path, whole: Path,
                                         tmp_path: Path,
                                         queue: slurm.Slurm) -> None:
    """Another job is requested."""
    one = start(clip, tmp_path, queue, 1,
                DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT='1s')
    farms.until(lambda: list((tmp_path / 'out').glob('*/parts/*')))
    running, = queue.jobs()
    queue.ask('scancel', running)
    output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole, tmp_path / 'out' / clip.name)
    assert (tmp_path / 'modules').read_text() == 'load gstreamer\n' * 2


def test_unknown_queue(clip: Path, tmp_path: Path, queue: slurm.Slurm) -> None:
    """Slurm's reason is reported, with the line of the file."""
    path = describe(tmp_path, 1)
    path.write_text(path.read_text().replace('"gpu"', '"night"'))
    done = clqc('check', clip, '--out', tmp_path / 'out', '--quiet',
                '--cluster', path, **queue.settings)
    assert done.returncode == 2
    assert done.stdout == (f'clqc: {path}, line 4: queue: sbatch: error: '
                           'invalid partition specified: night\n')
    assert not queue.jobs()


def test_missing_slurm(clip: Path, tmp_path: Path) -> None:
    done = clqc('check', clip, '--out', tmp_path / 'out', '--quiet',
                '--cluster', describe(tmp_path, 1), PATH='/nowhere')
    assert done.returncode == 2
    assert done.stdout.count('\n') == 1, done.stdout
    assert "'sbatch'" in done.stdout


def test_the_command_is_stopped(clip: Path, tmp_path: Path,
                                queue: slurm.Slurm) -> None:
    """Its jobs end, including the waiting one."""
    one = start(clip, tmp_path, queue)
    farms.until(lambda: list((tmp_path / 'out').glob('*/parts/*')))
    one.interrupt()
    output = one.end()
    assert one.process.returncode == 130, output
    assert 'continues from here' in output
    farms.until(lambda: not queue.jobs())
