#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every property of every element has a documentation block, and every
documentation block a property. The launch lines in the blocks of the elements
run."""
import re
import subprocess
import sys
import unittest

import launch
from messages import Gst

BLOCK = re.compile(r'/\*\*\n \* (Gst\w+):([\w-]+):\n(.*?)\*/', re.S)
SECTION = re.compile(r'/\*\*\n \* SECTION:element-(\w+)\n(.*?)\*/', re.S)
LINE = re.compile(r'\|\[\n(.*?)\]\|', re.S)

# What a line needs that not every system has: the element itself, and what
# makes batches, a plugin in Rust.
OPTIONAL = {'clframesumbatch': ['clframesumbatch', 'analyticscombiner']}

# Types whose properties are those of another, by the same tables.
COPIES = {'GstClFrameSumBatch'}


def find_blocks():
    """From (type, property) to the text of the block."""
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
    """(type, property) of what our elements add to those of GStreamer."""
    properties = set()
    for factory in Gst.Registry.get().get_feature_list_by_plugin('opencl'):
        element = Gst.ElementFactory.make(factory.get_name())
        for pspec in element.list_properties():
            owner = pspec.owner_type.name
            if owner.startswith('GstCl') and owner not in COPIES:
                properties.add((owner, pspec.name))
    return properties


class PropertyDocsTest(unittest.TestCase):
    blocks = find_blocks()

    def test_every_property_has_a_block(self):
        self.assertEqual(sorted(find_properties()), sorted(self.blocks))

    def test_blocks_say_what_and_since_when(self):
        for key, body in self.blocks.items():
            with self.subTest(':'.join(key)):
                self.assertRegex(body, r'(?s)\* [\w`-].*\.\n', key)
                self.assertRegex(body, r'\* Since: 0\.[1-9]\n', key)


def launch_lines():
    """(element, launch line) of the blocks of the elements."""
    for file in (launch.ROOT / 'gst/elements').glob('**/*.c'):
        for element, text in SECTION.findall(file.read_text()):
            text = re.sub(r'^ \* ', '', text, flags=re.M)
            for line in LINE.findall(text):
                yield element, line


class LaunchLinesTest(launch.PipelineTest):
    def check_elements(self, elements):
        """Skips the line where one of @elements is not."""
        for element in elements:
            if not Gst.ElementFactory.find(element):
                print(f'there is no {element}: {elements[0]} does not run',
                      file=sys.stderr)
                self.skipTest(f'there is no {element}')

    def test_lines_of_elements(self):
        """What needs a display goes to a fakesink, what never ends ends."""
        (self.folder / 'page.png').symlink_to(
            launch.ROOT / 'tests/data/page.png')
        elements = set()
        for element, line in launch_lines():
            line = line.replace('autovideosink', 'fakesink').replace(
                'videotestsrc !', 'videotestsrc num-buffers=3 !')
            elements.add(element)
            with self.subTest(element=element, line=line):
                self.assertIn(element, line)
                self.check_elements(OPTIONAL.get(element, []))
                result = subprocess.run(
                    ['sh', '-euc', line], cwd=self.folder, text=True,
                    stdout=subprocess.PIPE, timeout=120, check=False,
                    stderr=subprocess.STDOUT)
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertNotIn('ERROR', result.stdout)
        self.assertEqual(elements, {
            'clupload', 'cldownload', 'clintegral', 'cllocalmean',
            'clframesum', 'clframesumbatch'})


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
