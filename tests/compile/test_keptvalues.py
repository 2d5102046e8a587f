#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""keptvalues.py detects the faults that it searches for, and no others.

usage: test_keptvalues.py PRINTSOURCE CLANG OPTION ..
PRINTSOURCE is printsource.c, the others are the arguments of keptvalues.py.
"""
import subprocess
import sys
import tempfile
import unittest

import keptvalues

PRINTSOURCE, CLANG, *OPTIONS = sys.argv[1:]
COMMON = subprocess.run([PRINTSOURCE, 'common/cl_common.clh'], text=True,
                        stdout=subprocess.PIPE, check=True).stdout
# Code of a kernel with local memory a, which all work-items have written, and
# item i.
KERNEL = '''
static inline int read_reversed (__local const int *a, const int i)
{
  return a[63 - i];
}

__kernel __attribute__ ((reqd_work_group_size (64, 1, 1))) void
f (__global const int *in, __global int *out)
{
  __local int a[64], b[64];
  const int i = (int) get_local_id (0);

  a[i] = in[i];
  barrier (CLK_LOCAL_MEM_FENCE);
  %s
}
'''
BARRIER = 'barrier (CLK_LOCAL_MEM_FENCE); '
OVERWRITE = BARRIER + 'a[i] = 100; ' + BARRIER

KEPT = {
    'value': 'int v = a[63 - i];' + OVERWRITE + 'out[i] = v;',
    'its own': 'int v = a[i];' + OVERWRITE + 'out[i] = v + a[63 - i];',
    'written there': 'int v = a[63 - i];' + BARRIER + 'a[i] = v; ' + BARRIER +
                     'out[i] = a[i];',
    'function': 'int v = read_reversed (a, i);' + OVERWRITE + 'out[i] = v;',
    'computed': 'int v = 3 * a[63 - i] + in[i];' + OVERWRITE + 'out[i] = v;',
    'comparison': 'bool v = a[63 - i] < 7;' + OVERWRITE + 'out[i] = v;',
    'condition': 'int v = a[63 - i];' + OVERWRITE + 'if (v > 3) out[i] = 1;',
    'vector': 'int4 v = vload4 (i / 4, a);' + OVERWRITE + 'out[i] = v.y;',
    'address': 'int v = a[a[i] & 63];' + OVERWRITE + 'out[i] = v;',
    'array': 'int v[64]; for (int k = 0; k < 64; k++) v[k] = a[(i + k) % 64];' +
             OVERWRITE + 'out[i] = v[in[i]] + v[in[i + 1]];',
    'loop': 'for (int k = 0; k < in[64]; k++) { int v = a[63 - i];' +
            OVERWRITE + 'out[i] += v; }',
    'carried': 'int v = 0; for (int k = 0; k < in[64]; k++) { int w = v + '
               'a[63 - i];' + OVERWRITE + 'v = w; } out[i] = v;',
}
NOT_KEPT = {
    'used before': 'int v = a[63 - i]; b[i] = v;' + OVERWRITE +
                   'out[i] = b[i] + a[63 - i];',
    'volatile': 'int v = *(volatile __local int *) &a[63 - i];' + OVERWRITE +
                'out[i] = v;',
    'READ_ONCE': 'int v = READ_ONCE (a[63 - i]);' + OVERWRITE + 'out[i] = v;',
    'exchanged': 'int v = atomic_xchg (&a[63 - i], 5);' + OVERWRITE +
                 'out[i] = v;',
    'read anew': 'for (int k = 0; k < in[64]; k++) { out[i] += a[63 - i];' +
                 OVERWRITE + '}',
}


class KeptValuesTest(unittest.TestCase):
    def findings(self, body):
        with tempfile.NamedTemporaryFile('w', suffix='.cl') as file:
            file.write(COMMON + KERNEL % body)
            file.flush()
            module = keptvalues.module_of(CLANG, [*OPTIONS, file.name])
        found, n_kernels = keptvalues.findings(module)
        self.assertEqual(n_kernels, 1)
        return found

    def test_kept(self):
        for name, body in KEPT.items():
            with self.subTest(name):
                found = self.findings(body)
                self.assertNotEqual(found, [])
                self.assertRegex(found[0], r'^(f|read_reversed):\d+')

    def test_not_kept(self):
        for name, body in NOT_KEPT.items():
            with self.subTest(name):
                self.assertEqual(self.findings(body), [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
