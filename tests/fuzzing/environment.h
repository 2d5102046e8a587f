/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <stdint.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* What a fuzz target defines: the whole of a run on @size bytes at @data;
 * returns 0. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Before the first run; ends the process where there is no device and the
 * target needs one: by 77, for "skipped", or with CL_REQUIRE_DEVICE=1 by 1.
 * Returns 0. */
int LLVMFuzzerInitialize (int *argc, char ***argv);

/* GStreamer with the plugin's elements, which are linked in. From now on a
 * warning or a critical message of GLib ends the process, and everything that
 * the plugin logs is formatted, and forgotten. Kernels are chosen by order,
 * nothing is prepared, and the cache is off unless the environment says
 * otherwise. Once. */
void fuzz_environment_init (void);

/* A context that lives as long as the process, so that what one input has
 * compiled the next one finds: of a device that shares the host's memory, or
 * of the same device as if it did not. NULL where there is no device; a context
 * that has lost its device is made anew. */
GstClContext *fuzz_environment_context (gboolean is_discrete);

G_END_DECLS
