# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc, and its files, for the tests."""
import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple
from unittest import mock

from clqc import commandline
from clqc.common.errors import MachineError
from clqc.decoding import jobs, worker, worker_messages


def _words(words: Sequence[Any]) -> Tuple[str, ...]:
    """Returns the arguments as texts, with the option to measure in one
    process."""
    if words[0] == 'check' and not {
            '--jobs', '--cluster', '--scheduler'}.intersection(words):
        words = ('check', '--jobs', 1, *words[1:])
    return tuple(map(str, words))


def clqc(*words: Any, before: Sequence[str] = (),
         **settings: str) -> 'subprocess.CompletedProcess[str]':
    """Runs clqc in a process, as a user does, started by the command @before.
    Fails if the output has a traceback."""
    done = subprocess.run(
        [*before, sys.executable, '-m', 'clqc', *_words(words)], text=True,
        env={**os.environ, **settings}, check=False, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=240)
    assert 'Traceback' not in done.stdout, done.stdout
    return done


def job_here(_: str, task: str, on_tick: Optional[jobs.Tick] = None,
             _care: Any = None, **request: Any) -> Dict[str, Any]:
    """Replaces jobs.run(); uses no separate process."""
    from clqc.decoding.gst import init
    init()
    request.pop('care', None)  # of a process
    request = json.loads(json.dumps(request))  # as for the pipe to a process
    try:
        result = worker_messages.parse(worker_messages.text(
            worker.TASKS[task](request, on_tick or (lambda _: None))))
    except OSError as error:
        raise MachineError(str(error)) from error
    return result


def here(*words: Any, **settings: str) -> 'subprocess.CompletedProcess[str]':
    """Runs the command as clqc() does, but in this process, which starts no
    Python for the command and for each decoding task."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), \
            contextlib.redirect_stderr(output), \
            mock.patch.object(jobs, 'run', job_here), \
            mock.patch.dict(os.environ, settings):
        try:
            status = commandline.main(_words(words))
        except SystemExit as end:  # of argparse
            status = int(end.code or 0)
    return subprocess.CompletedProcess(_words(words), status,
                                       output.getvalue())


def read(*path: Any) -> Dict[str, Any]:
    with open(Path(*path), encoding='utf-8') as file:
        data: Dict[str, Any] = json.load(file)
    return data


def verdict(out: Path, name: str) -> Dict[str, Any]:
    return read(out, name, 'verdict.json')


def rules(out: Path, name: str) -> List[str]:
    return sorted({reason['rule'] for reason in verdict(out, name)['reasons']})
