#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiles each header of the plugin and its tools alone, their sources with
# -Wpedantic, and everything in release with gcc and with clang, warnings as
# errors.
#
# usage: scripts/check-build.sh [headers|pedantic|gcc|clang]...   (default: all)
# environment:
#   BUILD_DIR  build folder, which has headers that are generated (default:
#              build/ in the checkout); those of the releases are beside it:
#              BUILD_DIR-gcc, BUILD_DIR-clang
# Silent when all is well.
# each calls functions by name:
# shellcheck disable=SC2317
set -u

cd "$(dirname "$0")/.." || exit 1
BUILD_DIR=${BUILD_DIR:-$PWD/build}
status=0

# pedantic COMPILER ARGUMENT... FILE: compiles to nothing; no extension passes.
pedantic () {
  compiler=$1
  shift
  "$compiler" -fsyntax-only -std=c11 -Wall -Wextra -Wpedantic -Werror \
    -Wno-unused-parameter -Igst -Itools -I. "-I$BUILD_DIR/kernels" \
    -DCL_TARGET_OPENCL_VERSION=120 \
    -DGST_USE_UNSTABLE_API -DPACKAGE='""' -DPACKAGE_NAME='""' \
    -DPACKAGE_VERSION='""' -DPACKAGE_ORIGIN='""' "$@"
}

# Without what was included before it; it is included, not compiled itself,
# since compilers have other warnings for the file that they are given. gcc
# takes half of clang's time.
check_header () {
  # shellcheck disable=SC2086 # one word a flag
  printf '#include "%s"\n' "${1#gst/}" | pedantic gcc $cflags -x c - ||
    echo "$1: does not compile alone"
}

check_source () {
  # shellcheck disable=SC2086
  pedantic clang $cflags "$1" || echo "$1: is not C11 to the letter"
}

# each FUNCTION PATTERN: on as many files at once as there are processors; but
# on those that the version of GStreamer here has no headers for.
each () {
  find gst tools -name "$2" ! -path "$left_out" | sort | {
    n=0
    while read -r f; do
      "$1" "$f" 2>&1 &
      n=$((n + 1))
      [ $((n % processors)) -ne 0 ] || wait
    done
    wait
  }
}

# alone FUNCTION PATTERN: prints what is wrong, and then fails.
alone () {
  packages='gstreamer-video-1.0 gio-2.0 json-glib-1.0'
  left_out=
  if pkg-config --exists 'gstreamer-analytics-1.0 >= 1.28'; then
    packages="$packages gstreamer-analytics-1.0"
  else
    left_out='gst/elements/framesumbatch/*'
  fi
  # shellcheck disable=SC2086 # one word a package
  cflags=$(pkg-config --cflags $packages) || return 1
  processors=$(nproc)
  findings=$(each "$1" "$2")
  [ -z "$findings" ] && return
  printf '%s\n' "$findings"
  return 1
}

# release COMPILER: the plugin, its tests and examples.
release () {
  folder=$BUILD_DIR-$1
  log=$folder/release.log
  mkdir -p "$folder"
  { [ -f "$folder/build.ninja" ] || CC=$1 meson setup "$folder" \
    -Dbuildtype=release -Dwerror=true -Dtests=enabled -Dkernel-check=disabled
  } >"$log" 2>&1 && meson compile -C "$folder" --ninja-args=-k0 >>"$log" 2>&1 &&
    return
  grep -E '(warning|error|ERROR):' "$log" || tail -n 30 "$log"
  return 1
}

[ $# -gt 0 ] || set -- headers pedantic gcc clang
for what; do
  case $what in
    headers) alone check_header '*.h' || status=1 ;;
    pedantic) alone check_source '*.c' || status=1 ;;
    gcc | clang) release "$what" || status=1 ;;
    *) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
exit $status
