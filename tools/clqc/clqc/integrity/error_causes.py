# SPDX-License-Identifier: LGPL-2.1-or-later
"""Causes of packet errors. clqc watch uses them, too, and has no numpy."""

VIDEO, AUDIO, OTHER = 'video', 'audio', 'other'  # kinds of tracks

# From the least to the most severe: missing reference frames, the packet
# itself, the container.
REFERENCE, PACKET, CONTAINER = range(3)
