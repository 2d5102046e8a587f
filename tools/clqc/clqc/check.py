# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks one input: measures it where that is needed, and judges."""
import base64
import gzip
import json
import os
import pathlib
import shutil
import tempfile
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, List, Optional

from . import (__version__, inputs, jobs, qctools, replay, report, silence,
               thumbnails, video)
from .errors import ClqcError
from .inputs import Input
from .judge import judge, why_not
from .policy import Policy
from .results import (EVENTS, FACTS, FRAMES, POOLED, VERDICT, Event, Json,
                      Reason, Results, Verdict)

# Nanoseconds measured, and those of the file, if they are known.
Progress = Callable[[int, Optional[int]], None]

LEVELS = 'levels.json'
LOG = 'clqc.log'
REPORT = 'report.html'

# Level of gzip: the lines are mostly digits, and four times as much time gains
# a tenth of the size.
_LEVEL = 2


@dataclass
class Options:
    """How inputs are checked."""
    out: str
    policy: Policy
    n_parts: int = 1
    n_jobs: int = 1
    makes_reports: bool = True


def folder_of(options: Options, item: Input) -> str:
    """Where the results of an input lie."""
    return os.path.join(options.out, item.name)


def _identity(path: str) -> Dict[str, int]:
    status = os.stat(path)
    return {'bytes': status.st_size, 'modified': status.st_mtime_ns}


def _is_same_file(item: Input, container: Json) -> bool:
    """A file of the same size and time is taken for the same, as make does;
    of the same size and another time its content decides."""
    now = _identity(item.path)
    if now['bytes'] != container.get('bytes'):
        return False
    return (now['modified'] == container.get('modified') or
            inputs.digest(item.path) == container.get('sha256'))


def _is_measured(item: Input, results: Results, policy: Policy) -> bool:
    """Whether what is kept is of this file and allows this policy."""
    try:
        facts = results.facts()
        return (facts['measured']['clqc'] == __version__ and
                _is_same_file(item, facts['container']) and
                why_not(results, policy) is None)
    except (ClqcError, OSError, ValueError, KeyError, TypeError):
        return False


def _pack(source: str, target: str) -> None:
    """The same bytes for the same lines: no name, no time."""
    with open(source, 'rb') as plain, open(target, 'wb') as file:
        with gzip.GzipFile('', 'wb', _LEVEL, file, mtime=0) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)


def _write_events(results: Results, policy: Policy, frames: Any) -> None:
    """events.json and pooled.json, by the settings of the policy."""
    events, pooled = replay.replay(frames, policy.measure)
    try:
        levels = results.read(LEVELS)['levels']
    except OSError:
        levels = []
    found: List[Event] = silence.find(
        levels, policy.audio['silence-level'],
        int(policy.audio['silence-duration']))
    events = sorted(events + found, key=lambda event: event.start)
    results.write(EVENTS, {'settings': policy.measure, 'audio': policy.audio,
                           'events': [asdict(event) for event in events]})
    results.write(POOLED, pooled)


def _of_measuring(policy: Policy) -> Dict[str, str]:
    """The properties that decide what is in the lines; events follow from
    these afterwards."""
    return {name: value for name, value in policy.measure.items()
            if name == 'freeze-noise' or name.startswith('grid-') or
            name == 'region-histograms'}


def _measure_sound(item: Input, facts: Json, results: Results) -> None:
    if facts['audio']:
        results.write(LEVELS, jobs.run(results.path(LOG), 'levels',
                                       path=item.path))


def _of_first_frame(path: str) -> Json:
    with open(path, encoding='utf-8') as file:
        frame = json.loads(file.readline())
    return {'depth': frame['depth'],
            'range': 'full' if frame.get('full-range') else 'limited'}


def _measure(item: Input, options: Options, results: Results,
             on_progress: Optional[Progress]) -> None:
    log = results.path(LOG)
    identity = _identity(item.path)
    facts = jobs.run(log, 'container', path=item.path)

    def on_tick(position: int) -> None:
        if on_progress:
            on_progress(position, facts['container']['duration'])

    with tempfile.TemporaryDirectory(dir=results.folder) as work:
        measured = video.measure(video.Plan(
            item.path, work, log, _of_measuring(options.policy),
            options.n_parts, options.n_jobs, on_tick))
        if measured.n_frames == 0:
            raise ClqcError('no frame of it can be decoded')
        _measure_sound(item, facts, results)
        facts['container'].update(identity)
        facts['container']['path'] = os.path.abspath(item.path)
        facts['container']['sha256'] = inputs.digest(item.path)
        facts['video'].update(measured.facts.pop('video'))
        facts['video'].update(_of_first_frame(measured.path))
        facts['measured'] = {**measured.facts, 'frames': measured.n_frames,
                             'clqc': __version__,
                             'settings': options.policy.measure}
        with open(measured.path, 'rb') as frames:
            _write_events(results, options.policy, frames)
        _pack(measured.path, results.path(FRAMES))
    qctools.write(results.path(qctools.file_name(item.name)), item.path,
                  results.frames(), facts)
    results.write(FACTS, facts)


