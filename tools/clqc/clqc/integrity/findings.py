# SPDX-License-Identifier: LGPL-2.1-or-later
"""The content of integrity.json: whether the file is complete, apart from the
contents of its pictures. Times are nanoseconds of the stream.

    {"errors": [[TIME or null, MESSAGES, [TEXT, ..], FRAME, TRACK], ..], of
               demuxer and decoder, a row a packet; TRACK is "video", "audio"
               or "other"; FRAME is null but for the video,
     "leading-errors": those of the start of a recording that begins within a
                       group of pictures: packets in front of the first key
                       frame, and packets that refer to frames before them,
     "leading-packets": packets of that start that gave no frame,
     "trailing-frames": that are not in the file, as it ends between a frame
                        and those that are shown before it,
     "gaps": [{"start", "end", "frame", "frames", "packets"}, ..], gaps.Gap,
     "sound-gaps": [[TRACK, START, END, MISSING], ..], where packets of a
                   track of sound are missing, as gaps.SoundGap; TRACK is its
                   index in "tracks",
     "dropped": [{"start", "end", "frame", "frames"}, ..]: runs of empty chunks
                of AVI; FRAME is the one that is repeated,
     "missing": [{"start", "end", "why", "first_time", "last_time",
                  "samples"}, ..], structure.Missing,
     "shift": {"time", "amount"}: from TIME on, times differ from those in
              the packets, by AMOUNT at most, or null,
     "breaks": [{"time", "before", "after"}, ..]: where recordings were
               joined: timestamps in the packets jump from BEFORE to AFTER,
     "absent-packets": video samples that the tables name and that did not
                       come, where no bytes are missing,
     "scan-error": why the packets could not be read to the end, or null,
     "programs": how many a transport stream has; 0: unknown,
     "rate-mode": "constant", "variable" or null,
     "frame-duration": of a frame of the video, or 0,
     "duration": of the file, as a container tells, or null,
     "tracks": [{"kind": "video", "audio", "text" or "other", "codec",
                 "measured": whether it is the video that was measured,
                 "packets": N, "first", "last", "duration": TIME or null}, ..]}
"""
import bisect
import itertools
from dataclasses import asdict, replace
from typing import Any, Iterable, List, Optional, Sequence, Set, Tuple

from clqc.integrity import gaps, timestamp_jumps
from clqc.integrity.error_causes import CONTAINER, REFERENCE, VIDEO
from clqc.results.frame_lines import Frame
from clqc.results.result_files import Event, Json

# Maximum number of reference frames of a decoder.
_REFERENCES = 16

# Maximum nanoseconds between the first stored frame and the first shown frame.
_NEAR = 500_000_000


def _absent(scan: Json) -> int:
    """Returns the number of video samples that the demuxer did not output; 0
    if bytes are missing, which is reported instead."""
    structure = scan.get('structure') or {}
    if structure.get('missing') or scan.get('error'):
        return 0
    tables = [table for table in structure.get('tables', ())
              if table['kind'] == 'video' and table['samples']]
    table = tables[0] if len(tables) == 1 else None
    track = next((track for track in scan['tracks'] if track['measured']),
                 None)
    if not table or not track:
        return 0
    return max(int(table['samples'] - track['packets']), 0)


def _tracks(scan: Json, found: gaps.Found,
            heard: Optional[Tuple[int, int]]) -> List[Json]:
    """Returns the tracks of the packets. The measured video lasts from the
    first frame to the end of the last. The only sound lasts at least as long
    as the decoded sound, because some containers have wrong packet times."""
    tracks = [dict(track) for track in scan['tracks']]
    sounds = [track for track in tracks if track['kind'] == 'audio'
              and track['first'] is not None]
    if len(sounds) == 1 and heard:
        sounds[0]['first'] = min(sounds[0]['first'], heard[0])
        sounds[0]['last'] = max(sounds[0]['last'], heard[1])
    video = next((track for track in tracks if track['measured']), None)
    if video and found.last is not None:
        video['first'], video['last'] = found.first, found.last
    for track in tracks:
        track['duration'] = (None if track['first'] is None
                             else track['last'] - track['first'])
    return tracks


