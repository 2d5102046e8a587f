/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event scene of FFmpeg's scdet, which has no duration. */

#include "gstcleventsprivate.h"

typedef struct {
  gdouble last; /* of the previous frame, percent of 2^depth */
} Scene;

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Scene *self = state;
  gdouble mean, change, values[2];

  if (frame->previous_count == 0)
    return;

  /* The operations are in FFmpeg's order, and the score is a float as in
   * FFmpeg: both matter close to the threshold. */
  mean = (gdouble) frame->previous_sad * 100. / frame->previous_count /
         (1u << frame->depth);
  change = ABS (mean - self->last);
  self->last = mean;
  values[0] = (gfloat) MIN (mean, change);
  values[1] = mean;

  if (values[0] >= detection->settings->scene_threshold)
    gst_cl_detection_post_instant (detection, &at->time, values);
}

static const GstClProperty scene_properties[] = {
  /**
   * GstClFrameSum:scene-threshold:
   *
   * Minimum score of an event `scene` (a cut), from 0 to 100: threshold of
   * FFmpeg's scdet.
   *
   * Since: 0.3
   */
  { "scene-threshold", "Minimum score of a cut",
      GST_CL_EVENT_DOUBLE (scene_threshold, 10.0, 0.0, 100.0) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_scene = {
  .type = GST_CL_EVENT_SCENE,
  .name = "scene",
  .needs = GST_CL_STATISTIC (CHANGE),
  .values = { "score", "difference" },
  .state_bytes = sizeof (Scene),
  .step = step,
  .properties = scene_properties,
};
