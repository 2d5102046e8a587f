# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fields of a frame's line, from docs/statistics.schema.json."""
import json
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional


@dataclass(frozen=True)
class Field:
    """A field of the line of a frame."""
    name: str
    flag: str            # flag of clframesum's statistics
    words: str           # description, followed by the name of a component
    unit: Optional[str]  # None: no rule can limit it
    key: str             # key of signalstats, or ''
    has_components: bool


def _read() -> List[Field]:
    path = Path(__file__).with_name('statistics.schema.json')
    with open(path, encoding='utf-8') as file:
        rows = json.load(file)['$defs']['frame']['properties']
    arrays = {f'#/$defs/{name}' for name in (
        'integers', 'numbers', 'codes', 'places', 'histograms', 'packed',
        'shapes')}
    return [Field(name, row['statistics'], row['words'], row.get('unit'),
                  row.get('signalstats', ''), row.get('$ref') in arrays)
            for name, row in rows.items() if 'statistics' in row]


FIELDS = tuple(_read())

# All flags that the keys of signalstats need.
SIGNALSTATS = tuple(dict.fromkeys(
    field.flag for field in FIELDS if field.key))

# Of every file: with histograms, which have a bin for each code.
STATISTICS = (*SIGNALSTATS, 'histogram', 'detection')
