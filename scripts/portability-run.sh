#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds, tests and measures with the OpenCL driver that this environment has:
# the part of scripts/portability.sh that is the same for all of them. Installs
# nothing.
#
# usage: scripts/portability-run.sh BUILD_DIR OUT_DIR PART...
#   BUILD_DIR  configured and built where it is not
#   OUT_DIR    results: a line "PART passed failed skipped" each, the version of
#              the driver, frames per second, logs
#   PART       build unit digests kernels whole-kernels oclgrind elements
#              pipelines speed
# environment:
#   GST_OPENCL_DEVICE        the device, as the property `device` names it
#   GST_OPENCL_HOST_UNIFIED  0 for a device with memory of its own: tests ask
#                            for it
# Exit status 1 if one of these parts failed, or ran nothing.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 2 ] || {
  sed -n '7,17s/^# \{0,1\}//p' "$0"
  exit 2
}
mkdir -p "$1" "$2"
build=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
shift 2

unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_DEBUG
export CL_REQUIRE_DEVICE=1 PYTHONDONTWRITEBYTECODE=1
export GST_OPENCL_CACHE_DIR='' GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0
export GST_OPENCL_SELF_TEST=0
# Compilers take their time: some of them a second for a kernel of ours.
export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-6}"
export MESON_TESTTHREADS="${MESON_TESTTHREADS:-2}"
# The same random choices everywhere.
export CL_TEST_SEED="${CL_TEST_SEED:-1}"
export POCL_CACHE_DIR="$build/pocl-cache"
mkdir -p "$POCL_CACHE_DIR"

# forget PART: what an earlier run has left.
forget () {
  touch "$out/results"
  sed -i "/^$1 /d" "$out/results"
}

# result PART PASSED FAILED SKIPPED. A part of which nothing passed has failed:
# it did not run.
all_good=true
result () {
  echo "$*" | tee -a "$out/results"
  { [ "$2" -gt 0 ] && [ "$3" -eq 0 ]; } || all_good=false
}

run_build () {
  if { [ -e "$build/build.ninja" ] ||
    meson setup "$build" "$root" -Dbuildtype=release -Dtests=enabled \
      -Dkernel-check=disabled -Dwerror=true; } >"$out/build.log" 2>&1 &&
    ninja -C "$build" >>"$out/build.log" 2>&1; then
    result build 1 0 0
  else
    tail -n 20 "$out/build.log"
    result build 0 1 0
    exit 1
  fi
}

# suite PART MESON_TEST_ARGUMENT...
suite () {
  part=$1
  shift
  rm -f "$build/meson-logs/$part"*.json
  meson test -C "$build" --no-rebuild --logbase "$part" -t 5 "$@" \
    >"$out/$part.log" 2>&1
  cp "$build/meson-logs/$part"*.txt "$out/" 2>/dev/null
  counts=$(cat "$build/meson-logs/$part"*.json 2>/dev/null |
    "$root/scripts/count-tests.py" 2>"$out/$part.failures")
  grep '^FAIL' "$out/$part.failures"
  # shellcheck disable=SC2086 # three numbers
  result "$part" $counts
}

