# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks files: measures them if needed, judges them, writes their reports."""
