# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures a file with decoding processes, and stores the results."""
