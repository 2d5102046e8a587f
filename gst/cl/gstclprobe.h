/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Devices whose compiler does not do, though they say that they have one: known
 * for the process once it has been found out. Any thread. */

/* Compiles a small program with what all of ours are made of, or loads it
 * (gstclprogram.h); no more than once a process for each device. FALSE with @error
 * if that fails: device=auto passes the device over then, unless it was lost or
 * out of memory. */
gboolean gst_cl_probe_try (GstClContext *context, GError **error);

/* From now on device=auto passes @device over where there is another; a line at
 * WARNING, once, says so with @reason. */
void gst_cl_probe_set_unable (const GstClDevice *device, const gchar *reason);
gboolean gst_cl_probe_is_unable (const GstClDevice *device);

/* Whether @error, of whatever call, says that a program could not be compiled. */
gboolean gst_cl_probe_is_compiler_failure (const GError *error);

G_END_DECLS
