# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the page of a comparison."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from clqc.common import files, printable
from clqc.judging.comparison import Judgement
from clqc.reporting import assets, detail_levels
from clqc.reporting.report import link
from clqc.results.compared import METRICS, Compared, Metric
from clqc.results.result_files import Json

# Frames that are shown, and least nanoseconds between two of them.
SHOWN = 6
APART = 5 * 10 ** 8

# Curves end here, in dB: that of equal frames would be infinite.
_MOST = 100.0

# Columns of the table of values after that of the whole file.
_OF_FRAMES = (('min', 'worst frame'), ('p1', 'p1'), ('p5', 'p5'),
              ('p50', 'p50'), ('harmonic-mean', 'harmonic mean'))

# Lanes of events have the number of the file.
_LABELS = {'unpaired': 'unpaired', 'offset': 'shifted',
           'mismatch': 'mismatch'}


@dataclass
class Shown:
    """A frame that is shown."""
    time: int  # nanoseconds of the reference's stream time
    frame: int
    why: str
    pictures: Json = field(default_factory=dict)  # result of `differences`


@dataclass
class Page:
    """What a page shows."""
    reference: str
    names: List[str]
    compared: List[Compared]
    judgement: Judgement
    facts: List[List[Tuple[str, str]]]  # of each file
    how: List[Tuple[str, str]]          # it was measured
    shown: List[Shown]
    has_limits: bool = False


class Frames:
    """The values of all files by the number of the frame of the reference."""

    def __init__(self, compared: Sequence[Compared]) -> None:
        self.compared = compared
        numbers = [np.frombuffer(one.numbers, dtype=np.int64)
                   for one in compared]
        self.count = 1 + max((int(one[-1]) for one in numbers if len(one)),
                             default=-1)
        times = np.full(self.count, np.nan)
        for one, file in zip(numbers, compared):
            times[one] = np.frombuffer(file.times, dtype=np.int64)
        known = np.flatnonzero(np.isfinite(times))
        self.times = [] if not self.count else np.interp(
            np.arange(self.count), known, times[known]).astype(
                np.int64).tolist()
        self._numbers = numbers

    def end(self) -> int:
        """Returns the end of the last frame in nanoseconds."""
        last = self.times[-1:] or [0]
        step = (self.times[-1] - self.times[0]) // (self.count - 1) if (
            self.count > 1) else 40_000_000
        return int(last[0]) + int(step)

    def values(self, index: int, metric: Metric
               ) -> Optional[npt.NDArray[np.float64]]:
        """Returns the values of a file, one per frame, NaN where it has none;
        None if the metric was not measured."""
        found = self.compared[index].values.get(metric.name)
        if found is None:
            return None
        track = np.full(self.count, np.nan)
        track[self._numbers[index]] = np.frombuffer(found)
        return track


def choose(names: Sequence[str], frames: Frames) -> List[Shown]:
    """Returns the frames to show, ordered by time: the worst of each file by
    each metric, and those in which the files differ most."""
    wanted: List[Tuple[int, str]] = []
    for metric in METRICS:
        tracks = [frames.values(i, metric) for i in range(len(names))]
        for name, track in zip(names, tracks):
            if track is not None and np.isfinite(track).any():
                known = np.where(np.isfinite(track), track, np.inf)
                wanted.append((int(known.argmin()),
                               f'least {metric.title} of {name}'))
        if len(names) > 1 and all(track is not None for track in tracks):
            all_of = np.minimum(np.array(tracks), _MOST)
            spread = np.nan_to_num(all_of.max(axis=0) - all_of.min(axis=0))
            if spread.max(initial=0) > 0:
                wanted.append((int(spread.argmax()),
                               f'{metric.title} differs most'))
    chosen: Dict[int, Shown] = {}
    for number, why in wanted:
        time = frames.times[number]
        near = next((shown for shown in chosen.values()
                     if abs(shown.time - time) < APART), None)
        if near is None and len(chosen) < SHOWN:
            chosen[number] = Shown(time, number, why)
        elif near is not None and near.frame == number:
            near.why += f', {why}'
    return sorted(chosen.values(), key=lambda shown: shown.time)


