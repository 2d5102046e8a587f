#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/choosing.md: its tables and its picture come from the results in
docs/measured. No device."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import matplotlib.image
except ImportError:  # the tables are checked all the same
    matplotlib = None

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / 'docs'
FILES = sorted((DOCS / 'measured').glob('*.json'))
TECHNIQUES = ['barriers', 'reductions', 'windows', 'latency', 'memory']


class MeasuredTest(unittest.TestCase):
    def test_files(self):
        """Complete runs without failures."""
        self.assertGreaterEqual(len(FILES), 3)
        for file in FILES:
            with self.subTest(file.name):
                found = json.loads(file.read_text(encoding='utf-8'))
                self.assertEqual([note['technique'] for note in
                                  found['conclusions']], TECHNIQUES)
                for row in found['rows']:
                    self.assertTrue(row['correct'] or row['expected_wrong'],
                                    row)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.docs = pathlib.Path(folder.name)
        for name in 'measured', 'pictures':
            shutil.copytree(DOCS / name, cls.docs / name)
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

    def test_results(self):
        """The files have no more than the page shows."""
        for file in FILES:
            self.assertEqual(
                (self.docs / 'measured' / file.name).read_text(),
                file.read_text(), 'run scripts/choosing.py')

    @unittest.skipUnless(matplotlib, 'no matplotlib')
    def test_picture(self):
        """One version of matplotlib draws the same picture."""
        version = f'Matplotlib version{matplotlib.__version__},'.encode()
        drawn, kept = (folder / 'pictures/barriers.png'
                       for folder in (self.docs, DOCS))
        self.assertIn(version, drawn.read_bytes())
        if version in kept.read_bytes():
            self.assertTrue((matplotlib.image.imread(drawn) ==
                             matplotlib.image.imread(kept)).all(),
                            'run scripts/choosing.py')


if __name__ == '__main__':
    unittest.main()
