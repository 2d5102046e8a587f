#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions for scripts that run tests or checks; the scripts include this file
# with ".". Each check is a step, and the last line of the script is "N passed,
# N failed".
#
# Variables that a script may set before a step:
#   logs     an existing folder for the output of the steps
#   heading  text before the names of steps (default: none)
# shellcheck disable=SC2034,SC2154 # shared with those that read this file
passed=0
failed=0
skipped=0
heading=

# step NAME COMMAND...: runs a check; prints the end of its output if it fails.
step () {
  log=$logs/$(printf '%s' "$1" | tr -c 'a-z0-9\n' -).log
  title=$heading$1
  shift
  started=$(date +%s)
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $title ($(($(date +%s) - started)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL  $title: $log"
    tail -n 40 "$log" | sed 's/^/      /'
    return 1
  fi
}

# suite NAME BUILD MESON_TEST_ARGUMENT...: builds and runs the tests that meson
# test selects by the arguments.
suite () {
  name=$1
  folder=$2
  base=$(printf '%s' "$1" | tr -c 'a-z0-9\n' -)
  shift 2
  started=$(date +%s)
  rm -f "$folder/meson-logs/$base.json"
  # the machine may be slow and busy
  meson test -C "$folder" --logbase "$base" -t 2 "$@" \
    >"$logs/$base.log" 2>&1 || tail -n 20 "$logs/$base.log"
  # Without tests, meson writes no log.
  counts=$(cat "$folder/meson-logs/$base.json" 2>/dev/null | count_tests)
  # shellcheck disable=SC2086 # three numbers
  set -- $counts
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
  result=ok
  [ "$2" -eq 0 ] || result=FAIL
  printf '%-5s %s: %s passed, %s failed, %s skipped (%s s)\n' "$result" \
    "$name" "$1" "$2" "$3" "$(($(date +%s) - started))"
}

# Prints the last line and exits, with status 0 only if nothing failed.
finish () {
  [ "$skipped" -eq 0 ] || echo "$skipped skipped"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

# Reads the log of meson test (JSON) from standard input. Prints failed tests,
# and why tests were skipped, to standard error, and three numbers: passed,
# failed, skipped.
count_tests () {
  python3 -c "$count_tests_program"
}

count_tests_program=$(cat <<'END'
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


main()
END
)
