# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the errors of a packet are about: words that the process that decodes
and the one that judges share."""

VIDEO, AUDIO, OTHER = 'video', 'audio', 'other'  # kinds of tracks

# From the least to the worst: frames that a packet refers to and that did not
# come, the packet itself, what holds it.
REFERENCE, PACKET, CONTAINER = range(3)
