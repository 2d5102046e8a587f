# SPDX-License-Identifier: LGPL-2.1-or-later
"""One input on a farm, without Dask's processes: how the command handles the
results of tasks."""
import json
from pathlib import Path
from typing import Any, Callable, List

import pytest
from clqc import __version__
from clqc.checking import check
from clqc.common import errors
from clqc.inputs import discovery
from clqc.judging import policy
from clqc.results import result_files

pytest.importorskip('distributed')
from clqc.farm import (  # noqa: E402
    input_check, pending_tasks, task_store, tasks)


FACTS = {'container': {'duration': 600 * 10 ** 9}, 'audio': None,
         'video': {}, 'measured': {}}
VERDICT = result_files.Verdict('clip.mp4', 'pass', 'default', 'x')


class Farm:
    """A farm whose tasks are complete at once. The result or error comes from
    a function for the kind of task, or is a default."""
    topic = 'topic'
    limit = 60.0
    versions = {'clqc': __version__}

    def __init__(self, answer: Callable[[Any], Any] = lambda _: None) -> None:
        self.answer = answer
        self.orders: List[Any] = []

    def submit(self, task: pending_tasks.Pending) -> pending_tasks.Pending:
        order = task.make()[1]
        self.orders.append(order)
        found = self.answer(order)
        if isinstance(found, Exception):
            task.fail(found)
        elif found is not None:
            task.succeed(tasks.Answer(found))
        elif task.what == 'finish':
            task.succeed(tasks.Finished({
                result_files.FACTS: json.dumps(order.facts).encode(),
                result_files.VERDICT: json.dumps(VERDICT.to_json()).encode()}))
        else:
            task.succeed(tasks.Answer({
                'container': FACTS, 'measure': {'frames': 9},
                'packets': {'keys': [0, 200 * 10 ** 9, 400 * 10 ** 9]},
            }[task.what], b'lines'))
        return task

    def data(self, _: Any, load: Callable[[], Any]) -> Any:
        return load()


def checking_of(path: Path, out: Path, farm: Any = Farm(),
                **options: Any) -> input_check.Checking:
    (out / path.name).mkdir(parents=True, exist_ok=True)
    return input_check.Checking(
        farm, discovery.Input(str(path), path.name),
        check.Options(str(out), policy.load('default'), **options), None)


def test_an_input(tmp_path: Path) -> None:
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')
    one = checking_of(path, tmp_path / 'out')
    assert one.check() == VERDICT
    assert one.results.read(result_files.FACTS)['container'] == {
        **FACTS['container'], 'bytes': 1,
        'modified': path.stat().st_mtime_ns}


def test_changing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')

    def change(order: Any) -> None:
        if isinstance(order, tasks.Whole):
            path.write_bytes(b'xy')
    one = checking_of(path, tmp_path / 'out', Farm(change))
    with pytest.raises(errors.ClqcError, match='has changed while it was'):
        one.check()
    assert not one.results.has(result_files.FACTS)


def test_results_of_an_earlier_measurement_are_removed(tmp_path: Path) -> None:
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')
    folder = tmp_path / 'out' / 'clip.mp4'
    one = checking_of(path, tmp_path / 'out')
    for name in (*result_files.ALL, 'clip.mp4.qctools.xml.gz', 'clqc.log'):
        (folder / name).write_text('of an earlier one')
    new = {result_files.FACTS: b'{}', result_files.FRAMES: b'',
           result_files.EVENTS: b''}
    one._write(new)
    assert {one.name for one in folder.iterdir()} == {*new, 'clqc.log'}
    assert (folder / result_files.FACTS).read_bytes() == b'{}'


SECOND = 10 ** 9


def test_a_part_that_hangs_is_reported(tmp_path: Path) -> None:
    """The results of the other parts are kept; the file is not measured again
    in one piece."""
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')

    def hang(order: Any) -> Any:
        if isinstance(order, tasks.Order) and (
                order.request.get('start') == 200 * SECOND):
            return pending_tasks.TooLong('it takes longer than 9 seconds')
        return None
    farm = Farm(hang)
    with pytest.raises(pending_tasks.NoneLeft,
                       match='from 200.0 s to 400.0 s: '
                       'it takes longer than 9 seconds'):
        checking_of(path, tmp_path / 'out', farm, n_parts=3).check()
    assert [order.request.get('start') for order in farm.orders
            if order.task == 'measure'] == [None, 200 * SECOND, 400 * SECOND]
    # the next run measures only the part that hung
    again = Farm()
    assert checking_of(path, tmp_path / 'out', again, n_parts=3).check() == (
        VERDICT)
    assert [order.request.get('start') for order in again.orders
            if isinstance(order, tasks.Order)] == [200 * SECOND]


def test_broken_part_measures_file_in_one_piece(tmp_path: Path) -> None:
    """A file whose part fails may be measurable as a whole."""
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')
    farm = Farm(lambda order: errors.ClqcError('broken') if isinstance(
        order, tasks.Order) and order.request.get('start') else None)
    assert checking_of(path, tmp_path / 'out', farm, n_parts=3).check()
    assert farm.orders[-1].one_piece == 'broken'


def test_error_after_the_last_try() -> None:
    def result(*tries: Any) -> Any:
        task = pending_tasks.Pending('t', lambda: ())
        left = [task.failed(str(i), 'why', *one)
                for i, one in enumerate(tries)]
        assert left == [True] * (len(tries) - 1) + [False]
        return type(task.outer.exception())
    assert result((False,), (False,)) is errors.ClqcError
    assert result((False, True), (False, True)) is pending_tasks.TooLong
    assert result((True,), (True,), (True,)) is pending_tasks.NoneLeft


@pytest.mark.parametrize('lines', [b'lines', None])
def test_finished_parts_that_are_damaged(lines: Any, tmp_path: Path) -> None:
    """A stored part is ignored if any byte is damaged."""
    one = task_store.TaskStore(str(tmp_path), {})
    what = {'task': 'measure', 'request': None}
    assert one.read(what) is None
    one.write(what, tasks.Answer({'frames': 9}, lines))
    path, = (tmp_path / 'parts').iterdir()
    whole = path.read_bytes()
    assert one.read(what) == tasks.Answer({'frames': 9}, lines)
    for i in range(len(whole)):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1:])
        assert one.read(what) is None, i
        path.write_bytes(whole[:i])
        assert one.read(what) is None, i
    for content in b'[]\n', b'7', b'{}\n', b'':
        path.write_bytes(content)
        assert one.read(what) is None