# One hash each; of those that differ the log says which.
run_digests () {
  rm -f "$build/meson-logs/digests"*
  meson test -C "$build" --no-rebuild --logbase digests -t 10 \
    'element digests' 'element digests, discrete' >"$out/digests.log" 2>&1
  cp "$build/meson-logs/digests"*.txt "$out/" 2>/dev/null
  grep -h 'has another line' "$out"/digests*.txt
  # shellcheck disable=SC2046 # three numbers
  result digests $(cat "$out"/digests*.txt 2>/dev/null | awk -F '[ ,:]+' '
    /Checks: [0-9]+, Failures/ { n += $3; bad += $5 + $7; runs++ }
    END { print n - bad, bad + (runs < 2 ? 1 : 0), 0 }')
}

# cases PROGRAM [OPTION ...]: adds to passed, failed and skipped. A program that
# a driver crashed runs again case by case.
cases () {
  program=$1
  name=$(basename "$program")
  shift
  timeout 1800 "$program" "$@" >"$out/$name.log" 2>&1
  status=$?
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$out/$name.log" | tail -n 1)
  skipped=$((skipped + $(grep -c '^skip ' "$out/$name.log")))
  grep -h '^FAIL' "$out/$name.log"
  if [ -n "$line" ]; then
    passed=$((passed + ${line%% *}))
    line=${line#*, }
    failed=$((failed + ${line%% *}))
    [ "$status" -lt 128 ] || {
      echo "FAIL $name $*: it crashed after its last case"
      failed=$((failed + 1))
    }
  elif [ "${1:-}" = --test ]; then
    echo "FAIL $name $*: no end"
    failed=$((failed + 1))
  else
    for test_case in $("$program" --list "$@"); do
      cases "$program" --test "$test_case" "$@"
    done
  fi
}

run_kernels () {
  passed=0
  failed=0
  skipped=0
  for program in "$build"/tests/test_*; do
    case $program in
      */test_unit_* | */test_element_* | */test_guard) continue ;;
    esac
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    cases "$program" "$@"
  done
  result kernels $passed $failed $skipped
}

run_oclgrind () {
  oclgrind --version | grep . | head -n 1 >"$out/device"
  BUILD_DIR=$build "$root/scripts/oclgrind.sh" >"$out/oclgrind.log" 2>&1 ||
    grep -q '^FAIL' "$out/oclgrind.log" ||
    echo "FAIL  oclgrind.sh: it ended early" >>"$out/oclgrind.log"
  grep '^FAIL' "$out/oclgrind.log"
  result kernels "$(grep -c '^ok' "$out/oclgrind.log")" \
    "$(grep -c '^FAIL' "$out/oclgrind.log")" 0
}

# Frames per second, the best of three, of frames that lie in memory. Programs
# are kept, since each line is a process.
run_speed () {
  export GST_OPENCL_CACHE_DIR="$out/programs"
  caps='video/x-raw,width=1920,height=1080,framerate=30/1,format'
  : >"$out/speed"
  export GST_PLUGIN_PATH="$build/gst" GST_REGISTRY="$out/registry"
  while read -r format line; do
    for _ in 1 2 3; do
      timeout 300 "$build/tests/bench/pipeline" --frames=60 --warm-up=10 \
        "appsrc name=replay caps=$caps=$format ! $line ! fakesink" 2>&1 |
        sed -n 's/.*"fps": *\([0-9.]*\).*/\1/p'
    done | sort -n | tail -n 1 | sed "s|\$| $format $line|" >>"$out/speed"
  done <<'END'
GRAY8 clintegral
I420 cllocalmean
GRAY8 cllocalmean operation=sauvola
I420 clframesum async-depth=4
I420 clframesum async-depth=4 statistics=moments+range+histogram
END
  if [ "$(wc -l <"$out/speed")" -eq 5 ]; then
    result speed 1 0 0
  else
    result speed 0 1 0
  fi
}

date
for part; do
  case $part in
    *kernels | oclgrind) forget kernels ;;
    *) forget "$part" ;;
  esac
  case $part in
    build)
      run_build
      "$build/tests/test_moments" --test none 2>&1 |
        sed -n 's/^device //; s/; seed.*//; 1p' >"$out/device"
      ;;
    unit) suite unit --suite unit ;;
    elements) suite elements --suite elements --suite host ;;
    # clqc, too, and what the pages say of the plugin
    pipelines)
      suite pipelines --suite pipelines --suite examples --suite docs
      ;;
    digests) run_digests ;;
    kernels) run_kernels --small ;;
    whole-kernels) run_kernels ;;
    oclgrind) run_oclgrind ;;
    speed) run_speed ;;
    *) echo "what is '$part'?" && exit 2 ;;
  esac
done
date
$all_good
