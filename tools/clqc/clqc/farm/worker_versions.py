# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups workers that give the same bytes: those with the same versions of all
software that affects results."""
import hashlib
import json
import os
from collections import Counter
from typing import Dict, Iterable, List, Optional

from clqc import __version__
from clqc.results.result_files import Json

# Keys that affect results; tasks.describe() reports them.
_SAY = ('clqc', 'plugin', 'gstreamer', 'machine', 'libraries', 'decoders')

# Cores of a worker and its processes, such as `0,2`.
CORES = 'CLQC_CORES'

# Cores of a worker without a GPU: with more, threads wait for each other.
CORES_OF_WORKER = 2


def fingerprint(worker: Json) -> str:
    """Returns a text that is equal for equivalent workers."""
    text = json.dumps([worker.get(key) for key in _SAY], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def resource(worker: Json) -> str:
    """Returns the name of the Dask resource of workers equivalent to this one.
    """
    return 'clqc-' + fingerprint(worker)


def choose(workers: Iterable[Json]) -> Optional[Json]:
    """Chooses the versions that workers must have if the command's machine
    cannot measure: those of most workers. Returns None if no worker can
    measure."""
    able = [one for one in workers
            if 'error' not in one and one['clqc'] == __version__]
    count = Counter(map(fingerprint, able))
    if not count:
        return None
    best = max(count, key=lambda key: (count[key], key))
    return next(one for one in able if fingerprint(one) == best)


def _decoders(theirs: List[str], wanted: List[str]) -> str:
    more = sorted(set(theirs) - set(wanted))
    less = sorted(set(wanted) - set(theirs))
    texts = [f'{word} '
             + ', '.join(line.rpartition(' ')[0] for line in rows[:3])
             + (f' and {len(rows) - 3} more' if len(rows) > 3 else '')
             for word, rows in (('lacks', less), ('adds', more)) if rows]
    return 'its decoders differ: it ' + ', it '.join(texts)


def why_not(worker: Json, wanted: Json) -> Optional[str]:
    """Returns why a worker is rejected; None if it is accepted."""
    if 'error' in worker:
        return str(worker['error'])
    if fingerprint(worker) == fingerprint(wanted):
        return None
    words: Dict[str, str] = {
        'clqc': 'clqc', 'plugin': 'the plugin opencl',
        'gstreamer': 'GStreamer', 'machine': 'processor',
        'libraries': 'FFmpeg'}
    for key, word in words.items():
        if worker.get(key) != wanted.get(key):
            theirs, ours = (
                ' '.join(value) or 'none' if isinstance(value, list) else value
                for value in (worker.get(key), wanted.get(key)))
            return f'it has {word} {theirs}, but {ours} is required'
    return _decoders(worker['decoders'], wanted['decoders'])


def hold_to_cores() -> int:
    """Restricts this process and its child processes to the cores that the
    environment names, if it does; returns the number of cores."""
    named = os.environ.get(CORES)
    if named:
        cores = {int(core) for core in named.split(',')}
        for thread in os.listdir('/proc/self/task'):
            os.sched_setaffinity(int(thread), cores)
    return len(os.sched_getaffinity(0))
