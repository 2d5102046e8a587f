#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Creates a website of README.md, the pages of docs/, the pages of tools/ that
# these link to, and the API of the plugin and of its library, in C and Python,
# in the style of GStreamer's documentation, with hotdoc. Checks every link
# within the site.
#
# usage: scripts/docs.sh
# environment:
#   BUILD_DIR      build folder (default: build/ in the checkout); the site is
#                  in its folder site/html
#   SKIP_PACKAGES  1: install nothing, use the installed packages
# Installs hotdoc from PyPI in a separate folder, because Debian has none.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/build}
export BUILD_DIR
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
site=$BUILD_DIR/site

"$root/scripts/setup.sh" docs -Dintrospection=enabled
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
ninja -C "$BUILD_DIR" gst-libs/GstOpenCL-1.0.gir >/dev/null
hotdoc=$BUILD_DIR/hotdoc/bin/hotdoc
if [ ! -x "$hotdoc" ]; then
  python3 -m venv "$BUILD_DIR/hotdoc"
  # newer versions download a theme
  "$BUILD_DIR/hotdoc/bin/pip" install --quiet --disable-pip-version-check \
    hotdoc==0.17.4
fi

rm -rf "$site"
mkdir -p "$site/pages" "$site/html"
python3 "$root/scripts/docs_pages.py" "$root" "$site/pages" "$site/html"
cd "$site/pages"
log=$site/log
GST_PLUGIN_PATH=$BUILD_DIR/gst python3 "$root/scripts/docs_registry.py" \
  >"$site/registry.json"
# shellcheck disable=SC2046 # one word a source
"$hotdoc" run --project-name gst-opencl \
  --project-version "$(sed -n "s/^ *version: '\([0-9.]*\)',/\1/p" \
    "$root/meson.build" | head -n 1)" \
  --sitemap sitemap.txt --index README.md --gst-index README.md \
  --gst-smart-index --gst-plugin-name opencl \
  --gst-cache-file "$site/registry.json" \
  --gst-c-sources $(find "$root/gst" -name '*.c' | sort) \
  --gi-smart-index --languages c python \
  --gi-sources "$BUILD_DIR/gst-libs/GstOpenCL-1.0.gir" \
  --gi-c-sources "$root/gst-libs/gst/opencl/opencl.h" \
  --output "$site" --build-dir "$site/work" >"$log" 2>&1 || {
  tail -n 30 "$log" >&2
  exit 1
}
# GLib and GStreamer are documented on other sites
own='symbol [^ ]*(gst_cl_|GstCl[A-Z]|GST_CL_)'
if awk -v own="$own" '/^WARNING/ && !/mandatory-link-not-found/ &&
    (!/gtk-doc-bad-link/ || $0 ~ own)' "$log" | grep . >&2; then
  echo "docs: hotdoc warns (whole log: $log)" >&2
  exit 1
fi

# Excludes the theme's templates, which are not pages.
printf '[AnchorCheck]\n' >"$site/linkcheckerrc"
linkchecker --config "$site/linkcheckerrc" --no-status --ignore-url=/assets/ \
  "$site/html/index.html" >"$site/links" 2>&1 || {
  cat "$site/links" >&2
  exit 1
}
if grep -q '^Warning' "$site/links"; then
  grep -E '^(Parent|Warning|Name) ' "$site/links" >&2
  exit 1
fi
grep "^That's it" "$site/links" >&2
echo "docs: $site/html/index.html" >&2
