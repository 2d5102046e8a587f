# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m clqc: the command clqc."""
from clqc.commandline import run

run()
