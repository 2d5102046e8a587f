# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges whether a file is complete: decode errors, missing bytes and frames,
tracks of different durations. Each limit is a row of ROWS."""
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from clqc.judging.rules import wording
from clqc.judging.rules.model import CompletenessRule
from clqc.results.result_files import Json, Reason

# The result of a row: the value that its limit applies to, a sentence for the
# file, and reasons for places with their sentences.
Place = Tuple[str, Optional[int], Optional[int], Optional[int]]


# Names of packets without a frame, by the kind of their track.
_OTHER_TRACKS = {'audio': 'the sound', 'other': 'another track'}


@dataclass(frozen=True)
class Row:
    """A key of a table of a policy."""
    table: str
    key: str
    unit: str  # count, bytes or seconds
    find: Callable[[Json], Tuple[float, str, List[Place]]]


def _errors(whole: Json) -> Tuple[float, str, List[Place]]:
    rows = whole['errors']
    places: List[Place] = []
    for time, count, texts, frame, kind in rows:
        more = count - len(texts)
        messages = '; '.join(texts) + (f'; {more} more' if more > 0 else '')
        of = _OTHER_TRACKS.get(kind, f'frame {frame}')
        where = ('an unknown time' if time is None
                 else f'{wording.time(time)}, {of}')
        places.append((f'Decode error at {where}: {messages}', time, None,
                       None if time is None else frame))
    return len(rows), ('Demuxers and decoders report errors; packets with '
                       'errors: {}'), places


def _bytes(whole: Json) -> Tuple[float, str, List[Place]]:
    places: List[Place] = []
    total = 0
    is_known = True
    for one in whole['missing']:
        n_bytes = one['end'] - one['start']
        total += n_bytes or 1
        if n_bytes:
            text = (f'Bytes {one["start"]:,} to {one["end"]:,} are missing '
                    f'({n_bytes:,} bytes): {one["why"]}')
        else:
            is_known = False
            text = (f'Bytes are missing at byte {one["start"]:,}, an unknown '
                    f'number: {one["why"]}')
        first, last = one['first_time'], one['last_time']
        if first is not None and last is not None and last > first:
            text += f'; time {wording.time(first)} to {wording.time(last)}'
        elif first is not None:
            text += f'; from {wording.time(first)} on'
        if one['samples']:
            text += '; ' + wording.count(one['samples'], 'frame', 'frames')
        places.append((text, first, last, None))
    return total, ('{} bytes of the file are missing' if is_known else
                   'Bytes of the file are missing, at least {}'), places


def _packets(whole: Json) -> Tuple[float, str, List[Place]]:
    return whole['absent-packets'], (
        'The sample table has {} frames that the demuxer does not output'), []


def _duration(whole: Json) -> Tuple[float, str, List[Place]]:
    ends = [track['last'] for track in whole['tracks']
            if track['last'] is not None]
    if not ends or not whole['duration']:
        return 0.0, '', []
    end = max(ends)
    return max(whole['duration'] - end, 0) / 1e9, (
        f'The container lasts {wording.time(whole["duration"])}; its last '
        f'track ends at {wording.time(end)}, {{}} earlier'), []


def _dropped(whole: Json) -> Tuple[float, str, List[Place]]:
    places: List[Place] = []
    runs = whole.get('dropped', ())  # clqc 0.2 has none
    for run in runs:
        n, start, end = run['frames'], run['start'], run['end']
        where = (f'at {wording.time(start)}' if n == 1 else
                 f'from {wording.time(start)} to {wording.time(end)}')
        places.append((wording.count(n, 'empty chunk', 'empty chunks')
                       + f' {where}', start, end, run['frame']))
    return sum(run['frames'] for run in runs), (
        'The writer dropped frames, whose chunks are empty: {}'), places


def _tracks(whole: Json) -> List[Json]:
    return [track for track in whole['tracks']
            if (track['measured'] or track['kind'] == 'audio')
            and track['first'] is not None]


def _difference(whole: Json, key: str) -> Tuple[float, Json, Json]:
    """Returns the greatest difference between the picture and a sound."""
    tracks = _tracks(whole)
    videos = [track for track in tracks if track['measured']]
    pairs = [(abs(video[key] - sound[key]) / 1e9, video, sound)
             for video in videos for sound in tracks
             if sound['kind'] == 'audio']
    return max(pairs, key=lambda pair: pair[0], default=(0.0, {}, {}))


def _name(sound: Json, whole: Json) -> str:
    """Returns the name of a sound, with its number if there are several."""
    sounds = [track for track in whole['tracks'] if track['kind'] == 'audio']
    return 'the sound' if len(sounds) == 1 else (
        f'the sound (track {whole["tracks"].index(sound) + 1})')


def _offset(whole: Json) -> Tuple[float, str, List[Place]]:
    value, video, sound = _difference(whole, 'first')
    if not video:
        return 0.0, '', []
    return value, (f'The picture begins at {wording.time(video["first"])}, '
                   f'{_name(sound, whole)} at {wording.time(sound["first"])}: '
                   '{} apart'), []


def _ends(whole: Json) -> Tuple[float, str, List[Place]]:
    value, video, sound = _difference(whole, 'last')
    if not video:
        return 0.0, '', []
    return value, (f'The picture ends at {wording.time(video["last"])}, '
                   f'{_name(sound, whole)} at {wording.time(sound["last"])}: '
                   '{} apart'), []


# In the order of the reasons: missing parts explain later failures.
ROWS = {(row.table, row.key): row for row in (
    Row('file', 'missing-bytes', 'bytes', _bytes),
    Row('file', 'missing-packets', 'count', _packets),
    Row('file', 'missing-duration', 'seconds', _duration),
    Row('decode', 'errors', 'count', _errors),
    Row('dropped', 'frames', 'count', _dropped),
    Row('tracks', 'offset', 'seconds', _offset),
    Row('tracks', 'duration', 'seconds', _ends))}

TABLES: Dict[str, List[Row]] = {}
for _row in ROWS.values():
    TABLES.setdefault(_row.table, []).append(_row)


def _shown(value: float, unit: str) -> str:
    return wording.seconds(round(value * 1e9)) if unit == 'seconds' else (
        f'{value:,.0f}')


def _reasons(rule: CompletenessRule, whole: Json) -> Iterator[Reason]:
    table, key = rule.name.split('.')
    row = ROWS[table, key]
    value, sentence, places = row.find(whole)
    if value <= rule.limit:
        return
    allowed = (f'the limit is {_shown(rule.limit, row.unit)}' if rule.limit
               else 'none is allowed')
    yield Reason(rule.name, rule.severity,
                 f'{sentence.format(_shown(value, row.unit))}; {allowed}.',
                 value=value, limit=rule.limit)
    for text, start, end, frame in places[:wording.MOST]:
        yield Reason(rule.name, rule.severity, text + '.', start, end, frame)
    yield from wording.more(rule.name, rule.severity,
                            len(places) - wording.MOST, 'the file is damaged')


def judge(rule: CompletenessRule, whole: Json) -> List[Reason]:
    """Returns the reasons of a rule. @whole: the content of integrity.json."""
    return list(_reasons(rule, whole))
