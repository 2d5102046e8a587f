/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event single-color: nearly the whole frame is within a small part of the
 * code range, in every component. A covered lens narrows the histogram to its
 * peak: Saglam and Temizel, Real-Time Adaptive Camera Tamper Detection for
 * Video Surveillance, AVSS 2009. */

#include "gstcleventsprivate.h"

/* Returns the maximum number of samples in any @width consecutive codes out of
 * @n_codes. The interval may begin at any code, so that no bin edge splits a
 * peak. */
static guint64
fullest_window (const guint32 *histogram, guint n_codes, guint width)
{
  guint64 n = 0, most = 0;

  for (guint code = 0; code < n_codes; code++) {
    n += histogram[code];
    if (code >= width)
      n -= histogram[code - width];
    most = MAX (most, n);
  }

  return most;
}

/* Returns the ratio in the component in which it is the smallest. */
static gdouble
share_of_one_color (const GstClSeriesFrame *frame, gdouble spread)
{
  const guint n_codes = 1u << frame->depth;
  const guint width = MAX ((guint) (spread * n_codes), 1);
  gdouble least = 1.0;

  for (guint c = 0; c < frame->n_components; c++)
    least = MIN (least,
        gst_cl_ratio (fullest_window (frame->histograms[c], n_codes, width),
            frame->moments[c].count));

  return least;
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const gdouble ratio = share_of_one_color (frame,
      settings->single_color_spread);
  const gdouble leave = MIN (settings->single_color_leave_ratio,
      settings->single_color_ratio);

  gst_cl_span_step (state, detection, at, ratio >= settings->single_color_ratio,
      ratio >= leave, settings->single_color_min_duration, &ratio);
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

const GstClDetector gst_cl_detect_single_color = {
  .type = GST_CL_EVENT_SINGLE_COLOR,
  .name = "single-color",
  .needs = GST_CL_SERIES_HISTOGRAMS,
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step,
  .finish = finish,
};
