/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that work in place or on an uploaded copy. */

#include "gstclinplace.h"

#include "gstclcaps.h"
#include "gstcldevicecopy.h"

static gboolean
uploads (GstClInPlace *self)
{
  return g_atomic_int_get (&self->uploads);
}

void
gst_cl_in_place_apply (GstClInPlace *self, GstBaseTransform *trans)
{
  gst_base_transform_set_passthrough (trans,
      g_atomic_int_get (&self->passes) && !uploads (self));
}

void
gst_cl_in_place_set_passes (GstClInPlace *self, gboolean passes)
{
  g_atomic_int_set (&self->passes, passes);
}

void
gst_cl_in_place_set_held (GstClInPlace *self, guint n_frames)
{
  g_atomic_int_set (&self->n_held, (gint) n_frames);
}

guint
gst_cl_in_place_held (GstClInPlace *self)
{
  return (guint) g_atomic_int_get (&self->n_held);
}

void
gst_cl_in_place_set_requested (GstClInPlace *self, guint n_frames)
{
  g_atomic_int_set (&self->n_requested, (gint) n_frames);
}

guint
gst_cl_in_place_requested (GstClInPlace *self)
{
  return (guint) g_atomic_int_get (&self->n_requested);
}

void
gst_cl_in_place_add_latency (GstClInPlace *self, GstBaseTransform *trans,
    GstQuery *query)
{
  GstClockTime min, max, added = 0;
  gboolean live;

  GST_OBJECT_LOCK (trans);
  if (GST_CLOCK_TIME_IS_VALID (self->frame_duration))
    added = gst_cl_in_place_held (self) * self->frame_duration;
  GST_OBJECT_UNLOCK (trans);

  gst_query_parse_latency (query, &live, &min, &max);
  min += added;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += added;
  gst_query_set_latency (query, live, min, max);
}

/* Returns the duration of a buffer: of a frame or of a field. */
static GstClockTime
frame_duration (const GstVideoInfo *info)
{
  guint64 n_buffers;

  if (GST_VIDEO_INFO_FPS_N (info) <= 0 || GST_VIDEO_INFO_FPS_D (info) <= 0)
    return GST_CLOCK_TIME_NONE;

  n_buffers = (guint64) GST_VIDEO_INFO_FPS_N (info);
  if (GST_VIDEO_INFO_INTERLACE_MODE (info) ==
      GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    n_buffers *= 2;

  return gst_util_uint64_scale (GST_SECOND,
      (guint64) GST_VIDEO_INFO_FPS_D (info), n_buffers);
}

void
gst_cl_in_place_set_caps (GstClInPlace *self, GstBaseTransform *trans,
    GstCaps *in, GstCaps *out)
{
  gst_video_info_from_caps (&self->video, in);
  GST_OBJECT_LOCK (trans);
  self->frame_duration = frame_duration (&self->video);
  GST_OBJECT_UNLOCK (trans);
  g_atomic_int_set (&self->uploads,
      !gst_cl_caps_is_device (in) && gst_cl_caps_is_device (out));
  gst_base_transform_set_in_place (trans, !uploads (self));
  gst_cl_in_place_apply (self, trans);
}

GstBuffer *
gst_cl_in_place_pass (GstClInPlace *self, GstClContext *context, GstBuffer *in)
{
  if (!uploads (self) || !gst_cl_device_copy_is_done (in, context))
    return NULL;

  /* the copy is another buffer with the same memory */
  return gst_buffer_copy (in);
}

gboolean
gst_cl_in_place_upload (GstClInPlace *self, GstClContext *context,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, GError **error)
{
  if (!uploads (self) || gst_cl_device_copy_is_done (in, context))
    return TRUE;

  return gst_cl_device_copy_enqueue (frames, in, out, &self->video, 0, error);
}
