# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the pictures of events into a folder:

    FOLDER/STREAM/TIME-EVENT-STATE.jpg     TIME: `at` of the event's message
"""
import os
from typing import Callable, Optional, Sequence, Tuple

from clqc.common.errors import ClqcError
from clqc.live.outputs.base import Lines, Losses, Output
from clqc.live.outputs.state import State
from clqc.results.result_files import Json

# Pictures that wait for a slow disk.
_MOST = 32

# Newest pictures of a stream that are kept.
KEPT = 1000

_SUFFIX = '.jpg'


def file_name(message: Json) -> str:
    """Returns the name of the file: names in order are times in order."""
    at = message['at'].replace(':', '').replace('-', '')
    return f'{at}-{message["event"]}-{message["state"]}{_SUFFIX}'


class Pictures(Output):
    """Writes pictures in its own thread."""

    name = 'pictures'

    def __init__(self, folder: str, complain: Callable[[str], None],
                 kept: int = KEPT) -> None:
        self.folder = folder
        self.kept = kept
        self._losses = Losses(folder, 'pictures', complain)
        self.losses = (self._losses,)
        self._lines: Optional[Lines] = None

    def open(self, states: Sequence[State]) -> None:
        try:
            os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            raise ClqcError(f'{self.folder}: {error.strerror}') from error
        self._lines = Lines(self._write, 'pictures', _MOST)

    def picture(self, state: State, message: Json, jpeg: bytes) -> None:
        assert self._lines
        if not self._lines.put((state.name, file_name(message), jpeg)):
            self._losses.add('written too slowly')

    def _write(self, item: Tuple[str, str, bytes]) -> None:
        """Writes a picture under another name first: a file with its name is
        complete."""
        stream, name, jpeg = item
        folder = os.path.join(self.folder, stream)
        part = os.path.join(folder, '.part')
        try:
            os.makedirs(folder, exist_ok=True)
            with open(part, 'wb') as file:
                file.write(jpeg)
            os.replace(part, os.path.join(folder, name))
            self._remove_oldest(folder)
        except OSError as error:
            self._losses.add(error.strerror or str(error))
        else:
            if self._lines and self._lines.is_idle:
                self._losses.end()

    def _remove_oldest(self, folder: str) -> None:
        names = sorted(name for name in os.listdir(folder)
                       if name.endswith(_SUFFIX))
        for name in names[:-self.kept]:
            os.unlink(os.path.join(folder, name))

    def close(self) -> None:
        if self._lines:
            self._lines.close()
