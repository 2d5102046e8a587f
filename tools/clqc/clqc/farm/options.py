# SPDX-License-Identifier: LGPL-2.1-or-later
"""The options of the command that are about farms."""
import argparse
import contextlib
import importlib.util
import os
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Iterator, Optional

from .. import __version__, jobs, plain
from ..errors import ClqcError
from ..results import Json

if TYPE_CHECKING:  # clqc watch has these options, too, and measures no files
    from .. import check

# Seconds that a second of video may take, at most.
LIMIT = 60.0

# Cores of a worker without a GPU: more of them wait for each other.
CORES_OF_WORKER = 2

LOG = 'farm.log'  # in the folder of the results


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float('inf'):
        raise argparse.ArgumentTypeError('a number above 0')
    return number


def add(parser: argparse.ArgumentParser) -> None:
    """Adds them."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument('--scheduler', metavar='ADDRESS',
                       help='measure on the farm of this scheduler of Dask')
    where.add_argument('--cluster', metavar='FILE',
                       help='measure on a farm that a file of TOML describes; '
                       'local: on all cores and GPUs of this machine')
    parser.add_argument('--time-limit', type=_positive, default=LIMIT,
                        metavar='N', help='on a farm, a part may take N '
                        f'seconds for each of the video ({LIMIT:g})')


class _Say:
    """Tells in a log, and on standard error. Any thread."""

    def __init__(self, folder: str, is_quiet: bool) -> None:
        self.folder = folder
        self.is_quiet = is_quiet
        self.lock = threading.Lock()

    def __call__(self, text: str) -> None:
        text = plain.line(text)
        with self.lock:
            if not self.is_quiet:
                with contextlib.suppress(OSError):  # nobody may read it
                    print(f'farm: {text}', file=sys.stderr)
            now = time.strftime('%Y-%m-%d %H:%M:%S')
            with contextlib.suppress(OSError), open(
                    os.path.join(self.folder, LOG), 'a',
                    encoding='utf-8') as log:
                log.write(f'{now} {text}\n')


def _ours() -> Optional[Json]:
    """What this machine has, if it can measure itself."""
    with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
        try:
            told = jobs.run(os.path.join(folder, 'log'), 'versions',
                            care=jobs.Care.within(folder))
        except ClqcError:
            return None
    return {**told, 'clqc': __version__}


def _is_worth_a_cluster() -> bool:
    """Of one worker it would be slower than none."""
    return (len(os.sched_getaffinity(0)) > CORES_OF_WORKER
            and importlib.util.find_spec('distributed') is not None)


@contextlib.contextmanager
def opened(arguments: argparse.Namespace) -> Iterator['Optional[check.Farm]']:
    """The farm that the user has asked for, or this machine, if it has more
    to give than this process would take."""
    asked = arguments.cluster
    if not arguments.scheduler and not asked and (
            arguments.jobs == 0
            or arguments.jobs is None and _is_worth_a_cluster()):
        asked = 'local'
    if not arguments.scheduler and not asked:
        yield None
        return
    try:
        from . import cluster
        from .connection import Farm
    except ImportError as error:
        raise ClqcError('farms need the Python package distributed: Debian '
                        "has python3-distributed, and pip install 'clqc[farm]'"
                        f' brings it ({error})') from error
    cluster.configure()
    os.makedirs(arguments.out, exist_ok=True)
    say = _Say(arguments.out, arguments.quiet)
    with contextlib.ExitStack() as stack:
        address = arguments.scheduler
        ours, wait, may_grow = None, cluster.WAIT_SECONDS, False
        if not address:
            found = cluster.describe(asked)
            if arguments.jobs and found.kind == 'local':
                found.keys.setdefault('workers', arguments.jobs)
            wait = cluster.KINDS[found.kind].wait
            address = stack.enter_context(cluster.started(found, say))
        if arguments.scheduler or found.kind != 'local':
            ours = _ours()
            may_grow = True
        farm = Farm(lambda: cluster.connect(address), say, ours, wait,
                    arguments.time_limit, may_grow)
        stack.callback(farm.close)
        yield farm
