#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the tarball of a release from the commit, and builds and tests packages
# from the tarball only: Debian's packages in clean root folders, which
# mmdebstrap creates and which need root, and a program that gets the plugin by
# packaging/gst-opencl.wrap (docs/packaging.md). The last line is "N passed, N
# failed".
#
# usage: scripts/package.sh [NAME ...]
#        scripts/package.sh --step STEP
#   NAME  of: bookworm trixie wrap (default: all); wrap uses the packages of
#         scripts/setup.sh test
#   --step  for a root folder of Debian: runs as root, with the checkout in
#           /checkout, the tarball and debian/ in /out, and writes the packages
#           to /out
# environment:
#   PACKAGE_DIR         root folders of 0.4 GB each, and results (default:
#                       /var/tmp/gst-opencl-packages); Debian's packages of
#                       RELEASE are in RELEASE/debs
#   MMDEBSTRAP_OPTIONS  words, such as --aptopt=FILE for a proxy
#   SKIP_PACKAGES       1: install nothing on this system
# Exit status 0 only if nothing failed.
# functions that are called by name; names and files of packages are words:
# shellcheck disable=SC2317,SC2046,SC2086
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${PACKAGE_DIR:-/var/tmp/gst-opencl-packages}
all='bookworm trixie wrap'
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

# Finds the system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH

# --- the steps in a root folder of Debian -----------------------------------

get () {
  mkdir -p "$kept/partial"
  apt-get -y -o Dir::Cache::archives="$kept" -o APT::Sandbox::User=root \
    -o APT::Keep-Downloaded-Packages=true "$@"
}

# files PACKAGE...: prints the files of the packages.
files () {
  for package; do
    echo "$debs/${package}_"*.deb
  done
}

# unpacked FOLDER: creates the source package from the tarball, and unpacks it
# in the folder.
unpacked () {
  rm -rf "$1"
  mkdir -p "$1"
  cp "$tarball" "$1/gst-opencl_$version.orig.tar.xz"
  tar -xf "$tarball" -C "$1"
  cp -R /out/debian "$1/gst-opencl-$version"
  cd "$1/gst-opencl-$version"
}

# Runs without a network.
offline () {
  unshare --net sh -euc 'ip link set lo up 2>/dev/null || :; exec "$@"' sh "$@"
}

# Prints all paths, except those that each installation changes, and PoCL's
# cache in /root.
paths () {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp \
    -o -path /out -o -path /checkout -o -path /var/log -o -path /var/cache \
    -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /root \) -prune \
    -o -print | sort
}

step_update () {
  get update
  get dist-upgrade
}

step_dependencies () {
  get install --no-install-recommends build-essential
  unpacked /build/first
  get build-dep --no-install-recommends ./
}

step_build () {
  unpacked /build/first
  offline dpkg-buildpackage -us -uc
  rm -rf "$debs"
  mkdir -p "$debs"
  find /build/first -maxdepth 1 -type f -exec cp -t "$debs" {} +
}

