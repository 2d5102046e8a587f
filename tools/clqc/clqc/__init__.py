# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks video files against policies, with the statistics of clframesum."""

__version__ = '0.3.0'
