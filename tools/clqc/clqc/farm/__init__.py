# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks on many machines. Dask's scheduler assigns tasks to workers; a worker
of Dask runs the same decoding processes as a check on one machine.

    options          the options of the command
    cluster          connects to a farm, or starts one
    local            a cluster on this machine
    ssh              a cluster on machines with SSH
    scheduling       the farm: its tasks, and their recovery
    workers          the list of workers, which are accepted or rejected
    worker_versions  decides whether workers give the same bytes
    failures         counts failures of workers, and leaves workers out
    pending_tasks    a task, which is tried on another worker if it fails
    tasks            the functions that run on workers
    input_check      checks one input on a farm
    task_store       finished parts on disk

Modules are imported only when they are used, because Dask may be missing."""
