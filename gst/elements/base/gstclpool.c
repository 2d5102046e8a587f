/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools and allocators for both sides of a filter. */

#include "gstclpool.h"

#include <gst/video/video.h>

#include "cl/import/gstclimport.h"
#include "cl/video/gstcldrm.h"
#include "cl/video/gstclintegralinfo.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclpinned.h"
#include "cl/import/gstcldevicerange.h"
#include "gstclcaps.h"
#include "gstclinflight.h"

gboolean
gst_cl_pool_check_size (GstClContext *context, gsize size_bytes, guint n_rows,
    GError **error)
{
  if (!gst_cl_buffer_check_rows (context, size_bytes, n_rows, error))
    return FALSE;
  if (size_bytes <= G_MAXUINT)
    return TRUE;

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "A buffer of %zu bytes is needed, but buffers of GStreamer's pools have "
      "at most %u bytes. At this width, frames of up to %" G_GUINT64_FORMAT
      " rows fit.",
      size_bytes, G_MAXUINT,
      gst_util_uint64_scale (G_MAXUINT, n_rows, size_bytes));

  return FALSE;
}

void
gst_cl_pool_explain_shortage (GstClContext *context, GstPad *pad,
    GError **error)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GError *explained = NULL;
  gsize size_bytes;
  gint n_rows;

  if (!caps || !gst_cl_buffer_pool_size (caps, &size_bytes) ||
      !gst_structure_get_int (gst_caps_get_structure (caps, 0), "height",
          &n_rows) ||
      gst_cl_pool_check_size (context, size_bytes, (guint) n_rows, &explained))
    return;

  g_error_free (*error);
  *error = explained;
}

gboolean
gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error)
{
  GstClIntegralInfo integral;
  GstVideoInfo video;
  GstClBufferRegion region;

  if (gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0)))
    return !gst_cl_integral_info_from_caps (&integral, caps) ||
           gst_cl_buffer_region_find (&region, buffer, 0,
               gst_cl_integral_info_size (&integral), error);

  return !gst_video_info_from_caps (&video, caps) ||
         gst_cl_frame_check_plane (buffer, &video, 0, error);
}

/* --- output -------------------------------------------------------------- */

/* Replaces all proposals of @query by one pool and its allocator. */
static gboolean
set_pool (GstQuery *query, GstCaps *caps, guint size_bytes,
    GstAllocator *allocator)
{
  g_autoptr (GstBufferPool)
      pool = gst_cl_buffer_pool_new (allocator, caps, 0, 0);
  GstAllocationParams params;

  if (!pool)
    return FALSE;

  /* GstBaseTransform uses entry 0 of both lists, and sets this allocator on
   * this pool. */
  gst_allocation_params_init (&params);
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  gst_query_add_allocation_pool (query, pool, size_bytes, 0, 0);
  while (gst_query_get_n_allocation_params (query) > 0)
    gst_query_remove_nth_allocation_param (query, 0);
  gst_query_add_allocation_param (query, allocator, &params);

  return TRUE;
}

gboolean
gst_cl_pool_decide (GstQuery *query, GstAllocator *allocator)
{
  GstCaps *caps;
  gsize size;

  gst_query_parse_allocation (query, &caps, NULL);

  /* gst_cl_pool_check_size() rejects larger frames when one arrives */
  return caps && gst_cl_buffer_pool_size (caps, &size) &&
         set_pool (query, caps, (guint) MIN (size, G_MAXUINT), allocator);
}

void
gst_cl_pool_fill (GstBufferPool *pool)
{
  GstBuffer *buffers[GST_CL_FRAMES_IN_FLIGHT] = { NULL };

  if (g_object_get_data (G_OBJECT (pool), "gst-cl-filled"))
    return;

  g_object_set_data (G_OBJECT (pool), "gst-cl-filled", pool);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    if (gst_buffer_pool_acquire_buffer (pool, &buffers[i], NULL) != GST_FLOW_OK)
      break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    gst_clear_buffer (&buffers[i]);
}

/* --- input --------------------------------------------------------------- */

/* Returns the allocator that upstream should write to; NULL: plain system
 * memory. transfer full */
static GstAllocator *
choose_allocator (GstClContext *context, const GstCaps *caps)
{
  if (gst_cl_caps_is_device (caps))
    return gst_cl_allocator_new (context);
  if (!context->device->is_host_unified)
    return gst_cl_pinned_allocator_new (context);
  if (context->device->type & CL_DEVICE_TYPE_CPU)
    return NULL;

  return gst_cl_allocator_new (context);
}

void
gst_cl_pool_request_more (GstQuery *query, guint n_buffers)
{
  const guint n_pools = gst_query_get_n_allocation_pools (query);
  GstCaps *caps;
  gsize bytes;

  for (guint i = 0; i < n_pools; i++) {
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    if (max == 0)
      gst_query_set_nth_allocation_pool (query, i, pool, size,
          min + n_buffers - 1, max);
  }

  gst_query_parse_allocation (query, &caps, NULL);
  if (n_pools == 0 && caps && gst_cl_buffer_pool_size (caps, &bytes) &&
      bytes <= G_MAXUINT)
    gst_query_add_allocation_pool (query, NULL, (guint) bytes, n_buffers, 0);
}

gboolean
gst_cl_pool_propose (GstQuery *query, GstClContext *context, guint n_buffers)
{
  g_autoptr (GstAllocator) allocator = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  GstAllocationParams params;
  gboolean needs_pool;
  GstCaps *caps;
  gsize size;

  gst_query_parse_allocation (query, &caps, &needs_pool);
  if (!context || !caps || !gst_cl_buffer_pool_size (caps, &size) ||
      size > G_MAXUINT)
    return TRUE;

  /* foreign memory comes from upstream's own pool */
  if (gst_cl_caps_is_foreign (caps)) {
    gst_query_add_allocation_pool (query, NULL, (guint) size, n_buffers, 0);
    return TRUE;
  }

  allocator = choose_allocator (context, caps);
  if (allocator && needs_pool) {
    pool = gst_cl_buffer_pool_new (allocator, caps, n_buffers, 0);
    if (!pool)
      return FALSE;
  }

  gst_allocation_params_init (&params);
  if (context->device->is_host_unified)
    params.align = context->device->base_align_bytes - 1;
  gst_query_add_allocation_param (query, allocator, &params);
  gst_query_add_allocation_pool (query, pool, (guint) size, n_buffers, 0);

  return TRUE;
}
