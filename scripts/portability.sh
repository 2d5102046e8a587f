#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs OpenCL implementations, each in its own folder, runs the tests on
# them, and prints a table. Does not change this system or its list of drivers.
# Debian 12's PoCL is the one of this system; other releases of Debian are root
# folders that mmdebstrap creates, with their GStreamer and compiler; this needs
# root.
#
# usage: scripts/portability.sh [--whole] [NAME ...]
#        scripts/portability.sh --here BUILD_DIR OUT_DIR PART...
#   --whole  kernel tests on frames of every size; otherwise on small ones
#   NAME     of: pocl3 intel pocl7 pocl6 rusticl22 rusticl25 rusticl26 oclgrind
#            (default: all)
#   --here   runs parts with the installed driver, as for each implementation
#   BUILD_DIR  build folder; configured and built if necessary
#   OUT_DIR    results: a line "PART passed failed skipped" for each part, the
#              version of the driver, frames per second, logs
#   PART       build unit digests kernels whole-kernels oclgrind elements
#              pipelines speed
# environment of --here:
#   GST_OPENCL_DEVICE        the device, as for the property `device`
#   GST_OPENCL_HOST_UNIFIED  0 for a discrete device: tests read it
# environment:
#   BUILD_DIR           build folder with tests, for implementations of this
#                       system (default: build/ in the checkout)
#   PORTABILITY_DIR     implementations, other builds, results; some 6 GB
#                       (default: /var/tmp/gst-opencl-portability)
#   PARTS               of: build unit digests kernels elements speed, and
#                       pipelines, which only this variable selects: in root
#                       folders, scripts/setup.sh installs the dependencies
#   MMDEBSTRAP_OPTIONS  words, such as --aptopt=FILE for a proxy
# The table also has the results of earlier runs. Exit status 1 if a part failed
# in this run, or ran no test.
# functions that are called by name:
# shellcheck disable=SC2317
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${PORTABILITY_DIR:-/var/tmp/gst-opencl-portability}
BUILD_DIR=${BUILD_DIR:-$root/build}
PARTS=${PARTS:-build unit digests kernels elements speed}
all='pocl3 intel pocl7 pocl6 rusticl22 rusticl25 rusticl26 oclgrind'

usage () {
  sed -n '9,33s/^# \{0,1\}//p' "$0"
  exit 2
}

# --- the installed driver ----------------------------------------------------

# forget PART: deletes the result of an earlier run.
forget () {
  touch "$out/results"
  sed -i "/^$1 /d" "$out/results"
}

# result PART PASSED FAILED SKIPPED: writes the result. A part without a passed
# test has failed, because it did not run.
result () {
  echo "$*" | tee -a "$out/results"
  { [ "$2" -gt 0 ] && [ "$3" -eq 0 ]; } || all_good=false
}

