#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every test, sets up what they need, and ends with one line
# "N passed, N failed". Exit status 0 only if nothing failed.
#
# usage: scripts/test.sh [--quick]
#   --quick  what tells most of work in progress, with the random choices and
#            the kernels of the run before: within ninety seconds
# environment:
#   BUILD_DIR          build folder (default: build/ in the checkout); those
#                      with sanitizers are beside it: BUILD_DIR-asan,
#                      BUILD_DIR-tsan
#   CL_REQUIRE_DEVICE  1: a test that skips for want of a device fails instead
#   SKIP_PACKAGES      1: install nothing, use what is there
# step calls functions by name; settings stay within a function on purpose:
# shellcheck disable=SC2317,SC2030,SC2031
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
mkdir -p "$BUILD_DIR"
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
asan=$BUILD_DIR-asan
tsan=$BUILD_DIR-tsan
logs=$BUILD_DIR/test-logs
# shellcheck source=scripts/steps.sh
. scripts/steps.sh

case $* in
  '') is_quick=false ;;
  --quick) is_quick=true ;;
  *) sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# One cache for all runs: kernels compile once. Nothing of the user's own
# GStreamer or OpenCL settings takes part.
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
export POCL_CACHE_DIR="$BUILD_DIR/pocl-cache"
export GST_OPENCL_CACHE_DIR=
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_SELF_TEST=0
export PYTHONDONTWRITEBYTECODE=1
# Many tests wait for one thing or another: two a core keep the cores busy.
MESON_TESTTHREADS=$((2 * $(nproc)))
export MESON_TESTTHREADS
mkdir -p "$logs" "$POCL_CACHE_DIR"
# The same random choices in all builds, other ones in each whole run: kernels
# that one build has compiled the next one finds.
seed=$BUILD_DIR/test-seed
if ! $is_quick || [ ! -f "$seed" ]; then
  date +%s >"$seed"
fi
CL_TEST_SEED=$(cat "$seed")
export CL_TEST_SEED

# suite NAME BUILD MESON_TEST_ARGUMENT...: every test that meson lists.
suite () {
  name=$1
  folder=$2
  base=$(printf '%s' "$1" | tr -c 'a-z0-9\n' -)
  shift 2
  started=$(date +%s)
  rm -f "$folder/meson-logs/$base"*.json
  # a slow machine with others at work on it takes its time
  meson test -C "$folder" --no-rebuild --logbase "$base" -t 2 "$@" \
    >"$logs/$base.log" 2>&1 || tail -n 5 "$logs/$base.log"
  # With a wrapper meson adds its name; without any test it writes nothing.
  counts=$(cat "$folder/meson-logs/$base"*.json 2>/dev/null |
    scripts/count-tests.py)
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

# Only the two entry points that GStreamer calls may be visible.
check_symbols () {
  nm -D --defined-only "$BUILD_DIR/gst/libgstopencl.so" |
    awk '{ print $3 }' | sort >"$logs/symbols"
  printf '%s\n' gst_plugin_opencl_get_desc gst_plugin_opencl_register |
    diff - "$logs/symbols"
}

# The plugin and each element describe themselves, with no complaint.
check_inspect () (
  export GST_PLUGIN_PATH="$BUILD_DIR/gst"
  export GST_REGISTRY="$BUILD_DIR/inspect-registry.bin"
  export G_DEBUG=fatal-warnings
  gst-inspect-1.0 opencl || exit 1
  elements=$(gst-inspect-1.0 opencl | sed -n 's/^  \(cl[a-z]*\): .*/\1/p')
  [ -n "$elements" ] || exit 1
  for element in $elements; do
    gst-inspect-1.0 "$element" || exit 1
  done
)

# `meson install` keeps to the prefix, which is that of meson here; the plugin
# goes to GStreamer's own folder where that is wanted.
check_install () {
  rm -rf "$BUILD_DIR/install" &&
    DESTDIR="$BUILD_DIR/install" meson install -C "$BUILD_DIR" --no-rebuild &&
    test "$(cd "$BUILD_DIR/install" && find . -name libgstopencl.so)" = \
      "./usr/local/$(meson introspect --buildoptions "$BUILD_DIR" |
        jq -r '.[] | select(.name == "libdir").value')"\
/gstreamer-1.0/libgstopencl.so || return 1
  meson setup "$BUILD_DIR/install/configured" --prefix=/nowhere \
    -Dplugindir=gstreamer -Dtests=disabled -Dtools=disabled -Dclqc=disabled ||
    return 1
  meson introspect --installed "$BUILD_DIR/install/configured" |
    jq -r '.[]' | grep -Fx \
    "$(pkg-config --variable=pluginsdir gstreamer-1.0)/libgstopencl.so"
}

# configure FOLDER MESON_OPTION...: a build of its own, which takes the kernels
# that the tests before have compiled. It is less optimized and has line numbers
# alone, which compiles faster and tests as fast.
configure () {
  folder=$1
  shift
  mkdir -p "$folder"
  ln -sfn "$BUILD_DIR/pocl-cache" "$folder/pocl-cache"
  [ -f "$folder/build.ninja" ] || meson setup "$folder" "$root" \
    -Dwerror=true -Dtests=enabled -Dkernel-check=disabled \
    -Doptimization=1 -Dc_args=-g1 "$@"
}

# targets FOLDER SUITE: the programs of a suite that is configured there.
targets () {
  meson introspect --targets "$1" | grep -o "\"test_$2_[a-z0-9]*\"" | tr -d '"'
}

