# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files and addresses to check."""
