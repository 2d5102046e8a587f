# SPDX-License-Identifier: LGPL-2.1-or-later
"""The options of the command for farms."""
import argparse
import contextlib
import importlib.util
import math
import os
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Iterator, Optional

from clqc import __version__
from clqc.common import printable
from clqc.common.arguments import number
from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.farm.worker_versions import CORES_OF_WORKER
from clqc.results.result_files import Json

if TYPE_CHECKING:  # clqc watch imports this module, too, but measures no files
    from clqc.checking import check

# Time limit: seconds per second of video.
LIMIT = 60.0

LOG = 'farm.log'  # in the folder of the results


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument('--scheduler', metavar='ADDRESS',
                       help='measure on the farm of this Dask scheduler')
    where.add_argument('--cluster', metavar='FILE',
                       help='measure on the farm that a TOML file describes; '
                       'local: on all cores and GPUs of this machine')
    parser.add_argument('--time-limit', default=LIMIT, metavar='N',
                        type=number('a number above 0', math.nextafter(0, 1),
                                    math.inf),
                        help='on a farm, the time limit of a part: N seconds '
                        f'a second of video ({LIMIT:g})')


class _Say:
    """Writes messages to a log and to standard error. Any thread."""

    def __init__(self, folder: str, is_quiet: bool) -> None:
        self.folder = folder
        self.is_quiet = is_quiet
        self.lock = threading.Lock()

    def __call__(self, text: str) -> None:
        text = printable.line(text)
        with self.lock:
            if not self.is_quiet:
                # standard error may be closed
                with contextlib.suppress(OSError):
                    print(f'farm: {text}', file=sys.stderr)
            now = time.strftime('%Y-%m-%d %H:%M:%S')
            with contextlib.suppress(OSError), open(
                    os.path.join(self.folder, LOG), 'a',
                    encoding='utf-8') as log:
                log.write(f'{now} {text}\n')


def _ours() -> Optional[Json]:
    """Returns the versions on this machine, if it can measure itself."""
    with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
        try:
            versions = jobs.run(os.path.join(folder, 'log'), 'versions',
                                care=jobs.Care.within(folder))
        except ClqcError:
            return None
    return {**versions, 'clqc': __version__}


def _is_worth_a_cluster() -> bool:
    """Returns whether a local cluster would be faster: with one worker it
    would be slower."""
    return (len(os.sched_getaffinity(0)) > CORES_OF_WORKER
            and importlib.util.find_spec('distributed') is not None)


@contextlib.contextmanager
def opened(arguments: argparse.Namespace) -> Iterator['Optional[check.Farm]']:
    """Returns the requested farm, or a cluster on this machine if it has more
    cores or GPUs than this process would use."""
    asked = arguments.cluster
    if not arguments.scheduler and not asked and (
            arguments.jobs == 0
            or arguments.jobs is None and _is_worth_a_cluster()):
        asked = 'local'
    if not arguments.scheduler and not asked:
        yield None
        return
    try:
        from clqc.farm import cluster
        from clqc.farm.input_check import CheckingFarm
    except ImportError as error:
        raise ClqcError('farms need the Python package distributed: apt '
                        'install python3-distributed, or pip install '
                        f"'clqc[farm]' ({error})") from error
    cluster.configure()
    os.makedirs(arguments.out, exist_ok=True)
    say = _Say(arguments.out, arguments.quiet)
    with contextlib.ExitStack() as stack:
        address = arguments.scheduler
        ours, wait = None, cluster.WAIT_SECONDS
        may_grow = is_scaled = False
        if not address:
            found = cluster.describe(asked)
            if arguments.jobs and found.kind == 'local':
                found.keys.setdefault('workers', arguments.jobs)
            kind = cluster.KINDS[found.kind]
            wait, is_scaled = kind.wait, kind.is_scaled
            address = stack.enter_context(cluster.started(found, say))
        if arguments.scheduler or found.kind != 'local':
            ours = _ours()
            may_grow = True
        farm = CheckingFarm(lambda: cluster.connect(address), say, ours, wait,
                            arguments.time_limit, may_grow, is_scaled)
        stack.callback(farm.close)
        yield farm
