# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline of one stream, and what it measures beside clframesum. Runs in
a process of its own, which live/processes/supervisor.py restarts."""
