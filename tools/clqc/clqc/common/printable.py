# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes unchecked text and numbers of files safe to print."""
import re
from typing import Optional

# What XML 1.0 cannot contain: most control characters, and surrogates, which
# represent bytes in file names that are not UTF-8.
_UNFIT = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def text(value: object) -> str:
    """Returns the text with U+FFFD for each character that XML cannot contain.
    """
    return _UNFIT.sub('\ufffd', str(value))


def line(value: object) -> str:
    """Returns the text as one line for a terminal, with an escape for each
    unprintable character: file names may have any character."""
    return ''.join(
        character if character.isprintable() else
        repr(character.encode('utf-8', 'surrogateescape')
             if '\udc80' <= character <= '\udcff' else character
             ).lstrip('b')[1:-1]
        for character in str(value))


def number(value: float) -> str:
    """Returns a number as FFmpeg prints it: six digits at most."""
    return str(value) if isinstance(value, int) else '%g' % value


def clock(time: Optional[int]) -> str:
    """Returns nanoseconds as hours:minutes:seconds.thousandths."""
    if time is None:
        return ''
    thousandths = (time + 500_000) // 1_000_000
    seconds, thousandths = divmod(thousandths, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02}:{seconds:02}.{thousandths:03}'
