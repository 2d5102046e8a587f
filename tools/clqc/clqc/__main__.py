# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m clqc: the command clqc."""
import sys

from .cli import main

sys.exit(main())
