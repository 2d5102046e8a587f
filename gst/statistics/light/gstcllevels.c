/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event levels: pixels beyond the preferred range of EBU R 103. */

#include "statistics/series/gstcleventsprivate.h"

typedef struct {
  GstClSpan span;
  const gchar *component; /* of the event: the worst one of its first frame */
} Levels;

static void
step_levels (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  static const gchar *const names[] = { "R", "G", "B", "Y" };
  const GstClEventSettings *settings = detection->settings;
  GstClDetection named = *detection;
  Levels *self = state;
  guint worst = 0;

  for (guint i = 1; i < GST_CL_LEVELS_N_COMPONENTS; i++) {
    if (frame->levels[i] > frame->levels[worst])
      worst = i;
  }
  if (!self->span.has_begun)
    self->component = names[worst];
  named.word = self->component;

  gst_cl_span_step (&self->span, &named, at,
      frame->levels[worst] > settings->levels_area,
      frame->levels[worst] > settings->levels_area,
      settings->levels_min_duration, &frame->levels[worst]);
}

static void
finish_levels (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  GstClDetection named = *detection;
  Levels *self = state;

  named.word = self->component;
  gst_cl_span_finish (&self->span, &named, at_end);
}

static const GstClProperty levels_properties[] = {
  /**
   * GstClFrameSum:levels-area:
   *
   * Share of pixels beyond the preferred range of EBU R 103, of the worst
   * component, that an event `levels` exceeds.
   *
   * Since: 0.3
   */
  { "levels-area",
      "Share of pixels beyond the preferred range that levels exceeds",
      GST_CL_EVENT_DOUBLE (levels_area, 0.01, 0.0, 1.0) },

  /**
   * GstClFrameSum:levels-min-duration:
   *
   * Minimum duration of an event `levels`.
   *
   * Since: 0.3
   */
  { "levels-min-duration",
      "Minimum duration of an event levels, in nanoseconds",
      GST_CL_EVENT_UINT64 (levels_min_duration, 0) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_levels = {
  .type = GST_CL_EVENT_LEVELS,
  .name = "levels",
  .needs = GST_CL_STATISTIC (LEVELS),
  .word = "component",
  .values = { "share" },
  .state_bytes = sizeof (Levels),
  .step = step_levels,
  .finish = finish_levels,
  .properties = levels_properties,
};
