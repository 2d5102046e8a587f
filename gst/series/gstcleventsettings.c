/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the properties about events. */

#include "gstcleventsettings.h"

#define FIELD(name) G_STRUCT_OFFSET (GstClEventSettings, name)

const GstClProperty gst_cl_event_properties[] = {
  /**
   * GstClFrameSum:pixel-black-threshold:
   *
   * Share of the luma range, from black on, up to which a sample counts as
   * black: the pixel_black_th of FFmpeg's blackdetect.
   *
   * Since: 0.3
   */
  { "pixel-black-threshold", "pixel-black-threshold",
      "A sample is black up to this share of the luma range",
      GST_CL_PROPERTY_DOUBLE, FIELD (pixel_black_threshold),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 0.10, 0.0, 1.0 } },

  /**
   * GstClFrameSum:picture-black-ratio:
   *
   * Share of black samples from which a frame counts as black: the
   * picture_black_ratio_th of FFmpeg's blackdetect.
   *
   * Since: 0.3
   */
  { "picture-black-ratio", "picture-black-ratio",
      "A frame is black from this share of black samples on",
      GST_CL_PROPERTY_DOUBLE, FIELD (picture_black_ratio),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 0.98, 0.0, 1.0 } },

  /**
   * GstClFrameSum:black-min-duration:
   *
   * Shorter black passages bring no event `black`.
   *
   * Since: 0.3
   */
  { "black-min-duration", "black-min-duration",
      "Least time of an event black, nanoseconds", GST_CL_PROPERTY_UINT64,
      FIELD (black_min_duration), GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:white-pixel-threshold:
   *
   * Share of the luma range, from white down, within which a sample counts as
   * white.
   *
   * Since: 0.3
   */
  { "white-pixel-threshold", "white-pixel-threshold",
      "A sample is white down to this share of the luma range below white",
      GST_CL_PROPERTY_DOUBLE, FIELD (white_pixel_threshold),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 0.10, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-ratio:
   *
   * Share of white samples at which an event `white` begins.
   *
   * Since: 0.3
   */
  { "white-ratio", "white-ratio", "White begins at this share of white samples",
      GST_CL_PROPERTY_DOUBLE, FIELD (white_ratio), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.98, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-leave-ratio:
   *
   * Share of white samples below which an event `white` ends.
   *
   * Since: 0.3
   */
  { "white-leave-ratio", "white-leave-ratio",
      "White ends below this share of white samples", GST_CL_PROPERTY_DOUBLE,
      FIELD (white_leave_ratio), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.95, 0.0, 1.0 } },

  /**
   * GstClFrameSum:white-min-duration:
   *
   * Shorter white passages bring no event `white`.
   *
   * Since: 0.3
   */
  { "white-min-duration", "white-min-duration",
      "Least time of an event white, nanoseconds", GST_CL_PROPERTY_UINT64,
      FIELD (white_min_duration), GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:freeze-noise:
   *
   * Mean absolute difference of two frames, as share of 2^depth, up to which
   * the picture stands still: the noise of FFmpeg's freezedetect.
   *
   * Since: 0.3
   */
  { "freeze-noise", "freeze-noise",
      "A frame is frozen up to this mean difference, as share of 2^depth",
      GST_CL_PROPERTY_DOUBLE, FIELD (freeze_noise), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.001, 0.0, 1.0 } },

  /**
   * GstClFrameSum:freeze-duration:
   *
   * Shorter standstills bring no event `freeze`.
   *
   * Since: 0.3
   */
  { "freeze-duration", "freeze-duration",
      "Least time of an event freeze, nanoseconds", GST_CL_PROPERTY_UINT64,
      FIELD (freeze_duration), GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:scene-threshold:
   *
   * Score of a cut, from 0 to 100, at which an event `scene` is posted: the
   * threshold of FFmpeg's scdet.
   *
   * Since: 0.3
   */
  { "scene-threshold", "scene-threshold", "Least score of an event scene",
      GST_CL_PROPERTY_DOUBLE, FIELD (scene_threshold),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 10.0, 0.0, 100.0 } },

  /**
   * GstClFrameSum:single-color-spread:
   *
   * Width of the window of codes that counts as one colour, as share of the
   * code range.
   *
   * Since: 0.3
   */
  { "single-color-spread", "single-color-spread",
      "Share of the code range that counts as one colour",
      GST_CL_PROPERTY_DOUBLE, FIELD (single_color_spread),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 1.0 / 16, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-ratio:
   *
   * Share of samples within the window of codes at which an event `single-
   * color` begins.
   *
   * Since: 0.3
   */
  { "single-color-ratio", "single-color-ratio",
      "Single colour begins at this share of samples", GST_CL_PROPERTY_DOUBLE,
      FIELD (single_color_ratio), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.90, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-leave-ratio:
   *
   * Share of samples within the window of codes below which an event `single-
   * color` ends.
   *
   * Since: 0.3
   */
  { "single-color-leave-ratio", "single-color-leave-ratio",
      "Single colour ends below this share of samples", GST_CL_PROPERTY_DOUBLE,
      FIELD (single_color_leave_ratio), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.85, 0.0, 1.0 } },

  /**
   * GstClFrameSum:single-color-min-duration:
   *
   * Shorter passages bring no event `single-color`.
   *
   * Since: 0.3
   */
  { "single-color-min-duration", "single-color-min-duration",
      "Least time of an event single-color, nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (single_color_min_duration),
      GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:defocus-ratio:
   *
   * Sharpness, as share of its average, below which an event `defocus` begins.
   *
   * Since: 0.3
   */
  { "defocus-ratio", "defocus-ratio",
      "Defocus begins below this share of the average sharpness",
      GST_CL_PROPERTY_DOUBLE, FIELD (defocus_ratio), GST_PARAM_MUTABLE_PLAYING,
      .values.d = { 0.50, 0.0, 1.0 } },

  /**
   * GstClFrameSum:defocus-leave-ratio:
   *
   * Sharpness, as share of its average, at which an event `defocus` ends.
   *
   * Since: 0.3
   */
  { "defocus-leave-ratio", "defocus-leave-ratio",
      "Defocus ends at this share of the average sharpness",
      GST_CL_PROPERTY_DOUBLE, FIELD (defocus_leave_ratio),
      GST_PARAM_MUTABLE_PLAYING, .values.d = { 0.70, 0.0, 1.0 } },

  /**
   * GstClFrameSum:defocus-min-duration:
   *
   * Shorter blurs bring no event `defocus`.
   *
   * Since: 0.3
   */
  { "defocus-min-duration", "defocus-min-duration",
      "Least time of an event defocus, nanoseconds", GST_CL_PROPERTY_UINT64,
      FIELD (defocus_min_duration), GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:defocus-average-time:
   *
   * Time that the average of the sharpness looks back.
   *
   * Since: 0.3
   */
  { "defocus-average-time", "defocus-average-time",
      "Time that the average sharpness looks back, nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (defocus_average_time),
      GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 60 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:signal-loss-timeout:
   *
   * Time without a frame, by the clock of the pipeline, after which the signal
   * is lost. 0 switches the detector off.
   *
   * Since: 0.3
   */
  { "signal-loss-timeout", "signal-loss-timeout",
      "The signal is lost after this time without a frame, nanoseconds; 0: "
      "never",
      GST_CL_PROPERTY_UINT64, FIELD (signal_loss_timeout),
      GST_PARAM_MUTABLE_PLAYING,
      .values.u64 = { 2 * GST_SECOND, 0, G_MAXINT64 } },

  /**
   * GstClFrameSum:signal-loss-recovery:
   *
   * Time for which frames have to come, without another gap, before the signal
   * counts as back.
   *
   * Since: 0.3
   */
  { "signal-loss-recovery", "signal-loss-recovery",
      "Frames have to come for this time before the signal is back, "
      "nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (signal_loss_recovery),
      GST_PARAM_MUTABLE_PLAYING, .values.u64 = { 0, 0, G_MAXINT64 } },
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
