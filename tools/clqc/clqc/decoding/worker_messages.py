# SPDX-License-Identifier: LGPL-2.1-or-later
"""The messages of clqc.decoding.worker, as JSON on one line. An array.array is
encoded as a string, because a list of numbers takes ten times the memory."""
import base64
import json
import os
from array import array
from typing import Any, Dict

# A pipeline without progress for this many seconds hangs; a process without a
# message for as long is ended, and a worker of a farm gets no more tasks.
STALL_SECONDS = float(os.environ.get('CLQC_STALL_SECONDS', '60'))

# Compiling the kernels for the first frames may take this many seconds.
COMPILE_SECONDS = 5 * STALL_SECONDS

# Seconds between two messages `alive` of a process.
ALIVE_SECONDS = STALL_SECONDS / 12


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
    """Returns a value as one line, without a line end."""
    return json.dumps(answer, default=_packed)


def parse(line: str) -> Dict[str, Any]:
    """Returns the value that text() encoded."""
    answer: Dict[str, Any] = json.loads(line, object_hook=_unpacked)
    return answer
