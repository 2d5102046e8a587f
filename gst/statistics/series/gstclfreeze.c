/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event freeze of FFmpeg's freezedetect: the time for which the picture
 * equals the reference, which is the last frame that differed from the previous
 * reference. */

#include "gstcleventsprivate.h"
#include "gstcleventsettings.h"

typedef struct {
  gboolean has_reference, is_posted;
  GstClInstant reference, last; /* last: the last frame */
  guint64 buffer_flags;         /* of the frames after the reference */
  gdouble difference; /* of the last frame, in the unit of freeze-noise */
} Freeze;

/* Returns whole microseconds, the unit in which FFmpeg compares durations. */
static guint64
microseconds (GstClockTime time)
{
  return gst_util_uint64_scale_round (time, 1, GST_USECOND);
}

/* Returns @detection with the evidence of the frames so far. */
static GstClDetection
with_evidence (const Freeze *self, const GstClDetection *detection)
{
  GstClDetection with = *detection;

  with.word = gst_cl_buffer_evidence (self->buffer_flags, "picture");

  return with;
}

static void
end (Freeze *self, const GstClDetection *detection, const GstClInstant *at)
{
  const GstClDetection with = with_evidence (self, detection);

  gst_cl_detection_post_end (&with, &self->reference.time, &at->time,
      at->position - self->reference.position, NULL, &self->difference);
  self->is_posted = FALSE;
}

/* Adds the flags of a frame to the evidence. Those of a frame that moves are
 * evidence if no frame came for half of the freeze: packets had stopped. */
static void
add_flags (Freeze *self, const GstClInstant *at, guint64 flags, gboolean moves)
{
  const GstClockTime still = at->position - self->reference.position;

  if (!moves || at->position - self->last.position >= still / 2)
    self->buffer_flags |= flags;
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Freeze *self = state;
  const gboolean moves = gst_cl_freeze_replaces (frame->reference_sad,
      frame->reference_count, frame->reference_limit);

  self->difference = gst_cl_ratio (frame->reference_sad,
                         frame->reference_count) /
                     (1u << frame->depth);
  if (self->has_reference) {
    const GstClockTime still = at->position - self->reference.position;

    add_flags (self, at, frame->buffer_flags, moves);
    /* Even a frame that moves may complete the minimum duration of the one
     * before. */
    if (!self->is_posted &&
        microseconds (still) >=
            detection->settings->freeze_duration / GST_USECOND) {
      const GstClDetection with = with_evidence (self, detection);

      self->is_posted = TRUE;
      gst_cl_detection_post_start (&with, &self->reference.time, NULL,
          &self->difference);
    }
    if (moves && self->is_posted)
      end (self, detection, at);
  }

  if (moves || !self->has_reference) {
    self->has_reference = TRUE;
    self->reference = *at;
    self->buffer_flags = 0;
  }
  self->last = *at;
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Freeze *self = state;

  if (self->is_posted)
    end (self, detection, at_end);
}

static const GstClProperty freeze_properties[] = {
  /**
   * GstClFrameSum:freeze-noise:
   *
   * Largest mean absolute difference of two frames, as share of 2^depth, at
   * which the picture is frozen: noise of FFmpeg's freezedetect.
   *
   * Since: 0.3
   */
  { "freeze-noise",
      "A frame is frozen up to this mean difference, as share of 2^depth",
      GST_CL_EVENT_DOUBLE (freeze_noise, 0.001, 0.0, 1.0) },

  /**
   * GstClFrameSum:freeze-duration:
   *
   * Minimum duration of an event `freeze`.
   *
   * Since: 0.3
   */
  { "freeze-duration", "Minimum duration of an event freeze, in nanoseconds",
      GST_CL_EVENT_UINT64 (freeze_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_freeze = {
  .type = GST_CL_EVENT_FREEZE,
  .name = "freeze",
  .needs = GST_CL_STATISTIC (STILLNESS),
  .word = "evidence",
  .values = { "difference" },
  .state_bytes = sizeof (Freeze),
  .is_of_zones = TRUE,
  .step = step,
  .finish = finish,
  .properties = freeze_properties,
};
