#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the elements, properties and types of the plugin as JSON in the form
that hotdoc's extension for GStreamer reads (gst_plugins_cache.json). GStreamer
has a generator of its own, which Debian does not package.

usage: GST_PLUGIN_PATH=BUILD_DIR/gst scripts/docs_registry.py
"""
import json

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GObject, Gst  # noqa: E402

PLUGIN = 'opencl'
METADATA = 'author', 'description', 'klass', 'long-name'


def is_own(gtype):
    return gtype.name.startswith('GstCl')


def ancestors(gtype):
    while gtype != GObject.TYPE_INVALID:
        yield gtype
        gtype = gtype.parent


def read_caps(caps):
    """Returns a line for each structure and each of its fields."""
    lines = []
    for i in range(caps.get_size()):
        structure = caps.get_structure(i)
        features = caps.get_features(i).to_string()
        lines.append(structure.get_name() + (
            ':' if features == 'memory:SystemMemory' else f'({features}):'))
        for n in range(structure.n_fields()):
            name = structure.nth_field_name(n)
            value = Gst.value_serialize(structure.get_value(name))
            lines.append(f'{name:>15}: {value.replace("(string)", "")}')
    return '\n'.join(lines) + '\n'


def read_default(spec):
    if spec.value_type == GObject.TYPE_STRING:
        return spec.default_value or 'NULL'
    if spec.value_type.is_a(GObject.TYPE_FLAGS):
        return '+'.join(
            value.first_value_nick for number, value in
            sorted(spec.default_value.__flags_values__.items())
            if number & spec.default_value)
    return Gst.value_serialize(
        GObject.Value(spec.value_type, spec.default_value))


def read_property(spec):
    flags = spec.flags
    mutable, = [name for name, bit in (
        ('playing', Gst.PARAM_MUTABLE_PLAYING),
        ('paused', Gst.PARAM_MUTABLE_PAUSED),
        ('ready', Gst.PARAM_MUTABLE_READY)) if flags & bit] or ['null']
    values = {
        'blurb': spec.blurb,
        'conditionally-available': False,
        'construct': bool(flags & GObject.ParamFlags.CONSTRUCT),
        'construct-only': bool(flags & GObject.ParamFlags.CONSTRUCT_ONLY),
        'controllable': bool(flags & Gst.PARAM_CONTROLLABLE),
        'mutable': mutable,
        'readable': bool(flags & GObject.ParamFlags.READABLE),
        'type': spec.value_type.name,
        'writable': bool(flags & GObject.ParamFlags.WRITABLE),
    }
    if not spec.value_type.is_a(GObject.TYPE_BOXED):
        values['default'] = read_default(spec)
    if hasattr(spec, 'minimum'):
        values |= {'min': f'{spec.minimum}', 'max': f'{spec.maximum}'}
    return values


def read_element(factory, element):
    return {key: factory.get_metadata(key) for key in METADATA} | {
        'rank': 'none' if factory.get_rank() == Gst.Rank.NONE else 'primary',
        'hierarchy': [gtype.name for gtype in ancestors(element.__gtype__)],
        'pad-templates': {
            template.name_template: {
                'caps': read_caps(template.get_caps()),
                'direction': template.direction.value_nick,
                'presence': template.presence.value_nick,
            } for template in factory.get_static_pad_templates()},
        'properties': {
            spec.name: read_property(spec)
            for spec in element.list_properties() if is_own(spec.owner_type)},
    }


def read_type(gtype):
    if gtype.is_a(GObject.TYPE_OBJECT):
        return {'kind': 'object',
                'hierarchy': [parent.name for parent in ancestors(gtype)]}
    if gtype.is_a(GObject.TYPE_FLAGS):  # a bit can have several names
        kind, values = 'flags', [
            (nick, f'0x{number:08x}', name)
            for number, value in sorted(gtype.pytype.__flags_values__.items())
            for nick, name in zip(value.value_nicks, value.value_names)]
    else:
        kind, values = 'enum', [
            (value.value_nick, f'{number}', value.value_name)
            for number, value in sorted(gtype.pytype.__enum_values__.items())]
    return {'kind': kind, 'values': [
        {'name': nick, 'value': number, 'desc': name}
        for nick, number, name in values]}


def main():
    Gst.init(None)
    plugin = Gst.Registry.get().find_plugin(PLUGIN)
    elements, types = {}, {}
    for factory in Gst.Registry.get().get_feature_list_by_plugin(PLUGIN):
        element = factory.create(None)
        elements[factory.get_name()] = read_element(factory, element)
        for gtype in [
                *ancestors(element.__gtype__.parent),
                *(spec.value_type for spec in element.list_properties())]:
            if is_own(gtype):
                types[gtype.name] = read_type(gtype)
    print(json.dumps({PLUGIN: {
        'description': plugin.get_description(),
        'filename': f'gst{PLUGIN}',
        'license': plugin.get_license(),
        'package': plugin.get_package(),
        'source': plugin.get_source(),
        'url': plugin.get_origin(),
        'elements': dict(sorted(elements.items())),
        'other-types': dict(sorted(types.items())),
        'tracers': {},
    }}, indent=2))


if __name__ == '__main__':
    main()
