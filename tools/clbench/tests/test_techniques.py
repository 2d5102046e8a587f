#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""All tests of the program clbench in one process, so that they share one run.

usage: test_techniques.py [MODULE[.CLASS[.TEST]]...]
"""
import program

if __name__ == '__main__':
    program.main(['test_barriers', 'test_reductions', 'test_windows',
                  'test_latency', 'test_memory', 'test_cli'])
