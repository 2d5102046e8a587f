# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors that a user can do something about."""


class ClqcError(Exception):
    """One clear line for the user: what went wrong, and with which file."""


class MachineError(ClqcError):
    """It is about this machine and not about the file, which another machine
    may measure: a full disk, a file that it does not see, what is not
    installed."""


def one_line(error: Exception) -> str:
    """What a user is told of a ClqcError, or of an OSError and its file."""
    if not isinstance(error, OSError):
        return str(error)
    where = f'{error.filename}: ' if error.filename else ''
    return f'{where}{error.strerror or error}'
