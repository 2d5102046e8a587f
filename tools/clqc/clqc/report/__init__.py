# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report of one input: a page of HTML that needs nothing beside it."""
from clqc.report.build import write

__all__ = ['write']
