#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/bench/transfer, which tests/bench/transfers.py measures bounds by, runs
on the device that there is and times each kind of transfer.

usage: test_bench.py TRANSFER"""
import json
import subprocess
import sys
import unittest

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


if __name__ == '__main__':
    TRANSFER = sys.argv.pop(1)
    unittest.main()
