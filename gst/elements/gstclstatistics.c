/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics as a GstStructure. */

#include "gstclstatistics.h"

#include <math.h>

#include "cl/gstclformat.h"

void
gst_cl_statistics_moments (const GstClFrameStats *stats, gdouble *mean,
    gdouble *variance)
{
  const guint64 n = stats->count, sum = stats->sum;
  guint64 pivot, squares;
  gdouble fraction;

  *mean = *variance = 0.0;
  if (n == 0)
    return;

  /* Around the whole part of the mean the sum of squares is an exact integer
   * below 2^64, so that modulo 2^64 arithmetic gives it; what is subtracted
   * in floating point is below one, and nothing cancels. */
  pivot = sum / n;
  squares = stats->sum_squares - 2 * pivot * sum + n * pivot * pivot;
  fraction = (gdouble) (sum % n) / n;

  *mean = pivot + fraction;
  *variance = MAX ((gdouble) squares / n - fraction * fraction, 0.0);
}

/* --- arrays of one value a component ------------------------------------- */

static void
take_array (GstStructure *structure, const gchar *field, GValue *array)
{
  gst_structure_take_value (structure, field, array);
}

static void
append_uint64 (GValue *array, guint64 n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, n);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_uint (GValue *array, guint n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, n);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_double (GValue *array, gdouble x)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, x);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_string (GValue *array, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  gst_value_array_append_and_take_value (array, &value);
}

static void
add_moments (GstStructure *structure, const GstClFrameStats *stats, guint n)
{
  static const gchar *const names[] = { "count", "sum", "sum-squares", "mean",
    "variance", "stddev" };
  GValue arrays[G_N_ELEMENTS (names)] = { G_VALUE_INIT };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_value_init (&arrays[i], GST_TYPE_ARRAY);

  for (guint c = 0; c < n; c++) {
    gdouble mean, variance;

    gst_cl_statistics_moments (&stats[c], &mean, &variance);
    append_uint64 (&arrays[0], stats[c].count);
    append_uint64 (&arrays[1], stats[c].sum);
    append_uint64 (&arrays[2], stats[c].sum_squares);
    append_double (&arrays[3], mean);
    append_double (&arrays[4], variance);
    append_double (&arrays[5], sqrt (variance));
  }

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    take_array (structure, names[i], &arrays[i]);
}

static void
add_range (GstStructure *structure, const GstClFrameStats *stats, guint n)
{
  GValue min = G_VALUE_INIT, max = G_VALUE_INIT;

  g_value_init (&min, GST_TYPE_ARRAY);
  g_value_init (&max, GST_TYPE_ARRAY);
  for (guint c = 0; c < n; c++) {
    append_uint (&min, stats[c].min);
    append_uint (&max, stats[c].max);
  }
  take_array (structure, "min", &min);
  take_array (structure, "max", &max);
}

/* --- structure ----------------------------------------------------------- */

GstStructure *
gst_cl_statistics_new (const gchar *name, GstClStatistic which,
    const GstVideoInfo *info, const GstClStatisticsTime *time,
    const GstClFrameStats *stats, const guint *component_ids,
    guint n_components)
{
  GstStructure *structure = gst_structure_new (name, "timestamp", G_TYPE_UINT64,
      time->timestamp, "stream-time", G_TYPE_UINT64, time->stream_time,
      "running-time", G_TYPE_UINT64, time->running_time, "duration",
      G_TYPE_UINT64, time->duration, "frame", G_TYPE_UINT64, time->frame,
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (info), "height", G_TYPE_INT,
      GST_VIDEO_INFO_HEIGHT (info), "format", G_TYPE_STRING,
      GST_VIDEO_INFO_NAME (info), "depth", G_TYPE_INT,
      GST_VIDEO_INFO_COMP_DEPTH (info, 0), NULL);
  GValue components = G_VALUE_INIT;

  g_value_init (&components, GST_TYPE_ARRAY);
  for (guint i = 0; i < n_components; i++)
    append_string (&components,
        gst_cl_format_component_name (info->finfo, component_ids[i]));
  take_array (structure, "components", &components);

  if (which & GST_CL_STATISTIC_MOMENTS)
    add_moments (structure, stats, n_components);
  if (which & GST_CL_STATISTIC_RANGE)
    add_range (structure, stats, n_components);

  return structure;
}

void
gst_cl_statistics_get_time (GstClStatisticsTime *time,
    const GstSegment *segment, GstBuffer *buffer, guint64 frame)
{
  *time = (GstClStatisticsTime){
    .timestamp = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .frame = frame,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
  };
  if (segment->format != GST_FORMAT_TIME)
    return;

  time->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      time->timestamp);
  time->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      time->timestamp);
}

static gboolean
copy_field (GQuark field, const GValue *value, gpointer user_data)
{
  gst_structure_id_set_value (user_data, field, value);

  return TRUE;
}

void
gst_cl_statistics_add_meta (GstBuffer *buffer, const gchar *name,
    const GstStructure *structure)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, name);

  gst_structure_foreach (structure, copy_field,
      gst_custom_meta_get_structure (meta));
}
