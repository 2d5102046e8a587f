#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the packages for the tests, builds the plugin and tests clqc. The
# last line is "N passed, N failed". Exit status 0 only if nothing failed.
#
# usage: tools/clqc/scripts/test.sh [--all]
#            unit tests, a test of each command, types and style
#   --all    all tests but those of farm-test.sh and watch-soak.sh: also
#            decoders, browser, broker, streams in real time, farms
# environment:
#   BUILD_DIR          build folder of the plugin (default: build/ in the
#                      checkout)
#   CL_REQUIRE_DEVICE  1: tests that need a device fail without one, instead of
#                      being skipped
#   SKIP_PACKAGES      1: install nothing, use the installed packages
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
# Finds Debian's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

case $* in
  '') set -- --no-suite complete ;;
  --all) set -- ;;
  *) sed -n '3,16s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
# Many tests wait: two processes per core keep the cores busy.
MESON_TESTTHREADS=$((2 * $(nproc)))
export MESON_TESTTHREADS
logs=$BUILD_DIR/test-logs
mkdir -p "$logs"
step 'build' "$root/scripts/setup.sh" qc-test -Dclqc=enabled -Dtests=enabled ||
  finish
suite 'clqc' "$BUILD_DIR" --suite clqc "$@"
finish
