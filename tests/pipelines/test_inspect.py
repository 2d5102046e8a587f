#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clkernel-inspect: what a file takes, times, oracles that agree and do not."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

INSPECT = os.environ['CL_INSPECT']

KERNEL = '''//!PARAM factor
//!DESC By which codes are multiplied
//!TYPE int
//!MAXIMUM 9
2
//!PARAM table
//!TYPE int[]
1 2 3
//!WORK samples
//!HEIGHT ih*2
__kernel void
scale (GST_CL_IN (in), GST_CL_OUT (out), int factor, GST_CL_ARRAY (int, table))
{
  const int x = get_global_id (0), y = get_global_id (1), c = get_global_id (2);

  gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, y / 2) * factor +
      table[y % table_count]);
}
'''
ORACLE = '''import numpy as np
def scale(frame, largest, factor, table):
    doubled = [np.repeat(c.astype(int), 2, axis=0) for c in frame]
    rows = [np.arange(len(c))[:, None] % len(table) for c in doubled]
    return [np.clip(c * factor + table[r], 0, largest)
            for c, r in zip(doubled, rows)]
'''


class InspectTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kernel = self.write('scale.cl', KERNEL)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def inspect(self, *arguments):
        # Oracles run by the python3 of PATH: the test's own, which has NumPy.
        path = os.path.dirname(sys.executable) + ':' + os.environ['PATH']
        run = subprocess.run([INSPECT, *arguments], check=False, text=True,
                             timeout=120, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT,
                             env=os.environ | {'TMPDIR': str(self.folder),
                                               'PATH': path})
        return run.returncode, run.stdout

    def test_lists_and_times(self):
        status, output = self.inspect(self.kernel, '--size', '33x7')
        self.assertEqual(status, 0, output)
        self.assertIn('factor: int, -2147483648 to 9; default 2\n'
                      '    By which codes are multiplied', output)
        self.assertIn('table: numbers (int); default 1 2 3', output)
        self.assertIn('scale: samples', output)
        times = re.findall(r': (\S+) us \(\S+ to \S+\), (\S+) GB/s', output)
        self.assertEqual(len(times), 2, output)
        self.assertTrue(all(float(us) > 0 for us, _ in times), output)

    def test_properties(self):
        kernel = self.write('count.cl', '''
__kernel void count (GST_CL_OUT (out), __global uint *hits)
{ gst_cl_store (out, 0, get_global_id (0), get_global_id (1), 0); hits[0] = 1; }
''')
        status, output = self.inspect(kernel, '--size', '33x7', '--statistics',
                                      'hits:uint:2', '--work-size', '33x7')
        self.assertEqual(status, 0, output)
        self.assertIn('Statistics\n  hits: uint, 2\n', output)
        status, output = self.inspect(kernel, '--statistics', 'hits:uint:2',
                                      '--work-size', '33')
        self.assertEqual(status, 1, output)
        self.assertIn('"33" is not pixels', output)

    def test_oracles(self):
        """Formats of 8, 10 and 16 bits, subsampled and packed."""
        oracle = self.write('oracle.py', ORACLE)
        for pixels in ('GRAY8', 'NV12', 'P010_10LE', 'v210', 'RGBA',
                       'GRAY16_LE'):
            with self.subTest(format=pixels):
                status, output = self.inspect(
                    self.kernel, '--oracle', oracle, '--format', pixels,
                    '--size', '33x6', '--parameters', 'p,factor=3,table=<4,5>')
                self.assertEqual((status, output.splitlines()[-1].strip()),
                                 (0, 'equal'), output)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ['oracle.py', 'scale.cl'])

    def test_oracles_that_differ(self):
        for oracle, words in (
                (ORACLE.replace('* factor', '* factor + (c == c.min())'),
                 r'component 0 differs at column \d+, row \d+: \d+, the oracle '
                 r'has \d+; \d+ of \d+ codes differ, by 1 at most'),
                (ORACLE.replace('scale', 'other'), 'has no attribute .scale.'),
                (ORACLE.replace('* factor', '* 0.5'), 'has the type float64'),
                (ORACLE.replace('2, axis=0', '3, axis=0'), 'has the shape'),
                (ORACLE.replace('return [', 'return 2 * ['), 'returns 2 comp')):
            status, output = self.inspect(
                self.kernel, '--oracle', self.write('oracle.py', oracle),
                '--format', 'GRAY8', '--size', '33x6')
            self.assertEqual(status, 1, output)
            self.assertRegex(output, words)

    def test_errors(self):
        for arguments, status, words in (
                ((), 2, 'name one kernel file'),
                ((self.kernel, 'more'), 2, 'name one kernel file'),
                ((self.kernel, '--nothing'), 2, '--nothing'),
                (('gone.cl',), 1, 'Cannot read the kernel file: .*gone.cl'),
                ((self.kernel, '--parameters', 'p,factor=10'), 1,
                 'scale.cl:1: Parameter factor takes int, .* to 9, not "10"'),
                ((self.kernel, '--size', '0x5'), 1, '"0x5" is not WxH'),
                ((self.kernel, '--format', 'NV99'), 1, 'NV99'),
                ((self.kernel, '--device', 'nothing'), 1, 'nothing'),
                ((self.write('broken.cl', KERNEL.replace('* fac', '* wrong')),
                  '--size', '8x8'), 1, 'broken.cl:16:.*wrong')):
            with self.subTest(arguments=arguments):
                found, output = self.inspect(*arguments)
                self.assertEqual(found, status, output)
                self.assertRegex(output, words)


if __name__ == '__main__':
    unittest.main()
