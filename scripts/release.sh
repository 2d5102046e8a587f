#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks whether the commit can be released, makes the tarball and Debian's
# packages, and prints the remaining steps. Creates no tag and sends nothing.
# docs/packaging.md has the checklist.
#
# usage: scripts/release.sh [--tested]
#   --tested  skip scripts/test.sh --all and tests/bench/budget.py counts, which
#             have passed for this commit
# environment:
#   PACKAGE_DIR  as for scripts/package.sh
#   BUILD_DIR    as for scripts/check-packaging.sh
set -eu

cd "$(dirname "$0")/.."
out=${PACKAGE_DIR:-/var/tmp/gst-opencl-packages}
tested=false
case $* in
  '') ;;
  --tested) tested=true ;;
  *) sed -n '7,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

fail () {
  echo "release: $*" >&2
  exit 1
}

version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
[ -z "$(git status --porcelain)" ] ||
  fail "there are changes that are not committed"
scripts/check-packaging.sh version || fail "the version has several numbers"
[ "$(head -n 1 NEWS)" = "gst-opencl $version" ] ||
  fail "NEWS begins with '$(head -n 1 NEWS)': take '(not released)' away"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null ||
  fail "v$version is a tag already: scripts/check-packaging.sh version NEXT" \
    "begins another version"

scripts/check-style.sh || fail "the style"
scripts/check-packaging.sh || fail "the files of packages"
$tested || scripts/test.sh --all || fail "tests"
$tested || tests/bench/budget.py --build "${BUILD_DIR:-build}" counts ||
  fail "a frame costs more than in tests/bench/budget.json"
scripts/package.sh || fail "packages"

tarball=gst-opencl-$version.tar.xz
echo
(cd "$out/dist" && sha256sum "$tarball")
cat <<END

$out/dist/$tarball and $out/*/debs are what is released. By hand:

  git tag --sign -m 'gst-opencl $version' v$version
  gpg --armor --detach-sign $out/dist/$tarball
  git push origin v$version       # and put the tarball where the tag is
  scripts/check-packaging.sh version NEXT   # begins the next version; commit it
END
