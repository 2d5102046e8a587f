#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the packages for the tests, builds the plugin and runs tests. The
# last line is "N passed, N failed". Exit status 0 only if nothing failed.
#
# usage: scripts/test.sh [--quick | --all]
#            units, kernels on small frames, elements and pipelines, in a
#            release: ten minutes on two cores, with empty caches
#   --quick  for work in progress: units, kernels on small frames and six
#            suites of elements, with the address and undefined-behaviour
#            sanitizers and the random seed of the run before: one minute in an
#            existing build folder
#   --all    all tests, as continuous integration runs them
# docs/testing.md lists the suites of each command.
# environment:
#   BUILD_DIR          build folder of the plugin (default: build/ in the
#                      checkout); tests with sanitizers have the folders
#                      BUILD_DIR-asan and BUILD_DIR-tsan
#   CL_REQUIRE_DEVICE  1: tests that need a device fail without one, instead of
#                      being skipped
#   SANITIZERS         0: --quick tests the build of users in BUILD_DIR, without
#                      sanitizers and without warnings as errors
#   SKIP_PACKAGES      1: install nothing, use the installed packages
# functions that are called by name, and settings of a subshell only:
# shellcheck disable=SC2317,SC2030,SC2031
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
mkdir -p "$BUILD_DIR"
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
asan=$BUILD_DIR-asan
tsan=$BUILD_DIR-tsan
logs=$BUILD_DIR/test-logs
# shellcheck source=scripts/steps.sh
. scripts/steps.sh

case $* in
  '') scope=default asan=$BUILD_DIR ;;
  --quick) scope=quick ;;
  --all) scope=all ;;
  *) sed -n '3,23s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# All runs share a cache, so that kernels compile once. Settings of the user for
# GStreamer and OpenCL are ignored.
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_DEBUG GST_OPENCL_DEVICE
export POCL_CACHE_DIR="$BUILD_DIR/pocl-cache"
export GST_OPENCL_CACHE_DIR=
export GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0 GST_OPENCL_SELF_TEST=0
export GST_OPENCL_QUICK_START=0
export PYTHONDONTWRITEBYTECODE=1
# Many tests wait: two processes per core keep the cores busy.
MESON_TESTTHREADS=$((2 * $(nproc)))
export MESON_TESTTHREADS
mkdir -p "$logs" "$POCL_CACHE_DIR"
# All builds use the same random seed, so that they share compiled kernels; each
# run except --quick has a new seed.
seed=$BUILD_DIR/test-seed
if [ $scope != quick ] || [ ! -f "$seed" ]; then
  date +%s >"$seed"
fi
CL_TEST_SEED=$(cat "$seed")
export CL_TEST_SEED

# The plugin may only export the two symbols that GStreamer uses, and that of
# gst-opencl-compiler.
check_symbols () {
  nm -D --defined-only "$BUILD_DIR/gst/libgstopencl.so" |
    awk '{ print $3 }' | sort >"$logs/symbols"
  printf '%s\n' gst_opencl_compile gst_plugin_opencl_get_desc \
    gst_plugin_opencl_register |
    diff - "$logs/symbols"
}

# gst-inspect-1.0 describes the plugin and each element without a warning.
check_inspect () (
  export GST_PLUGIN_PATH="$BUILD_DIR/gst"
  export GST_REGISTRY="$BUILD_DIR/inspect-registry.bin"
  export G_DEBUG=fatal-warnings
  gst-inspect-1.0 opencl || exit 1
  elements=$(gst-inspect-1.0 opencl | sed -n 's/^  \(cl[a-z]*\): .*/\1/p')
  [ -n "$elements" ] || exit 1
  for element in $elements; do
    gst-inspect-1.0 "$element" || exit 1
  done
)

# `meson install` writes to the prefix only; an option installs the plugin in
# GStreamer's folder.
check_install () {
  rm -rf "$BUILD_DIR/install" &&
    DESTDIR="$BUILD_DIR/install" meson install -C "$BUILD_DIR" --no-rebuild &&
    test "$(cd "$BUILD_DIR/install" && find . -name libgstopencl.so)" = \
      "./usr/local/$(meson introspect --buildoptions "$BUILD_DIR" |
        jq -r '.[] | select(.name == "libdir").value')"\
/gstreamer-1.0/libgstopencl.so || return 1
  meson setup "$BUILD_DIR/install/configured" --prefix=/nowhere \
    -Dplugindir=gstreamer -Dtests=disabled -Dtools=disabled -Dclqc=disabled ||
    return 1
  meson introspect --installed "$BUILD_DIR/install/configured" |
    jq -r '.[]' | grep -Fx \
    "$(pkg-config --variable=pluginsdir gstreamer-1.0)/libgstopencl.so"
}

