/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffer pools and metas of the filters. */

#include "gstclpool.h"

#include <gst/video/video.h>

#include "cl/gstclimport.h"
#include "cl/gstclintegralinfo.h"
#include "cl/gstclmemory.h"
#include "cl/gstclpinned.h"
#include "gstclcaps.h"

gboolean
gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes)
{
  GstClIntegralInfo integral;
  GstVideoInfo video;

  /* first: gst_video_info_from_caps() accepts any video media type */
  if (gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))) {
    if (!gst_cl_integral_info_from_caps (&integral, caps))
      return FALSE;
    *size_bytes = gst_cl_integral_info_size (&integral);
    return TRUE;
  }

  if (!gst_video_info_from_caps (&video, caps))
    return FALSE;
  *size_bytes = GST_VIDEO_INFO_SIZE (&video);

  return TRUE;
}

/* A pool of @caps that allocates from @allocator; NULL if it refuses. */
static GstBufferPool *
new_pool (GstCaps *caps, gsize size_bytes, guint min_buffers,
    GstAllocator *allocator)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  pool = gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))
             ? gst_buffer_pool_new ()
             : gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size_bytes, min_buffers, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  if (!gst_buffer_pool_set_config (pool, config))
    gst_clear_object (&pool);

  return pool;
}

gboolean
gst_cl_pool_set (GstQuery *query, GstCaps *caps, gsize size_bytes,
    GstAllocator *allocator)
{
  g_autoptr (GstBufferPool) pool = new_pool (caps, size_bytes, 0, allocator);
  GstAllocationParams params;

  if (!pool)
    return FALSE;

  /* GstBaseTransform takes entry 0 of both lists, and sets the allocator of the
   * second on the pool of the first. */
  gst_allocation_params_init (&params);
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  gst_query_add_allocation_pool (query, pool, size_bytes, 0, 0);
  while (gst_query_get_n_allocation_params (query) > 0)
    gst_query_remove_nth_allocation_param (query, 0);
  gst_query_add_allocation_param (query, allocator, &params);

  return TRUE;
}

/* Where upstream should write; NULL: plain system memory. transfer full */
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

gboolean
gst_cl_pool_propose (GstQuery *query, GstClContext *context)
{
  /* those in flight, and one that upstream fills meanwhile */
  const guint min_buffers = GST_CL_FRAMES_IN_FLIGHT + 1;
  g_autoptr (GstAllocator) allocator = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  GstAllocationParams params;
  gboolean needs_pool;
  GstCaps *caps;
  gsize size;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  gst_query_parse_allocation (query, &caps, &needs_pool);
  if (!context || !caps || !gst_cl_pool_buffer_size (caps, &size))
    return TRUE;

  allocator = choose_allocator (context, caps);
  if (allocator && needs_pool) {
    pool = new_pool (caps, size, min_buffers, allocator);
    if (!pool)
      return FALSE;
  }

  gst_allocation_params_init (&params);
  if (context->device->is_host_unified)
    params.align = context->device->base_align_bytes - 1;
  gst_query_add_allocation_param (query, allocator, &params);
  gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);

  return TRUE;
}

gboolean
gst_cl_pool_has_same_size (const GstCaps *in, const GstCaps *out)
{
  const GstStructure *a = gst_caps_get_structure (in, 0);
  const GstStructure *b = gst_caps_get_structure (out, 0);
  gint wa = 0, ha = 0, wb = 0, hb = 0;

  gst_structure_get (a, "width", G_TYPE_INT, &wa, "height", G_TYPE_INT, &ha,
      NULL);
  gst_structure_get (b, "width", G_TYPE_INT, &wb, "height", G_TYPE_INT, &hb,
      NULL);

  return wa == wb && ha == hb;
}

gboolean
gst_cl_pool_keeps_meta (const GstMeta *meta, gboolean same_size)
{
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);

  for (guint i = 0; tags && tags[i]; i++) {
    gboolean is_position = g_str_equal (tags[i], GST_META_TAG_VIDEO_SIZE_STR) ||
                           g_str_equal (tags[i],
                               GST_META_TAG_VIDEO_ORIENTATION_STR);

    if (!g_str_equal (tags[i], GST_META_TAG_VIDEO_STR) &&
        !(is_position && same_size))
      return FALSE;
  }

  return TRUE;
}
