#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Watches three streams with clqc while simulated faults happen: black, white
# and frozen pictures, silence, lost datagrams, missing frames, senders and
# decoders that are killed, a broker that restarts. Prints the delay of each
# report over MQTT and the memory used. Fails if a fault is missed or invented,
# if the stream without faults is disturbed, or if memory grows.
#
# usage: tools/clqc/scripts/watch-soak.sh [SECONDS [SEED]]
#   SECONDS  duration in real time (3600)
#   SEED     of the faults
# environment:
#   BUILD_DIR  build folder of `scripts/setup.sh test` (default: build/ in the
#              checkout)
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD_DIR:-$root/build}
# Finds Debian's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
unset GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
export GST_PLUGIN_PATH="$build/gst" GST_OPENCL_CACHE_DIR=
export POCL_CACHE_DIR="$build/pocl-cache"
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_SELF_TEST=0
export GST_OPENCL_QUICK_START=0
export PYTHONPATH="$root/tools/clqc:$build/clqc-packages"
exec python3 "$root/tools/clqc/tests/soak_watch.py" "${1:-3600}" ${2:+"$2"}
