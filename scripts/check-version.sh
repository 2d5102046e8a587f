#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints each place that has another number than meson.build, where the version
# stands, and then fails; silent when all agree. With a number as its argument
# it writes that number into all places first, and opens a section of NEWS and
# an entry in the lists of changes of Debian's package and of the spec.
#
# usage: scripts/check-version.sh [MAJOR.MINOR.PATCH]
set -eu

cd "$(dirname "$0")/.."

# Prints the places, one a line: file, and what stands before the number there,
# as a basic regular expression.
places () {
  cat <<'END'
meson.build ^  version: '
NEWS ^gst-opencl 
tools/clqc/clqc/__init__.py ^__version__ = '
debian/changelog ^gst-opencl (
packaging/fedora/gstreamer1-plugin-opencl.spec ^Version: *
packaging/fedora/gstreamer1-plugin-opencl.spec ^\* .* - 
packaging/gst-opencl.wrap ^revision = v
END
}

# The first number behind @2 in the file @1.
number () {
  sed -n "s/$2\([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p" "$1" | head -n 1
}

# Opens a section at the top of NEWS, whose heading has a line below.
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

# Opens an entry at the top of the list of changes in the spec, which ends it.
open_spec () {
  spec=packaging/fedora/gstreamer1-plugin-opencl.spec
  {
    sed '/^%changelog$/q' "$spec"
    printf '* %s %s - %s-1\n' "$(LC_ALL=C date -u '+%a %b %d %Y')" \
      "$(sed -n 's/^Maintainer: //p' debian/control)" "$1"
    printf -- '- New upstream release.\n\n'
    sed '1,/^%changelog$/d' "$spec"
  } >"$spec.new"
  mv "$spec.new" "$spec"
}

case ${1:-} in
  '') ;;
  [0-9]*.[0-9]*.[0-9]*)
    places | while IFS= read -r line; do
      file=${line%% *}
      before=${line#* }
      [ "$(number "$file" "$before")" != "$1" ] || continue
      case $line in
        NEWS*) open_news "$1" ;;
        debian/changelog*) open_changelog "$1" ;;
        *'.spec ^\*'*) open_spec "$1" ;;
        *) sed -i "s/\($before\)[0-9]*\.[0-9]*\.[0-9]*/\1$1/" "$file" ;;
      esac
    done
    ;;
  *)
    sed -n '8s/^# //p' "$0"
    exit 2
    ;;
esac

version=$(number meson.build "^  version: '")
findings=$(places | while IFS= read -r line; do
  file=${line%% *}
  before=${line#* }
  [ -e "$file" ] || continue # a tarball has no debian/
  found=$(number "$file" "$before")
  [ "$found" = "$version" ] ||
    echo "$file: version '$found', and '$version' in meson.build"
done)
[ -z "$findings" ] || {
  printf '%s\n' "$findings"
  exit 1
}
