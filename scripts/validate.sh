#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays tests/validate with gst-validate, the validator of GStreamer, which
# checks on each pad that events, caps and buffers follow GStreamer's rules.
# Debian 12, 13 and forky have no package of it: if it is not installed, it is
# built from GStreamer's sources, with the branch of the installed GStreamer.
#
# usage: scripts/validate.sh [NAME ...]
#   NAME  of a file in tests/validate, without its extension (default: all)
# environment:
#   BUILD_DIR        build folder with the plugin (default: build/ in the
#                    checkout)
#   GST_DEVTOOLS     folder with the sources of gst-devtools; otherwise they are
#                    downloaded from GSTREAMER_GIT
#   GSTREAMER_GIT    (default:
#                    https://gitlab.freedesktop.org/gstreamer/gstreamer.git)
# The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

# Finds the system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH

case ${1:-} in
  -*) sed -n '8,17s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
mkdir -p "$BUILD_DIR/validate"
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
logs=$BUILD_DIR/validate
[ $# -gt 0 ] || {
  # shellcheck disable=SC2012,SC2046 # names without spaces
  set -- $(cd "$root/tests/validate" && ls | sed -n 's/\.validatetest$//p')
}

fetch () {
  branch=$(pkg-config --modversion gstreamer-1.0 | cut -d. -f1,2)
  git clone --depth 1 --branch "$branch" --filter=blob:none --no-checkout \
    "${GSTREAMER_GIT:-https://gitlab.freedesktop.org/gstreamer/gstreamer.git}" \
    "$logs/gstreamer" || return 1
  git -C "$logs/gstreamer" checkout "$branch" -- subprojects/gst-devtools
}

build () {
  if [ -z "${GST_DEVTOOLS:-}" ]; then
    GST_DEVTOOLS=$logs/gstreamer/subprojects/gst-devtools
    [ -e "$GST_DEVTOOLS/meson.build" ] || fetch || return 1
  fi
  [ -e "$logs/build/build.ninja" ] ||
    meson setup "$logs/build" "$GST_DEVTOOLS" --prefix="$logs/installed" \
      --libdir=lib -Dauto_features=disabled -Dvalidate=enabled \
      -Dtools=enabled || return 1
  meson install -C "$logs/build"
}

play () {
  timeout 120 gst-validate-1.0 --set-test-file \
    "$root/tests/validate/$1.validatetest"
}

if ! command -v gst-validate-1.0 >/dev/null; then
  step 'build gst-validate' build || finish
  PATH=$logs/installed/bin:$PATH
  export LD_LIBRARY_PATH="$logs/installed/lib"
fi
export GST_PLUGIN_PATH="$BUILD_DIR/gst" GST_REGISTRY="$logs/registry.bin"
# a cache of the kernels of all runs
export POCL_CACHE_DIR="$BUILD_DIR/pocl-cache" GST_OPENCL_CACHE_DIR=
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_QUICK_START=0
for name; do
  step "$name" play "$name" || :
done
finish
