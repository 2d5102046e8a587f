#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks the files for packages and releases. scripts/package.sh checks what is
# built and installed.
#
# usage: scripts/check-packaging.sh
#            prints the errors in these files that can be found within seconds;
#            exit status 1 if there is one
#        scripts/check-packaging.sh version [MAJOR.MINOR.PATCH]
#            prints the places with another version than meson.build; exit
#            status 1 if there is one. With a number, first writes the number to
#            all places, and opens a section of NEWS and an entry of
#            debian/changelog
#        scripts/check-packaging.sh release
#            makes a release in a clone of the commit, with another version:
#            checks what scripts/release.sh refuses and creates, the tag, and
#            the start of the next version. The clone has no remote repository,
#            and is deleted. Builds no packages, but checks where they get their
#            files. The last line is "N passed, N failed"
# environment:
#   BUILD_DIR  a build with tools: their options are compared with the manual
#              pages (default: build/ in the checkout)
# functions that are called by name:
# shellcheck disable=SC2317
set -u

cd "$(dirname "$0")/.." || exit 1
root=$PWD
# Finds the system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
build=${BUILD_DIR:-$PWD/build}

usage () {
  sed -n '3,21s/^# \{0,1\}//p' "$0"
  exit 2
}

# --- the version --------------------------------------------------------------

# Prints the places, one a line: the file, and a basic regular expression for
# the text before the number.
version_places () {
  cat <<'END'
meson.build ^  version: '
NEWS ^gst-opencl 
tools/clqc/clqc/__init__.py ^__version__ = '
debian/changelog ^gst-opencl (
packaging/gst-opencl.wrap ^revision = v
END
}

# Prints the first number after the text $2 in the file $1.
number () {
  sed -n "s/$2\([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p" "$1" | head -n 1
}

# Opens a section at the top of NEWS, with an underlined heading.
open_news () {
  heading="gst-opencl $1 (not released)"
  {
    printf '%s\n%s\n\n\n' "$heading" "$(printf '%s' "$heading" | tr -c '' =)"
    cat NEWS
  } >NEWS.new
  mv NEWS.new NEWS
}

# Opens an entry at the top of debian/changelog, as dch does.
open_changelog () {
  {
    printf 'gst-opencl (%s-1~upstream1) UNRELEASED; urgency=medium\n\n' "$1"
    printf '  * New upstream release.\n\n'
    printf ' -- %s  %s\n\n' "$(sed -n 's/^Maintainer: //p' debian/control)" \
      "$(LC_ALL=C date -uR)"
    cat debian/changelog
  } >debian/changelog.new
  mv debian/changelog.new debian/changelog
}

# check_version [NUMBER]: the command `version` of this script.
check_version () {
  case ${1:-} in
    '') ;;
    [0-9]*.[0-9]*.[0-9]*)
      version_places | while IFS= read -r line; do
        file=${line%% *}
        before=${line#* }
        [ "$(number "$file" "$before")" != "$1" ] || continue
        case $line in
          NEWS*) open_news "$1" ;;
          debian/changelog*) open_changelog "$1" ;;
          *) sed -i "s/\($before\)[0-9]*\.[0-9]*\.[0-9]*/\1$1/" "$file" ;;
        esac
      done
      ;;
    *) usage ;;
  esac

  version=$(number meson.build "^  version: '")
  findings=$(version_places | while IFS= read -r line; do
    file=${line%% *}
    before=${line#* }
    [ -e "$file" ] || continue # a tarball has no debian/
    found=$(number "$file" "$before")
    [ "$found" = "$version" ] ||
      echo "$file: version '$found', and '$version' in meson.build"
  done)
  [ -z "$findings" ] || {
    printf '%s\n' "$findings"
    return 1
  }
}

# --- the files ----------------------------------------------------------------

