/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of FFmpeg's signalstats, computed in double as
 * libavfilter/vf_signalstats.c of FFmpeg 5.1 does. */

#include "gstclsignalstats.h"

#include "cl/video/gstclformat.h"

static void
set_int (GstStructure *structure, const gchar *prefix, const gchar *name,
    gint value)
{
  g_autofree gchar *key = g_strconcat (prefix, name, NULL);

  gst_structure_set (structure, key, G_TYPE_INT, value, NULL);
}

/* Sets the field to @part / @whole; 0 if @whole is 0. */
static void
set_ratio (GstStructure *structure, const gchar *prefix, const gchar *name,
    guint64 part, guint64 whole)
{
  g_autofree gchar *key = g_strconcat (prefix, name, NULL);

  gst_structure_set (structure, key, G_TYPE_DOUBLE,
      whole > 0 ? (gdouble) part / whole : 0.0, NULL);
}

/* Returns @low, or 0 if 10 % of the samples round to none. */
static guint
get_low (guint64 count, guint low)
{
  return gst_cl_distribution_rank (count, GST_CL_LOW_PERCENT) > 0 ? low : 0;
}

static void
add_component (GstStructure *structure, GstClStatistics statistics,
    const gchar *name, const GstClComponentSummary *summary)
{
  if (statistics & GST_CL_STATISTIC (RANGE))
    set_int (structure, name, "MIN", summary->metrics.moments.min);
  if (statistics & GST_CL_STATISTIC (PERCENTILES))
    set_int (structure, name, "LOW",
        get_low (summary->metrics.moments.count, summary->low));
  if (statistics & GST_CL_STATISTIC (MOMENTS))
    set_ratio (structure, name, "AVG", summary->metrics.moments.sum,
        summary->metrics.moments.count);
  if (statistics & GST_CL_STATISTIC (PERCENTILES))
    set_int (structure, name, "HIGH", summary->high);
  if (statistics & GST_CL_STATISTIC (RANGE))
    set_int (structure, name, "MAX", summary->metrics.moments.max);
  if (statistics & GST_CL_STATISTIC (TEMPORAL))
    set_ratio (structure, name, "DIF", summary->metrics.difference,
        summary->metrics.moments.count);
  if (statistics & GST_CL_STATISTIC (BIT_DEPTH))
    set_int (structure, name, "BITDEPTH", summary->bit_depth);
}

static void
add_saturation (GstStructure *structure, const GstClStatisticsShape *shape,
    const GstClRegionMetrics *metrics, const GstClSummary *summary)
{
  const guint64 count = gst_cl_distribution_count (metrics->saturation,
      shape->n_codes);

  gst_structure_set (structure, "SATMIN", G_TYPE_INT, summary->saturation_min,
      "SATLOW", G_TYPE_INT, get_low (count, summary->saturation_low), "SATAVG",
      G_TYPE_DOUBLE, summary->saturation_mean, "SATHIGH", G_TYPE_INT,
      summary->saturation_high, "SATMAX", G_TYPE_INT, summary->saturation_max,
      NULL);
}

/* Hues are on a line from 0 to 359 here, and grey counts as 180. */
static void
add_hue (GstStructure *structure, const guint32 *hue)
{
  const guint64 count = gst_cl_distribution_count (hue, GST_CL_METRICS_HUES);

  gst_structure_set (structure, "HUEMED", G_TYPE_INT,
      gst_cl_distribution_at (hue, GST_CL_METRICS_HUES,
          gst_cl_distribution_middle (count)),
      "HUEAVG", G_TYPE_DOUBLE,
      gst_cl_distribution_mean (hue, GST_CL_METRICS_HUES), NULL);
}

void
gst_cl_signalstats_add (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegionMetrics *metrics,
    const GstClSummary *summary)
{
  const GstClStatistics statistics = shape->statistics;

  for (guint c = 0; c < shape->n_components; c++)
    add_component (structure, statistics,
        gst_cl_format_component_name (shape->info.finfo,
            shape->component_ids[c]),
        &summary->components[c]);

  if (statistics & GST_CL_STATISTIC (SATURATION))
    add_saturation (structure, shape, metrics, summary);
  if (statistics & GST_CL_STATISTIC (HUE))
    add_hue (structure, metrics->hue);
  if (statistics & GST_CL_STATISTIC (OUTLIERS))
    set_ratio (structure, "", "TOUT", metrics->n_outliers,
        metrics->components[0].moments.count);
  if (statistics & GST_CL_STATISTIC (BLOCKINESS))
    gst_structure_set (structure, "block", G_TYPE_DOUBLE, summary->blockiness,
        NULL);
  if (statistics & GST_CL_STATISTIC (REPETITION))
    gst_structure_set (structure, "VREP", G_TYPE_DOUBLE, summary->repetition,
        NULL);
  if (statistics & GST_CL_STATISTIC (GAMUT))
    set_ratio (structure, "", "BRNG", metrics->n_out_of_gamut,
        metrics->components[0].moments.count);
}
