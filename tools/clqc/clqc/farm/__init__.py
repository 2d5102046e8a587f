# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks on many machines. Dask's scheduler says what runs where; a worker of
Dask runs the very processes that decode on one machine.

    options     the options of the command
    cluster     how a farm is reached or started
    local       a cluster on this machine
    ssh         machines that are reached by SSH
    connection  the farm: its tasks, and those that are lost
    workers     who is there, is asked what it is, and is refused
    alike       which workers give the same bytes
    pending     a task, which is tried elsewhere where it fails
    tasks       what runs on workers
    checking    one input on a farm
    kept        parts that are finished, on disk

Nothing here is imported without being used: Dask may be missing."""
