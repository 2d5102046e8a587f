# SPDX-License-Identifier: LGPL-2.1-or-later
"""The version of lines and the fields of a frame, from their schema."""
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from clqc import __version__
from clqc.common.errors import ClqcError


@dataclass(frozen=True)
class Field:
    """A field of the line of a frame."""
    name: str
    flag: str            # flag of clframesum's statistics
    words: str           # description, followed by the name of a component
    unit: Optional[str]  # None: no rule can limit it
    key: str             # key of signalstats, or ''
    has_components: bool


def _read() -> Dict[str, Any]:
    path = Path(__file__).parents[1] / 'statistics.schema.json'
    if not path.exists():  # in a checkout, which is not installed
        path = Path(__file__).parents[4] / 'docs' / path.name
    schema: Dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return schema


_SCHEMA = _read()

# The version of lines that this clqc reads and writes.
VERSION: int = _SCHEMA['properties']['schema']['const']


def check_version(version: Optional[int], who: str) -> None:
    """Raises ClqcError if lines of @who have another version. None: written by
    a release before version 1, which has the same fields."""
    if (1 if version is None else version) != VERSION:
        raise ClqcError(
            f'{who}: the lines have version {version} of the schema, and clqc '
            f'{__version__} reads version {VERSION}: install clqc and '
            'gst-opencl of one release')


def check_first_line(line: Union[str, bytes], who: str) -> None:
    """Checks the version in the first line of a file; see check_version()."""
    if isinstance(line, bytes):
        line = line[:64].decode(errors='replace')
    found = re.match(r'\{"type":"[a-z]+","schema":(\d+)', line)
    check_version(int(found[1]) if found else None, who)


def _fields() -> List[Field]:
    rows = _SCHEMA['$defs']['frame']['properties']
    arrays = {f'#/$defs/{name}' for name in (
        'integers', 'numbers', 'codes', 'places', 'histograms', 'packed',
        'shapes')}
    return [Field(name, row['statistics'], row['words'], row.get('unit'),
                  row.get('signalstats', ''), row.get('$ref') in arrays)
            for name, row in rows.items() if 'statistics' in row]


FIELDS = tuple(_fields())

# All flags that the keys of signalstats need.
SIGNALSTATS = tuple(dict.fromkeys(
    field.flag for field in FIELDS if field.key))

# Of every file: with histograms, which have a bin for each code.
STATISTICS = (*SIGNALSTATS, 'histogram', 'detection')
