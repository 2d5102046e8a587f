# SPDX-License-Identifier: LGPL-2.1-or-later
"""What runs on workers, without Dask's processes."""
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict

import pytest
from clqc import errors, jobs

pytest.importorskip('distributed')
from clqc.farm import tasks  # noqa: E402


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
def test_whose_fault_it_is(error: Exception, is_of_worker: bool,
                           worker: Any, tmp_path: Path,
                           monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Dict[str, Any]:
        raise error
    monkeypatch.setattr(jobs, 'run', fails)
    (tmp_path / 'clip').touch()
    with pytest.raises(tasks.TaskError) as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker == is_of_worker
    assert not list(Path(worker.local_directory).iterdir())


def test_a_worker_without_a_folder(worker: Any, tmp_path: Path) -> None:
    (tmp_path / 'clip').touch()
    worker.local_directory += '/none'
    with pytest.raises(tasks.TaskError, match='worker w at tcp') as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker and raised.value.worker == 'tcp://w'


def test_a_worker_that_does_not_see_the_file(worker: Any,
                                             tmp_path: Path) -> None:
    with pytest.raises(tasks.TaskError, match='does not see') as raised:
        tasks.run(order(tmp_path / 'clip'))
    assert raised.value.is_of_worker
    assert raised.value.worker == worker.address
