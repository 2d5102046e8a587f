#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows how what GStreamer's registry knows of the plugin differs from what was
# written down, and fails then.
#
# usage: checkcache.sh PLUGINCACHE FILE [ELEMENT ...]
#   PLUGINCACHE  the program that asks the registry
#   FILE         docs/gst_plugins_cache.json; after a change that is wanted, let
#                PLUGINCACHE opencl GstCl write it anew, with GStreamer 1.28 or
#                later: all elements are there then
#   ELEMENT      is in FILE, and not in this build; not the last one there
set -eu
exec 2>&1
program=$1
known=$2
shift 2
absent=
for element; do
  grep -q "^      \"$element\" : {\$" "$known" || {
    echo "$known: there is no $element"
    exit 1
  }
  echo "$element is not compared: this build does not have it"
  absent="$absent/^      \"$element\" : {\$/,/^      },\$/d;"
done
found=$(mktemp)
trap 'rm -f "$found"' EXIT
"$program" opencl GstCl >"$found"
sed "$absent" "$known" | diff - "$found"
