/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of libgstcuda-1.0.so.0, GStreamer's library for CUDA memory. */

/* Creates a GstCudaContext of GPU @device of the mock driver. transfer full
 */
GstObject *cuda_context_new (int device);

/* From now on, the bytes of cuda_buffer_new() in memory of @context are written
 * by commands in a stream, as in GStreamer 1.24. */
void cuda_context_use_stream (GstObject *context);

/* Returns how threads wait in it: a CU_CTX_SCHED_ flag. */
void cuda_context_set_flags (GstObject *context, guint flags);
guint cuda_context_flags (GstObject *context);

/* Copies the bytes of @buffer, in one memory, to CUDA memory of @context, with
 * its layout and timestamps. transfer full */
GstBuffer *cuda_buffer_new (GstObject *context, GstBuffer *buffer);

/* Creates a pool of such memory of @context, with row strides that are
 * multiples of 512 bytes, and a stream of commands that use its memory.
 * transfer full */
GstBufferPool *cuda_pool_new (GstObject *context);

/* Returns how often such memory was mapped for reading by the host. */
gint cuda_n_host_maps (void);

G_END_DECLS
