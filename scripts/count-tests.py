#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the log of meson test (JSON) on standard input: shows on standard
error what failed, and why tests were skipped; prints three numbers: passed,
failed, skipped.
"""
import json
import sys


def output_of(test):
    """The lines that a test has printed."""
    return ((test.get('stdout') or '') +
            (test.get('stderr') or '')).splitlines()


def main():
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    tests = [json.loads(line) for line in sys.stdin]
    for test in tests:
        kind = {'OK': 'passed', 'EXPECTEDFAIL': 'passed',
                'SKIP': 'skipped'}.get(test['result'], 'failed')
        counts[kind] += 1
        if kind == 'failed':
            print('FAIL ', test['name'] + ':', test['result'],
                  file=sys.stderr)
            for line in output_of(test)[-40:]:
                print('      ' + line, file=sys.stderr)
        elif kind == 'skipped':
            reason = ''.join(output_of(test)[-1:]) or 'it does not say why'
            print('skip ', test['name'] + ':', reason, file=sys.stderr)
    if not tests:
        print('FAIL  no test ran', file=sys.stderr)
        counts['failed'] = 1
    print(*counts.values())


if __name__ == '__main__':
    main()
