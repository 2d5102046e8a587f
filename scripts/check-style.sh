#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints each violation of the code style (CONTRIBUTING.md); exit status 1 if
# there is one.
set -u

cd "$(dirname "$0")/.." || exit 1

sources () {
  find gst kernels tools tests examples -type f \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.clh' \)
}

scripts () {
  find scripts tests tools/clbench tools/clqc/scripts examples .ci -type f \
    \( -name '*.py' -o -name '*.sh' -o -name run \)
}

# Files that need a licence line: those that a build compiles, runs or reads.
# For data, pages and pictures, LICENSE applies.
licensed () {
  { sources; scripts; }
  find gst kernels tools tests examples packaging debian -type f \
    \( -name 'meson*.*' -o -name '*.py' -o -name '*.js' -o -name '*.css' \
    -o -name '*.supp' -o -name '*.gresource.xml' -o -name '*.toml' \
    -o -name '*.wrap' -o -name '*.yml' \
    -o -path '*/reporting/templates/*' -o -path 'debian/tests/*' \) \
    -not -path 'tests/data/*'
  echo meson.build meson_options.txt debian/rules | tr ' ' '\n'
}

check () {
  # the licence, in one line at the top
  licensed | while read -r f; do
    head -n 2 "$f" | grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later' ||
      echo "$f: no SPDX line at the top"
  done

  # lines have at most 80 columns, including comments, which clang-format does
  # not wrap
  { sources; scripts; } | LC_ALL=C.UTF-8 xargs grep -nE '^.{81,}'

  # in the plugin only gst/cl calls OpenCL, and layers that need no device do
  # not include it; no printf; no TODO
  grep -rnE '\bcl[A-Z][A-Za-z]+ ?\(' gst/elements gst/ops gst/statistics \
    gst/plugin.c
  grep -rnE '#include .*CL/' gst/statistics gst/output gst/common
  grep -rnE '\b(g_print|g_printerr|printf|fprintf) \(' gst
  grep -rnIE '\b(TODO|FIXME|XXX)\b' \
    gst kernels tools tests examples scripts docs |
    grep -v 'scripts/check-style.sh'

  # each file that logs has a debug category
  grep -rlE 'GST_(ERROR|WARNING|FIXME|INFO|DEBUG|LOG|TRACE)(_OBJECT|_ID)? \(' \
    gst --include='*.c' |
    xargs grep -L '^#define GST_CAT_DEFAULT ' |
    sed 's/$/: logs, but names no debug category/'

  # includes, tables of ops, unused functions
  python3 scripts/check-source.py

  # the tests of a package import nothing of another package; a tool may have a
  # module with the name of one of the plugin's
  grep -rnE '(from|import) clqc\b|tools/(clqc|clbench)' \
    tests examples --include='*.py'
  modules=$(find tests -name '*.py' | while read -r f; do
    find tools -name "${f##*/}" | grep -q . || basename "$f" .py
  done | paste -sd '|')
  grep -rnE "sys\.path.*tests|tests/(pipelines|framesum)|\
^ *(from|import) ($modules)\b" tools --include='*.py'

  # a comment does not refer to the text above it
  sources | xargs grep -nE '/\* (The same|Of|Likewise|As)\b'

  # docs/architecture.md has a row for each folder of sources, with its path or
  # the last part of the path
  find gst/*/ kernels/*/ -name '*.[ch]' -o -name '*.cl*' | xargs -n 1 dirname |
    sort -u | grep -vE '^gst/(ops|statistics)$' | while read -r folder; do
    grep -q "^| \`\($folder\|${folder##*/}\)\` |" docs/architecture.md ||
      echo "$folder: not in docs/architecture.md"
  done

  # each table of a page begins with a header; an empty line ends a table
  find ./*.md docs examples bindings tools tests -name '*.md' |
    xargs awk 'FNR == 1 { in_code = begins = 0; before = "" }
      /^ *```/ { in_code = !in_code }
      begins && !/^\|[-:| ]*$/ {
        print FILENAME ":" FNR - 1 ": a row without a header"
      }
      { begins = /^\|/ && before == "" && !in_code; before = $0 }'

  # formats are in one table
  grep -rnE 'case GST_(VIDEO|AUDIO)_FORMAT_' gst --include='*.c' |
    grep -v gstclformat.c

  # every kernel file has the sections of its contract, in order, is
  # embedded, compiled, and tested against a scalar reference; tools check their
  # own results
  for f in kernels/*/*.cl tools/*/kernels/*.cl; do
    case $f in */probe/* | *'*'*) continue ;; esac
    expected=$(printf '%s ' Math Shape Units Memory Launch Accuracy Source)
    found=$(sed -n '1d; /\*\//q; s/^ \* \([A-Z][a-z]*\)  *[^ ].*/\1/p' "$f" |
      grep -xE 'Math|Shape|Units|Memory|Launch|Accuracy|Source' | tr '\n' ' ')
    [ "$found" = "$expected" ] ||
      echo "$f: header words are '${found% }', not '${expected% }'"
    grep -q '__kernel void' "$f" &&
      echo "$f: a kernel without reqd_work_group_size"

    case $f in
      tools/*)
        name=${f##*/}
        grep -q ">$name<" "${f%/*}"/*.gresource.xml || echo "$f: not embedded"
        grep -q "'clbench/$name'" "${f%/*}/meson.build" ||
          echo "$f: no set of options is compiled"
        continue
        ;;
    esac
    name=${f#kernels/}
    op=${name%%/*}
    grep -q ">$name<" kernels/*.gresource.xml || echo "$f: not embedded"
    grep -q "'$name'" kernels/meson.build ||
      echo "$f: no set of options is compiled"
    [ -f "tests/$op/test_$op.c" ] || echo "$f: no tests/$op/test_$op.c"
    ref=$(grep -o 'tests/[a-z]*/[a-z]*reference\.c' "$f")
    [ -f "$ref" ] || echo "$f: no scalar reference"
  done

  # clang-format: .c and .h files in one call, others one by one
  sources | grep '\.[ch]$' | xargs clang-format --dry-run 2>&1 |
    sed -n 's/:[0-9]*:[0-9]*: warning: .*/: run clang-format/p' | sort -u
  sources | grep -v '\.[ch]$' | while read -r f; do
    # shellcheck disable=SC2094 # reads it twice, writes it never
    clang-format -style=file -assume-filename=x.c <"$f" | cmp -s - "$f" ||
      echo "$f: run clang-format"
  done
}

# scripts/setup.sh test installs this version; the PATH may have another.
PATH=${BUILD_DIR:-build}/checkers/clang_format/data/bin:$PATH
clang-format --version 2>/dev/null | grep -q ' 14\.' || {
  echo "there is no clang-format 14: scripts/setup.sh test installs it"
  exit 1
}
findings=$(check)
[ -z "$findings" ] && exit 0
printf '%s\n' "$findings"
exit 1
