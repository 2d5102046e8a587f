#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulates every task of every file of an archive on a farm, with the costs
that measure.py has measured.

usage: simulate.py [--hours N] [--workers N] [--part SECONDS] FIGURES

Prints a line for each number of workers: the total time, the share of it in
which the workers measure, and the load of each part of the farm."""
import argparse
import heapq
import itertools
import json
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Deque, Dict, List, Optional, Tuple

Figures = Dict[str, float]

WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PARTS = (30, 60, 120, 300, 600, 1800, 7200)

# As in clqc.farm.scheduling.
LEAST_INPUTS, MOST_INPUTS = 32, 512


@dataclass(frozen=True)
class Site:
    """The resources that all workers share."""
    storage: float = 1.25e9  # bytes a second
    link: float = 1.25e8     # bytes a second of results to the command
    key_seconds: float = 2.0


class Server:
    """A resource that serves one request after the other."""

    def __init__(self) -> None:
        self.free = 0.0
        self.busy = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Adds a request; returns the time at which it is complete."""
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        return self.free


@dataclass
class File:
    """A file that the farm measures."""
    seconds: float
    n_parts: int
    waits: int = 0  # number of tasks before its parts can be joined
    part: float = field(init=False)

    def __post_init__(self) -> None:
        self.part = self.seconds / self.n_parts


@dataclass
class Result:
    """Times of a run, in seconds."""
    makespan: float
    measuring: float  # sum over all workers, without the costs of parts
    busy: Dict[str, float]  # load of each resource, as a share of the time

    @property
    def bound(self) -> str:
        """Returns the name of the resource with the highest load."""
        return max(self.busy, key=lambda name: self.busy[name])


class Farm:
    """A simulated run of the farm."""

    def __init__(self, figures: Figures, site: Site, n_workers: int) -> None:
        self.figures = figures
        self.site = site
        self.n_workers = n_workers
        self.n_idle = n_workers
        self.scheduler, self.storage, self.link = Server(), Server(), Server()
        self.worked = 0.0
        self.now = 0.0
        self.ready: List[Tuple[int, int, str, File]] = []
        self.events: List[Tuple[float, int, str, File]] = []
        self.numbers = itertools.count()

    def send(self, task: str, file: File) -> None:
        """Sends a task to the scheduler, which gives it to an idle worker.
        Tasks that finish files precede all others."""
        at = self.scheduler.serve(self.now, self.figures['task'])
        heapq.heappush(self.events,
                       (at, next(self.numbers), 'ready ' + task, file))

    def cost(self, task: str, file: File) -> Tuple[float, float]:
        """Returns the seconds of a worker, and the bytes read from the
        storage."""
        one = self.figures
        rate = one['bytes-of-video']
        if task == 'container':
            return one['process'], 0
        if task == 'packets':
            return (one['process'] + one['second-keys'] * file.seconds,
                    rate * file.seconds)
        if task == 'levels':
            return (one['process'] + one['second-levels'] * file.seconds,
                    rate * file.seconds)
        if task == 'part':
            return (one['part'] + one['second-measured'] * file.part,
                    rate * (file.part + 2 * self.site.key_seconds))
        seams = file.n_parts - 1
        return (one['seam'] * seams + one['second-joined'] * file.seconds,
                rate * (file.seconds + seams * 2 * self.site.key_seconds))

    def begin(self) -> None:
        """Gives tasks to idle workers."""
        while self.n_idle and self.ready:
            _, _, task, file = heapq.heappop(self.ready)
            self.n_idle -= 1
            seconds, size = self.cost(task, file)
            read = self.storage.serve(self.now, size / self.site.storage)
            end = max(self.now + seconds, read)
            self.worked += end - self.now
            heapq.heappush(self.events,
                           (end, next(self.numbers), 'done ' + task, file))

    def done(self, task: str, file: File) -> bool:
        """Sends the tasks that follow this one. Returns whether the file is
        finished."""
        size = self.figures['bytes-of-results']
        if task == 'container':
            file.waits = 1 + file.n_parts  # the sound, and the parts
            self.send('packets', file)
            self.send('levels', file)
            return False
        if task == 'packets':
            for _ in range(file.n_parts):
                self.send('part', file)
            return False
        if task == 'finish':
            self.link.serve(self.now, size * file.seconds / self.site.link)
            return True
        if task == 'part':
            self.link.serve(self.now, size * file.part / self.site.link)
        file.waits -= 1
        if file.waits == 0:
            self.send('finish', file)
        return False

    def run(self, files: List[File]) -> Result:
        """Simulates all files, in their order."""
        left: Deque[File] = deque(files)
        n_at_once = max(LEAST_INPUTS, min(2 * self.n_workers, MOST_INPUTS))
        for _ in range(min(n_at_once, len(left))):
            self.send('container', left.popleft())
        while self.events:
            self.now, number, what, file = heapq.heappop(self.events)
            kind, task = what.split()
            if kind == 'ready':
                heapq.heappush(self.ready, (
                    0 if task == 'finish' else 1, number, task, file))
            else:
                self.n_idle += 1
                if self.done(task, file) and left:
                    self.send('container', left.popleft())
            self.begin()
        end = max(self.now, self.link.free)
        one = self.figures
        measuring = sum(file.seconds for file in files) * (
            one['second-measured'] + one['second-joined'] +
            one['second-levels'])
        return Result(end, measuring, {
            'workers': self.worked / (end * self.n_workers),
            'scheduler': self.scheduler.busy / end,
            'storage': self.storage.busy / end,
            'link': self.link.busy / end})


