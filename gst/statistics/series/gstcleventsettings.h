/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The settings of events: one field for each property of docs/events.md, whose
 * row is beside its detector (gst_cl_event_property()). Ratios are 0.0 to 1.0,
 * but scene_threshold is 0 to 100; times are nanoseconds. */
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

  guint64 range_min_duration;

  gdouble noisy_threshold, noisy_leave_threshold;
  guint64 noisy_min_duration;

  guint64 border_min_duration;

  gdouble blocky_threshold, blocky_leave_threshold;
  guint64 blocky_min_duration;

  guint64 field_order_min_duration;

  gdouble repeat_ratio, repeat_motion;

  guint64 gap_min_frames;

  gdouble flash_area;

  gdouble levels_area;
  guint64 levels_min_duration;

  guint64 card_min_duration;
  const gchar *card_file; /* interned; NULL: built-in cards only */
} GstClEventSettings;

/* User thresholds, 0.0 to 1.0, converted to the integers that samples and sums
 * are compared with, so that the host and a kernel decide identically. */

/* Returns the last black code: @threshold of the range above its lowest code,
 * rounded down as FFmpeg's blackdetect does. @depth is in bits, 8 to 16; a
 * limited range is 16 .. 235 at 8 bits. */
guint gst_cl_black_limit (gdouble threshold, guint depth,
    gboolean is_full_range);

/* Returns the first white code: the mirror image of black. */
guint gst_cl_white_limit (gdouble threshold, guint depth,
    gboolean is_full_range);

/* Returns the largest sum of absolute differences over @count samples of @depth
 * bits for which FFmpeg's freezedetect calls a frame frozen: the mean
 * difference / 2^depth is at most @noise, computed in the same order in
 * doubles. */
guint64 gst_cl_freeze_limit (gdouble noise, guint64 count, guint depth);

/* Returns TRUE if a frame that differs by @sad over @count samples from the
 * reference becomes the reference itself: it moves, or there was no reference
 * (@count 0). A frozen frame does not replace the reference, however long the
 * freeze. */
static inline gboolean
gst_cl_freeze_replaces (guint64 sad, guint64 count, guint64 limit)
{
  return count == 0 || sad > limit;
}

G_END_DECLS
