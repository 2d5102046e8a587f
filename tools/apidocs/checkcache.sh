#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows how what GStreamer's registry knows of the plugin differs from what was
# written down, and fails then.
#
# usage: checkcache.sh PLUGINCACHE FILE
#   PLUGINCACHE  the program that asks the registry
#   FILE         docs/gst_plugins_cache.json; after a change that is wanted, let
#                PLUGINCACHE opencl GstCl clframesumbatch write it anew
# clframesumbatch is built from GStreamer 1.28 on alone, and not in the file.
exec 2>&1
"$1" opencl GstCl clframesumbatch | diff "$2" -
