# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks one input on a farm. Workers measure its parts, join them, judge and
report, so that the command itself has little work for each of thousands of
inputs."""
import os
from concurrent.futures import wait
from dataclasses import asdict, replace
from typing import Any, Dict, List, Optional, Sequence

from clqc import __version__
from clqc.checking import check
from clqc.common import files
from clqc.common.errors import ClqcError
from clqc.decoding import file_parts
from clqc.decoding.file_parts import Part
from clqc.farm import tasks, worker_versions
from clqc.farm.pending_tasks import NoneLeft, Over, Pending, TooLong
from clqc.farm.scheduling import Farm
from clqc.farm.task_store import TaskStore
from clqc.inputs import locations
from clqc.inputs.discovery import Input
from clqc.measuring import measurement, video
from clqc.reporting import qctools
from clqc.results.result_files import (ALL, FACTS, VERDICT, Json, Results,
                                       Verdict)

# Duration of a part in nanoseconds, unless the user sets a number of parts:
# docs/scale.md has the measurements.
PART = 300 * 10 ** 9

# Seconds that are added to the limit of a task, for example for a first start
# that compiles all programs.
_LIMIT_BASE = 120.0

_FINISH_FIRST = 10

# What a task does, for people.
_TITLES = {'container': 'reading the container',
           'packets': 'reading the packets',
           'levels': 'measuring the sound',
           'measure': 'measuring',
           'finish': 'joining and judging'}


def _seconds(factor: float, length: Optional[int]) -> Optional[float]:
    """Returns the time limit of a task that processes @length nanoseconds."""
    return None if length is None else _LIMIT_BASE + factor * length / 1e9


class Checking:
    """The check of one input."""

    def __init__(self, farm: Farm, item: Input, options: check.Options,
                 on_progress: Optional[measurement.Progress]) -> None:
        self.farm = farm
        path = (item.path if locations.is_address(item.path)
                else os.path.abspath(item.path))
        self.item = Input(path, item.name)
        self.options = options
        self.results = Results(check.folder_of(options, item))
        self.log = os.path.abspath(self.results.path(measurement.LOG))
        self.on_progress = on_progress
        self.settings = measurement.settings_of(options.policy)
        self.facts: Json = {}
        self.scan: Json = {}  # result of the task `packets`
        self.asked: Dict[str, Json] = {}  # by the tags of tasks
        self.identity = locations.identity(self.item.path)
        self.store = TaskStore(self.results.folder, self._content())

    def _content(self) -> Json:
        """Returns what determines the content of finished parts."""
        found = dict(self.identity)
        if not locations.is_certain(found):
            found['start'] = self.farm.topic  # they are for this one alone
        return {'clqc': __version__, 'path': locations.shown(self.item.path),
                'versions': worker_versions.fingerprint(self.farm.versions),
                **found}

    # --- tasks ------------------------------------------------------------

    def _add_log(self, who: str, text: str) -> None:
        if text.strip():
            with open(self.log, 'a', encoding='utf-8') as file:
                file.write(f'{who}:\n{text.rstrip()}\n')

    def _title(self, task: str, span: str = '') -> str:
        return f'{self.item.name}: {_TITLES[task]} {span}'.rstrip()

    def _start(self, task: str, length: Optional[int],
               request: Optional[Json] = None,
               on_tick: Any = None, span: str = '') -> Pending:
        """Submits a task, unless its result is stored."""
        asked = {'path': self.item.path, **(request or {})}
        what = {'task': task, 'request': request}
        done = self.store.read(what)
        pending = Pending(task, lambda: (), on_tick=on_tick,
                          title=self._title(task, span))
        self.asked[pending.tag] = what
        if done:
            pending.succeed(replace(done, lines=None))
            return pending
        order = tasks.Order(
            task, asked, self.log, self.farm.topic, pending.tag,
            _seconds(self.farm.limit, length))
        pending.make = lambda: (tasks.run, order)
        pending.keep = lambda answer: self._keep(what, answer)
        return self.farm.submit(pending)

    def _keep(self, what: Json, answer: tasks.Answer) -> tasks.Answer:
        """Stores lines on disk: those of hundreds of files do not fit in
        memory."""
        self._add_log(answer.worker, answer.log)
        self.store.write(what, answer)
        return replace(answer, lines=None)

    def _load(self, pending: Pending) -> tasks.Answer:
        answer = self.store.read(self.asked[pending.tag])
        if answer is None:
            raise ClqcError(f'{self.store.folder}: finished parts were '
                            'removed or changed')
        return answer

    def _data(self, pending: Pending) -> Any:
        return self.farm.data(pending, lambda: self._load(pending))

    def _result(self, pending: Pending) -> Json:
        result: Json = pending.result().result
        return result

    # --- an input ---------------------------------------------------------

    def _n_parts(self) -> int:
        duration = self.facts['container']['duration'] or 0
        return self.options.policy.most_parts(
            self.options.n_parts or -(-duration // PART) or 1)

    def _progress(self, position: int) -> None:
        if self.on_progress:
            self.on_progress(position, self.facts['container']['duration'])

    def _measure(self, parts: Sequence[Part]) -> List[Pending]:
        duration = self.facts['container']['duration']
        ticks = video.Ticks(list(parts), self._progress)
        pendings = []
        for i, part in enumerate(parts):
            end = part.stop if part.stop is not None else duration
            request = {key: value for key, value in asdict(part).items()
                       if key not in ('path', 'lines')}
            pendings.append(self._start(
                'measure', None if end is None else max(end - part.enter, 0),
                request, ticks.of(i), _span(part)))
        return pendings

    def _wait(self, pendings: Sequence[Pending], parts: Sequence[Part]
              ) -> None:
        """Waits for all parts. Raises the error of a part, after the other
        parts have finished and are stored. A part that exceeds its limit is
        reported as an error of all workers: the file would hang in one piece,
        too."""
        wait([one.outer for one in pendings])
        for one, part in zip(pendings, parts):
            try:
                one.result()
            except (NoneLeft, TooLong) as error:
                if len(parts) == 1 or isinstance(error, Over):
                    raise
                raise NoneLeft(f'{_span(part)}: {error}') from error

    def _finish_seconds(self) -> Optional[float]:
        """Returns the time limit for finishing: runs over cuts are short, and
        all other steps read the file once."""
        return _seconds(self.farm.limit, self.facts['container']['duration'])

    def _finish(self, parts: Sequence[Pending], keys: List[int],
                times: List[int], sound: measurement.Sound,
                one_piece: Optional[str]) -> tasks.Finished:
        whole = tasks.Whole(
            self.item.path, self.item.name, self.options.policy,
            self.options.makes_reports, self.facts, keys, times, sound,
            self.scan, one_piece, self.log, self._finish_seconds())

        def make() -> Any:
            return tasks.finish, whole, [self._data(one) for one in parts]
        pending = self.farm.submit(
            Pending('finish', make, priority=_FINISH_FIRST,
                    title=self._title('finish')))
        finished: tasks.Finished = pending.result()
        self._add_log('joined', finished.log)
        return finished

    def _sound(self, pending: Optional[Pending]) -> measurement.Sound:
        if pending is None:
            return None
        try:
            return self._result(pending)
        except NoneLeft:
            raise
        except ClqcError as error:
            return str(error)

    def _cut(self, keys: List[int], times: List[int],
             sound: Optional[Pending],
             one_piece: Optional[str]) -> tasks.Finished:
        """Measures the parts between cuts at these times."""
        parts = video.parts_of(
            video.Plan(self.item.path, '', '', self.settings,
                       track=self.facts['video'].get('track'),
                       range=self.facts['video'].get('range')), keys, times)
        pendings = self._measure(parts)
        self._wait(pendings, parts)
        return self._finish(pendings, keys, times, self._sound(sound),
                            one_piece)

    def _in_parts(self, n_parts: int,
                  sound: Optional[Pending]) -> tasks.Finished:
        """Measures in parts; @why is set if the file must be measured in one
        piece."""
        keys: List[int] = self.scan['keys']
        try:
            if len(keys) < 2:
                return tasks.Finished(why=video.FEW_KEYS)
            return self._cut(keys, file_parts.choose_cuts(keys, n_parts),
                             sound, None)
        except (NoneLeft, TooLong):
            raise
        except ClqcError as error:
            return tasks.Finished(why=str(error))

    def _write(self, contents: Dict[str, bytes]) -> None:
        """Writes the results, facts.json and the verdict last, because they
        mark the results as complete. Removes files of an earlier measurement
        that this one does not have."""
        for name in {*ALL, qctools.file_name(self.item.name)} - set(contents):
            self.results.remove(name)
        for name in sorted(contents, key=lambda name: (
                name == VERDICT, name == FACTS)):
            with files.replacing(self.results.path(name), 'wb') as file:
                file.write(contents[name])

    def check(self) -> Verdict:
        """Checks the input. Raises ClqcError and OSError, as
        measurement.measure() does."""
        for name in FACTS, VERDICT:
            self.results.remove(name)
        self.facts = self._result(self._start('container', 0))
        # As this machine sees the file, which it checks again at the next run.
        self.facts['container'].update(self.identity)
        duration = self.facts['container']['duration']
        sound = self._start('levels', duration) if self.facts['audio'] else (
            None)
        self.scan = self._result(self._start(
            'packets', duration, {'track': self.facts['video'].get('track')}))
        n_parts = self._n_parts()
        finished = (self._in_parts(n_parts, sound) if n_parts > 1 else
                    tasks.Finished())
        if not finished.files:
            finished = self._cut([], [], sound, finished.why)
        measurement.check_unchanged(self.item, self.identity)
        self._write(finished.files)
        self.store.remove()
        return self.results.verdict()


def _span(part: Part) -> str:
    start = (part.start or 0) / 1e9
    if part.stop is None:
        return f'from {start:.1f} s to the end'
    return f'from {start:.1f} s to {part.stop / 1e9:.1f} s'


class CheckingFarm(Farm):
    """A farm that checks inputs."""

    def check(self, item: Input, options: check.Options,
              on_progress: Optional[measurement.Progress]) -> Verdict:
        """See check.Farm."""
        with self.place():
            return Checking(self, item, options, on_progress).check()
