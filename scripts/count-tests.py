#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the log of meson test (JSON) on standard input: shows on standard
error what failed, and prints three numbers: passed, failed, skipped.
"""
import json
import sys


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
            output = (test.get('stdout') or '') + (test.get('stderr') or '')
            for line in output.splitlines()[-40:]:
                print('      ' + line, file=sys.stderr)
    if not tests:
        print('FAIL  no test ran', file=sys.stderr)
        counts['failed'] = 1
    print(*counts.values())


if __name__ == '__main__':
    main()
