# SPDX-License-Identifier: LGPL-2.1-or-later
"""Used by all packages: errors, the clock, files, printable text, errors of
servers."""
