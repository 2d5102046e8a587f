/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standard deviation of noise (J. Immerkaer, "Fast noise variance
 * estimation", Computer Vision and Image Understanding 64(2), 1996), and the
 * event noisy. */

#include "gstclnoise.h"

#include <math.h>

#include "gstcleventsprivate.h"

gdouble
gst_cl_noise_deviation (gdouble sum, guint64 count)
{
  /* the weights of the nine samples are the square root of 36 = 6 long */
  return count > 0 ? sqrt (G_PI_2) * sum / (6.0 * count) : 0.0;
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
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
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

const GstClDetector gst_cl_detect_noisy = {
  .type = GST_CL_EVENT_NOISY,
  .name = "noisy",
  .needs = GST_CL_SERIES_NOISE,
  .values = { "noise" },
  .state_bytes = sizeof (GstClSpan),
  .step = step,
  .finish = finish,
};
