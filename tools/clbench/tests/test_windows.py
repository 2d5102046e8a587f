#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench windows: every row with a small problem, and a broken kernel."""
import program

WIDTH, HEIGHT, WINDOW = 301, 23, 15  # of --quick
STEPS = (1, 2, 4, 16)
OF_SUMS = ('strided copies, one buffer', 'strided copies, no barriers',
           'strided copies, four buffers', 'contiguous copies',
           'strided copies of cllocalmean', 'direct reads')
WRONG = 'strided copies, no barriers'


def count(size, step):
    """Windows along an axis."""
    return len(range(0, size - WINDOW + 1, step))


def corners(size, step):
    """Positions along an axis where windows begin or end."""
    starts = range(0, size - WINDOW + 1, step)
    return len(set(starts) | {start + WINDOW for start in starts})


def samples(size, step):
    """Samples along an axis that are in a window."""
    starts = range(0, size - WINDOW + 1, step)
    return len({start + i for start in starts for i in range(WINDOW)})


class WindowsTest(program.TechniqueTest):
    def check_figures(self, row, step, bytes_to_read):
        """Computes both figures from the time and the size of the frame."""
        results = count(WIDTH, step) * count(HEIGHT, step)
        self.assertAlmostEqual(
            row['us_per_megapixel'] * results / 1e6 / row['median_us'], 1, 6)
        self.assertAlmostEqual(
            row['gb_per_s'] * row['median_us'] * 1e3 / bytes_to_read, 1, 6)

    def test_rows(self):
        found = self.of_all('windows')
        rows = self.rows(found)
        self.assertEqual(found['skipped'], [])
        self.assertTrue(rows.pop('integral image')['correct'])

        for step in STEPS:
            of_sums = list(OF_SUMS)
            if f'direct reads in bands, step {step}' in rows:  # on CPUs
                of_sums.append('direct reads in bands')
            for name in of_sums:
                row = rows.pop(f'{name}, step {step}')
                self.check_figures(row, step, 4 * corners(WIDTH, step) *
                                   corners(HEIGHT, step))
                self.assertEqual(row['expected_wrong'], name == WRONG)
                self.assertEqual('wrong_share' in row, name == WRONG)
                if name == WRONG:
                    self.assertEqual(row['correct'], row['wrong_share'] == 0)
                    self.check_share(found, row)
            self.check_figures(rows.pop(f'sliding, step {step}'), step,
                               samples(WIDTH, step) * samples(HEIGHT, step))
        self.assertEqual(rows, {})

        sentence = found['conclusions'][0]['sentence']
        for words in ('at step 1 ', 'at step 16 ', 'without their barriers'):
            self.assertIn(words, sentence)

    def check_share(self, found, row):
        """PoCL runs the work-items of a group one after the other: without a
        barrier, a work-item overwrites sums that the next one must read."""
        self.assertLessEqual(row['wrong_share'], 1)
        if found['platform'] == 'Portable Computing Language':
            self.assertGreater(row['wrong_share'], 0.1)

    def test_broken_kernel(self):
        """A wrong sign at one corner is detected, in the rows that have it."""
        result = program.run_edited('windows', [(
            'clbench/windows.cl', 'corner == 0 || corner == 3',
            'corner == 1 || corner == 3')])
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for step in STEPS:
            self.assertIn('WRONG: windows: strided copies, one buffer, step '
                          f'{step}\n', result.stdout)
        self.assertEqual(result.stdout.count('WRONG: '), len(STEPS))


if __name__ == '__main__':
    program.main()
