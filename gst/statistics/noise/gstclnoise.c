/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The noise of a picture (J. Immerkaer, "Fast noise variance estimation",
 * Computer Vision and Image Understanding 64(2), 1996), and the event noisy. */

#include "gstclnoise.h"

#include <math.h>

#include "statistics/series/gstcleventsprivate.h"

gdouble
gst_cl_noise_deviation (gdouble sum, guint64 count)
{
  /* the weights of the nine samples are the square root of 36 = 6 long */
  return count > 0 ? sqrt (G_PI_2) * sum / (6.0 * count) : 0.0;
}

/* --- the event ------------------------------------------------------------ */

static void
step_noisy (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const gdouble noise = gst_cl_noise_deviation (frame->noise_sum,
                            frame->noise_count) /
                        (1u << frame->depth);

  gst_cl_span_step (state, detection, at, noise >= settings->noisy_threshold,
      noise >= MIN (settings->noisy_leave_threshold, settings->noisy_threshold),
      settings->noisy_min_duration, &noise);
}

static void
finish_noisy (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

static const GstClProperty noisy_properties[] = {
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
      GST_CL_EVENT_DOUBLE (noisy_threshold, 0.03, 0.0, 1.0) },

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
      GST_CL_EVENT_DOUBLE (noisy_leave_threshold, 0.025, 0.0, 1.0) },

  /**
   * GstClFrameSum:noisy-min-duration:
   *
   * Minimum duration of an event `noisy`.
   *
   * Since: 0.3
   */
  { "noisy-min-duration", "Minimum duration of an event noisy, in nanoseconds",
      GST_CL_EVENT_UINT64 (noisy_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_noisy = {
  .type = GST_CL_EVENT_NOISY,
  .name = "noisy",
  .needs = GST_CL_STATISTIC (NOISE),
  .values = { "noise" },
  .state_bytes = sizeof (GstClSpan),
  .step = step_noisy,
  .finish = finish_noisy,
  .properties = noisy_properties,
};
