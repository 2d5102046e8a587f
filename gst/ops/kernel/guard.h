/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "kernelframe.h"

G_BEGIN_DECLS

/* Device memory between guard zones: bytes of a known value, which a kernel
 * must leave as they are. For GST_OPENCL_CHECK=1. */
typedef struct _GstClGuard GstClGuard;

/* Creates memory for frames of @info, and sets @frame to it; each plane has
 * guard rows above and below, and guard columns at both sides. NULL with
 * @error; transfer full. */
GstClGuard *gst_cl_guard_new_frame (GstClContext *context,
    const GstVideoInfo *info, GstClKernelFrame *frame, GError **error);

/* Creates @n_bytes of memory, zeros, and sets *mem to it (borrowed). NULL with
 * @error; transfer full. */
GstClGuard *gst_cl_guard_new_memory (GstClContext *context, gsize n_bytes,
    cl_mem *mem, GError **error);

void gst_cl_guard_free (GstClGuard *self); /* accepts NULL */

/* Waits for the device. FALSE with GST_LIBRARY_ERROR_FAILED if a guard zone has
 * changed: the message says that @kernel has written outside @name, and
 * where. */
gboolean gst_cl_guard_check (GstClGuard *self, const gchar *kernel,
    const gchar *name, GError **error);

G_END_DECLS
