# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares files with a reference."""
