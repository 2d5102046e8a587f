# SPDX-License-Identifier: LGPL-2.1-or-later
"""Causes of packet errors, used by the decoding process and by the judging
process."""

VIDEO, AUDIO, OTHER = 'video', 'audio', 'other'  # kinds of tracks

# From the least to the most severe: missing reference frames, the packet
# itself, the container.
REFERENCE, PACKET, CONTAINER = range(3)
