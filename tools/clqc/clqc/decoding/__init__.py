# SPDX-License-Identifier: LGPL-2.1-or-later
"""The processes that decode with GStreamer, and their tasks."""
