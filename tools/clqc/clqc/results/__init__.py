# SPDX-License-Identifier: LGPL-2.1-or-later
"""The stored results of a measured file."""
