# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors that a user can act on."""
import sys


class ClqcError(Exception):
    """One clear line for the user: what went wrong, and with which file."""


class MachineError(ClqcError):
    """An error of this machine, not of the file, so that another machine may
    succeed: a full disk, a file that is not accessible, a missing package."""


def no_bindings(error: ImportError) -> str:
    """Returns the message for the user if GStreamer cannot be imported."""
    return (f'{sys.executable} has no bindings of GStreamer (docs/clqc.md): '
            f'{error}')


def one_line(error: Exception) -> str:
    """Returns the message for the user of a ClqcError, or of an OSError with
    its file."""
    if not isinstance(error, OSError):
        return str(error)
    where = f'{error.filename}: ' if error.filename else ''
    return f'{where}{error.strerror or error}'
