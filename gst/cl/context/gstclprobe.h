/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Compiles a small program with what all of ours are made of, or loads it
 * (gstclprogram.h); no more than once a process for each device. FALSE with
 * @error if that fails: device=auto passes the device over then
 * (gstcldeviceverdict.h), unless it was lost or out of memory. Any thread. */
gboolean gst_cl_probe_try (GstClContext *context, GError **error);

G_END_DECLS
