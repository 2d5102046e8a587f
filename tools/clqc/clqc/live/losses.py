# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an output could not tell."""
import threading
from typing import Callable


class Losses:
    """Counts it, says when it begins, and how much it was when it is over.
    Any thread."""

    def __init__(self, name: str, what: str,
                 complain: Callable[[str], None]) -> None:
        """@name is that of a file or a server, and @what is lost there."""
        self.name = name
        self.what = what
        self.complain = complain
        self.count = 0    # since the start
        self._n_told = 0  # when it was over the last time
        self._lock = threading.Lock()

    def add(self, why: str) -> None:
        """One more is lost."""
        with self._lock:
            is_first = self.count == self._n_told
            self.count += 1
        if is_first:
            self.complain(f'{self.name}: {why}; {self.what} are lost')

    def end(self) -> None:
        """The output tells all again."""
        with self._lock:
            count = self.count - self._n_told
            self._n_told = self.count
        if count:
            self.complain(f'{self.name}: {count} {self.what} were lost')
