# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process of one stream that is watched: `python3 -m clqc.live.process`
reads what to do as a line of JSON on standard input, and ends when that
closes. It writes lines of JSON on standard output:

    {"type": "alive"}                      every second
    {"type": "form", "width": .., ..}      what the frames are, when it changes
    {"type": "event", "event": .., ..}     as clframesum writes them, with
                                           `ago`: seconds since it happened
    {"type": "status", "frames": N, "dropped": N, "behind": seconds,
     "position": seconds, "statistics": {..}, "faults": [..]}
    {"type": "end"}                        the stream has ended
    {"type": "error", "message": .., "kind": "", "stall" or "fatal"}

A stream that makes a decoder crash or hang costs this process alone."""
import json
import os
import select
import signal
import sys
import threading
import time
from typing import Any, Dict, List, Optional

from ..errors import ClqcError
from ..results import Json
from .judging import Judging, Rules, Silence
from .limits import statistics_of
from .sources import secrets

# Seconds between two looks at what is wrong.
TICK = 0.1

# An event comes right before the frame that caused it, if there is one.
_HOLD_MS = 20

# A device that measures nothing of what arrives for so many seconds hangs.
DEVICE_STALL = 60.0


class _Output:
    """Lines for the parent. Any thread."""

    def __init__(self, uri: str) -> None:
        # Some plugins print: that belongs elsewhere.
        self.file = os.fdopen(os.dup(1), 'w', encoding='utf-8')
        os.dup2(2, 1)
        self.lock = threading.Lock()
        self.secrets = secrets(uri)

    def say(self, data: Json) -> None:
        text = json.dumps(data)
        if self.secrets and 'message' in data:
            message = data['message']
            for secret in self.secrets:
                message = message.replace(secret, '***')
            text = json.dumps({**data, 'message': message})
        with self.lock:
            print(text, file=self.file, flush=True)


def _without_gaps(events: List[Json], is_ours: bool) -> List[Json]:
    """Without those that begin and end with one frame because it comes long
    after the one before. That is no picture that stands still; and no signal
    that was lost if @is_ours, where this process has lost frames."""
    kinds = [event['event'] for event in events if event['event'] != 'scene']
    gaps = ('freeze', 'signal-loss') if is_ours else ('freeze',)
    return [event for event in events if event['event'] not in gaps
            or kinds.count(event['event']) < 2]


class Follower:
    """Follows the lines of clframesum, and tells the parent."""

    def __init__(self, rules: Rules, output: _Output) -> None:
        self.output = output
        self.lock = threading.Lock()  # over what follows
        self.judging = Judging(rules)
        self.silence = Silence(rules.audio.get('silence-level', -60.0),
                               int(rules.audio.get('silence-duration', 2e9)))
        self.frame: Optional[Json] = None
        self.n_frames = 0
        self.behind = 0.0
        self.line: Any = None
        self.held: List[Json] = []  # of the thread that reads

    def read(self, descriptor: int) -> None:
        """Until clframesum closes its file."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        rest = b''
        while True:
            if self.held and not poll.poll(_HOLD_MS):
                self._release()
            data = os.read(descriptor, 1 << 16)
            if not data:
                self._release()
                os.close(descriptor)
                return
            *lines, rest = (rest + data).split(b'\n')
            for text in lines:
                self._on_line(json.loads(text))

    def _on_line(self, line: Json) -> None:
        if line['type'] == 'event':
            self.held.append(line)
        elif line['type'] == 'frame':
            gaps = self.line.is_behind_gap
            is_ours = bool(gaps) and gaps.popleft()
            self.held = _without_gaps(self.held, is_ours)
            self._release()
            self._on_frame(line)

    def _release(self) -> None:
        for event in self.held:
            # A stream that had no frame yet is not connected, and has lost
            # no signal.
            if self.n_frames > 0 or event['event'] != 'signal-loss':
                self.event(event)
        self.held = []

    def _on_frame(self, line: Json) -> None:
        now = self.line.now()
        with self.lock:
            self.judging.frame(line)
            self.frame = line
            self.n_frames += 1
            self.behind = self._age(now, line['running-time'])

    def _age(self, now: Optional[int], time_of: Optional[int]) -> float:
        """Seconds since a running time of frames."""
        if now is None or time_of is None:
            return 0.0
        return float(max(0, now - time_of - self.line.pace.offset) / 1e9)

    def event(self, line: Json) -> None:
        """One of the picture or of the sound."""
        now = self.line.now()
        with self.lock:
            self.judging.event(line)
            since = line['running-time']
            if line['state'] == 'end' and line['event'] == 'signal-loss':
                since = line.get('ended-running-time') or since
        self.output.say({**line, 'ago': round(self._age(now, since), 3)})

    def level(self, start: int, end: int, rms: float) -> None:
        """Sound has come."""
        for event in self.silence.add(start, end, rms):
            self.event(event)

    def no_level(self) -> None:
        """Sound that stays away while there are pictures is silence."""
        for event in self.silence.missing(self.judging.now):
            self.event(event)

    def status(self) -> Json:
        """What is to be told now."""
        with self.lock:
            frame = self.frame or {}
            position = frame.get('stream-time')
            return {
                'type': 'status', 'frames': self.n_frames,
                'dropped': self.line.n_lost,
                'behind': round(self.behind, 3),
                'position': None if position is None else position / 1e9,
                'statistics': dict(statistics_of(frame)),
                'faults': [fault.to_json() for fault in
                           self.judging.faults()]}


