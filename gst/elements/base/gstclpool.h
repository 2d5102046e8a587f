/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Pools and allocators in ALLOCATION queries, for video frames or integral
 * images: the caps say which. */

/* Sets *size_bytes to the size of a buffer of these fixed caps in its default
 * layout. FALSE if they are neither raw video nor an integral image. */
gboolean gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes);

/* FALSE with @error if frames of @size_bytes do not fit a buffer of the device
 * of @context (CL_MEM_OBJECT_ALLOCATION_FAILURE), or one of a pool, whose
 * buffers end at 2^32 - 1 bytes (GST_RESOURCE_ERROR_NO_SPACE_LEFT). */
gboolean gst_cl_pool_check_size (GstClContext *context, gsize size_bytes,
    GError **error);

/* Checks that @buffer is large enough for @caps: the first plane of video, or
 * all of an integral image. FALSE with GST_STREAM_ERROR_FORMAT. */
gboolean gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error);

/* For decide_allocation: replaces everything on offer by a pool of device
 * memory of @allocator, which downstream can map. FALSE if the caps of @query
 * are neither raw video nor an integral image. */
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

/* For propose_allocation where downstream has answered @query: asks for
 * @n_buffers buffers beside those that downstream keeps. */
void gst_cl_pool_ask_for_more (GstQuery *query, guint n_buffers);

/* Lets @pool, which is active, allocate a buffer for each frame in flight. A
 * pool hands out its buffers in turn, and must not have a single one where work
 * on a frame overlaps the transfer of another. A pool that cannot get so many
 * works with fewer; one that had to hold them from the start would fail at
 * once, without a word about the reason. Does nothing the second time. */
void gst_cl_pool_fill (GstBufferPool *pool);

G_END_DECLS
