# SPDX-License-Identifier: LGPL-2.1-or-later
"""Replaces files atomically, and copies files."""
import contextlib
import errno
import fcntl
import os
import shutil
from typing import IO, Any, Iterator

from clqc.common.errors import ClqcError

_PIECE = 1 << 30  # bytes per copy step


@contextlib.contextmanager
def alone_in(folder: str) -> Iterator[None]:
    """Locks a folder against other processes that call this function. Raises
    ClqcError if the folder is locked. File systems without locks are not
    protected."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                raise ClqcError(f'{folder}: another clqc is using this folder'
                                ) from error
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def replacing(path: str, mode: str = 'w') -> Iterator[IO[Any]]:
    """Opens a temporary file that replaces @path if the block succeeds, after
    its bytes are on the disk. If the block fails, the file is removed; an
    OSError names @path."""
    new = path + '.new'
    try:
        # Line ends are not converted.
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
    """Copies a file; both share their blocks if the file system supports this.
    """
    with open(path, 'rb') as source, open(target, 'wb') as written:
        try:
            while os.copy_file_range(source.fileno(), written.fileno(),
                                     _PIECE):
                pass
        except OSError:
            source.seek(0)
            written.seek(0)
            shutil.copyfileobj(source, written, 1 << 20)
