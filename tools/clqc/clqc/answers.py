# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of clqc.worker as text: JSON in one line, in which an array.array is
a string, since a list of numbers takes ten times the memory."""
import base64
import json
from array import array
from typing import Any, Dict


def _packed(value: Any) -> Any:
    if not isinstance(value, array):
        raise TypeError(f'{type(value).__name__} has no form in JSON')
    return {'array': value.typecode,
            'bytes': base64.b64encode(value).decode('ascii')}


def _unpacked(value: Dict[str, Any]) -> Any:
    if value.keys() != {'array', 'bytes'}:
        return value
    return array(value['array'], base64.b64decode(value['bytes']))


def text(answer: Dict[str, Any]) -> str:
    """A line, without its end."""
    return json.dumps(answer, default=_packed)


def parse(line: str) -> Dict[str, Any]:
    """What text() was given."""
    answer: Dict[str, Any] = json.loads(line, object_hook=_unpacked)
    return answer