# Builds in another folder, with another time zone, language and umask, without
# tests.
step_again () {
  unpacked /build/another/place
  (
    umask 077
    # shellcheck disable=SC2030
    export TZ=Pacific/Kiritimati LC_ALL=C LANG=C HOME=/nowhere
    DEB_BUILD_OPTIONS='nocheck parallel=1' offline dpkg-buildpackage -us -uc -b
  )
  for package in "$debs"/*.deb; do
    cmp "$package" "/build/another/place/${package##*/}" || return 1
  done
  sha256sum "$debs"/*.deb
}

# Checks the paths of each package.
step_contents () {
  triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
  documents='^/usr/share/(doc/PACKAGE/|lintian/)'
  for package in $ours; do
    case $package in
      libgstopencl-1.0-0)
        own="^/usr/lib/$triplet/libgstopencl-1\\.0\\.so\\.0$"
        ;;
      libgstopencl-1.0-dev)
        own="^/usr/(include/gstreamer-1\\.0/gst/opencl/[a-z]*\\.(h|rs)"
        own="$own|lib/$triplet/libgstopencl-1\\.0\\.so"
        own="$own|lib/$triplet/pkgconfig/gst-opencl-1\\.0\\.pc"
        own="$own|share/gir-1\\.0/GstOpenCL-1\\.0\\.gir)$"
        ;;
      gir1.2-gstopencl-1.0)
        own="^/usr/lib/$triplet/girepository-1\\.0/GstOpenCL-1\\.0\\.typelib$"
        ;;
      gstreamer1.0-opencl)
        own="^/usr/(lib/$triplet/gstreamer-1.0/libgstopencl\\.so"
        own="$own|lib/$triplet/gst-opencl/gst-opencl-compiler"
        own="$own|share/man/man7/gst-opencl\\.7\\.gz"
        own="$own|share/metainfo/org\\.example\\.gst_opencl\\.metainfo\\.xml)$"
        ;;
      gst-opencl-tools)
        own='^/usr/(bin/(clbench|clqc)$|libexec/gst-opencl/clqc-replay$'
        own="$own|lib/python3/dist-packages/clqc/|share/gst-opencl/clbench\\."
        own="$own|share/gst-opencl/((alerts|inhibitions)\\.yml|dashboard\\.json"
        own="$own|watch\\.toml)\$"
        own="$own|share/man/man1/(clbench|clqc|clqc-replay)\\.1\\.gz\$)"
        ;;
      gst-opencl-doc) own='^/usr/share/doc-base/' ;;
    esac
    echo "== $package"
    dpkg-deb --fsys-tarfile "$(files "$package")" | tar -t |
      sed 's/^\.//' >/tmp/contents
    cat /tmp/contents
    ! grep -v '/$' /tmp/contents | grep -vE "$own" |
      grep -vE "$(echo "$documents" | sed "s/PACKAGE/$package/")" ||
      return 1
    dpkg-deb --field "$(files "$package")"
  done
  # the targets of all links in pages exist, except the licence, which Debian
  # has
  rm -rf /tmp/pages
  dpkg-deb --extract "$(files gst-opencl-doc)" /tmp/pages
  find /tmp/pages -name '*.md' | while read -r page; do
    grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/[#)].*//' |
      grep -vE ':|^$|^LICENSE$' | while read -r link; do
      [ -e "${page%/*}/$link" ] || echo "$page: there is no $link"
    done
  done >/tmp/dangling
  cat /tmp/dangling
  [ ! -s /tmp/dangling ] || return 1
  # dh_gstscancodecs has filled its two fields in debian/control: the version of
  # GStreamer's interfaces, and the elements
  gstreamer=$(pkg-config --modversion gstreamer-1.0)
  dpkg-deb --field "$(files gstreamer1.0-opencl)" GStreamer-Version |
    grep -Fx "${gstreamer%.*}" || return 1
  elements=$(sed -n '
    s/.* GST_ELEMENT_REGISTER (\([a-z]*\), plugin);/\1/p' \
    /checkout/gst/plugin.c | sort | paste -sd, | sed 's/,/, /g')
  dpkg-deb --field "$(files gstreamer1.0-opencl)" GStreamer-Elements |
    grep -x "$elements"
}

# Installs the dependencies of the packages and of the tests first, so that
# files which the packages leave behind are detected.
step_dependencies_to_run () {
  needed=$(for file in $(files $ours); do
    dpkg-deb --field "$file" Depends
  done | tr , '\n' | sed 's/^ *//' | grep . |
    grep -vE '^(libgstopencl-1\.0-0|gir1\.2-gstopencl|gstreamer1\.0-opencl)' |
    sort -u | paste -sd,)
  get satisfy --no-install-recommends "$needed"
  get install --no-install-recommends gstreamer1.0-tools man-db
  paths >/out/paths
}

