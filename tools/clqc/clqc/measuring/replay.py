# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects events and computes the pooled result of frames that were measured
before, with the detectors of clframesum in the plugin's program clqc-replay.
"""
import json
import os
import re
import shutil
import subprocess
from functools import lru_cache
from typing import IO, Dict, List, Tuple

from clqc.common.errors import ClqcError
from clqc.judging.rules.detectors import VALUES
from clqc.results.fields import check_version
from clqc.results.result_files import Event, Json

NAME = 'clqc-replay'


def _program() -> str:
    """Returns the program that the environment names (build/clqc sets it), or
    the installed one."""
    folders = ['/usr/libexec/gst-opencl', '/usr/local/libexec/gst-opencl']
    for path in [os.environ.get('CLQC_REPLAY', ''),
                 *(os.path.join(folder, NAME) for folder in folders)]:
        if path and os.access(path, os.X_OK):
            return path
    found = shutil.which(NAME)
    if not found:
        raise ClqcError(f'{NAME} was not found; it is installed with the '
                        'plugin, or CLQC_REPLAY names it')
    return found


@lru_cache(maxsize=None)
def _check_version(program: str) -> None:
    """Raises ClqcError if the program writes lines of another version."""
    done = subprocess.run([program, '--version'], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False)
    found = re.search(r', schema (\d+)$', done.stdout.strip())
    check_version(int(found[1]) if found else None, program)


def _event(line: Json) -> Event:
    is_cut = line['event'] == 'scene'
    start = line['stream-time'] if is_cut else line['start-stream-time']
    return Event(
        line['event'], start or 0, line['stream-time'] or 0,
        line['frame'] if is_cut else line['start-frame'], line['frame'],
        {name: line[name] for name in VALUES if name in line},
        line.get('zone'))


def replay(frames: IO[bytes],
           settings: Dict[str, str]) -> Tuple[List[Event], Json]:
    """Detects events, of zones if @settings have zone-events. @frames: lines
    that were measured with the statistic `detection`. @settings: properties of
    clframesum, of which those of events are used."""
    options = [f'--{name}={value}' for name, value in settings.items()
               if not name.startswith(('grid-', 'region-', 'significant-'))]
    program = _program()
    _check_version(program)
    done = subprocess.run([program, *options], stdin=frames, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise ClqcError(done.stderr.decode(errors='replace').strip() or
                        f'{NAME} ended with status {done.returncode}')
    events: List[Event] = []
    pooled: Json = {}
    for text in done.stdout.splitlines():
        line = json.loads(text)
        if line['type'] == 'pooled':
            pooled = pooled or line
        elif line['event'] == 'scene' or line['state'] == 'end':
            events.append(_event(line))
    events.sort(key=lambda event: (event.start, event.kind))
    return events, pooled
