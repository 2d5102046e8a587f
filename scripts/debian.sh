#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a command in another release of Debian, with the checkout in /checkout
# and a folder of the host in /out. The first run takes a minute, because
# mmdebstrap (Debian: apt-get install mmdebstrap) creates the root folder of
# some 1.4 GB. Needs root.
#
# usage: scripts/debian.sh RELEASE OUT COMMAND...
#   RELEASE  trixie, forky, ..
#   OUT      a folder that the command can write to
# environment; the command gets only the variables in ENVIRONMENT:
#   ROOTS               folder of the root folders (default:
#                       /var/tmp/gst-opencl-roots)
#   ROOT                name of the root folder (default: RELEASE)
#   PACKAGES            packages of a new root folder, NAME[:ARCHITECTURE],..
#                       (default: for building, playing, and drivers)
#   MMDEBSTRAP_OPTIONS  words, such as --aptopt=FILE for a proxy
#   MIRROR              source of packages for a new root folder (default:
#                       Debian and its security archive)
#   ENVIRONMENT         NAME=VALUE ..., words without spaces
set -eu

[ $# -ge 3 ] || {
  sed -n '8,20s/^# \{0,1\}//p' "$0"
  exit 2
}
checkout=$(cd "$(dirname "$0")/.." && pwd)
release=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
root=${ROOTS:-/var/tmp/gst-opencl-roots}/${ROOT:-$release}
shift 2

packages=gcc,libc6-dev,meson,ninja-build,pkg-config,python3,libglib2.0-dev,\
libgstreamer1.0-dev,libgstreamer-plugins-base1.0-dev,\
libgstreamer-plugins-bad1.0-dev,libjson-glib-dev,gstreamer1.0-plugins-base,\
gstreamer1.0-plugins-good,gstreamer1.0-tools,ocl-icd-opencl-dev,\
pocl-opencl-icd,mesa-opencl-icd

if [ ! -e "$root/etc/debian_version" ]; then
  command -v mmdebstrap >/dev/null || {
    echo "there is no mmdebstrap: apt-get install mmdebstrap" >&2
    exit 1
  }
  # an incomplete root folder is created again
  rm -rf "$root.new"
  mkdir -p "$(dirname "$root")"
  # If this system's apt accepts outdated package lists, of a mirror that is not
  # updated, the new root folder's apt accepts them, too.
  apt-config dump | grep '^Acquire::Check-' >"$root.aptopt" || true
  # Packages are installed faster without waiting for the disk.
  # shellcheck disable=SC2086 # options are words, no mirror is none
  mmdebstrap --variant=apt --aptopt="$root.aptopt" \
    --dpkgopt=force-unsafe-io ${MMDEBSTRAP_OPTIONS:-} \
    --include="${PACKAGES:-$packages}" "$release" "$root.new" ${MIRROR:-} >&2
  # It also trusts the certificates that this system's administrator has added.
  mkdir -p "$root.new/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt \
    "$root.new/usr/local/share/ca-certificates" 2>/dev/null || :
  mv "$root.new" "$root"
fi
mkdir -p "$root/checkout" "$root/out"
# Containers and installed systems have this file.
[ -e "$root/etc/hosts" ] ||
  printf '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n' \
    >"$root/etc/hosts"

# Uses separate mounts, which end with the last process. The root folder is a
# mount, so that commands in it can create root folders, too. PoCL reads the
# size of the memory from /sys.
# shellcheck disable=SC2016,SC2086 # expanded within; the environment is words
exec unshare --mount --propagation private sh -euc '
  mount --bind "$3" "$3"
  mount --bind "$1" "$3/checkout"
  mount --bind "$2" "$3/out"
  mount --rbind /dev "$3/dev"
  mount -t proc proc "$3/proc"
  mount -t sysfs sysfs "$3/sys"
  root=$3
  shift 3
  exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root \
    LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 "$@"
' sh "$checkout" "$out" "$root" ${ENVIRONMENT:-} "$@"
