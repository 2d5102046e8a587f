# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins parts of a file that were measured apart to exactly the lines of one
run.

The first frames of a part lack what came before them: the frame that temporal
differences are taken to, and the reference of freeze, which is the last frame
that differed from the reference before it and may lie far back. A short run
over the cut has both: it measures that reference, the last frame of the part
before, and frames of the new part, up to one at which this run and the part
take the same frame for their reference. From the next frame on they agree for
good, since nothing else reaches across."""
from dataclasses import dataclass
from itertools import islice
from typing import Callable, Iterable, List, Optional, Tuple

from clqc.results.frame_lines import Frame

# Initial frames of a run over a cut; the run grows until both agree.
FIRST_LIMIT = 8
GROWTH = 8

# Measures the frames at the times @first, and the first @limit from @start.
Measure = Callable[[List[int], int, int], List[Frame]]


class Inexact(Exception):
    """A decoder outputs other frames when it starts at a cut."""


@dataclass
class Tail:
    """The state at the end of the joined frames that later frames depend on.
    """
    last: Optional[Frame] = None
    reference: Optional[Frame] = None

    def add(self, frame: Frame) -> None:
        """Adds the next joined frame."""
        if self.reference is None or frame.replaces_reference():
            self.reference = frame
        self.last = frame

    def frames(self) -> List[Frame]:
        """Returns the reference and the last frame, which may be the same."""
        if self.reference is None or self.last is None:
            return []
        if self.reference is self.last:
            return [self.last]
        return [self.reference, self.last]


def _check_same(ours: Frame, theirs: Frame, start: int) -> None:
    if (ours.stream_time, ours.timestamp, ours.duration, ours.alone()) != (
            theirs.stream_time, theirs.timestamp, theirs.duration,
            theirs.alone()):
        seconds = (theirs.stream_time or 0) / 1e9
        raise Inexact(f'the frame at {seconds:.3f} s differs when the '
                      f'decoder begins near {start / 1e9:.3f} s')


def _agreed(run: List[Frame], part: List[Frame], start: int) -> int:
    """Returns how many frames of the run are used: those up to the first frame
    at which both replace their reference; -1 if there is none. Raises Inexact
    if the frames themselves differ."""
    for i, (ours, theirs) in enumerate(zip(run, part)):
        _check_same(ours, theirs, start)
        if ours.replaces_reference() and theirs.replaces_reference():
            return i + 1
    return -1


def over_cut(tail: Tail, head: Iterable[Frame], start: int,
             measure: Measure) -> Tuple[List[Frame], List[Frame]]:
    """Returns the frames that replace the first frames of a part that begins
    at @start, and the read lines of @head that are not replaced."""
    lines = iter(head)
    part: List[Frame] = []
    limit = FIRST_LIMIT
    while True:
        # one more frame shows whether the part continues
        part += islice(lines, limit + 1 - len(part))
        n_frames = min(limit, len(part))
        if n_frames == 0:
            raise Inexact('there is no frame when the decoder begins for '
                          f'{start / 1e9:.3f} s')
        first = tail.frames()
        # From the frame after the last one: a part that has ended too early
        # lacks frames that this run has.
        run = measure([frame.stream_time or 0 for frame in first],
                      (tail.last.stream_time or 0) + 1 if tail.last else start,
                      n_frames)
        taken = run[len(first):]
        if len(run) != len(first) + n_frames:
            raise Inexact(f'the run over the cut at {start / 1e9:.3f} s has '
                          f'{len(run)} frames, but {len(first) + n_frames} '
                          'were expected')
        for ours, theirs in zip(run, first):
            _check_same(ours, theirs, start)
        agreed = _agreed(taken, part, start)
        if agreed >= 0:
            return taken[:agreed], part[agreed:]
        if n_frames == len(part):
            return taken, []
        limit *= GROWTH
