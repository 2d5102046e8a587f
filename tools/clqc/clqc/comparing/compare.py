# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc compare: compares encodings with their reference."""
import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from clqc import __version__
from clqc.checking.progress import Reporter
from clqc.common import files, printable
from clqc.common.errors import ClqcError, MachineError
from clqc.decoding import jobs
from clqc.decoding.compared_files import Comparison, Pictures, Source
from clqc.inputs import discovery, locations
from clqc.judging import comparison as judging
from clqc.measuring.measurement import LOG, pack, shown_path
from clqc.reporting import assets, comparison, vmaf
from clqc.results import compared
from clqc.results.compared import METRICS, Compared
from clqc.results.result_files import REPORT, Json, Results

LINES = 'compare.jsonl.gz'
RESULT = 'compare.json'

# Fields of a pooled line that say nothing about the file.
_OF_LINES = ('type', 'schema', 'span', 'pad', 'element', 'timestamp',
             'stream-time', 'running-time', 'duration', 'frame')

# How errors name files: pads of clcompare.
_PAD = re.compile(r'\bsink_(\d+)\b')

# Options that do what the element asks for, by its words.
_OPTIONS = {'Put "videoscale ': '--scale', 'Put "videoconvert ': '--convert',
            'other-rates=true': '--other-rates',
            'leave xpsnr out': '--metrics psnr+ssim'}


@dataclass
class Options:
    """Options of a comparison."""
    reference: str
    paths: List[str]
    out: Optional[str] = None
    metrics: str = 'psnr+ssim+xpsnr'
    pair: str = 'time'
    finds_shifts: bool = True
    accepts_other_rates: bool = False
    scales: bool = False
    converts: bool = False
    limits: Dict[str, float] = field(default_factory=dict)
    json: Optional[str] = None  # `-`: standard output
    vmaf: Optional[str] = None
    makes_report: bool = True
    is_quiet: bool = False

    @staticmethod
    def of(arguments: argparse.Namespace) -> 'Options':
        """Returns the options of the parsed arguments."""
        limits = {name: value for name in judging.LIMITS if (
            value := getattr(arguments, name.replace('-', '_'))) is not None}
        return Options(
            arguments.reference, arguments.paths, arguments.out,
            arguments.metrics, arguments.pair, not arguments.keep_times,
            arguments.other_rates, arguments.scale, arguments.convert, limits,
            arguments.json, arguments.vmaf, not arguments.no_report,
            arguments.quiet)


def _names(paths: Sequence[str]) -> List[str]:
    """Returns short names, each different from the others."""
    short = [locations.name(path) if locations.is_address(path)
             else os.path.basename(os.path.abspath(path)) for path in paths]
    return [name if short.count(name) == 1 else locations.shown(path)
            for name, path in zip(short, paths)]


def _like(error: Exception, text: str) -> ClqcError:
    """Returns an error of the same kind with another text."""
    return (MachineError if isinstance(error, (MachineError, OSError))
            else ClqcError)(text)


@dataclass
class _Input:
    """A file, and what its container says."""
    path: str
    name: str
    source: Source
    facts: Json
    bytes: Optional[int]


def _prepare(path: str, name: str, work: str, log: str) -> _Input:
    """Raises ClqcError if it is no file with a video."""
    try:
        if not locations.is_address(path):
            if not discovery.is_utf8(path):
                raise ClqcError(discovery.NOT_UTF8)
            if not os.path.isfile(path):
                raise ClqcError('not a file' if os.path.exists(path)
                                else 'no such file')
        size = locations.identity(path)['bytes']
        folder = tempfile.mkdtemp(dir=work)
        reached = locations.reachable(path, folder)
        facts = jobs.run(log, 'container', care=jobs.Care.within(work),
                         path=reached)
    except (ClqcError, OSError) as error:
        why = (error.strerror or str(error)) if isinstance(
            error, OSError) else str(error)
        raise _like(error, locations.hidden(
            f'{locations.shown(path)}: {why}', path)) from error
    video = facts['video']
    return _Input(path, name, Source(reached, video.get('track'),
                                     video.get('range')), facts, size)