def _missing(scan: Json, found: gaps.Found,
             clock: Optional[timestamp_jumps.Clock]) -> List[Json]:
    """Returns the missing bytes that the structure reports, with times on the
    demuxer's clock."""
    structure = scan.get('structure') or {}
    rows = structure.get('missing', [])
    if not rows or not structure.get('stamps'):
        return list(rows)
    clock = clock or timestamp_jumps.Clock(scan['stamps'], structure['stamps'])
    return [{**row, **{key: found.stream_time(clock.demuxed(row[key]))
                       for key in ('first_time', 'last_time')
                       if row[key] is not None}} for row in rows]


def _rows(errors: List[Any], found: gaps.Found) -> List[Any]:
    return [[time, count, texts, found.frame_at(time or 0)
             if kind == VIDEO else None, kind]
            for time, count, texts, kind, _ in errors]


def _leading(errors: List[Any], rows: List[Any],
             key: Optional[int]) -> Set[int]:
    """Returns the indices of the rows at the start of a recording, whose first
    key frame is at @key. A decoder keeps up to _REFERENCES frames, so this
    many packets may refer to a frame before the start; with intra refresh,
    frames refer to such frames until the whole picture has been refreshed."""
    leading: Set[int] = set()
    last = 0  # frame
    for i, (time, _, _, kind, cause) in enumerate(errors):
        if kind != VIDEO or time is None or cause == CONTAINER:
            continue
        if key is None or time >= key:
            if cause != REFERENCE or rows[i][3] > last + _REFERENCES:
                break
            last = rows[i][3]
        leading.add(i)
    return leading


def _lost(found: gaps.Found, times: List[int]) -> List[gaps.Gap]:
    """Returns gaps whose packets lack the frames before the start. @times: of
    the leading errors."""
    return [gap for gap in found.gaps if times and gap.start <= max(times)
            and gap.packets >= gap.frames]


def _is_join(start: int, end: int, joins: List[int]) -> bool:
    """Returns whether the gap is where recordings were joined: the number of
    frames between them is unknown."""
    return any(start - _NEAR <= time <= end + _NEAR for time in joins)


def _sound_gaps(scan: Json, joins: List[int]) -> List[Any]:
    """Returns sound gaps without those whose packets are in the file but were
    not output by the demuxer."""
    structure = scan.get('structure') or {}
    tables = [table for table in structure.get('tables', ())
              if table['kind'] == 'audio' and table['samples']]
    n_packets = sum(track['packets'] for track in scan['tracks']
                    if track['kind'] == 'audio')
    if not structure.get('missing') and n_packets < sum(
            table['samples'] for table in tables):
        return []
    return [gap for gap in scan['sound-gaps']
            if not _is_join(gap[1], gap[2], joins)]


def _dropped(found: gaps.Found, stamps: Sequence[int]) -> List[Json]:
    """Returns runs of dropped frames. @stamps: ascending."""
    runs: List[Json] = []
    for stamp in stamps:
        time = found.stream_time(stamp)
        if not runs or time > runs[-1]['end'] + found.duration // 2:
            runs.append({'start': time, 'end': time, 'frames': 0,
                         'frame': found.frame_at(time)})
        runs[-1]['end'] = time + found.duration
        runs[-1]['frames'] += 1
    return runs


