#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench reductions: every row with a small problem, wrong kernels, and
devices that do not support rows."""
import json
import re
import unittest

import program

# Rounds of each block size on a small frame.
ROUNDS = {8: 3, 16: 2, 32: 2}


class ReductionsTest(program.TechniqueTest):
    def check_rounds(self, row, method, n_rounds):
        """Figures for each round; A and B in turn, down to one partial."""
        for number in range(1, n_rounds + 1):
            self.assertGreater(row[f'round_{number}_us'], 0)
        self.assertNotIn(f'round_{n_rounds + 1}_us', row)
        self.assertGreater(row['gb_per_s'], 0)
        buffers = re.findall(r'([AB]) (\d+x\d+)', row['detail'])
        self.assertEqual(''.join(buffer for buffer, _ in buffers),
                         'ABA'[:n_rounds])
        self.assertEqual(buffers[-1][1], '1x1')
        n_outer = {'inner': 0, 'outer': n_rounds,
                   'mixed': row['detail'].count(' outer ')}[method]
        self.assertEqual(row['outer_rounds'], n_outer)

    def test_rows(self):
        found = self.of_all('reductions')
        rows = self.rows(found)
        refused = {row['row'] for row in found['skipped']}
        for kind in 'float', '8-bit':
            for block, n_rounds in ROUNDS.items():
                for method in 'inner', 'outer', 'mixed':
                    name = f'{method}, block {block}, {kind}'
                    if name in refused and method != 'outer':
                        continue
                    with self.subTest(name=name):
                        self.check_rounds(rows.pop(name), method, n_rounds)
        self.assertRegex(rows.pop('clframesum, 8-bit')['detail'], r'^uses \w')
        self.assertEqual(rows, {})
        self.assertRegex(found['conclusions'][0]['sentence'],
                         r'^\w+ is fastest for float \(block \d+, .*\); \w+ is '
                         r'fastest for 8-bit \(.*\); clframesum uses .*\.$')

    @unittest.skipUnless('Portable' in program.run('--list-devices').stdout,
                         'the limit is an option of PoCL')
    def test_groups_that_are_too_large_are_skipped(self):
        found = self.run_quick('reductions', '--device', 'portable',
                               POCL_MAX_WORK_GROUP_SIZE='512')
        self.assertEqual(
            {note['row'] for note in found['skipped']},
            {f'{method}, block 32, {kind}' for method in ('inner', 'mixed')
             for kind in ('float', '8-bit')})
        for note in found['skipped']:
            self.assertEqual(note['reason'], 'work-groups of 1024 items; the '
                                             'device supports 512')
        rows = self.rows(found)
        self.assertIn('outer, block 32, float', rows)
        self.assertIn('inner, block 16, 8-bit', rows)

    def test_wrong_sums_are_caught(self):
        """The rows with an edited kernel are wrong, and no others."""
        wrong = r'(inner|mixed), .*, float|(outer|mixed), .*, 8-bit'
        result = program.run_edited('reductions', [
            ('clbench/reductions.cl', 'if (local_x < reach) {\n      own +=',
             'if (local_x < reach) {\n      own = 0.001f + own +'),
            ('moments/plain.cl', 'block.max = max (block.max, v);', ''),
        ], '--seed', '5', '--json', '-')
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stderr, 'clbench: wrong results; --seed 5\n$')
        for row in json.loads(result.stdout)['rows']:
            self.assertEqual(not row['correct'],
                             bool(re.match(wrong, row['row'])), row)


if __name__ == '__main__':
    program.main()
