#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/bench/transfer, which tests/bench/transfers.py uses for its bounds,
runs on this device and times each kind of transfer; the benchmarks that
tests/bench/bench.py names exist; tests/bench/budget.py finds calls that are
new.

usage: test_bench.py TRANSFER"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'bench'))
import bench  # noqa: E402, beside this folder
import budget  # noqa: E402

TIMES = {'up', 'down', 'both', 'blocking-framesum', 'blocking-localmean'}


class Transfer(unittest.TestCase):
    def test_times(self):
        output = subprocess.run([TRANSFER, '64', '48'], check=True, text=True,
                                capture_output=True, timeout=100).stdout
        result = json.loads(output)

        self.assertEqual(set(result), TIMES | {'width', 'height'})
        self.assertEqual((result['width'], result['height']), (64, 48))
        for name in TIMES:
            self.assertGreater(result[name], 0, name)


class Kernels(unittest.TestCase):
    def test_named_benchmarks_exist(self):
        build = os.environ['BUILD_DIR']
        for cases in (bench.CPU_CASES, bench.GPU_CASES):
            for test, patterns in cases.items():
                for pattern in patterns:
                    names = subprocess.run(
                        [bench.kernel_program(build, test), '--list', '--bench',
                         '--test', pattern], check=True, text=True,
                        capture_output=True).stdout
                    self.assertEqual(names.split(), [pattern])


class Budget(unittest.TestCase):
    def test_more_calls_of_a_frame_are_found(self):
        name = 'clframesum, discrete'
        rows = budget.count(os.environ['BUILD_DIR'], [budget.SOURCE, name],
                            has_instructions=False)
        with open(budget.FILE, encoding='utf-8') as file:
            limits = json.load(file)

        self.assertEqual(budget.find_growth(rows, limits), [])
        limits[name]['transfers'] -= 1
        self.assertEqual(budget.find_growth(rows, limits),
                         [f'{name}: 2.0 transfers, 1.0 in budget.json'])


if __name__ == '__main__':
    TRANSFER = sys.argv.pop(1)
    unittest.main()
