# SPDX-License-Identifier: LGPL-2.1-or-later
"""Policies, and verdicts on measured files."""
