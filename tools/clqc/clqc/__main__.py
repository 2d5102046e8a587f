# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m clqc: the command clqc."""
from .cli import run

run()
