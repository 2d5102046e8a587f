# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks one input: measures it if needed, and judges it."""
import base64
import contextlib
import gzip
import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import Iterator, List, Optional, Protocol, Tuple

from clqc import __version__
from clqc.common import processes
from clqc.common.errors import ClqcError
from clqc.decoding import jobs
from clqc.inputs import discovery, locations
from clqc.inputs.discovery import Input
from clqc.judging.judge import judge, why_not
from clqc.judging.policy import Policy
from clqc.judging.rules import wording
from clqc.measuring import measurement
from clqc.reporting import report, thumbnails
from clqc.results import sound_levels
from clqc.results.result_files import (EVENTS, FRAMES, INTEGRITY, REPORT,
                                       VERDICT, Json, Reason, Results, Verdict)

# Errors of reading results that are missing, broken, or of another version.
_UNUSABLE = (ClqcError, OSError, ValueError, KeyError, TypeError)


@dataclass
class Options:
    """Options of a check."""
    out: str
    policy: Policy
    n_parts: Optional[int] = None  # 1, or a number that suits the farm
    n_jobs: int = 1
    makes_reports: bool = True
    farm: Optional['Farm'] = None  # measures the input
    run: processes.Run = processes.run_here  # for work in Python


class Farm(Protocol):
    """A farm: machines that check inputs instead of this process."""

    def check(self, item: Input, options: 'Options',
              on_progress: Optional[measurement.Progress]) -> Verdict:
        """Fills the folder of the results. Raises ClqcError and OSError."""

    def n_inputs(self) -> int:
        """Returns the useful maximum of inputs at a time."""

    def cancel(self) -> None:
        """Ends all tasks, in any thread."""


def folder_of(options: Options, item: Input) -> str:
    """Returns the folder for the results of an input."""
    return os.path.join(options.out, item.name)


def _is_same_file(item: Input, container: Json) -> bool:
    """Returns whether the file is unchanged. Size and time decide, as in make;
    with the same size and another time, the content decides. For a remote
    file, the server's answer decides."""
    now = locations.identity(item.path)
    if now['bytes'] != container.get('bytes'):
        return False
    if locations.is_certain(now) and all(
            value == container.get(key) for key, value in now.items()):
        return True
    content = discovery.digest(item.path)
    return content is not None and content == container.get('sha256')


def _is_whole(results: Results) -> bool:
    """Returns whether the stored results are complete. Raises the errors of
    reading."""
    results.events()
    results.read(INTEGRITY)
    sound_levels.read(results)
    return True


def _is_measured(item: Input, results: Results, policy: Policy) -> bool:
    """Returns whether the stored results belong to this file and allow this
    policy."""
    try:
        facts = results.facts()
        return (facts['measured']['clqc'] == __version__ and
                _is_same_file(item, facts['container']) and
                why_not(results, policy) is None and
                _is_whole(results))
    except _UNUSABLE:
        return False


def _refresh_events(results: Results, policy: Policy) -> None:
    """Detects events again if the policy has other thresholds."""
    stored = results.read(EVENTS)
    if stored['settings'] == policy.measure and (
            stored['audio'] == policy.audio and
            'card-file' not in policy.measure):  # which may have changed
        return
    with tempfile.TemporaryFile() as frames:
        with gzip.open(results.path(FRAMES), 'rb') as packed:
            shutil.copyfileobj(packed, frames, 1 << 20)
        frames.seek(0)
        measurement.write_events(results, policy, frames)


