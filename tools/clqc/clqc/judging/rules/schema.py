# SPDX-License-Identifier: LGPL-2.1-or-later
"""The form of a policy as a JSON schema. Each description names the allowed
values and ends an error message."""
from typing import Any, Dict

from clqc.judging.rules import completeness, stream_damage
from clqc.judging.rules.detectors import (KINDS, MOST_SECONDS, OF_ZONES,
                                          PICTURE, PROPERTIES)

Schema = Dict[str, Any]

PLACES = ('anywhere', 'ends', 'start', 'end', 'inside')

# The keys of [container]: what they are, and what their values are.
CONTAINER: Dict[str, str] = {
    'format': 'text', 'codec': 'text', 'width': 'number', 'height': 'number',
    'rate': 'rate', 'duration': 'number', 'range': 'text',
    'colours': 'text',
    'interlacing': 'text', 'depth': 'number', 'pixel-format': 'text',
    'pixel-aspect-ratio': 'rate', 'video-tracks': 'number',
    'audio-tracks': 'number', 'audio-codec': 'text',
    'audio-channels': 'number', 'audio-rate': 'number', 'rate-mode': 'text',
    'measured-rate': 'rate'}

# Keys of [container] that only files have.
OF_FILES = ('format', 'duration', 'video-tracks', 'rate-mode',
            'measured-rate')


def _table(properties: Schema, description: str = 'a table') -> Schema:
    return {'type': 'object', 'properties': properties,
            'additionalProperties': False, 'description': description}


def _text(description: str) -> Schema:
    return {'type': 'string', 'minLength': 1, 'description': description}


def _one_of(*values: str) -> Schema:
    return {'enum': list(values), 'description': ' or '.join(
        f'"{value}"' for value in values)}


def _number(least: float, greatest: float, unit: str) -> Schema:
    return {'type': 'number', 'minimum': least, 'maximum': greatest,
            'description': f'a number of {unit}, {least:g} to {greatest:g}'}


def _whole(least: int, greatest: int) -> Schema:
    return {'type': 'integer', 'minimum': least, 'maximum': greatest,
            'description': f'a whole number, {least} to {greatest}'}


def _list_of(*values: str) -> Schema:
    return {'type': 'array', 'uniqueItems': True, 'items': _one_of(*values),
            'description': 'a list of ' + ', '.join(
                f'"{value}"' for value in values) + ', each once'}


_LIMIT: Schema = {'type': 'number', 'description': 'a number'}
_SECONDS = {'type': 'number', 'minimum': 0, 'maximum': MOST_SECONDS,
            'description': 'a number of seconds, 0 or more'}
_SHARE = {'type': 'number', 'minimum': 0, 'maximum': 1,
          'description': 'a share, 0 to 1'}
_SEVERITY = _one_of('error', 'warning')
_WHOLE: Dict[str, Schema] = {
    'count': _whole(0, 2 ** 31 - 1), 'bytes': _whole(0, 2 ** 63 - 1),
    'seconds': _SECONDS}
_LEVEL = _number(-600, 0, 'dB of full scale')

_FIGURE: Schema = {
    'min': _LIMIT, 'max': _LIMIT, 'severity': _SEVERITY,
    'codes': _one_of('8-bit', 'native'),
    'low': _number(0, 65535, 'codes'), 'high': _number(0, 65535, 'codes')}

_FRAME: Schema = {**_FIGURE, 'share': _SHARE, 'for': _SECONDS,
                  'except': _list_of(*KINDS)}

_EVENT: Schema = {
    'max-count': _whole(0, 2 ** 31 - 1), 'max-duration': _SECONDS,
    'max-total': _SECONDS, 'max-share': _SHARE, 'min-duration': _SECONDS,
    'at': _one_of(*PLACES), 'except': _list_of(*KINDS),
    'severity': _SEVERITY}

_STREAM: Schema = {
    'max-count': _whole(0, 2 ** 31 - 1), 'max-share': _SHARE,
    'min-count': _whole(0, 2 ** 31 - 1), 'severity': _SEVERITY}

_VALUES: Dict[str, Schema] = {
    'text': {'type': 'string', 'minLength': 1},
    'number': {'type': 'number', 'minimum': 0},
    'rate': {'anyOf': [
        {'type': 'number', 'exclusiveMinimum': 0},
        {'type': 'string', 'pattern': '^[1-9][0-9]{0,8}/[1-9][0-9]{0,8}$'}]}}

_VALUE_WORDS = {
    'text': 'a text in quotes', 'number': 'a number, 0 or more',
    'rate': 'a number above 0 or a fraction as "30000/1001"'}


def _container(kind: str) -> Schema:
    value, words = _VALUES[kind], _VALUE_WORDS[kind]
    several = {'type': 'array', 'minItems': 1, 'items': value}
    keys: Schema = {
        'allowed': {'anyOf': [value, several],
                    'description': f'{words}, or a list of such'},
        'severity': _SEVERITY}
    if kind != 'text':
        keys['min'] = keys['max'] = {**value, 'description': words}
    names = 'allowed, severity' if kind == 'text' else (
        'allowed, min, max, severity')
    return {'if': {'type': 'object'}, 'then': _table(keys),
            'else': {'anyOf': [value, several], 'description':
                     f'{words}, a list of such, or a table with {names}'}}


def _rules(rule: Schema) -> Schema:
    """One table or several, [x] or [[x]]; made a list before."""
    return {'type': 'array', 'items': _table(rule),
            'description': 'a table'}


def _measure() -> Schema:
    keys: Schema = {'events': _list_of(*PICTURE),
                    'grid-columns': _whole(1, 1023),
                    'grid-rows': _whole(1, 1023),
                    'significant-bits': _whole(9, 16),
                    'card-file': _text('the path of a card file')}
    for row in PROPERTIES.values():
        keys[row.name] = (_SECONDS if row.unit == 'seconds' else
                          _SHARE if row.unit == 'share' else
                          _number(0, 1000, 'ratio') if row.unit == 'ratio' else
                          _number(0, 100, 'percent'))
    return keys


def _named(rule: Schema) -> Schema:
    """Returns the schema of tables with any name; checks.py checks the names
    of statistics."""
    return {'type': 'object', 'additionalProperties': _rules(rule),
            'description': 'a table of tables'}


POLICY: Schema = _table({
    'name': _text('a text in quotes'),
    'description': _text('a text in quotes'),
    'measure': _table(_measure()),
    'audio': _table({'silence-level': _LEVEL, 'silence-duration': _SECONDS}),
    'live': _table({
        'unhealthy-after': _SECONDS, 'healthy-after': _SECONDS,
        'window': _number(1, 86400, 'seconds'),
        'signal-loss-timeout': _SECONDS}),
    'frames': _named(_FRAME),
    'zones': _named(_FRAME),
    'pooled': _named(_FIGURE),
    **{table: _table({'severity': _SEVERITY, **{
        row.key: _WHOLE[row.unit] for row in rows}})
       for table, rows in completeness.TABLES.items()},
    'events': _table({kind: _rules(_EVENT) for kind in KINDS}),
    'zone-events': _table({kind: _rules(_EVENT) for kind in OF_ZONES}),
    'stream': _table({key: _rules(_STREAM) for key in stream_damage.ROWS}),
    'container': _table({'severity': _SEVERITY, **{
        key: _container(kind) for key, kind in CONTAINER.items()}})})
