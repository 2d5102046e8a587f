# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures one input and stores the results: picture, sound, facts."""
import errno
import gzip
import json
import os
import shutil
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Callable, Dict, Optional, Union

from clqc import __version__
from clqc.common import files, processes
from clqc.common.errors import ClqcError, MachineError
from clqc.containers import avi, readers, short_tracks
from clqc.decoding import jobs
from clqc.inputs import discovery, locations
from clqc.inputs.discovery import Input
from clqc.integrity import findings
from clqc.judging.policy import Policy
from clqc.judging.rules.detectors import LEAST
from clqc.measuring import replay, video
from clqc.reporting import qctools
from clqc.results import frame_lines, sound_levels
from clqc.results.fields import STATISTICS
from clqc.results.result_files import (EVENTS, FACTS, FRAMES, INTEGRITY,
                                       LEVELS, POOLED, Json, Results)

# Result of sound.levels(), the reason of its failure, or None if there is no
# sound.
Sound = Union[Json, str, None]

# Receives the measured nanoseconds, and the duration of the file, if known.
Progress = Callable[[int, Optional[int]], None]

LOG = 'clqc.log'
_WORK = 'work'  # temporary folder

# gzip level: the lines are mostly digits, and a higher level takes four times
# as long for a tenth of the size.
_LEVEL = 2


def pack(source: str, target: str) -> None:
    """Compresses lines reproducibly: without a name or a time in the header.
    """
    with open(source, 'rb') as lines, files.replacing(target, 'wb') as file:
        with gzip.GzipFile('', 'wb', _LEVEL, file, mtime=0) as packed:
            shutil.copyfileobj(lines, packed, 1 << 20)


def write_events(results: Results, policy: Policy, frames: Any) -> None:
    """Writes events.json and pooled.json with the settings of the policy."""
    whole = results.read(INTEGRITY)
    events, pooled = replay.replay(frames, policy.measure)
    least = {kind: int(policy.measure[name]) for kind, name in LEAST.items()
             if name in policy.measure}
    events = findings.outside_gaps(events, whole, least)
    events += findings.events(whole)
    events += sound_levels.find_silence(
        sound_levels.rows(sound_levels.read(results)),
        policy.audio['silence-level'],
        int(policy.audio['silence-duration']), pooled.get('end-stream-time'))
    events.sort(key=lambda event: event.start)
    of_zones = [event for event in events if event.zone is not None]
    results.write(EVENTS, {
        'settings': policy.measure, 'audio': policy.audio,
        'events': [asdict(event) for event in events if event.zone is None],
        'zone-events': [asdict(event) for event in of_zones]})
    results.write(POOLED, pooled)


def settings_of(policy: Policy) -> Dict[str, str]:
    """Returns the properties that determine the lines; events are detected
    from the lines afterwards."""
    settings = {name: value for name, value in policy.measure.items()
                if name in ('flash-area', 'freeze-noise', 'region-histograms',
                            'significant-bits')
                or name.startswith('grid-')}
    if 'zone-events' in policy.measure:
        settings['zone-events'] = 'true'
    more = policy.statistics() - {*STATISTICS, ''}
    if more:
        settings['statistics'] = '+'.join((*STATISTICS, *sorted(more)))
    return settings


def _keep_sound(sound: Sound, facts: Json, results: Results) -> None:
    """Stores the sound's levels. A sound that cannot be decoded does not
    affect the picture."""
    results.remove(LEVELS)
    if isinstance(sound, str):
        facts['sound-error'] = sound
    elif sound is not None:
        sound_levels.write(results, sound['levels'])


def _of_first_frame(path: str) -> Json:
    with open(path, encoding='utf-8') as file:
        frame = json.loads(file.readline())
    return {'depth': frame['depth'],
            'range': 'full' if frame.get('full-range') else 'limited'}


def shown_path(path: str) -> str:
    """Returns the path or the address for results."""
    return (locations.shown(path) if locations.is_address(path)
            else os.path.abspath(path))


def _write_qctools(item: Input, results: Results, facts: Json) -> None:
    """Writes the file for QCTools, whose required name may be longer than file
    names can be."""
    try:
        qctools.write(results.path(qctools.file_name(item.name)),
                      shown_path(item.path), results.frames(), facts)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        facts['qctools-error'] = 'the name of the video is too long'


def _name_rates(video: Json, whole: Json) -> None:
    """Completes the rates. A container whose packets are fields may name the
    rate of these: the nominal rate becomes that of frames."""
    video['rate-mode'] = whole['rate-mode']
    duration = whole['frame-duration']
    if whole['rate-mode'] == 'constant':
        video['measured-rate'] = [10 ** 9, duration]
    rate = video.get('rate')
    if video.pop('may-have-fields', False) and rate and abs(
            rate[0] * duration - 2e9 * rate[1]) < 1e8 * rate[1]:
        of_frames = Fraction(rate[0], 2 * rate[1])
        video['rate'] = [of_frames.numerator, of_frames.denominator]