part_build () {
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

# suite PART MESON_TEST_ARGUMENT...: runs tests and writes their result.
suite () {
  part=$1
  shift
  rm -f "$build/meson-logs/$part"*.json
  meson test -C "$build" --no-rebuild --logbase "$part" -t 5 "$@" \
    >"$out/$part.log" 2>&1
  cp "$build/meson-logs/$part"*.txt "$out/" 2>/dev/null
  counts=$(cat "$build/meson-logs/$part"*.json 2>/dev/null |
    count_tests 2>"$out/$part.failures")
  grep '^FAIL' "$out/$part.failures"
  # shellcheck disable=SC2086 # three numbers
  result "$part" $counts
}

# Compares the hashes of all pipelines; the log names those that differ.
part_digests () {
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

# cases PROGRAM [OPTION ...]: adds to passed, failed and skipped. If the program
# crashes, runs its cases one by one.
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

part_kernels () {
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

part_oclgrind () {
  oclgrind --version | grep . | head -n 1 >"$out/device"
  BUILD_DIR=$build "$root/scripts/oclgrind.sh" >"$out/oclgrind.log" 2>&1 ||
    grep -q '^FAIL' "$out/oclgrind.log" ||
    echo "FAIL  oclgrind.sh: it ended early" >>"$out/oclgrind.log"
  grep '^FAIL' "$out/oclgrind.log"
  result kernels "$(grep -c '^ok' "$out/oclgrind.log")" \
    "$(grep -c '^FAIL' "$out/oclgrind.log")" 0
}

# Measures frames per second, the best of three runs, with frames in memory.
# Caches programs, because each line is a process.
part_speed () {
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

# run_parts BUILD_DIR OUT_DIR PART...: the command --here.
run_parts () (
  set +e
  # shellcheck source=scripts/steps.sh
  . "$root/scripts/steps.sh"
  mkdir -p "$1" "$2"
  build=$(cd "$1" && pwd)
  out=$(cd "$2" && pwd)
  shift 2

  unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_DEBUG
  export CL_REQUIRE_DEVICE=1 PYTHONDONTWRITEBYTECODE=1
  export GST_OPENCL_CACHE_DIR='' GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0
  export GST_OPENCL_SELF_TEST=0 GST_OPENCL_QUICK_START=0
  # Some compilers need a second for a kernel.
  export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-6}"
  export MESON_TESTTHREADS="${MESON_TESTTHREADS:-2}"
  # Uses the same random choices for all implementations.
  export CL_TEST_SEED="${CL_TEST_SEED:-1}"
  export POCL_CACHE_DIR="$build/pocl-cache"
  mkdir -p "$POCL_CACHE_DIR"
  all_good=true

  date
  for part; do
    case $part in
      *kernels | oclgrind) forget kernels ;;
      *) forget "$part" ;;
    esac
    case $part in
      build)
        part_build
        "$build/tests/test_moments" --test none 2>&1 |
          sed -n 's/^device //; s/; seed.*//; 1p' >"$out/device"
        ;;
      unit) suite unit --suite unit ;;
      elements) suite elements --suite elements --suite host ;;
      # includes clqc and the commands of pages
      pipelines)
        suite pipelines --suite pipelines --suite examples --suite docs
        ;;
      digests) part_digests ;;
      kernels) part_kernels --small ;;
      whole-kernels) part_kernels ;;
      oclgrind) part_oclgrind ;;
      speed) part_speed ;;
      *) echo "what is '$part'?" && exit 2 ;;
    esac
  done
  date
  $all_good
)

# --- implementations ---------------------------------------------------------

case ${1:-} in
  --here)
    shift
    [ $# -ge 2 ] || usage
    run_parts "$@"
    exit
    ;;
  --whole)
    PARTS=$(echo "$PARTS" | sed 's/\<kernels/whole-kernels/')
    shift
    ;;
  -*) usage ;;
esac
[ $# -gt 0 ] || {
  # shellcheck disable=SC2086 # words
  set -- $all
}
unset GST_OPENCL_DEVICE GST_OPENCL_HOST_UNIFIED
mkdir -p "$cache" "$BUILD_DIR"
cache=$(cd "$cache" && pwd)
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
export ROOTS="$cache/roots"

fail () {
  echo "portability: $*" >&2
  exit 1
}

# on_system [NAME=VALUE ...]: runs the parts with this system's loader and
# GStreamer.
on_system () {
  mkdir -p "$cache/$name"
  # shellcheck disable=SC2086 # words
  env "$@" "$root/scripts/portability.sh" --here "$BUILD_DIR" "$cache/$name" \
    $PARTS
}

# The dependencies of clqc and of the pipeline tests, and a build with them.
prepare_pipelines () {
  ENVIRONMENT="BUILD_DIR=/out/build ${PIP_CERT:+PIP_CERT=$PIP_CERT}" \
    "$root/scripts/debian.sh" "$release" "$cache/$release" \
    /checkout/scripts/setup.sh test -Dbuildtype=release -Dtests=enabled \
    -Dkernel-check=disabled -Dwerror=true
}

# in_debian RELEASE VENDOR [NAME=VALUE ...]: runs the parts with the loader and
# the GStreamer of another release. All its drivers share a build.
in_debian () {
  release=$1
  vendor=$2
  shift 2
  mkdir -p "$cache/$release/$name"
  ln -sfn "$release/$name" "$cache/$name"
  case " $PARTS " in
    *' pipelines '*) prepare_pipelines ;;
  esac
  # shellcheck disable=SC2086 # words
  ENVIRONMENT="OCL_ICD_VENDORS=/etc/OpenCL/vendors/$vendor.icd $*" \
    "$root/scripts/debian.sh" "$release" "$cache/$release" \
    /checkout/scripts/portability.sh --here /out/build "/out/$name" $PARTS
}

