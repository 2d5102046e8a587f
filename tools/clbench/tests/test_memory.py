#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench memory: every row with a small problem, and waits that give up."""
import os

import program

GUARANTEES = [
    'message: release, acquire', 'message: device barrier', 'launch order',
    'global add', 'global add, result', 'global min', 'global min, result',
    'global max', 'global max, result', 'local add', 'local add, result',
    'local min', 'local min, result', 'local max', 'local max, result',
    'histogram', 'local exchange', 'global exchange']
# Rows with two work-groups that wait for each other.
MESSAGES = [name for name in GUARANTEES if name.startswith('message: ')]
MESSAGE_VARIANTS = ['message: no fence', 'message: flag not volatile',
                    'message: no barrier', 'message: group barrier']
# Broken variants that every device detects, also one that runs the work-items
# of a group one after the other.
DETECTED = ['message: no fence', 'message: flag not volatile',
            'message: no barrier', 'launch order: one launch',
            'local add: plain', 'local add, result: plain', 'local min: plain',
            'local min, result: plain', 'local max: plain',
            'local max, result: plain', 'histogram: no barrier',
            'local exchange: no barrier', 'global exchange: no barrier']
# Broken variants that need two concurrent work-groups: on a CPU two compute
# units.
DETECTED_BY_TWO = ['global add: plain', 'global add, result: plain',
                   'global min: plain', 'global min, result: plain',
                   'global max: plain', 'global max, result: plain',
                   'histogram: plain merge']
# Broken variants within a group, whose wrong results depend on the numbers of
# its work-items.
DETECTED_BY_NUMBERS = ['local min: plain', 'local min, result: plain',
                       'local max: plain', 'local max, result: plain']
GAVE_UP = 'a work-group gave up waiting for another'


class MemoryTest(program.TechniqueTest):
    def test_rows(self):
        found = self.of_all('memory')
        rows = self.rows(found)
        reasons = {note['row']: note['reason'] for note in found['skipped']}

        for name in GUARANTEES:
            if name not in reasons:
                with self.subTest(name):
                    self.assertTrue(rows[name]['correct'])
                    self.assertFalse(rows[name]['expected_wrong'])
                    self.assertEqual(rows[name]['wrong_results'], 0)
                    self.assertGreaterEqual(rows[name]['runs'], 2)
                    self.assertGreater(rows[name]['median_us'], 0)
        units = max(row['groups'] for row in
                    self.of_all('barriers')['rows'])
        variants = DETECTED + (DETECTED_BY_TWO if units > 1 else [])
        for name in variants:
            if name not in reasons:
                with self.subTest(name):
                    self.assertTrue(rows[name]['expected_wrong'])
                    self.assertFalse(rows[name]['correct'])
                    self.assertGreater(rows[name]['wrong_results'], 0)

        # skipped rows wait for other groups, or need scopes
        for name, reason in reasons.items():
            self.assertRegex(name, '^(scoped |message: )', reason)
        sentence = found['conclusions'][0]['sentence']
        self.assertRegex(
            sentence, r'^All \d+ guarantees that were tested hold'
            r'(, \d+ rows were skipped)?; '
            r'\d+ of \d+ broken variants were detected; a global atomic add '
            r'costs .* times as much if its result is used')

    def test_one_compute_unit(self):
        """Broken variants that need two concurrent work-groups do not run
        longer on a device that runs one group at a time."""
        found = self.run_quick('memory', POCL_MAX_PTHREAD_COUNT='1')
        if 'PoCL' not in found['opencl']:
            self.skipTest('the number of compute units is an option of PoCL')
        rows = self.rows(found)
        for name in DETECTED_BY_TWO:
            self.assertTrue(rows[name]['correct'])
            self.assertRegex(rows[name]['detail'],
                             '; two compute units may detect it$')
        reasons = {note['row']: note['reason'] for note in found['skipped']}
        for name in MESSAGES + MESSAGE_VARIANTS:
            self.assertIn('it runs one at a time', reasons[name])

    def test_giving_up(self):
        """A group that may not wait gives up and reports it, and no result is
        wrong."""
        found = self.run_quick('memory', '--seed', str(program.SEED),
                               GST_OPENCL_SPIN_LIMIT='0')
        reasons = {note['row']: note['reason'] for note in found['skipped']}

        for name in MESSAGES + MESSAGE_VARIANTS:
            if 'it runs one at a time' not in reasons.get(name, ''):
                self.assertEqual(reasons.get(name), GAVE_UP, name)
        self.assertTrue(self.rows(found)['launch order']['correct'])
        self.check_repeated(found)

    def check_repeated(self, found):
        """With one seed a row gets the same numbers in any run. Where PoCL
        runs the work-items of a group one after the other, the wrong results
        of a broken variant depend on these numbers only."""
        if found['platform'] != 'Portable Computing Language':
            return
        rows = self.rows(found)
        rows_of_all = self.rows(self.of_all('memory'))
        for name in DETECTED_BY_NUMBERS:
            shares = [row['wrong_results'] / row['results']
                      for row in (rows[name], rows_of_all[name])]
            self.assertEqual(shares[0], shares[1], name)

    def test_giving_up_soon(self):
        """A writer that gives up overwrites words that are being read: such a
        run has no result, right or wrong."""
        for limit in '1', '2000':
            self.run_quick('memory', GST_OPENCL_SPIN_LIMIT=limit)

    def test_lost_device(self):
        """The device is lost within the rows with scopes: the rows before are
        kept; the run fails and reports the error; the rows are not reported as
        unsupported."""
        of_all = self.of_all('memory')
        if not any(name.startswith('scoped ') for name in self.rows(of_all)):
            self.skipTest('the device has no scopes')
        plain = [row['row'] for row in of_all['rows'] + of_all['skipped']
                 if not row['row'].startswith('scoped ')]
        # each row has a kernel; those with scopes are in a second program
        faults = [('clCreateKernel', len(plain) + 1, 'clEnqueueNDRangeKernel'),
                  ('clBuildProgram', 2, 'clBuildProgram')]
        for counted, number, failing in faults:
            with self.subTest(failing):
                result, found = program.run_to_file(
                    'memory', LD_PRELOAD=os.environ['CLFAULT'],
                    GST_OPENCL_SPIN_LIMIT='0', CL_FAULT_NAME=counted,
                    CL_FAULT_AT=str(number), CL_FAULT_THEN=failing)
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertRegex(result.stderr, '^clbench: memory: .+\n$')
                names = [row['row']
                         for row in found['rows'] + found['skipped']]
                self.assertEqual(sorted(names), sorted(plain + ['the rest']))
                self.assertEqual(found['conclusions'], [])


if __name__ == '__main__':
    program.main()
