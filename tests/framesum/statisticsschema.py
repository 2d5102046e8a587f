#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fields of a frame in docs/statistics.schema.json are those of
gst/statistics/gstclstatistictable.h, with the descriptions of its rows,
and docs/statistics.md has each of them and each flag.

usage: statisticsschema.py [--write]    creates the schema's part again
Fails if the schema differs, or if the page lacks a name.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / 'gst/statistics/gstclstatistictable.h'
SCHEMA = ROOT / 'docs/statistics.schema.json'
PAGE = ROOT / 'docs/statistics.md'

FLAG = re.compile(r'ROW \((\w+), "([a-z-]+)", [^"]*, (\w+), "')
FIELD = re.compile(r'ROW \("([a-z-]+)", (\w+), (\w+), [][\w.]+, (\w+), '
                   r'"(\w*)", "([^"]+)"\)')

DERIVED = re.compile(r'DERIVED \(("[a-z-]+", \w+), \w+,')

# The types of a component's values, by the kind of the row: a name in $defs.
OF_COMPONENT = {'COUNT': 'integers', 'UINT64': 'integers', 'UINT': 'codes',
                'INT': 'places', 'DOUBLE': 'numbers',
                'HISTOGRAM': 'histograms', 'PACKED_HISTOGRAM': 'packed',
                'ROWS': 'histograms', 'COLUMNS': 'histograms',
                'CELLS': 'histograms', 'COUNTS': 'packed', 'SHAPE': 'shapes'}
# The type of a frame's value, by kind and unit.
OF_FRAME = {('UINT', 'CODES'): {'$ref': '#/$defs/code'},
            ('UINT', 'DEGREES'): {'type': 'integer', 'minimum': 0,
                                  'maximum': 359},
            ('DOUBLE', 'CODES'): {'type': 'number', 'minimum': 0},
            ('DOUBLE', 'DEGREES'): {'type': 'number', 'minimum': 0,
                                    'exclusiveMaximum': 360},
            ('DOUBLE', 'SHARE'): {'$ref': '#/$defs/share'},
            ('DOUBLE', 'RATIO'): {'type': 'number', 'minimum': 0},
            ('DOUBLE', 'LIGHT'): {'type': 'number', 'minimum': 0},
            ('DOUBLE', 'NONE'): {'type': 'number'},
            ('TEXT', 'NONE'): {'$ref': '#/$defs/range'},
            ('COUNTS', 'NONE'): {'$ref': '#/$defs/base64'},
            ('SHAPE', 'NONE'): {'$ref': '#/$defs/shape'}}
# The prefixes of fields, by what has the statistic beside frames.
PREFIXES = {'PICTURES': 'field', 'REGIONS': '(zone|roi|field)'}
# The types of regions' values, by the kind of the row.
OF_REGIONS = OF_COMPONENT | {'UINT': 'integers', 'TEXT': 'ranges'}


def read_table():
    """Returns the name of each flag, what has it, and the rows of both lists of
    fields."""
    text = re.sub(r'\s*\\\n\s*', ' ', TABLE.read_text(encoding='utf-8'))
    text = DERIVED.sub(r'ROW (\1, DOUBLE, derived,', text)
    flags, components = text.split('#define GST_CL_COMPONENT_FIELDS')
    components, region = components.split('#define GST_CL_REGION_FIELDS')
    found = FIELD.findall(components), FIELD.findall(region)
    if sum(map(len, found)) != text.count('ROW ("'):
        sys.exit(f'{TABLE.name}: a row that this does not read')
    rows = FLAG.findall(flags)
    return ({flag: nick for flag, nick, _ in rows},
            {flag: where for flag, _, where in rows}, *found)


def fields(flags, rows, value_of):
    """Returns the properties of a frame, a line each."""
    for name, flag, kind, unit, key, words in rows:
        said = {'statistics': flags[flag], 'words': words}
        if unit != 'NONE':
            said['unit'] = unit.lower()
        if key:
            said['signalstats'] = key
        value = json.dumps(value_of(kind, unit) | said)
        yield f'        "{name}": {value},\n'.replace(
            ', "statistics"', ',\n          "statistics"')


def patterns(where, rows, is_of_component):
    """Returns the properties of zones, regions of interest and fields: those of
    one type share a pattern."""
    groups = {}
    for name, flag, kind, *_ in rows:
        if where[flag] == 'FRAMES':
            continue
        prefix = PREFIXES[where[flag]]
        groups.setdefault((prefix, OF_REGIONS[kind]), []).append(name)
    for (prefix, kind), names in groups.items():
        value = {'$ref': f'#/$defs/{kind}'}
        if is_of_component:
            value = {'type': 'array', 'items': value}
        yield (f'        "^{prefix}-({"|".join(names)})$":\n'
               f'          {json.dumps(value)},\n')


def make(text):
    """Returns the schema with its generated parts."""
    flags, where, components, region = read_table()
    made = [
        *fields(flags, components, lambda kind, _: {
            '$ref': f'#/$defs/{OF_COMPONENT[kind]}'}),
        *fields(flags, region, lambda kind, unit: OF_FRAME[kind, unit])]
    of_regions = [
        *patterns(where, components, True), *patterns(where, region, False)]
    for first, behind, lines in (
            ('        "count": ', '        "full-range": ', made),
            ('        "^(zone|roi|field)-(count', '        "^([A-Z]|SAT)(MIN',
             of_regions)):
        begin = text.index(first)
        end = text.index(behind, begin)
        text = text[:begin] + ''.join(lines) + text[end:]
    return text


def lacking():
    """Returns the names that no row of a table of the page begins with."""
    cells = [line.split('|')[1] for line
             in PAGE.read_text(encoding='utf-8').splitlines()
             if line.startswith('| `')]
    flags, _, components, region = read_table()
    named = set(re.findall('`([a-z-]+)`', ' '.join(cells)))
    return {*flags.values(), *(row[0] for row in components + region)} - named


def main():
    text = SCHEMA.read_text(encoding='utf-8')
    made = make(text)
    json.loads(made)
    if sys.argv[1:] == ['--write']:
        SCHEMA.write_text(made, encoding='utf-8')
    elif made != text:
        sys.exit(f'{SCHEMA.name} is not what {TABLE.name} says: run '
                 f'tests/framesum/{pathlib.Path(__file__).name} --write')
    elif lacking():
        sys.exit(f'{PAGE.name} lacks {", ".join(sorted(lacking()))}')


if __name__ == '__main__':
    main()
