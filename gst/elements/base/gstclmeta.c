/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metas from input to output. */

#include "gstclmeta.h"

GstClMetaUse
gst_cl_meta_use (const GstMeta *meta)
{
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  gboolean has_position = FALSE;

  for (guint i = 0; tags && tags[i]; i++) {
    if (g_str_equal (tags[i], GST_META_TAG_VIDEO_SIZE_STR) ||
        g_str_equal (tags[i], GST_META_TAG_VIDEO_ORIENTATION_STR))
      has_position = TRUE;
    else if (!g_str_equal (tags[i], GST_META_TAG_VIDEO_STR))
      return GST_CL_META_LEAVE_OUT;
  }

  return has_position ? GST_CL_META_SCALE : GST_CL_META_COPY;
}

/* Sets @cropped to the part of region @meta that lies in @view, counted from
 * the corner of @view. FALSE: there is none. */
static gboolean
crop_region (GstVideoRegionOfInterestMeta *cropped, GstMeta *meta,
    const GstVideoRectangle *view)
{
  const gint64 left = ((GstVideoRegionOfInterestMeta *) meta)->x,
               top = ((GstVideoRegionOfInterestMeta *) meta)->y;

  *cropped = *(GstVideoRegionOfInterestMeta *) meta;
  cropped->x = (guint) MAX (left - view->x, 0);
  cropped->y = (guint) MAX (top - view->y, 0);
  cropped->w = (guint) MAX (
      MIN (left + cropped->w - view->x, view->w) - (gint64) cropped->x, 0);
  cropped->h = (guint) MAX (
      MIN (top + cropped->h - view->y, view->h) - (gint64) cropped->y, 0);

  return cropped->w > 0 && cropped->h > 0;
}

/* Describes a frame of which nothing but the size is known. */
static void
set_size (GstVideoInfo *info, gint width, gint height)
{
  gst_video_info_init (info);
  info->width = width;
  info->height = height;
}

void
gst_cl_meta_scale (GstMeta *meta, GstBuffer *in, gint in_width, gint in_height,
    const GstVideoRectangle *view, GstBuffer *out, gint out_width,
    gint out_height)
{
  const GQuark scale = gst_video_meta_transform_scale_get_quark ();
  GstVideoInfo in_info, out_info;
  GstVideoMetaTransform transform = { &in_info, &out_info };
  GstVideoRegionOfInterestMeta region;

  set_size (&in_info, view->w, view->h);
  set_size (&out_info, out_width, out_height);
  if (view->x > 0 || view->y > 0 || view->w < in_width || view->h < in_height) {
    if (meta->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE ||
        !crop_region (&region, meta, view))
      return;
    meta = &region.meta;
  }
  if (in_info.width > 0 && in_info.height > 0 && meta->info->transform_func)
    meta->info->transform_func (out, meta, in, scale, &transform);
}
