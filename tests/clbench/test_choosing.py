#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/choosing.md: its tables and pictures come from the files of clbench in
docs/measured. No device."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import matplotlib
except ImportError:  # the tables are checked all the same
    matplotlib = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'
FILES = sorted((DOCS / 'measured').glob('clbench-*.json'))
TECHNIQUES = ['barriers', 'reductions', 'windows', 'latency', 'memory']


class MeasuredTest(unittest.TestCase):
    def test_files(self):
        """Complete runs without failures."""
        self.assertGreaterEqual(len(FILES), 3)
        for file in FILES:
            with self.subTest(file.name):
                found = json.loads(file.read_text(encoding='utf-8'))
                self.check_schema(found)
                self.assertEqual([note['technique'] for note in
                                  found['conclusions']], TECHNIQUES)
                for row in found['rows']:
                    self.assertTrue(row['correct'] or row['expected_wrong'],
                                    row)

    def check_schema(self, found):
        if jsonschema is not None:
            schema = json.loads(
                (ROOT / 'tools/clbench/clbench.schema.json').read_text())
            jsonschema.Draft202012Validator(schema).validate(found)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.docs = pathlib.Path(folder.name)
        shutil.copytree(DOCS / 'measured', cls.docs / 'measured')
        # without the contents of the tables, so that none of them is kept
        page = (DOCS / 'choosing.md').read_text(encoding='utf-8')
        page = re.sub(r'(<!-- table: .*? -->\n).*?(<!-- end -->)', r'\1\2',
                      page, flags=re.DOTALL)
        (cls.docs / 'choosing.md').write_text(page, encoding='utf-8')
        arguments = [] if matplotlib else ['--tables']
        subprocess.run([sys.executable, ROOT / 'scripts/choosing.py',
                        *arguments, cls.docs], timeout=100, check=True)

    def test_tables(self):
        made = (self.docs / 'choosing.md').read_text(encoding='utf-8')
        kept = (DOCS / 'choosing.md').read_text(encoding='utf-8')
        self.maxDiff = None
        self.assertEqual(made.splitlines(), kept.splitlines(),
                         'run scripts/choosing.py')

    @unittest.skipUnless(matplotlib, 'no matplotlib')
    def test_pictures(self):
        """Each picture is on the page; with the same version of matplotlib its
        bytes are the same."""
        page = (DOCS / 'choosing.md').read_text(encoding='utf-8')
        shown = set(re.findall(r'\(pictures/([a-z-]+\.svg)\)', page))
        made = {file.name for file in (self.docs / 'pictures').iterdir()}
        self.assertEqual(shown, made)
        for name in made:
            with self.subTest(name):
                kept = (DOCS / 'pictures' / name).read_text(encoding='utf-8')
                self.assertEqual(ElementTree.fromstring(kept).tag,
                                 '{http://www.w3.org/2000/svg}svg')
                drawn = (self.docs / 'pictures' / name).read_text(
                    encoding='utf-8')
                version = f'Matplotlib v{matplotlib.__version__},'
                self.assertIn(version, drawn)
                if version in kept:
                    self.assertTrue(drawn == kept, 'run scripts/choosing.py')


if __name__ == '__main__':
    unittest.main()
