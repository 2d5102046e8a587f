/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of differences as frames. */

#include "gstclcomparemap.h"

#include "cl/memory/gstclmemory.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"
#include "ops/choose.h"
#include "statistics/compare/differencemap.h"

#include <string.h>

void
gst_cl_compare_map_open (GstClCompareMap *self, GstClContext *context)
{
  self->context = gst_object_ref (context);
  self->allocator = gst_cl_allocator_new (context);
}

void
gst_cl_compare_map_close (GstClCompareMap *self)
{
  gst_cl_instance_clear (&self->instance);
  gst_clear_object (&self->allocator);
  gst_clear_object (&self->context);
}

/* --- caps ----------------------------------------------------------------- */

/* System memory first, because elements that accept any memory may not be able
 * to use device memory. */
GstCaps *
gst_cl_compare_map_choose_caps (GstClCompareMap *self, const GstVideoInfo *info,
    GstPad *src, GError **error)
{
  g_autoptr (GstCaps) caps = NULL, accepted = NULL;
  GstCaps *chosen;

  gst_video_info_set_format (&self->info, GST_VIDEO_FORMAT_GRAY8,
      (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info));
  GST_VIDEO_INFO_FPS_N (&self->info) = GST_VIDEO_INFO_FPS_N (info);
  GST_VIDEO_INFO_FPS_D (&self->info) = GST_VIDEO_INFO_FPS_D (info);
  GST_VIDEO_INFO_PAR_N (&self->info) = GST_VIDEO_INFO_PAR_N (info);
  GST_VIDEO_INFO_PAR_D (&self->info) = GST_VIDEO_INFO_PAR_D (info);
  caps = gst_video_info_to_caps (&self->info);
  gst_caps_append (caps, gst_cl_caps_in_device (gst_caps_copy (caps)));

  accepted = gst_pad_peer_query_caps (src, caps);
  chosen = gst_caps_truncate (
      gst_caps_intersect_full (accepted, caps, GST_CAPS_INTERSECT_FIRST));
  if (gst_caps_is_empty (chosen)) {
    gst_caps_unref (chosen);
    g_propagate_error (error,
        gst_cl_caps_check_downstream (g_steal_pointer (&caps), src, "output"));
    return NULL;
  }
  self->is_in_system = !gst_cl_caps_is_device (chosen);

  return chosen;
}

/* --- frames --------------------------------------------------------------- */

gboolean
gst_cl_compare_map_configure (GstClCompareMap *self, const GstVideoInfo *info,
    GError **error)
{
  const GstClComponent component = gst_cl_component_of_info (info, 0);
  g_autoptr (GError) reason = NULL;
  GstClCandidate candidate;

  if (self->instance.data &&
      memcmp (&component.sample, &self->sample, sizeof self->sample) == 0)
    return TRUE;

  gst_cl_instance_clear (&self->instance);
  self->sample = component.sample;
  candidate = gst_cl_op_table_choose (&gst_cl_difference_map_table,
      self->context, GST_CL_METHOD_AUTO, &component, FALSE, &reason);
  if (reason) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }

  return gst_cl_instance_init (&self->instance, self->context, &candidate,
      &component, error);
}

static GError *
explain_shortage (GstClCompareMap *self, GstAggregator *agg)
{
  GError *error = gst_cl_allocator_take_error (
      GST_CL_ALLOCATOR (self->allocator));

  if (!error)
    return g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "Failed to allocate an output buffer.");
  gst_cl_pool_explain_shortage (self->context, GST_AGGREGATOR_SRC_PAD (agg),
      &error);

  return error;
}

GstFlowReturn
gst_cl_compare_map_allocate (GstClCompareMap *self, GstAggregator *agg,
    GstBuffer *compared, GstBuffer **map, GError **error)
{
  g_autoptr (GstBufferPool) pool = gst_aggregator_get_buffer_pool (agg);
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool && gst_buffer_pool_set_active (pool, TRUE))
    flow = gst_buffer_pool_acquire_buffer (pool, map, NULL);
  if (flow == GST_FLOW_ERROR)
    g_propagate_error (error, explain_shortage (self, agg));
  if (flow == GST_FLOW_OK)
    gst_buffer_copy_into (*map, compared, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);

  return flow;
}

gboolean
gst_cl_compare_map_run (GstClCompareMap *self, const GstClFrame *reference,
    const GstClFrame *compared, const GstClFrame *map, guint gain,
    GError **error)
{
  const GstClComponent a = gst_cl_frame_component (reference, 0),
                       b = gst_cl_frame_component (compared, 0);
  const GstClDifferenceMapIo io = { { &a, FALSE, &b },
    gst_cl_frame_component (map, 0), gain };

  return gst_cl_instance_run (&self->instance, &io, error);
}