step_install () {
  get install --no-install-recommends \
    $(files libgstopencl-1.0-0 gstreamer1.0-opencl)
  gst-inspect-1.0 opencl
  gst-inspect-1.0 opencl | grep -qE "^ +Version +$version\$"
  get install --no-install-recommends $(files $ours)
  clbench --version
  clqc --version | grep -Fx "$version"
  clqc policies
}

# Without a driver, the error of an element names the package to install.
step_driverless () {
  status=0
  timeout 60 gst-launch-1.0 videotestsrc num-buffers=1 ! clframesum ! fakesink \
    >/tmp/said 2>&1 || status=$?
  cat /tmp/said
  [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
  grep '^ERROR: from element' /tmp/said | grep -q 'Debian: pocl-opencl-icd'
}

step_remove () {
  get purge $ours
  # removes recommended packages and those of the tests, too
  if [ -e /tmp/more ]; then
    get purge $(cat /tmp/more)
    rm /tmp/more
  fi
  paths | diff /out/paths - | grep '^>' >/tmp/left || :
  cat /tmp/left
  [ ! -s /tmp/left ]
}

# installed: prints the names of all packages.
installed () {
  dpkg-query -W -f '${Package}\n' | sort
}

step_recommended () {
  installed >/tmp/before
  get install $(files libgstopencl-1.0-0 gstreamer1.0-opencl)
  dpkg-query -W pocl-opencl-icd
  get install --no-install-recommends $(files $ours) gstreamer1.0-libav
  installed | comm -13 /tmp/before - |
    grep -vxF "$(echo $ours | tr ' ' '\n')" >/tmp/more
  MANPAGER='cat' man gst-opencl | grep -q 'gst-launch-1.0'
}

step_autopkgtest () {
  installed >/tmp/before
  get install --no-install-recommends autopkgtest dpkg-dev
  # The runner's own exit status: 0 passed, 2 some were skipped, 8 no tests
  rm -rf /out/autopkgtest
  status=0
  autopkgtest --no-built-binaries --output-dir /out/autopkgtest \
    $(files $ours) "$debs"/*.dsc -- null || status=$?
  installed | comm -13 /tmp/before - >>/tmp/more
  return "$status"
}

step_lintian () {
  get install --no-install-recommends lintian
  lintian --info --display-info --pedantic --allow-root \
    --fail-on error,warning "$debs"/*.changes
}

in_root_folder () {
  # shellcheck disable=SC2031
  export DEBIAN_FRONTEND=noninteractive HOME=/root
  tarball=$(echo /out/gst-opencl-*.tar.xz)
  version=${tarball##*/gst-opencl-}
  version=${version%.tar.xz}
  kept=/out/archives # packages of Debian, to download them once
  debs=/out/debs
  ours='libgstopencl-1.0-0 libgstopencl-1.0-dev gstreamer1.0-opencl'
  ours="$ours gir1.2-gstopencl-1.0 gst-opencl-tools gst-opencl-doc"
  "step_$(echo "$1" | tr - _)"
}

# -----------------------------------------------------------------------------

case ${1:-} in
  --step)
    in_root_folder "$2"
    exit
    ;;
  -*) sed -n '9,22s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ $# -gt 0 ] || {
  # shellcheck disable=SC2086 # words
  set -- $all
}
for name; do
  case " $all " in
    *" $name "*) ;;
    *) echo "what is '$name'? of: $all" >&2; exit 2 ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)

# --- the tarball -------------------------------------------------------------

