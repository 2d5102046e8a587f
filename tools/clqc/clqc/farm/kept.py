# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is finished of an input that is not: a file for each task, so that
whatever ends a start, the next one goes on from there."""
import hashlib
import json
import os
import shutil
from typing import Any, Optional

from .. import answers, files
from ..results import Json
from .tasks import Answer

FOLDER = 'parts'  # in that of the results


class Kept:
    """Those of one input. What they are found by, @by, has all in it that
    decides about their content."""

    def __init__(self, results: str, by: Json) -> None:
        self.folder = os.path.join(results, FOLDER)
        self.by = by

    def _path(self, what: Json) -> str:
        text = json.dumps([self.by, what], sort_keys=True)
        return os.path.join(self.folder,
                            hashlib.sha256(text.encode()).hexdigest()[:32])

    def read(self, what: Json) -> Optional[Answer]:
        """None: it is not there, or is broken."""
        try:
            with open(self._path(what), 'rb') as file:
                digest = file.readline().strip()
                content = file.read()
        except OSError:
            return None
        if digest != _digest(content):
            return None
        text, _, lines = content.partition(b'\n')
        return Answer(answers.parse(text.decode())['result'], lines or None)

    def write(self, what: Json, answer: Answer) -> None:
        """Raises OSError."""
        os.makedirs(self.folder, exist_ok=True)
        head: Any = {'what': what, 'result': answer.result}
        content = answers.text(head).encode() + b'\n' + (answer.lines or b'')
        with files.replacing(self._path(what), 'wb') as file:
            file.write(_digest(content) + b'\n' + content)

    def remove(self) -> None:
        """The input is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
