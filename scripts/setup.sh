#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs missing Debian packages and builds the plugin.
#
# usage: scripts/setup.sh [PURPOSE] [meson option ...]
#   build  only the plugin and its tools (default)
#   demo   the plugin, and packages for scripts/demo.sh
#   qc     the plugin and build/clqc, which checks files (tools/clqc/README.md);
#          downloads uPlot, a script that draws charts, from PyPI
#   qc-test  as qc, and packages for tools/clqc/scripts/test.sh
#   quick  the plugin, and packages for scripts/test.sh --quick
#   test   everything, and packages for scripts/test.sh
#   farm   as qc-test, and an SSH server and Slurm, which
#          tools/clqc/scripts/farm-test.sh starts
#   fuzz   only the fuzz targets, for scripts/fuzz.sh
#   docs   the plugin, and packages for scripts/docs.sh
#   package  builds nothing; packages for the Debian packages of
#          scripts/package.sh
# environment:
#   BUILD_DIR      build folder (default: build/ in the checkout)
#   TARGET         the meson target to compile (default: depends on PURPOSE)
#   SKIP_PACKAGES  1: install nothing, use the installed packages
# Prints little and ends at once if everything is installed and built. Exit
# status 0 if the build succeeded.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build}
purpose=${1:-build}
[ $# -eq 0 ] || shift

# Finds Debian's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH

for_build="gcc libc6-dev meson ninja-build pkg-config libglib2.0-dev
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev ocl-icd-opencl-dev
  opencl-c-headers pocl-opencl-icd gstreamer1.0-tools
  gstreamer1.0-plugins-base libjson-glib-dev"
for_demo="gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-libav python3 python3-gi python3-gst-1.0 python3-numpy
  python3-matplotlib gir1.2-gst-plugins-base-1.0"
for_qc="gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-plugins-ugly gstreamer1.0-libav python3 python3-gi
  python3-gst-1.0 gir1.2-gst-plugins-base-1.0 python3-jinja2
  python3-jsonschema python3-numpy python3-rich python3-pip
  python3-distributed python3-fsspec
  python3-paho-mqtt python3-prometheus-client"
for_qc_test="ffmpeg jq python3-pytest python3-yaml
  mosquitto mosquitto-clients mount openssl prometheus prometheus-alertmanager
  gir1.2-gst-rtsp-server-1.0"
# Ubuntu has only a snap: tests that need a browser are skipped.
grep -qsx 'ID=ubuntu' /etc/os-release || for_qc_test="$for_qc_test chromium"
for_quick="binutils python3 python3-pip"
# The translator to SPIR-V has no package without a version: that of clang.
# Older systems have the descriptions of GLib for GObject introspection in
# another package.
for_spirv=
for_gir=gobject-introspection
case $(. /etc/os-release 2>/dev/null && echo "$ID $VERSION_ID") in
  'debian 12')
    for_spirv=llvm-spirv-14
    for_gir=libgirepository1.0-dev
    ;;
  'debian 13') for_spirv=llvm-spirv-19 ;;
  'ubuntu 24.04')
    for_spirv=llvm-spirv-18
    for_gir=libgirepository1.0-dev
    ;;
esac
for_test="$for_quick clang clang-tools appstream groff-base python3-pyopencl
  $for_gir $for_spirv"
for_farm="python3-matplotlib python3-asyncssh openssh-client openssh-server
  munge slurm-client slurmctld slurmd python3-venv"
for_docs="python3 python3-gst-1.0 python3-venv python3-dev g++ make cmake flex
  libxml2-dev libclang-14-dev $for_gir llvm-14 linkchecker"
for_fuzz="clang libclang-rt-dev python3"
for_package="git mmdebstrap mount xz-utils"

say () {
  printf '%s\n' "setup: $*" >&2
}

fail () {
  say "$*"
  exit 1
}

# Prints the packages among the arguments that are not installed.
missing_packages () {
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = \
      installed ] || printf '%s ' "$package"
  done
}

# Runs a command as root. sudo asks for a password only on a terminal.
sudo_option=-n
[ ! -t 0 ] || sudo_option=
as_root () {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo $sudo_option "$@"
  fi
}

install_packages () {
  if ! command -v apt-get >/dev/null; then
    fail "this is not Debian: install what README.md lists under" \
      "'Building by hand', then run this with SKIP_PACKAGES=1"
  fi

  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0

  say "installing $missing"
  log=$build/packages.log
  # Waits for other installations, such as Debian's automatic updates.
  # shellcheck disable=SC2086 # one word a package
  if ! as_root env DEBIAN_FRONTEND=noninteractive sh -c '
      apt-get -o DPkg::Lock::Timeout=600 update -qq &&
      exec apt-get -o DPkg::Lock::Timeout=600 install -y -qq \
        --no-install-recommends "$@"' \
    apt $missing </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "could not install the packages (whole log: $log); as root:" \
      "apt-get update && apt-get install $missing"
  fi
}

