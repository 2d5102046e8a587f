# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a file or a stream is complete: missing frames, errors,
timestamps."""
