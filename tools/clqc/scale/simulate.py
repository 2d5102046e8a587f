#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a farm takes for an archive, by figures that measure.py has
measured: every task of every file is gone through, and nothing runs.

usage: simulate.py [--hours N] [--workers N] [--part SECONDS] FIGURES

Tells for a number of workers, or for many, how long it takes, how much of the
time the workers measure, and what else is busy."""
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

# As clqc.farm.connection has them.
LEAST_INPUTS, MOST_INPUTS = 32, 512


@dataclass(frozen=True)
class Site:
    """What is shared by all workers."""
    storage: float = 1.25e9  # bytes a second
    link: float = 1.25e8     # of results to where the command runs
    key_seconds: float = 2.0


class Server:
    """Does one thing after the other."""

    def __init__(self) -> None:
        self.free = 0.0
        self.busy = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Returns when it is done."""
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        return self.free


@dataclass
class File:
    """One on its way through the farm."""
    seconds: float
    n_parts: int
    waits: int = 0  # tasks until it can be joined
    part: float = field(init=False)

    def __post_init__(self) -> None:
        self.part = self.seconds / self.n_parts


@dataclass
class Result:
    """Times are seconds."""
    makespan: float
    measuring: float  # of all workers together, without what parts cost
    busy: Dict[str, float]  # shares of the time

    @property
    def bound(self) -> str:
        """What is busy most."""
        return max(self.busy, key=lambda name: self.busy[name])


class Farm:
    """One run."""

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
        """The scheduler gives it to a worker when one is idle; the ends of
        files come first."""
        at = self.scheduler.serve(self.now, self.figures['task'])
        heapq.heappush(self.events,
                       (at, next(self.numbers), 'ready ' + task, file))

    def cost(self, task: str, file: File) -> Tuple[float, float]:
        """Seconds of a worker, and bytes of the storage."""
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
        """What follows; whether the file is finished."""
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
        """All files, in their order."""
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
    """Seconds of files, of half an hour as a rule and of ten at most, those
    that an archive has: most are short, and few are long."""
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
    """Parts are of so many seconds, or so many a file."""
    files = [File(length, n_parts or max(1, -int(-length // (part or 300))))
             for length in lengths]
    return Farm(figures, site, n_workers).run(files)


def clock(seconds: float) -> str:
    """For people."""
    for size, unit in ((86400, 'days'), (3600, 'hours'), (60, 'minutes')):
        if seconds >= 2 * size:
            return f'{seconds / size:.1f} {unit}'
    return f'{seconds:.0f} seconds'


def row(count: int, one: Result) -> str:
    """A line of the table."""
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
        said: Dict[str, Any] = json.load(file)
    lengths = archive(arguments.hours)
    print(f'{len(lengths)} files, {sum(lengths) / 3600:.0f} hours, the '
          f'longest {max(lengths) / 3600:.1f}')
    for count in [arguments.workers] if arguments.workers else WORKERS:
        print(row(count, simulate(said['figures'], lengths, count,
                                  arguments.part)))


if __name__ == '__main__':
    main()