build_with_sanitizers () {
  configure "$asan" -Db_sanitize=address,undefined || return 1
  # shellcheck disable=SC2046 # one word a target
  meson compile -C "$asan" gstopencl gstopencltemplate test_moments \
    fuzz $(targets "$asan" unit) $(targets "$asan" element)
}

# PoCL and LLVM keep memory that they never free: not our leaks. LLVM takes over
# the signal stacks of threads, which the sanitizer would free. Without a fork
# per test: the leak sanitizer cannot follow PoCL's threads in forked children.
sanitized_suites () {
  ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
  export ASAN_OPTIONS=$ASAN_OPTIONS:use_sigaltstack=0:intercept_tls_get_addr=0
  export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export CK_FORK=no CK_TIMEOUT_MULTIPLIER=5
  # the elements run what the other kernel tests run, with fewer programs to
  # compile
  "$asan/tests/test_moments" --small >"$logs/asan-kernels" 2>&1 &
  suite 'address and undefined-behaviour sanitizers' "$asan" -t 3 \
    --suite unit --suite elements --suite host --suite fuzzing
  step 'the same, kernels' joined $! "$logs/asan-kernels" || :
  suite 'the same, as on a discrete device' "$asan" -t 3 \
    'element transfers, discrete' 'element memory, discrete' \
    'element clframesumlate, discrete' 'element streaming, discrete' \
    'element clframesumjoint, discrete'
}

# The suites that have most threads, with kernels that are compiled already;
# tests/tsan tells the sanitizer of GLib's locks, which it cannot see.
threaded='calls clframesumjoint clframesumlate clframesumseek hostimports'
threaded="$threaded imports importsjoint lane lent memory running sharing soak"
threaded="$threaded streaming"

build_for_threads () {
  configure "$tsan" -Db_sanitize=thread -Db_lundef=false || return 1
  # shellcheck disable=SC2046,SC2086 # one word a target
  meson compile -C "$tsan" gstopencl \
    $(printf 'test_element_%s ' $threaded)
}

threaded_suites () {
  export TSAN_OPTIONS="suppressions=$root/tests/tsan.supp:history_size=4"
  export CK_FORK=no CK_TIMEOUT_MULTIPLIER=5 G_SLICE=always-malloc
  export CL_SOAK_SECONDS=2 CL_SOAK_FRAMES=150
  set --
  for name in $threaded; do
    set -- "$@" "element $name" "element $name, discrete"
  done
  suite 'thread sanitizer' "$tsan" -t 3 "$@"
}

# joined PID LOG: what became of a command in the background, and what it said.
joined () {
  wait "$1" && return
  cat "$2"
  return 1
}

# Two programs under valgrind's memory checker, which knows what nobody wrote.
# Kernels are few: PoCL sees another processor there and compiles for that,
# fifty times slower. In all kernel tests libclguard looks after the buffers.
start_memcheck () {
  set -- valgrind --quiet --error-exitcode=1 --leak-check=full \
    --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --num-callers=30 --suppressions="$root/tests/valgrind.supp"
  (
    export CK_FORK=no CK_TIMEOUT_MULTIPLIER=20 G_SLICE=always-malloc
    exec meson test -C "$BUILD_DIR" --no-rebuild --logbase valgrind -t 20 \
      --print-errorlogs --wrap "$*" 'unit statistics' 'element clframesumtimes'
  ) >"$logs/memcheck" 2>&1 &
  memcheck=$!
}

# Work in progress: arithmetic, each op on small frames, and the elements in the
# suites that have found most for their time. Work in progress shares its
# machine: what hangs may take longer to be found.
quick () {
  export CK_TIMEOUT_MULTIPLIER=3
  suite 'unit' "$BUILD_DIR" --suite unit
  for name in integral localmean localmeansliding operation moments metrics; do
    step "kernels, $name" "$BUILD_DIR/tests/test_$name" --small || :
  done
  suite 'elements' "$BUILD_DIR" -t 3 'element clframesum' \
    'element clintegral' 'element cllocalmean' 'element properties' \
    'element transfers, discrete' 'element memory, discrete'
}

# A release, so that the compiler warns of what it sees when it optimizes; with
# names for valgrind.
step 'build' scripts/setup.sh test -Dwerror=true -Dbuildtype=release \
  -Ddebug=true -Dtests=enabled -Dkernel-check=enabled || finish
step 'style' scripts/check-style.sh || :
$is_quick || step 'headers alone' scripts/check-build.sh headers || :
$is_quick || step 'sources by clang' scripts/check-build.sh pedantic || :
step 'exported symbols' check_symbols || :
step 'gst-inspect' check_inspect || :
if $is_quick; then
  quick
  finish
fi
step 'install' check_install || :
step 'files of packages' scripts/check-packaging.sh || :
step 'headers of systems' scripts/check-upstream.sh headers || :
step 'files of forges' scripts/check-ci.py || :
step 'static library' scripts/check-static.sh || :
# Elements, host, fuzzing follow with the sanitizers. Here elements run as on a
# discrete device, which compiles the kernels that they take there: the address
# sanitizer doubles what compiling costs.
suite 'tests' "$BUILD_DIR" --no-suite elements --no-suite host \
  --no-suite fuzzing
step 'build with sanitizers' build_with_sanitizers || finish
sanitized_suites
start_memcheck
step 'build with the thread sanitizer' build_for_threads && threaded_suites
step 'valgrind' joined "$memcheck" "$logs/memcheck" || :
finish
