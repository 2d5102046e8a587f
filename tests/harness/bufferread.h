/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Reads @size_bytes of @mem, after all that was enqueued on the compute queue,
 * and waits for them. FALSE with @error. */
static inline gboolean
buffer_read (GstClContext *context, cl_mem mem, gsize offset_bytes,
    gsize size_bytes, void *data, GError **error)
{
  return gst_cl_check (clEnqueueReadBuffer (context->queue, mem, CL_TRUE,
                           offset_bytes, size_bytes, data, 0, NULL, NULL),
      "read a buffer", error);
}

G_END_DECLS
