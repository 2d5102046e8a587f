# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors that a user can do something about."""


class ClqcError(Exception):
    """One clear line for the user: what went wrong, and with which file."""
