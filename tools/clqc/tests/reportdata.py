# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs for the tests of reports: real lines of clframesum, and synthetic
frames."""
import gzip
import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Sequence

from clqc.results import fields, result_files

ROOT = Path(__file__).resolve().parents[3]
CLIP = ROOT / 'tests' / 'data' / 'pedestrians.avi'
STATISTICS = '+'.join((*fields.SIGNALSTATS, 'histogram'))

FACTS: Dict[str, Any] = {
    'container': {'format': 'AVI', 'duration': 6 * 10 ** 9, 'bytes': 700_000,
                  'sha256': '00'},
    'video': {'codec': 'MS-MPEG-4', 'width': 768, 'height': 576,
              'rate': [10, 1], 'range': 'limited',
              'interlacing': 'progressive', 'format': 'I420', 'depth': 8,
              'pixel-aspect-ratio': [1, 1]},
    'audio': [{'codec': 'AAC', 'channels': 2, 'rate': 48000}],
    'measured': {'frames': 60, 'decoder': 'avdec_msmpeg4', 'parts': 1,
                 'one-piece': None, 'device': 'a device', 'plugin': '0.3.0'}}


def measure(clip: Path, lines: Path) -> List[Dict[str, Any]]:
    """Returns the lines of frames that clframesum writes for a clip."""
    environment = dict(os.environ)
    build = ROOT / 'build'
    environment.setdefault('GST_PLUGIN_PATH', str(build / 'gst'))
    environment.setdefault('POCL_CACHE_DIR', str(build / 'pocl-cache'))
    subprocess.run(
        ['gst-launch-1.0', '-q', 'filesrc', f'location={clip}', '!',
         'decodebin', '!', 'videoconvert', 'dither=none', '!', 'clframesum',
         'key-style=lavfi', f'statistics={STATISTICS}', 'histogram-bins=0',
         f'location={lines}', 'post-messages=false', 'stats-meta=false', '!',
         'fakesink'], check=True, env=environment, timeout=300)
    with open(lines, encoding='utf-8') as file:
        parsed = [json.loads(line) for line in file]
    return [line for line in parsed if line['type'] == 'frame']


def synthetic(count: int, step: int = 40_000_000) -> Iterator[Dict[str, Any]]:
    """Returns frames with every field that reports draw; YAVG is a sawtooth of
    1000 frames, and YMAX is 255 in frame 777 only. Histograms are rare, which
    saves time."""
    components = ['Y', 'U', 'V']
    fixed: Dict[str, Any] = {}
    for component in components:
        for place, key in enumerate(
                ('MIN', 'LOW', 'AVG', 'HIGH', 'MAX', 'DIF', 'BITDEPTH')):
            fixed[component + key] = 16 + 30 * place
    for key in ('SATMIN', 'SATLOW', 'SATAVG', 'SATHIGH', 'SATMAX', 'HUEMED',
                'HUEAVG', 'hue-median', 'hue-mean'):
        fixed[key] = 90
    for key in ('TOUT', 'VREP', 'BRNG', 'gamut', 'hue-concentration'):
        fixed[key] = 0.25
    fixed.update({'components': components, 'duration': step,
                  'median': [100, 120, 130], 'stddev': [40.5, 12.25, 9.125],
                  'width': 768, 'height': 576, 'format': 'I420', 'depth': 8})
    histogram = [[0] * 100 + [50] * 56 + [0] * 100] * 3
    for number in range(count):
        frame = dict(fixed)
        frame['frame'] = number
        frame['timestamp'] = frame['stream-time'] = number * step
        frame['YAVG'] = 50 + number % 1000 / 10
        frame['YDIF'] = (number * 7919 % 1009) / 500
        frame['YMAX'] = 255 if number == 777 else 235
        if number % 64 == 0:
            frame['histogram'] = histogram
        yield frame


class Synthetic(result_files.Results):
    """An input whose folder does not exist."""

    def __init__(self, frames: Iterable[Dict[str, Any]],
                 events: Sequence[result_files.Event] = ()) -> None:
        super().__init__('nowhere')
        self._frames = frames
        self._events = list(events)

    def frames(self) -> Iterator[Dict[str, Any]]:
        return iter(self._frames)

    def events(self) -> List[result_files.Event]:
        return self._events

    def facts(self) -> Dict[str, Any]:
        return FACTS


def keep(folder: Path, frames: Iterable[Dict[str, Any]],
         events: Sequence[result_files.Event] = ()) -> result_files.Results:
    """Creates the folder of an input on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = result_files.Results(str(folder))
    with gzip.open(kept.path(result_files.FRAMES), 'wt',
                   encoding='utf-8') as file:
        for frame in frames:
            file.write(json.dumps(frame) + '\n')
    kept.write(result_files.EVENTS, {'settings': {}, 'audio': {}, 'events': [
        asdict(event) for event in events]})
    kept.write(result_files.FACTS, FACTS)
    return kept
