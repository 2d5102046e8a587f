# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of Dask farms have the same bytes as on one machine, whatever
fails."""
import contextlib
import gzip
import itertools
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, List

import clips
import psutil
import pytest
import webserver
from command import clqc, read, verdict

pytest.importorskip('distributed')
import farms  # noqa: E402

CLIPS = ('clip.mp4', 'clip.mpg')  # with and without a join of parts


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('videos')
    for name in CLIPS:
        clips.make(str(folder / name), clips.STILL, 'sine=d=16'
                   if name.endswith('mp4') else '')
    return folder


@pytest.fixture(scope='module', name='whole')
def check_here(folder: Path, tmp_path_factory: pytest.TempPathFactory
               ) -> Path:
    """Measures on one machine, in one run."""
    out = tmp_path_factory.mktemp('whole')
    clqc('check', folder, '--out', out, '--no-reports')
    return out


@pytest.fixture(scope='module', name='farm')
def start_farm(tmp_path_factory: pytest.TempPathFactory
               ) -> Iterator[farms.Farm]:
    with farms.running(tmp_path_factory.mktemp('farm')) as farm:
        yield farm


def parts_of(out: Path) -> List[Path]:
    """The results that are kept of the clip in MP4."""
    return [path for path in (out / 'clip.mp4' / 'parts').glob('*')
            if b'"task": "measure"' in path.read_bytes()[:1000]]


def check(out: Path, farm: farms.Farm, *words: Any,
          **settings: str) -> farms.Check:
    return farms.Check(*words, '--out', out, '--scheduler', farm.address,
                       '--no-reports', **settings)


_numbers = itertools.count()


@dataclass
class Faulty:
    """A worker, and the file in which it reports the parts that it has
    measured."""
    name: str
    touched: Path


@contextlib.contextmanager
def one_more(farm: farms.Farm, name: str, folder: Path, fault: str,
             *options: str, **settings: str) -> Iterator['Faulty']:
    """A worker with a fault: code that runs where a part is measured, or where
    a worker of Dask starts (`if is_worker`). Ends with the with block."""
    folder.mkdir()
    name = f'{name}{next(_numbers)}'
    text = FAULT.replace('FAULT', fault.replace('\n', '\n        '))
    (folder / 'sitecustomize.py').write_text(text)
    farm.start_worker(name, *options, **{
        'PYTHONPATH': os.pathsep.join([str(folder),
                                       os.environ['PYTHONPATH']]),
        'TOUCHED': str(folder / 'touched'), **settings})
    try:
        farms.until(lambda: 'Registered' in farm.output(name))
        yield Faulty(name, folder / 'touched')
    finally:
        farm.kill(farm.workers.pop(name))


FAULT = '''
import os, sys, time
if 'clqc.worker' in sys.orig_argv:
    import clqc.measure_part
    measure = clqc.measure_part.measure
    def faulty(part, tick):
        if part.limit is None:  # no seam
            open(os.environ['TOUCHED'], 'a').write('.')
        FAULT
        return measure(part, tick)
    clqc.measure_part.measure = faulty
'''


def test_same_bytes_as_one_machine(folder: Path, whole: Path, farm: farms.Farm,
                                   tmp_path: Path) -> None:
    """A worker with another decoder and a worker without the plugin are
    rejected by name."""
    out = tmp_path / 'out'
    with one_more(farm, 'old', tmp_path / 'd', '', GST_PLUGIN_FEATURE_RANK=(
            'avdec_h264:NONE')) as old, \
            one_more(farm, 'bare', tmp_path / 'e', '',
                     **farms.without_plugin(tmp_path)) as bare:
        done = clqc('check', folder, '--out', out, '--scheduler',
                    farm.address, '--parts', 4)
    assert done.returncode == 1, done.stdout
    for name in CLIPS:
        assert farms.same(whole / name, out / name)
        assert (out / name / 'levels.json').exists() == (name == CLIPS[0])
        assert (out / name / 'report.html').exists()
        assert verdict(out, name)['reasons'] == (
            verdict(whole, name)['reasons'])
        assert not (out / name / 'parts').exists()
    assert verdict(out, CLIPS[0])['measured']['parts'] == 4
    assert read(out, CLIPS[0], 'facts.json')['container'] == (
        read(whole, CLIPS[0], 'facts.json')['container'])
    assert verdict(out, CLIPS[1])['measured']['one-piece']
    assert not old.touched.exists() and not bare.touched.exists()
    lines = [line for line in done.stdout.splitlines() if 'rejected' in line]
    # a busy one may be refused again, as its connection has closed
    assert len({line.split()[2] for line in lines}) == 2, done.stdout
    for one, why in (old, 'lacks avdec_h264'), (bare, 'plugin opencl'):
        assert any(line.startswith(f'farm: worker {one.name} at tcp://') and
                   why in line for line in lines), done.stdout
        assert f'worker {one.name} at' in (out / 'farm.log').read_text()


def test_worker_dies_while_measuring(folder: Path, whole: Path,
                                     farm: farms.Farm, tmp_path: Path) -> None:
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6)
        farms.until(faulty.touched.exists)
        farm.kill(farm.workers[faulty.name])
        output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])


long = pytest.mark.skipif(
    not os.environ.get('CLQC_FARM_LONG'),
    reason='scripts/farm-test.sh runs what takes long')


FAILED = 'failed: clip.mp4: measuring from .* s'


@pytest.mark.parametrize('fault, options, settings, why', [
    # it runs forever, and says so
    ('for i in range(10 ** 6): tick(i); time.sleep(0.1)', (),
     {'CLQC_FARM_BASE_SECONDS': '10'}, f'{FAILED}: it takes longer than'),
    # the process is stopped
    ('import signal; os.kill(os.getpid(), signal.SIGSTOP)', (), {},
     f'{FAILED}: the decoding process gave no sign of life for 10 seconds'),
    # the process needs more memory than the worker may use
    pytest.param('hog = bytearray(600 << 20); time.sleep(100)',
                 ('--memory-limit', '500MiB'), {},
                 f'{FAILED}: it has too little memory', marks=long),
    # the worker itself is killed repeatedly
    pytest.param('import signal; os.kill(os.getppid(), signal.SIGKILL)', (),
                 {}, 'is lost', marks=long),
    # a disk of a worker is full
    pytest.param("raise OSError(28, 'No space left on device')", (), {},
                 rf'{FAILED}: \[Errno 28\] No space left', marks=long),
])
def test_part_is_tried_on_another_worker(fault: str, options: Any,
                                         settings: Any, why: str,
                                         folder: Path, whole: Path,
                                         farm: farms.Farm,
                                         tmp_path: Path) -> None:
    """The failure is reported, with the name of the worker."""
    with one_more(farm, 'd', tmp_path / 'd', fault, *options,
                  CLQC_STALL_SECONDS='10') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6,
                    '--time-limit', 1, **settings)
        output = one.end()
        assert faulty.touched.exists()
    assert one.process.returncode == 1, output
    for text in output, (tmp_path / 'farm.log').read_text():
        assert re.search(rf'worker {faulty.name} at tcp://\S+ {why}', text), (
            output)
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])
    assert read(tmp_path, CLIPS[0], 'facts.json')['measured']['parts'] == 6


def test_worker_that_is_stopped(folder: Path, whole: Path, farm: farms.Farm,
                                tmp_path: Path) -> None:
    """A worker with all its processes."""
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6,
                    CLQC_STALL_SECONDS='10')
        farms.until(faulty.touched.exists)
        worker = psutil.Process(farm.workers[faulty.name].pid)
        for process in [worker, *worker.children(recursive=True)]:
            process.send_signal(signal.SIGSTOP)
        output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])
    assert re.search(rf'farm: worker {faulty.name} at tcp://\S+ has not '
                     'answered for 10 seconds: its tasks go to other workers',
                     output), output


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A small disk, which the block may fill."""
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=256k', 'none',
                       str(folder)], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        pytest.skip('mount is not allowed')
    try:
        yield
    finally:
        subprocess.run(['umount', '--lazy', str(folder)], check=True)