def archive(hours: float, seed: int = 1) -> List[float]:
    """Returns the lengths of the files of a typical archive, in seconds: a
    log-normal distribution with a median of half an hour, and at most ten
    hours."""
    numbers = random.Random(seed)
    lengths: List[float] = []
    left = hours * 3600
    while left > 0:
        length = min(numbers.lognormvariate(7.5, 0.9), 36000.0, left)
        lengths.append(max(length, 1.0))
        left -= length
    return lengths


def simulate(figures: Figures, lengths: List[float], n_workers: int,
             part: Optional[float] = None, n_parts: Optional[int] = None,
             site: Site = Site()) -> Result:
    """Simulates a farm. @part: seconds of a part (default 300); @n_parts:
    number of parts of each file instead."""
    files = [File(length, n_parts or max(1, -int(-length // (part or 300))))
             for length in lengths]
    return Farm(figures, site, n_workers).run(files)


def clock(seconds: float) -> str:
    """Returns a duration as text."""
    for size, unit in ((86400, 'days'), (3600, 'hours'), (60, 'minutes')):
        if seconds >= 2 * size:
            return f'{seconds / size:.1f} {unit}'
    return f'{seconds:.0f} seconds'


def row(count: int, one: Result) -> str:
    """Returns a line of the table."""
    share = one.measuring / (one.makespan * count)
    busy = ', '.join(f'{name} {100 * value:.0f} %'
                     for name, value in one.busy.items())
    return (f'{count:5} workers: {clock(one.makespan):>13}, '
            f'{100 * share:3.0f} % of it useful; busy: {busy}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--hours', type=float, default=10000)
    parser.add_argument('--workers', type=int)
    parser.add_argument('--part', type=float, default=300)
    parser.add_argument('figures')
    arguments = parser.parse_args()
    with open(arguments.figures, encoding='utf-8') as file:
        measured: Dict[str, Any] = json.load(file)
    lengths = archive(arguments.hours)
    print(f'{len(lengths)} files, {sum(lengths) / 3600:.0f} hours, the '
          f'longest {max(lengths) / 3600:.1f}')
    for count in [arguments.workers] if arguments.workers else WORKERS:
        print(row(count, simulate(measured['figures'], lengths, count,
                                  arguments.part)))


if __name__ == '__main__':
    main()
