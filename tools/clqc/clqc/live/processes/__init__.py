# SPDX-License-Identifier: LGPL-2.1-or-later
"""The processes of streams: start, monitoring, restart."""
