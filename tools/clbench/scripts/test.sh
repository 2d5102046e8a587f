#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs packages, builds clbench and runs its tests; those of kernels by
# clang, and of the JSON by its schema, only where clang and python3-jsonschema
# are installed. The last line is "N passed, N failed". Exit status 0 only if
# nothing failed.
#
# usage: tools/clbench/scripts/test.sh
# environment: BUILD_DIR, SKIP_PACKAGES and CL_REQUIRE_DEVICE, as for
# scripts/test.sh
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
# Finds Debian's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

unset GST_DEBUG GST_OPENCL_DEVICE
logs=$BUILD_DIR/test-logs
mkdir -p "$logs"
step 'build' "$root/scripts/setup.sh" demo -Dtools=enabled -Dtests=enabled ||
  finish
suite 'clbench' "$BUILD_DIR" --suite clbench
finish
