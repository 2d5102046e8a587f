#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs all tests of farms, including the slow ones: workers that die, have too
# little memory or a full disk, a scheduler that restarts, SSH and Slurm on this
# machine, and two workers against one; about ten minutes on two cores. Then
# runs tools/clqc/scripts/watch-soak.sh.
#
# usage: farm-test.sh [--debian | --newest] [pytest option ...]
#   --debian  use Debian's Dask, as without an option
#   --newest  use PyPI's newest Dask, s3fs and a server for it, and all packages
#             that pip installs with clqc, which it downloads
# environment:
#   BUILD_DIR      build folder of scripts/setup.sh farm (default: build/ in the
#                  checkout)
#   SOAK_SECONDS   duration of the soak test (default: 3600; 0: no soak test)
#   SKIP_PACKAGES  1: install nothing, use the installed packages
# Exit status 0 only if nothing failed.
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD_DIR:-$root/build}
# Finds Debian's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
unset GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
export GST_PLUGIN_PATH="$build/gst"
export POCL_CACHE_DIR="$build/pocl-cache"
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_SELF_TEST=0
export GST_OPENCL_QUICK_START=0

"$root/scripts/setup.sh" farm -Dclqc=enabled

PYTHONPATH=$root/tools/clqc:$build/clqc-packages
s3=
[ "${1:-}" != --debian ] || shift
if [ "${1:-}" = --newest ]; then
  shift
  python3 -m pip install --quiet --upgrade --disable-pip-version-check \
    --target "$build/newest-dask" distributed
  # In a separate environment: their dependencies conflict with Debian's
  # asyncssh.
  python3 -m pip install --quiet --upgrade --disable-pip-version-check \
    --target "$build/newest-s3" s3fs 'moto[s3,server]'
  s3=$build/newest-s3
  PYTHONPATH=$PYTHONPATH:$build/newest-dask
fi

export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
export CLQC_REPLAY="$build/tools/replay/clqc-replay"
export GST_OPENCL_CACHE_DIR="$build/clqc-programs"
export CLQC_FARM_LONG=1
cd "$root/tools/clqc/tests"
python3 -m pytest -q -rs -p no:cacheprovider "$@" test_input_addresses.py \
  test_cluster.py test_farm*.py test_scale.py test_slurm.py
[ -z "$s3" ] || CLQC_NEWEST=1 PYTHONPATH=$PYTHONPATH:$s3 \
  python3 -m pytest -q -rs -p no:cacheprovider "$@" test_s3.py test_package.py
[ "${SOAK_SECONDS:-3600}" = 0 ] ||
  exec "$root/tools/clqc/scripts/watch-soak.sh" "${SOAK_SECONDS:-3600}"
