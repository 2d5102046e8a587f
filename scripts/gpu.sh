#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds, tests and measures on a machine with a GPU, without a network,
# bindings of GStreamer, or clang. Installs nothing.
#
# usage: scripts/gpu.sh [BUILD_DIR [OUT_DIR]]
#   BUILD_DIR  default: build-gpu/ in the checkout
#   OUT_DIR    logs and timings, outside BUILD_DIR; default: BUILD_DIR-out
# environment:
#   GST_OPENCL_DEVICE  the device, as for the property `device`
#   PARTS              of: tests lines clbench bench metrics peers transfers
#                      startup
#                      (default: all; empty: build only)
# Exit status 1 if anything failed.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build-gpu}
out=${2:-$build-out}
parts=${PARTS-tests lines clbench bench metrics peers transfers startup}
failed=0

mkdir -p "$build" "$out"
build=$(cd "$build" && pwd)
export GST_PLUGIN_PATH="$build/gst"
export CL_REQUIRE_DEVICE=1
# a GPU is discrete; tests read the variable
export GST_OPENCL_HOST_UNIFIED=0
export GST_OPENCL_CACHE_DIR="$build/program-cache"
# tests cache no binaries; concurrent compilations wait for each other in the
# driver
export CK_TIMEOUT_MULTIPLIER=4

step () {
  name=$1
  shift
  if "$@" >>"$out/log.txt" 2>&1; then
    echo "ok    $name"
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
  fi
}

# A launch line as in the demo must reach EOS on the device, without warnings.
line () {
  echo "== $*" >>"$out/log.txt"
  # shellcheck disable=SC2086 # a launch line is words
  step "$*" timeout 60 gst-launch-1.0 -q $*
}

run_tests () {
  for suite in unit large elements host combinations decoders; do
    step "$suite tests" meson test -C "$build" -t 4 --print-errorlogs \
      --suite "$suite"
  done
  # meson fails for a name that does not exist
  if meson test -C "$build" --list | grep -q 'clqc decoders$'; then
    step 'clqc decoders' meson test -C "$build" --print-errorlogs \
      'clqc decoders'
  fi
  cp "$build"/meson-logs/testlog.txt "$out/"
}

run_lines () {
  source='videotestsrc num-buffers=60 !'
  source="$source video/x-raw,width=1919,height=1079,format"
  mean='cllocalmean kernel-width=31 kernel-height=31'
  for format in I420 NV12 YUY2 RGB BGRx AYUV; do
    line "$source=$format ! clframesum ! $mean ! videoconvert ! fakesink"
  done
  line "$source=GRAY8 ! clintegral layout=exclusive !" \
    "cllocalmean method=async-copy ! fakesink"
  line "$source=NV12 ! clupload ! clintegral ! cllocalmean ! cldownload !" \
    "queue ! videoconvert ! fakesink"
  line "$source=RGB ! tee name=t t. ! queue ! clintegral ! cllocalmean !" \
    "fakesink t. ! queue ! clframesum reduction=inner ! fakesink"
}

# measure NAME SECONDS PROGRAM ARGUMENT...: runs a program of tests/bench, which
# writes its tables to NAME.md.
measure () {
  name=$1
  limit=$2
  program=$3
  shift 3
  timeout "$limit" python3 "tests/bench/$program.py" --build "$build" "$@" \
    >"$out/$name.md" 2>>"$out/log.txt"
  status=$?
  cat "$out/$name.md"
  if [ "$status" -ne 0 ]; then
    failed=$((failed + 1))
    echo "FAIL  $name: status $status"
  fi
}

# bench PART...: runs benchmarks; the file of their output has the name of the
# part.
bench () {
  measure "$part" 400 bench --json "$out/$part.json" --rounds 3 "$@"
}

run_clbench () {
  step 'clbench' timeout 60 "$build/subprojects/clbench/clbench" all \
    --json "$out/clbench.json"
}

cd "$root" || exit 1
: >"$out/log.txt"
# meson 1.0 only wipes folders that it has configured
wipe=
[ ! -e "$build/build.ninja" ] || wipe=--wipe
step 'set up' meson setup $wipe -Dbuildtype=release -Dwerror=true "$build"
step 'build' ninja -C "$build"

for part in $parts; do
  case $part in
    tests) run_tests ;;
    lines) run_lines ;;
    clbench) run_clbench ;;
    bench) bench pipelines kernels ;;
    metrics | peers) bench "$part" ;;
    transfers) measure "$part" 180 transfers --json "$out/transfers.json" ;;
    startup) measure "$part" 300 startup ;;
    *) step "what is '$part'?" false ;;
  esac
done
echo "$failed failed"
[ "$failed" -eq 0 ]
