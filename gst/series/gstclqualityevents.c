/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events noisy and blocky. */

#include "gstcleventsprivate.h"
#include "gstclquality.h"

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

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

const GstClDetector gst_cl_detect_noisy = {
  .type = GST_CL_EVENT_NOISY,
  .name = "noisy",
  .needs = GST_CL_SERIES_NOISE,
  .values = { "noise" },
  .state_bytes = sizeof (GstClSpan),
  .step = step_noisy,
  .finish = finish,
};

static void
step_blocky (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const gdouble blockiness = (gdouble) frame->blockiness /
                             GST_CL_BLOCKINESS_ONE;

  gst_cl_span_step (state, detection, at,
      blockiness >= settings->blocky_threshold,
      blockiness >=
          MIN (settings->blocky_leave_threshold, settings->blocky_threshold),
      settings->blocky_min_duration, &blockiness);
}

const GstClDetector gst_cl_detect_blocky = {
  .type = GST_CL_EVENT_BLOCKY,
  .name = "blocky",
  .needs = GST_CL_SERIES_BLOCKS,
  .values = { "blockiness" },
  .state_bytes = sizeof (GstClSpan),
  .step = step_blocky,
  .finish = finish,
};