def _warnings(results: Results, facts: Json) -> Iterator[Tuple[str, str]]:
    """Yields warnings that apply under every policy, as the name of a rule and
    a sentence."""
    for what, sentence in (('sound', 'The sound could not be measured'),
                           ('qctools', 'The file for QCTools is missing')):
        if facts.get(what + '-error'):
            yield what, f'{sentence}: {facts[what + "-error"]}'
    whole = results.read(INTEGRITY)
    if whole['scan-error']:
        yield 'packets', ('The packets could not be read to the end: '
                          f'{whole["scan-error"]}')
    yield from _ends(whole)
    shift = whole['shift']
    if shift:
        yield 'times', (
            f'From {wording.time(shift["time"])} on, times differ from those '
            'in the packets, by up to '
            f'{wording.seconds(abs(shift["amount"]))}: the demuxer has '
            'changed them.')
    for one in whole['breaks']:
        yield 'joined', (
            f'At {wording.time(one["time"])} recordings were joined: '
            'timestamps in the packets jump from '
            f'{wording.time(one["before"])} to {wording.time(one["after"])}.')
    duration, table = facts['container'].get('short-header', (0, 0))
    if table:
        yield 'header', (f'The header of the video track says {duration:g} s, '
                         f'and its table {table:g} s; the table is used.')
    video = facts.get('video') or {}
    if video.get('measured-format'):
        yield 'format', (f'Frames of {video["format"]} were converted to '
                         f'{video["measured-format"]} to be measured.')
    if video.get('stream-depth'):
        yield 'format', (f'The stream has up to {video["stream-depth"]} bits; '
                         f'its decoder gives {video["depth"]}, which were '
                         'measured.')
    if video.get('added-alpha'):
        yield 'format', ('The decoder adds an alpha component (A), which the '
                         'stream does not have.')
    if video.get('sizes'):
        yield 'size', ('The size of the picture changes: '
                       + ', '.join(video['sizes']) + '.')
    if whole.get('programs', 0) > 1:
        yield 'tracks', (f'The stream has {whole["programs"]} programs; one '
                         'was measured.')
    if video.get('tracks', 1) > 1:
        yield 'tracks', (f'The file has {video["tracks"]} video tracks; the '
                         'first was measured.')
    yield from _colours(video)
    yield from _light(video, results.pooled())


def _ends(whole: Json) -> Iterator[Tuple[str, str]]:
    """Yields warnings if the recording begins or ends within a group of
    pictures."""
    parts = []
    if whole['leading-packets']:
        parts.append(f'{whole["leading-packets"]} gave no frame')
    if whole['leading-errors']:
        last = whole['leading-errors'][-1][0]
        parts.append(f'{len(whole["leading-errors"])} had errors up to '
                     f'{wording.time(last)}, which are not counted')
    if parts:
        yield 'start', ('The file begins within a group of pictures: of its '
                        f'first packets, {" and ".join(parts)}.')
    n_frames = whole['trailing-frames']
    if n_frames:
        yield 'end', ('The file ends within a group of pictures: of the '
                      'frames before its last one, '
                      + wording.count(n_frames, 'is', 'are') + ' missing.')


def _colours(video: Json) -> Iterator[Tuple[str, str]]:
    """Yields a warning for each colour property on which container and stream
    disagree."""
    measured = f'it was measured as {video.get("range")} range'
    for row in video.get('contradictions', []):
        name = '{} range' if row['what'] == 'range' else row['what'] + ' {}'
        sentence = (f'The container says {name.format(row["container"])}, the '
                    f'stream says {name.format(row["stream"])}')
        yield 'colour', sentence + (
            f'; {measured}.' if row['what'] == 'range' else '.')


def _light(video: Json, pooled: Json) -> Iterator[Tuple[str, str]]:
    """Yields a warning for each level of HDR10 that is measured above the one
    that the file names. Single pixels overshoot in every decoder."""
    for key, name, statistic in (('max-cll', 'MaxCLL', 'robust-max-cll'),
                                 ('max-fall', 'MaxFALL', 'max-fall')):
        named, found = video.get(key), pooled.get(statistic)
        if named and found and round(found) > named:
            yield 'light', (f'The file names {name} {named} cd/m2; '
                            f'{statistic} is {found:.0f} cd/m2.')


def decide(name: str, results: Results, policy: Policy) -> Verdict:
    """Judges the stored results and writes verdict.json. Raises ClqcError if
    the stored statistics do not allow this policy."""
    reason = why_not(results, policy)
    if reason:
        raise ClqcError(f'{name}: {reason}')
    _refresh_events(results, policy)
    verdict = judge(name, results, policy)
    facts = results.facts()
    verdict.reasons += [
        Reason('measure.' + what, 'warning', sentence)
        for what, sentence in _warnings(results, facts)]
    verdict.measured = {key: value for key, value in
                        facts['measured'].items() if key != 'settings'}
    results.remove(REPORT)  # the report belongs to another verdict
    results.write(VERDICT, verdict.to_json())
    return verdict


