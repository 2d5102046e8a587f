/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/* The buffers on both sides of a GstClBaseFilter: what it says in ALLOCATION
 * queries, and which metas it keeps.
 *
 * Output always comes from a pool of our own, in device memory, which downstream
 * can map. Upstream is told that any layout is fine, how many buffers a filter
 * holds, and which memory the device takes without a copy:
 *  - for caps in device memory, that;
 *  - on a CPU, system memory that is aligned;
 *  - on a GPU that shares the host's memory, device memory, mapped;
 *  - on any other device, pinned host memory.
 * Of the metas those stay that are true of the output still, which say nothing of
 * memory; those that speak of positions are scaled, as videoscale does, or left
 * out where they cannot be; where the output shows a part of the input, regions of
 * interest are cut to that. */

/* For class_init of the base class: sets decide_allocation, propose_allocation,
 * prepare_output_buffer, transform_meta and get_unit_size. */
void gst_cl_pool_install (GstBaseTransformClass *klass);

/* Bytes of a buffer of these fixed caps in its default layout: raw video or an
 * integral image. FALSE for other caps. */
gboolean gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes);

/* FALSE with GST_STREAM_ERROR_FORMAT if @buffer is too small for @caps, as far as
 * the first plane of video tells, or all of an integral image. */
gboolean gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error);

G_END_DECLS
