#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The steps of scripts/package.sh that run as root in a root folder of Debian,
# with the checkout in /checkout. /out has the tarball of the release and
# debian/, and gets the packages.
#
# usage: scripts/package-debian.sh STEP
# names and files of packages are words:
# shellcheck disable=SC2046,SC2086
set -eu

export DEBIAN_FRONTEND=noninteractive HOME=/root
tarball=$(echo /out/gst-opencl-*.tar.xz)
version=${tarball##*/gst-opencl-}
version=${version%.tar.xz}
kept=/out/archives # packages of Debian, to download them once
debs=/out/debs
ours='gstreamer1.0-opencl gst-opencl-tools gst-opencl-doc'

get () {
  mkdir -p "$kept/partial"
  apt-get -y -o Dir::Cache::archives="$kept" -o APT::Sandbox::User=root \
    -o APT::Keep-Downloaded-Packages=true "$@"
}

# files PACKAGE...: their files.
files () {
  for package; do
    echo "$debs/${package}_"*.deb
  done
}

# unpacked FOLDER: the source package, made of the tarball there.
unpacked () {
  rm -rf "$1"
  mkdir -p "$1"
  cp "$tarball" "$1/gst-opencl_$version.orig.tar.xz"
  tar -xf "$tarball" -C "$1"
  cp -R /out/debian "$1/gst-opencl-$version"
  cd "$1/gst-opencl-$version"
}

# A network of its own, without any interface but itself.
offline () {
  unshare --net sh -euc 'ip link set lo up 2>/dev/null || :; exec "$@"' sh "$@"
}

# Every path but what each installation of anything changes, and what PoCL
# keeps below /root.
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

# Another place, another time zone, language and mask of rights, no tests.
step_again () {
  unpacked /build/another/place
  (
    umask 077
    export TZ=Pacific/Kiritimati LC_ALL=C LANG=C HOME=/nowhere
    DEB_BUILD_OPTIONS='nocheck parallel=1' offline dpkg-buildpackage -us -uc -b
  )
  for package in "$debs"/*.deb; do
    cmp "$package" "/build/another/place/${package##*/}" || return 1
  done
  sha256sum "$debs"/*.deb
}

# What each package may have.
step_contents () {
  triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
  documents='^/usr/share/(doc/PACKAGE/|lintian/)'
  for package in $ours; do
    case $package in
      gstreamer1.0-opencl)
        own="^/usr/(lib/$triplet/gstreamer-1.0/libgstopencl\\.so"
        own="$own|share/man/man7/gst-opencl\\.7\\.gz"
        own="$own|share/metainfo/org\\.example\\.gst_opencl\\.metainfo\\.xml)$"
        ;;
      gst-opencl-tools)
        own='^/usr/(bin/(clbench|clqc)$|libexec/gst-opencl/clqc-replay$'
        own="$own|lib/python3/dist-packages/clqc/|share/gst-opencl/clbench\\."
        own="$own|share/gst-opencl/(alerts\\.yml|dashboard\\.json)\$"
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
  # each page has what it links to, but for the licence, which Debian has
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
  # what dh_gstscancodecs found: both of the fields that debian/control has for
  # it, the version of GStreamer's interfaces and the elements
  gstreamer=$(pkg-config --modversion gstreamer-1.0)
  dpkg-deb --field "$(files gstreamer1.0-opencl)" GStreamer-Version |
    grep -Fx "${gstreamer%.*}" || return 1
  elements=$(sed -n '/^#ifdef/,/^#endif/d
    s/.* GST_ELEMENT_REGISTER (\([a-z]*\), plugin);/\1/p' \
    /checkout/gst/plugin.c | sort | paste -sd, | sed 's/,/, /g')
  dpkg-deb --field "$(files gstreamer1.0-opencl)" GStreamer-Elements |
    grep -x "$elements"
}

# What our packages depend on, and what tries them, before they are installed:
# so that what they leave behind shows.
step_dependencies_to_run () {
  needed=$(for file in $(files $ours); do
    dpkg-deb --field "$file" Depends
  done | tr , '\n' | sed 's/^ *//' | grep . |
    grep -v '^gstreamer1.0-opencl' |
    sort -u | paste -sd,)
  get satisfy --no-install-recommends "$needed"
  get install --no-install-recommends gstreamer1.0-tools man-db
  paths >/out/paths
}

step_install () {
  get install --no-install-recommends "$(files gstreamer1.0-opencl)"
  gst-inspect-1.0 opencl
  gst-inspect-1.0 opencl | grep -qE "^ +Version +$version\$"
  get install --no-install-recommends $(files $ours)
  clbench --version
  clqc --version | grep -Fx "$version"
  clqc policies
}

# An element without a driver says so, and what to install.
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
  # what was recommended, and what tested, goes with what wanted it
  if [ -e /tmp/more ]; then
    get purge $(cat /tmp/more)
    rm /tmp/more
  fi
  paths | diff /out/paths - | grep '^>' >/tmp/left || :
  cat /tmp/left
  [ ! -s /tmp/left ]
}

# installed: names of all packages.
installed () {
  dpkg-query -W -f '${Package}\n' | sort
}

step_recommended () {
  installed >/tmp/before
  get install "$(files gstreamer1.0-opencl)"
  dpkg-query -W pocl-opencl-icd
  get install --no-install-recommends $(files $ours) gstreamer1.0-libav
  installed | comm -13 /tmp/before - |
    grep -vxE 'gstreamer1.0-opencl|gst-opencl-(tools|doc)' >/tmp/more
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

"step_$(echo "$1" | tr - _)"
