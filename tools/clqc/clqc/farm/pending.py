# SPDX-License-Identifier: LGPL-2.1-or-later
"""A task on a farm. Dask chooses the worker, moves tasks, and runs those again
whose worker dies. Where a task fails it is tried on another worker: whether
that is worth it Dask cannot know."""
import concurrent.futures
import itertools
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Set, Tuple

from ..errors import ClqcError

# Workers that a task is tried on: where the input seems to be broken, and
# where it is the workers' fault.
_TRIES_OF_INPUT = 2
_TRIES = 3

_numbers = itertools.count()


class NoneLeft(ClqcError):
    """No worker could do it, for reasons that are not the input's."""


class TooLong(ClqcError):
    """Each try went on beyond its limit, as a decode does that hangs."""


@dataclass
class Pending:
    """A task until it has a result. Any thread."""
    what: str  # a word for the key
    make: Callable[[], Tuple[Any, ...]]  # a function and its arguments, each
    #                                      time that it is sent
    priority: int = 0
    on_tick: Optional[Callable[[int], None]] = None
    keep: Callable[[Any], Any] = lambda result: result  # gets the result
    #                                 first, and says what stays in memory
    tag: str = ''
    outer: 'concurrent.futures.Future[Any]' = field(
        default_factory=concurrent.futures.Future)
    sent: Any = None  # the future of Dask, of the last time
    allowed: Optional[Set[Tuple[str, str]]] = None  # workers; None: all
    tried: Dict[str, str] = field(default_factory=dict)  # address: why not
    n_of_input: int = 0
    is_too_long: bool = False
    n_sent: int = 0
    lost_by: str = 'a connection that ended'

    def __post_init__(self) -> None:
        self.tag = f'{self.what}-{next(_numbers)}'

    def result(self) -> Any:
        """Waits. Raises ClqcError, or jobs.Cancelled."""
        return self.outer.result()

    def failed(self, worker: str, why: str, is_of_worker: bool,
               is_too_long: bool = False) -> bool:
        """Notes a try; returns whether another one is worth it. If it is not,
        the result is an error."""
        self.tried[worker] = why
        self.n_of_input += not is_of_worker
        self.is_too_long = self.is_too_long or is_too_long
        if (self.n_of_input < _TRIES_OF_INPUT and
                len(self.tried) < _TRIES):
            return True
        self.give_up()
        return False

    def give_up(self) -> None:
        """No worker is left to try."""
        reasons = list(dict.fromkeys(self.tried.values()))
        kind = NoneLeft if not self.n_of_input else (
            TooLong if self.is_too_long else ClqcError)
        self.fail(kind('; '.join(reasons)))

    def fail(self, error: BaseException) -> None:
        """The result is an error, unless there is a result."""
        try:
            self.outer.set_exception(error)
        except concurrent.futures.InvalidStateError:
            pass

    def succeed(self, result: Any) -> None:
        """There is a result."""
        try:
            if not self.outer.done():
                self.outer.set_result(self.keep(result))
        except concurrent.futures.InvalidStateError:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.fail(error)  # it cannot be kept
