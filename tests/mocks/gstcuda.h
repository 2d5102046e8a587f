/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Stands in for libgstcuda-1.0.so.0, GStreamer's library for CUDA memory. */

/* A GstCudaContext of GPU @device of the driver that stands in. transfer full
 */
GstObject *cuda_context_new (int device);

/* From now on what cuda_buffer_new() writes in memory of @context is written by
 * commands in a stream, as by GStreamer 1.24. */
void cuda_context_use_stream (GstObject *context);

/* How threads wait in it: a CU_CTX_SCHED_. */
void cuda_context_set_flags (GstObject *context, guint flags);
guint cuda_context_flags (GstObject *context);

/* The bytes of @buffer, in one memory, in CUDA memory of @context, with
 * what @buffer says of its layout and time. transfer full */
GstBuffer *cuda_buffer_new (GstObject *context, GstBuffer *buffer);

/* A pool of such memory of @context, with rows 512 bytes apart, or a multiple
 * of that, and a stream in which commands use its memory. transfer full */
GstBufferPool *cuda_pool_new (GstObject *context);

/* How often such memory was mapped for the host to read. */
gint cuda_n_host_maps (void);

G_END_DECLS
