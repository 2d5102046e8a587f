#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copies template/, the smallest filter there is, into the folders of a new one.
# docs/adding-a-kernel.md says what comes next.
#
# usage: scripts/new-filter.sh NAME
#   NAME  lower-case letters: "blend" gives the element clblend
set -eu

cd "$(dirname "$0")/.."
name=${1:-}
case $name in
  '' | *[!a-z]*) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
if [ -e "gst/ops/$name" ] || [ -e "kernels/$name" ]; then
  echo "there is a $name already" >&2
  exit 1
fi
upper=$(printf '%s' "$name" | tr a-z A-Z)
title=$(printf '%s' "$name" | cut -c1 | tr a-z A-Z)$(printf '%s' "$name" |
  cut -c2-)

# copy FILE TO: with the new name in place of the template's.
copy () {
  mkdir -p "$(dirname "$2")"
  sed -e "s|\"template.h\"|\"ops/$name/$name.h\"|" \
    -e "s|template/templatereference|tests/$name/${name}reference|" \
    -e "s/template/$name/g; s/Template/$title/g; s/TEMPLATE/$upper/g" \
    "template/$1" >"$2"
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
# a file of its own folder is included by its name alone
sed -i "s|\"ops/$name/$name.h\"|\"$name.h\"|" "gst/ops/$name/$name.c"