def test_worker_with_a_full_disk(folder: Path, whole: Path,
                                 tmp_path: Path) -> None:
    """It is left out after three failures, and the run passes without it. If
    there is no other worker, the run ends."""
    disk, log = tmp_path / 'disk', tmp_path / 'out' / 'farm.log'
    disk.mkdir()
    words = (folder, '--parts', 6)
    with small_disk(disk), farms.running(tmp_path / 'farm', 1) as farm:
        farm.start_worker('full', '--local-directory', str(disk))
        farms.until(lambda: 'Registered' in farm.output('full'))
        with contextlib.suppress(OSError), open(disk / 'x', 'wb') as file:
            file.write(bytes(1 << 20))
        output = check(tmp_path / 'out', farm, *words).end()
        farm.kill(farm.workers.pop('a'))
        ended = check(tmp_path / 'ended', farm, *words)
        end = ended.end()
    for name in CLIPS:
        assert farms.same(whole / name, tmp_path / 'out' / name), output
    for text in output, log.read_text():
        assert re.search('worker full at .* failed: .*No space left', text)
        assert len(re.findall('worker full at .* is left out: 3 tasks in a '
                              'row failed there .*No space left', text)) == 1
    assert ended.process.returncode == 2
    assert end.count('farm: all workers are left out: the run ends') == 1
    for name in CLIPS:
        assert f'not measured: {name}: all workers are left out; ' in end


