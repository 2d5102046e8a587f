# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks on many machines. Dask's scheduler says what runs where; a worker of
Dask runs the very processes that decode on one machine.

    options     the options of the command
    cluster     how a farm is reached or started
    devices     the GPUs of this machine
    connection  the farm: its workers, those that are refused, what is lost
    alike       which workers give the same bytes
    pending     a task, which is tried elsewhere where it fails
    tasks       what runs on workers
    checking    one input on a farm
    kept        parts that are finished, on disk

Nothing here is imported without being used: Dask may be missing."""