def keep(item: Input, results: Results, policy: Policy, facts: Json,
         measured: video.Measured, sound: Sound, scan: Json) -> Json:
    """Fills the folder of @results with the measurements. Returns the complete
    facts; @facts have the identity of the file. The caller writes facts.json,
    which marks the results as complete. @scan: result of the task `packets`.
    """
    if measured.n_frames == 0:
        raise ClqcError('no frame can be decoded'
                        + readers.damage(scan['structure']))
    _keep_sound(sound, facts, results)
    facts['container']['path'] = shown_path(item.path)
    facts['container']['sha256'] = discovery.digest(item.path)
    for short in short_tracks.short_tracks(item.path)[:1]:
        if short.duration < short.table:
            facts['container']['short-header'] = [
                ticks / short.timescale
                for ticks in (short.duration, short.table)]
    facts['video'].update(_of_first_frame(measured.path))
    facts['video'].update(measured.facts.pop('video'))
    heard = sound if isinstance(sound, dict) else {
        'errors': [], 'levels': sound_levels.none()}
    errors = measured.facts.pop('errors') + scan.get('slices', [])
    stays = measured.facts.pop('repeats')
    dropped = avi.dropped_frames(item.path)
    facts['measured'] = {**measured.facts, 'frames': measured.n_frames,
                         'clqc': __version__, 'settings': policy.measure}
    with open(measured.path, encoding='utf-8') as text:
        whole = findings.collect(
            scan, frame_lines.parse_all(text), facts, errors + heard['errors'],
            stays, sound_levels.span(heard['levels']), dropped)
    results.write(INTEGRITY, whole)
    facts['measured'].update({
        'decode-errors': len(whole['errors']),
        'missing-frames': sum(gap['frames'] for gap in whole['gaps']),
        'dropped-frames': len(dropped)})
    facts['tracks'] = whole['tracks']
    _name_rates(facts['video'], whole)
    with open(measured.path, 'rb') as frames:
        write_events(results, policy, frames)
    pack(measured.path, results.path(FRAMES))
    _write_qctools(item, results, facts)
    return facts


def check_unchanged(item: Input, identity: Json) -> None:
    """Raises ClqcError if the content has changed since its identity was
    determined before the measurement."""
    if locations.identity(item.path) != identity:
        raise ClqcError('it has changed while it was measured; run clqc again '
                        'when no program writes to it')


def measure(item: Input, results: Results, policy: Policy, n_parts: int,
            n_jobs: int, on_progress: Optional[Progress],
            run: processes.Run = processes.run_here) -> None:
    """Measures and fills the folder of @results, which is complete when
    facts.json exists. @run calls what works on the measurements. Raises
    ClqcError if the file cannot be measured."""
    log = results.path(LOG)
    work = results.path(_WORK)
    results.remove(FACTS)
    shutil.rmtree(work, ignore_errors=True)  # of a run that was killed
    with open(log, 'a', encoding='utf-8'):
        pass  # fails at once if the folder is not writable
    os.mkdir(work)
    path = item.path
    identity: Json = {}
    try:
        identity = locations.identity(path)
        path = locations.reachable(item.path, work)
        care = jobs.Care.within(work)
        survey = jobs.run(log, 'survey', care=care, path=path)
        facts, scan = survey['facts'], survey['scan']

        def on_tick(position: int) -> None:
            if on_progress:
                on_progress(position, facts['container']['duration'])

        track = facts['video'].get('track')
        try:
            measured = video.measure(video.Plan(
                path, work, log, settings_of(policy), scan['keys'],
                policy.most_parts(n_parts), n_jobs, on_tick, track=track,
                range=facts['video'].get('range')))
        except MachineError:
            raise
        except ClqcError as error:
            raise ClqcError(str(error) + readers.damage(scan['structure'])
                            ) from error
        if facts['audio'] and measured.n_frames > 0:
            try:
                sound: Sound = jobs.run(log, 'levels', care=care, path=path)
            except ClqcError as error:
                sound = locations.hidden(str(error), path)
        else:
            sound = None
        facts['container'].update(identity)
        facts = run(keep, item, results, policy, facts, measured, sound, scan)
        check_unchanged(item, identity)
        results.write(FACTS, facts)
    except ClqcError as error:
        if identity and not locations.is_address(item.path):
            # a missing plugin would be the reason
            check_unchanged(item, identity)
        raise ClqcError(locations.hidden(str(error), path)) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
