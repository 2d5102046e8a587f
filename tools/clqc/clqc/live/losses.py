# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts messages that an output has lost."""
import threading
from typing import Callable


class Losses:
    """Counts losses, and reports when they begin, and their number when they
    end. Any thread."""

    def __init__(self, name: str, what: str,
                 complain: Callable[[str], None]) -> None:
        """@name: of a file or a server. @what: what is lost there."""
        self.name = name
        self.what = what
        self.complain = complain
        self.count = 0    # since the start
        self._n_reported = 0  # reported so far
        self._lock = threading.Lock()

    def add(self, why: str) -> None:
        """Counts one loss."""
        with self._lock:
            is_first = self.count == self._n_reported
            self.count += 1
        if is_first:
            self.complain(f'{self.name}: {why}; {self.what} are lost')

    def end(self) -> None:
        """Ends the losses: the output works again."""
        with self._lock:
            count = self.count - self._n_reported
            self._n_reported = self.count
        if count:
            self.complain(f'{self.name}: {count} {self.what} were lost')
