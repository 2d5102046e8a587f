# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are replaced in one step, so that each is whole or as it was, and
copies."""
import contextlib
import errno
import fcntl
import os
import shutil
from typing import IO, Any, Iterator

from .errors import ClqcError

_PIECE = 1 << 30  # bytes that are copied at a time


@contextlib.contextmanager
def alone_in(folder: str) -> Iterator[None]:
    """Keeps other processes that ask for the same out of a folder. Raises
    ClqcError if one is there already. File systems without locks have none."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                raise ClqcError(f'{folder}: another clqc is at work there'
                                ) from error
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def replacing(path: str, mode: str = 'w') -> Iterator[IO[Any]]:
    """A file to write, which takes the place of @path if the block ends well;
    its bytes are on the disk by then. If it does not, nothing of it stays, and
    an OSError names @path."""
    new = path + '.new'
    try:
        # Line ends are written as they are.
        with open(new, mode, encoding=None if 'b' in mode else 'utf-8',
                  newline=None if 'b' in mode else '') as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(new)
        if isinstance(error, OSError) and error.filename in (None, new):
            error.filename = path
        raise


def copy(path: str, target: str) -> None:
    """Where the file system can, both share what they hold."""
    with open(path, 'rb') as source, open(target, 'wb') as written:
        try:
            while os.copy_file_range(source.fileno(), written.fileno(),
                                     _PIECE):
                pass
        except OSError:
            source.seek(0)
            written.seek(0)
            shutil.copyfileobj(source, written, 1 << 20)
