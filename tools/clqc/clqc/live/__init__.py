# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch: streams without an end."""
