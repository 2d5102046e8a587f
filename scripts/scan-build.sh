#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Looks through the plugin, its tests and examples with clang's static analyzer
# (Debian: clang-tools). Exit status 0 only if it has nothing to report.
#
# usage: scripts/scan-build.sh
# environment:
#   BUILD_DIR  build folder (default: build/ in the checkout); that of the
#              analyzer is beside it, and its reports: BUILD_DIR-scan/reports
set -eu

cd "$(dirname "$0")/.."
folder=${BUILD_DIR:-$PWD/build}-scan

# It analyzes what it compiles: all, each time. The analyzer of clang 14 takes
# all that g_autofree frees for leaks; the leak sanitizer looks for those, in
# scripts/test.sh.
scan () {
  scan-build --use-cc=clang --status-bugs -disable-checker unix.Malloc \
    -o "$folder/reports" "$@"
}

rm -rf "$folder"
scan meson setup "$folder" -Dtests=enabled -Dkernel-check=disabled
scan meson compile -C "$folder" --ninja-args=-k0
