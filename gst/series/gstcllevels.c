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

const GstClDetector gst_cl_detect_black = {
  .type = GST_CL_EVENT_BLACK,
  .name = "black",
  .needs = GST_CL_SERIES_BRIGHTNESS,
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step_black,
  .finish = finish,
};

const GstClDetector gst_cl_detect_white = {
  .type = GST_CL_EVENT_WHITE,
  .name = "white",
  .needs = GST_CL_SERIES_BRIGHTNESS,
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step_white,
  .finish = finish,
};
