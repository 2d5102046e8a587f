/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event black of FFmpeg's blackdetect, and white, its mirror image. */

#include "gstcleventsprivate.h"
#include "gstcleventsettings.h"

/* Returns the ratio of samples with codes @first .. @last; of R, G and B, the
 * smallest ratio. */
static gdouble
share_of_codes (const GstClSeriesFrame *frame, guint first, guint last)
{
  gdouble least = 1.0;

  for (guint c = 0; c < gst_cl_brightness_components (frame); c++)
    least = MIN (least,
        gst_cl_ratio (gst_cl_count_codes (frame->histograms[c], first, last),
            frame->moments[c].count));

  return least;
}

static void
step_black (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const guint limit = gst_cl_black_limit (settings->pixel_black_threshold,
      frame->depth, frame->is_full_range);
  const gdouble ratio = share_of_codes (frame, 0, limit);
  const gboolean is_black = ratio >= settings->picture_black_ratio;

  gst_cl_span_step (state, detection, at, is_black, is_black,
      settings->black_min_duration, &ratio);
}

static void
step_white (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const guint limit = gst_cl_white_limit (settings->white_pixel_threshold,
      frame->depth, frame->is_full_range);
  const gdouble ratio = share_of_codes (frame, limit, (1u << frame->depth) - 1);
  const gdouble leave = MIN (settings->white_leave_ratio,
      settings->white_ratio);

  gst_cl_span_step (state, detection, at, ratio >= settings->white_ratio,
      ratio >= leave, settings->white_min_duration, &ratio);
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

static const GstClProperty black_properties[] = {
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
      GST_CL_EVENT_DOUBLE (pixel_black_threshold, 0.10, 0.0, 1.0) },

  /**
   * GstClFrameSum:picture-black-ratio:
   *
   * Minimum share of black samples in a black frame: picture_black_ratio_th of
   * FFmpeg's blackdetect.
   *
   * Since: 0.3
   */
  { "picture-black-ratio", "Minimum share of black samples in a black frame",
      GST_CL_EVENT_DOUBLE (picture_black_ratio, 0.98, 0.0, 1.0) },

  /**
   * GstClFrameSum:black-min-duration:
   *
   * Minimum duration of an event `black`.
   *
   * Since: 0.3
   */
  { "black-min-duration", "Minimum duration of an event black, in nanoseconds",
      GST_CL_EVENT_UINT64 (black_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_black = {
  .type = GST_CL_EVENT_BLACK,
  .name = "black",
  .needs = GST_CL_STATISTIC (BRIGHTNESS),
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step_black,
  .finish = finish,
  .properties = black_properties,
};

static const GstClProperty white_properties[] = {
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
      GST_CL_EVENT_DOUBLE (white_pixel_threshold, 0.10, 0.0, 1.0) },

  /**
   * GstClFrameSum:white-ratio:
   *
   * Share of white samples at which an event `white` begins.
   *
   * Since: 0.3
   */
  { "white-ratio", "White begins at this share of white samples",
      GST_CL_EVENT_DOUBLE (white_ratio, 0.98, 0.0, 1.0) },

  /**
   * GstClFrameSum:white-leave-ratio:
   *
   * Share of white samples below which an event `white` ends.
   *
   * Since: 0.3
   */
  { "white-leave-ratio", "White ends below this share of white samples",
      GST_CL_EVENT_DOUBLE (white_leave_ratio, 0.95, 0.0, 1.0) },

  /**
   * GstClFrameSum:white-min-duration:
   *
   * Minimum duration of an event `white`.
   *
   * Since: 0.3
   */
  { "white-min-duration", "Minimum duration of an event white, in nanoseconds",
      GST_CL_EVENT_UINT64 (white_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_white = {
  .type = GST_CL_EVENT_WHITE,
  .name = "white",
  .needs = GST_CL_STATISTIC (BRIGHTNESS),
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step_white,
  .finish = finish,
  .properties = white_properties,
};