def _pictures(item: Input, results: Results, times: List[int],
              why_not: jobs.WhyNot) -> List[thumbnails.Thumbnail]:
    """Returns thumbnails for the report. A file that cannot be decoded again
    has none; at worst its decoding process crashes."""
    is_address = locations.is_address(item.path)
    if not times or not (is_address or os.path.isfile(item.path)):
        return []
    try:
        with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
            found = jobs.run(results.path(measurement.LOG), 'thumbnails',
                             care=jobs.Care.within(folder, why_not),
                             times=times, track=results.facts()[
                                 'video'].get('track'),
                             path=locations.reachable(item.path, folder))
    except ClqcError:
        return []
    return [thumbnails.Thumbnail(
        row['time'], base64.b64decode(row['jpeg']), row['width'],
        row['height'], {kind: base64.b64decode(jpeg)
                        for kind, jpeg in row['scopes'].items()})
            for row in found['pictures']]


def write_report(item: Input, results: Results, verdict: Verdict,
                 why_not: jobs.WhyNot = lambda _: None,
                 run: processes.Run = processes.run_here) -> None:
    """Writes report.html, with thumbnails of the places in the verdict.
    @why_not: why the decoding process must end, as in jobs.Care. @run: as in
    Options."""
    pictures = _pictures(item, results, thumbnails.choose(results, verdict),
                         why_not)
    run(report.write, results.path(REPORT), item.name, results, verdict,
        pictures)


def judge_again(name: str, results: Results, policy: Policy) -> Verdict:
    """Calls decide(), and rewrites an existing report. The report has no
    thumbnails if the measured file no longer exists."""
    had_report = results.has(REPORT)
    verdict = decide(name, results, policy)
    if had_report:
        path = results.facts()['container'].get('path', '')
        write_report(Input(path, name), results, verdict)
    return verdict


def _is_judged(results: Results, policy: Policy) -> bool:
    try:
        verdict = results.verdict()
    except _UNUSABLE:
        return False
    return (verdict.status != 'unmeasured' and
            verdict.policy_hash == policy.hash)


def unmeasured(item: Input, policy: Policy, why: str) -> Verdict:
    """Returns the verdict of an input that could not be measured."""
    return Verdict(item.name, 'unmeasured', policy.name, policy.hash,
                   [Reason('measure', 'error', why)])


def _prepare(item: Input, options: Options) -> Results:
    results = Results(folder_of(options, item))
    os.makedirs(results.folder, exist_ok=True)
    if locations.is_address(item.path):
        return results
    # These fail here with a clearer message than a decoder's.
    if os.path.isdir(item.path):
        os.listdir(item.path)
    if os.path.exists(item.path) and not os.path.isfile(item.path):
        raise ClqcError('not a file')
    if not discovery.is_utf8(item.path):
        raise ClqcError(discovery.NOT_UTF8)
    with open(item.path, 'rb'):
        pass
    if discovery.is_apple_double(item.path):
        raise ClqcError(discovery.APPLE_DOUBLE)
    return results


def _keep_unmeasured(results: Results, verdict: Verdict) -> None:
    """Stores the verdict. If writing fails, only the summary has it, and an
    older verdict is removed because it would contradict the summary."""
    with contextlib.suppress(OSError):
        results.remove(REPORT)
        try:
            results.write(VERDICT, verdict.to_json())
        except OSError:
            results.remove(VERDICT)


def check(item: Input, options: Options,
          on_progress: Optional[measurement.Progress] = None) -> Verdict:
    """Returns the verdict of an input. An input that cannot be measured also
    gets a verdict; the only exception raised is jobs.Cancelled."""
    policy = options.policy
    try:
        results = _prepare(item, options)
        if not _is_measured(item, results, policy):
            if options.farm:
                return options.farm.check(item, options, on_progress)
            measurement.measure(item, results, policy, options.n_parts or 1,
                                options.n_jobs, on_progress, options.run)
        elif _is_judged(results, policy) and (
                not options.makes_reports or
                results.has(REPORT)):
            return results.verdict()
        verdict = options.run(decide, item.name, results, policy)
        if options.makes_reports:
            write_report(item, results, verdict, run=options.run)
        return verdict
    except ClqcError as error:
        verdict = unmeasured(item, policy,
                             locations.hidden(str(error), item.path))
    except OSError as error:
        where = error.filename or folder_of(options, item)
        why = error.strerror or str(error)
        verdict = unmeasured(item, policy, why if where == item.path else
                             f'{where}: {why}')
    _keep_unmeasured(Results(folder_of(options, item)), verdict)
    return verdict