def _settings(options: Options) -> Dict[str, str]:
    settings = {'metrics': f'{options.metrics}+max-difference',
                'pair': options.pair}
    if options.accepts_other_rates:
        settings['other-rates'] = 'true'
    return {**settings, **{name: f'{value:g}'
                           for name, value in options.limits.items()}}


def _named(error: ClqcError, names: Sequence[str]) -> ClqcError:
    """Returns the error with names of files for those of pads, and the option
    that does what the element asks for."""
    text = _PAD.sub(lambda found: names[int(found[1])],
                    str(error).removeprefix('compare: '))
    options = [option for words, option in _OPTIONS.items() if words in text]
    if options:
        text += f' clqc compare {options[0]} does this.'
    return _like(error, text)


def _run(options: Options, inputs: List[_Input], lines: str, work: str,
         log: str) -> Json:
    plan = Comparison(
        inputs[0].source, [one.source for one in inputs[1:]], lines,
        _settings(options), options.finds_shifts, options.scales,
        options.converts)
    names = [one.name for one in inputs[1:]]
    duration = inputs[0].facts['container']['duration']
    with Reporter(1, options.is_quiet) as reporter:
        def tick(position: int) -> None:
            reporter.moved(inputs[0].name, position, duration)
        try:
            return jobs.run(log, 'compare', tick, jobs.Care.within(work),
                            **asdict(plan))
        except ClqcError as error:
            raise _named(error, names) from error


def _shift_frames(facts: Json, shift: int) -> float:
    duration = facts['frame-duration']
    return round(shift / duration, 2) if duration else 0


def _check_pairs(name: str, file: Compared, of_file: Json) -> None:
    if len(file.numbers) == 0:
        raise ClqcError(
            f'{name}: no frame has a partner; it begins '
            f'{abs(of_file["starts-late"]) / 1e9:.3f} s '
            f'{"after" if of_file["starts-late"] >= 0 else "before"} the '
            'reference. --pair order compares the frames in their order.')
    if len(file.pooled) > 1:
        raise ClqcError(f'{name}: the size or the format of the frames '
                        'changes within the file, so that it has no results '
                        'as a whole')


def _notes(facts: Json, names: Sequence[str], found: Sequence[Compared]
           ) -> List[str]:
    notes = []
    for name, file, of_file in zip(names, found, facts['files']):
        shift = of_file['shift']
        if shift:
            n_frames = abs(_shift_frames(facts, shift))
            notes.append(
                f'{name} is {"late" if shift > 0 else "early"} by '
                f'{n_frames:g} frame{"s" * (n_frames != 1)} '
                f'({abs(shift) / 1e9:.3f} s); this is corrected.')
        pooled = file.pooled[-1]
        lacks = [f'{pooled[key]} of {whose}' for key, whose in (
            ('unpaired-reference-frames', 'the reference'),
            ('unpaired-frames', name)) if pooled.get(key)]
        if lacks:
            notes.append(f'{name}: frames without a partner, which are not '
                         f'compared: {", ".join(lacks)}.')
        if any(row['event'] == 'offset' for row in file.starts):
            notes.append(f'{name} is shifted against the reference in a part '
                         'of it, where its values say nothing.')
    if facts['decode-errors']:
        notes.append(f'The decoders report {facts["decode-errors"]} errors: '
                     'clqc check has their places.')
    other = judging.in_worst_frames(names, found)
    return notes + ([other] if other else [])


@dataclass
class _Done:
    """A comparison that has run."""
    inputs: List[_Input]  # the reference first
    facts: Json           # result of the task `compare`
    lines: str
    found: List[Compared]

    def names(self) -> List[str]:
        """Returns the names of the files without the reference."""
        return [one.name for one in self.inputs[1:]]


