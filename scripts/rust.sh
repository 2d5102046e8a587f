#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the example in Rust from the crates that Debian packages, and compares
# its output with the example in C. Uses a root folder of another release of
# Debian, because Debian 12 lacks these crates. Needs root.
#
# usage: scripts/rust.sh [RELEASE]
#   RELEASE  trixie (default), forky, ..
# environment:
#   ROOTS, MMDEBSTRAP_OPTIONS  as for scripts/debian.sh; the folder has 2 GB
#   RUST_DIR  folder of the build (default: /var/tmp/gst-opencl-rust)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
release=${1:-trixie}
out=${RUST_DIR:-/var/tmp/gst-opencl-rust}/$release
case $release in
  -*) sed -n '7,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# shellcheck disable=SC2016 # expanded within
ROOT=$release-rust PACKAGES=gcc,libc6-dev,meson,ninja-build,pkg-config,\
python3,python3-numpy,libglib2.0-dev,libgstreamer1.0-dev,\
libgstreamer-plugins-base1.0-dev,gstreamer1.0-plugins-base,\
gstreamer1.0-plugins-good,gstreamer1.0-libav,ocl-icd-opencl-dev,\
pocl-opencl-icd,cargo,librust-gstreamer-dev \
  "$root/scripts/debian.sh" "$release" "$out" sh -euc '
    [ -e /out/build/build.ninja ] ||
      meson setup /out/build /checkout -Dtools=disabled -Dclqc=disabled \
        -Dkernel-check=disabled -Dtests=enabled
    meson compile -C /out/build gstopencl framesum
    meson test -C /out/build --no-rebuild --print-errorlogs rust |
      tee /out/said
    # a skipped test is a failure
    grep -q "^Ok: *1" /out/said'
