# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stores the finished tasks of an unfinished input, one file per task, so that
the next run continues after any interruption."""
import hashlib
import json
import os
import shutil
from typing import Any, Optional

from clqc.common import files
from clqc.decoding import worker_messages
from clqc.farm.tasks import Answer
from clqc.results.result_files import Json

FOLDER = 'parts'  # folder in that of the results


class TaskStore:
    """The stored tasks of one input. The key @by includes everything that
    determines their content."""

    def __init__(self, results: str, by: Json) -> None:
        self.folder = os.path.join(results, FOLDER)
        self.by = by

    def _path(self, what: Json) -> str:
        text = json.dumps([self.by, what], sort_keys=True)
        return os.path.join(self.folder,
                            hashlib.sha256(text.encode()).hexdigest()[:32])

    def read(self, what: Json) -> Optional[Answer]:
        """Returns a result; None if it does not exist or is broken."""
        try:
            with open(self._path(what), 'rb') as file:
                digest = file.readline().strip()
                content = file.read()
        except OSError:
            return None
        if digest != _digest(content):
            return None
        text, _, lines = content.partition(b'\n')
        return Answer(worker_messages.parse(
            text.decode())['result'], lines or None)

    def write(self, what: Json, answer: Answer) -> None:
        """Raises OSError."""
        os.makedirs(self.folder, exist_ok=True)
        head: Any = {'what': what, 'result': answer.result}
        content = worker_messages.text(
            head).encode() + b'\n' + (answer.lines or b'')
        with files.replacing(self._path(what), 'wb') as file:
            file.write(_digest(content) + b'\n' + content)

    def remove(self) -> None:
        """Removes all results: the input is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
