# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges rules about the container and the streams in it."""
from typing import List, Optional

from clqc.judging.rules.container_values import agrees, found, shown
from clqc.judging.rules.model import ContainerRule, Value
from clqc.results.result_files import Json, Reason

_WORDS = {
    'format': 'container', 'rate': 'frame rate',
    'rate-mode': 'frame rate mode', 'measured-rate': 'measured frame rate',
    'range': 'colour range',
    'depth': 'bit depth', 'pixel-format': 'pixel format',
    'pixel-aspect-ratio': 'pixel aspect ratio',
    'video-tracks': 'number of video tracks',
    'audio-tracks': 'number of audio tracks', 'audio-codec': 'audio codec',
    'audio-channels': 'number of audio channels',
    'audio-rate': 'audio sampling rate'}


def _keeps(rule: ContainerRule, value: Optional[Value]) -> bool:
    if value is None:
        return rule.allowed is not None and 'unknown' in rule.allowed
    if rule.allowed is not None and not any(
            agrees(rule.key, value, allowed) for allowed in rule.allowed):
        return False
    number = 0.0 if isinstance(value, str) else float(value)
    for limit, sign in ((rule.minimum, 1), (rule.maximum, -1)):
        if limit is None or isinstance(limit, str):
            continue
        if sign * (number - float(limit)) < 0 and not agrees(
                rule.key, value, limit):
            return False
    return True


def _allowed(rule: ContainerRule) -> str:
    limits = []
    if rule.allowed is not None:
        limits.append('allowed is '
                      + ' or '.join(shown(value) for value in rule.allowed))
    if rule.minimum is not None:
        limits.append(f'at least {shown(rule.minimum)}')
    if rule.maximum is not None:
        limits.append(f'at most {shown(rule.maximum)}')
    return ', '.join(limits)


def judge(rule: ContainerRule, facts: Json) -> List[Reason]:
    """Returns the reasons of a rule; for audio there may be one per track."""
    reasons = []
    values = found(facts, rule.key)
    for place, value in enumerate(values, 1):
        if _keeps(rule, value):
            continue
        track = f' of audio track {place}' if len(values) > 1 else ''
        limit = rule.minimum if rule.maximum is None else rule.maximum
        reasons.append(Reason(
            rule.name, rule.severity,
            f'The {_WORDS.get(rule.key, rule.key)}{track} is '
            f'{shown(value)}; {_allowed(rule)}.',
            value=None if value is None or isinstance(value, str)
            else float(value),
            limit=None if limit is None or isinstance(limit, str)
            else float(limit)))
    return reasons
