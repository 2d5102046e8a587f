# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of the table container: the policy's, the file's, and their
comparison."""
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, List, Optional

from clqc.judging.rules.detectors import NANOSECONDS
from clqc.judging.rules.model import Value
from clqc.judging.rules.schema import CONTAINER
from clqc.results.result_files import Json

# Tolerance of rates: 29.97 is 30000/1001, 23.98 is 24000/1001.
CLOSE = 0.005


def value_of(key: str, value: Any) -> Value:
    """Returns a policy's value as a number or fraction for comparison."""
    if CONTAINER[key] == 'rate' and isinstance(value, str):
        return Fraction(value)
    return value if isinstance(value, str) else float(value)


def agrees(key: str, found: Value, allowed: Value) -> bool:
    """Returns whether two values agree. Texts are compared without case; `*`
    in the policy stands for any text, `?` for any character."""
    if isinstance(found, str) or isinstance(allowed, str):
        return (isinstance(found, str) and isinstance(allowed, str)
                and fnmatchcase(found.lower(), allowed.lower()))
    if CONTAINER[key] == 'rate':
        return abs(float(found) - float(allowed)) < CLOSE
    return found == allowed


def shown(value: Optional[Value]) -> str:
    """Returns a value for people."""
    if value is None:
        return 'unknown'
    if isinstance(value, Fraction):
        return f'{float(value):.6g}'
    return value if isinstance(value, str) else f'{value:.10g}'


def _fraction(pair: Any) -> Optional[Fraction]:
    return Fraction(*pair) if pair and pair[1] else None


def found(facts: Json, key: str) -> List[Optional[Value]]:
    """Returns the file's value, or for audio one per track; None if unknown.
    """
    audio = facts.get('audio') or []
    if key == 'audio-tracks':
        return [float(len(audio))]
    if key.startswith('audio-'):
        return [track.get(key.removeprefix('audio-')) for track in audio]
    container, video = facts.get('container') or {}, facts.get('video') or {}
    if key == 'format':
        return [container.get('format')]
    if key == 'duration':
        duration = container.get('duration')
        return [None if duration is None else duration / NANOSECONDS]
    if key == 'video-tracks':
        return [video.get('tracks')]
    if key == 'pixel-format':
        return [video.get('format')]
    if CONTAINER[key] == 'rate':
        return [_fraction(video.get(key))]
    return [video.get(key)]
