# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process of one stream that is watched: `python3 -m
clqc.live.processes.worker` reads what to do as a line of JSON on standard
input, and ends when that closes. It writes lines of JSON on standard output:

    {"type": "alive", "frames": N}         every second; N: so far
    {"type": "form", "form": {"width": .., ..}, "faults": [..]}
                                           what the frames are, when it changes
    {"type": "waits", "message": ..}       nothing has arrived so far; the
                                           source stays open
    {"type": "event", "event": .., ..}     as clframesum writes them, with
                                           `ago`: seconds since it happened;
                                           `number`: counts events
    {"type": "picture", "number": .., "jpeg": base64}
                                           the frame of the event with this
                                           number, if the request has
                                           `pictures`; or why there is none:
    {"type": "picture", "number": .., "error": ..}
    {"type": "status", "frames": N, "dropped": N, "behind": seconds,
     "position": seconds, "memory": bytes, "statistics": {..},
     "faults": [..], "rate": frames per second,
     "counts": {..} as counters.to_json()}
    {"type": "end"}                        the stream has ended
    {"type": "error", "message": .., "kind": "", "stall" or "fatal"}

A stream that makes a decoder crash or hang costs this process alone."""
import base64
import json
import os
import pickle
import signal
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError, no_bindings, one_line
from clqc.live.configuration.stream_addresses import secrets, without
from clqc.live.judging.health import STUCK, Fault
from clqc.live.judging.judge import Rules
from clqc.live.judging.stream_results import StreamResults
from clqc.live.processes.time_limits import ALIVE_SECONDS, TimeLimits
from clqc.results.result_files import Json

# Seconds between two checks for faults.
TICK = 0.1

# A device that measures none of the arriving frames for this many seconds
# hangs. Before the first frame kernels are compiled: a process that ended
# would compile them again.
DEVICE_STALL = 60.0
DEVICE_START = 300.0


def _resident_bytes() -> int:
    """Returns the resident memory of this process."""
    with open('/proc/self/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


class _Output:
    """Writes lines for the parent. Any thread."""

    def __init__(self, hidden: List[str]) -> None:
        # Some plugins print to standard output, which carries messages here.
        self.file = os.fdopen(os.dup(1), 'w', encoding='utf-8')
        os.dup2(2, 1)
        self.lock = threading.Lock()
        self.secrets = hidden

    def say(self, data: Json) -> None:
        if 'message' in data:
            data = {**data, 'message': without(self.secrets, data['message'])}
        with self.lock:
            print(json.dumps(data), file=self.file, flush=True)


class _Ticker:
    """Reports the state of the stream, and ends the process if it stalls: this
    thread runs whatever else hangs."""

    def __init__(self, results: StreamResults, output: _Output,
                 request: Json, clock: Clock = REAL) -> None:
        self.clock = clock
        self.results = results
        self.output = output
        self.interval: float = request['interval']
        self.stall: float = request['stall']
        self.times = TimeLimits(**request['times'])
        # Frames that were measured and that had arrived at that time, and the
        # time of the last check at which a frame had been measured since.
        self._measured = (-1, 0, 0.0)
        self._is_looking = False  # for the cause since the last frame arrived
        self._cause = ''          # why no data arrives
        self._has_said = False    # that nothing has arrived so far
        self.has_ended = threading.Event()
        self.form: Optional[Json] = None
        self.faults: List[Any] = []

    def _look(self, silence: float) -> None:
        """Looks for the cause once no frame has arrived for a time, in a
        thread of its own: servers may not answer."""
        line = self.results.line
        if silence < min(self.times.signal_loss, self.stall / 2):
            self._is_looking, self._cause = False, ''
        elif not self._is_looking:
            self._is_looking = True
            if self.form:  # otherwise it is listening from the start
                line.listen()
            self.start(self._find_cause)
        if (self._cause and not self._has_said and self.form is None
                and not line.has_data):
            self._has_said = True
            self.output.say({'type': 'waits', 'message': self._cause})

    def _find_cause(self) -> None:
        self._cause = self.results.line.why_no_data() or ''

    @staticmethod
    def start(action: Callable[[], None]) -> None:
        """Starts a thread that does not keep the process alive."""
        threading.Thread(target=action, daemon=True).start()

    def _why_stalled(self, name: str, limit: float) -> str:
        line = self.results.line
        if name == 'arrived' and self._is_looking and not line.has_data:
            address = line.address
            if self._cause or address:
                return self._cause or str(address.because('no-data'))
        done = 'has arrived' if name == 'arrived' else 'has been measured'
        return (f'no frame {done} for {limit:g} seconds'
                + self.results.damage.lately())

    def _stalls(self, seen: Dict[str, Any], now: float) -> None:
        line = self.results.line
        n_frames = self.results.n_frames
        hang = DEVICE_STALL if n_frames else DEVICE_START
        for name, count, limit in (
                ('arrived', line.n_arrived, self.stall),
                ('measured', n_frames, max(hang, self.stall))):
            waits = name == 'arrived' and (
                not line.real_time.has_begun or line.is_blocked)
            if waits or seen.setdefault(name, (count, now))[0] != count:
                seen[name] = (count, now)
            elif now - seen[name][1] > limit:
                self.output.say({
                    'type': 'error', 'kind': 'stall',
                    'message': self._why_stalled(name, limit)})
                os._exit(1)
            if name == 'arrived':
                self._look(now - seen[name][1])

    def _is_stuck(self) -> bool:
        """Returns whether frames have arrived, and none was measured."""
        now = self.clock.now()
        n_arrived = self.results.line.n_arrived
        if self.results.n_frames != self._measured[0]:
            self._measured = (self.results.n_frames, n_arrived, now)
        return (n_arrived > self._measured[1]
                and now - self._measured[2] > self.times.silent)

    def _status(self) -> Json:
        status = self.results.status()
        if self._is_stuck():
            status['faults'].insert(0, Fault(
                STUCK, 'error', 'Frames arrive, and none is measured.'
            ).to_json())
        return status

    def report(self, is_due: bool) -> bool:
        """Reports changes, and everything if @is_due, after the first frame.
        Returns whether it was due."""
        form = self.results.line.form()
        status = self._status()
        if form and form != self.form and status['frames']:
            self.form = form
            self.output.say({'type': 'form', 'form': form,
                             'faults': status['faults']})
        faults = [(fault['rule'], fault['severity'])
                  for fault in status['faults']]
        if not status['frames'] and not (
                is_due and self.results.damage.is_damaged):
            return is_due
        if is_due or faults != self.faults:
            self.faults = faults
            self.output.say({**status, 'memory': _resident_bytes()})
        return is_due

    def run(self) -> None:
        seen: Dict[str, Any] = {}
        due = alive = self.clock.now()
        while not self.clock.wait(self.has_ended, TICK):
            now = self.clock.now()
            if now >= alive:
                self.output.say({'type': 'alive',
                                 'frames': self.results.n_frames})
                alive = now + ALIVE_SECONDS
            is_first = self.form is None and self.results.n_frames > 0
            self.results.check()
            if self.report(now >= due or is_first):
                due = max(due + self.interval, now)
            if self.results.line.has_sound:
                self.results.no_level()
            self._stalls(seen, now)


class _Patience:
    """Waits for data in an empty FIFO, which stays open: its writer may have
    opened it and would fail."""

    def __init__(self, seconds: float, output: _Output,
                 clock: Clock = REAL) -> None:
        self.output = output
        self.clock = clock
        self.message = ('no process has written into it for '
                        f'{seconds:g} seconds')
        self.end: Optional[float] = clock.now() + seconds

    def on_wait(self) -> None:
        """Called several times a second."""
        self.output.say({'type': 'alive', 'frames': 0})
        if self.end is not None and self.clock.now() >= self.end:
            self.end = None
            self.output.say({'type': 'waits', 'message': self.message})


def _watch(request: Json, output: _Output, is_over: threading.Event) -> None:
    """Plays the stream to its end."""
    from clqc.decoding.gst import init
    from clqc.live.sources.pipeline import Fatal, LivePipeline, fifo
    from clqc.live.sources.snapshots import Snapshots
    init()
    rules: Rules = pickle.loads(base64.b64decode(request['rules']))
    uri: str = request['uri']
    if uri.startswith('fifo://'):
        from urllib.parse import unquote
        opened = fifo(unquote(uri.removeprefix('fifo://')), is_over.is_set,
                      _Patience(request['stall'], output).on_wait)
        if opened is None:
            return
        uri = opened
    results = StreamResults(rules, output.say)
    reader, writer = os.pipe()
    results.line = line = LivePipeline(uri, rules, writer, results.level,
                                       results.damage)
    snapshots = None
    if request.get('pictures'):
        snapshots = Snapshots(line.newest, output.say)
        results.on_event = snapshots.event
    ticker = _Ticker(results, output, request)
    reading = threading.Thread(target=results.read, args=(reader,),
                               daemon=True)
    ticking = threading.Thread(target=ticker.run, daemon=True)
    reading.start()
    ticking.start()
    try:
        line.play(lambda: is_over.is_set() or results.error is not None)
    finally:
        line.close()
        os.close(writer)
        reading.join(2)
        ticker.has_ended.set()
        ticking.join(2)
        line.check()
        ticker.report(True)
        if snapshots:
            snapshots.close()
    if results.error:
        raise Fatal(str(results.error))
    if not results.n_frames and not is_over.is_set():
        raise ClqcError('it has ended without a frame')


def _end_with_parent(is_over: threading.Event) -> None:
    sys.stdin.read()
    is_over.set()
    REAL.sleep(2)  # hanging threads
    os._exit(1)


def main() -> int:
    """Exit status 0 at the end of the stream, 1 with an error."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        # the parent closes the input
        signal.signal(number, signal.SIG_IGN)
    request = json.loads(sys.stdin.readline())
    output = _Output(secrets(request['uri'], request['is-hidden']))
    is_over = threading.Event()
    threading.Thread(target=_end_with_parent, args=(is_over,),
                     daemon=True).start()
    kind = ''
    try:
        _watch(request, output, is_over)
        output.say({'type': 'end'})
        return 0
    except ImportError as error:
        kind = 'fatal'
        text = no_bindings(error)
    except (ClqcError, OSError) as error:
        kind = 'fatal' if type(error).__name__ == 'Fatal' else ''
        text = one_line(error)
    output.say({'type': 'error', 'message': text, 'kind': kind})
    return 1


if __name__ == '__main__':
    sys.exit(main())
