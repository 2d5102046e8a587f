/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a camera that was tampered with: single-color and defocus. */

#include "gstcleventsprivate.h"

/* --- single-color --------------------------------------------------------- */

/* Nearly the whole frame is within a small part of the code range, in every
 * component. A covered lens narrows the histogram to its peak: Saglam and
 * Temizel, Real-Time Adaptive Camera Tamper Detection for Video Surveillance,
 * AVSS 2009. */

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
step_single_color (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
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
finish_single_color (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

static const GstClProperty single_color_properties[] = {
  /**
   * GstClFrameSum:single-color-spread:
   *
   * Width of the interval of codes that counts as one colour, as share of the
   * code range.
   *
   * Since: 0.3
   */
  { "single-color-spread", "Share of the code range that counts as one colour",
      GST_CL_EVENT_DOUBLE (single_color_spread, 1.0 / 16, 0.0, 1.0) },

  /**
   * GstClFrameSum:single-color-ratio:
   *
   * Share of samples within this interval of codes at which an event
   * `single-color` begins.
   *
   * Since: 0.3
   */
  { "single-color-ratio", "Single colour begins at this share of samples",
      GST_CL_EVENT_DOUBLE (single_color_ratio, 0.90, 0.0, 1.0) },

  /**
   * GstClFrameSum:single-color-leave-ratio:
   *
   * Share of samples within this interval of codes below which an event
   * `single-color` ends.
   *
   * Since: 0.3
   */
  { "single-color-leave-ratio",
      "Single colour ends below this share of samples",
      GST_CL_EVENT_DOUBLE (single_color_leave_ratio, 0.85, 0.0, 1.0) },

  /**
   * GstClFrameSum:single-color-min-duration:
   *
   * Minimum duration of an event `single-color`.
   *
   * Since: 0.3
   */
  { "single-color-min-duration",
      "Minimum duration of an event single-color, in nanoseconds",
      GST_CL_EVENT_UINT64 (single_color_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_single_color = {
  .type = GST_CL_EVENT_SINGLE_COLOR,
  .name = "single-color",
  .needs = GST_CL_STATISTIC (HISTOGRAM),
  .values = { "ratio" },
  .state_bytes = sizeof (GstClSpan),
  .is_of_zones = TRUE,
  .step = step_single_color,
  .finish = finish_single_color,
  .properties = single_color_properties,
};

/* --- defocus -------------------------------------------------------------- */

/* Local contrast falls below the average of the stream.
 *
 * Sharpness is the energy of the gradient (one of the operators compared by
 * Pertuz, Puig and Garcia, Analysis of focus measure operators for
 * shape-from-focus, Pattern Recognition 46(5), 2013) over the variance: light
 * and contrast of the whole scene cancel, so that dusk and fades are no
 * defocus. It is 4 (1 - r), where r is the correlation of neighbours: white
 * noise has 4, a linear ramp nearly 0. */

#define MOST_SHARP 2.0 /* above it neighbours correlate by less than one half */

typedef struct {
  GstClSpan span;
  GstClAverage average;
  GstClockTime position; /* of the last frame */
} Defocus;

/* Sets *sharpness. FALSE if the frame has none: it is flat, with a standard
 * deviation below one code of 8 bits (black), or it is only noise (a covered
 * lens). */
static gboolean
measure_sharpness (const GstClSeriesFrame *frame, gdouble *sharpness)
{
  const GstClMoments *moments = &frame->moments[0];
  const guint64 n = moments->count;
  const gdouble code = 1u << (frame->depth - 8);
  gdouble mean, variance;

  if (n == 0 || frame->gradient_count == 0)
    return FALSE;

  mean = (gdouble) moments->sum / n;
  variance = (gdouble) moments->sum_squares / n - mean * mean;
  if (variance < code * code)
    return FALSE;

  *sharpness = (gdouble) frame->gradient_sum / frame->gradient_count * 2 /
               variance;

  return *sharpness <= MOST_SHARP;
}

static void
step_defocus (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  Defocus *self = state;
  const GstClEventSettings *settings = detection->settings;
  const GstClockTime passed = at->position - self->position;
  gdouble sharpness, relative;

  self->position = at->position;
  if (!measure_sharpness (frame, &sharpness))
    return;

  relative = self->average.has_value && self->average.value > 0.0
                 ? sharpness / self->average.value
                 : 1.0;
  gst_cl_span_step (&self->span, detection, at,
      relative < settings->defocus_ratio,
      relative < MAX (settings->defocus_leave_ratio, settings->defocus_ratio),
      settings->defocus_min_duration, &relative);

  /* The average does not change during a defocus: it must not adapt to the
   * blur. */
  if (!self->span.has_begun)
    gst_cl_average_add (&self->average, sharpness, passed,
        settings->defocus_average_time);
}

static void
finish_defocus (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Defocus *self = state;

  gst_cl_span_finish (&self->span, detection, at_end);
}

static const GstClProperty defocus_properties[] = {
  /**
   * GstClFrameSum:defocus-ratio:
   *
   * Sharpness, as share of its average, below which an event `defocus` begins.
   *
   * Since: 0.3
   */
  { "defocus-ratio", "Defocus begins below this share of the average sharpness",
      GST_CL_EVENT_DOUBLE (defocus_ratio, 0.50, 0.0, 1.0) },

  /**
   * GstClFrameSum:defocus-leave-ratio:
   *
   * Sharpness, as share of its average, at which an event `defocus` ends.
   *
   * Since: 0.3
   */
  { "defocus-leave-ratio",
      "Defocus ends at this share of the average sharpness",
      GST_CL_EVENT_DOUBLE (defocus_leave_ratio, 0.70, 0.0, 1.0) },

  /**
   * GstClFrameSum:defocus-min-duration:
   *
   * Minimum duration of an event `defocus`.
   *
   * Since: 0.3
   */
  { "defocus-min-duration",
      "Minimum duration of an event defocus, in nanoseconds",
      GST_CL_EVENT_UINT64 (defocus_min_duration, 2 * GST_SECOND) },

  /**
   * GstClFrameSum:defocus-average-time:
   *
   * Time constant of the average sharpness.
   *
   * Since: 0.3
   */
  { "defocus-average-time",
      "Time constant of the average sharpness, in nanoseconds",
      GST_CL_EVENT_UINT64 (defocus_average_time, 60 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_defocus = {
  .type = GST_CL_EVENT_DEFOCUS,
  .name = "defocus",
  .needs = GST_CL_STATISTIC (SHARPNESS),
  .values = { "sharpness" },
  .state_bytes = sizeof (Defocus),
  .is_of_zones = TRUE,
  .step = step_defocus,
  .finish = finish_defocus,
  .properties = defocus_properties,
};
