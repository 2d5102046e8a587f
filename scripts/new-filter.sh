#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Creates a new filter as a copy of template/, registers it, and writes the stub
# of its page. Prints the new and the changed files. docs/adding-a-kernel.md
# describes the next steps.
#
# usage: scripts/new-filter.sh [--no-properties] NAME [FOLDER]
#   --no-properties  the element has no properties
#   NAME    lower-case letters: "blend" gives the element clblend
#   FOLDER  a checkout (default: this one)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
properties=yes
if [ "${1:-}" = --no-properties ]; then
  properties=
  shift
fi
name=${1:-}
case $name in
  '' | *[!a-z]*) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
# scripts/setup.sh test installs it
PATH=${BUILD_DIR:-$root/build}/checkers/clang_format/data/bin:$PATH
command -v clang-format >/dev/null || {
  echo "there is no clang-format: scripts/setup.sh test installs it" >&2
  exit 1
}
cd "${2:-$root}"
# Checks all folders: gst/elements/framesum exists without an op of this name.
for folder in kernels gst/ops gst/elements tests; do
  if [ -e "$folder/$name" ]; then
    echo "there is a $folder/$name already" >&2
    exit 1
  fi
done
upper=$(printf '%s' "$name" | tr '[:lower:]' '[:upper:]')
first=$(printf '%s' "$upper" | cut -c1)
title=$first$(printf '%s' "$name" | cut -c2-)
if used=$(grep -rlwE "GstCl$title|gst_cl_${name}_[a-z_]+|gstcl$name" \
    "$root/gst" --include='*.[ch]' --include=meson.build); then
  printf '%s\n' "the names of $name are taken:" "$used" >&2
  exit 1
fi

# Removes the lines that the filter does not need: those of WITHOUT_PROPERTIES,
# or those for elements with properties.
choose_properties () {
  awk -v has="$properties" '
    /^#ifn?def WITHOUT_PROPERTIES$/ {
      is_conditional = 1
      is_kept = has ? /ifndef/ : /ifdef/
      next
    }
    is_conditional && /^#else$/ { is_kept = !is_kept; next }
    is_conditional && /^#endif$/ { is_conditional = 0; next }
    !is_conditional || is_kept' |
    if [ "$properties" ]; then
      cat
    else
      sed \
        -e 's/Adds #GstClTemplate:amount to/Adds 20, in codes of 8 bits, to/' \
        -e 's/cltemplate amount=20 !/cltemplate !/'
    fi
}

# copy FILE TO: replaces the template's name by the new one, and wraps lines
# again, because names differ in length. Does not change GStreamer's pad
# templates.
copy () {
  mkdir -p "$(dirname "$2")"
  choose_properties <"$root/template/$1" |
    sed -e '/gst_cl_caps_add_templates/b' \
      -e "s|\"template.h\"|\"ops/$name/$name.h\"|" \
      -e "s|template/templatereference|tests/$name/${name}reference|" \
      -e "s/template/$name/g; s/Template/$title/g; s/TEMPLATE/$upper/g" >"$2"
  # files of the same folder are included by their names
  case $2 in
    gst/ops/*) sed -i "s|\"ops/$name/$name.h\"|\"$name.h\"|" "$2" ;;
  esac
  clang-format "--style=file:$root/.clang-format" --assume-filename=x.c \
    <"$2" >"$2.new"
  mv "$2.new" "$2"
  echo "$2"
}

# insert FILE LIKE LINE: inserts LINE in alphabetical order among the lines that
# match LIKE.
insert () {
  at=$(grep -nE "$2" "$1" | LC_ALL=C awk -v line="$3" '
    { n = index ($0, ":"); last = substr ($0, 1, n - 1) }
    !at && substr ($0, n + 1) > line { at = last }
    END { print at ? at - 1 : last }')
  line=$3 awk -v at="$at" '{ print } NR == at { print ENVIRON["line"] }' \
    "$1" >"$1.new"
  cat "$1.new" >"$1"
  rm "$1.new"
}

# behind FILE LINE NEW...: inserts lines after LINE.
behind () {
  file=$1
  at=$2
  shift 2
  new=$(printf '%s\n' "$@") awk -v at="$at" \
    '{ print } $0 == at { print ENVIRON["new"] }' "$file" >"$file.new"
  cat "$file.new" >"$file"
  rm "$file.new"
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

line="videotestsrc num-buffers=50 ! cl$name"
what='20, in codes of 8 bits,'
if [ "$properties" ]; then
  line="$line amount=20"
  what='an amount'
fi
cat >"docs/cl$name.md" <<END
# cl$name: an amount added to every sample

\`cl$name\` adds $what to every sample.

\`\`\`sh
gst-launch-1.0 $line ! videoconvert ! fakesink
\`\`\`

| pad | caps |
|---|---|
| both | \`video/x-raw\` with the formats of [clintegral](clintegral.md) |

END
if [ "$properties" ]; then
  cat >>"docs/cl$name.md" <<END
| property | meaning |
|---|---|
| \`amount\` | is added to every sample, in codes of 8 bits: -255 to 255 |

END
fi
echo "Properties of all filters: \`device\` and \`device-name\`, see" \
  "[devices.md](devices.md)." >>"docs/cl$name.md"
echo "docs/cl$name.md"

insert kernels/kernels.gresource.xml '^    <file>' \
  "    <file>$name/plain.cl</file>"
behind kernels/meson.build 'kernel_option_sets = [' \
  "  ['$name/plain.cl', []]," \
  "  ['$name/plain.cl', ['-DSAMPLE_T=ushort']],"
insert gst/meson.build "^  'ops/[a-z]*/" "  'ops/$name/$name.c',"
insert gst/meson.build "^  'elements/[a-z]*/" \
  "  'elements/$name/gstcl$name.c',"
insert gst/plugin.c '^#include "elements/' \
  "#include \"elements/$name/gstcl$name.h\""
insert gst/plugin.c '^  registered \|= GST_ELEMENT_REGISTER' \
  "  registered |= GST_ELEMENT_REGISTER (cl$name, plugin);"
behind tests/meson.build 'kernel_tests = {' \
  "  '$name': ['$name/${name}reference.c'],"
behind tests/meson.build 'element_suites = {' "  'cl$name': '$name',"
behind docs/architecture.md \
  "| \`integral\` | integral images | \`clintegral\`, \`localmean\` |" \
  "| \`$name\` | an amount added to every sample | \`cl$name\` |"
printf '%s\n' kernels/kernels.gresource.xml kernels/meson.build \
  gst/meson.build gst/plugin.c tests/meson.build docs/architecture.md
