/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the properties of events, and thresholds as integers. */

#include "gstcleventsettings.h"

#define FIELD(name) G_STRUCT_OFFSET (GstClEventSettings, name)

const GstClProperty gst_cl_event_properties[] = {
  /**
   * GstClFrameSum:pixel-black-threshold:
   *
   * Share of the luma range, counted from black, up to which a sample is black:
   * pixel_black_th of FFmpeg's blackdetect.
   *
   * Since: 0.3
   */
  { "pixel-black-threshold",
      "A sample is black up to this share of the luma range",
      GST_CL_PROPERTY_DOUBLE, FIELD (pixel_black_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.10, 0.0, 1.0 } },

  /**
   * GstClFrameSum:picture-black-ratio:
   *
   * Minimum share of black samples in a black frame: picture_black_ratio_th of
   * FFmpeg's blackdetect.
   *
   * Since: 0.3
   */
  { "picture-black-ratio", "Minimum share of black samples in a black frame",
      GST_CL_PROPERTY_DOUBLE, FIELD (picture_black_ratio),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.98, 0.0, 1.0 } },

  /**
   * GstClFrameSum:black-min-duration:
   *
   * Minimum duration of an event `black`.
   *
   * Since: 0.3
   */
  { "black-min-duration", "Minimum duration of an event black, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (black_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:white-pixel-threshold:
   *
   * Share of the luma range, counted down from white, within which a sample is
   * white.
   *
   * Since: 0.3
   */
  { "white-pixel-threshold",
      "A sample is white down to this share of the luma range below white",
      GST_CL_PROPERTY_DOUBLE, FIELD (white_pixel_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.10, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-ratio:
   *
   * Share of white samples at which an event `white` begins.
   *
   * Since: 0.3
   */
  { "white-ratio", "White begins at this share of white samples",
      GST_CL_PROPERTY_DOUBLE, FIELD (white_ratio), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.98, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-leave-ratio:
   *
   * Share of white samples below which an event `white` ends.
   *
   * Since: 0.3
   */
  { "white-leave-ratio", "White ends below this share of white samples",
      GST_CL_PROPERTY_DOUBLE, FIELD (white_leave_ratio),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.95, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-min-duration:
   *
   * Minimum duration of an event `white`.
   *
   * Since: 0.3
   */
  { "white-min-duration", "Minimum duration of an event white, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (white_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:freeze-noise:
   *
   * Largest mean absolute difference of two frames, as share of 2^depth, at
   * which the picture is frozen: noise of FFmpeg's freezedetect.
   *
   * Since: 0.3
   */
  { "freeze-noise",
      "A frame is frozen up to this mean difference, as share of 2^depth",
      GST_CL_PROPERTY_DOUBLE, FIELD (freeze_noise), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.001, 0.0, 1.0 } },

  /**
   * GstClFrameSum:freeze-duration:
   *
   * Minimum duration of an event `freeze`.
   *
   * Since: 0.3
   */
  { "freeze-duration", "Minimum duration of an event freeze, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (freeze_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:scene-threshold:
   *
   * Minimum score of an event `scene` (a cut), from 0 to 100: threshold of
   * FFmpeg's scdet.
   *
   * Since: 0.3
   */
  { "scene-threshold", "Minimum score of a cut", GST_CL_PROPERTY_DOUBLE,
      FIELD (scene_threshold), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 10.0, 0.0, 100.0 } },

  /**
   * GstClFrameSum:single-color-spread:
   *
   * Width of the interval of codes that counts as one colour, as share of the
   * code range.
   *
   * Since: 0.3
   */
  { "single-color-spread", "Share of the code range that counts as one colour",
      GST_CL_PROPERTY_DOUBLE, FIELD (single_color_spread),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 1.0 / 16, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-ratio:
   *
   * Share of samples within this interval of codes at which an event
   * `single-color` begins.
   *
   * Since: 0.3
   */
  { "single-color-ratio", "Single colour begins at this share of samples",
      GST_CL_PROPERTY_DOUBLE, FIELD (single_color_ratio),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.90, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-leave-ratio:
   *
   * Share of samples within this interval of codes below which an event
   * `single-color` ends.
   *
   * Since: 0.3
   */
  { "single-color-leave-ratio",
      "Single colour ends below this share of samples", GST_CL_PROPERTY_DOUBLE,
      FIELD (single_color_leave_ratio), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.85, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-min-duration:
   *
   * Minimum duration of an event `single-color`.
   *
   * Since: 0.3
   */
  { "single-color-min-duration",
      "Minimum duration of an event single-color, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (single_color_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:defocus-ratio:
   *
   * Sharpness, as share of its average, below which an event `defocus` begins.
   *
   * Since: 0.3
   */
  { "defocus-ratio", "Defocus begins below this share of the average sharpness",
      GST_CL_PROPERTY_DOUBLE, FIELD (defocus_ratio), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.50, 0.0, 1.0 } },

  /**
   * GstClFrameSum:defocus-leave-ratio:
   *
   * Sharpness, as share of its average, at which an event `defocus` ends.
   *
   * Since: 0.3
   */
  { "defocus-leave-ratio",
      "Defocus ends at this share of the average sharpness",
      GST_CL_PROPERTY_DOUBLE, FIELD (defocus_leave_ratio),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.70, 0.0, 1.0 } },

  /**
   * GstClFrameSum:defocus-min-duration:
   *
   * Minimum duration of an event `defocus`.
   *
   * Since: 0.3
   */
  { "defocus-min-duration",
      "Minimum duration of an event defocus, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (defocus_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:defocus-average-time:
   *
   * Time constant of the average sharpness.
   *
   * Since: 0.3
   */
  { "defocus-average-time",
      "Time constant of the average sharpness, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (defocus_average_time),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 60 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:signal-loss-timeout:
   *
   * Time without a frame, by the clock of the pipeline, after which the signal
   * is lost. 0 disables the detector.
   *
   * Since: 0.3
   */
  { "signal-loss-timeout",
      "The signal is lost after this time without a frame, in nanoseconds; 0: "
      "never",
      GST_CL_PROPERTY_UINT64, FIELD (signal_loss_timeout),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:signal-loss-recovery:
   *
   * Time for which frames must arrive, without another gap, before the signal
   * is back.
   *
   * Since: 0.3
   */
  { "signal-loss-recovery",
      "Time for which frames must arrive before the signal is back, in "
      "nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (signal_loss_recovery),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 0, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:range-min-duration:
   *
   * Minimum duration of an event `range`: samples show another colour range
   * than the caps name.
   *
   * Since: 0.3
   */
  { "range-min-duration", "Minimum duration of an event range, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (range_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:noisy-threshold:
   *
   * Standard deviation of the noise, as share of all codes, at which an event
   * `noisy` begins.
   *
   * Since: 0.3
   */
  { "noisy-threshold",
      "Noisy begins at this standard deviation, as share of all codes",
      GST_CL_PROPERTY_DOUBLE, FIELD (noisy_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.03, 0.0, 1.0 } },

  /**
   * GstClFrameSum:noisy-leave-threshold:
   *
   * Standard deviation of the noise, as share of all codes, below which an
   * event `noisy` ends.
   *
   * Since: 0.3
   */
  { "noisy-leave-threshold",
      "Noisy ends below this standard deviation, as share of all codes",
      GST_CL_PROPERTY_DOUBLE, FIELD (noisy_leave_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.025, 0.0, 1.0 } },

  /**
   * GstClFrameSum:noisy-min-duration:
   *
   * Minimum duration of an event `noisy`.
   *
   * Since: 0.3
   */
  { "noisy-min-duration", "Minimum duration of an event noisy, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (noisy_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:border-min-duration:
   *
   * Time for which frames must show other borders before the active area
   * changes, and minimum duration of an event `border`.
   *
   * Since: 0.3
   */
  { "border-min-duration",
      "Time for which frames must show other borders, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (border_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { GST_SECOND / 2, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:blocky-threshold:
   *
   * Average blockiness of a second at which an event `blocky` begins.
   *
   * Since: 0.3
   */
  { "blocky-threshold", "Blocky begins at this blockiness",
      GST_CL_PROPERTY_DOUBLE, FIELD (blocky_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 5.0, 0.0, 1000.0 } },

  /**
   * GstClFrameSum:blocky-leave-threshold:
   *
   * Average blockiness of a second below which an event `blocky` ends.
   *
   * Since: 0.3
   */
  { "blocky-leave-threshold", "Blocky ends below this blockiness",
      GST_CL_PROPERTY_DOUBLE, FIELD (blocky_leave_threshold),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.d = { 4.0, 0.0, 1000.0 } },

  /**
   * GstClFrameSum:blocky-min-duration:
   *
   * Minimum duration of an event `blocky`.
   *
   * Since: 0.3
   */
  { "blocky-min-duration",
      "Minimum duration of an event blocky, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (blocky_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:field-order-min-duration:
   *
   * Minimum duration of an event `field-order`: frames show another field order
   * than caps and buffers name.
   *
   * Since: 0.3
   */
  { "field-order-min-duration",
      "Minimum duration of an event field-order, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (field_order_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:repeat-ratio:
   *
   * Greatest difference of a repeated frame from the frame before, as share of
   * the differences around it.
   *
   * Since: 0.3
   */
  { "repeat-ratio",
      "Greatest difference of a repeated frame, as share of those around it",
      GST_CL_PROPERTY_DOUBLE, FIELD (repeat_ratio), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.3, 0.0, 1.0 } },

  /**
   * GstClFrameSum:repeat-motion:
   *
   * Least mean absolute difference of the frames around a repeated frame, as
   * share of 2^depth: a picture that moves less shows no repeated frames.
   *
   * Since: 0.3
   */
  { "repeat-motion",
      "Least mean difference around a repeated frame, as share of 2^depth",
      GST_CL_PROPERTY_DOUBLE, FIELD (repeat_motion), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.002, 0.0, 1.0 } },

  /**
   * GstClFrameSum:gap-min-frames:
   *
   * Least number of missing frames of an event `gap`.
   *
   * Since: 0.3
   */
  { "gap-min-frames", "Least number of missing frames of a gap",
      GST_CL_PROPERTY_UINT64, FIELD (gap_min_frames), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.u64 = { 1, 1, G_MAXINT64 } },

  /**
   * GstClFrameSum:card-file:
   *
   * File with known pictures for the event `card`, besides the built-in colour
   * bars: `clqc learn --card` writes it.
   *
   * Since: 0.3
   */
  { "card-file", "File with known pictures, besides the built-in colour bars",
      GST_CL_PROPERTY_STRING, FIELD (card_file), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.s = { NULL } },

  /**
   * GstClFrameSum:flash-area:
   *
   * Share of the picture, or of a third of it in each direction, that flashes
   * must exceed for an event `flash`.
   *
   * Since: 0.3
   */
  { "flash-area", "Share of the picture or of a region that flashes exceed",
      GST_CL_PROPERTY_DOUBLE, FIELD (flash_area), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.25, 0.0, 1.0 } },

  /**
   * GstClFrameSum:levels-area:
   *
   * Share of pixels beyond the preferred range of EBU R 103, of the worst
   * component, that an event `levels` exceeds.
   *
   * Since: 0.3
   */
  { "levels-area",
      "Share of pixels beyond the preferred range that levels exceeds",
      GST_CL_PROPERTY_DOUBLE, FIELD (levels_area), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0.01, 0.0, 1.0 } },

  /**
   * GstClFrameSum:levels-min-duration:
   *
   * Minimum duration of an event `levels`.
   *
   * Since: 0.3
   */
  { "levels-min-duration",
      "Minimum duration of an event levels, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (levels_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 0, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:card-min-duration:
   *
   * Minimum duration of an event `card`.
   *
   * Since: 0.3
   */
  { "card-min-duration", "Minimum duration of an event card, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (card_min_duration),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { GST_SECOND / 2, 0, G_MAXINT64 } },
};

void
gst_cl_event_settings_init (GstClEventSettings *settings)
{
  gst_cl_property_init_fields (gst_cl_event_properties,
      GST_CL_EVENT_N_PROPERTIES, settings);
}

gboolean
gst_cl_event_settings_equal (const GstClEventSettings *a,
    const GstClEventSettings *b)
{
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++) {
    if (!gst_cl_property_is_equal (&gst_cl_event_properties[i], a, b))
      return FALSE;
  }

  return TRUE;
}

/* --- thresholds as integers ----------------------------------------------- */

/* The ends of limited luma at 8 bits, ITU-R BT.601. */
#define LOWEST  16
#define HIGHEST 235

guint
gst_cl_black_limit (gdouble threshold, guint depth, gboolean is_full_range)
{
  const gint max = (1 << depth) - 1, factor = 1 << (depth - 8);

  if (is_full_range)
    return (guint) (threshold * max);

  /* The order of operations is that of FFmpeg, since it decides the last
   * bit. */
  return (guint) (LOWEST * factor + threshold * (HIGHEST - LOWEST) * factor);
}

guint
gst_cl_white_limit (gdouble threshold, guint depth, gboolean is_full_range)
{
  const guint max = (1u << depth) - 1, factor = 1u << (depth - 8);
  const guint ends = is_full_range ? max : (LOWEST + HIGHEST) * factor;

  return ends - gst_cl_black_limit (threshold, depth, is_full_range);
}

guint64
gst_cl_freeze_limit (gdouble noise, guint64 count, guint depth)
{
  guint64 low = 0, high = count * ((G_GUINT64_CONSTANT (1) << depth) - 1);

  /* The quotient increases monotonically with the sum, so that bisection finds
   * the last sum below the limit. A product of doubles may differ by one. */
  while (low < high) {
    const guint64 middle = low + (high - low + 1) / 2;
    const gdouble mean = (gdouble) middle / count /
                         (G_GUINT64_CONSTANT (1) << depth);

    if (mean <= noise)
      low = middle;
    else
      high = middle - 1;
  }

  return low;
}
