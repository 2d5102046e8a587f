#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench latency: every row small."""
import unittest

import program
from program import Results, choosing

COMPLETIONS = ['enqueue', 'finish', 'event wait', 'event polling',
               'event callback', 'blocking read', 'pinned read, event wait',
               'pinned read, polled']
LOADED = [f'{method}, 600000 instructions ahead'
          for method in ('event wait', 'event polling', 'event callback',
                         'pinned read, event wait', 'pinned read, polled')]
FLAGS = ['pinned flag', 'SVM flag']
BATCHES = [f'{n} frame{"" if n == 1 else "s"} a launch, {wait}'
           for wait in ('waited for', 'back to back')
           for n in (1, 2, 4, 8, 16)]
INSTRUCTIONS = (60, 6000, 60000)
LAUNCHES = [f'a launch a job, {n} instructions' for n in INSTRUCTIONS]
ROUNDS = [f'resident, {n} instructions, {r} round{"" if r == 1 else "s"}'
          for n in INSTRUCTIONS for r in (1, 10, 100, 400)]
NO_JOB = 'resident, no job comes'


class LatencyTest(program.TechniqueTest):
    def setUp(self):
        self.found = self.of_all('latency')
        self.found_rows = self.rows(self.found)
        self.reasons = {note['row']: note['reason']
                        for note in self.found['skipped']}

    def test_every_row_exists(self):
        """No shared virtual memory: one note replaces the resident rows."""
        names = COMPLETIONS + LOADED + FLAGS + BATCHES + LAUNCHES
        if 'resident' in self.reasons:
            names += ['resident']
        else:
            names += ROUNDS + [NO_JOB]
        self.assertEqual(sorted(self.found_rows | self.reasons), sorted(names))

    def test_rows_that_every_device_supports(self):
        for name in COMPLETIONS + LOADED + BATCHES + LAUNCHES:
            self.assertGreater(self.found_rows[name]['median_us'], 0)

    def test_rates(self):
        for name in BATCHES + LAUNCHES:
            row = self.found_rows[name]
            jobs = row['per_second'] * row['median_us'] / 1e6
            expected = row.get('frames_a_launch', 1)
            self.assertAlmostEqual(jobs, expected, places=3)
            if name in BATCHES:
                self.assertEqual(expected, int(name.split()[0]))

    def test_page_has_its_rows(self):
        """The table of waits in docs/choosing.md has a figure for each wait,
        with and without work ahead."""
        table = choosing.waits([Results(program.run_all()[1])])
        lines = table.splitlines()[2:]
        self.assertEqual([line.split(' | ')[1] for line in lines],
                         ['0', '600000'])
        for line in lines:
            self.assertNotIn(f' {choosing.NO_FIGURE} ', line)

    def test_flags_are_refused_with_a_reason(self):
        for name in FLAGS:
            if name in self.reasons:
                self.assertRegex(self.reasons[name],
                                 'flag|shared virtual memory')
            else:
                self.assertIn(self.found_rows[name]['kernel_sees_host'],
                              (0, 1))

    def test_resident_rows(self):
        """On a busy machine, host or kernel may give up; if no short row
        succeeds, something is broken."""
        if 'resident' in self.reasons:
            self.assertIn('shared virtual memory', self.reasons['resident'])
            return
        self.assertTrue(any(name in self.found_rows for name in ROUNDS))
        for name in ROUNDS:
            if name in self.reasons:
                self.assertRegex(self.reasons[name], '^gave up: ')
            else:
                row = self.found_rows[name]
                self.assertEqual(
                    f"{row['instructions']:.0f} {row['rounds']:.0f}",
                    ' '.join(word for word in name.split() if word.isdigit()))

    def test_resident_kernel_terminates_without_jobs(self):
        if 'resident' not in self.reasons:
            self.assertTrue(self.found_rows[NO_JOB]['correct'])

    def test_pocl_has_both_flags(self):
        """PoCL 3.1 and later support all rows."""
        if self.found['platform'] == 'Portable Computing Language':
            self.assertEqual(set(self.reasons) - set(ROUNDS), set())

    def test_sentence(self):
        sentence = self.found['conclusions'][0]['sentence']
        self.assertRegex(sentence, r'^(no completion is faster than finish'
                         r'|.+ is the fastest completion): [\d.]+ us')
        self.assertRegex(sentence, 'small frames a launch')


class BrokenKernelTest(unittest.TestCase):
    def test_flag_that_is_never_set(self):
        """The host gives up; a job with a wrong result is detected."""
        result = program.run_edited('latency', [
            ('clbench/latency.cl', old, new) for old, new in (
                ('words[FLAG] = number;', '(void) number;'),
                ('work (words[INPUT], n_steps)', 'words[INPUT]'),
                ('result[get_group_id (0)] = work (input, n_steps)',
                 'result[get_group_id (0)] = input'))])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, '(?m)^ +pinned flag +skipped: the host')
        self.assertRegex(result.stdout, '(?m)^ +SVM flag +skipped: ')
        self.assertRegex(result.stdout,
                         '(?m)^ +a launch a job, 60 instructions .* WRONG$')
        for name in LOADED:  # the work ahead is wrong
            self.assertRegex(result.stdout, rf'(?m)^ +{name} .* WRONG$')
        if 'resident  ' not in result.stdout:
            self.assertRegex(result.stdout,
                             '(?m)^ +resident, 60 instructions.* WRONG$')
        self.assertRegex(result.stdout, '(?m)^ +finish .* correct$')


if __name__ == '__main__':
    program.main()
