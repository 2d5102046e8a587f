#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the kernel tests on small frames with oclgrind, a simulated OpenCL device
# (Debian: apt-get install oclgrind): every implementation of every op, and the
# techniques reductions and windows of clbench. Fails at wrong results,
# out-of-bounds accesses, and races within a launch; first checks that it
# detects kernels with such faults. Also fails if it finds no race in kernels of
# clbench that lack barriers on purpose. Takes minutes.
#
# usage: scripts/oclgrind.sh [PATTERN]
#   PATTERN  glob of the cases that build/tests/test_x --list prints, and of
#            clbench/reductions and clbench/windows
# environment:
#   BUILD_DIR     build folder with tests (default: build/ in the checkout)
#   CL_TEST_SEED  random choices (default: the time)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
BUILD_DIR=$(cd "${BUILD_DIR:-$root/build}" && pwd)
ninja -C "$BUILD_DIR" >/dev/null
pattern=${1:-*}
CL_TEST_SEED=${CL_TEST_SEED:-$(date +%s)}
export BUILD_DIR CL_TEST_SEED

# Disables the program cache: oclgrind cannot use binaries of other devices.
export GST_OPENCL_CACHE_DIR=
# The size of a GPU's local memory. The options are for version 21.10, which
# supports neither fences of clang-based compilers, nor optimized loops, nor
# inlined restrict pointers.
export OCLGRIND_LOCAL_MEM_SIZE=49152
export OCLGRIND_BUILD_OPTIONS='-DIS_OCLGRIND -cl-opt-disable -Drestrict='
export OCLGRIND_NUM_THREADS=1

command -v oclgrind >/dev/null || {
  echo "there is no oclgrind: apt-get install oclgrind" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work

# Runs case $1 of program $2. oclgrind returns the exit status of the program,
# so that its log must be checked, too. Communication between work-groups of a
# launch is a race for oclgrind, which only knows the order of barriers: for
# these cases, only out-of-bounds accesses are checked.
cat >"$work/run" <<'END'
#!/bin/sh
name=$(printf '%s' "$1" | tr / -)
races=--data-races
arguments="--small --test $1"
wrong= # the kernel that is to have a race, and the only one
case $1 in
  *integral/single-pass) races= ;;
  clbench/reductions) arguments='reductions --quick' ;;
  clbench/windows)
    arguments='windows --quick'
    wrong=windows_no_barriers
    ;;
esac

log_is_right () {
  if [ -z "$wrong" ]; then
    [ ! -s "$work/$name.log" ]
  else
    grep -q 'data race' "$work/$name.log" &&
      [ "$(sed -n 's/.*Kernel: *//p' "$work/$name.log" | sort -u)" = "$wrong" ]
  fi
}

started=$(date +%s)
# shellcheck disable=SC2086 # words, or none
if oclgrind $races --log "$work/$name.log" "$2" $arguments \
    >"$work/$name.out" 2>&1 && log_is_right; then
  echo "ok    $1 ($(($(date +%s) - started)) s)"
else
  echo "FAIL  $1${wrong:+ (races are to be found, in $wrong alone)}"
  head -n 30 "$work/$name.log" "$work/$name.out" | sed 's/^/      /'
  exit 1
fi
END
chmod +x "$work/run"

# break_kernel FILE EXPRESSION: copies the kernels and edits one of them.
break_kernel () {
  rm -rf "$work/kernels"
  cp -r "$root/kernels" "$work/kernels"
  sed -i "$2" "$work/kernels/$1"
  ! cmp -s "$root/kernels/$1" "$work/kernels/$1"
}

# must_find WORDS CASE: oclgrind must report these words for the broken kernels.
must_find () {
  overlay=/org/freedesktop/gstreamer/opencl/kernels=$work/kernels
  if G_RESOURCE_OVERLAYS=$overlay "$work/run" "$2" \
    "$BUILD_DIR/tests/test_${2%%/*}" >"$work/found"; then
    echo "FAIL  $2: no fault found in a broken kernel"
    exit 1
  fi
  grep -q "$1" "$work"/*.log || {
    echo "FAIL  $2: oclgrind does not say '$1'"
    cat "$work/found"
    exit 1
  }
  rm -f "$work"/*.log
  echo "ok    $1 in a broken kernel is found"
}

break_kernel localmean/asynccopy.cl 's/^ *barrier (CLK_LOCAL_MEM_FENCE);//'
must_find 'data race' localmean/async-copy/means
break_kernel localmean/copy.cl 's/ RETURN_IF_OUTSIDE (i, j, .*;//'
must_find 'Invalid write' localmean/direct/copies

for program in "$BUILD_DIR"/tests/test_*; do
  # all programs except unit tests and tests of elements are kernel tests
  case $program in
    */test_unit_* | */test_element_*) continue ;;
  esac
  { [ -f "$program" ] && [ -x "$program" ]; } || continue
  "$program" --list --small --test "$pattern" | sed "s|\$| $program|"
done >"$work/cases"
clbench=$BUILD_DIR/subprojects/clbench/clbench
for bench_case in clbench/reductions clbench/windows; do
  [ -x "$clbench" ] || continue
  # shellcheck disable=SC2254 # a glob
  case $bench_case in
    $pattern) echo "$bench_case $clbench" >>"$work/cases" ;;
  esac
done
[ -s "$work/cases" ] || {
  echo "no case matches $pattern" >&2
  exit 1
}

echo "seed $CL_TEST_SEED"
xargs -P "$(nproc)" -L 1 "$work/run" <"$work/cases"
