# SPDX-License-Identifier: LGPL-2.1-or-later
"""Farms of Dask on the loopback interface, with separate processes, as started
by a user: a scheduler, and workers that can be killed. Fixtures of a module: a
folder with clips, their results on one machine, and a farm."""
import contextlib
import gzip
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

import clips
import live
import psutil
import pytest
from command import clqc
from live import free_port


def without_plugin(folder: Path) -> Dict[str, str]:
    """Returns an environment in which GStreamer does not find the plugin."""
    return {'GST_PLUGIN_PATH': '', 'GST_PLUGIN_PATH_1_0': '',
            'GST_REGISTRY': str(folder / 'registry')}


def until(is_so: Any) -> Any:
    """Waits until a function returns a true value, and returns it."""
    return live.until(is_so, live.GUARD, 'it has not become so')


def decoders(above: int) -> List[psutil.Process]:
    """Returns the processes that decode, below a process."""
    found = []
    with contextlib.suppress(psutil.Error):
        for one in psutil.Process(above).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if 'clqc.decoding.worker' in one.cmdline():
                    found.append(one)
    return found


class Farm:
    """A farm and its processes, which end with the with block. Workers also
    end by themselves some time after the scheduler."""

    def __init__(self, folder: Path, protocol: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.protocol = protocol
        self.address = f'{protocol}://127.0.0.1:{self.port}'
        self.scheduler: Optional['subprocess.Popen[bytes]'] = None
        self.workers: Dict[str, 'subprocess.Popen[bytes]'] = {}

    def _start(self, name: str, *words: Any,
               **settings: str) -> 'subprocess.Popen[bytes]':
        # pylint: disable-next=consider-using-with
        log = open(self.folder / f'{name}.log', 'ab')
        environment = {**os.environ, **settings}
        # pylint: disable-next=consider-using-with
        return subprocess.Popen(
            [sys.executable, '-m', *map(str, words)], stdout=log, stderr=log,
            env=environment, cwd=self.folder, start_new_session=True)

    def start_scheduler(self) -> None:
        """Starts the scheduler, each time at the same port."""
        self.scheduler = self._start(
            'scheduler', 'distributed.cli.dask_scheduler', '--host',
            '127.0.0.1', '--protocol', self.protocol, '--port', self.port,
            '--dashboard-address',
            '127.0.0.1:0', '--scheduler-file',
            self.folder / 'scheduler.json',
            DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES='1')

    def start_worker(self, name: str, *options: str,
                     **settings: str) -> None:
        """Starts a worker, by default with one thread and enough memory."""
        self.workers[name] = self._start(
            name, 'distributed.cli.dask_worker', self.address, '--name', name,
            '--nthreads', '1', '--memory-limit', '2GiB', '--no-dashboard',
            '--death-timeout', '60', '--local-directory',
            self.folder / name, *options, **settings)

    def output(self, name: str) -> str:
        return (self.folder / f'{name}.log').read_text(errors='replace')

    def kill(self, process: 'subprocess.Popen[bytes]') -> None:
        """Kills the process and all its child processes."""
        with contextlib.suppress(psutil.Error):
            below = psutil.Process(process.pid).children(recursive=True)
            for one in [*below, process]:
                with contextlib.suppress(psutil.Error, OSError):
                    one.kill()
        process.wait()

    def end(self) -> None:
        for process in [*self.workers.values(), self.scheduler]:
            if process:
                self.kill(process)


@contextlib.contextmanager
def running(folder: Path, n_workers: int = 3, protocol: str = 'tcp',
            **settings: str) -> Iterator[Farm]:
    """Starts a farm of workers a, b, c, ..."""
    folder.mkdir(exist_ok=True)
    farm = Farm(folder, protocol)
    try:
        farm.start_scheduler()
        for i in range(n_workers):
            farm.start_worker('abcdefgh'[i], **settings)
        yield farm
    finally:
        farm.end()


class Check:
    """Starts clqc check in parallel with the test."""

    def __init__(self, *words: Any, start_new_session: bool = False,
                 **settings: str) -> None:
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'clqc', 'check', *map(str, words)],
            text=True, env={**os.environ, **settings},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=start_new_session)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self, seconds: float = 120) -> str:
        """Waits for the end; returns the output."""
        try:
            output, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, _ = self.process.communicate()
            raise AssertionError(f'it does not end: {output}') from None
        assert 'Traceback' not in output, output
        return output


# Facts of a run that do not depend on the file: its path, the number of parts
# in which it was measured, and why.
_OF_RUN = ('path', 'parts', 'one-piece')


