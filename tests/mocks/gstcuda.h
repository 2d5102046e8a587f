/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of libgstcuda-1.0.so.0, GStreamer's library for CUDA memory. */

/* Creates a GstCudaContext of GPU @device of the mock driver. transfer full
 */
GstObject *cuda_context_new (int device);

/* Makes cuda_buffer_new() with @context write bytes by commands in a stream, as
 * GStreamer 1.24 does. */
void cuda_context_use_stream (GstObject *context);

/* Set and return how threads wait in @context: a CU_CTX_SCHED_ flag. */
void cuda_context_set_flags (GstObject *context, guint flags);
guint cuda_context_flags (GstObject *context);

/* Returns a buffer in CUDA memory of @context with the bytes, layout and
 * timestamps of @buffer, which has one memory. transfer full */
GstBuffer *cuda_buffer_new (GstObject *context, GstBuffer *buffer);

/* Creates a pool of CUDA memory of @context. Row strides are multiples of 512
 * bytes, and commands in a stream use the memory. transfer full */
GstBufferPool *cuda_pool_new (GstObject *context);

/* Returns how often CUDA memory was mapped for reading by the host. */
gint cuda_n_host_maps (void);

G_END_DECLS
