#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays streams through every element in which one OpenCL function fails: each
# function in each phase of a stream, with each error code that the
# specification names for it, and with the faults that are not a code
# (docs/testing.md). Prints the totals, and the name of each case whose stream
# has wrong results or no clear error. Exit status 0: there is no such case.
# Takes an hour on two cores; the tests play a sample.
#
# usage: scripts/faults.sh [OPTION...]
#   OPTION  of build/tests/sweep/sweep, as --only 'clintegral/discrete/*'
# environment:
#   BUILD_DIR     build folder with tests (default: build/ in the checkout)
#   JOBS          processes at once (default: one a core)
#   CL_TEST_SEED  random choices (default: the time)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
BUILD_DIR=$(cd "${BUILD_DIR:-$root/build}" && pwd)
JOBS=${JOBS:-$(nproc)}
CL_TEST_SEED=${CL_TEST_SEED:-$(date +%s)}
export CL_TEST_SEED GST_PLUGIN_PATH_1_0="$BUILD_DIR/gst"
export GST_PLUGIN_SYSTEM_PATH_1_0="$BUILD_DIR/tests/plugins"
export POCL_CACHE_DIR="$BUILD_DIR/pocl-cache"

ninja -C "$BUILD_DIR" gst/libgstopencl.so tests/sweep/sweep >/dev/null
sweep=$BUILD_DIR/tests/sweep/sweep
"$sweep" --entry-points >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GST_REGISTRY="$work/registry"
gst-inspect-1.0 opencl >/dev/null

part=0
pids=
while [ "$part" -lt "$JOBS" ]; do
  "$sweep" --part "$part/$JOBS" "$@" >"$work/part-$part" 2>"$work/$part.log" &
  pids="$pids $!"
  part=$((part + 1))
done

failed=0
part=0
for pid in $pids; do
  if ! wait "$pid"; then
    failed=1
    tail -n 5 "$work/$part.log" >&2
  fi
  grep -E '^(FAIL|      )' "$work/part-$part" || :
  part=$((part + 1))
done

# The totals of all parts.
cat "$work"/part-* | awk '
  $1 == "figure" {
    value = $2
    $1 = $2 = ""
    if (!($0 in sums))
      names[++n] = $0
    sums[$0] += value
  }
  $1 == "failed" { functions[$2] = 1 }
  $1 == "code" { codes[$2] = 1 }
  $1 == "known" { known = $2; known_codes = $3 }
  END {
    for (i = 1; i <= n; i++)
      printf "%8d %s\n", sums[names[i]], names[i]
    for (name in functions)
      n_functions++
    for (name in codes)
      n_codes++
    printf "%8d   of %d functions\n", n_functions, known
    printf "%8d   of %d codes of functions\n", n_codes, known_codes
  }'
exit $failed
