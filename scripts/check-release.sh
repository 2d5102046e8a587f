#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays a release in a clone of what is committed, with a version of its own:
# what scripts/release.sh refuses, what it makes, the tag, and the beginning of
# the next version. The clone has no other repository that it could send to, and
# is deleted. Packages are not built, which scripts/package.sh does; where they
# get their files is looked at.
#
# usage: scripts/check-release.sh
# environment:
#   BUILD_DIR  a build with tools, whose programs have the options of their
#              manual pages (default: build/ in the checkout)
# Ends with one line "N passed, N failed".
# step calls functions by name:
# shellcheck disable=SC2317
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 0 ] || {
  sed -n '9,13s/^# \{0,1\}//p' "$0"
  exit 2
}
# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

# The system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export PACKAGE_DIR="$logs/packages" BUILD_DIR="${BUILD_DIR:-$root/build}"
now=98.7.6
next=98.8.0

in_clone () {
  git clone --quiet "$root" "$logs/source" || return 1
  cd "$logs/source"
  git remote remove origin
  git config user.name 'A maintainer'
  git config user.email maintainer@example.org
  # the tarball alone
  sed -i "s/^all='.*'/all=''/" scripts/package.sh
  git commit --quiet -am 'scripts: packages are made elsewhere'
}

# refused TEXT: a release is not made, and the reason has the text.
refused () {
  ! scripts/release.sh --tested >"$logs/said" 2>&1 || {
    cat "$logs/said"
    return 1
  }
  cat "$logs/said"
  grep -q "^release: .*$1" "$logs/said"
}

uncommitted () {
  echo >>README.md
  refused 'not committed' || return 1
  git checkout --quiet README.md
}

new_version () {
  scripts/check-version.sh "$now" || return 1
  git commit --quiet -am "release: $now is begun"
  head -n 1 NEWS | grep -Fx "gst-opencl $now (not released)" || return 1
  refused 'not released'
}

# What a release is made of, and what its tarball holds.
release () {
  sed -i "1s/ (not released)//; 2s/.*/$(printf %s "gst-opencl $now" |
    tr -c '' =)/" NEWS
  git commit --quiet -am "release: $now"
  scripts/release.sh --tested >"$logs/said" 2>&1 || {
    cat "$logs/said"
    return 1
  }
  cat "$logs/said"
  grep -F "git push origin v$now" "$logs/said" || return 1
  [ -z "$(git status --porcelain)" ] && [ -z "$(git tag --points-at)" ] ||
    return 1
  tar -xf "$PACKAGE_DIR/dist/gst-opencl-$now.tar.xz" -C "$logs" || return 1
  [ ! -e "$logs/gst-opencl-$now/debian" ] || return 1
  meson introspect --projectinfo "$logs/gst-opencl-$now/meson.build" |
    grep -F "\"version\": \"$now\""
}

# The line that the release has printed, without a key to sign with.
tagged () {
  line=$(sed -n 's/^ *git tag --sign /git tag --annotate /p' "$logs/said")
  sh -c "$line" || return 1
  git describe --exact-match | grep -Fx "v$now" || return 1
  refused 'is a tag already'
}

next_version () {
  line=$(sed -n 's/^ *scripts\/check-version.sh NEXT.*/&/p' "$logs/printed")
  [ -n "$line" ] || return 1
  scripts/check-version.sh "$next" || return 1
  git commit --quiet -am "release: $next is begun"
  head -n 1 NEWS | grep -Fx "gst-opencl $next (not released)" || return 1
  # the section of the release is below
  grep -Fx "gst-opencl $now" NEWS
  grep -c "^gst-opencl ($now\|^gst-opencl ($next" debian/changelog |
    grep -x 2 || return 1
  grep -cE "^\* .* - ($now|$next)-1\$" packaging/fedora/*.spec | grep -x 2
}

# What somebody writes into the checkout while packages are made is in none of
# them. Before that, meson dist would find it.
committed_alone () {
  # instead of root folders
  # shellcheck disable=SC2016 # expanded within
  printf '#!/bin/sh\nmkdir -p "$ROOTS/$ROOT"\n' >scripts/debian.sh
  sed -i "s/^all=.*/all='bookworm rpm'/" scripts/package.sh
  git commit --quiet -am 'scripts: root folders are made elsewhere'
  spec=packaging/fedora/gstreamer1-plugin-opencl.spec
  git update-index --assume-unchanged debian/control "$spec"
  echo 'Build-Depends: nothing' >>debian/control
  echo 'Name: nothing' >>"$spec"
  scripts/package.sh bookworm || return 1
  git show HEAD:debian/control | cmp - "$PACKAGE_DIR/bookworm/debian/control" ||
    return 1
  git show "HEAD:$spec" | cmp - "$PACKAGE_DIR/dist/$spec"
}

step 'a clone' in_clone || finish
cd "$logs/source"
step 'changes that are not committed are no release' uncommitted || :
step 'a version that NEWS calls not released is none' new_version || finish
step 'the tarball of a release' release || finish
cp "$logs/said" "$logs/printed"
step 'a tag, which is released once' tagged || :
step 'the next version' next_version || :
step 'packages have what is committed alone' committed_alone || :
finish
