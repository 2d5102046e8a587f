/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools of frames. */

#include "gstclbufferpool.h"

#include <gst/video/video.h>

#include "gstcldrm.h"
#include "gstclintegralinfo.h"

gboolean
gst_cl_buffer_pool_size (const GstCaps *caps, gsize *size_bytes)
{
  g_autoptr (GstCaps)
      plain = gst_cl_drm_resolve (gst_caps_ref ((GstCaps *) caps));
  GstClIntegralInfo integral;
  GstVideoInfo video;

  /* checked first, because gst_video_info_from_caps() accepts any video type */
  if (gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))) {
    if (!gst_cl_integral_info_from_caps (&integral, caps))
      return FALSE;
    *size_bytes = gst_cl_integral_info_size (&integral);
    return TRUE;
  }

  if (gst_caps_is_empty (plain) || !gst_video_info_from_caps (&video, plain))
    return FALSE;
  *size_bytes = GST_VIDEO_INFO_SIZE (&video);

  return TRUE;
}

GstBufferPool *
gst_cl_buffer_pool_new (GstAllocator *allocator, GstCaps *caps,
    guint min_buffers, guint max_buffers)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstAllocationParams params;
  gsize size_bytes;

  if (!gst_cl_buffer_pool_size (caps, &size_bytes))
    return NULL;

  gst_allocation_params_init (&params);
  pool = gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))
             ? gst_buffer_pool_new ()
             : gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps,
      (guint) MIN (size_bytes, G_MAXUINT), min_buffers, max_buffers);
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  if (!gst_buffer_pool_set_config (pool, config))
    gst_clear_object (&pool);

  return pool;
}
