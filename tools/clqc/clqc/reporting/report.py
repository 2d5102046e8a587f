# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the page of a report."""
import base64
from collections import ChainMap
from typing import Iterator, List, Mapping, Optional, Tuple

from clqc.common import files, printable
from clqc.reporting import assets, detail_levels, loudness, packing
from clqc.reporting.chart_data import Tracks, charts, meaning
from clqc.reporting.detail_levels import Texts
from clqc.reporting.thumbnails import SCOPES, Thumbnail
from clqc.results.result_files import Event, Json, Reason, Results, Verdict

# More rows would make the page slow and unreadable. The JSON files beside the
# report have all.
EVENTS = 5000
REASONS = 1000

# Below the scopes of a frame.
_CAPTIONS = {'waveform': 'waveform, IRE', 'vectorscope': 'vectorscope'}


def write(path: str, file: str, results: Results, verdict: Verdict,
          thumbnails: List[Thumbnail]) -> None:
    """Writes the report of the input `file` atomically. Reads every frame
    once."""
    page = _page(file, results, verdict, thumbnails)
    with files.replacing(path) as out:
        out.writelines(page)


def _page(file: str, results: Results, verdict: Verdict,
          thumbnails: List[Thumbnail]) -> Iterator[str]:
    tracks = Tracks(results.frames())
    events = sorted(results.events(), key=lambda event: event.start)
    facts = results.facts()
    reasons = sorted(verdict.reasons,
                     key=lambda reason: reason.severity != 'error')
    script, css = assets.with_curves('report.css')
    pictures = [_picture(thumbnail) for thumbnail in thumbnails]
    rest = (len(script) + len(css) + sum(
        len(image['source']) for picture in pictures
        for image in (picture, *picture['scopes']))
            + 300 * min(len(events), EVENTS)
            + 600 * min(len(reasons), REASONS))
    values = ChainMap(loudness.of(results, tracks.times, tracks.end),
                      tracks.values)  # type: ignore[arg-type]
    data, early, late = _data(tracks, values, rest)
    data['is-full-range'] = (facts.get('video') or {}).get('range') == 'full'
    data['events'] = [_event(event) for event in events[:EVENTS]]
    data['reasons'] = [_reason(reason) for reason in reasons[:REASONS]]
    return assets.template('report.html').generate(
        file=file, verdict=verdict, events=events[:EVENTS],
        more_events=len(events) - len(events[:EVENTS]),
        reasons=reasons[:REASONS], link=link,
        more_reasons=len(reasons) - len(reasons[:REASONS]),
        facts=_facts(facts, tracks), thumbnails=pictures,
        data=data, early=early, late=late, css=css, script=script,
        content_security=assets.content_security([script]))


def _data(tracks: Tracks, values: Mapping[str, packing.Values],
          taken: int) -> Tuple[Json, Texts, Texts]:
    """Returns the data for the scripts: descriptions, packed values that are
    needed when the page opens, and those that are needed later."""
    groups = charts(values, tracks.components)
    names = [name for _, group in groups for name in group]
    data: Json = {
        'frames': len(tracks.times), 'end': tracks.end / 1e9,
        'charts': [{'title': title, 'series': [
            {'name': name, 'meaning': meaning(name, tracks.components)}
            for name in group]} for title, group in groups],
        'histograms': []}
    drawn: Texts = []
    for number, (component, histogram) in enumerate(
            tracks.histograms.items()):
        levels_of = histogram.levels()
        data['histograms'].append({
            'component': component, 'bins': histogram.bins,
            'columns': levels_of.shape[1], 'span': histogram.span})
        drawn += [(f'histogram-{number}',
                   packing.deflate(levels_of.tobytes()))]
    levels, early, late = detail_levels.for_page(
        tracks.times, values, names,
        taken + sum(len(text) for _, text in drawn))
    return {**data, **levels}, early + drawn, late


