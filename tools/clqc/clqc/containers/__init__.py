# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads containers without GStreamer: one module for each format."""
