/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured of a frame. */

#include "gstclmeasurement.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

struct _GstClMeasurement {
  GstVideoInfo info;
  guint component_ids[GST_VIDEO_MAX_COMPONENTS]; /* those measured */
  guint n_components;
  guint plane_mask;
  GstClFrameStatsOp *op; /* NULL if nothing is measured */
};

/* The components of the frame that @planes names, and the planes they are in.
 */
static void
select_components (GstClMeasurement *self, guint planes)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&self->info); c++) {
    if (planes & (1u << c)) {
      self->component_ids[self->n_components++] = c;
      self->plane_mask |= 1u << GST_VIDEO_INFO_COMP_PLANE (&self->info, c);
    }
  }
}

static gboolean
build_op (GstClMeasurement *self, GstClContext *context,
    GstClReduction reduction, GError **error)
{
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClOpVariant *rows, *row;
  guint n_rows;

  for (guint i = 0; i < self->n_components; i++)
    components[i] = gst_cl_component_of_info (&self->info,
        self->component_ids[i]);
  rows = gst_cl_frame_stats_variants (&n_rows);
  row = gst_cl_op_variant_choose (rows, n_rows, reduction, context->device);
  GST_INFO ("%u components: %s", self->n_components, row->name);
  self->op = gst_cl_frame_stats_op_new (context, row, components,
      self->n_components, error);

  return self->op != NULL;
}

GstClMeasurement *
gst_cl_measurement_new (GstClContext *context, const GstCaps *caps,
    guint planes, GstClReduction reduction, GError **error)
{
  g_autoptr (GstClMeasurement) self = g_new0 (GstClMeasurement, 1);

  if (!gst_video_info_from_caps (&self->info, caps)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return NULL;
  }

  select_components (self, planes);
  if (self->n_components == 0 && planes != 0) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "Property planes names no component of a %s frame.",
        GST_VIDEO_INFO_NAME (&self->info));
    return NULL;
  }
  if (self->n_components > 0 && !build_op (self, context, reduction, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_measurement_free (GstClMeasurement *self)
{
  if (!self)
    return;

  gst_cl_frame_stats_op_free (self->op);
  g_free (self);
}

const GstVideoInfo *
gst_cl_measurement_info (const GstClMeasurement *self)
{
  return &self->info;
}

gboolean
gst_cl_measurement_enqueue (GstClMeasurement *self, GstClInFlight *frames,
    GstBuffer *buffer, guint slot, GError **error)
{
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClFrame *frame;

  if (!self->op)
    return TRUE;

  frame = gst_cl_in_flight_take_frame (frames, buffer, &self->info,
      self->plane_mask, GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->n_components; i++)
    components[i] = gst_cl_frame_component (frame, self->component_ids[i]);

  return gst_cl_frame_stats_op_run (self->op, components, error) &&
         gst_cl_frame_stats_op_fetch (self->op, slot, error);
}

GstStructure *
gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    const gchar *name, GstClStatistic which, const GstClStatisticsTime *time,
    GError **error)
{
  GstClFrameStats stats[GST_VIDEO_MAX_COMPONENTS] = { { 0 } };

  if (self->op && !gst_cl_frame_stats_op_result (self->op, slot, stats, error))
    return NULL;

  return gst_cl_statistics_new (name, which, &self->info, time, stats,
      self->component_ids, self->n_components);
}
