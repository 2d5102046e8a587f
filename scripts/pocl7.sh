#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds in a Debian forky of its own, whose PoCL is 7.1, and runs the kernel
# tests there. Takes minutes. As root; makes the root folder, some 1.2 GB, by
# mmdebstrap (Debian: apt-get install mmdebstrap) where there is none.
#
# usage: scripts/pocl7.sh [meson test option ...]
#   default: --suite kernels
# environment:
#   ROOT                the root folder (default: /var/tmp/gst-opencl-forky)
#   MMDEBSTRAP_OPTIONS  e.g. --aptopt=FILE for a proxy
# The build folder is build-forky/ in the checkout; nothing else there changes.
set -eu

checkout=$(cd "$(dirname "$0")/.." && pwd)
ROOT=${ROOT:-/var/tmp/gst-opencl-forky}
[ $# -gt 0 ] || set -- --suite kernels

packages=gcc,libc6-dev,meson,ninja-build,pkg-config,python3,libglib2.0-dev,\
libgstreamer1.0-dev,libgstreamer-plugins-base1.0-dev,libjson-glib-dev,\
gstreamer1.0-plugins-base,gstreamer1.0-tools,ocl-icd-opencl-dev,\
pocl-opencl-icd

if [ ! -e "$ROOT/etc/debian_version" ]; then
  command -v mmdebstrap >/dev/null || {
    echo "there is no mmdebstrap: apt-get install mmdebstrap" >&2
    exit 1
  }
  # what was left half done is made anew
  rm -rf "$ROOT.new"
  # shellcheck disable=SC2086 # options are words
  mmdebstrap --variant=apt ${MMDEBSTRAP_OPTIONS:-} --include="$packages" \
    forky "$ROOT.new"
  mv "$ROOT.new" "$ROOT"
fi
mkdir -p "$ROOT/checkout"

# Mounts of its own, gone with the last process. PoCL asks /sys for the memory.
# shellcheck disable=SC2016 # expanded by the shells within
exec unshare --mount --propagation private sh -euc '
  mount --bind "$1" "$2/checkout"
  mount --rbind /dev "$2/dev"
  mount -t proc proc "$2/proc"
  mount -t sysfs sysfs "$2/sys"
  root=$2
  shift 2
  exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root \
    LC_ALL=C.UTF-8 CL_REQUIRE_DEVICE=1 PYTHONDONTWRITEBYTECODE=1 sh -euc "
      cd /checkout
      [ -e build-forky/build.ninja ] ||
        meson setup build-forky -Dtests=enabled -Dkernel-check=disabled
      ninja -C build-forky
      exec meson test -C build-forky --no-rebuild \"\$@\"" sh "$@"
' sh "$checkout" "$ROOT" "$@"
