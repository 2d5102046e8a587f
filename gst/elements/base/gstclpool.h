/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"
#include "cl/video/gstclbufferpool.h"

G_BEGIN_DECLS

/* Pools and allocators in ALLOCATION queries, for video frames or integral
 * images (as the caps say). */

/* Returns FALSE with @error if the @size_bytes of a frame of @n_rows rows
 * exceed the largest buffer of the device of @context
 * (CL_MEM_OBJECT_ALLOCATION_FAILURE) or of a GStreamer pool, 2^32 - 1 bytes
 * (GST_RESOURCE_ERROR_NO_SPACE_LEFT). The error contains the number of rows
 * that fit. */
gboolean gst_cl_pool_check_size (GstClContext *context, gsize size_bytes,
    guint n_rows, GError **error);

/* Replaces *@error, a failed allocation of a frame with the caps of @pad, by
 * that of gst_cl_pool_check_size() if the frame is too large. */
void gst_cl_pool_explain_shortage (GstClContext *context, GstPad *pad,
    GError **error);

/* Returns TRUE if @buffer is large enough for @caps: for the first plane of
 * video, or for the whole integral image. Else returns FALSE with
 * GST_STREAM_ERROR_FORMAT. */
gboolean gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error);

/* For decide_allocation: replaces all proposals of @query by a pool of device
 * memory of @allocator, which downstream can map, or with NULL of system
 * memory. Returns FALSE if the caps of @query are neither raw video nor an
 * integral image. */
gboolean gst_cl_pool_decide (GstQuery *query, GstAllocator *allocator);

/* For propose_allocation: offers at least @n_buffers buffers of the memory that
 * the device of @context takes without a copy:
 *  - for caps in device memory, device memory;
 *  - for caps in foreign memory (gstclcaps.h), upstream's own;
 *  - on a CPU, system memory that is aligned;
 *  - on a GPU that shares memory with the host, device memory, which is
 *    mapped;
 *  - on any other device, pinned host memory.
 * Without a context it offers nothing. FALSE: there is no such pool. */
gboolean gst_cl_pool_propose (GstQuery *query, GstClContext *context,
    guint n_buffers);

/* For propose_allocation after downstream has answered @query: requests
 * @n_buffers buffers in addition to downstream's own. */
void gst_cl_pool_request_more (GstQuery *query, guint n_buffers);

/* Allocates the buffers of the active @pool in advance, one per frame in
 * flight. A pool reuses buffers in turn; with a single buffer, work on one
 * frame cannot overlap the transfer of another. If memory is short, the pool
 * has fewer buffers; a minimum in its configuration would instead fail without
 * a reason. A second call has no effect. */
void gst_cl_pool_fill (GstBufferPool *pool);

G_END_DECLS