def _event(event: Event) -> Json:
    return {'kind': event.kind, 'start': event.start / 1e9,
            'end': event.end / 1e9, 'sound': event.start_frame is None}


def _reason(reason: Reason) -> Json:
    start, end = reason.start, reason.end
    return {'severity': reason.severity, 'rule': printable.text(reason.rule),
            'message': printable.text(reason.message),
            'start': None if start is None else start / 1e9,
            'end': None if start is None else (
                max(start if end is None else end, start) / 1e9)}


def link(start: Optional[int], end: Optional[int]) -> str:
    """Returns the address of a time on the page."""
    if start is None:
        return ''
    end = start if end is None else max(end, start)
    return f'#t={start / 1e9:.3f},{end / 1e9:.3f}'


def _source(jpeg: bytes) -> str:
    return 'data:image/jpeg;base64,' + base64.b64encode(jpeg).decode('ascii')


def _picture(thumbnail: Thumbnail) -> Json:
    return {'source': _source(thumbnail.jpeg),
            'time': printable.clock(thumbnail.time),
            'link': link(thumbnail.time, thumbnail.time),
            'width': thumbnail.width, 'height': thumbnail.height,
            'scopes': [{
                'source': _source(jpeg), 'kind': kind,
                'caption': _CAPTIONS[kind], 'width': SCOPES[kind][0],
                'height': SCOPES[kind][1]}
                for kind, jpeg in thumbnail.scopes.items()]}


def _rate(video: Json, tracks: Tracks) -> Optional[str]:
    """Returns the frame rate of the stream or, if it varies, the measured
    mean."""
    if video.get('rate-mode') == 'variable' and tracks.end:
        mean = len(tracks.times) / tracks.end * 1e9
        return f'{mean:.4g} frames/s on average'
    rate = video.get('rate')
    return f'{rate[0] / rate[1]:.6g} frames/s' if rate and rate[1] else None


def _facts(facts: Json, tracks: Tracks) -> List[Tuple[str, str]]:
    """Returns what is known about the file and its measurement."""
    container = facts.get('container') or {}
    video = facts.get('video') or {}
    measured = facts.get('measured') or {}
    size = container.get('bytes')
    rows = [
        ('Container', container.get('format')),
        ('Size', f'{size / 1e6:,.1f} MB' if size else None),
        ('Duration', printable.clock(tracks.end)),
        ('Video', _joined([
            video.get('codec'),
            _joined([video.get('width'), video.get('height')], ' × '),
            _rate(video, tracks),
            video.get('format'), _joined([video.get('range'), 'range'], ' ')
            if video.get('range') else None, video.get('interlacing'),
            _orientation(video)])),
        ('Colours', video.get('colours')),
        ('Light', _joined([
            f'{name} {video[key]} cd/m2' for key, name in (
                ('max-cll', 'MaxCLL'), ('max-fall', 'MaxFALL'))
            if video.get(key)])),
        ('Sound', _joined([_sound(sound) for sound
                           in facts.get('audio') or []], '; ')),
        ('Frames', f'{len(tracks.times):,}'),
        ('Decoder', measured.get('decoder')),
        ('Measured on', measured.get('device')),
        ('Parts', _joined([measured.get('parts'),
                           measured.get('one-piece')], ': '))]
    return [(name, printable.text(value)) for name, value in rows if value]


def _orientation(video: Json) -> str:
    mirrored = ['mirrored'] if video.get('mirrored') else []
    turned = [f'shown turned by {video["rotation"]}° clockwise'] if (
        video.get('rotation')) else []
    return _joined([*mirrored, *turned])


def _sound(sound: Json) -> str:
    channels = sound.get('channels')
    rate = sound.get('rate')
    return _joined([sound.get('codec'),
                    f'{channels} channels' if channels else None,
                    f'{rate} Hz' if rate else None])


def _joined(parts: List[object], between: str = ', ') -> str:
    return between.join(str(part) for part in parts if part)
