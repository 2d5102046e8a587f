#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the packages for the tests, builds clbench and runs its tests. Exit
# status 0 only if nothing failed.
#
# usage: tools/clbench/scripts/test.sh [TEST ...]    (default: all; meson names)
# environment: BUILD_DIR, SKIP_PACKAGES and CL_REQUIRE_DEVICE, as for
# scripts/test.sh
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
TARGET=installed "$root/scripts/setup.sh" test -Dtests=enabled -Dtools=enabled
exec meson test -C "$BUILD_DIR" --suite clbench --print-errorlogs "$@"
