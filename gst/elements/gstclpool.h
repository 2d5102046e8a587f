/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclcontext.h"

G_BEGIN_DECLS

/* What the filters say in ALLOCATION queries, and which metas they keep. */

/* Bytes of a buffer of these fixed caps in its default layout: raw video or an
 * integral image. FALSE for other caps. */
gboolean gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes);

/* Puts one pool of @size_bytes buffers from @allocator, and that allocator, in
 * the place of everything that @query offers. FALSE if the pool refuses. */
gboolean gst_cl_pool_set (GstQuery *query, GstCaps *caps, gsize size_bytes,
    GstAllocator *allocator);

/* Tells upstream that any layout is fine, how many buffers a filter holds, and
 * which memory the device of @context (may be NULL) takes without a copy:
 *  - for caps in device memory, that;
 *  - on a CPU, system memory that is aligned;
 *  - on a GPU that shares the host's memory, device memory, mapped;
 *  - on any other device, pinned host memory. */
gboolean gst_cl_pool_propose (GstQuery *query, GstClContext *context);

/* TRUE if @in and @out have the same width and height. */
gboolean gst_cl_pool_has_same_size (const GstCaps *in, const GstCaps *out);

/* TRUE for metas that stay true on a filter's output: those that say nothing of
 * memory; those that speak of positions only if @same_size. */
gboolean gst_cl_pool_keeps_meta (const GstMeta *meta, gboolean same_size);

G_END_DECLS
