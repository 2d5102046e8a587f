/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events noisy and blocky. */

#include "gstcleventsprivate.h"
#include "gstclquality.h"

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

const GstClDetector gst_cl_detect_noisy = {
  .type = GST_CL_EVENT_NOISY,
  .name = "noisy",
  .needs = GST_CL_SERIES_NOISE,
  .values = { "noise" },
  .state_bytes = sizeof (GstClSpan),
  .step = step_noisy,
  .finish = finish_noisy,
};

/* Key frames are often blockier than those between them. */
#define BLOCKY_AVERAGE_TIME GST_SECOND

typedef struct {
  GstClSpan span;
  GstClAverage average;
  GstClockTime position; /* of the last frame */
} Blocky;

static void
step_blocky (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  Blocky *self = state;

  gst_cl_average_add (&self->average,
      (gdouble) frame->blockiness / GST_CL_BLOCKINESS_ONE,
      at->position - self->position, BLOCKY_AVERAGE_TIME);
  self->position = at->position;
  gst_cl_span_step (&self->span, detection, at,
      self->average.value >= settings->blocky_threshold,
      self->average.value >=
          MIN (settings->blocky_leave_threshold, settings->blocky_threshold),
      settings->blocky_min_duration, &self->average.value);
}

static void
finish_blocky (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Blocky *self = state;

  gst_cl_span_finish (&self->span, detection, at_end);
}

const GstClDetector gst_cl_detect_blocky = {
  .type = GST_CL_EVENT_BLOCKY,
  .name = "blocky",
  .needs = GST_CL_SERIES_BLOCKS,
  .values = { "blockiness" },
  .state_bytes = sizeof (Blocky),
  .step = step_blocky,
  .finish = finish_blocky,
};
