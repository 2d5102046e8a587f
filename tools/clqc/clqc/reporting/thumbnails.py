# SPDX-License-Identifier: LGPL-2.1-or-later
"""Thumbnails of a video, and the choice of their times."""
import gzip
import itertools
import json
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional, Set

from clqc.results.result_files import FRAMES, Event, Reason, Results, Verdict

MOST = 24          # pictures of a report
APART = 10 ** 9    # least nanoseconds between two of them

# Width and height of the scopes beside a picture, by the kind of clscope.
# Multiples of 16: jpegenc fills its blocks of 16 x 16 at the right edge with
# uninitialized memory, and reports would differ from run to run.
SCOPES = {'waveform': (320, 176), 'vectorscope': (176, 176)}


@dataclass
class Thumbnail:
    """A picture in JPEG."""
    time: int  # requested time, nanoseconds from the start
    jpeg: bytes
    width: int
    height: int
    scopes: Dict[str, bytes] = field(default_factory=dict)  # JPEG of each kind


def choose(results: Results, verdict: Verdict) -> List[int]:
    """Returns the times of thumbnails, in order: the worst frames of errors,
    then of warnings, then events, then cuts. At most MOST times, at least
    APART from each other."""
    frames = _frame_times(results, {
        reason.frame for reason in verdict.reasons
        if reason.frame is not None})
    wanted: List[int] = []
    for severity in 'error', 'warning':
        wanted += _of_each_rule([
            reason for reason in verdict.reasons
            if reason.severity == severity], frames)
    events = [event for event in results.events()
              if event.start_frame is not None]
    wanted += _spread([_middle(event) for event in events
                       if event.kind != 'scene'])
    wanted += _spread([event.start for event in events
                       if event.kind == 'scene'])
    chosen: List[int] = []
    for time in wanted:
        if all(abs(time - other) >= APART for other in chosen):
            chosen.append(time)
            if len(chosen) == MOST:
                break
    return sorted(chosen)


def _worst(reason: Reason, frames: Dict[int, int]) -> Optional[int]:
    """Returns the time of the worst frame of a reason, or of its middle.
    Reasons about sounds and whole files have none."""
    if reason.frame is not None and reason.frame in frames:
        return frames[reason.frame]
    if reason.start is None:
        return None
    return (reason.start + (reason.end or reason.start)) // 2


def _of_each_rule(reasons: List[Reason], frames: Dict[int, int]) -> List[int]:
    """Returns times of each rule in turn; those of one rule are spread."""
    times: Dict[str, Set[int]] = {}
    for reason in reasons:
        time = _worst(reason, frames)
        if time is not None:
            times.setdefault(reason.rule, set()).add(time)
    turns = itertools.zip_longest(
        *(_spread(sorted(of_rule)) for of_rule in times.values()))
    return [time for turn in turns for time in turn if time is not None]


def _middle(event: Event) -> int:
    return (event.start + event.end) // 2


def _spread(times: List[int]) -> List[int]:
    """Returns the times in an order in which each prefix is spread over the
    whole, so that many cuts at the start of a film leave thumbnails for its
    end."""
    order: List[int] = []
    step = 1
    while step < len(times):
        step *= 2
    seen: Set[int] = set()
    while step >= 1:
        for at in range(0, len(times), step):
            if at not in seen:
                seen.add(at)
                order.append(times[at])
        step //= 2
    return order


def _frame_times(results: Results, numbers: Iterable[int]) -> Dict[int, int]:
    """Returns the times of these frames. Only their lines are parsed: a line
    is long, and its index in the file is its number."""
    left = set(numbers)
    times: Dict[int, int] = {}
    if not left:
        return times
    with gzip.open(results.path(FRAMES), 'rb') as file:
        for number, line in enumerate(file):
            if number in left:
                frame = json.loads(line)
                time = frame.get('stream-time', frame.get('timestamp'))
                if time is not None:
                    times[number] = time
                left.discard(number)
                if not left:
                    break
    return times
