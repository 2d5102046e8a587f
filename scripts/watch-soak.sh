#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Watches three streams with simulated faults, and says how late each was told
# over MQTT, and how much memory that took. Fails if a fault is missed or
# invented, if the stream without faults is disturbed, or if memory grows.
#
# usage: scripts/watch-soak.sh [SECONDS [SEED]]     (3600, of the clock)
# Needs what `scripts/setup.sh test` installs and builds.
# environment:
#   BUILD_DIR  build folder (default: build/ in the checkout)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build}

# The Debian tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
GST_PLUGIN_PATH=$build/gst
PYTHONPATH=$root/tools/clqc:$build/clqc-packages
POCL_CACHE_DIR=$build/pocl-cache
GST_OPENCL_CACHE_DIR=
GST_OPENCL_TUNE=0
GST_OPENCL_PREPARE=0
GST_OPENCL_SELF_TEST=0
export PATH GST_PLUGIN_PATH PYTHONPATH POCL_CACHE_DIR GST_OPENCL_CACHE_DIR
export GST_OPENCL_TUNE GST_OPENCL_PREPARE GST_OPENCL_SELF_TEST

exec python3 "$root/tools/clqc/tests/soak_watch.py" "${1:-3600}" ${2:+"$2"}
