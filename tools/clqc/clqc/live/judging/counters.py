# SPDX-License-Identifier: LGPL-2.1-or-later
"""The counters of a stream: one table for lines of JSON, MQTT, Prometheus, the
terminal and docs/live.md."""
from dataclasses import dataclass
from typing import Any, Dict, Tuple

from clqc.integrity.continuity import KINDS
from clqc.integrity.error_causes import AUDIO, OTHER, VIDEO
from clqc.results.result_files import Json

# By the key of a counter and its kind; the kind is empty if it has none.
Counts = Dict[str, Dict[str, int]]


@dataclass(frozen=True)
class Counter:
    """A counter. It never decreases while clqc watch runs."""
    key: str     # in lines of JSON
    metric: str  # for Prometheus, without clqc_ and _total
    unit: str    # in the plural
    text: str
    kinds: Tuple[str, ...] = ()  # the values of its label `kind`


COUNTERS = (
    Counter('frames', 'frames', 'frames', 'Frames that were measured.'),
    Counter('dropped', 'dropped_frames', 'frames',
            'Frames that were not measured because the machine was too '
            'slow.'),
    Counter('missing-frames', 'missing_frames', 'frames',
            'Frames that did not come, by the timestamps of the others.'),
    Counter('decode-errors', 'decode_errors', 'packets',
            'Packets for which a decoder or a demuxer reported an error, by '
            'the kind of their track.', (VIDEO, AUDIO, OTHER)),
    Counter('transport-errors', 'transport_errors', 'errors',
            'Errors in the packets of an MPEG transport stream.', KINDS),
    Counter('packets', 'packets', 'packets',
            'Packets that were received.', ('ts', 'rtp', 'srt')),
    Counter('lost-packets', 'lost_packets', 'packets',
            'Packets that did not come, or too late. SRT requests lost '
            'packets again: only those that never come are lost in the '
            'transport stream, too.', ('ts', 'rtp', 'rtp-late', 'srt')))

# Those that a process counts beyond its frames.
DAMAGE = COUNTERS[2:]


def zero() -> Counts:
    """Returns the counts of DAMAGE at the start."""
    return {row.key: dict.fromkeys(row.kinds or ('',), 0) for row in DAMAGE}


def add(one: Counts, other: Counts) -> Counts:
    """Returns the sums."""
    return {key: {kind: count + other.get(key, {}).get(kind, 0)
                  for kind, count in counts.items()}
            for key, counts in one.items()}


def to_json(counts: Counts) -> Json:
    """Returns the counts for lines of JSON: a number, or a number for each
    kind."""
    return {key: of_kind[''] if '' in of_kind else dict(of_kind)
            for key, of_kind in counts.items()}


def from_json(data: Any) -> Counts:
    """Returns the counts from to_json(); 0 for those that are missing."""
    counts = zero()
    for key, of_kind in counts.items():
        value = data.get(key, 0)
        of_kind.update(value if isinstance(value, dict) else {
            kind: value for kind in of_kind if kind == ''})
    return counts
