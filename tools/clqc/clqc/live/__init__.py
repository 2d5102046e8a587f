# SPDX-License-Identifier: LGPL-2.1-or-later
"""What never ends: clqc watch."""