def collect(scan: Json, frames: Iterable[Frame], facts: Json,
            errors: List[Any], repeats: Sequence[int] = (),
            heard: Optional[Tuple[int, int]] = None,
            dropped: Sequence[int] = ()) -> Json:
    """Returns the content of integrity.json. @scan: result of the task
    `packets`; @frames: all lines; @facts: facts of the file, of which the
    frame rate is used; @errors and @repeats: from Diagnostics; @heard: start
    and end of the decoded sound; @dropped: timestamps of frames that the
    writer dropped, so that the picture is repeated."""
    key = scan['keys'][0] if scan['keys'] else None
    structure = scan.get('structure') or {}
    own = structure.get('stamps', ())
    moved, breaks = timestamp_jumps.find(scan['stamps'], own)
    clock = timestamp_jumps.Clock(scan['stamps'], own) if moved else None
    found = gaps.find(frames, (facts.get('video') or {}).get('rate'),
                      scan['stamps'], key, [*repeats, *dropped], clock,
                      structure.get('resolution', 0))
    rows = _rows(errors, found)
    leading = _leading(errors, rows, key)
    lost = _lost(found, [errors[i][0] for i in leading])
    container = facts.get('container') or {}
    joins = [found.stream_time(one.stamp) for one in breaks]
    return {
        'errors': [row for i, row in enumerate(rows) if i not in leading],
        'leading-errors': [row for i, row in enumerate(rows) if i in leading],
        'leading-packets': found.leading + sum(gap.frames for gap in lost),
        'trailing-frames': found.trailing,
        'gaps': [asdict(gap) for gap in found.gaps if gap not in lost
                 and not _is_join(gap.start, gap.end, joins)],
        'sound-gaps': _sound_gaps(scan, joins),
        'dropped': _dropped(found, dropped),
        'missing': _missing(scan, found, clock),
        'shift': {'time': found.stream_time(moved.stamp),
                  'amount': moved.amount} if moved else None,
        'breaks': [{'time': time, 'before': one.before, 'after': one.after}
                   for time, one in zip(joins, breaks)],
        'absent-packets': _absent(scan),
        'scan-error': scan.get('error'),
        'programs': structure.get('programs', 0),
        'rate-mode': found.rate_mode,
        'frame-duration': found.duration,
        'duration': container['duration'] if container.get('format') else None,
        'tracks': _tracks(scan, found, heard)}


def _error_events(rows: List[Any], duration: int) -> List[Event]:
    """Returns errors as events; errors of consecutive packets are one event.
    """
    found: List[Event] = []
    for time, count, _, frame, _ in sorted(
            rows, key=lambda row: (row[3] is None, row[0] or 0)):
        start = time or 0
        end_frame = None if frame is None else frame + 1
        last = found[-1] if found else None
        if last and start <= last.end + duration // 2 and (
                (last.start_frame is None) == (frame is None)):
            last.end = max(last.end, start + duration)
            last.end_frame = end_frame
            last.values['errors'] += count
        else:
            found.append(Event('decode-error', start, start + duration,
                               frame, end_frame, {'errors': count}))
    return found


def events(content: Json) -> List[Event]:
    """Returns the events of the kinds `decode-error` and `gap`."""
    duration = content['frame-duration']
    found = _error_events(content['errors'], duration)
    found += [Event('gap', gap['start'], gap['end'], gap['frame'],
                    gap['frame'], {'frames': gap['frames'],
                                   'packets': gap['packets']})
              for gap in content['gaps']]
    found += [Event('gap', start, end, values={
        'track': track, 'missing': missing})
              for track, start, end, missing in content['sound-gaps']]
    return found


def outside_gaps(found: List[Event], content: Json, least: Json
                 ) -> List[Event]:
    """Returns events of the picture without the time of gaps, for which no
    frame was measured. @least: minimum duration of an event of each kind,
    nanoseconds; a gap of at least that duration ends it."""
    outside: List[Event] = []
    gaps_of = sorted((gap['start'], gap['end']) for gap in content['gaps'])
    starts = [start for start, _ in gaps_of]
    # the latest end of each gap and all gaps before it
    ends = list(itertools.accumulate((end for _, end in gaps_of), max))
    for event in found:
        limit = least.get(event.kind, 0)
        if not limit or event.start_frame is None:
            outside.append(event)
            continue
        near = gaps_of[bisect.bisect_right(ends, event.start):
                       bisect.bisect_left(starts, event.end)]
        holes = [gap for gap in near if gap[1] > event.start]
        outside += _pieces(event, holes, limit) if holes else [event]
    return outside


def _pieces(event: Event, holes: List[Any], limit: int) -> List[Event]:
    pieces = []
    start, lost = event.start, 0
    for first, last in [*holes, (event.end, event.end)]:
        if last - first < limit and first < event.end:
            lost += last - first  # too short to end it
            continue
        end = min(first, event.end)
        if end - start - lost >= limit:
            pieces.append(replace(event, start=start, end=end,
                                  values=dict(event.values)))
        start, lost = max(last, event.start), 0
    return pieces