# The demo and the quick tests on a system with only Debian 13's essential
# packages: a root folder, with a clone of the commit. The demo runs first: it
# would not miss a package that the tests have installed. At last the tests of
# GstAnalytics, which Debian 12 lacks.
check_debian13 () (
  folder=$BUILD_DIR/debian13
  rm -rf "$folder"
  scripts/setup.sh package && git clone --quiet "$root" "$folder/source" &&
    ROOTS=$folder ROOT=root PACKAGES=apt ENVIRONMENT=CL_REQUIRE_DEVICE=1 \
      "$folder/source/scripts/debian.sh" trixie "$folder/out" sh -euxc '
        cd /checkout
        scripts/quickstart.sh demo
        apt-get install -y libgstreamer-plugins-bad1.0-dev python3-gst-1.0
        meson configure build -Danalytics=enabled
        SANITIZERS=0 scripts/test.sh --quick
        meson test -C build "element clframesumanalytics" analytics' &&
    rm -rf "$folder"
)

# configure FOLDER MESON_OPTION...: configures a build that shares the compiled
# kernels of BUILD_DIR. With less optimization, and line numbers as the only
# debug information, it compiles faster and tests at the same speed.
configure () {
  folder=$1
  shift
  mkdir -p "$folder"
  ln -sfn "$BUILD_DIR/pocl-cache" "$folder/pocl-cache"
  ln -sfn "$BUILD_DIR/checkers" "$folder/checkers"
  [ -f "$folder/build.ninja" ] || meson setup "$folder" "$root" \
    -Dwerror=true -Dtests=enabled -Dkernel-check=disabled \
    -Doptimization=1 -Dc_args=-g1 "$@"
}

# The most distinct OpenCL programs that PoCL may compile in a run, which takes
# most of its time. Reason of the last change: errors, ssim, xpsnr and
# differencemap have options for samples, strides, sizes and orders. Lower it
# with each cut; the aim without an option is 450.
case $scope in
  all) most_programs=1300 ;;
  *) most_programs=700 ;;
esac

# Counts the programs that PoCL has compiled in this run.
check_programs () {
  n_programs=$(find "$POCL_CACHE_DIR" -name program.bc -newer "$seed" | wc -l)
  step "$n_programs distinct OpenCL programs of at most $most_programs" \
    test "$n_programs" -le "$most_programs"
}

quick () {
  suite 'unit' "$asan" --suite unit
  suite 'kernels' "$asan" --suite kernels integral localmean \
    localmeansliding operation moments metrics
  suite 'elements' "$asan" 'element clframesum' 'element clintegral' \
    'element cllocalmean' 'element properties' \
    'element transfers, discrete' 'element memory, discrete'
}

default () {
  suite 'units, kernels, elements, pipelines' "$BUILD_DIR" --suite unit \
    --suite kernels --suite elements --suite host --suite pipelines \
    --no-suite complete
}

all () {
  suite 'large frames, pipelines' "$BUILD_DIR" --suite large --suite pipelines \
    --no-suite complete
  suite 'units, kernels, elements' "$asan" --suite unit --suite kernels \
    --suite elements --suite host --suite discrete --suite combinations
  step 'build of all' meson compile -C "$BUILD_DIR" || :
  step 'headers alone' scripts/check-build.sh headers || :
  step 'sources by clang' scripts/check-build.sh pedantic || :
  step 'install' check_install || :
  step 'files of packages' scripts/check-packaging.sh || :
  step 'headers of systems' scripts/check-build.sh systems || :
  step 'static library' scripts/check-build.sh static || :
  suite 'complete' "$BUILD_DIR" --suite complete --suite compile \
    --suite examples --suite clqc --suite clbench --suite decoders
  suite 'fuzzing' "$asan" --suite fuzzing
  step 'build with the thread sanitizer' configure "$tsan" -Db_sanitize=thread \
    -Db_lundef=false && suite 'threads' "$tsan" --suite threads
  if [ "$(id -u)" -eq 0 ]; then
    step 'Debian 13' check_debian13 || :
  else
    skipped=$((skipped + 1))
    echo 'skip  Debian 13: root folders need root'
  fi
}

# A release, because some warnings need optimization.
purpose='test'
options='-Dwerror=true -Dbuildtype=release -Ddebug=true'
case $scope${SANITIZERS:-1} in
  quick0) purpose=quick options='' asan=$BUILD_DIR ;;
  quick*) purpose=quick ;;
  *) options="$options -Dkernel-check=enabled -Dintrospection=enabled" ;;
esac
# shellcheck disable=SC2086 # words
step 'build' env TARGET=installed scripts/setup.sh $purpose -Dtests=enabled \
  $options || finish
if [ "$asan" != "$BUILD_DIR" ]; then
  step 'build with sanitizers' configure "$asan" \
    -Db_sanitize=address,undefined || finish
fi
step 'style' scripts/check-style.sh || :
step 'exported symbols' check_symbols || :
step 'gst-inspect' check_inspect || :
$scope
[ $scope = quick ] || check_programs || :
finish