def write(path: str, page: Page) -> None:
    """Writes the page atomically."""
    frames = Frames(page.compared)
    script, css = assets.with_curves('report.css', 'comparison.css')
    data, early, late = _data(page, frames, len(script) + len(css) + sum(
        len(text) for shown in page.shown
        for texts in shown.pictures.values() if isinstance(texts, list)
        for text in texts))
    text = assets.template('comparison.html').generate(
        page=page, verdict=page.judgement.verdict, notes=page.judgement.notes,
        failures=[text for texts in page.judgement.failures for text in texts],
        tables=[_table(page, metric) for metric in METRICS
                if _is_measured(page, metric)],
        columns=['whole file', *(title for _, title in _OF_FRAMES)],
        shown=[_shown(page, frames, shown) for shown in page.shown],
        has_equal=_has_equal(page), most=_MOST, link=link, data=data,
        early=early, late=late, css=css, script=script,
        content_security=assets.content_security([script]))
    with files.replacing(path) as out:
        out.writelines(text)


def _is_measured(page: Page, metric: Metric) -> bool:
    return any(metric.name in one.values for one in page.compared)


def _has_equal(page: Page) -> bool:
    return any(np.isinf(np.frombuffer(values)).any()
               for one in page.compared for values in one.values.values()
               if len(values))


def _table(page: Page, metric: Metric) -> Json:
    """Returns the rows of a metric; the best value of a column is marked."""
    columns = [[file.whole(metric) for file in page.compared]]
    columns += [[file.of(metric, what) for file in page.compared]
                for what, _ in _OF_FRAMES]
    cells = []
    for column in columns:
        known = [value for value in column if value is not None]
        best = metric.text(max(known)) if len(set(
            map(metric.text, known))) > 1 else None
        cells.append([
            {'text': '–' if value is None else metric.text(value),
             'best': value is not None and metric.text(value) == best}
            for value in column])
    title = f'{metric.title}, {metric.unit}' if metric.unit else metric.title
    return {'title': title, 'rows': [
        {'name': name, 'number': number, 'cells': list(row)}
        for number, (name, row) in enumerate(zip(page.names, zip(*cells)), 1)]}


def _shown(page: Page, frames: Frames, shown: Shown) -> Json:
    values: List[List[str]] = []
    for i in range(len(page.names)):
        tracks = {metric: frames.values(i, metric) for metric in METRICS}
        values.append([
            f'{metric.title} {metric.text(float(track[shown.frame]))}'
            if not np.isnan(track[shown.frame]) else 'not compared'
            for metric, track in tracks.items() if track is not None])
    pictures = shown.pictures
    return {'time': shown.time, 'frame': shown.frame, 'why': shown.why,
            'gain': pictures.get('gain'), 'sources': [
                {'name': name, 'lines': lines, 'picture': picture,
                 'detail': detail, 'difference': difference}
                for name, lines, picture, detail, difference in zip(
                    [page.reference, *page.names],
                    [['the reference', *[''] * (len(values[0]) - 1)], *values],
                    pictures.get('pictures', ()), pictures.get('details', ()),
                    [None, *pictures.get('differences', ())])]}


def _events(page: Page) -> List[Json]:
    """Returns the events for the lanes."""
    found: List[Json] = []
    for number, file in enumerate(page.compared, 1):
        for row in file.ends:
            label = _LABELS.get(row['event'], row['event'])
            start = row['start-stream-time'] or 0
            end = max(row['stream-time'] or 0, start)
            found.append({'kind': f'{label} {number}' if len(page.names) > 1
                          else label, 'start': start / 1e9, 'end': end / 1e9,
                          'sound': False})
    found += [{'kind': 'shown below', 'start': shown.time / 1e9,
               'end': shown.time / 1e9, 'sound': False}
              for shown in page.shown]
    return sorted(found, key=lambda event: float(event['start']))


def _data(page: Page, frames: Frames, taken: int
          ) -> Tuple[Json, detail_levels.Texts, detail_levels.Texts]:
    """Returns the data for the scripts, as report.py does."""
    charts: List[Json] = []
    values: Dict[str, Any] = {}
    for metric in METRICS:
        series = []
        for number, name in enumerate(page.names):
            track = frames.values(number, metric)
            if track is not None:
                values[f'{metric.name} {number}'] = np.minimum(track, _MOST)
                series.append({'name': printable.text(name), 'is-file': True,
                               'meaning': f'{metric.title} of each frame'})
        if series:
            charts.append({'title': metric.title + (
                f', {metric.unit}' if metric.unit else ''), 'series': series})
    levels, early, late = detail_levels.for_page(
        frames.times, values, list(values), taken)
    return {'frames': frames.count, 'end': frames.end() / 1e9,
            'charts': charts, 'histograms': [], 'events': _events(page),
            'reasons': [], 'is-full-range': False, **levels}, early, late
