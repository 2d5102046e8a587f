# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the picture of one file, in one piece or in parts."""
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import IO, Any, Dict, Iterator, List, Optional

from clqc.common.errors import ClqcError
from clqc.decoding import file_parts, jobs
from clqc.decoding.file_parts import Part, keeps
from clqc.inputs import locations
from clqc.measuring.joining import Inexact, Tail, over_cut
from clqc.results import frame_lines
from clqc.results.frame_lines import Frame

FEW_KEYS = 'it has fewer than two key frames with a time'


@dataclass
class Plan:
    """Options of the measurement of a file."""
    path: str
    work: str                 # folder for temporary files
    log: str
    settings: Dict[str, str]  # properties of clframesum
    # key frames at which it can be cut
    keys: List[int] = field(default_factory=list)
    n_parts: int = 1
    n_jobs: int = 1           # parts at a time
    on_tick: Optional[jobs.Tick] = None  # nanoseconds measured so far
    why_not: jobs.WhyNot = lambda _: None  # of each process, as jobs.Care has
    track: Optional[str] = None  # the video, if there are several
    range: Optional[str] = None  # colour range; None: as decoded


@dataclass
class Measured:
    """The result of a measurement."""
    path: str  # a line a frame, as they are kept
    n_frames: int
    facts: Dict[str, Any] = field(default_factory=dict)


def _run(plan: Plan, part: Part,
         on_tick: Optional[jobs.Tick] = None) -> Dict[str, Any]:
    return jobs.run(plan.log, 'measure', on_tick,
                    jobs.Care.within(plan.work, plan.why_not), **asdict(part))


def _frames(part: Part) -> Iterator[Frame]:
    with open(part.lines, encoding='utf-8') as file:
        for frame in frame_lines.parse_all(file):
            if keeps(part, frame.stream_time):
                yield frame


class Ticks:
    """Adds up the progress of all parts. Any thread."""

    def __init__(self, parts: List[Part],
                 on_tick: Optional[jobs.Tick]) -> None:
        self.on_tick = on_tick
        self.parts = parts
        self.done = [0] * len(parts)

    def of(self, index: int) -> jobs.Tick:
        """Returns the callback of part @index."""
        def tick(position: int) -> None:
            start = self.parts[index].start or 0
            self.done[index] = max(position - start, 0)
            if self.on_tick:
                self.on_tick(sum(self.done))
        return tick


def _measure_parts(plan: Plan, parts: List[Part]) -> List[Dict[str, Any]]:
    ticks = Ticks(parts, plan.on_tick)
    with ThreadPoolExecutor(max(plan.n_jobs, 1)) as pool:
        futures = [pool.submit(_run, plan, part, ticks.of(i))
                   for i, part in enumerate(parts)]
        return [future.result() for future in futures]


def _check_alike(facts: List[Dict[str, Any]]) -> None:
    """Raises Inexact if parts cannot be joined: decoders and versions may
    differ in bits, and the output for damaged data depends on the start of
    decoding."""
    if len(facts) > 1 and any(fact['errors'] for fact in facts):
        raise Inexact('its decoder reports errors')
    for key in ('decoder', 'gstreamer', 'plugin', 'video'):
        values = [fact[key] for fact in facts if fact['frames'] > 0]
        if any(value != values[0] for value in values):
            raise Inexact(f'its parts differ in {key}: {values}')


class Joiner:
    """Writes the frames of all parts as one run."""

    def __init__(self, plan: Plan, keys: List[int], file: IO[str]) -> None:
        self.plan = plan
        self.keys = keys
        self.file = file
        self.tail = Tail()
        self.n_frames = 0

    def _write(self, frame: Frame) -> None:
        self.file.write(frame.text(self.n_frames))
        self.tail.add(frame)
        self.n_frames += 1

    def _measure_at_cut(self, first: List[int], start: int,
                        limit: int) -> List[Frame]:
        plan = self.plan
        part = Part(plan.path, os.path.join(plan.work, 'cut.jsonl'),
                    plan.settings, start, None, first, limit,
                    file_parts.entry_point(self.keys, min(first)), plan.track,
                    plan.range)
        _run(plan, part)
        return list(_frames(part))

    def add(self, part: Part) -> None:
        """Adds the next part."""
        frames = _frames(part)
        if part.start is not None:
            if self.tail.last is None:
                raise Inexact('no frame comes in front of '
                              f'{part.start / 1e9:.3f} s')
            taken, rest = over_cut(self.tail, frames, part.start,
                                   self._measure_at_cut)
            frames = itertools.chain(taken, rest, frames)
        for frame in frames:
            self._write(frame)


def parts_of(plan: Plan, keys: List[int], times: List[int]) -> List[Part]:
    """Returns the parts between cuts at @times of the key frames @keys."""
    starts: List[Optional[int]] = [None, *times]
    stops: List[Optional[int]] = [*times, None]
    return [Part(plan.path, os.path.join(plan.work, f'part-{i}.jsonl'),
                 plan.settings, start, stop, enter=file_parts.entry_point(
                     keys, start),
                 track=plan.track, range=plan.range)
            for i, (start, stop) in enumerate(zip(starts, stops))]


def _measure_at(plan: Plan, keys: List[int], times: List[int]) -> Measured:
    """Measures a file cut at @times of the key frames @keys. Raises Inexact if
    the cuts affect the result."""
    parts = parts_of(plan, keys, times)
    return join(plan, keys, parts, _measure_parts(plan, parts))


def join(plan: Plan, keys: List[int], parts: List[Part],
         facts: List[Dict[str, Any]]) -> Measured:
    """Joins the frames of all parts, with the facts of each; removes their
    lines. Raises Inexact if the cuts affect the result."""
    _check_alike(facts)
    path = os.path.join(plan.work, 'frames.jsonl')
    with open(path, 'w', encoding='utf-8') as file:
        joiner = Joiner(plan, keys, file)
        for part in parts:
            reason = plan.why_not(os.getpid())
            if reason:
                raise ClqcError(reason)
            joiner.add(part)
            os.remove(part.lines)
    del facts[0]['frames']  # only those of its part
    repeats = {stamp for fact in facts for stamp in fact.get('repeats', ())}
    return Measured(path, joiner.n_frames, {
        **facts[0], 'repeats': sorted(repeats), 'parts': len(parts)})


def measure(plan: Plan) -> Measured:
    """Writes the lines of all frames, which do not depend on the number of
    parts. Raises ClqcError if the file cannot be measured."""
    why = None
    if plan.n_parts > 1:
        try:
            if len(plan.keys) < 2:
                raise Inexact(FEW_KEYS)
            measured = _measure_at(
                plan, plan.keys,
                file_parts.choose_cuts(plan.keys, plan.n_parts))
            measured.facts['one-piece'] = None
            return measured
        except (Inexact, ClqcError) as reason:
            why = locations.hidden(str(reason), plan.path)
    measured = _measure_at(plan, [], [])
    measured.facts['one-piece'] = why
    return measured