# wheels PACKAGE...: copies the libraries of Python packages, except the OpenCL
# loader, to lib/ in the folder of the implementation.
wheels () {
  folder=$cache/$name
  [ ! -e "$folder/lib" ] || return 0
  rm -rf "$folder/wheels" "$folder/lib.new"
  mkdir -p "$folder/wheels" "$folder/lib.new"
  python3 -m pip download --quiet --no-deps --dest "$folder/wheels" "$@" ||
    fail "could not download $*"
  python3 - "$folder/wheels" "$folder/lib.new" <<'END'
import os
import sys
import zipfile

wheels, lib = sys.argv[1:]
for wheel in os.listdir(wheels):
    with zipfile.ZipFile(os.path.join(wheels, wheel)) as archive:
        for name in archive.namelist():
            base = os.path.basename(name)
            if '.data/data/lib/' in name and not base.startswith('libOpenCL'):
                with open(os.path.join(lib, base), 'wb') as file:
                    file.write(archive.read(name))
END
  rm -rf "$folder/wheels"
  mv "$folder/lib.new" "$folder/lib"
}

# driver LIBRARY: makes the library the only driver that the loader finds.
driver () {
  mkdir -p "$cache/$name/vendors"
  echo "$1" >"$cache/$name/vendors/$name.icd"
}

run_pocl3 () {
  driver libpocl.so.2
  on_system "OCL_ICD_VENDORS=$cache/pocl3/vendors"
}

# Intel's runtime for x86 CPUs, including those of AMD; proprietary.
run_intel () {
  wheels intel-opencl-rt intel-cmplr-lib-rt tbb
  driver "$cache/intel/lib/libintelocl.so"
  on_system "OCL_ICD_VENDORS=$cache/intel/vendors" \
    "LD_LIBRARY_PATH=$cache/intel/lib"
}

# Its results are wrong without optimization: docs/devices.md
run_pocl7 () { in_debian forky pocl CL_TEST_OPTIMIZED=1; }
run_pocl6 () { in_debian trixie pocl; }
run_rusticl22 () { in_debian bookworm rusticl RUSTICL_ENABLE=llvmpipe; }
run_rusticl25 () { in_debian trixie rusticl RUSTICL_ENABLE=llvmpipe; }
run_rusticl26 () { in_debian forky rusticl RUSTICL_ENABLE=llvmpipe; }

# A simulator: runs kernel tests only, with its checks.
run_oclgrind () {
  command -v oclgrind >/dev/null ||
    fail "there is no oclgrind: apt-get install oclgrind"
  PARTS=$(echo "$PARTS" | sed 's/[a-z-]*kernels/oclgrind/; s/speed//
    s/digests//; s/elements//; s/unit//')
  on_system
}

failed=0
for name; do
  case " $all " in
    *" $name "*) ;;
    *) fail "what is '$name'? of: $all" ;;
  esac
  echo "== $name"
  (run_"$name") || {
    echo "FAIL  $name: it ended with $?"
    failed=1
  }
done

# Prints a table in Markdown. A cell has the numbers of passed/failed/skipped
# tests. Speed is the geometric mean of the frame rates of all lines, relative
# to pocl3.
# shellcheck disable=SC2086 # words
python3 - "$cache" $all <<'END'
import math
import os
import sys

PARTS = ['unit', 'kernels', 'elements', 'digests', 'pipelines']


def read_lines(*path):
    try:
        with open(os.path.join(*path), encoding='utf-8') as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def read_rates(folder, name):
    """Frames per second by launch line."""
    return {line: float(rate) for rate, line in
            (row.split(' ', 1) for row in read_lines(folder, name, 'speed'))}


def relative_speed(folder, name):
    base, own = read_rates(folder, 'pocl3'), read_rates(folder, name)
    logs = [math.log(own[line] / base[line]) for line in own if line in base]
    return f'{math.exp(sum(logs) / len(logs)):.2f}' if logs else ''


def main():
    folder, *names = sys.argv[1:]
    print('| name | device, platform, driver |', ' | '.join(PARTS),
          '| speed |')
    print('|---|---|' + '---|' * len(PARTS) + '---|')
    for name in names:
        results = dict(line.split(' ', 1)
                       for line in read_lines(folder, name, 'results'))
        if not results:
            continue
        device = ' '.join(read_lines(folder, name, 'device'))
        cells = [results.get(part, '').replace(' ', '/') for part in PARTS]
        print(f'| {name} | {device} |', ' | '.join(cells),
              f'| {relative_speed(folder, name)} |')


main()
END
exit "$failed"
