# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports, summaries and other files for people and other programs."""
