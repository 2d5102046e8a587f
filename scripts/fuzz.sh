#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fuzzes the plugin with libFuzzer and the address and undefined-behaviour
# sanitizers (tests/fuzzing), and prints the results. Exit status 0 only if
# nothing was found.
#
# usage: scripts/fuzz.sh [seconds [target ...]]
#   seconds  for each target (default: 300)
#   target   elements, parsers (default: both)
# environment:
#   BUILD_DIR      build folder (default: build/ in the checkout); the folder of
#                  the fuzzer is BUILD_DIR-fuzz, with the corpus that it has
#                  generated in corpus/, and failed inputs in failures/
#   SKIP_PACKAGES  1: install nothing, use the installed packages
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}-fuzz
export BUILD_DIR
seconds=${1:-300}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- elements parsers

case $seconds in
  *[!0-9]* | '') sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# Less optimization compiles faster and fuzzes at the same speed.
build () {
  [ -f "$BUILD_DIR/build.ninja" ] || set -- -Dfuzzing=enabled -Dtests=enabled \
    -Dkernel-check=disabled -Dtools=disabled -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
  CC=clang "$root/scripts/setup.sh" fuzz "$@"
}
build

# Drivers never free some memory. The leak check runs last, when all kernels are
# compiled and callers can be identified by name.
ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:intercept_tls_get_addr=0
export ASAN_OPTIONS=$ASAN_OPTIONS:strict_string_checks=1
export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export POCL_CACHE_DIR="$BUILD_DIR/pocl-cache"
export GST_OPENCL_CACHE_DIR= GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0
export GST_OPENCL_SELF_TEST=0 GST_OPENCL_QUICK_START=0
rm -rf "$BUILD_DIR/failures"
mkdir -p "$POCL_CACHE_DIR" "$BUILD_DIR/failures"

# figure NAME LOG: prints the last value of this name that libFuzzer has logged.
figure () {
  sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

failed=0
for target; do
  program=$BUILD_DIR/tests/fuzzing/fuzz_$target
  log=$BUILD_DIR/fuzz-$target.log
  corpus=$BUILD_DIR/corpus/$target
  inputs=$root/tests/fuzzing/corpus/$target
  seeds=$BUILD_DIR/tests/fuzzing/seeds/$target
  mkdir -p "$corpus"

  result=ok
  "$program" -max_total_time="$seconds" -max_len=2048 -timeout=60 \
    -len_control=0 -report_slow_units=60 -rss_limit_mb=6144 -detect_leaks=0 \
    -print_final_stats=1 \
    -artifact_prefix="$BUILD_DIR/failures/$target-" \
    "$corpus" "$inputs" "$seeds" >"$log" 2>&1 || result=FAIL
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1:fast_unwind_on_malloc=0 \
    "$program" -runs=0 -detect_leaks=0 "$inputs" "$seeds" \
    >"$log.leaks" 2>&1 || result=FAIL

  echo "$result $target: $(figure number_of_executed_units "$log") inputs," \
    "$(figure average_exec_per_sec "$log") a second," \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges," \
    "$(find "$BUILD_DIR/failures" -name "$target-*" | wc -l) failures"
  if [ $result = FAIL ]; then
    failed=1
    grep -hE -A 12 'ERROR|CRITICAL|runtime error|assertion' "$log" \
      "$log.leaks" | head -n 40 | sed 's/^/  /'
  fi
done
exit $failed
