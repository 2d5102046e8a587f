# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process of one stream: starts it, reads its messages, ends it and
restarts it."""
import base64
import contextlib
import json
import pickle
import random
import subprocess
import threading
from collections import deque
from dataclasses import asdict
from queue import Queue
from typing import Any, Callable, Deque, Optional, Sequence, Tuple

from clqc.common import processes
from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.live.configuration.stream_addresses import Stream, masked, without
from clqc.live.judging.judge import Rules
from clqc.live.processes.time_limits import START_SECONDS, TimeLimits
from clqc.results.result_files import Json

FIRST = 1.0      # seconds
GREATEST = 30.0  # seconds
GROWTH = 2.0

# A connection with frames for this many seconds was a good one.
RESET_AFTER = 10.0


class Backoff:
    """Waits that double up to a limit. Each is shortened at random, so that
    streams that were lost together are not reopened together."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._next = FIRST
        self._chance = chance

    def wait(self, good_for: float) -> float:
        """Returns the seconds to wait after a connection that had frames for
        @good_for seconds: between half and all of the maximum for this
        attempt."""
        if good_for >= RESET_AFTER:
            self.reset()
        longest = self._next
        self._next = min(longest * GROWTH, GREATEST)
        return longest * (0.5 + self._chance() / 2)

    def reset(self) -> None:
        """Resets: the next wait is short."""
        self._next = FIRST


# Longest counted time between two checks of a process. If clqc itself was
# stopped, messages are waiting to be read.
_MOST_OF_A_CHECK = 1.0

# Seconds for a process to end itself.
END_SECONDS = 3.0

# A message: the number of the stream, and a message of its process;
# {"type": "source", "stream": ..} if its path has become another kind of
# source, {"type": "closed", ..} when the process has ended.
Inbox = Queue[Tuple[int, Json]]


