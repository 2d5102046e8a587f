#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every property of every element has a documentation block, and every
documentation block a property; every element has a launch line; the glossary
explains what users can ask for."""
import re
import unittest

import launch
import pagecommands
from messages import Gst

from gi.repository import GObject

BLOCK = re.compile(r'/\*\*\n \* (Gst\w+):([\w-]+):\n(.*?)\*/', re.S)


def find_blocks():
    """Returns the text of the block by (type, property)."""
    blocks = {}
    for folder in ('elements', 'statistics'):
        for file in (launch.ROOT / 'gst' / folder).glob('**/*.c'):
            text = re.sub(r'^ +(?=/\*\*| \*)', '', file.read_text(),
                          flags=re.M)
            text = re.sub(r'^\*', ' *', text, flags=re.M)
            for owner, name, body in BLOCK.findall(text):
                blocks[owner, name] = body
    return blocks


# Types whose properties are those of another type, whose blocks they have.
SAME = {'GstClAggregator': 'GstClBaseFilter',
        'GstClKernelMix': 'GstClKernelFilter'}
# Properties that elements have from one function.
SHARED = {'device', 'device-name', 'wait-for-kernels'}
# Types of children of elements.
CHILDREN = ['GstClKernelParameter']


def find_properties():
    """Returns (type, property) for properties that the plugin adds to those of
    GStreamer."""
    properties = set()
    for factory in Gst.Registry.get().get_feature_list_by_plugin('opencl'):
        element = Gst.ElementFactory.make(factory.get_name())
        for pspec in element.list_properties():
            owner = pspec.owner_type.name
            if pspec.name in SHARED:
                owner = 'GstClBaseFilter'
            if owner.startswith('GstCl'):
                properties.add((SAME.get(owner, owner), pspec.name))
    for name in CHILDREN:
        properties |= {(name, pspec.name) for pspec in GObject.list_properties(
            name) if pspec.owner_type.name == name}
    return properties


class PropertyDocsTest(unittest.TestCase):
    blocks = find_blocks()

    def test_every_property_has_a_block(self):
        self.assertEqual(sorted(find_properties()), sorted(self.blocks))

    def test_blocks_have_text_and_since(self):
        for key, body in self.blocks.items():
            with self.subTest(':'.join(key)):
                self.assertRegex(body, r'(?s)\* [\w`-].*\.\n', key)
                self.assertRegex(body, r'\* Since: 0\.[1-9]\n', key)


class LaunchLinesTest(unittest.TestCase):
    def test_every_element_has_one(self):
        """They run in test_pages.py."""
        plugin = (launch.ROOT / 'gst/plugin.c').read_text()
        elements = re.findall(r'GST_ELEMENT_REGISTER \((\w+),', plugin)
        self.assertTrue(elements)
        for element in elements:
            file, = (file for file in (launch.ROOT / 'gst/elements').glob(
                '*/*.c') if f' SECTION:element-{element}\n' in
                     file.read_text())
            lines = list(pagecommands.blocks_of(
                str(file.relative_to(launch.ROOT))))
            self.assertTrue(lines, element)
            for line in lines:
                self.assertIn(element, line.text)


class GlossaryTest(unittest.TestCase):
    # Properties whose values are terms of the field.
    ENUMS = [('clframesum', 'statistics'), ('clframesum', 'events'),
             ('cllocalmean', 'operation')]
    # The fields of FFmpeg's signalstats, and terms of its users.
    TERMS = ['YMIN', 'YLOW', 'YAVG', 'YHIGH', 'YMAX', 'YDIF', 'TOUT', 'VREP',
             'BRNG', 'summed-area table', 'adaptive threshold', 'box filter',
             'PoCL', 'zero-copy', 'hysteresis']
    # Terms of the pages that a newcomer to GStreamer does not know.
    ENTRIES = ['launch line', 'pipeline', 'element', 'pad', 'source', 'sink',
               'property', 'caps', 'buffer', 'EOS', 'FIFO', 'key frame',
               'discrete']
    text = (launch.ROOT / 'docs/glossary.md').read_text()

    def test_terms_are_named(self):
        known = re.sub(r'[\s-]+', ' ', self.text).lower()
        for element, name in self.ENUMS:
            values = Gst.ElementFactory.make(element).find_property(
                name).default_value
            self.TERMS += [value for member in (
                getattr(values, '__flags_values__', None) or
                values.__enum_values__).values() for value in (
                    getattr(member, 'value_nicks', None) or
                    [member.value_nick])]
        for term in self.TERMS:
            plain = re.escape(term.replace('-', ' ').lower())
            self.assertRegex(known, rf'(?<!\w){plain}(?!\w)')

    def test_entries_are_explained_once(self):
        terms = []
        for entry in re.split(r'\n\n+', self.text):
            found = re.match(r'\*\*(.+?)\*\*\s*(.*)', entry, re.DOTALL)
            if found:
                meaning = re.sub(r'^\([^)]*\)\.\s*', '', found[2])
                self.assertGreater(len(meaning.split()), 3, found[1])
                terms += found[1].rstrip('.').lower().split(', ')
        self.assertEqual(sorted(set(terms)), sorted(terms))
        self.assertLessEqual({term.lower() for term in self.ENTRIES},
                             set(terms))


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
