#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the tarball of a release from what is committed, and builds and tries
# packages from it alone: Debian's in clean root folders that mmdebstrap makes,
# which needs root, the others as far as this system can. docs/packaging.md says
# what that is. Ends with one line "N passed, N failed".
#
# usage: scripts/package.sh [NAME ...]
#   NAME  of: bookworm trixie rpm flatpak wrap (default: all); rpm, flatpak and
#         wrap take what is on this system: rpm, flatpak-builder, and what
#         scripts/setup.sh test installs
# environment:
#   PACKAGE_DIR         root folders of 0.4 GB each, and what was made (default:
#                       /var/tmp/gst-opencl-packages); Debian's packages of
#                       RELEASE are in RELEASE/debs
#   MMDEBSTRAP_OPTIONS  words, e.g. --aptopt=FILE for a proxy
#   SKIP_PACKAGES       1: install nothing on this system, use what is there
# Exit status 0 only if nothing failed.
# step calls functions by name:
# shellcheck disable=SC2317
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${PACKAGE_DIR:-/var/tmp/gst-opencl-packages}
all='bookworm trixie rpm flatpak wrap'
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

# The system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH

case ${1:-} in
  -*) sed -n '8,18s/^# \{0,1\}//p' "$0"; exit 2 ;;
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

# Twice, by different ways to the checkout: it depends on the commit alone.
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
  # the files that other packages are made by, as the tarball has them
  tar -C "$out/dist" --strip-components=1 --wildcards -xf \
    "$out/dist/${tarball##*/}" '*/packaging' || return 1
  ls -l "$out"/dist/*.tar.xz
}

# --- Debian ------------------------------------------------------------------

# in_debian STEP: runs that step of scripts/package-debian.sh in a root folder,
# with $out/RELEASE as /out.
in_debian () {
  ROOTS="$out/roots" ROOT="$name-$1" "$root/scripts/debian.sh" "$name" \
    "$out/$name" /checkout/scripts/package-debian.sh "$2"
}

# A root folder that has Debian's essential packages and apt alone: made once,
# brought up to date, and copied for each run.
fresh () {
  ROOTS="$out/roots" ROOT="$name" PACKAGES=ca-certificates \
    MMDEBSTRAP_OPTIONS="${MMDEBSTRAP_OPTIONS:-} --variant=apt" \
    "$root/scripts/debian.sh" "$name" "$out/$name" \
    /checkout/scripts/package-debian.sh update || return 1
  for purpose in build try; do
    rm -rf "$out/roots/$name-$purpose"
    cp -a "$out/roots/$name" "$out/roots/$name-$purpose" || return 1
  done
}

run_debian () {
  rm -rf "$out/$name"/gst-opencl-*.tar.xz "$out/$name/debian"
  cp "$out"/dist/gst-opencl-*.tar.xz "$out/$name/"
  # as it is committed; it is none of what the tarball exports
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

# --- others, on this system --------------------------------------------------

# On Fedora with what the spec names. Elsewhere with the libraries that are
# here, and stand-ins for the macros that Fedora's meson and Python bring.
fedora () {
  if [ -e /etc/fedora-release ]; then
    "$@"
    return
  fi
  program=$1
  shift
  "$program" --load "$out/rpm/macros" "$@"
}

build_rpm () {
  rm -rf "$out/rpm/build"
  mkdir -p "$out/rpm/build/SOURCES"
  cp "$out"/dist/gst-opencl-*.tar.xz "$out/rpm/build/SOURCES/"
  set -- -bb --define "_topdir $out/rpm/build"
  [ -e /etc/fedora-release ] ||
    set -- "$@" --nodeps --define 'debug_package %{nil}'
  fedora rpmbuild "$@" \
    "$out/dist/packaging/fedora/gstreamer1-plugin-opencl.spec" || return 1
  find "$out/rpm/build/RPMS" -name '*.rpm' | sort | while read -r package; do
    echo "$package:"
    rpm -qp --list "$package"
  done
}

write_macros () {
  cat >"$out/rpm/macros" <<'END'
%_vpath_builddir redhat-linux-build
%_metainfodir %{_datadir}/metainfo
%python3_sitelib /usr/lib/python3/dist-packages
%_meson_folders --libdir=%{_libdir} --libexecdir=%{_libexecdir}
%_meson_ways --wrap-mode=nodownload --auto-features=enabled
%meson meson setup %{_vpath_builddir} --prefix=/usr %_meson_folders %_meson_ways
%meson_build meson compile -C %{_vpath_builddir}
%meson_install DESTDIR=%{buildroot} ninja -C %{_vpath_builddir} install
%meson_test meson test -C %{_vpath_builddir} --no-rebuild
END
}

run_rpm () {
  write_macros
  step 'the spec is read' fedora rpmspec -P \
    "$out/dist/packaging/fedora/gstreamer1-plugin-opencl.spec" || :
  step 'build from the spec' build_rpm || :
}

# It leaves a folder where it runs.
read_manifest () (
  cd "$out/flatpak" && flatpak-builder --show-manifest \
    "$out/dist/packaging/flatpak/org.freedesktop.Platform.GStreamer.opencl.yml"
)

run_flatpak () { step 'the manifest is read' read_manifest || :; }

# The wrap file as it is, but for the place, which is this checkout.
fetch_wrap () {
  sed "s|^url = .*|url = file://$root|
    s|^revision = .*|revision = $(git -C "$root" rev-parse HEAD)|" \
    "$out/dist/packaging/gst-opencl.wrap" >"$out/wrap/gst-opencl.wrap"
  rm -rf "$out/wrap/build-static"
  BUILD_DIR="$out/wrap/build" WRAP="$out/wrap/gst-opencl.wrap" \
    "$root/scripts/check-build.sh" static
}

run_wrap () { step 'a program gets and runs it' fetch_wrap || :; }

# begin NAME: what the steps from here on are of.
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
