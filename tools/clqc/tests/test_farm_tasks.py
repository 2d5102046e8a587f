# SPDX-License-Identifier: LGPL-2.1-or-later
"""Code that runs on workers, without Dask's processes."""
import contextlib
import json
import os
import resource
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Optional

import folders
import pytest
from clqc.checking import check
from clqc.common import errors
from clqc.decoding import jobs, file_parts
from clqc.inputs import discovery
from clqc.judging import policy
from clqc.measuring import video
from clqc.results import result_files
from jumping import Jumping

pytest.importorskip('distributed')
from clqc.farm import local, tasks  # noqa: E402


@pytest.fixture(name='worker')
def make_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The worker that tasks run on."""
    folder = tmp_path / 'worker'
    folder.mkdir()
    worker = SimpleNamespace(
        address='tcp://w', name='w', local_directory=str(folder),
        get_current_task=lambda: 'key', log_event=lambda *_: None,
        memory_manager=SimpleNamespace(memory_limit=None),
        state=SimpleNamespace(tasks={'key': SimpleNamespace(
            state='executing')}))
    monkeypatch.setattr(tasks, 'get_worker', lambda: worker)
    return worker


def order(path: Path, **request: Any) -> tasks.Order:
    return tasks.Order('container', {'path': str(path), **request}, 'log',
                       'topic', 'tag')


@pytest.mark.parametrize('error, is_of_worker', [
    (errors.ClqcError('broken'), False),
    (errors.MachineError('full'), True),
    (OSError(28, 'full'), True)])
def test_cause_of_a_failure(error: Exception, is_of_worker: bool, worker: Any,
                            tmp_path: Path,
                            monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Dict[str, Any]:
        raise error
    monkeypatch.setattr(jobs, 'run', fails)
    (tmp_path / 'clip').touch()
    with pytest.raises(tasks.TaskError) as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker == is_of_worker
    assert not list(Path(worker.local_directory).iterdir())


@pytest.mark.parametrize('is_measuring, size, is_broken', [
    (True, None, False), (False, None, True), (True, 4096, True)])
def test_worker_that_can_run_no_task(is_measuring: bool, size: Optional[int],
                                     is_broken: bool, worker: Any,
                                     tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that fails measures a frame without the input, and writes to
    its folder."""
    def run(_: str, task: str, *__: Any, **___: Any) -> Dict[str, Any]:
        if task == 'versions' and is_measuring:
            return {}
        raise errors.MachineError('no memory of the device')
    monkeypatch.setattr(jobs, 'run', run)
    (tmp_path / 'clip').touch()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        if size:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        with pytest.raises(tasks.TaskError) as raised:
            tasks.run(order(tmp_path / 'clip'))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert raised.value.why == 'no memory of the device'
    assert raised.value.name == 'worker w at tcp://w'
    assert raised.value.is_of_worker and raised.value.is_broken == is_broken
    assert not list(Path(worker.local_directory).iterdir())


