#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks what GStreamer's own tree would ask of the sources (docs/upstream.md):
# they build as C99 without an extension, in GStreamer's indentation, too, and
# what compilers or systems other than Linux lack is where the page says.
#
# usage: scripts/check-upstream.sh [indentation] [headers]   (default: both)
# environment:
#   OUT  the folder that it builds in (default: build/upstream)
# The indentation needs GNU indent, gcc and clang, beside what scripts/setup.sh
# installs, and is that of what is committed; headers take no time.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-$root/build/upstream}
PATH=/usr/bin:/bin:$PATH
[ $# -gt 0 ] || set -- indentation headers

check_indentation () (
  for program in indent gcc clang; do
    command -v "$program" >/dev/null || {
      echo "there is no $program: apt-get install $program" >&2
      exit 1
    }
  done
  rm -rf "$out"
  mkdir -p "$out"
  git -C "$root" archive HEAD | tar -x -C "$out"
  cd "$out"

  # the options of gst-indent, twice as it does
  find gst -name '*.c' | while read -r f; do
    for _ in first second; do
      indent --braces-on-if-line --case-brace-indentation0 \
        --case-indentation2 --braces-after-struct-decl-line --line-length80 \
        --no-tabs --cuddle-else --dont-line-up-parentheses \
        --continuation-indentation4 --honour-newlines --tab-size8 \
        --indent-level2 --leave-preprocessor-space "$f"
    done
    rm -f "$f~"
  done
  # the kernels, which GResource makes one string of, are longer than C99 asks
  # compilers for
  for compiler in gcc clang; do
    CC=$compiler meson setup "build-$compiler" . -Dtests=disabled \
      -Dtools=disabled -Dclqc=disabled -Dwerror=true -Dc_std=c99 \
      -Dwarning_level=3 -Dc_args=-Wno-overlength-strings >setup.log || {
      tail -n 3 setup.log
      exit 1
    }
    ninja -C "build-$compiler" gst/libgstopencl.so >build.log || {
      cat build.log
      exit 1
    }
    echo "builds as C99 by $compiler in GStreamer's indentation"
  done
)

# Each system header that is not standard C, each extension of compilers, tabs.
check_headers () (
  cd "$root"
  systems='unistd|dlfcn|fcntl|signal|pthread|poll|sys/[a-z]+'
  found=$(grep -rlE "#include <($systems)\.h>|_GNU_SOURCE" gst | sort)
  # shellcheck disable=SC2016 # the page's own marks
  named=$(sed -n 's/^| `\(gst\/[a-z/]*\.c\)` |.*/\1/p' docs/upstream.md | sort)
  [ "$found" = "$named" ] || {
    echo "docs/upstream.md names other files that need a system's headers:"
    printf '%s\n' "$found" "$named" | sort | uniq -u
    exit 1
  } >&2
  if grep -rnE '__(attribute|builtin|typeof|thread|extension)' gst; then
    echo "these are no C99" >&2
    exit 1
  fi
  packed='__attribute.*[(, ]_*packed|G_GNUC_PACKED|pragma +pack'
  if grep -rnE "$(printf '\t')|$packed" gst kernels; then
    echo "these have tabs, or packed structures" >&2
    exit 1
  fi
  echo "docs/upstream.md names the files that need a system's headers"
)

for part; do
  case $part in
    indentation | headers) "check_$part" ;;
    *) sed -n '7,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
