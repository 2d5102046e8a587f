/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of clframesum's properties about what is measured and judged. */

#include "gstclframesumsettings.h"

#include "elements/base/gstclenums.h"

/* Fields are ints, whatever the property holds. */
typedef struct {
  const gchar *name, *blurb;
  gsize offset;
  GType (*get_type) (void); /* flags or enum; NULL: a number or a boolean */
  gint minimum, maximum;    /* 0, 0: a boolean */
  gint initial;
} Row;

#define FIELD(name) G_STRUCT_OFFSET (GstClFrameSumSettings, name)
#define NO_TYPE     NULL
#define BOOLEAN     0, 0

static const Row rows[] = {
  /* clang-format off */
  { "statistics", "What to report of each component",
    FIELD (statistics), gst_cl_statistics_get_type, 0, 0,
    GST_CL_STATISTIC_MOMENTS | GST_CL_STATISTIC_RANGE },
  { "planes", "Components to measure",
    FIELD (planes), gst_cl_planes_get_type, 0, 0, GST_CL_PLANES_ALL },
  { "reduction", "How the device reduces a frame to moments and range",
    FIELD (reduction), gst_cl_reduction_get_type, 0, 0,
    GST_CL_REDUCTION_AUTO },
  { "histogram-bins", "Bins that the codes are folded into (0: one a code)",
    FIELD (histogram_bins), NO_TYPE, 0, 65536, 0 },
  { "key-style", "How fields are named",
    FIELD (key_style), gst_cl_key_style_get_type, 0, 0,
    GST_CL_KEY_STYLE_GST },
  { "position-x", "Left edge of the rectangle to measure, pixels",
    FIELD (position_x), NO_TYPE, 0, G_MAXINT, 0 },
  { "position-y", "Top edge of the rectangle to measure, pixels",
    FIELD (position_y), NO_TYPE, 0, G_MAXINT, 0 },
  { "width", "Width of the rectangle to measure, pixels (0: up to the right edge)",
    FIELD (width), NO_TYPE, 0, G_MAXINT, 0 },
  { "height", "Height of the rectangle to measure, pixels (0: up to the bottom)",
    FIELD (height), NO_TYPE, 0, G_MAXINT, 0 },
  { "grid-columns", "Columns of zones",
    FIELD (grid_columns), NO_TYPE, 1, GST_CL_METRICS_MAX_REGIONS - 1, 1 },
  { "grid-rows", "Rows of zones",
    FIELD (grid_rows), NO_TYPE, 1, GST_CL_METRICS_MAX_REGIONS - 1, 1 },
  { "roi-meta", "Measure the regions of interest that buffers name, too",
    FIELD (roi_meta), NO_TYPE, BOOLEAN, TRUE },
  { "region-histograms",
    "Report the histogram of zones and regions of interest, too",
    FIELD (region_histograms), NO_TYPE, BOOLEAN, TRUE },
  { "events", "What to post events about",
    FIELD (events), gst_cl_events_get_type, 0, 0, 0 },
  /* clang-format on */
};

/* Their table follows this one. */
static gboolean
is_of_events (guint index)
{
  return index >= G_N_ELEMENTS (rows);
}

static gint *
field_of (GstClFrameSumSettings *settings, const Row *row)
{
  return &G_STRUCT_MEMBER (gint, settings, row->offset);
}

void
gst_cl_frame_sum_settings_init (GstClFrameSumSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    *field_of (settings, &rows[i]) = rows[i].initial;
  gst_cl_event_settings_init (&settings->event_settings);
}

guint
gst_cl_frame_sum_settings_count (void)
{
  return G_N_ELEMENTS (rows) + gst_cl_event_settings_count ();
}

/* Where to measure, which changes without another kernel. */
static gboolean
is_region (const Row *row)
{
  return !row->get_type && row->offset != FIELD (histogram_bins);
}

GParamSpec *
gst_cl_frame_sum_settings_pspec (guint index, GParamFlags flags)
{
  const Row *row;

  if (is_of_events (index))
    return gst_cl_event_settings_pspec (index - G_N_ELEMENTS (rows), flags);

  row = &rows[index];
  flags |= G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  if (is_region (row))
    flags |= GST_PARAM_CONTROLLABLE;
  if (row->get_type && G_TYPE_IS_FLAGS (row->get_type ()))
    return g_param_spec_flags (row->name, row->name, row->blurb,
        row->get_type (), row->initial, flags);
  if (row->get_type)
    return g_param_spec_enum (row->name, row->name, row->blurb,
        row->get_type (), row->initial, flags);
  if (row->maximum > 0)
    return g_param_spec_int (row->name, row->name, row->blurb, row->minimum,
        row->maximum, row->initial, flags);

  return g_param_spec_boolean (row->name, row->name, row->blurb, row->initial,
      flags);
}

void
gst_cl_frame_sum_settings_get (const GstClFrameSumSettings *settings,
    guint index, GValue *value)
{
  gint field;

  if (is_of_events (index)) {
    gst_cl_event_settings_get (&settings->event_settings,
        index - G_N_ELEMENTS (rows), value);
    return;
  }

  field = *field_of ((GstClFrameSumSettings *) settings, &rows[index]);
  if (G_VALUE_HOLDS_FLAGS (value))
    g_value_set_flags (value, field);
  else if (G_VALUE_HOLDS_ENUM (value))
    g_value_set_enum (value, field);
  else if (G_VALUE_HOLDS_INT (value))
    g_value_set_int (value, field);
  else
    g_value_set_boolean (value, field);
}

void
gst_cl_frame_sum_settings_set (GstClFrameSumSettings *settings, guint index,
    const GValue *value)
{
  gint *field;

  if (is_of_events (index)) {
    gst_cl_event_settings_set (&settings->event_settings,
        index - G_N_ELEMENTS (rows), value);
    return;
  }

  field = field_of (settings, &rows[index]);
  if (G_VALUE_HOLDS_FLAGS (value))
    *field = g_value_get_flags (value);
  else if (G_VALUE_HOLDS_ENUM (value))
    *field = g_value_get_enum (value);
  else if (G_VALUE_HOLDS_INT (value))
    *field = g_value_get_int (value);
  else
    *field = g_value_get_boolean (value);
}