def _result(options: Options, done: _Done, judgement: judging.Judgement
            ) -> Json:
    def of(one: _Input) -> Json:
        return {'file': one.name, 'path': shown_path(one.path),
                'bytes': one.bytes}
    facts = done.facts
    return {
        'reference': {**of(done.inputs[0]), **facts['reference']},
        'verdict': judgement.verdict,
        'files': [{
            **of(one), 'shift': of_file['shift'],
            'shift-frames': _shift_frames(facts, of_file['shift']),
            'pooled': {key: value for key, value in file.pooled[-1].items()
                       if key not in _OF_LINES},
            'worst': {metric.name: worst for metric in METRICS
                      if (worst := file.worst(metric))},
            'events': {kind: sum(row['event'] == kind for row in file.starts)
                       for kind in ('unpaired', 'offset', 'mismatch')},
            'failures': failures}
            for one, of_file, file, failures in zip(
                done.inputs[1:], facts['files'], done.found,
                judgement.failures)],
        'settings': _settings(options),
        'measured': {'clqc': __version__, **{
            key: facts[key] for key in (
                'plugin', 'gstreamer', 'decoder', 'device',
                'decode-errors')}}}


def _pictures(inputs: List[_Input], facts: Json,
              shown: List[comparison.Shown], work: str, log: str) -> None:
    """Adds the pictures of the shown frames. Frames that cannot be decoded
    again have none."""
    half = facts['frame-duration'] // 2  # within the frame, however rounded
    offsets = [0, *(one['time-from'] for one in facts['files'])]
    plan = Pictures([one.source for one in inputs],
                    [[one.time + offset + half for one in shown]
                     for offset in offsets],
                    facts['reference']['width'], facts['reference']['height'])
    with contextlib.suppress(ClqcError):
        rows = jobs.run(log, 'differences', care=jobs.Care.within(work),
                        **asdict(plan))['rows']
        for number, row in rows.items():
            shown[int(number)].pictures = row


def _facts(inputs: List[_Input], found: List[Compared]
           ) -> List[List[Tuple[str, str]]]:
    """Returns rows of facts for the page, the reference first."""
    rows = []
    for one, file in zip(inputs, [None, *found]):
        duration = one.facts['container']['duration']
        size = one.bytes
        pooled = file.pooled[-1] if file else {}
        video = one.facts['video']
        most = pooled.get('max-difference')
        rows.append([
            ('Codec', video.get('codec') or ''),
            ('Size', f'{size / 1e6:,.2f} MB' if size else ''),
            ('Bit rate', f'{size * 8e6 / duration:,.0f} kbit/s'
             if size and duration else ''),
            ('Duration', printable.clock(duration)),
            ('Pairs', f'{pooled["frames"]:,}' if pooled else ''),
            ('Unpaired', str(pooled.get('unpaired-frames', 0))
             if pooled else ''),
            ('Of the reference', str(
                pooled.get('unpaired-reference-frames', 0))
             if pooled else ''),
            ('Largest difference', str(max(most)) if most else ''),
            ('Equal frames', f'{pooled["frames"] - equal:,}' if (
                equal := pooled.get('different-frames')) is not None else '')])
    return rows


def _how(facts: Json, options: Options) -> List[Tuple[str, str]]:
    caps = facts['reference']
    return [('Frames', f'{caps["width"]} × {caps["height"]}, '
             f'{caps["format"]}, {caps.get("colours") or "colours unknown"}'),
            ('Pairs', 'by time' if options.pair == 'time' else 'in order'),
            ('Converted', ' and '.join(
                [*(['size'] * options.scales),
                 *(['format and colours'] * options.converts)]) or 'nothing'),
            ('Decoder', facts['decoder']), ('Measured on', facts['device'])]


