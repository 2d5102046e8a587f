/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* Copies of buffers to the device. */

/* Returns TRUE if all of @buffer is device memory of @context. */
gboolean gst_cl_device_copy_is_done (GstBuffer *buffer, GstClContext *context);

/* Enqueues the copy of @in to @out, a buffer of one device memory: the planes
 * of @info, or @size_bytes bytes where that is NULL. Streaming thread. */
gboolean gst_cl_device_copy_enqueue (GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, const GstVideoInfo *info, gsize size_bytes, GError **error);

G_END_DECLS
