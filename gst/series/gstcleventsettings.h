/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What users set about events: one field, and one row of the table behind the
 * functions below, for each property of docs/events.md. Ratios are 0.0 to 1.0
 * but for scene_threshold (0 to 100); times are nanoseconds. */
typedef struct {
  gdouble pixel_black_threshold, picture_black_ratio;
  guint64 black_min_duration;

  gdouble white_pixel_threshold, white_ratio, white_leave_ratio;
  guint64 white_min_duration;

  gdouble freeze_noise;
  guint64 freeze_duration;

  gdouble scene_threshold;

  gdouble single_color_spread, single_color_ratio, single_color_leave_ratio;
  guint64 single_color_min_duration;

  gdouble defocus_ratio, defocus_leave_ratio;
  guint64 defocus_min_duration, defocus_average_time;

  guint64 signal_loss_timeout, signal_loss_recovery;
} GstClEventSettings;

/* Every field at its default. */
void gst_cl_event_settings_init (GstClEventSettings *settings);

/* Number of rows; @index below is that of a row. */
guint gst_cl_event_settings_count (void);

/* A new, floating GParamSpec of the property: name, blurb, range, default. */
GParamSpec *gst_cl_event_settings_pspec (guint index, GParamFlags flags);

/* @value holds a double or a uint64, as the property does. */
void gst_cl_event_settings_get (const GstClEventSettings *settings, guint index,
    GValue *value);
void gst_cl_event_settings_set (GstClEventSettings *settings, guint index,
    const GValue *value);

G_END_DECLS