def _write_vmaf(path: str, lines: str, n_files: int, rate: Any) -> None:
    """Writes a log for each file; with several files their names have a
    number."""
    for number in range(n_files):
        stem, extension = os.path.splitext(path)
        target = path if n_files == 1 else f'{stem}-{number + 1}{extension}'
        with open(lines, encoding='utf-8') as text:
            vmaf.write(target, vmaf.log(text, f'sink_{number}', rate))


def _write(results: Results, options: Options, content: Json) -> None:
    if options.out:
        results.write(RESULT, content)
    if options.json == '-':
        json.dump(content, sys.stdout, indent=1)
        print()
    elif options.json:
        folder, name = os.path.split(os.path.abspath(options.json))
        Results(folder).write(name, content)


@contextlib.contextmanager
def _folder(out: Optional[str]) -> Iterator[str]:
    """Returns the folder of results; without @out one that is removed."""
    if out is not None and not discovery.is_utf8(out):
        raise ClqcError(f'{out}: {discovery.NOT_UTF8}')
    if out is None:
        with tempfile.TemporaryDirectory(prefix='clqc-') as folder:
            yield folder
        return
    os.makedirs(out, exist_ok=True)
    with files.alone_in(out):
        yield out


def _check_folders(options: Options) -> None:
    """Raises ClqcError if a result cannot be written: before the work."""
    for path in filter(None, (options.json, options.vmaf)):
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise ClqcError(f'{path}: no such folder')


def _compare(options: Options, work: str, log: str) -> _Done:
    paths = [options.reference, *options.paths]
    inputs = [_prepare(path, name, work, log)
              for path, name in zip(paths, _names(paths))]
    lines = os.path.join(work, 'compare.jsonl')
    facts = _run(options, inputs, lines, work, log)
    with open(lines, encoding='utf-8') as text:
        found = compared.read(text, len(options.paths))
    for one, file, of_file in zip(inputs[1:], found, facts['files']):
        _check_pairs(one.name, file, of_file)
    return _Done(inputs, facts, lines, found)


def _write_report(path: str, options: Options, done: _Done,
                  judgement: judging.Judgement, work: str, log: str) -> None:
    names = done.names()
    shown = comparison.choose(names, comparison.Frames(done.found))
    _pictures(done.inputs, done.facts, shown, work, log)
    comparison.write(path, comparison.Page(
        done.inputs[0].name, names, done.found, judgement,
        _facts(done.inputs, done.found), _how(done.facts, options), shown,
        bool(options.limits)))


def compare(options: Options) -> int:
    """Compares the files; returns the exit status."""
    has_report = bool(options.out) and options.makes_report
    if has_report:
        assets.uplot('uPlot.iife.js')  # fails before the work
    with _folder(options.out) as folder, jobs.kept(), \
            tempfile.TemporaryDirectory(dir=folder, prefix='work-') as work:
        _check_folders(options)
        results = Results(folder)
        for name in (RESULT, LINES, REPORT):
            results.remove(name)
        log = results.path(LOG)
        done = _compare(options, work, log)
        names = done.names()
        judgement = judging.Judgement(
            judging.verdict(names, done.found),
            [judging.failures(name, file, options.limits)
             for name, file in zip(names, done.found)],
            _notes(done.facts, names, done.found))
        if options.vmaf:
            _write_vmaf(options.vmaf, done.lines, len(names),
                        done.facts['reference'].get('rate'))
        if options.out:
            pack(done.lines, results.path(LINES))
        if has_report:
            _write_report(results.path(REPORT), options, done, judgement, work,
                          log)
        _write(results, options, _result(options, done, judgement))
    _print(options, judgement)
    return 1 if any(judgement.failures) else 0


def _print(options: Options, judgement: judging.Judgement) -> None:
    """Prints the sentences; to standard error if JSON is printed."""
    stream = sys.stderr if options.json == '-' else sys.stdout
    failures = [text for of_file in judgement.failures for text in of_file]
    for sentence in failures if options.is_quiet else [
            *judgement.notes, *failures, judgement.verdict]:
        print(printable.line(sentence), file=stream)
