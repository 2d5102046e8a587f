#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the plugin in configurations that the tests do not build.
#
# usage: scripts/check-build.sh [CHECK ...]   (default: the first four)
#   headers    each header of the plugin and its tools alone
#   pedantic   the sources of the plugin and its tools with -Wpedantic
#   gcc, clang a release of everything, with warnings as errors
#   scan       clang's static analyzer (Debian: clang-tools) on the plugin, its
#              tests and examples: it must report nothing
#   static     programs with the plugin as a static library, built as a
#              subproject and linked with the installed .pc file: both must
#              measure frames
#   upstream   the committed files as C99 without extensions, in GStreamer's
#              indentation (docs/upstream.md); needs GNU indent, gcc and clang
#   systems    system headers, compiler extensions and tabs only where
#              docs/upstream.md says; builds nothing
# environment:
#   BUILD_DIR  build folder with the generated headers (default: build/ in the
#              checkout); other folders are beside it, such as BUILD_DIR-gcc
#   WRAP       for static: a wrap file that names the source of the plugin
#              (default: none; the checkout is the source)
# functions that are called by name:
# shellcheck disable=SC2317
set -u

cd "$(dirname "$0")/.." || exit 1
root=$PWD
BUILD_DIR=${BUILD_DIR:-$PWD/build}
status=0

# pedantic COMPILER ARGUMENT... FILE: compiles without output; extensions are
# errors.
pedantic () {
  compiler=$1
  shift
  "$compiler" -fsyntax-only -std=c11 -Wall -Wextra -Wpedantic -Werror \
    -Wno-unused-parameter -Igst -Igst-libs -Ikernels -Itests/harness -I. \
    "-I$BUILD_DIR/kernels" "-I$BUILD_DIR/tools/inspect" \
    -DCL_TARGET_OPENCL_VERSION=120 \
    -DGST_USE_UNSTABLE_API -DPACKAGE='""' -DPACKAGE_NAME='""' \
    -DPACKAGE_VERSION='""' -DPACKAGE_ORIGIN='""' -DCOMPILER_PATH='""' "$@"
}

# Compiles a file that includes only this header: compilers warn differently
# about a header that they compile directly. gcc needs half of clang's time.
check_header () {
  # shellcheck disable=SC2086 # one word a flag
  printf '#include "%s"\n' "${1#gst/}" | pedantic gcc $cflags -x c - ||
    echo "$1: does not compile alone"
}

check_source () {
  # shellcheck disable=SC2086
  pedantic clang $cflags "$1" || echo "$1: is not C11 to the letter"
}

# each FUNCTION PATTERN: calls the function for each file, in parallel on all
# processors.
each () {
  find gst gst-libs tools -name "$2" ! -path 'tools/*/tests/*' | sort | {
    n=0
    while read -r f; do
      "$1" "$f" 2>&1 &
      n=$((n + 1))
      [ $((n % processors)) -ne 0 ] || wait
    done
    wait
  }
}

# alone FUNCTION PATTERN: calls each; prints the errors, and then fails.
alone () {
  packages='gstreamer-video-1.0 gio-2.0 json-glib-1.0'
  # shellcheck disable=SC2086 # one word a package
  cflags=$(pkg-config --cflags $packages) || return 1
  processors=$(nproc)
  findings=$(each "$1" "$2")
  [ -z "$findings" ] && return
  printf '%s\n' "$findings"
  return 1
}

# release COMPILER: builds the plugin, its tests and examples.
release () {
  folder=$BUILD_DIR-$1
  log=$folder/release.log
  mkdir -p "$folder"
  { [ -f "$folder/build.ninja" ] || CC=$1 meson setup "$folder" \
    -Dbuildtype=release -Dwerror=true -Dtests=enabled -Dkernel-check=disabled
  } >"$log" 2>&1 && meson compile -C "$folder" --ninja-args=-k0 >>"$log" 2>&1 &&
    return
  grep -E '(warning|error|ERROR):' "$log" || tail -n 30 "$log"
  return 1
}

# The analyzer checks the files that it compiles: all of them, each time. clang
# 14 reports everything that g_autofree frees as a leak; the leak sanitizer in
# scripts/test.sh detects real leaks.
analyze () {
  scan-build --use-cc=clang --status-bugs -disable-checker unix.Malloc \
    -o "$folder/reports" "$@"
}

check_scan () (
  set -e
  folder=$BUILD_DIR-scan
  rm -rf "$folder"
  analyze meson setup "$folder" -Dtests=enabled -Dkernel-check=disabled
  analyze meson compile -C "$folder" --ninja-args=-k0
)

check_static () (
  set -e
  folder=$BUILD_DIR-static
  cache=$BUILD_DIR/pocl-cache
  # The program finds its own plugin and those of the system only.
  unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0
  mkdir -p "$folder/project/subprojects" "$cache"
  export GST_REGISTRY="$folder/registry.bin" POCL_CACHE_DIR="$cache"
  export GST_OPENCL_CACHE_DIR='' GST_OPENCL_TUNE=0 GST_OPENCL_PREPARE=0
  export GST_OPENCL_SELF_TEST=0 GST_OPENCL_QUICK_START=0
  export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable

  cp "$root/tests/static/meson.build" "$root/tests/static/static.c" \
    "$folder/project"
  if [ -n "${WRAP:-}" ]; then
    cp "$WRAP" "$folder/project/subprojects/gst-opencl.wrap"
  else
    ln -sfn "$root" "$folder/project/subprojects/gst-opencl"
  fi

  [ -f "$folder/build/build.ninja" ] ||
    meson setup "$folder/build" "$folder/project" -Doptimization=0 \
      --prefix "$folder/installed" -Dgst-opencl:tests=disabled \
      -Dgst-opencl:tools=disabled -Dgst-opencl:clqc=disabled
  meson compile -C "$folder/build"
  meson install -C "$folder/build" --no-rebuild --quiet

  echo "as a subproject:"
  "$folder/build/static"

  plugins=$(dirname "$(find "$folder/installed" -name libgstopencl.a)")
  PKG_CONFIG_PATH=$plugins/pkgconfig:$plugins/../pkgconfig
  export PKG_CONFIG_PATH
  echo "version $(pkg-config --modversion gstopencl), with its .pc file:"
  # GStreamer's libraries are shared: --static would also require the libraries
  # that they depend on.
  # shellcheck disable=SC2046 # words
  "${CC:-cc}" -o "$folder/static" "$root/tests/static/static.c" \
    $(pkg-config --cflags --libs gstopencl)
  "$folder/static"
)

# The options of gst-indent, and of C99.
check_upstream () (
  set -e
  out=$BUILD_DIR/upstream
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

  # the options of gst-indent, which also runs twice
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
  # GResource makes one string of the kernels, longer than C99 requires
  # compilers to support
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

# Prints each system header that is not standard C, each compiler extension, and
# each tab.
check_systems () (
  set -e
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

[ $# -gt 0 ] || set -- headers pedantic gcc clang
for what; do
  case $what in
    headers) alone check_header '*.h' || status=1 ;;
    pedantic) alone check_source '*.c' || status=1 ;;
    gcc | clang) release "$what" || status=1 ;;
    scan | static | upstream | systems)
      # set -e has no effect in a condition
      "check_$what"
      # shellcheck disable=SC2181
      [ $? -eq 0 ] || status=1
      ;;
    *) sed -n '3,22s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
exit $status
