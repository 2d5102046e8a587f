#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes statistics.rs, the results of clframesum as Rust structs, from the same
rows as gst/opencl/statistics.h.

usage: structs.py TEMPLATE OUTPUT
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'c'))
from accessors import read_all  # noqa: E402, the rows of the C functions

TYPES = {
    'COUNT': 'u64', 'UINT64': 'u64', 'UINT': 'u32', 'INT': 'i32',
    'DOUBLE': 'f64', 'TEXT': 'String', 'BOOLEAN': 'bool',
    'HISTOGRAM': 'Vec<u64>', 'DOUBLES': 'Vec<f64>', 'SHAPE': 'Vec<u32>',
    'PACKED_HISTOGRAM': 'Packed', 'ROWS': 'Packed', 'COLUMNS': 'Packed',
    'CELLS': 'Packed', 'COUNTS': 'Packed'}
TIMES = {'timestamp', 'stream-time', 'running-time', 'duration'}
REQUIRED = TIMES | {'frame', 'element', 'width', 'height', 'format', 'depth',
                    'components'}
# The struct of each place, the field of Frame that has it, and what it is.
STRUCTS = {
    'zone': ('Zones', 'zones', 'Fields of the zones.'),
    'roi': ('Regions', 'regions', 'Fields of the regions of interest.'),
    'field': ('Fields', 'fields',
              'Fields of the top and the bottom field (fields=true).'),
    '': ('Frame', '', 'A measured frame.')}


def rust_type(accessor):
    """Returns the type of a value."""
    if accessor.key in TIMES:
        return 'Option<ClockTime>'
    name = TYPES[accessor.kind]
    n_indices = bool(accessor.place) + accessor.is_of_component
    return 'Vec<' * n_indices + name + '>' * n_indices


def make_member(accessor, prefix):
    """Returns the declaration of a member, and how it is read."""
    name = accessor.key.removeprefix(prefix).replace('-', '_')
    name = 'type_' if name == 'type' else name
    kind = rust_type(accessor)
    function = 'required'
    if accessor.key not in REQUIRED:
        function = 'known' if kind == 'u64' else 'optional'
        kind = f'Option<{kind}>'
    words = accessor.words[0].upper() + accessor.words[1:]
    return (f'    /// {words}.\n    pub {name}: {kind},\n',
            f'            {name}: {function}(structure, "{accessor.key}")?,\n')


def make_struct(place, accessors):
    """Returns a struct with its conversion."""
    name, _, words = STRUCTS[place]
    prefix = f'{place}-' if place else ''
    members = [make_member(accessor, prefix) for accessor in accessors]
    if not place:
        members += [
            (f'    /// {text}\n    pub {field}: {struct},\n',
             f'            {field}: structure.try_into()?,\n')
            for struct, field, text in STRUCTS.values() if field]
    declared, read = map(''.join, zip(*members))
    return (f'/// {words}\n#[derive(Clone, Debug, PartialEq)]\n'
            f'pub struct {name} {{\n{declared}}}\n\n'
            f'impl TryFrom<&StructureRef> for {name} {{\n'
            '    type Error = Error;\n\n'
            '    fn try_from(structure: &StructureRef) -> '
            'Result<Self, Error> {\n'
            f'        Ok(Self {{\n{read}        }})\n    }}\n}}\n')


def main():
    template, output = map(pathlib.Path, sys.argv[1:])
    accessors = list(read_all())
    structs = []
    for place in STRUCTS:
        of = {place} if place else {'', 'components'}
        structs.append(make_struct(
            place, [one for one in accessors if one.place in of]))
    output.write_text(template.read_text(encoding='utf-8').replace(
        '@STRUCTS@\n', '\n'.join(structs)), encoding='utf-8')


if __name__ == '__main__':
    main()
