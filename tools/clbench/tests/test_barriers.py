#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clbench barriers: every row small, and barriers that give up."""
import json
import re

import program
from program import Results, choosing


BARRIERS = ['every-item', 'leader', 'flags', 'atomics']
SIZES = [32, 64, 256, 1024]


def names_of(kind, counts):
    """Returns the names of the rows of a kind, for these numbers of groups."""
    return {f'{kind}, {size} items, {n} {"group" if n == 1 else "groups"}'
            for size in SIZES for n in counts}


class BarriersTest(program.TechniqueTest):
    def run_with(self, **environment):
        """Returns the JSON object of a run that succeeds."""
        result = program.run('barriers', '--quick', '--json', '-',
                             **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def check_no_barrier(self, rows, counts):
        """A CPU runs work-items one after the other if nothing synchronizes
        them. The results must then be wrong: otherwise the ring cannot detect
        a broken barrier."""
        for name in names_of('none', set(counts) - {1}):
            self.assertFalse(rows[name]['correct'], name)
            self.assertGreater(rows[name]['wrong_share'], 0.1, name)

    def test_rows(self):
        """Each kind at each size, correct or skipped with a reason: on a CPU,
        work-groups that wait for each other may not run at the same time."""
        found = self.of_all('barriers')
        rows = self.rows(found)
        counts = sorted({int(row['groups']) for row in rows.values()})
        most = counts[-1]
        powers = [2 ** i for i in range(most.bit_length()) if 2 ** i < most]
        self.assertEqual(counts, powers + [most])

        skipped = {note['row']: note['reason'] for note in found['skipped']}
        for kind in ['none', 'launches'] + BARRIERS:
            names = names_of(kind, counts)
            self.assertLessEqual(names, rows.keys() | skipped.keys())
            if kind in ('none', 'launches'):
                self.assertLessEqual(names, rows.keys())
            for name in names & rows.keys():
                self.assertGreater(rows[name]['rounds'], 0)
                self.assertEqual(rows[name]['expected_wrong'], kind == 'none')
                self.assertEqual(rows[name]['wrong_share'] == 0,
                                 rows[name]['correct'])
                per = {'none': 'ns_with_work', 'launches': 'ns_per_launch'}
                self.assertIn(per.get(kind, 'ns_per_barrier'), rows[name])
        for kind in BARRIERS[:3]:
            self.assertTrue(names_of(kind, counts) & rows.keys(),
                            f'{kind} never holds: {skipped}')
        if 'PoCL' in found['opencl']:
            self.check_no_barrier(rows, counts)
        for name, reason in skipped.items():
            self.assertRegex(reason, r'^gave up after \d+ reads: '
                             if not name.startswith('atomics') else r'\w')

        self.check_winner(found)

    def check_winner(self, found):
        """The sentence names the barrier that docs/choosing.md names."""
        best = choosing.best_barrier(Results(found))
        sentence = found['conclusions'][0]['sentence']
        if best.startswith('nothing'):
            self.assertRegex(sentence, '^no barrier of .* anything measurable')
        else:
            kind, size = re.match(r'([a-z-]+) of (\d+): ', best).groups()
            self.assertIn(f' {kind} wins, with work-groups of {size}: ',
                          sentence)

    def test_giving_up(self):
        """The spin limit is 0: every row with a barrier is skipped because it
        gave up; the rows with several launches are correct. The greatest
        number of groups is the number of PoCL's threads, also if that is not a
        power of two."""
        found = self.run_with(GST_OPENCL_SPIN_LIMIT='0',
                              POCL_MAX_PTHREAD_COUNT='3')
        rows = self.rows(found)
        counts = {int(row['groups']) for row in rows.values()}
        if 'PoCL' in found['opencl']:
            self.assertEqual(counts, {1, 2, 3})
        self.assertEqual(rows.keys(), names_of('none', counts) |
                         names_of('launches', counts))
        for name in names_of('launches', counts):
            self.assertTrue(rows[name]['correct'], name)

        self.assertEqual({note['row'] for note in found['skipped']},
                         set().union(*(names_of(kind, counts)
                                       for kind in BARRIERS)))
        for note in found['skipped']:
            self.assertEqual(note['technique'], 'barriers')
            if not note['row'].startswith('atomics'):
                self.assertRegex(note['reason'], '^gave up after 0 reads: ')
        self.assertEqual([note['sentence'] for note in found['conclusions']],
                         ['no barrier holds across all compute units; several '
                          'launches do.'])

    def test_group_that_does_not_wait(self):
        """Each group has elements of the ring, also if a group has more
        work-items than the ring has elements for it."""
        found = self.of_all('barriers')
        if ('PoCL' not in found['opencl'] and
                max(row['groups'] for row in found['rows']) < 3):
            self.skipTest('there are no three work-groups')
        kernel = 'clbench/barriers.cl'
        waits = 'if (item == 0) {\n    count_global (shared + N_ARRIVED);'
        arrived = 'count * n_groups, shared,'
        result = program.run_edited(
            'barriers', [
                (kernel, waits, waits.replace('== 0', '== 0 && group < 2')),
                (kernel, arrived, 'count * min (n_groups, 2u), shared,')],
            POCL_MAX_PTHREAD_COUNT='3')
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for name in names_of('leader', [3]):
            self.assertIn(f'WRONG: barriers: {name}\n', result.stdout)
        self.assertNotRegex(result.stdout, 'WRONG: barriers: (?!leader)')

    def test_one_compute_unit(self):
        """A single group does not wait for other groups. Groups that are
        larger than those of the device are skipped."""
        found = self.run_with(POCL_MAX_PTHREAD_COUNT='1',
                              POCL_MAX_WORK_GROUP_SIZE='512')
        if 'PoCL' not in found['opencl']:
            self.skipTest('both numbers are options of PoCL')
        self.assertEqual({row['groups'] for row in found['rows']}, {1})
        for row in found['rows']:
            self.assertTrue(row['correct'] or row['expected_wrong'], row)
        for note in found['skipped']:
            if ', 1024 items, ' in note['row']:
                self.assertIn('has 512 work-items at most', note['reason'])
            else:
                self.assertIn(note['row'], names_of('atomics', [1]))
        self.assertEqual(
            {note['row'] for note in found['skipped']} - names_of(
                'atomics', [1]),
            {f'{kind}, 1024 items, 1 group' for kind in
             ('none', 'launches', 'every-item', 'leader', 'flags')})


if __name__ == '__main__':
    program.main()
