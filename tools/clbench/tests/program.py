# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs clbench, and checks its output.

The tests of all techniques share one run: kernels take a quarter of a second
each to compile, and many of them wait for each other.

environment:
  CLBENCH            the program
  CLFAULT            the library that makes OpenCL calls fail
  CL_REQUIRE_DEVICE  1: a missing device is a failure, not a skip
"""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:  # the rows are checked all the same
    jsonschema = None

SKIP = 77  # meson's exit status for a skipped test
ROOT = pathlib.Path(__file__).resolve().parents[1]  # of clbench
PLUGIN = ROOT.parents[1]
SCHEMA = json.loads((ROOT / 'clbench.schema.json').read_text())
CLBENCH = os.environ['CLBENCH']
RESOURCES = '/org/freedesktop/gstreamer/opencl/kernels'
sys.path.insert(0, str(ROOT / 'scripts'))  # of docs/choosing.md
import choosing  # noqa: E402, F401, used by the tests
from choosing import Results  # noqa: E402, F401, used by the tests

SEED = 5  # of the run of all techniques


def run(*arguments, timeout=100, **environment):
    """The finished process: returncode, stdout, stderr."""
    return subprocess.run([CLBENCH, *arguments], text=True, timeout=timeout,
                          check=False, capture_output=True,
                          env=os.environ | environment)


def run_to_file(technique, *arguments, **environment):
    """The finished process of a quick run, and its JSON object; None where it
    failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'out.json'
        result = run(technique, '--quick', '--json', str(file), *arguments,
                     timeout=280, **environment)
        text = file.read_text() if file.exists() else ''
    return result, json.loads(text) if text else None


def run_edited(technique, edits, *arguments, **environment):
    """Returns the finished process of a quick run with edited kernels.
    @edits: the kernel's resource, a text in it, and the new
    text."""
    texts = {}
    for kernel, old, new in edits:
        folder, name = kernel.split('/')
        source = (ROOT / 'kernels' if folder == 'clbench' else
                  PLUGIN / 'kernels' / folder) / name
        text = texts.get(kernel) or source.read_text()
        assert old in text, (kernel, old)
        texts[kernel] = text.replace(old, new)
    with tempfile.TemporaryDirectory() as place:
        overlays = []
        for kernel, text in texts.items():
            file = pathlib.Path(place) / kernel.replace('/', '-')
            file.write_text(text)
            overlays.append(f'{RESOURCES}/{kernel}={file}')
        return run(technique, '--quick', *arguments,
                   G_RESOURCE_OVERLAYS=':'.join(overlays), **environment)


@functools.cache
def run_all():
    """run_to_file() of all techniques, once per process."""
    return run_to_file('all', '--seed', str(SEED))


class TechniqueTest(unittest.TestCase):
    """Checks for every technique."""

    def of_all(self, technique):
        """Returns the technique's part of a run of all techniques, as a JSON
        object; checks its rows."""
        result, found = run_all()
        self.check_run(result, found)
        found = found | {part: [entry for entry in found[part]
                                if entry['technique'] == technique]
                         for part in ('rows', 'skipped', 'conclusions')}
        self.check_technique(technique, found)
        return found

    def run_quick(self, technique, *arguments, **environment):
        """Returns the JSON object of a separate run; checks its rows."""
        result, found = run_to_file(technique, *arguments, **environment)
        self.check_run(result, found)
        self.check_technique(technique, found)
        return found

    def check_run(self, result, found):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr, '')
        if jsonschema is not None:
            jsonschema.Draft202012Validator.check_schema(SCHEMA)
            jsonschema.Draft202012Validator(SCHEMA).validate(found)
        self.assertIn('seed', found)
        for row in found['rows']:
            self.assertTrue(row['correct'] or row['expected_wrong'], row)
            self.assertIn(row['row'], result.stdout)

    def check_technique(self, technique, found):
        names = [row['row'] for row in found['rows'] + found['skipped']]
        self.assertEqual(len(names), len(set(names)), names)
        for row in found['rows']:
            self.assertEqual(row['technique'], technique)
        self.assertEqual([note['technique'] for note in found['conclusions']],
                         [technique])

    def rows(self, found):
        """Returns the rows by name."""
        return {row['row']: row for row in found['rows']}


def main(modules=()):
    """Runs the tests of these modules, by default of the calling program, or
    those named in the arguments; skips if there is no device."""
    if not run('--list-devices').stdout.strip():
        print('no OpenCL device', file=sys.stderr)
        required = os.environ.get('CL_REQUIRE_DEVICE', '') not in ('', '0')
        sys.exit(1 if required else SKIP)
    if not modules:
        unittest.main()
    if all(argument.startswith('-') for argument in sys.argv[1:]):
        sys.argv += modules
    unittest.main(module=None)
