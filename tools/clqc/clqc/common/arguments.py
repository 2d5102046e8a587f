# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers as options of a command."""
import argparse
import math
from typing import Callable


def number(words: str, least: float, end: float = 1e9
           ) -> Callable[[str], float]:
    """Returns a type for argparse: a number from @least to below @end, which
    @words describe."""
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value < end:
            raise argparse.ArgumentTypeError(words)
        return value
    return parse


SECONDS = number('a number of seconds, 0 or more', 0)
