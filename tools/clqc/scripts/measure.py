#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the cost of a farm for each task, part and file. simulate.py uses
these costs.

usage: measure.py [--seconds N] [--size WxH] [--rounds N] [--video FILE]
                  [--processor] OUT

OUT is a JSON file with named costs. Each worker uses one core. The
environment must be that of build/clqc. A cost is the best of all rounds,
because other work on the machine increases it; each round waits for an idle
machine, for half a minute at most. With --processor, the costs of one core
are processor time instead of real time, for machines that are never idle;
the runs with several workers are then omitted."""
import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import asdict
from typing import Any, Callable, Dict, Iterator, List, Tuple

from clqc.checking import check
from clqc.decoding import file_parts, gst, jobs
from clqc.farm import cluster
from clqc.farm.input_check import CheckingFarm
from clqc.farm.pending_tasks import Pending
from clqc.inputs import locations
from clqc.inputs.discovery import Input
from clqc.judging import policy
from clqc.measuring import measurement, video
from clqc.results.result_files import FACTS, Results

KEY_SECONDS = 2  # between key frames
CUTS = (1, 2, 4, 8)  # numbers of parts, from which the cost of one follows
N_FILES = 4  # in the runs with one and with two workers


def make(path: str, seconds: int, size: str) -> None:
    """Creates a video with sound, whose picture changes."""
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
         f'testsrc2=s={size}:r=25:d={seconds},noise=alls=8:allf=t',
         '-f', 'lavfi', '-i', f'sine=d={seconds}', '-c:v', 'libx264',
         '-preset', 'veryfast', '-g', str(25 * KEY_SECONDS), '-bf', '2',
         '-pix_fmt', 'yuv420p', '-shortest', path], check=True)


def processor() -> float:
    """Returns the processor time of this process and its finished child
    processes, in seconds."""
    return sum(one.ru_utime + one.ru_stime for one in map(
        resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def timed(function: Callable[[], Any], clock: Callable[[], float] = (
        time.monotonic)) -> Tuple[float, Any]:
    start = clock()
    result = function()
    return clock() - start, result


def wait_for_quiet() -> None:
    """Waits until the cores are idle, for half a minute at most."""
    def idle() -> Tuple[float, float]:
        with open('/proc/stat', encoding='ascii') as file:
            times = [int(word) for word in file.readline().split()[1:]]
        return float(times[3] + times[4]), float(sum(times))
    for _ in range(30):
        before, start = idle()
        time.sleep(1)
        after, end = idle()
        if after - before > 0.95 * (end - start):
            break


def line(points: List[Tuple[float, float]]) -> Tuple[float, float]:
    """Fits a straight line to points by least squares. Returns its value at 0
    and its slope."""
    count = len(points)
    x_mean = sum(x for x, _ in points) / count
    y_mean = sum(y for _, y in points) / count
    rise = (sum((x - x_mean) * (y - y_mean) for x, y in points) /
            sum((x - x_mean) ** 2 for x, _ in points))
    return y_mean - rise * x_mean, rise


class OneCore:
    """Runs the tasks of a worker with one core."""

    def __init__(self, path: str, folder: str,
                 clock: Callable[[], float]) -> None:
        self.clock = clock
        self.path = path
        self.folder = folder
        self.policy = policy.load('default')
        self.settings = measurement.settings_of(self.policy)
        self.log = os.path.join(folder, 'log')

    def run(self, task: str, **request: Any) -> Tuple[float, Any]:
        return timed(lambda: jobs.run(self.log, task, **request), self.clock)

    def plan(self) -> video.Plan:
        return video.Plan(self.path, self.folder, self.log, self.settings)

    def parts(self, keys: List[int], count: int) -> Dict[str, float]:
        """Returns the seconds of all parts, and of joining them."""
        times = file_parts.choose_cuts(keys, count)
        parts = video.parts_of(self.plan(), keys, times)
        taken, facts = 0.0, []
        for part in parts:
            seconds, fact = self.run('measure', **asdict(part))
            taken += seconds
            facts.append(fact)
        seconds, measured = timed(
            lambda: video.join(self.plan(), keys, parts, facts), self.clock)
        self.measured = measured
        return {'parts': taken, 'join': seconds}

    def end(self, facts: Any, sound: Any, scan: Any) -> Tuple[float, int]:
        """Returns the seconds of the steps after the lines of frames, and the
        bytes of the results."""
        results = Results(os.path.join(self.folder, 'results'))
        shutil.rmtree(results.folder, ignore_errors=True)
        os.mkdir(results.folder)
        item = Input(self.path, 'clip.mp4')
        facts['container'].update(locations.identity(self.path))

        def finish() -> None:
            measurement.keep(item, results, self.policy, facts, self.measured,
                             sound, scan)
            results.write(FACTS, facts)
            verdict = check.decide('clip.mp4', results, self.policy)
            check.write_report(item, results, verdict)
        seconds, _ = timed(finish, self.clock)
        return seconds, sum(entry.stat().st_size
                            for entry in os.scandir(results.folder))


def one_round(path: str, seconds: float, folder: str,
              clock: Callable[[], float]) -> Dict[str, float]:
    """Returns all costs of one core, in seconds."""
    core = OneCore(path, folder, clock)
    start, facts = core.run('container', path=path)
    keys_seconds, scan = core.run('packets', path=path)
    levels_seconds, sound = core.run('levels', path=path)
    by_count = {count: core.parts(scan['keys'], count) for count in CUTS}
    a_part, _ = line([(count, by_count[count]['parts']) for count in CUTS])
    per_part = line([(n, by_count[n]['parts']) for n in CUTS])[1]
    join, seam = line([(n - 1, by_count[n]['join']) for n in CUTS])
    end, size = core.end(facts, sound, scan)
    return {
        'process': start,
        'part': per_part,
        'second-measured': a_part / seconds,
        'second-keys': max(keys_seconds - start, 0) / seconds,
        'second-levels': max(levels_seconds - start, 0) / seconds,
        'seam': seam,
        'second-joined': (join + end) / seconds,
        'bytes-of-results': size / seconds}


@contextlib.contextmanager
def farm_of(n_workers: int, folder: str) -> Iterator[CheckingFarm]:
    """Starts workers on this machine, each with its own core."""
    cores = sorted(os.sched_getaffinity(0))[:n_workers]
    cluster.configure()
    found = cluster.Description('', '', 'local', {
        'workers': n_workers, 'cores': cores, 'threads': 1})
    with cluster.started(found, print) as started:
        farm = CheckingFarm(lambda: cluster.connect(started), print, None,
                            60.0, 60.0)
        try:
            yield farm
        finally:
            farm.close()


def nothing() -> str:
    """A task that does nothing."""
    return 'done'


def scheduling(folder: str) -> float:
    """Returns the seconds of a task that does nothing, when many are sent at
    the same time."""
    count = 2000
    with farm_of(1, folder) as farm:
        def all_of_them() -> None:
            sent = [farm.submit(Pending('nothing', lambda: (nothing,)))
                    for _ in range(count)]
            for one in sent:
                one.result()
        all_of_them()
        return timed(all_of_them)[0] / count


def of_farm(path: str, n_workers: int, n_parts: int, folder: str) -> float:
    """Returns the seconds of N_FILES files with @n_workers workers."""
    out = os.path.join(folder, 'out')
    with farm_of(n_workers, folder) as farm:
        options = check.Options(out, policy.load('default'), n_parts,
                                farm=farm)

        def all_of_them() -> None:
            shutil.rmtree(out, ignore_errors=True)
            from concurrent.futures import ThreadPoolExecutor
            with ThreadPoolExecutor(N_FILES) as pool:
                verdicts = list(pool.map(lambda i: check.check(
                    Input(path, f'{i}.mp4'), options), range(N_FILES)))
            assert all(one.status != 'unmeasured' for one in verdicts)
        return timed(all_of_them)[0]


def best(rounds: List[Dict[str, float]]) -> Dict[str, float]:
    return {key: min(one[key] for one in rounds) for key in rounds[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=int, default=120)
    parser.add_argument('--size', default='640x360')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--video', help='default: a generated video')
    parser.add_argument('--processor', action='store_true',
                        help='measure processor time, with one core only')
    parser.add_argument('out')
    arguments = parser.parse_args()
    gst.init()
    n_parts = 4
    with tempfile.TemporaryDirectory(prefix='clqc-scale-') as folder:
        path = arguments.video or os.path.join(folder, 'clip.mp4')
        if not arguments.video:
            make(path, arguments.seconds, arguments.size)
        log = os.path.join(folder, 'log')
        facts = jobs.run(log, 'container', path=path)
        seconds = facts['container']['duration'] / 1e9
        everything = os.sched_getaffinity(0)
        counts = () if arguments.processor else (1, 2)
        clock = processor if arguments.processor else time.monotonic
        rounds: List[Dict[str, float]] = []
        runs: Dict[str, List[float]] = {str(count): [] for count in counts}
        for _ in range(arguments.rounds):
            os.sched_setaffinity(0, {min(everything)})
            os.environ['POCL_MAX_PTHREAD_COUNT'] = '1'
            if not arguments.processor:
                wait_for_quiet()
            rounds.append(one_round(path, seconds, folder, clock))
            os.sched_setaffinity(0, everything)
            for count in counts:
                wait_for_quiet()
                runs[str(count)].append(of_farm(path, count, n_parts, folder))
        figures = {**best(rounds),
                   'bytes-of-video': os.path.getsize(path) / seconds}
        content = {
            'machine': platform.processor() or platform.machine(),
            'cores': len(everything), 'load': os.getloadavg()[0],
            'clock': 'processor' if arguments.processor else 'wall',
            'video': {'seconds': seconds, 'key-seconds': KEY_SECONDS,
                      **facts['video']},
            'figures': figures}
        if counts:
            figures['task'] = scheduling(folder)
            content['runs'] = {'files': N_FILES, 'parts': n_parts,
                               'seconds': runs}
    with open(arguments.out, 'w', encoding='utf-8') as file:
        json.dump(content, file, indent=1)
        file.write('\n')
    print(json.dumps(figures, indent=1))
    print(json.dumps(runs))


if __name__ == '__main__':
    main()