# Makes the tarball twice, with different paths of the checkout: it depends on
# the commit only.
make_tarball () {
  rm -rf "$out/dist"
  for way in first second; do
    mkdir -p "$out/dist/$way"
    ln -sfn "$root" "$out/dist/$way/source"
    meson setup "$out/dist/$way/build" "$out/dist/$way/source" \
      -Dtests=disabled -Dtools=disabled -Dclqc=disabled || return 1
    meson dist -C "$out/dist/$way/build" --no-tests --formats xztar ||
      return 1
  done
  cmp "$out"/dist/first/build/meson-dist/*.tar.xz \
    "$out"/dist/second/build/meson-dist/*.tar.xz || return 1
  tarball=$(echo "$out"/dist/first/build/meson-dist/*.tar.xz)
  mv "$tarball" "$out/dist/"
  # the files of other packages, from the tarball
  tar -C "$out/dist" --strip-components=1 --wildcards -xf \
    "$out/dist/${tarball##*/}" '*/packaging' || return 1
  ls -l "$out"/dist/*.tar.xz
}

# --- Debian ------------------------------------------------------------------

# in_debian STEP: runs the step in a root folder, with $out/RELEASE as /out.
in_debian () {
  ROOTS="$out/roots" ROOT="$name-$1" "$root/scripts/debian.sh" "$name" \
    "$out/$name" /checkout/scripts/package.sh --step "$2"
}

# A root folder with Debian's essential packages and apt only: created once,
# updated, and copied for each run.
fresh () {
  ROOTS="$out/roots" ROOT="$name" PACKAGES=ca-certificates \
    MMDEBSTRAP_OPTIONS="${MMDEBSTRAP_OPTIONS:-} --variant=apt" \
    "$root/scripts/debian.sh" "$name" "$out/$name" \
    /checkout/scripts/package.sh --step update || return 1
  for purpose in build try; do
    rm -rf "$out/roots/$name-$purpose"
    cp -a "$out/roots/$name" "$out/roots/$name-$purpose" || return 1
  done
}

run_debian () {
  rm -rf "$out/$name"/gst-opencl-*.tar.xz "$out/$name/debian"
  cp "$out"/dist/gst-opencl-*.tar.xz "$out/$name/"
  # from the commit: the tarball does not contain it
  git -C "$root" archive --prefix=debian/ HEAD:debian |
    tar -C "$out/$name" -x || return
  step 'clean root folders' fresh || return
  step 'packages to build with' in_debian build dependencies || return
  step 'build without network' in_debian build build || return
  step 'another build has the same bytes' in_debian build again || :
  step 'contents' in_debian build contents || :
  step 'dependencies of the packages' in_debian try dependencies-to-run ||
    return
  step 'install without recommended packages' in_debian try install || :
  step 'no driver is one error' in_debian try driverless || :
  step 'remove without a trace' in_debian try remove || :
  step 'install with recommended packages' in_debian try recommended || :
  step 'autopkgtest' in_debian try autopkgtest || :
  step 'remove without a trace, after use' in_debian try remove || :
  step 'lintian' in_debian try lintian || :
  rm -rf "$out/roots/$name-build" "$out/roots/$name-try"
}

run_bookworm () { run_debian; }
run_trixie () { run_debian; }

# --- meson's wrap file, on this system ----------------------------------------

# The wrap file, with this checkout as its source.
fetch_wrap () {
  sed "s|^url = .*|url = file://$root|
    s|^revision = .*|revision = $(git -C "$root" rev-parse HEAD)|" \
    "$out/dist/packaging/gst-opencl.wrap" >"$out/wrap/gst-opencl.wrap"
  rm -rf "$out/wrap/build-static"
  BUILD_DIR="$out/wrap/build" WRAP="$out/wrap/gst-opencl.wrap" \
    "$root/scripts/check-build.sh" static
}

run_wrap () { step 'a program gets and runs it' fetch_wrap || :; }

# begin NAME: sets the name in front of the following steps.
begin () {
  name=$1
  heading="$name: "
  logs=$out/$name
  mkdir -p "$logs"
}

! command -v apt-get >/dev/null || "$root/scripts/setup.sh" package
begin tarball
step 'the same tarball twice' make_tarball || finish
for package; do
  begin "$package"
  "run_$package" || :
done
finish
