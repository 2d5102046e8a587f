/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* Copies buffers to the device. */

/* Returns TRUE if all memory of @buffer is device memory of @context. */
gboolean gst_cl_device_copy_is_done (GstBuffer *buffer, GstClContext *context);

/* Enqueues a copy of @in to @out, which has one device memory. Copies the
 * planes of @info, or @size_bytes bytes if @info is NULL. Streaming thread. */
gboolean gst_cl_device_copy_enqueue (GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, const GstVideoInfo *info, gsize size_bytes, GError **error);

G_END_DECLS
