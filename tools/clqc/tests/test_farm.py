# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of Dask farms have the same bytes as on one machine, whatever
fails."""
import gzip
import os
import signal
from pathlib import Path

import psutil
import pytest
import webserver
from command import clqc, read, verdict

pytest.importorskip('distributed')
import farms  # noqa: E402
from farms import (  # noqa: E402, F401
    CLIPS, check, check_here, long, make_folder, one_more, parts_of,
    start_farm)


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
