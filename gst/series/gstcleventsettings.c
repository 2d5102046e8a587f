/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of event properties. */

#include "gstcleventsettings.h"

/* A row with @maximum 0 is a time, @initial nanoseconds; else a number from 0
 * to @maximum. */
typedef struct {
  const gchar *name, *blurb;
  gsize offset;
  gdouble maximum, initial;
} Row;

#define FIELD(name) G_STRUCT_OFFSET (GstClEventSettings, name)
#define TIME        0.0
#define SECONDS     *(gdouble) GST_SECOND

static const Row rows[] = {
  /* clang-format off */
  { "pixel-black-threshold", "A sample is black up to this share of the luma range",
    FIELD (pixel_black_threshold), 1.0, 0.10 },
  { "picture-black-ratio", "A frame is black from this share of black samples on",
    FIELD (picture_black_ratio), 1.0, 0.98 },
  { "black-min-duration", "Least time of an event black, nanoseconds",
    FIELD (black_min_duration), TIME, 2 SECONDS },

  { "white-pixel-threshold", "A sample is white down to this share of the luma range below white",
    FIELD (white_pixel_threshold), 1.0, 0.10 },
  { "white-ratio", "White begins at this share of white samples",
    FIELD (white_ratio), 1.0, 0.98 },
  { "white-leave-ratio", "White ends below this share of white samples",
    FIELD (white_leave_ratio), 1.0, 0.95 },
  { "white-min-duration", "Least time of an event white, nanoseconds",
    FIELD (white_min_duration), TIME, 2 SECONDS },

  { "freeze-noise", "A frame is frozen up to this mean difference, as share of 2^depth",
    FIELD (freeze_noise), 1.0, 0.001 },
  { "freeze-duration", "Least time of an event freeze, nanoseconds",
    FIELD (freeze_duration), TIME, 2 SECONDS },

  { "scene-threshold", "Least score of an event scene",
    FIELD (scene_threshold), 100.0, 10.0 },

  { "single-color-spread", "Share of the code range that counts as one colour",
    FIELD (single_color_spread), 1.0, 1.0 / 16 },
  { "single-color-ratio", "Single colour begins at this share of samples",
    FIELD (single_color_ratio), 1.0, 0.90 },
  { "single-color-leave-ratio", "Single colour ends below this share of samples",
    FIELD (single_color_leave_ratio), 1.0, 0.85 },
  { "single-color-min-duration", "Least time of an event single-color, nanoseconds",
    FIELD (single_color_min_duration), TIME, 2 SECONDS },

  { "defocus-ratio", "Defocus begins below this share of the average sharpness",
    FIELD (defocus_ratio), 1.0, 0.50 },
  { "defocus-leave-ratio", "Defocus ends at this share of the average sharpness",
    FIELD (defocus_leave_ratio), 1.0, 0.70 },
  { "defocus-min-duration", "Least time of an event defocus, nanoseconds",
    FIELD (defocus_min_duration), TIME, 2 SECONDS },
  { "defocus-average-time", "Time that the average sharpness looks back, nanoseconds",
    FIELD (defocus_average_time), TIME, 60 SECONDS },

  { "signal-loss-timeout", "The signal is lost after this time without a frame, nanoseconds; 0: never",
    FIELD (signal_loss_timeout), TIME, 2 SECONDS },
  { "signal-loss-recovery", "Frames have to come for this time before the signal is back, nanoseconds",
    FIELD (signal_loss_recovery), TIME, 0 },
  /* clang-format on */
};

static gboolean
is_time (const Row *row)
{
  return row->maximum == TIME;
}

void
gst_cl_event_settings_init (GstClEventSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (is_time (&rows[i]))
      G_STRUCT_MEMBER (guint64, settings, rows[i].offset) = rows[i].initial;
    else
      G_STRUCT_MEMBER (gdouble, settings, rows[i].offset) = rows[i].initial;
  }
}

guint
gst_cl_event_settings_count (void)
{
  return G_N_ELEMENTS (rows);
}

GParamSpec *
gst_cl_event_settings_pspec (guint index, GParamFlags flags)
{
  const Row *row = &rows[index];

  flags |= G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  if (is_time (row))
    return g_param_spec_uint64 (row->name, row->name, row->blurb, 0, G_MAXINT64,
        row->initial, flags);

  return g_param_spec_double (row->name, row->name, row->blurb, 0.0,
      row->maximum, row->initial, flags);
}

void
gst_cl_event_settings_get (const GstClEventSettings *settings, guint index,
    GValue *value)
{
  const Row *row = &rows[index];

  if (is_time (row))
    g_value_set_uint64 (value,
        G_STRUCT_MEMBER (guint64, settings, row->offset));
  else
    g_value_set_double (value,
        G_STRUCT_MEMBER (gdouble, settings, row->offset));
}

void
gst_cl_event_settings_set (GstClEventSettings *settings, guint index,
    const GValue *value)
{
  const Row *row = &rows[index];

  if (is_time (row))
    G_STRUCT_MEMBER (guint64, settings, row->offset) = g_value_get_uint64 (
        value);
  else
    G_STRUCT_MEMBER (gdouble, settings, row->offset) = g_value_get_double (
        value);
}