# Configures the first time, and if there are options; then compiles.
configure_and_compile () {
  case $purpose in
    test) target=all ;;
    fuzz) target=fuzz ;;
    *) target=installed ;;
  esac
  again=
  [ ! -f "$build/build.ninja" ] || again=--reconfigure

  if [ -z "$again" ] || [ $# -gt 0 ]; then
    # shellcheck disable=SC2086 # an empty $again is no argument
    meson setup $again "$build" "$root" "$@" || return 1
  fi
  ninja -C "$build" "${TARGET:-$target}"
}

build_plugin () {
  log=$build/build.log
  [ -f "$build/build.ninja" ] || say "building in $build"
  if ! configure_and_compile "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    fail "the build failed (whole log: $log); if the folder is left over from" \
      "another checkout, remove $build and try again"
  fi
}

# pip_install FOLDER ARGUMENT...: installs Python packages into a folder of the
# build folder.
pip_install () {
  target=$build/$1
  shift
  python3 -m pip install --quiet --disable-pip-version-check \
    --target "$target" "$@" >"$build/packages.log" 2>&1
}

# Extracts uPlot's script and style from a Python package, because Debian has no
# package of it.
install_plots () {
  [ ! -e "$build/clqc-packages/uplot/static" ] || return 0
  [ "${SKIP_PACKAGES:-0}" != 1 ] || return 0
  if ! pip_install clqc-packages --no-deps 'uplot-python >= 1.1'; then
    say "could not install uplot-python by pip, without which clqc draws" \
      "no reports (whole log: $build/packages.log)"
    return 1
  fi
}

# clqc also supports Debian's older versions.
install_newest () {
  [ ! -e "$build/clqc-newest/paho" ] || return 0
  [ "${SKIP_PACKAGES:-0}" != 1 ] || return 0
  pip_install clqc-newest --no-deps 'paho-mqtt >= 2' prometheus-client ||
    say "could not install the newest paho-mqtt by pip: a test is skipped"
}

# Installs what scripts/requirements.txt lists, again after each change of it.
install_checkers () {
  list=$root/scripts/requirements.txt
  ! cmp -s "$list" "$build/checkers/installed" || return 0
  [ "${SKIP_PACKAGES:-0}" != 1 ] || return 0
  rm -rf "$build/checkers"
  if ! pip_install checkers -r "$list"; then
    say "could not install by pip what scripts/requirements.txt lists: checks" \
      "of style and types fail (whole log: $build/packages.log)"
    return 1
  fi
  cp "$list" "$build/checkers/installed"
}

# Debian has no such package; its Dask is new enough.
install_jobqueue () {
  [ ! -e "$build/clqc-packages/dask_jobqueue" ] || return 0
  [ "${SKIP_PACKAGES:-0}" != 1 ] || return 0
  pip_install clqc-packages --no-deps dask-jobqueue ||
    say "could not install dask-jobqueue by pip: tests of Slurm are skipped"
}

mkdir -p "$build" || fail "cannot write to $build"
case $purpose in
  build) packages=$for_build ;;
  demo) packages="$for_build $for_demo" ;;
  qc) packages="$for_build $for_qc" ;;
  qc-test) packages="$for_build $for_qc $for_qc_test" ;;
  quick) packages="$for_build $for_quick" ;;
  test) packages="$for_build $for_demo $for_qc $for_qc_test $for_test" ;;
  farm) packages="$for_build $for_qc $for_qc_test $for_farm" ;;
  fuzz) packages="$for_build $for_fuzz" ;;
  docs) packages="$for_build $for_docs" ;;
  package) packages="$for_build $for_package" ;;
  *) fail "what is '$purpose'? build, demo, qc, qc-test, quick, test, farm," \
    "fuzz, docs or package" ;;
esac

# shellcheck disable=SC2086 # one word a package
[ "${SKIP_PACKAGES:-0}" = 1 ] || install_packages $packages
case $purpose in
  qc) install_plots || exit 1 ;;
  quick) install_checkers || : ;;
  qc-test | test | farm) install_plots || : # tests of reports are skipped
    install_newest
    install_checkers || : ;;
esac
[ "$purpose" != farm ] || install_jobqueue
[ "$purpose" = package ] || build_plugin "$@"
