#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every test of farms, those that take long too: workers that die, have
# too little memory or a full disk, a scheduler that starts again, SSH and
# Slurm on this machine, and two workers against one. Takes about ten minutes
# on two cores, and then the time of the soak: it watches three streams with
# simulated faults, and says how late each was told over MQTT, and how much
# memory that took. It fails if a fault is missed or invented, if the stream
# without faults is disturbed, or if memory grows.
#
# usage: scripts/farm-test.sh [--debian | --newest] [pytest option ...]
#        scripts/farm-test.sh --soak [SECONDS [SEED]]
#   --debian  with Debian's Dask, as without an option
#   --newest  with PyPI's newest Dask, with s3fs and a server for it, and with
#             all that pip installs beside clqc, which it takes from a network
#   --soak    the soak alone, with what `scripts/setup.sh test` installs and
#             builds (SECONDS: 3600, of the clock)
# environment:
#   BUILD_DIR      build folder (default: build/ in the checkout), of
#                  scripts/setup.sh farm
#   SOAK_SECONDS   of the soak (default: 3600; 0: not at all)
#   SKIP_PACKAGES  1: install nothing, use what is there
# Exit status 0 only if nothing failed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build}
# The Debian tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
unset GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
export GST_PLUGIN_PATH="$build/gst"
export POCL_CACHE_DIR="$build/pocl-cache"
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_SELF_TEST=0
export GST_OPENCL_QUICK_START=0

# soak [SECONDS [SEED]]: the last that this script does.
soak () {
  PYTHONPATH=$root/tools/clqc:$build/clqc-packages GST_OPENCL_CACHE_DIR='' \
    exec python3 "$root/tools/clqc/tests/soak_watch.py" "${1:-3600}" ${2:+"$2"}
}

if [ "${1:-}" = --soak ]; then
  shift
  soak "$@"
fi
"$root/scripts/setup.sh" farm -Dtests=enabled

PYTHONPATH=$root/tools/clqc:$build/clqc-packages
s3=
[ "${1:-}" != --debian ] || shift
if [ "${1:-}" = --newest ]; then
  shift
  python3 -m pip install --quiet --upgrade --disable-pip-version-check \
    --target "$build/newest-dask" distributed
  # Apart: what they need does not suit Debian's asyncssh.
  python3 -m pip install --quiet --upgrade --disable-pip-version-check \
    --target "$build/newest-s3" s3fs 'moto[s3,server]'
  s3=$build/newest-s3
  PYTHONPATH=$PYTHONPATH:$build/newest-dask
fi

export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
export CLQC_REPLAY="$build/tools/clqc/replay/clqc-replay"
export GST_OPENCL_CACHE_DIR="$build/clqc-programs"
export CLQC_FARM_LONG=1
cd "$root/tools/clqc/tests"
python3 -m pytest -q -rs -p no:cacheprovider "$@" test_addresses.py \
  test_cluster.py test_farm*.py test_scale.py test_slurm.py
[ -z "$s3" ] || CLQC_NEWEST=1 PYTHONPATH=$PYTHONPATH:$s3 \
  python3 -m pytest -q -rs -p no:cacheprovider "$@" test_s3.py test_package.py
[ "${SOAK_SECONDS:-3600}" = 0 ] || soak "${SOAK_SECONDS:-3600}"
