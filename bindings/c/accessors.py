#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes gst/opencl/statistics.h, typed access to the statistics of clframesum,
from the rows of gst/statistics/gstclstatistictable.h.

usage: accessors.py TEMPLATE OUTPUT
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/framesum'))
from statisticsschema import read_table  # noqa: E402, beside the schema's test

# By the kind of a row: the function of the template, and the type of a value.
KINDS = {
    'COUNT': ('uint64', 'guint64 *'), 'UINT64': ('uint64', 'guint64 *'),
    'UINT': ('uint', 'guint *'), 'INT': ('int', 'gint *'),
    'DOUBLE': ('double', 'gdouble *'), 'TEXT': ('string', 'const gchar **'),
    'HISTOGRAM': ('numbers', 'guint64 *'), 'SHAPE': ('shape', 'guint *'),
    'PACKED_HISTOGRAM': ('packed', 'gsize *'), 'ROWS': ('packed', 'gsize *'),
    'COLUMNS': ('packed', 'gsize *'), 'CELLS': ('packed', 'gsize *'),
    'COUNTS': ('packed', 'gsize *')}
RETURNS = {'numbers': 'guint', 'packed': 'const guint32 *'}
# By what is measured: parameters, and the index of a value.
PLACES = {
    '': ('', '-1'),
    'zone': ('guint column, guint row, ',
             'gst_cl_statistics_find_zone (structure, column, row)'),
    'roi': ('guint roi, ', '(gint) MIN (roi, (guint) G_MAXINT)'),
    'field': ('guint field, ', '(gint) MIN (field, 2)')}
# By what has the statistic.
OF = {'FRAMES': [''], 'PICTURES': ['', 'field'],
      'REGIONS': ['', 'zone', 'roi', 'field']}
WORDS = {'': '', 'zone': ' a zone', 'roi': ' a region of interest',
         'field': ' the top (0) or the bottom field (1)'}
UNITS = {'CODES': ', in codes', 'SQUARES': ', in squares of codes',
         'BITS': '', 'SHARE': ', from 0 to 1', 'DEGREES': ', in degrees',
         'LIGHT': ', in cd/m2', 'RATIO': '', 'NONE': ''}


def make_accessor(row, place, is_of_component, flag):
    """Returns the function that gets the values of a row."""
    name, _, kind, unit, _, words = row
    function, pointer = KINDS[kind]
    parameters, index = PLACES[place]
    key = f'{place}-{name}' if place else name
    component = 'const gchar *component, ' if is_of_component else ''
    owner = f' of{WORDS[place]}' if place else ''
    if is_of_component:
        words = words.removesuffix(' of').removesuffix(' in')
    of_component = ' of a component' if is_of_component else ''
    size = ', guint n' if function == 'numbers' else ''
    result = RETURNS.get(function, 'gboolean')
    space = '' if result.endswith('*') else ' '
    return (f'/* {words[0].upper()}{words[1:]}{of_component}{owner}'
            f'{UNITS[unit]} (statistics={flag}). */\n'
            f'static inline {result}{space}'
            f'gst_cl_statistics_get_{key.replace("-", "_")} '
            f'(const GstStructure *structure, {component}{parameters}'
            f'{pointer}value{size})\n'
            '{\n'
            f'  return gst_cl_statistics_get_{function} (structure, "{key}", '
            f'{"component" if is_of_component else "NULL"}, {index}, '
            f'value{", n" if size else ""});\n'
            '}\n')


def make():
    """Yields the functions of all rows."""
    flags, where, components, region = read_table()
    for rows, is_of_component in (components, True), (region, False):
        for row in rows:
            for place in OF[where[row[1]]]:
                yield make_accessor(row, place, is_of_component,
                                    flags[row[1]])


def main():
    template, output = map(pathlib.Path, sys.argv[1:])
    text = template.read_text(encoding='utf-8')
    output.write_text(text.replace('@ACCESSORS@', '\n'.join(make())),
                      encoding='utf-8')


if __name__ == '__main__':
    main()
