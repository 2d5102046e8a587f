# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs functions in other processes: threads of one Python process take turns.
"""
import contextlib
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, Callable, Iterator, Protocol, TypeVar

_Result = TypeVar('_Result')


class Call(Protocol):
    """Calls a function of a module with arguments that pickle can copy, and
    returns its result, which is a copy, too."""

    def __call__(self, function: Callable[..., _Result],
                 *arguments: Any) -> _Result: ...


def here(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Calls the function in this process."""
    return function(*arguments)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent
    parent.join()
    os._exit(1)


def _start() -> None:
    """Prepares a process: the parent stops it, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


@contextlib.contextmanager
def several(n_at_once: int) -> Iterator[Call]:
    """Yields a function that calls others in one of @n_at_once processes. Any
    thread. If a process is killed, the function runs in this one."""
    if n_at_once < 2:
        yield here
        return
    with ProcessPoolExecutor(n_at_once, get_context('forkserver'),
                             _start) as pool:
        def call(function: Callable[..., _Result],
                 *arguments: Any) -> _Result:
            try:
                return pool.submit(function, *arguments).result()
            except BrokenProcessPool:
                return function(*arguments)
        yield call
