# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which workers give the same bytes: those with the same versions of all that
has a say in them."""
import hashlib
import json
import os
from collections import Counter
from typing import Dict, Iterable, List, Optional

from .. import __version__
from ..results import Json

# What has a say; tasks.describe tells it.
_SAY = ('clqc', 'plugin', 'gstreamer', 'machine', 'libraries', 'decoders')

# Cores that a worker and its processes keep to, as `0,2`.
CORES = 'CLQC_CORES'


def fingerprint(told: Json) -> str:
    """The same for workers that are alike."""
    text = json.dumps([told.get(key) for key in _SAY], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def resource(told: Json) -> str:
    """What Dask calls workers like this one."""
    return 'clqc-' + fingerprint(told)


def choose(told: Iterable[Json]) -> Optional[Json]:
    """What workers have to tell where the machine of the command cannot
    measure: what most of them tell. None: there is none that can work."""
    able = [one for one in told
            if 'error' not in one and one['clqc'] == __version__]
    count = Counter(map(fingerprint, able))
    if not count:
        return None
    best = max(count, key=lambda key: (count[key], key))
    return next(one for one in able if fingerprint(one) == best)


def _decoders(theirs: List[str], wanted: List[str]) -> str:
    more = sorted(set(theirs) - set(wanted))
    less = sorted(set(wanted) - set(theirs))
    said = [f'{word} {", ".join(line.rpartition(" ")[0] for line in rows[:3])}'
            + (f' and {len(rows) - 3} more' if len(rows) > 3 else '')
            for word, rows in (('lacks', less), ('adds', more)) if rows]
    return 'its decoders are others: it ' + ', it '.join(said)


def why_not(told: Json, wanted: Json) -> Optional[str]:
    """Why a worker is refused; None: it is not."""
    if 'error' in told:
        return str(told['error'])
    if fingerprint(told) == fingerprint(wanted):
        return None
    words: Dict[str, str] = {
        'clqc': 'clqc', 'plugin': 'the plugin opencl',
        'gstreamer': 'GStreamer', 'machine': 'processor',
        'libraries': 'FFmpeg'}
    for key, word in words.items():
        if told.get(key) != wanted.get(key):
            theirs, ours = (
                ' '.join(value) or 'none' if isinstance(value, list) else value
                for value in (told.get(key), wanted.get(key)))
            return f'it has {word} {theirs}, and {ours} is wanted'
    return _decoders(told['decoders'], wanted['decoders'])


def hold_to_cores() -> int:
    """Keeps this process, and those that it starts, to the cores that the
    environment names, if it does; returns how many there are."""
    named = os.environ.get(CORES)
    if named:
        cores = {int(core) for core in named.split(',')}
        for thread in os.listdir('/proc/self/task'):
            os.sched_setaffinity(int(thread), cores)
    return len(os.sched_getaffinity(0))
