# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs functions in other processes: threads of one Python process take turns.
`python3 -m clqc.common.processes` reads a function with its arguments on
standard input and writes its result, or its exception, on standard output, as
pickle encodes them, until the end of its input.
"""
import contextlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Protocol, TypeVar

_Result = TypeVar('_Result')


class Run(Protocol):
    """Calls a function of a module with arguments that pickle can copy, and
    returns its result, which is a copy, too. Any thread."""

    def __call__(self, function: Callable[..., _Result],
                 *arguments: Any) -> _Result: ...


def run_here(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Calls the function in this process."""
    return function(*arguments)


def environment(python: str) -> Dict[str, str]:
    """Returns the environment of a process, in which Python finds this
    package. Another interpreter does not get the libraries of this one."""
    path = [str(Path(__file__).parents[2])]
    if python == sys.executable and os.environ.get('PYTHONPATH'):
        path.append(os.environ['PYTHONPATH'])
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(path)}


class _Process:
    """Ends with its parent, which holds the other end of its input. Ctrl-C
    does not reach it."""

    def __init__(self) -> None:
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [sys.executable, '-m', __name__], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=environment(sys.executable),
            start_new_session=True)

    def run(self, *order: Any) -> Any:
        """Sends a function with its arguments. Returns True and its result, or
        False and its exception. Raises EOFError or OSError if the process has
        ended."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(pickle.dumps(order))
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def end(self) -> None:
        """Waits for the process, which serves no request."""
        with contextlib.suppress(OSError):
            self.process.communicate()


def _take(idle: List[_Process]) -> _Process:
    try:
        return idle.pop()  # atomic
    except IndexError:
        return _Process()


@contextlib.contextmanager
def run_elsewhere() -> Iterator[Run]:
    """Yields a function that calls others in processes, one for each thread
    that calls at the same time. A function whose process cannot be started, or
    is killed, runs in this process."""
    idle: List[_Process] = []

    def run(function: Callable[..., _Result], *arguments: Any) -> _Result:
        process = None
        try:
            process = _take(idle)
            has_result, answer = process.run(function, arguments)
        except (EOFError, OSError, pickle.UnpicklingError):
            if process:
                process.end()
            return function(*arguments)
        idle.append(process)
        if not has_result:
            raise answer
        result: _Result = answer
        return result

    try:
        yield run
    finally:
        for process in idle:
            process.end()


def _serve() -> None:
    # standard output is for answers alone: functions print to standard error
    output = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)
    with contextlib.suppress(EOFError, BrokenPipeError):  # without a parent
        while True:
            function, arguments = pickle.load(sys.stdin.buffer)
            try:
                answer = True, function(*arguments)
            except Exception as error:  # pylint: disable=broad-except
                answer = False, error
            output.write(pickle.dumps(answer))
            output.flush()


if __name__ == '__main__':
    _serve()
