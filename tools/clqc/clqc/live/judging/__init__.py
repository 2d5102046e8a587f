# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges a stream while it plays, without GStreamer."""
