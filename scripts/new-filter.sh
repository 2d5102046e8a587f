#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copies template/, the smallest filter there is, into the folders of a new one.
# docs/adding-a-kernel.md says what comes next.
#
# usage: scripts/new-filter.sh NAME [FOLDER]
#   NAME    lower-case letters: "blend" gives the element clblend
#   FOLDER  where gst/, kernels/ and tests/ are (default: the checkout)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
name=${1:-}
case $name in
  '' | *[!a-z]*) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
command -v clang-format >/dev/null || {
  echo "there is no clang-format" >&2
  exit 1
}
folder=${2:-$root}
cd "$folder"
# A folder may belong to something else: gst/elements/framesum has no op of that
# name.
for room in kernels gst/ops gst/elements tests; do
  if [ -e "$room/$name" ]; then
    echo "there is a $room/$name already" >&2
    exit 1
  fi
done
upper=$(printf '%s' "$name" | tr a-z A-Z)
title=$(printf '%s' "$name" | cut -c1 | tr a-z A-Z)$(printf '%s' "$name" |
  cut -c2-)
if used=$(grep -rlwE "GstCl$title|gst_cl_${name}_[a-z_]+|gstcl$name" \
    "$root/gst" --include='*.[ch]' --include=meson.build); then
  printf '%s\n' "the names of $name are taken:" "$used" >&2
  exit 1
fi

# copy FILE TO: with the new name in place of the template's, and lines broken
# anew, since it is longer or shorter. GStreamer's templates of pads stay.
copy () {
  mkdir -p "$(dirname "$2")"
  sed -e '/gst_cl_caps_add_templates/b' \
    -e "s|\"template.h\"|\"ops/$name/$name.h\"|" \
    -e "s|template/templatereference|tests/$name/${name}reference|" \
    -e "s/template/$name/g; s/Template/$title/g; s/TEMPLATE/$upper/g" \
    "$root/template/$1" >"$2"
  # a file of its own folder is included by its name alone
  case $2 in
    gst/ops/*) sed -i "s|\"ops/$name/$name.h\"|\"$name.h\"|" "$2" ;;
  esac
  clang-format "--style=file:$root/.clang-format" --assume-filename=x.c \
    <"$2" >"$2.new"
  mv "$2.new" "$2"
  echo "$2"
}

copy plain.cl "kernels/$name/plain.cl"
copy template.c "gst/ops/$name/$name.c"
copy template.h "gst/ops/$name/$name.h"
copy gstcltemplate.c "gst/elements/$name/gstcl$name.c"
copy gstcltemplate.h "gst/elements/$name/gstcl$name.h"
copy templatereference.c "tests/$name/${name}reference.c"
copy templatereference.h "tests/$name/${name}reference.h"
copy test_template.c "tests/$name/test_$name.c"
copy test_cltemplate.c "tests/$name/test_cl$name.c"