# options PAGE: a page of section 1 is in the folder in which the build has its
# program; tools/clbench is subprojects/clbench there.
options () {
  case $1 in
    tools/clbench/*) program=$build/subprojects/clbench/clbench ;;
    *) program=$build/${1%.1} ;;
  esac
  if [ "$1" = tools/clqc/clqc.1 ]; then
    PYTHONPATH=tools/clqc scripts/check-source.py options "$1" \
      /usr/bin/python3 -m clqc 2>&1
  elif [ -x "$program" ]; then
    scripts/check-source.py options "$1" "$program" 2>&1
  else
    echo "$1: there is no $program, which scripts/setup.sh builds"
  fi
}

# valid FILE...: fails at errors and warnings only; newer validators print other
# messages, too.
valid () {
  appstreamcli validate --no-net "$@" >"$folder/said" 2>&1 && status=0 ||
    status=$?
  grep '^[EW]: ' "$folder/said" && return
  [ "$status" -eq 0 ] || cat "$folder/said"
}

# Creates empty files in $folder/installed, with the names that meson installs
# for debian/rules. debhelper names the folder of libraries after the
# architecture.
installed () {
  meson setup --prefix=/usr --libdir=lib/triplet -Dtools=enabled \
    -Dclqc=enabled -Dtests=disabled -Dkernel-check=disabled \
    -Dintrospection=enabled "$folder/build" >"$folder/said" 2>&1 || {
    tail -n 5 "$folder/said"
    return
  }
  meson introspect --installed "$folder/build" |
    /usr/bin/python3 -c 'import json, sys
print("\n".join(json.load(sys.stdin).values()))' |
    while read -r path; do
      mkdir -p "$folder/installed${path%/*}"
      touch "$folder/installed$path"
    done
}

# patterns FILE: prints the file patterns in a file of debian/, one a line. In
# *.install the last of several words is the destination.
patterns () {
  case $1 in
    *.install)
      awk '!/^#/ && NF { for (i = 1; i < NF || i == 1; i++) print $i }' "$1"
      ;;
    debian/copyright)
      awk '/^[^ ]/ { in_files = sub("^Files:", "") } in_files' "$1" |
        grep -o '[^ ]*'
      ;;
    *) grep -v '^#' "$1" | grep -o '[^ ]*' ;;
  esac
}

# named FILE: checks that the files exist: names that begin with usr/ are
# installed by meson, all others are in the source tree.
named () {
  patterns "$1" | while read -r pattern; do
    case $pattern in
      usr/*) where=$folder/installed ;;
      *) where=. ;;
    esac
    # shellcheck disable=SC2086 # a pattern
    (cd "$where" && ls -d $pattern) >/dev/null 2>&1 ||
      echo "$1: there is no $pattern"
  done
}

check_files () {
  check_version 2>&1

  # groff warns about text that a terminal cannot show
  pages=$(find docs tools -name '*.[1-8]')
  for page in $pages; do
    groff -man -ww -z -Tutf8 "$page" 2>&1
    grep -q "install_man('${page##*/}')" "${page%/*}/meson.build" 2>/dev/null ||
      grep -q "install_man('$page')" meson.build ||
      echo "$page: is not installed"
    sed 's/\\-/-/g' "$page" | sed -n '/^\.SH SEE ALSO/,$p' |
      sed -n 's/^\.BR \(cl[a-z-]*\) (1).*/\1/p' | grep -vx clinfo |
      while read -r other; do
        echo "$pages" | grep -q "/$other\.1$" || echo "$page: no page $other"
      done
  done
  for page in $(echo "$pages" | grep '\.1$'); do
    options "$page"
  done

  valid packaging/*.metainfo.xml

  # the files of packages exist; a tarball has no debian/
  [ -d debian ] || return
  installed
  for file in debian/*.docs debian/*.examples debian/*.install \
    debian/copyright; do
    named "$file"
  done
  grep -h '^Tests:' debian/tests/control | cut -d' ' -f2- | tr ' ' '\n' |
    while read -r test; do
      [ -x "debian/tests/$test" ] || echo "debian/tests/$test: no program"
    done
  [ "$(grep -c '^gst.*launch' docs/gst-opencl.7)" -eq 3 ] ||
    echo "docs/gst-opencl.7: debian/tests/manual runs three lines"
}

main_files () {
  for tool in groff appstreamcli meson; do
    command -v "$tool" >/dev/null || {
      echo "there is no $tool"
      exit 1
    }
  done
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  findings=$(check_files)
  [ -z "$findings" ] && exit 0
  printf '%s\n' "$findings"
  exit 1
}

# --- a release ----------------------------------------------------------------

# shellcheck source=scripts/steps.sh
. "$root/scripts/steps.sh"

in_clone () {
  git clone --quiet "$root" "$logs/source" || return 1
  cd "$logs/source" || return 1
  git remote remove origin
  git config user.name 'A maintainer'
  git config user.email maintainer@example.org
  # only the tarball
  sed -i "s/^all='.*'/all=''/" scripts/package.sh
  git commit --quiet -am 'scripts: packages are made elsewhere'
}

# refused TEXT: checks that there is no release, for a reason that contains the
# text.
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
  scripts/check-packaging.sh version "$now" || return 1
  git commit --quiet -am "release: $now is begun"
  head -n 1 NEWS | grep -Fx "gst-opencl $now (not released)" || return 1
  refused 'not released'
}

# Checks the inputs of a release, and the contents of its tarball.
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

# Runs the line that the release has printed, without a key for signatures.
tagged () {
  line=$(sed -n 's/^ *git tag --sign /git tag --annotate /p' "$logs/said")
  sh -c "$line" || return 1
  git describe --exact-match | grep -Fx "v$now" || return 1
  refused 'is a tag already'
}

next_version () {
  grep -q '^ *scripts/check-packaging.sh version NEXT ' "$logs/printed" ||
    return 1
  scripts/check-packaging.sh version "$next" || return 1
  git commit --quiet -am "release: $next is begun"
  head -n 1 NEWS | grep -Fx "gst-opencl $next (not released)" || return 1
  # the section of the release is the second one
  grep -Fx "gst-opencl $now" NEWS
  grep -c "^gst-opencl ($now\|^gst-opencl ($next" debian/changelog |
    grep -x 2
}

# Changes of the checkout while packages are built are in no package. Earlier
# changes are detected by meson dist.
committed_alone () {
  # instead of root folders
  # shellcheck disable=SC2016 # expanded within
  printf '#!/bin/sh\nmkdir -p "$ROOTS/$ROOT"\n' >scripts/debian.sh
  sed -i "s/^all=.*/all='bookworm'/" scripts/package.sh
  git commit --quiet -am 'scripts: root folders are made elsewhere'
  wrap=packaging/gst-opencl.wrap
  git update-index --assume-unchanged debian/control $wrap
  echo 'Build-Depends: nothing' >>debian/control
  echo 'depth = nothing' >>$wrap
  scripts/package.sh bookworm || return 1
  git show HEAD:debian/control | cmp - "$PACKAGE_DIR/bookworm/debian/control" ||
    return 1
  git show HEAD:$wrap | cmp - "$PACKAGE_DIR/dist/$wrap"
}

check_release () {
  logs=$(mktemp -d)
  trap 'rm -rf "$logs"' EXIT
  export PACKAGE_DIR="$logs/packages" BUILD_DIR="$build"
  now=98.7.6
  next=98.8.0
  step 'a clone' in_clone || finish
  cd "$logs/source" || exit 1
  step 'changes that are not committed are no release' uncommitted || :
  step 'a version that NEWS calls not released is none' new_version || finish
  step 'the tarball of a release' release || finish
  cp "$logs/said" "$logs/printed"
  step 'a tag, which is released once' tagged || :
  step 'the next version' next_version || :
  step 'packages have what is committed alone' committed_alone || :
  finish
}

case ${1:-} in
  '') main_files ;;
  version) check_version "${2:-}" ;;
  release) check_release ;;
  *) usage ;;
esac
