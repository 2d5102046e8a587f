# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cluster on this machine: one worker per GPU, or else workers that share
the cores. Each worker has its own cores, so that decoders do not compete."""
import os
import tempfile
from typing import Any, Dict, List, Optional

import dask
from distributed import Nanny, Scheduler, SpecCluster
from distributed.system import MEMORY_LIMIT

from clqc.decoding import jobs
from clqc.farm import worker_versions

# Parts that share a GPU, each with its own decoder.
_PARTS_OF_GPU = 4

# Environment of workers, unless this process sets the variables: the farm
# itself reports what users need. In this process's environment the variables
# would reach jobs of queues, whose logs would be empty.
_QUIET = {'distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED':
          'critical'}


def _find(kind: str) -> List[Dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
        found: List[Dict[str, Any]] = jobs.run(
            os.path.join(folder, 'log'), 'devices',
            care=jobs.Care.within(folder), kind=kind)['devices']
    return found


def _deal(cores: List[int], n_workers: int) -> List[List[int]]:
    """Returns the cores of each worker, neighbours together; if there are more
    workers than cores, they share cores."""
    if n_workers >= len(cores):
        return [[cores[i % len(cores)]] for i in range(n_workers)]
    ends = [len(cores) * i // n_workers for i in range(n_workers + 1)]
    return [cores[start:end] for start, end in zip(ends, ends[1:])]


def _environment(device: Optional[Dict[str, Any]],
                 cores: List[int]) -> Dict[str, str]:
    settings = {worker_versions.CORES: ','.join(map(str, cores)),
                'POCL_MAX_PTHREAD_COUNT': str(len(cores))}
    if device:
        settings['GST_OPENCL_DEVICE'] = device['uuid'] or device['number']
        if device['uuid'] and 'nvidia' in device['name'].lower():
            # Decoders of the same GPU.
            uuid = device['uuid']
            settings['CUDA_VISIBLE_DEVICES'] = 'GPU-' + '-'.join(
                (uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
    return settings


def specification(devices: List[Dict[str, Any]], n_workers: Optional[int],
                  threads: Optional[int], memory: Any,
                  cores: List[int]) -> Dict[Any, Dict[str, Any]]:
    """Returns the specification for SpecCluster."""
    if not n_workers:
        n_workers = len(devices) or -(
            -len(cores) // worker_versions.CORES_OF_WORKER)
    if not memory:
        memory = MEMORY_LIMIT // n_workers  # also the limits of containers
    dealt = _deal(cores, n_workers)
    workers: Dict[Any, Dict[str, Any]] = {}
    for i in range(n_workers):
        device = devices[i % len(devices)] if devices else None
        n_parts = threads or (
            max(min(len(dealt[i]) // 2, _PARTS_OF_GPU), 1) if device else 1)
        workers[i] = {'cls': Nanny, 'options': {
            'nthreads': n_parts, 'memory_limit': memory,
            'env': _environment(device, dealt[i]),
            'resources': {'GPU': n_parts} if device else {}}}
    return workers


def cluster(workers: Optional[int] = None, threads: Optional[int] = None,
            memory: Any = None, devices: str = 'gpu',
            cores: Optional[List[int]] = None) -> Any:
    """Returns the specification of a local cluster. @workers: by default one
    per GPU, or one per two cores. @threads: parts that a worker measures at a
    time. @memory: bytes per worker, or a text such as '4 GiB'. @devices:
    `gpu`, `cpu` or `accelerator` of OpenCL. @cores: numbers of the cores to
    use."""
    for name, value in (('workers', workers), ('threads', threads)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ValueError(f'{name}: a whole number, at least 1')
    if devices not in ('gpu', 'cpu', 'accelerator'):
        raise ValueError('devices: gpu, cpu or accelerator')
    there = sorted(os.sched_getaffinity(0))
    if cores is not None and (not cores or not set(cores) <= set(there)):
        raise ValueError(f'cores: some of {", ".join(map(str, there))}')
    spec = specification(_find(devices), workers, threads, memory,
                         cores or there)
    with dask.config.set(_QUIET):
        return SpecCluster(
            workers=spec, scheduler={'cls': Scheduler, 'options': {
                'host': '127.0.0.1', 'port': 0,
                'dashboard_address': '127.0.0.1:0'}})