@long
def test_worker_without_access_to_the_file(folder: Path, whole: Path,
                                           farm: farms.Farm,
                                           tmp_path: Path) -> None:
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    shutil.copy2(folder / CLIPS[0], elsewhere)
    fault = ("    pass\n"
             "exists = os.path.exists\n"
             "os.path.exists = lambda path: (\n"
             "    'elsewhere' not in str(path) and exists(path))\n"
             "if 0:\n"
             "    ")
    with one_more(farm, 'd', tmp_path / 'd', fault):
        one = check(tmp_path, farm, elsewhere / CLIPS[0], '--parts', 6)
        output = one.end()
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0]), output


def test_broken_file_fails_alone(folder: Path, whole: Path, farm: farms.Farm,
                                 tmp_path: Path) -> None:
    (tmp_path / 'in').mkdir()
    broken = tmp_path / 'in' / 'broken.mp4'
    data = (folder / CLIPS[0]).read_bytes()
    broken.write_bytes(data[:len(data) // 2])
    one = check(tmp_path, farm, broken, folder / CLIPS[0], '--parts', 3)
    output = one.end()
    assert one.process.returncode == 2
    alone = clqc('check', broken, '--out', tmp_path / 'alone')
    why = verdict(tmp_path / 'alone', 'broken.mp4')['reasons'][0]['message']
    assert why in alone.stdout
    # GStreamer's discoverer may lose an error: then another worker tries the
    # part, and both reasons are reported
    assert 'not measured: broken.mp4: ' in output
    assert why in output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])


def test_an_address(folder: Path, whole: Path, farm: farms.Farm,
                    tmp_path: Path) -> None:
    """The query of the address is secret, and appears nowhere afterwards:
    neither where it is measured, nor where it fails, which workers report in
    their logs."""
    (tmp_path / 'in').mkdir()
    data = (folder / CLIPS[0]).read_bytes()
    (tmp_path / 'in' / CLIPS[0]).write_bytes(data)
    (tmp_path / 'in' / 'broken.mp4').write_bytes(data[:len(data) // 2])
    out = tmp_path / 'out'
    with webserver.serving(tmp_path / 'in') as server:
        addresses = [f'{server.address}/{name}?token=se%2Bcret&signature=zyxw'
                     for name in (CLIPS[0], 'broken.mp4')]
        output = check(out, farm, *addresses, '--parts', 3).end()
        assert len(server.requests) > 3
    # an address has no SHA-256, but an ETag
    assert farms.same(whole / CLIPS[0], out / CLIPS[0], ['facts.json']), output
    assert read(out, CLIPS[0], 'facts.json')['container']['path'] == (
        f'{server.address}/{CLIPS[0]}')
    assert 'not measured: broken.mp4: ' in output
    for path in [path for path in [*out.rglob('*'), *farm.folder.rglob('*')]
                 if path.is_file()]:
        content = path.read_bytes()
        if path.suffix == '.gz':
            content = gzip.decompress(content)
        output += content.decode('utf-8', 'replace')
    assert 'Compute Failed' in output
    for secret in 'se%2Bcret', 'se+cret', 'zyxw':
        assert secret not in output


def test_stop_and_restart(folder: Path, whole: Path, farm: farms.Farm,
                          tmp_path: Path) -> None:
    """A slow worker leaves one file to measure."""
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6)
        farms.until(lambda: faulty.touched.exists() and len(
            parts_of(tmp_path)) >= 3)
        one.interrupt()
        output = one.end()
        assert one.process.returncode == 130, output
        assert 'continues from here' in output
        farms.until(lambda: not any(farms.decoders(worker.pid) for worker in
                                    farm.workers.values()))
    kept = {path: path.stat().st_mtime_ns for path in parts_of(tmp_path)}
    # a damaged one is measured again
    damaged = min(kept)
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with one_more(farm, 'e', tmp_path / 'e', '') as faulty:
        for name in 'abc':
            farm.kill(farm.workers[name])
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6)
        output = one.end()
        n_measured = len(faulty.touched.read_text())
        for name in 'abc':
            farm.start_worker(name)
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0]), output
    assert n_measured == 6 - len(kept) + 1


