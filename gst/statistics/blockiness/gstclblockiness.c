/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event blocky. */

#include "gstclblockiness.h"

#include "statistics/series/gstcleventsprivate.h"

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

static const GstClProperty blocky_properties[] = {
  /**
   * GstClFrameSum:blocky-threshold:
   *
   * Average blockiness of a second at which an event `blocky` begins.
   *
   * Since: 0.3
   */
  { "blocky-threshold", "Blocky begins at this blockiness",
      GST_CL_EVENT_DOUBLE (blocky_threshold, 5.0, 0.0, 1000.0) },

  /**
   * GstClFrameSum:blocky-leave-threshold:
   *
   * Average blockiness of a second below which an event `blocky` ends.
   *
   * Since: 0.3
   */
  { "blocky-leave-threshold", "Blocky ends below this blockiness",
      GST_CL_EVENT_DOUBLE (blocky_leave_threshold, 4.0, 0.0, 1000.0) },

  /**
   * GstClFrameSum:blocky-min-duration:
   *
   * Minimum duration of an event `blocky`.
   *
   * Since: 0.3
   */
  { "blocky-min-duration",
      "Minimum duration of an event blocky, in nanoseconds",
      GST_CL_EVENT_UINT64 (blocky_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_blocky = {
  .type = GST_CL_EVENT_BLOCKY,
  .name = "blocky",
  .needs = GST_CL_STATISTIC (BLOCKINESS),
  .values = { "blockiness" },
  .state_bytes = sizeof (Blocky),
  .step = step_blocky,
  .finish = finish_blocky,
  .properties = blocky_properties,
};
