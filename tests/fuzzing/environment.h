/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <stdint.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Defined by a fuzz target: a complete run on @size bytes at @data; returns
 * 0. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Called before the first run. If the target needs a device and there is none,
 * exits with 77, for "skipped", or with 1 if CL_REQUIRE_DEVICE=1. Returns 0. */
int LLVMFuzzerInitialize (int *argc, char ***argv);

/* Initializes GStreamer with the plugin's elements, which are linked in. From
 * now on a warning or a critical message of GLib ends the process, and every
 * log message of the plugin is formatted and discarded. Kernels are chosen by
 * their order in the table, nothing is prepared, and the cache is off unless
 * the environment enables it. Once. */
void fuzz_environment_init (void);

/* Returns a context that lives as long as the process, so that inputs share
 * compiled kernels: of a host-unified device, or of the same device in discrete
 * mode. NULL if there is no device. A context whose device is lost is
 * replaced. */
GstClContext *fuzz_environment_context (gboolean is_discrete);

G_END_DECLS
