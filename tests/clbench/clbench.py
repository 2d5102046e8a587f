# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs clbench, and looks at what it writes.

environment:
  CLBENCH            the program
  CL_REQUIRE_DEVICE  1: a missing device is a failure, not a skip
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:  # the rows are looked at all the same
    jsonschema = None

SKIP = 77  # meson's exit status for a skipped test
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / 'tools/clbench/clbench.schema.json').read_text())
CLBENCH = os.environ['CLBENCH']


def run(*arguments, timeout=100, **environment):
    """The finished process: returncode, stdout, stderr."""
    return subprocess.run([CLBENCH, *arguments], text=True, timeout=timeout,
                          check=False, capture_output=True,
                          env=os.environ | environment)


class TechniqueTest(unittest.TestCase):
    """What is true of every technique."""

    def run_quick(self, technique, *arguments):
        """The technique's JSON object, whose rows are all as they should be;
        the table that was printed beside it is in self.table."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'out.json'
            result = run(technique, '--quick', '--json', str(file), *arguments)
            self.table = result.stdout
            self.assertEqual(result.returncode, 0,
                             result.stdout + result.stderr)
            self.assertEqual(result.stderr, '')
            found = json.loads(file.read_text())

        if jsonschema is not None:
            jsonschema.Draft202012Validator.check_schema(SCHEMA)
            jsonschema.Draft202012Validator(SCHEMA).validate(found)
        names = [row['row'] for row in found['rows'] + found['skipped']]
        self.assertEqual(len(names), len(set(names)), names)
        for row in found['rows']:
            self.assertEqual(row['technique'], technique)
            self.assertTrue(row['correct'] or row['expected_wrong'], row)
            self.assertIn(row['row'], self.table)
        self.assertEqual([note['technique'] for note in found['conclusions']],
                         [technique])
        return found

    def rows(self, found):
        """The rows by their names."""
        return {row['row']: row for row in found['rows']}


def main():
    """Runs the tests of the calling program; skips if there is no device."""
    if not run('--list-devices').stdout.strip():
        print('no OpenCL device', file=sys.stderr)
        required = os.environ.get('CL_REQUIRE_DEVICE', '') not in ('', '0')
        sys.exit(1 if required else SKIP)
    unittest.main()
