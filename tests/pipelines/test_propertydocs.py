#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every property of every element has a documentation block, and every
documentation block a property; every element has a launch line."""
import re
import unittest

import launch
import pagecommands
from messages import Gst

BLOCK = re.compile(r'/\*\*\n \* (Gst\w+):([\w-]+):\n(.*?)\*/', re.S)


def find_blocks():
    """Returns the text of the block by (type, property)."""
    blocks = {}
    for folder in ('elements', 'series'):
        for file in (launch.ROOT / 'gst' / folder).glob('**/*.c'):
            text = re.sub(r'^ +(?=/\*\*| \*)', '', file.read_text(),
                          flags=re.M)
            text = re.sub(r'^\*', ' *', text, flags=re.M)
            for owner, name, body in BLOCK.findall(text):
                blocks[owner, name] = body
    return blocks


def find_properties():
    """Returns (type, property) for properties that the plugin adds to those of
    GStreamer."""
    properties = set()
    for factory in Gst.Registry.get().get_feature_list_by_plugin('opencl'):
        element = Gst.ElementFactory.make(factory.get_name())
        for pspec in element.list_properties():
            owner = pspec.owner_type.name
            if owner.startswith('GstCl'):
                properties.add((owner, pspec.name))
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
            file, = (launch.ROOT / 'gst/elements').glob(
                f'*/gst{element}.c')
            lines = list(pagecommands.blocks_of(
                str(file.relative_to(launch.ROOT))))
            self.assertTrue(lines, element)
            for line in lines:
                self.assertIn(element, line.text)


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
