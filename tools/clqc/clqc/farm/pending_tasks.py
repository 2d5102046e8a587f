# SPDX-License-Identifier: LGPL-2.1-or-later
"""A task on a farm. Dask chooses the worker, moves tasks, and repeats tasks
whose worker dies. A task that fails is tried on another worker here, because
Dask cannot know whether that helps."""
import concurrent.futures
import contextlib
import itertools
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from clqc.common.errors import ClqcError
from clqc.farm.failures import Failure

# Maximum tries of a task on different workers: if the input seems to be
# broken, and if the workers are at fault.
_TRIES_OF_INPUT = 2
_TRIES = 3

_numbers = itertools.count()


class NoneLeft(ClqcError):
    """No worker could run the task, for reasons other than the input."""


class Over(NoneLeft):
    """The farm runs no more tasks."""


class TooLong(ClqcError):
    """Each try exceeded its time limit, as a hanging decoder does."""


@dataclass
class Pending:
    """A task until it has a result. Any thread."""
    what: str  # a word for the key
    make: Callable[[], Tuple[Any, ...]]  # a function and its arguments, each
    #                                      time that it is sent
    priority: int = 0
    on_tick: Optional[Callable[[int], None]] = None
    # called with the result
    keep: Callable[[Any], Any] = lambda result: result
    #                                 first, and says what stays in memory
    title: str = ''  # for people
    tag: str = ''
    outer: 'concurrent.futures.Future[Any]' = field(
        default_factory=concurrent.futures.Future)
    sent: Any = None  # Dask's future of the last try
    # its result, while it is received; cancelled if nobody waits any more
    arrival: Optional['concurrent.futures.Future[Any]'] = None
    inputs: List[str] = field(default_factory=list)  # keys of stored results
    allowed: Optional[Set[Tuple[str, str]]] = None  # workers; None: all
    tried: Dict[str, str] = field(default_factory=dict)  # address: why not
    unexplained: List[Failure] = field(default_factory=list)
    n_of_input: int = 0
    is_too_long: bool = False
    n_sent: int = 0
    lost_by: str = 'a closed connection'

    def __post_init__(self) -> None:
        self.tag = f'{self.what}-{next(_numbers)}'
        self.title = self.title or self.what

    def result(self) -> Any:
        """Waits for the result. Raises ClqcError or jobs.Cancelled."""
        return self.outer.result()

    def call_back(self) -> Any:
        """Returns Dask's future of the last try, which is not the task's any
        more, or None. Its result is not awaited any longer."""
        sent, self.sent = self.sent, None
        if self.arrival:
            self.arrival.cancel()
        return sent

    def failed(self, worker: str, why: str, is_of_worker: bool,
               is_too_long: bool = False) -> bool:
        """Records a failed try; returns whether to try again. If not, the
        result is an error."""
        self.tried[worker] = why
        self.n_of_input += not is_of_worker
        self.is_too_long = self.is_too_long or is_too_long
        if (self.n_of_input < _TRIES_OF_INPUT and
                len(self.tried) < _TRIES):
            return True
        self.give_up()
        return False

    def give_up(self) -> None:
        """Sets an error: no worker is left to try."""
        reasons = list(dict.fromkeys(self.tried.values()))
        kind = NoneLeft if not self.n_of_input else (
            TooLong if self.is_too_long else ClqcError)
        self.fail(kind('; '.join(reasons)))

    def fail(self, error: BaseException) -> None:
        """Sets an error as the result, unless there is a result."""
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            self.outer.set_exception(error)

    def succeed(self, result: Any) -> None:
        """Sets the result."""
        try:
            if not self.outer.done():
                self.outer.set_result(self.keep(result))
        except concurrent.futures.InvalidStateError:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.fail(error)  # the result cannot be stored
