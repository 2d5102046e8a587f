# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of policies: what they may say, and how each kind is judged."""
