# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where states and events of streams go."""