class _Ticker:
    """Tells how the stream is, and ends the process where it stands still:
    whatever hangs, this thread does not."""

    def __init__(self, follower: Follower, request: Json) -> None:
        self.follower = follower
        self.output = follower.output
        self.interval: float = request['interval']
        self.stall: float = request['stall']
        self.has_ended = threading.Event()
        self.form: Optional[Json] = None
        self.faults: List[Any] = []

    def _stalls(self, seen: Dict[str, Any], now: float) -> None:
        line = self.follower.line
        for name, count, limit in (
                ('arrived', line.n_arrived, self.stall),
                ('measured', self.follower.n_frames, max(
                    DEVICE_STALL, self.stall))):
            if seen.setdefault(name, (count, now))[0] != count:
                seen[name] = (count, now)
            elif now - seen[name][1] > limit:
                self.output.say({
                    'type': 'error', 'kind': 'stall', 'message':
                    f'no frame has {name} for {limit:g} seconds'})
                os._exit(1)

    def _tell(self, is_due: bool) -> bool:
        form = self.follower.line.form()
        status = self.follower.status()
        if form and form != self.form and status['frames']:
            self.form = form
            self.output.say({'type': 'form', **form})
        faults = [(fault['rule'], fault['severity'])
                  for fault in status['faults']]
        if not status['frames']:
            if is_due:
                self.output.say({'type': 'alive'})
            return is_due
        if is_due or faults != self.faults:
            self.faults = faults
            self.output.say(status)
        return is_due

    def run(self) -> None:
        seen: Dict[str, Any] = {}
        due = time.monotonic()
        while not self.has_ended.wait(TICK):
            now = time.monotonic()
            is_first = self.form is None and self.follower.n_frames > 0
            if self._tell(now >= due or is_first):
                due = max(due + self.interval, now)
            if self.follower.line.has_sound:
                self.follower.no_level()
            self._stalls(seen, now)


def _watch(request: Json, output: _Output, is_over: threading.Event) -> None:
    """Plays the stream to its end."""
    from ..gst import init
    from .line import LiveLine, fifo
    init()
    rules = Rules.from_json(request['rules'])
    uri: str = request['uri']
    if uri.startswith('fifo://'):
        from urllib.parse import unquote
        opened = fifo(unquote(uri.removeprefix('fifo://')), is_over.is_set,
                      lambda: output.say({'type': 'alive'}))
        if opened is None:
            return
        uri = opened
    follower = Follower(rules, output)
    reader, writer = os.pipe()
    follower.line = line = LiveLine(uri, rules, writer, follower.level)
    ticker = _Ticker(follower, request)
    reading = threading.Thread(target=follower.read, args=(reader,),
                               daemon=True)
    ticking = threading.Thread(target=ticker.run, daemon=True)
    reading.start()
    ticking.start()
    try:
        line.play(is_over.is_set)
    finally:
        line.close()
        os.close(writer)
        reading.join(2)
        ticker.has_ended.set()
        ticking.join(2)
        if follower.n_frames:
            output.say(follower.status())


def _end_with_parent(is_over: threading.Event) -> None:
    sys.stdin.read()
    is_over.set()
    time.sleep(2)  # what hangs
    os._exit(1)


def main() -> int:
    """Exit status 0 at the end of the stream, 1 with an error."""
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, signal.SIG_IGN)  # the parent ends us
    request = json.loads(sys.stdin.readline())
    output = _Output(request['uri'])
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
        text = (f'{sys.executable} has no bindings of GStreamer '
                f'(docs/clqc.md): {error}')
    except (ClqcError, OSError) as error:
        kind = 'fatal' if type(error).__name__ == 'Fatal' else ''
        text = str(error)
    output.say({'type': 'error', 'message': text, 'kind': kind})
    return 1


if __name__ == '__main__':
    sys.exit(main())
