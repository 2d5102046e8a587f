# SPDX-License-Identifier: LGPL-2.1-or-later
"""The state of each stream, and the messages for outputs."""
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional

from clqc.common.clock import REAL, Clock
from clqc.judging.rules.detectors import VALUES
from clqc.live.configuration.muting import Mute
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging import counters
from clqc.live.judging.health import Fault, Health
from clqc.results.result_files import Json

# Messages about events that wait for their pictures.
_MOST_TOLD = 100


@dataclass
class State:
    """The state of one stream. Counts include all connections."""
    stream: Stream
    health: Health
    # connecting, connected, waiting, ended, failed, stopped
    connection: str = 'connecting'
    error: str = ''      # of the last connection
    faults: List[Fault] = field(default_factory=list)  # faults by the policy
    form: Json = field(default_factory=dict)
    frames: int = 0
    dropped: int = 0
    counts: counters.Counts = field(default_factory=counters.zero)
    rate: Optional[float] = None  # frames that arrive, a second
    restarts: int = 0
    behind: Optional[float] = None  # seconds
    position: Optional[float] = None
    memory: Optional[int] = None  # resident bytes of its process
    statistics: Dict[str, float] = field(default_factory=dict)
    last_frame: Optional[float] = None  # seconds since 1970
    events: Dict[str, int] = field(default_factory=dict)  # begun, by kind
    # start of open events by kind, seconds of the monotonic clock
    open: Dict[str, float] = field(default_factory=dict)
    # newest messages about events of its process, by their number
    told: Dict[int, Json] = field(default_factory=dict)
    changed: float = field(init=False)  # of the health
    was_unhealthy: bool = False
    is_silent: bool = False  # its process does not respond
    base: Dict[str, int] = field(default_factory=dict)
    base_counts: counters.Counts = field(default_factory=counters.zero)
    clock: Clock = REAL
    mute: Mute = Mute()
    muted: str = ''  # as of mute.at(): what it is now

    def __post_init__(self) -> None:
        self.changed = self.clock.wall()

    @property
    def name(self) -> str:
        """Returns the stream's name."""
        return self.stream.name

    @property
    def is_connected(self) -> bool:
        """Returns whether frames arrive or arrived recently."""
        return self.connection == 'connected'

    @property
    def is_judged(self) -> bool:
        """Returns whether its health is known; the health of a file that has
        ended no longer changes."""
        return self.connection in ('connected', 'waiting', 'failed')

    @property
    def deadline(self) -> Optional[float]:
        """Returns when to check its health again."""
        return self.health.deadline if self.is_judged else None

    def count(self, status: Json) -> None:
        """Adds the counts of a process, which start at 0."""
        for name in 'frames', 'dropped':
            setattr(self, name, self.base.get(name, 0) + status[name])
        self.counts = counters.add(
            self.base_counts, counters.from_json(status.get('counts', {})))
        self.rate = status.get('rate')
        if status['frames'] != self.base.get('seen', 0):
            self.base['seen'] = status['frames']
            self.last_frame = self.clock.wall()
        self.behind = status['behind']
        self.position = status['position']
        self.memory = status.get('memory')
        self.statistics = status['statistics']
        self.take_faults(status['faults'])

    def take_faults(self, faults: List[Json]) -> None:
        """Sets the faults that a process reports."""
        self.faults = [Fault(**fault) for fault in faults]

    def close(self) -> None:
        """A process has ended; the next one adds to these counts."""
        self.base = {'frames': self.frames, 'dropped': self.dropped}
        self.base_counts = self.counts
        self.rate = None
        self.behind = self.position = self.memory = None
        self.statistics = {}
        self.faults = []
        self.is_silent = False
        self.form = {}
        self.told = {}

    def remember(self, number: int, message: Json) -> None:
        """Stores a message about an event, for its picture."""
        self.told[number] = message
        if len(self.told) > _MOST_TOLD:
            del self.told[min(self.told)]

    def count_of(self, key: str) -> Dict[str, int]:
        """Returns the values of a row of counters.COUNTERS by kind."""
        if key in self.counts:
            return self.counts[key]
        return {'': {'frames': self.frames, 'dropped': self.dropped}[key]}

    def reopen(self, stream: Stream) -> None:
        """Another source takes the place of the stream's. Its health is not
        known yet."""
        self.close()
        self.stream = stream
        self.connection, self.error = 'connecting', ''
        self.restarts += 1
        self.health = Health(self.health.unhealthy_after,
                             self.health.healthy_after)
        self.changed = self.clock.wall()

    def check_mute(self) -> bool:
        """Checks whether the stream counts for alerts now. Returns whether
        this has changed."""
        before, self.muted = self.muted, self.mute.at(self.clock.wall())
        self.note_unhealthy()
        return self.muted != before

    def note_unhealthy(self) -> None:
        """Notes that the stream is unhealthy, unless it is muted."""
        self.was_unhealthy |= self.health.healthy is False and not self.muted

    def stop(self) -> None:
        """The stream is no longer watched."""
        self.close()
        self.connection = 'stopped'
        self.health = Health()
        self.changed = self.clock.wall()


def when(seconds: float) -> str:
    """Returns a time in UTC as text."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec='milliseconds').replace('+00:00', 'Z')


def _head(state: State, kind: str) -> Json:
    return {'time': when(state.clock.wall()), 'stream': state.name,
            'type': kind}


def state_message(state: State) -> Json:
    """Returns the message about the state, sent at the start and after
    changes."""
    return {**_head(state, 'state'), 'uri': state.stream.shown,
            'healthy': state.health.healthy, 'muted': state.muted or None,
            'since': when(state.changed),
            'connection': state.connection,
            'reasons': [fault.to_json() for fault in state.health.reasons],
            'error': state.error or None, 'restarts': state.restarts,
            **({'form': state.form} if state.form else {})}


def statistics_message(state: State) -> Json:
    """Returns the message with the current statistics."""
    return {**_head(state, 'statistics'), 'frames': state.frames,
            'dropped': state.dropped, **counters.to_json(state.counts),
            'rate': state.rate, 'behind': state.behind,
            'position': state.position, 'memory': state.memory,
            'statistics': state.statistics}


def event_message(state: State, line: Json) -> Json:
    """Returns the message about an event that begins or ends, from a line of
    the process."""
    message = {**_head(state, 'event'), 'event': line['event'],
               'state': line['state'],
               'at': when(state.clock.wall() - line.get('ago', 0))}
    duration: Any = line.get('duration')
    if line['state'] == 'end':
        message['duration'] = None if duration is None else duration / 1e9
        if line.get('cut'):
            message['cut'] = True
    for name in (*VALUES, 'errors'):
        if name in line:
            message[name] = line[name]
    return message