def test_a_full_disk(worker: Any, tmp_path: Path,
                     monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of a worker, whatever the input."""
    def write(log: str, *_: Any, **__: Any) -> Dict[str, Any]:
        Path(log).write_bytes(bytes(1 << 20))
        return {}
    monkeypatch.setattr(jobs, 'run', write)
    disk = Path(worker.local_directory)
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none',
                       str(disk)], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        pytest.skip('mount is not allowed')
    try:
        (tmp_path / 'clip').touch()
        with contextlib.suppress(OSError), open(disk / 'full', 'wb') as file:
            file.write(bytes(1 << 20))
        with pytest.raises(tasks.TaskError, match='No space left') as raised:
            tasks.run(order(tmp_path / 'clip'))
    finally:
        subprocess.run(['umount', str(disk)], check=True)
    assert raised.value.is_of_worker and raised.value.is_broken


def test_a_worker_without_a_folder(worker: Any, tmp_path: Path) -> None:
    (tmp_path / 'clip').touch()
    worker.local_directory += '/none'
    with pytest.raises(tasks.TaskError, match='worker w at tcp') as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker and raised.value.worker == 'tcp://w'


def test_worker_without_access_to_the_file(worker: Any,
                                           tmp_path: Path) -> None:
    with pytest.raises(tasks.TaskError, match='cannot access') as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker and not raised.value.is_broken
    assert raised.value.worker == worker.address


def whole(path: Path, **other: Any) -> tasks.Whole:
    return tasks.Whole(
        str(path), path.name, policy.load('default'), True, folders.facts(),
        [], [5], None, {}, None, 'log', **other)


def test_run_over_a_cut_has_a_limit(worker: Any, tmp_path: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """Seam runs and pictures have a time limit as parts have; they are not
    repeated."""
    def fails(_: Any, __: str, ___: Any = None, care: jobs.Care = jobs.Care(),
              **____: Any) -> Any:
        raise errors.ClqcError(str(care.why_not(os.getpid())))

    def join(plan: video.Plan, *_: Any) -> Any:
        video._run(plan, file_parts.Part('', ''))
    monkeypatch.setattr(jobs, 'run', fails)
    monkeypatch.setattr(video, 'join', join)
    (tmp_path / 'clip').touch()
    with pytest.raises(tasks.TaskError, match='longer than 0') as raised:
        tasks.finish(whole(tmp_path / 'clip', seconds=0.0), [])
    assert raised.value.is_too_long and not raised.value.is_of_worker
    worker.state.tasks['key'].state = 'cancelled'
    with pytest.raises(tasks.TaskError, match='no longer needed'):
        tasks.finish(whole(tmp_path / 'clip', seconds=99.0), [])
    worker.state.tasks['key'].state = 'executing'
    worker.memory_manager.memory_limit = 1 << 20
    with pytest.raises(tasks.TaskError, match='too little memory') as raised:
        tasks.finish(whole(tmp_path / 'clip'), [])
    assert raised.value.is_of_worker
    # a different result at a cut is a reason to measure in one piece
    worker.memory_manager.memory_limit = None
    assert tasks.finish(whole(tmp_path / 'clip'), []).why == 'None'


def test_abandoned_join_ends(tmp_path: Path) -> None:
    plan = video.Plan('', str(tmp_path), '', {}, why_not=lambda _: 'enough')
    with pytest.raises(errors.ClqcError, match='enough'):
        video.join(plan, [], video.parts_of(plan, [], []),
                   [{'frames': 0, 'errors': []}])


def test_abandoned_pictures_end(tmp_path: Path,
                                monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def pictures(*_: Any, care: jobs.Care, **__: Any) -> Any:
        asked.append(care.why_not(1))
        return {'pictures': []}
    monkeypatch.setattr(jobs, 'run', pictures)
    monkeypatch.setattr(check.thumbnails, 'choose', lambda *_: [1])
    monkeypatch.setattr(check.report, 'write', lambda *_: None)
    path = tmp_path / 'clip'
    path.touch()
    (tmp_path / 'facts.json').write_text(json.dumps(folders.facts()))
    check.write_report(discovery.Input(str(path), 'clip'),
                       result_files.Results(str(tmp_path)),
                       None,  # type: ignore
                       lambda _: 'enough')
    assert asked == ['enough']


def test_the_memory_of_all_decoders(worker: Any,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """If all decoders together need too much memory, the largest one ends."""
    used = {1: 300, 2: 400, os.getpid(): 200}
    monkeypatch.setattr(jobs, 'running', lambda: [1, 2])
    monkeypatch.setattr(tasks.psutil, 'Process', lambda pid: SimpleNamespace(
        memory_info=lambda: SimpleNamespace(rss=used[pid] << 20)))
    care = tasks._Care(None)
    worker.memory_manager.memory_limit = 1000 << 20
    assert care.why_not(1) is None and care.why_not(2) is None
    worker.memory_manager.memory_limit = 900 << 20
    assert care.why_not(1) is None
    assert care.why_not(os.getpid()) is None and not care.is_of_worker
    assert care.why_not(2) == ('it has too little memory: 900 MiB of 900 MiB '
                               'are used')
    assert care.is_of_worker
    monkeypatch.setattr(jobs, 'running', lambda: [])
    assert tasks._Care(None).why_not(os.getpid()) is None
    worker.memory_manager.memory_limit = 200 << 20
    assert tasks._Care(None).why_not(os.getpid())


def test_a_task_that_takes_too_long(worker: Any) -> None:
    worker.memory_manager.memory_limit = None
    clock = Jumping()
    care = tasks._Care(60, clock)
    clock.sleep(60)
    assert care.why_not(os.getpid()) is None and not care.is_too_long
    clock.sleep(0.5)
    assert care.why_not(os.getpid()) == (
        'it takes longer than 60 seconds, the limit for its length')
    assert care.is_too_long


def test_the_memory_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory limit of a container may be below the machine's memory."""
    monkeypatch.setattr(local, 'MEMORY_LIMIT', 600 << 20)
    spec = local.specification([], 3, None, None, [0, 1, 2])
    assert {one['options']['memory_limit'] for one in spec.values()} == {
        200 << 20}
