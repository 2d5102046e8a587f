# SPDX-License-Identifier: LGPL-2.1-or-later
"""Creates folders of results like those of `clqc check`, for the tests."""
import gzip
import json
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence

from clqc.judging import policy
from clqc.judging.judge import judge
from clqc.results.result_files import Event, Json, Results, Verdict

# Nanoseconds of a frame at 25 frames a second.
FRAME = 40_000_000


def histogram(counts: Dict[int, int], depth: int = 8) -> List[int]:
    """Returns a histogram of @depth bits from the counts of codes."""
    bins = [0] * 2 ** depth
    for code, count in counts.items():
        bins[code] = count
    return bins


def frame(number: int, depth: int = 8,
          components: Sequence[str] = ('Y', 'U', 'V'), **fields: Any) -> Json:
    """Returns the line of a frame within all usual limits; @fields have _
    instead of -."""
    unit = 2 ** (depth - 8)
    count = len(components)
    line: Json = {
        'type': 'frame', 'timestamp': number * FRAME,
        'stream-time': number * FRAME, 'running-time': number * FRAME,
        'duration': FRAME, 'frame': number, 'width': 64, 'height': 32,
        'format': 'I420', 'depth': depth, 'components': list(components),
        'count': [100] * count,
        'mean': [100.5 * unit] * count, 'variance': [400.25 * unit ** 2
                                                     ] * count,
        'stddev': [20.5 * unit] * count, 'min': [30 * unit] * count,
        'max': [200 * unit] * count,
        'histogram': [histogram({30 * unit: 50, 200 * unit: 50}, depth)
                      for _ in components],
        'low': [40 * unit] * count, 'median': [100 * unit] * count,
        'high': [180 * unit] * count, 'mean-difference': [2.5 * unit] * count,
        'bit-depth': [depth] * count, 'outliers': 0.001,
        'repetition': 0.002, 'gamut': 0.003, 'TOUT': 0.001, 'VREP': 0.002,
        'BRNG': 0.003}
    for place, name in enumerate(components):
        for short, field in (('MIN', 'min'), ('LOW', 'low'), ('AVG', 'mean'),
                             ('HIGH', 'high'), ('MAX', 'max'),
                             ('DIF', 'mean-difference'),
                             ('BITDEPTH', 'bit-depth')):
            line[name + short] = line[field][place]
    if 'U' in components:
        for name, short, value in (
                ('saturation-min', 'SATMIN', 1), ('saturation-low', 'SATLOW',
                                                  5),
                ('saturation-mean', 'SATAVG', 20.5),
                ('saturation-high', 'SATHIGH', 40),
                ('saturation-max', 'SATMAX', 60)):
            line[name] = line[short] = value * unit
        for name, short, degrees in (('hue-mean', 'HUEAVG', 120.5),
                                     ('hue-median', 'HUEMED', 121)):
            line[name] = line[short] = degrees
        line['hue-concentration'] = 0.5
    line.update({name.replace('_', '-'): value
                 for name, value in fields.items()})
    return line


def frames(count: int, changed: Optional[Dict[int, Json]] = None,
           **fields: Any) -> List[Json]:
    """Returns the lines of several frames; @changed has the fields of single
    frames."""
    return [frame(number, **{**fields, **(changed or {}).get(number, {})})
            for number in range(count)]


def pooled(lines: Sequence[Json], **fields: Any) -> Json:
    """Returns the line of pooled statistics."""
    names = ('depth', 'components', 'mean', 'variance', 'stddev', 'min',
             'max', 'histogram')
    whole: Json = {'type': 'pooled', 'frames': len(lines)}
    if lines:
        first, last = lines[0], lines[-1]
        whole.update({name: first[name] for name in names})
        whole['stream-time'] = first['stream-time']
        whole['end-stream-time'] = (last['stream-time'] or 0) + FRAME
        whole['end-frame'] = len(lines)
    whole.update({name.replace('_', '-'): value
                  for name, value in fields.items()})
    return whole


def event(kind: str, start: float, end: float, zone: Optional[int] = None,
          /, **values: Any) -> Event:
    """Returns an event from @start to @end, in seconds."""
    begin, after = round(start * 1e9), round(end * 1e9)
    if kind == 'silence':
        return Event(kind, begin, after)
    return Event(kind, begin, after, begin // FRAME, after // FRAME, values,
                 zone)


DEFAULT = policy.parse('', '')


def facts(**parts: Any) -> Json:
    """Facts of a usual file; @parts replace values in container, video,
    measured, or the list audio."""
    made: Json = {
        'container': {'format': 'Quicktime', 'duration': 4_000_000_000,
                      'bytes': 1000, 'sha256': '00'},
        'video': {'codec': 'H.264', 'width': 1920, 'height': 1080,
                  'rate': [25, 1], 'range': 'limited',
                  'interlacing': 'progressive', 'format': 'I420', 'depth': 8,
                  'pixel-aspect-ratio': [1, 1]},
        'audio': [{'codec': 'MPEG-4 AAC', 'channels': 2, 'rate': 48000}],
        'measured': {'frames': 100, 'settings': DEFAULT.measure}}
    for name, value in parts.items():
        if isinstance(value, dict):
            made[name].update({key.replace('_', '-'): inner
                               for key, inner in value.items()})
        else:
            made[name] = value
    return made


def integrity(**fields: Any) -> Json:
    """The content of integrity.json for a complete file; @fields have _
    instead of -."""
    content: Json = {
        'errors': [], 'leading-errors': [], 'leading-packets': 0,
        'trailing-frames': 0, 'gaps': [], 'sound-gaps': [], 'dropped': [],
        'missing': [],
        'shift': None, 'breaks': [], 'absent-packets': 0, 'scan-error': None,
        'rate-mode': 'constant',
        'frame-duration': FRAME, 'duration': None, 'tracks': []}
    content.update({name.replace('_', '-'): value
                    for name, value in fields.items()})
    return content


def results(folder: Any, lines: Sequence[Json], events: Iterable[Event] = (),
            facts_of: Optional[Json] = None, whole: Optional[Json] = None,
            found_with: policy.Policy = DEFAULT) -> Results:
    """Writes the folder of results. @found_with: the settings with which the
    events were found."""
    os.makedirs(folder, exist_ok=True)
    made = Results(str(folder))
    with gzip.open(made.path('frames.jsonl.gz'), 'wt',
                   compresslevel=1) as file:
        for line in lines:
            file.write(json.dumps(line, separators=(',', ':')) + '\n')
    made.write('events.json', {
        'settings': found_with.measure, 'audio': found_with.audio,
        'events': [vars(row) for row in events if row.zone is None],
        'zone-events': [vars(row) for row in events if row.zone is not None]})
    made.write('integrity.json', integrity())
    made.write('pooled.json', pooled(lines) if whole is None else whole)
    made.write('facts.json', facts() if facts_of is None else facts_of)
    return made


def verdict(folder: Any, text: str, lines: Optional[Sequence[Json]] = None,
            events: Iterable[Event] = (), facts_of: Optional[Json] = None,
            whole: Optional[Json] = None) -> Verdict:
    """Returns the verdict of the policy @text on a file of 100 frames, or of
    @lines."""
    lines = frames(100) if lines is None else lines
    made = results(folder, lines, events, facts_of, whole)
    return judge('a/clip.avi', made, policy.parse(text, 'my.toml', 'my'))


def messages(found: Verdict) -> List[str]:
    """Returns the reasons of the verdict() with these arguments."""
    return [reason.message for reason in found.reasons]
