/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Pools and allocators in ALLOCATION queries. They are of video frames or integral
 * images, as the caps of the query say. */

/* Bytes of a buffer of these fixed caps in its default layout: raw video or an
 * integral image. FALSE for other caps. */
gboolean gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes);

/* FALSE with GST_STREAM_ERROR_FORMAT if @buffer is too small for @caps, as far as
 * the first plane of video tells, or all of an integral image. */
gboolean gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error);

/* For decide_allocation: puts a pool of device memory of @allocator, which
 * downstream can map, in the place of everything on offer. FALSE: the caps of
 * @query are no video frame or integral image. */
gboolean gst_cl_pool_decide (GstQuery *query, GstAllocator *allocator);

/* For propose_allocation: offers at least @n_buffers buffers of the memory that
 * the device of @context takes without a copy; nothing if that is NULL:
 *  - for caps in device memory, that;
 *  - on a CPU, system memory that is aligned;
 *  - on a GPU that shares the host's memory, device memory, mapped;
 *  - on any other device, pinned host memory.
 * FALSE: there is no such pool. */
gboolean gst_cl_pool_propose (GstQuery *query, GstClContext *context,
    guint n_buffers);

/* For propose_allocation where downstream has answered @query: asks for
 * @n_buffers buffers beside those that downstream keeps. */
void gst_cl_pool_ask_for_more (GstQuery *query, guint n_buffers);

/* Lets @pool, which is active, allocate a buffer for each frame in flight. A pool
 * hands out its buffers in turn: where work on one overlaps the transfer of
 * another, it must not have one alone. A pool that cannot get them works with
 * fewer; one made to hold so many from the start would fail at once, and with no
 * word of the reason. Does nothing the second time. */
void gst_cl_pool_fill (GstBufferPool *pool);

G_END_DECLS