def test_full_disk_keeps_results(folder: Path, whole: Path, farm: farms.Farm,
                                 tmp_path: Path) -> None:
    """Files are truncated, as on a full disk."""
    done = clqc('check', folder / CLIPS[0], '--out', tmp_path, '--scheduler',
                farm.address, '--parts', 4, '--no-reports',
                before=['prlimit', '--fsize=42000'])
    assert done.returncode == 2
    assert 'File too large' in done.stdout and 'parts' in done.stdout
    assert 0 < len(parts_of(tmp_path)) < 4
    done = clqc('check', folder / CLIPS[0], '--out', tmp_path, '--scheduler',
                farm.address, '--parts', 4, '--no-reports')
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0]), done.stdout


@long
def test_scheduler_is_lost(folder: Path, tmp_path: Path) -> None:
    with farms.running(tmp_path / 'farm') as farm:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6,
                    CLQC_FARM_AWAY_SECONDS='7')
        farms.until(lambda: parts_of(tmp_path))
        assert farm.scheduler
        farm.kill(farm.scheduler)
        output = one.end()
    assert one.process.returncode == 2
    assert 'farm: the scheduler does not answer' in output
    assert 'not measured: clip.mp4: ' in output and '7 seconds' in output
    assert parts_of(tmp_path)


@long
def test_ctrl_c_at_a_terminal(folder: Path, tmp_path: Path) -> None:
    """The signal is sent to the whole process group."""
    one = farms.Check(folder, '--out', tmp_path, '--cluster', 'local',
                      '--parts', 6, start_new_session=True)
    farms.until(lambda: farms.decoders(one.process.pid))
    below = psutil.Process(one.process.pid).children(recursive=True)
    os.killpg(one.process.pid, signal.SIGINT)
    output = one.end()
    assert one.process.returncode == 130
    assert output.splitlines()[-1].startswith('clqc: stopped')
    assert len(output.splitlines()) <= 2, output
    assert not psutil.wait_procs(below, timeout=60)[1]


@long
def test_scheduler_restarts(folder: Path, whole: Path, tmp_path: Path) -> None:
    """Workers end with the scheduler, and their supervisor restarts them."""
    with farms.running(tmp_path / 'farm') as farm:
        one = farms.Check(
            folder / CLIPS[0], '--out', tmp_path, '--no-reports', '--parts',
            6, '--scheduler', farm.folder / 'scheduler.json')
        farms.until(lambda: parts_of(tmp_path))
        assert farm.scheduler
        farm.kill(farm.scheduler)
        farm.start_scheduler()
        for name in 'abc':
            farm.kill(farm.workers[name])
            farm.start_worker(name)
        output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])


@long
def test_only_worker_returns_at_its_address(folder: Path, whole: Path,
                                            tmp_path: Path) -> None:
    """The returned worker is checked again, and then gets tasks."""
    with farms.running(tmp_path / 'farm', 0) as farm:
        port = ('--worker-port', str(farms.free_port()))
        farm.start_worker('a', *port)
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6)
        farms.until(lambda: parts_of(tmp_path))
        farm.kill(farm.workers['a'])
        farm.start_worker('a', *port)
        output = one.end()
    assert one.process.returncode == 1, output
    assert 'sent again' in output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])