def _comparable(path: Path) -> Any:
    """Returns the contents of a file of results; None: it may differ between
    runs."""
    if path.name in ('clqc.log', 'report.html'):
        return None
    if path.name.endswith('.qctools.xml.gz'):  # contains the path
        return re.sub(b' filename="[^"]*"', b'',
                      gzip.decompress(path.read_bytes()))
    if path.name not in ('facts.json', 'verdict.json'):
        return path.read_bytes()
    return json.loads(path.read_text(encoding='utf-8'), object_pairs_hook=(
        lambda pairs: {key: value for key, value in pairs
                       if key not in _OF_RUN}))


def same(one: Path, other: Path, but: Sequence[str] = ()) -> bool:
    """Returns whether the results in two folders are the same: facts and
    verdict have the same contents, all other files the same bytes, except for
    reports, which are optional, and the files in the arguments."""
    def results(folder: Path) -> Dict[str, Any]:
        contents = {path.name: _comparable(path) for path in folder.iterdir()
                    if path.is_file() and path.name not in but}
        return {name: text for name, text in contents.items()
                if text is not None}
    ours, theirs = results(one), results(other)
    assert {'frames.jsonl.gz', 'events.json', 'pooled.json',
            'verdict.json'} <= set(ours), ours.keys()
    wrong = [name for name in {*ours, *theirs}
             if ours.get(name) != theirs.get(name)]
    assert not wrong, wrong
    return True


CLIPS = ('clip.mp4', 'clip.mpg')  # with and without a join of parts


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('videos')
    for name in CLIPS:
        clips.make(str(folder / name), clips.STILL, 'sine=d=16'
                   if name.endswith('mp4') else '')
    return folder


@pytest.fixture(scope='module', name='whole')
def check_here(folder: Path, tmp_path_factory: pytest.TempPathFactory
               ) -> Path:
    """Measures on one machine, in one run."""
    out = tmp_path_factory.mktemp('whole')
    clqc('check', folder, '--out', out, '--no-reports')
    return out


@pytest.fixture(scope='module', name='farm')
def start_farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with running(tmp_path_factory.mktemp('farm')) as farm:
        yield farm


long = pytest.mark.skipif(
    not os.environ.get('CLQC_FARM_LONG'),
    reason='scripts/farm-test.sh runs what takes long')


def check(out: Path, farm: Farm, *words: Any, **settings: str) -> Check:
    return Check(*words, '--out', out, '--scheduler', farm.address,
                 '--no-reports', **settings)


def parts_of(out: Path) -> List[Path]:
    """The results that are kept of the clip in MP4. A file that is still
    written (`.new`) is renamed at any moment, and is none."""
    return [path for path in (out / 'clip.mp4' / 'parts').glob('*')
            if path.suffix != '.new' and
            b'"task": "measure"' in path.read_bytes()[:1000]]


_numbers = itertools.count()


@dataclass
class Faulty:
    """A worker, and the file in which it reports the parts that it has
    measured."""
    name: str
    touched: Path


@contextlib.contextmanager
def one_more(farm: Farm, name: str, folder: Path, fault: str,
             *options: str, **settings: str) -> Iterator['Faulty']:
    """A worker with a fault: code that runs where a part is measured. The
    variable SHORT_LIMITS divides its time limits by twelve; the other workers,
    which may be slow, keep theirs. Ends with the with block."""
    folder.mkdir()
    name = f'{name}{next(_numbers)}'
    text = FAULT.replace('FAULT', fault.replace('\n', '\n        '))
    (folder / 'sitecustomize.py').write_text(text)
    farm.start_worker(name, *options, **{
        'PYTHONPATH': os.pathsep.join([str(folder),
                                       os.environ['PYTHONPATH']]),
        'TOUCHED': str(folder / 'touched'), **settings})
    try:
        until(lambda: 'Registered' in farm.output(name))
        yield Faulty(name, folder / 'touched')
    finally:
        farm.kill(farm.workers.pop(name))


FAULT = '''
import os, sys, time
if 'clqc.decoding.worker' in sys.orig_argv:
    import clqc.decoding.frames
    measure = clqc.decoding.frames.measure
    def faulty(part, tick):
        if part.limit is None:  # no cut
            open(os.environ['TOUCHED'], 'a').write('.')
        FAULT
        return measure(part, tick)
    clqc.decoding.frames.measure = faulty
if 'SHORT_LIMITS' in os.environ and 'spawn_main' in ' '.join(sys.orig_argv):
    import clqc.farm.tasks
    care = clqc.farm.tasks._Care.__init__
    def shorter(self, seconds, *more):
        care(self, seconds and seconds / 12, *more)
    clqc.farm.tasks._Care.__init__ = shorter
'''