class Runner(threading.Thread):
    """Keeps a stream open. Puts all messages of its process into the inbox."""

    def __init__(self, number: int, stream: Stream, rules: Rules,
                 inbox: Inbox, interval: float, stall: float,
                 loops: bool = False,
                 backoff: Optional[Backoff] = None,
                 clock: Clock = REAL, pictures: bool = False,
                 after: Sequence[threading.Thread] = ()) -> None:
        """@after: runners that end, and which may use the same source."""
        super().__init__(daemon=True, name=stream.name)
        self.number = number
        self.stream = stream
        self.loops = loops
        self.inbox = inbox
        self.times = TimeLimits.of(rules.live, stall)
        self.request = {
            'rules': base64.b64encode(pickle.dumps(rules)).decode(),
            'interval': interval, 'stall': stall,
            'times': asdict(self.times), 'pictures': pictures}
        self.backoff = backoff or Backoff()
        self.clock = clock
        self._after = after
        self._stops = threading.Event()
        self._lock = threading.Lock()  # protects the members below
        self._process: Optional['subprocess.Popen[str]'] = None
        self._is_started = False  # the process has sent a message
        self._silence = 0.0       # seconds since the last one
        self._checked = clock.now()
        self._killed = ''         # why clqc has killed the process

    # --- other threads ---

    def stop(self) -> None:
        """Ends the process, and starts no other one."""
        self._stops.set()
        with self._lock:
            if self._process and self._process.stdin:
                _close(self._process.stdin)

    def kill(self) -> None:
        """Kills a process that does not respond."""
        with self._lock:
            if self._process:
                self._process.kill()

    def check(self) -> bool:
        """Kills a process that has been silent for too long. Returns whether
        the process does not respond. Called several times a second."""
        now = self.clock.now()
        with self._lock:
            passed, self._checked = now - self._checked, now
            if self._process is None or self._killed:
                return False
            self._silence += min(passed, _MOST_OF_A_CHECK)
            limit = self.times.ended if self._is_started else START_SECONDS
            if self._silence > limit:
                what = 'responded for' if self._is_started else (
                    'started within')
                self._killed = ('clqc ended the decoding process, which had '
                                f'not {what} {limit:g} seconds')
                self._process.kill()
            return self._is_started and self._silence > self.times.silent

    def _hear(self) -> None:
        """The process has sent a message."""
        with self._lock:
            self._is_started = True
            self._silence = 0.0

    # --- its own ---

    def run(self) -> None:
        for runner in self._after:
            runner.join()
        self._after = ()
        while not self._stops.is_set():
            closed = self._once()
            closed['final'] = self._stops.is_set() or self._is_over(closed)
            wait = 0.0
            if closed['message'] and not closed['final']:
                if closed['kind'] == 'stall':
                    self.backoff.reset()  # the wait is over
                wait = self.backoff.wait(closed['good-for'])
            closed['wait'] = wait
            self.inbox.put((self.number, closed))
            if closed['final']:
                return
            self.clock.wait(self._stops, wait)

    def _is_over(self, closed: Json) -> bool:
        """Returns whether not to reopen the stream: a file that has ended or
        cannot be played. A source that is not there may appear."""
        if closed['kind'] == 'fatal':
            return True
        return closed['kind'] != 'absent' and self.stream.is_file and (
            not self.loops or bool(closed['message']))

    def _find(self) -> None:
        """Finds out what to open. Raises ClqcError if it is not there."""
        stream = self.stream.opened()
        if stream != self.stream:
            self.stream = stream
            self.inbox.put((self.number, {'type': 'source',
                                          'stream': stream}))

    def _start(self) -> Optional['subprocess.Popen[str]']:
        python = jobs.interpreter()
        with self._lock:
            if self._stops.is_set():
                return None
            self._is_started, self._silence, self._killed = False, 0.0, ''
            # pylint: disable-next=consider-using-with
            self._process = subprocess.Popen(
                [python, '-m', 'clqc.live.processes.worker'],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, errors='replace',
                env=processes.environment(python))
            return self._process

    def _once(self) -> Json:
        """Runs one process, from its start to its end."""
        closed: Json = {'type': 'closed', 'message': '', 'kind': '',
                        'good-for': 0.0}
        try:
            self._find()
            process = self._start()
        except ClqcError as error:
            return {**closed, 'message': str(error), 'kind': 'absent'}
        except OSError as error:
            return {**closed, 'message': f'no process: {error.strerror}'}
        if process is None:
            return closed
        assert process.stdin and process.stdout and process.stderr
        words: Deque[str] = deque(maxlen=5)
        hearing = threading.Thread(
            target=words.extend, args=(process.stderr,), daemon=True)
        hearing.start()
        # it may have ended at once, and stop() may have closed the pipe
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(json.dumps(
                {**self.request, 'uri': self.stream.uri,
                 'is-hidden': self.stream.is_hidden}) + '\n')
            process.stdin.flush()
        last, good_for = self._listen(process.stdout)
        status = process.wait()
        hearing.join(1)
        with self._lock:
            self._process = None
            for pipe in process.stdin, process.stdout, process.stderr:
                _close(pipe)
        closed['good-for'] = good_for
        if last.get('type') == 'error':
            closed.update(message=last['message'], kind=last['kind'])
        elif self._killed:
            closed.update(message=self._killed, kind='stall')
        elif last.get('type') != 'end':
            closed['message'] = _why(status, ''.join(words))
        elif not self.stream.is_file and not self._stops.is_set():
            closed['message'] = 'the stream has ended'
        closed['message'] = masked(
            without(self.stream.secrets, closed['message']))
        return closed

    def _listen(self, lines: Any) -> Tuple[Json, float]:
        """Reads all messages. Returns the last message, and for how many
        seconds there were frames."""
        last: Json = {}
        n_frames = 0
        began = ended = 0.0  # the frames
        for text in lines:
            self._hear()
            now = self.clock.now()
            try:
                last = json.loads(text)
            except ValueError:  # truncated by its end
                continue
            if last['type'] in ('alive', 'status') and (
                    last['frames'] > n_frames):
                began = began if n_frames else now
                ended = now
                n_frames = last['frames']
            if last['type'] not in ('error', 'end', 'alive'):
                self.inbox.put((self.number, last))
        return last, ended - began


def _close(pipe: Any) -> None:
    with contextlib.suppress(OSError):
        pipe.close()


def _why(status: int, words: str) -> str:
    """Returns what is known of a process that has ended without a message."""
    how = f'signal {-status}' if status < 0 else f'status {status}'
    line = words.strip().split('\n')[-1].strip()
    return f'the decoding process ended with {how}' + (
        f': {line[:200]}' if line else '')


def end_all(runners: 'list[Runner]', clock: Clock = REAL) -> None:
    """Ends the processes of all runners, together within END_SECONDS."""
    for runner in runners:
        runner.stop()
    end = clock.now() + END_SECONDS
    for runner in runners:
        runner.join(max(0.0, end - clock.now()))
    for runner in runners:
        if runner.is_alive():
            runner.kill()
            runner.join(1)
