/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstclproperty.h"

G_BEGIN_DECLS

/* What users set about events: one field, and one row of
 * gst_cl_event_properties, for each property of docs/events.md. Ratios are 0.0
 * to 1.0, but scene_threshold is 0 to 100; times are nanoseconds. */
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

/* Sets every field to its default. */
void gst_cl_event_settings_init (GstClEventSettings *settings);

/* Returns TRUE if every field is the same. */
gboolean gst_cl_event_settings_equal (const GstClEventSettings *a,
    const GstClEventSettings *b);

#define GST_CL_EVENT_N_PROPERTIES 20

/* Rows for GstClEventSettings. */
extern const GstClProperty gst_cl_event_properties[GST_CL_EVENT_N_PROPERTIES];

G_END_DECLS
