#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a command in a Debian of another release, with the checkout in /checkout
# and a folder of the host in /out. The first time it takes a minute: it makes
# the root folder, some 1.4 GB, by mmdebstrap (Debian: apt-get install
# mmdebstrap). As root.
#
# usage: scripts/debian.sh RELEASE OUT COMMAND...
#   RELEASE  trixie, forky, ..
#   OUT      the folder that the command can write to
# environment, of which the command gets what ENVIRONMENT names:
#   ROOTS               folder of the root folders (default:
#                       /var/tmp/gst-opencl-roots)
#   ROOT                name of the root folder (default: RELEASE)
#   PACKAGES            what a new root has, NAME[:ARCHITECTURE],.. (default:
#                       what builds and plays, and drivers)
#   MMDEBSTRAP_OPTIONS  words, e.g. --aptopt=FILE for a proxy
#   MIRROR              where a new root's packages come from (default:
#                       Debian's, and those of its security team)
#   ENVIRONMENT         NAME=VALUE ..., words without spaces
set -eu

[ $# -ge 3 ] || {
  sed -n '8,21s/^# \{0,1\}//p' "$0"
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
  # what was left half done is made anew
  rm -rf "$root.new"
  mkdir -p "$(dirname "$root")"
  # This system's apt may be told to take lists of packages that are out of
  # date, from a mirror that stands still: then the new one takes them, too.
  apt-config dump | grep '^Acquire::Check-' >"$root.aptopt" || true
  # shellcheck disable=SC2086 # options are words, no mirror is none
  mmdebstrap --variant=apt --aptopt="$root.aptopt" ${MMDEBSTRAP_OPTIONS:-} \
    --include="${PACKAGES:-$packages}" "$release" "$root.new" ${MIRROR:-} >&2
  mv "$root.new" "$root"
fi
mkdir -p "$root/checkout" "$root/out"
# Containers and installed systems have one.
[ -e "$root/etc/hosts" ] ||
  printf '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n' \
    >"$root/etc/hosts"

# Mounts of its own, gone with the last process. The root is one, so that what
# runs within can make such a folder, too. PoCL asks /sys for the memory.
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
