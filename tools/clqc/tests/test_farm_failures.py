# SPDX-License-Identifier: LGPL-2.1-or-later
"""Workers that fail, on farms whose results have the same bytes as on one
machine."""
import contextlib
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Iterator, List

import psutil
import pytest
from command import read

pytest.importorskip('distributed')
import farms  # noqa: E402
from farms import (  # noqa: E402, F401
    CLIPS, check, check_here, long, make_folder, one_more, start_farm)


def test_worker_dies_while_measuring(folder: Path, whole: Path,
                                     farm: farms.Farm, tmp_path: Path) -> None:
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6)
        farms.until(faulty.touched.exists)
        farm.kill(farm.workers[faulty.name])
        output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])


FAILED = 'failed: clip.mp4: measuring from .* s'


@pytest.mark.parametrize('fault, options, settings, why', [
    # it runs forever, and says so
    ('for i in range(10 ** 6): tick(i); time.sleep(0.1)', (),
     {'SHORT_LIMITS': '1'}, f'{FAILED}: it takes longer than'),
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
                  CLQC_STALL_SECONDS='10', **settings) as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6,
                    '--time-limit', 1)
        output = one.end()
        assert faulty.touched.exists()
    assert one.process.returncode == 1, output
    for text in output, (tmp_path / 'farm.log').read_text():
        assert re.search(rf'worker {faulty.name} at tcp://\S+ {why}', text), (
            output)
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])
    assert read(tmp_path, CLIPS[0], 'facts.json')['measured']['parts'] == 6


def with_children(pid: int) -> List[psutil.Process]:
    worker = psutil.Process(pid)
    return [worker, *worker.children(recursive=True)]


def test_worker_that_is_stopped(folder: Path, whole: Path, farm: farms.Farm,
                                tmp_path: Path) -> None:
    """A worker with all its processes."""
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(tmp_path, farm, folder / CLIPS[0], '--parts', 6,
                    CLQC_STALL_SECONDS='10')
        farms.until(faulty.touched.exists)
        for process in with_children(farm.workers[faulty.name].pid):
            process.send_signal(signal.SIGSTOP)
        output = one.end()
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], tmp_path / CLIPS[0])
    assert re.search(rf'farm: worker {faulty.name} at tcp://\S+ has not '
                     'answered for 10 seconds: its tasks go to other workers',
                     output), output


@long
def test_workers_with_finished_parts_are_stopped(
        folder: Path, whole: Path, farm: farms.Farm, tmp_path: Path) -> None:
    """The command has these parts, too: they are joined without the workers,
    which Dask drops after five minutes. The last part is measured when the
    others are finished."""
    out = tmp_path / 'out'
    with one_more(farm, 'd', tmp_path / 'd', 'time.sleep(100)') as faulty:
        one = check(out, farm, folder / CLIPS[0], '--parts', 6,
                    CLQC_STALL_SECONDS='10')
        farms.until(lambda: faulty.touched.exists() and
                    len(farms.parts_of(out)) == 5)
        stopped = [process for name in 'ab'
                   for process in with_children(farm.workers[name].pid)]
        try:
            for process in stopped:
                process.send_signal(signal.SIGSTOP)
            farm.kill(farm.workers[faulty.name])
            output = one.end()
        finally:
            for process in stopped:
                process.send_signal(signal.SIGCONT)
    assert one.process.returncode == 1, output
    assert farms.same(whole / CLIPS[0], out / CLIPS[0])


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
