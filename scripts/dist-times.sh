#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# `meson dist` calls this before it packs: each file and folder gets the time of
# the commit, so that the same commit makes the same tarball.
set -eu
time=$(git -C "$MESON_SOURCE_ROOT" log -1 --format=%ct)
find "$MESON_DIST_ROOT" -exec touch -h -d "@$time" {} +