def _refresh_events(results: Results, policy: Policy) -> None:
    """Where the policy has other thresholds than the events were found by."""
    kept = results.read(EVENTS)
    if kept['settings'] == policy.measure and kept['audio'] == policy.audio:
        return
    with tempfile.TemporaryFile() as frames:
        with gzip.open(results.path(FRAMES), 'rb') as packed:
            shutil.copyfileobj(packed, frames, 1 << 20)
        frames.seek(0)
        _write_events(results, policy, frames)


def decide(name: str, results: Results, policy: Policy) -> Verdict:
    """Judges what is kept, and writes verdict.json. Raises ClqcError where
    the kept figures do not allow this policy."""
    reason = why_not(results, policy)
    if reason:
        raise ClqcError(f'{name}: {reason}')
    _refresh_events(results, policy)
    verdict = judge(name, results, policy)
    verdict.measured = {key: value for key, value in
                        results.facts()['measured'].items()
                        if key != 'settings'}
    results.write(VERDICT, verdict.to_json())
    return verdict


def _pictures(item: Input, results: Results,
              times: List[int]) -> List[thumbnails.Thumbnail]:
    """Those that can be shown: a file that cannot be decoded again has none,
    and takes down a process of its own at worst."""
    if not times or not os.path.isfile(item.path):
        return []
    try:
        found = jobs.run(results.path(LOG), 'thumbnails', times=times,
                         uri=pathlib.Path(item.path).absolute().as_uri())
    except ClqcError:
        return []
    return [thumbnails.Thumbnail(row['time'], base64.b64decode(row['jpeg']),
                                 row['width'], row['height'])
            for row in found['pictures']]


def write_report(item: Input, results: Results, verdict: Verdict) -> None:
    """report.html, with pictures of the places that count."""
    pictures = _pictures(item, results, thumbnails.choose(results, verdict))
    report.write(results.path(REPORT), item.name, results, verdict, pictures)


def refresh_report(name: str, results: Results, verdict: Verdict) -> None:
    """Writes the report anew if there is one. It has no pictures if the file
    that was measured is no longer there."""
    if os.path.exists(results.path(REPORT)):
        path = results.facts()['container'].get('path', '')
        write_report(Input(path, name), results, verdict)


def _is_judged(results: Results, policy: Policy) -> bool:
    try:
        verdict = results.verdict()
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return (verdict.status != 'unmeasured' and
            verdict.policy_hash == policy.hash)


def unmeasured(item: Input, policy: Policy, why: str) -> Verdict:
    """The verdict of an input that could not be measured."""
    return Verdict(item.name, 'unmeasured', policy.name, policy.hash,
                   [Reason('measure', 'error', why)])


def _prepare(item: Input, options: Options) -> Results:
    results = Results(folder_of(options, item))
    os.makedirs(results.folder, exist_ok=True)
    with open(item.path, 'rb'):  # says at once what no decoder would
        pass
    return results


def check(item: Input, options: Options,
          on_progress: Optional[Progress] = None) -> Verdict:
    """What the policy says to an input. One that cannot be measured gets a
    verdict, too, and never an exception but jobs.Cancelled."""
    policy = options.policy
    try:
        results = _prepare(item, options)
        if not _is_measured(item, results, policy):
            _measure(item, options, results, on_progress)
        elif _is_judged(results, policy) and (
                not options.makes_reports or
                os.path.exists(results.path(REPORT))):
            return results.verdict()
        verdict = decide(item.name, results, policy)
        if options.makes_reports:
            write_report(item, results, verdict)
        return verdict
    except ClqcError as error:
        verdict = unmeasured(item, policy, str(error))
    except OSError as error:
        where = error.filename if error.filename else item.path
        verdict = unmeasured(item, policy, f'{where}: {error.strerror}')
    try:
        Results(folder_of(options, item)).write(VERDICT, verdict.to_json())
    except OSError:
        pass  # the summary tells
    return verdict
