#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the plugin as a static library, as the subproject of a program that
# carries it within, installs it, and links the program once more with the .pc
# file. Both programs then measure frames.
#
# usage: scripts/check-static.sh
# environment:
#   BUILD_DIR  folder of the build with tests, whose compiled kernels are taken;
#              this one is beside it: BUILD_DIR-static
#   WRAP       a wrap file by which meson gets the plugin (default: none, the
#              checkout is taken)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${BUILD_DIR:-$root/build}-static
cache=${BUILD_DIR:-$root/build}/pocl-cache

[ $# -eq 0 ] || {
  sed -n '7,12s/^# \{0,1\}//p' "$0"
  exit 2
}

# A program finds no plugin but that within, and the system's.
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0
mkdir -p "$folder/project/subprojects" "$cache"
export GST_REGISTRY="$folder/registry.bin" POCL_CACHE_DIR="$cache"
export GST_OPENCL_CACHE_DIR='' GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0
export GST_OPENCL_SELF_TEST=0 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable

cp "$root/tests/static/meson.build" "$root/tests/static/static.c" \
  "$folder/project"
if [ -n "${WRAP:-}" ]; then
  cp "$WRAP" "$folder/project/subprojects/gst-opencl.wrap"
else
  ln -sfn "$root" "$folder/project/subprojects/gst-opencl"
fi

[ -f "$folder/build/build.ninja" ] ||
  meson setup "$folder/build" "$folder/project" -Doptimization=0 \
    --prefix "$folder/installed" -Dgst-opencl:tests=disabled \
    -Dgst-opencl:tools=disabled -Dgst-opencl:clqc=disabled
meson compile -C "$folder/build"
meson install -C "$folder/build" --no-rebuild --quiet

echo "as a subproject:"
"$folder/build/static"

plugins=$(dirname "$(find "$folder/installed" -name libgstopencl.a)")
PKG_CONFIG_PATH=$plugins/pkgconfig
export PKG_CONFIG_PATH
echo "version $(pkg-config --modversion gstopencl), with its .pc file:"
# GStreamer's own libraries are shared ones here: without --static, which asks
# for all that these were made of.
# shellcheck disable=SC2046 # words
"${CC:-cc}" -o "$folder/static" "$root/tests/static/static.c" \
  $(pkg-config --cflags --libs gstopencl)
"$folder/static"
