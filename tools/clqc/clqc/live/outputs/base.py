# SPDX-License-Identifier: LGPL-2.1-or-later
"""Base class of outputs, a writer of lines that never blocks its caller, and
the count of lost messages."""
import json
import os
import sys
import threading
from queue import Full, Queue
from typing import Any, Callable, Optional, Sequence

from clqc.common.errors import ClqcError
from clqc.live.outputs.state import State, state_message, statistics_message
from clqc.results.result_files import Json


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


class Output:
    """An output. One thread calls its methods, which must not block."""

    # The option of the output; none if it always exists.
    name = ''

    losses: Sequence[Losses] = ()

    @property
    def n_lost(self) -> int:
        """Returns the number of lost lines or events since the start. Any
        thread."""
        return sum(one.count for one in self.losses)

    @property
    def is_connected(self) -> Optional[bool]:
        """Returns whether its server is connected; None if it has none. Any
        thread."""
        return None

    def open(self, states: Sequence[State]) -> None:
        """Opens the output, before any other call, or again after close().
        Raises ClqcError."""

    def event(self, state: State, message: Json) -> None:
        """Receives an event that has begun or ended, from
        state.event_message()."""

    def picture(self, state: State, message: Json, jpeg: bytes) -> None:
        """Receives the picture of an event, after event(); @message is that
        of the event."""

    def no_picture(self, state: State, why: str) -> None:
        """Receives the reason why the frame of an event cannot be encoded."""

    def changed(self, state: State) -> None:
        """Receives a change of the health, a reason or the connection."""

    def statistics(self, state: State) -> None:
        """Receives new statistics, at the interval that the user has set."""

    def tick(self) -> None:
        """Called several times a second."""

    def close(self) -> None:
        """Closes the output; waits briefly for pending messages."""


# Lines that are queued for a slow disk or a stopped terminal.
_MOST_LINES = 10_000


class Lines:
    """Writes lines, or other items, in its own thread. @most of them wait.
    """

    def __init__(self, write: Callable[[Any], None], name: str = 'lines',
                 most: int = _MOST_LINES) -> None:
        self._write = write
        self._queue: 'Queue[Any]' = Queue(most)
        self._thread = threading.Thread(target=self._run, daemon=True,
                                        name=name)
        self._thread.start()

    @property
    def is_idle(self) -> bool:
        """Returns whether no line is pending."""
        return self._queue.empty()

    def put(self, line: Any) -> bool:
        """Queues a line. Returns whether there was room: lines that arrive
        faster than they can be written are lost."""
        try:
            self._queue.put_nowait(line)
        except Full:
            return False
        return True

    def _run(self) -> None:
        while True:
            line = self._queue.get()
            if line is None:
                return
            self._write(line)

    def close(self, seconds: float = 2.0) -> None:
        """Writes pending lines, within a time limit."""
        try:
            self._queue.put(None, timeout=seconds)
        except Full:
            return
        self._thread.join(seconds)


class JsonLines(Output):
    """Writes a line of JSON per message, to a file or to standard output. If
    the file is moved, as logrotate does, a new file is created."""

    name = 'jsonl'

    def __init__(self, path: str,
                 complain: Callable[[str], None]) -> None:
        self.path = path
        self._losses = Losses('standard output' if path == '-' else path,
                              'lines', complain)
        self.losses = (self._losses,)
        self._descriptor = sys.stdout.fileno() if path == '-' else -1
        self._is_cut = False   # the last line, which could not be removed
        self._is_gone = False  # the reader of standard output has closed it
        self._lines: Optional[Lines] = None

    def open(self, states: Sequence[State]) -> None:
        if self.path != '-':
            try:
                self._append()
            except OSError as error:
                raise ClqcError(f'{self.path}: {error.strerror}') from error
        self._lines = Lines(self._write, 'json lines')
        for state in states:
            self.changed(state)

    def _append(self) -> None:
        self._descriptor = os.open(
            self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)

    def _is_moved(self) -> bool:
        """Returns whether the name now belongs to another file or to none."""
        if self.path == '-':
            return False
        try:
            there = os.stat(self.path)
        except OSError:
            return True
        if self._descriptor < 0:
            return True
        here = os.fstat(self._descriptor)
        return (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino)

    def _write(self, line: str) -> None:
        """Writes a line. A line that cannot be written is dropped: a full disk
        must not fill the memory."""
        rest = line.encode() + b'\n'
        length = len(rest)
        try:
            if self._is_moved():
                self._close()
                self._append()
                self._is_cut = False
            if self._is_cut:
                os.write(self._descriptor, b'\n')
                self._is_cut = False
            while rest:
                rest = rest[os.write(self._descriptor, rest):]
        except BrokenPipeError:
            self._is_gone = True
        except OSError as error:
            if len(rest) < length:
                self._is_cut = not self._remove_end(length - len(rest))
            self._losses.add(error.strerror or str(error))
        else:
            if self._lines and self._lines.is_idle:
                self._losses.end()

    def _remove_end(self, n_bytes: int) -> bool:
        """Removes the last bytes that were written. Returns whether this was
        possible: a pipe has them, or another program has added to the file."""
        try:
            end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
            if end != os.fstat(self._descriptor).st_size:
                return False
            os.ftruncate(self._descriptor, end - n_bytes)
            os.lseek(self._descriptor, end - n_bytes, os.SEEK_SET)
        except OSError:
            return False
        return True

    def _close(self) -> None:
        if self.path != '-' and self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def _put(self, message: Json) -> None:
        assert self._lines
        if not self._lines.put(json.dumps(message, ensure_ascii=False)):
            self._losses.add('written too slowly')

    def event(self, state: State, message: Json) -> None:
        self._put(message)

    def changed(self, state: State) -> None:
        self._put(state_message(state))

    def statistics(self, state: State) -> None:
        self._put(statistics_message(state))

    def tick(self) -> None:
        """Raises ClqcError if the reader has closed the pipe."""
        if self._is_gone:
            raise ClqcError('the reader of the lines of JSON has closed them')

    def close(self) -> None:
        if self._lines:
            self._lines.close()
        self._close()
