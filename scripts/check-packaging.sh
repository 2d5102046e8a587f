#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints what is wrong with the files that packages are made by, as far as that
# shows within seconds, and then fails; silent when all is well. What is built
# and installed is seen by scripts/package.sh.
#
# usage: scripts/check-packaging.sh
# environment:
#   BUILD_DIR  a build with tools, whose programs have the options of their
#              manual pages and no others (default: build/ in the checkout)
set -u

cd "$(dirname "$0")/.." || exit 1
# The system's tools before others of the same name.
PATH=/usr/bin:/bin:$PATH
build=${BUILD_DIR:-$PWD/build}

# options PAGE: a page of section 1 lies where the build has its program.
options () {
  program=$build/${1%.1}
  if [ "$1" = tools/clqc/clqc.1 ]; then
    PYTHONPATH=tools/clqc scripts/check-source.py options "$1" \
      /usr/bin/python3 -m clqc 2>&1
  elif [ -x "$program" ]; then
    scripts/check-source.py options "$1" "$program" 2>&1
  else
    echo "$1: there is no $program, which scripts/setup.sh builds"
  fi
}

# valid FILE...: what newer releases of the validator tell beside errors and
# warnings is no reason to fail.
valid () {
  appstreamcli validate --no-net "$@" >"$folder/said" 2>&1 && status=0 ||
    status=$?
  grep '^[EW]: ' "$folder/said" && return
  [ "$status" -eq 0 ] || cat "$folder/said"
}

# The files that meson installs for debian/rules, empty, in $folder/installed.
# debhelper names the folder of libraries after the architecture.
installed () {
  meson setup --prefix=/usr --libdir=lib/triplet -Dtools=enabled \
    -Dclqc=enabled -Dtests=disabled -Dkernel-check=disabled \
    "$folder/build" >"$folder/said" 2>&1 || {
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

# patterns FILE: those of files that a file of debian/ names, one a line. The
# last of several words in *.install is where the others go.
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

# named FILE: what begins with usr/ is what meson installs, all else a file of
# the source tree.
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

check () {
  scripts/check-version.sh 2>&1

  # groff warns of what a terminal would not show as meant
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

  # what a package takes is there; a tarball has no debian/
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

for tool in groff appstreamcli meson; do
  command -v "$tool" >/dev/null || {
    echo "there is no $tool"
    exit 1
  }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
findings=$(check)
[ -z "$findings" ] && exit 0
printf '%s\n' "$findings"
exit 1
