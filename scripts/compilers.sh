#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds a release with warnings as errors with each compiler and for each other
# processor, runs the unit tests, which need no device, and prints a table. The
# compilers are those of Debian 12, 13 and forky, in root folders that
# mmdebstrap creates; this needs root. Builds for other processors are cross
# builds on Debian 12; their tests run in qemu-user, except for i386.
#
# usage: scripts/compilers.sh [--here] [NAME ...]
#   --here  use the compilers of this system, without a root folder
#   NAME    of: gcc-12 gcc-14 gcc-16 clang-14 clang-15 clang-16 clang-17
#           clang-18 clang-19 arm64 armhf i386 (default: all)
# environment:
#   COMPILERS_DIR       root folders of 1.4 GB each, builds, results (default:
#                       /var/tmp/gst-opencl-compilers)
#   MMDEBSTRAP_OPTIONS  words, such as --aptopt=FILE for a proxy
# The table also has the results of earlier runs. Exit status 1 if a build or a
# test failed in this run.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${COMPILERS_DIR:-/var/tmp/gst-opencl-compilers}
all='gcc-12 gcc-14 gcc-16 clang-14 clang-15 clang-16 clang-17 clang-18'
all="$all clang-19 arm64 armhf i386"
here=0
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

case ${1:-} in
  --here) here=1; shift ;;
  -*) sed -n '9,18s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ $# -gt 0 ] || {
  # shellcheck disable=SC2086 # words
  set -- $all
}
mkdir -p "$out"
out=$(cd "$out" && pwd)

for name; do
  case " $all " in
    *" $name "*) ;;
    *) echo "what is '$name'? of: $all" >&2; exit 2 ;;
  esac
done

# --- in the root folder, or on this system -----------------------------------

# Sets the name of the compiler for $name and, for another processor, its names
# in Debian, meson and qemu.
describe () {
  triplet='' qemu='' pkgconfig=''
  case $name in
    arm64)
      triplet=aarch64-linux-gnu cpu=aarch64 family=aarch64
      qemu="qemu-aarch64-static" ;;
    armhf)
      triplet=arm-linux-gnueabihf cpu=armv7 family=arm
      qemu="qemu-arm-static" ;;
    i386) triplet=i686-linux-gnu cpu=i686 family=x86 ;;
  esac
  compiler=${triplet:+$triplet-gcc}
  compiler=${compiler:-$name}
  if [ "$name" = i386 ]; then
    pkgconfig=/usr/lib/i386-linux-gnu/pkgconfig
  elif [ -n "$triplet" ]; then
    pkgconfig=/usr/lib/$triplet/pkgconfig
  fi
}

# Writes meson's cross file for another processor.
cross_file () {
  cat <<END
[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$cpu'
endian = 'little'

[properties]
pkg_config_libdir = ['$pkgconfig', '/usr/share/pkgconfig']

[binaries]
c = '$compiler'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
END
  [ -z "$qemu" ] || echo "exe_wrapper = '$qemu'"
}

# Prints the warnings and errors of a failed build, or the end of its output.
build () {
  set -- -Dbuildtype=release -Dwerror=true -Dtests=enabled \
    -Dtools=enabled -Dkernel-check=disabled
  if [ -n "$triplet" ]; then
    cross_file >"$folder/cross"
    set -- "$@" --cross-file "$folder/cross"
  fi
  if { [ -e "$folder/build/build.ninja" ] ||
    CC=$compiler meson setup "$folder/build" "$root" "$@"; } \
    >"$folder/build.log" 2>&1 &&
    ninja -C "$folder/build" -k 0 >>"$folder/build.log" 2>&1; then
    return
  fi
  grep -E '(warning|error|ERROR):' "$folder/build.log" >&2 ||
    tail -n 30 "$folder/build.log" >&2
  return 1
}

# Prints how many tests passed, failed and were skipped. Programs in qemu take
# ten times as long.
unit_tests () {
  log=$folder/build/meson-logs/unit
  rm -f "$log"*
  env -u GST_PLUGIN_PATH -u GST_PLUGIN_PATH_1_0 -u GST_DEBUG \
    CK_TIMEOUT_MULTIPLIER=10 meson test -C "$folder/build" --no-rebuild \
    --logbase unit -t 10 --suite unit >"$folder/unit.log" 2>&1 || :
  touch "$log.json"
  count_tests <"$log.json"
}

# Prints a row: compiler, GStreamer, result of the build, tests.
run_here () {
  describe
  folder=$out/$name
  mkdir -p "$folder"
  rm -f "$folder/result"
  command -v "$compiler" >/dev/null || {
    echo "there is no $compiler" >&2
    return 1
  }
  version=$("$compiler" --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p')
  gstreamer=$(PKG_CONFIG_PATH=$pkgconfig pkg-config --modversion gstreamer-1.0)
  if build; then
    tests=$(unit_tests)
    echo "$compiler $version $gstreamer builds $tests" >"$folder/result"
    case $tests in *' 0 '*) ;; *) return 1 ;; esac
  else
    echo "$compiler $version $gstreamer fails - - -" >"$folder/result"
    return 1
  fi
}

# --- root folders ------------------------------------------------------------

tools=gcc,libc6-dev,meson,ninja-build,pkg-config,python3
libraries='libglib2.0-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libjson-glib-dev ocl-icd-opencl-dev'

# On Debian 12, GStreamer's headers can be installed for one processor at a
# time.
in_debian () {
  release=bookworm suffix='' options=''
  case $name in
    gcc-12 | clang-14 | clang-15 | clang-16)
      packages=$tools,gcc-12,clang-14,clang-15,clang-16 ;;
    gcc-14 | clang-17 | clang-18 | clang-19)
      release=trixie packages=$tools,gcc-14,clang-17,clang-18,clang-19 ;;
    # includes the analytics metas, which Debian 12 lacks
    gcc-16)
      release=forky
      packages=$tools,gcc-16,libgstreamer-plugins-bad1.0-dev ;;
    *)
      describe
      suffix=:$name
      packages=$tools,gcc-$triplet,libc6-dev:$name,qemu-user-static
      options="--architectures=$(dpkg --print-architecture),$name" ;;
  esac
  for library in $libraries; do
    packages=$packages,$library$suffix
  done
  # one archive, in which packages for all processors have the same version
  ROOTS="$out/roots" ROOT="$release${suffix:+-$name}" PACKAGES="$packages" \
    MIRROR=http://deb.debian.org/debian ENVIRONMENT=COMPILERS_DIR=/out \
    MMDEBSTRAP_OPTIONS="${MMDEBSTRAP_OPTIONS:-} $options" \
    "$root/scripts/debian.sh" "$release" "$out" \
    /checkout/scripts/compilers.sh --here "$name" >/dev/null
}

failed=0
for name; do
  if [ $here = 1 ]; then
    run_here || failed=1
  else
    echo "== $name"
    in_debian || failed=1
  fi
done

# shellcheck disable=SC2086 # words
[ $here = 1 ] || set -- $all
printf '%-9s %-25s %-9s %-10s %-7s %6s %6s %7s\n' name compiler version \
  GStreamer build passed failed skipped
for name; do
  [ -f "$out/$name/result" ] || continue
  # shellcheck disable=SC2046,SC2183 # words
  printf '%-9s %-25s %-9s %-10s %-7s %6s %6s %7s\n' "$name" \
    $(cat "$out/$name/result")
done
exit $failed
