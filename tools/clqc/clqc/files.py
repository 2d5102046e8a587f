# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are replaced in one step, so that each is whole or as it was."""
import contextlib
import os
from typing import IO, Any, Iterator


@contextlib.contextmanager
def replacing(path: str, mode: str = 'w') -> Iterator[IO[Any]]:
    """A file to write, which takes the place of @path if the block ends well.
    If it does not, nothing of it stays, and an OSError names @path."""
    new = path + '.new'
    try:
        # Line ends are written as they are.
        with open(new, mode, encoding=None if 'b' in mode else 'utf-8',
                  newline=None if 'b' in mode else '') as file:
            yield file
        os.replace(new, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(new)
        if isinstance(error, OSError) and error.filename in (None, new):
            error.filename = path
        raise
