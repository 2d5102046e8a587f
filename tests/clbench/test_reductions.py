#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench reductions: every row small."""
import clbench


class ReductionsTest(clbench.TechniqueTest):
    def test_rows(self):
        found = self.run_quick('reductions')
        rows = self.rows(found)
        self.assertEqual(found['skipped'], [])
        self.assertIn('8-bit 256x256: clframesum', rows)


if __name__ == '__main__':
    clbench.main()
