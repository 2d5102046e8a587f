#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows the plugin with a clip, and with a second clip made from it with cuts, a
# fade and a freeze: installs and builds everything, runs the elements, and
# writes statistics, events and pictures.
#
# usage: scripts/demo.sh [FILE]
#   FILE  a video that GStreamer decodes (default: tests/data/pedestrians.avi)
# environment:
#   OUT_DIR    folder of the results (default: out/ in the checkout)
#   BUILD_DIR  build folder (default: build/ in the checkout)
#   GST_OPENCL_DEVICE  the OpenCL device to use (docs/devices.md)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build}
out=${OUT_DIR:-$root/out}
file=${1:-$root/tests/data/pedestrians.avi}

fail () {
  printf '%s\n' "demo: $*" >&2
  exit 1
}

case $file in
  -h | --help)
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
[ $# -le 1 ] || fail "one file at a time: scripts/demo.sh [FILE]"
[ -e "$file" ] || fail "there is no file '$file'"
[ -f "$file" ] || fail "cannot read '$file': not a file"
[ -r "$file" ] || fail "cannot read '$file': no permission"

BUILD_DIR=$build "$root/scripts/setup.sh" demo

mkdir -p "$out" 2>/dev/null || fail "cannot write to '$out'; set OUT_DIR"
build=$(cd "$build" && pwd)

# Uses a separate registry, which does not list a plugin that is installed
# elsewhere.
unset GST_PLUGIN_PATH_1_0
export GST_PLUGIN_PATH="$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
export GST_REGISTRY="$build/demo-registry.bin"
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$build/pocl-cache}"
export GST_OPENCL_CACHE_DIR="${GST_OPENCL_CACHE_DIR-$build/program-cache}"
export MPLBACKEND=Agg MPLCONFIGDIR="$build/matplotlib"
mkdir -p "$MPLCONFIGDIR" "$POCL_CACHE_DIR"
exec /usr/bin/python3 "$root/scripts/demo.py" "$file" "$out"
