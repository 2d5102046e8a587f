#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up OpenCL implementations, each in a folder of its own, runs the tests on
# them and prints a table. Installs nothing, and leaves the system's list of
# drivers alone. Debian 12's PoCL is the system's own; other releases of Debian
# are root folders that mmdebstrap makes, with GStreamer and compiler of their
# own, which needs root.
#
# usage: scripts/portability.sh [--whole] [NAME ...]
#   --whole  kernel tests on frames of every size; else small ones
#   NAME     of: pocl3 intel pocl7 pocl6 rusticl22 rusticl25 rusticl26 oclgrind
#            (default: all)
# environment:
#   BUILD_DIR           build folder with tests, for those of this system
#                       (default: build/ in the checkout)
#   PORTABILITY_DIR     implementations, other builds, results; some 6 GB
#                       (default: /var/tmp/gst-opencl-portability)
#   PARTS               of: build unit digests kernels elements speed, and
#                       pipelines, which no other names alone: in root folders
#                       scripts/setup.sh installs what they need
#   MMDEBSTRAP_OPTIONS  words, e.g. --aptopt=FILE for a proxy
# Results stay: the table has those of earlier runs, too. Exit status 1 if a
# part failed in this one, or ran nothing.
# The functions of implementations are called by name:
# shellcheck disable=SC2317
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
run=$root/scripts/portability-run.sh
cache=${PORTABILITY_DIR:-/var/tmp/gst-opencl-portability}
BUILD_DIR=${BUILD_DIR:-$root/build}
PARTS=${PARTS:-build unit digests kernels elements speed}
all='pocl3 intel pocl7 pocl6 rusticl22 rusticl25 rusticl26 oclgrind'

case ${1:-} in
  --whole)
    PARTS=$(echo "$PARTS" | sed 's/\<kernels/whole-kernels/')
    shift
    ;;
  -*) sed -n '9,24s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ $# -gt 0 ] || {
  # shellcheck disable=SC2086 # words
  set -- $all
}
unset GST_OPENCL_DEVICE GST_OPENCL_HOST_UNIFIED
mkdir -p "$cache" "$BUILD_DIR"
cache=$(cd "$cache" && pwd)
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
export ROOTS="$cache/roots"

fail () {
  echo "portability: $*" >&2
  exit 1
}

# on_system [NAME=VALUE ...]: with the loader and the GStreamer of this
# system.
on_system () {
  mkdir -p "$cache/$name"
  # shellcheck disable=SC2086 # words
  env "$@" "$run" "$BUILD_DIR" "$cache/$name" $PARTS
}

# What clqc and the tests that play files ask for, and the build that has them.
prepare_pipelines () {
  ENVIRONMENT="BUILD_DIR=/out/build ${PIP_CERT:+PIP_CERT=$PIP_CERT}" \
    "$root/scripts/debian.sh" "$release" "$cache/$release" \
    /checkout/scripts/setup.sh test -Dbuildtype=release -Dtests=enabled \
    -Dkernel-check=disabled -Dwerror=true
}

# in_debian RELEASE VENDOR [NAME=VALUE ...]: with those of another release,
# whose build serves all its drivers.
in_debian () {
  release=$1
  vendor=$2
  shift 2
  mkdir -p "$cache/$release/$name"
  ln -sfn "$release/$name" "$cache/$name"
  case " $PARTS " in
    *' pipelines '*) prepare_pipelines ;;
  esac
  # shellcheck disable=SC2086 # words
  ENVIRONMENT="OCL_ICD_VENDORS=/etc/OpenCL/vendors/$vendor.icd $*" \
    "$root/scripts/debian.sh" "$release" "$cache/$release" \
    /checkout/scripts/portability-run.sh /out/build "/out/$name" $PARTS
}

# wheels PACKAGE...: libraries of Python packages, in lib/ of the folder of this
# implementation; not their loader of drivers.
wheels () {
  folder=$cache/$name
  [ ! -e "$folder/lib" ] || return 0
  rm -rf "$folder/wheels" "$folder/lib.new"
  mkdir -p "$folder/wheels" "$folder/lib.new"
  python3 -m pip download --quiet --no-deps --dest "$folder/wheels" "$@" ||
    fail "could not download $*"
  python3 - "$folder/wheels" "$folder/lib.new" <<'END'
import os
import sys
import zipfile

wheels, lib = sys.argv[1:]
for wheel in os.listdir(wheels):
    with zipfile.ZipFile(os.path.join(wheels, wheel)) as archive:
        for name in archive.namelist():
            base = os.path.basename(name)
            if '.data/data/lib/' in name and not base.startswith('libOpenCL'):
                with open(os.path.join(lib, base), 'wb') as file:
                    file.write(archive.read(name))
END
  rm -rf "$folder/wheels"
  mv "$folder/lib.new" "$folder/lib"
}

# driver LIBRARY: the only one that the loader is to find.
driver () {
  mkdir -p "$cache/$name/vendors"
  echo "$1" >"$cache/$name/vendors/$name.icd"
}

run_pocl3 () {
  driver libpocl.so.2
  on_system "OCL_ICD_VENDORS=$cache/pocl3/vendors"
}

# Intel's runtime for CPUs of x86, AMD's too; proprietary.
run_intel () {
  wheels intel-opencl-rt intel-cmplr-lib-rt tbb
  driver "$cache/intel/lib/libintelocl.so"
  on_system "OCL_ICD_VENDORS=$cache/intel/vendors" \
    "LD_LIBRARY_PATH=$cache/intel/lib"
}

# It gets kernels wrong that it does not optimize: docs/devices.md
run_pocl7 () { in_debian forky pocl CL_TEST_OPTIMIZED=1; }
run_pocl6 () { in_debian trixie pocl; }
run_rusticl22 () { in_debian bookworm rusticl RUSTICL_ENABLE=llvmpipe; }
run_rusticl25 () { in_debian trixie rusticl RUSTICL_ENABLE=llvmpipe; }
run_rusticl26 () { in_debian forky rusticl RUSTICL_ENABLE=llvmpipe; }

# A simulator: kernels alone, with its checks.
run_oclgrind () {
  command -v oclgrind >/dev/null ||
    fail "there is no oclgrind: apt-get install oclgrind"
  PARTS=$(echo "$PARTS" | sed 's/[a-z-]*kernels/oclgrind/; s/speed//
    s/digests//; s/elements//; s/unit//')
  on_system
}

failed=0
for name; do
  case " $all " in
    *" $name "*) ;;
    *) fail "what is '$name'? of: $all" ;;
  esac
  echo "== $name"
  (run_"$name") || {
    echo "FAIL  $name: it ended with $?"
    failed=1
  }
done

# shellcheck disable=SC2086 # words
"$root/scripts/portability-table.py" "$cache" $all
exit "$failed"
