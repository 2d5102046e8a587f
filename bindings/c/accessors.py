#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes gst/opencl/statistics.h, typed access to the results of clframesum,
from the rows of gst/statistics.

usage: accessors.py TEMPLATE OUTPUT
       accessors.py --checks OUTPUT   calls of all functions, for the test
"""
import json
import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERIES = ROOT / 'gst/statistics/series/gstclseriesframe.c'
sys.path.insert(0, str(ROOT / 'tests/framesum'))
from statisticsschema import (  # noqa: E402, beside the schema's test
    SCHEMA, read_table)

# By the kind of a row: the function of the template, and the type of a value.
KINDS = {
    'COUNT': ('uint64', 'guint64 *'), 'UINT64': ('uint64', 'guint64 *'),
    'UINT': ('uint', 'guint *'), 'INT': ('int', 'gint *'),
    'DOUBLE': ('double', 'gdouble *'), 'TEXT': ('string', 'const gchar **'),
    'HISTOGRAM': ('numbers', 'guint64 *'), 'SHAPE': ('shape', 'guint *'),
    'PACKED_HISTOGRAM': ('packed', 'gsize *'), 'ROWS': ('packed', 'gsize *'),
    'COLUMNS': ('packed', 'gsize *'), 'CELLS': ('packed', 'gsize *'),
    'COUNTS': ('packed', 'gsize *'), 'BOOLEAN': ('boolean', 'gboolean *'),
    'DOUBLES': ('doubles', 'gdouble *')}
RETURNS = {'numbers': 'guint', 'doubles': 'guint', 'packed': 'const guint32 *'}
# By what is measured: parameters, and the index of a value.
PLACES = {
    '': ('', '-1'),
    'zone': ('guint column, guint row, ',
             'gst_cl_statistics_find_zone (structure, column, row)'),
    'roi': ('guint roi, ', '(gint) MIN (roi, (guint) G_MAXINT)'),
    'field': ('guint field, ', '(gint) MIN (field, 2)'),
    'components': ('guint index, ', '(gint) MIN (index, (guint) G_MAXINT)')}
# By what has the statistic.
OF = {'FRAMES': [''], 'PICTURES': ['', 'field'],
      'REGIONS': ['', 'zone', 'roi', 'field']}
WORDS = {'': '', 'zone': ' a zone', 'roi': ' a region of interest',
         'field': ' the top (0) or the bottom field (1)'}
UNITS = {'CODES': ', in codes', 'SQUARES': ', in squares of codes',
         'BITS': '', 'SHARE': ', from 0 to 1', 'DEGREES': ', in degrees',
         'LIGHT': ', in cd/m2', 'RATIO': '', 'NONE': ''}
# Fields without a row: kind, flag, names.
OTHERS = (
    ('UINT64', '', 'timestamp stream-time running-time duration frame'),
    ('TEXT', '', 'element format'),
    ('INT', '', 'width height depth measured-x measured-y measured-width '
     'measured-height zone-columns zone-rows'),
    ('UINT', 'active-area', 'active-x active-y active-width active-height'),
    ('BOOLEAN', 'active-area', 'active-evidence'),
    ('TEXT', 'fields', 'field-single field-multiple field-repeated '
     'field-order cadence'),
    ('UINT', 'fields', 'cadence-phase'),
    ('DOUBLES', 'light', 'light-max-rgb light-percentiles'),
    ('HISTOGRAM', 'light-histogram', 'light-histogram'),
    ('PACKED_HISTOGRAM', 'light-histogram', 'light-histogram-data'))
# The same of places: kind, names behind the prefix, with words.
OF_PLACES = {
    'components': {'': ('TEXT', 'name of a measured component')},
    'zone': (RECTANGLE := {
        'x': ('INT', 'left column'), 'y': ('INT', 'top row'),
        'width': ('INT', 'width'), 'height': ('INT', 'height')}),
    'roi': {'id': ('INT', 'id'), **RECTANGLE, 'type': ('TEXT', 'type')}}


class Accessor(NamedTuple):
    """A function, and what its comment says."""

    key: str  # the name of the field
    kind: str
    place: str
    is_of_component: bool
    words: str

    @property
    def name(self):
        return f'gst_cl_statistics_get_{self.key.replace("-", "_")}'

    def make(self):
        """Returns the function."""
        function, pointer = KINDS[self.kind]
        parameters, index = PLACES[self.place]
        component = 'const gchar *component, ' if self.is_of_component else ''
        size = ', guint n' if RETURNS.get(function) == 'guint' else ''
        result = RETURNS.get(function, 'gboolean')
        space = '' if result.endswith('*') else ' '
        return (textwrap.fill(f'{self.words[0].upper()}{self.words[1:]}. */',
                              80, initial_indent='/* ',
                              subsequent_indent=' * ',
                              break_on_hyphens=False) + '\n'
                f'static inline {result}{space}{self.name} '
                f'(const GstStructure *structure, {component}{parameters}'
                f'{pointer}value{size})\n'
                '{\n'
                f'  return gst_cl_statistics_get_{function} (structure, '
                f'"{self.key}", '
                f'{"component" if self.is_of_component else "NULL"}, {index}, '
                f'value{", n" if size else ""});\n'
                '}\n')

    def check(self):
        """Returns an expression that calls the function for the first of what
        it is of, with variables of the test."""
        function, _ = KINDS[self.kind]
        arguments = ['s']
        if self.is_of_component:
            arguments.append('"Y"')
        arguments += ['0'] * PLACES[self.place][0].count(',')
        arguments.append(f'values.of_{function}')
        if RETURNS.get(function) == 'guint':
            arguments.append('2')
        return (f'CHECK ("{self.key}", !!{self.name} '
                f'({", ".join(arguments)}))\n')


def describe(row, place, is_of_component, flag):
    """Returns what the comment says of a row of the table."""
    words, unit = row[5], row[3]
    if is_of_component:
        words = (words.removesuffix(' of').removesuffix(' in')
                 + ' of a component')
    owner = f' of{WORDS[place]}' if place else ''
    return f'{words}{owner}{UNITS[unit]} (statistics={flag})'


def read_rows():
    """Yields the functions of the rows of flags."""
    flags, where, components, region = read_table()
    for rows, is_of_component in (components, True), (region, False):
        for row in rows:
            name, flag, kind, *_ = row
            for place in OF[where[flag]]:
                yield Accessor(f'{place}-{name}' if place else name, kind,
                               place, is_of_component,
                               describe(row, place, is_of_component,
                                        flags[flag]))


def describe_other(key, flag):
    """Returns what the comment says of a field without a row."""
    frame = json.loads(SCHEMA.read_text(encoding='utf-8'))['$defs']['frame']
    words = frame['properties'][key]['words']
    return f'{words} (statistics={flag})' if flag else words


def read_series():
    """Yields the functions of what detectors read. Doubles have rows of flags,
    too."""
    flags, *_ = read_table()
    text = re.sub(r'\s+', ' ', SERIES.read_text(encoding='utf-8'))
    rows = re.findall(r'\{ "([a-z-]+)", G_TYPE_([A-Z0-9]+), MEMBER \(.*?\), '
                      r'(GST_CL_STATISTIC .*?) \},', text)
    if len(rows) != text.count('{ "'):
        sys.exit(f'{SERIES.name}: a row that this does not read')
    for name, kind, statistics in rows:
        names = re.findall(r'\((\w+)\)', statistics)
        flag = ' or '.join(dict.fromkeys(
            flags.get(name, 'detection') for name in names))
        if kind != 'DOUBLE':
            yield Accessor(name, kind, '', False, describe_other(name, flag))
        if names in (['STILLNESS'], ['SHARPNESS']):
            words = describe_other(name, '')
            yield Accessor(f'zone-{name}', kind, 'zone', False,
                           f'{words}, of a zone (zone-events=true)')


def read_all():
    """Yields the functions of all fields."""
    for kind, flag, names in OTHERS:
        for name in names.split():
            yield Accessor(name, kind, '', False, describe_other(name, flag))
    for place, fields in OF_PLACES.items():
        for name, (kind, words) in fields.items():
            if name:
                words += f' of{WORDS[place]}'
            if name in RECTANGLE:
                words += ', in pixels'
            key = f'{place}-{name}'.removesuffix('-')
            yield Accessor(key, kind, place, False, words)
    yield from read_rows()
    yield from read_series()


def main():
    template, output = sys.argv[1:]
    if template == '--checks':
        text = ''.join(accessor.check() for accessor in read_all())
    else:
        text = pathlib.Path(template).read_text(encoding='utf-8').replace(
            '@ACCESSORS@', '\n'.join(accessor.make()
                                     for accessor in read_all()))
    pathlib.Path(output).write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
