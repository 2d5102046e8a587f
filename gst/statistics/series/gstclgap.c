/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event gap: timestamps have room for frames that did not come. */

#include <stdlib.h>
#include <string.h>

#include "gstcleventsprivate.h"

/* Frames before and after a gap that show the rate. */
#define N_BEFORE 32
#define N_AFTER  8

/* The fewest of each. Without the rate of the caps, frames before show it. */
#define MIN_BEFORE     2
#define MIN_BEFORE_OWN 8
#define MIN_AFTER      2

/* Frames on each side that may share a late timestamp with the gap. */
#define NEAR 4

/* A frame is missing if more than this share of its duration is not covered. */
#define MISSING 0.75

/* At a constant rate, this share of the distances ... */
#define USUAL_BEFORE (2.0 / 3)
#define USUAL_AFTER  0.5
/* ... differs at most by this share of the duration of a frame, and all of them
 * together by this share, and by as much more for each frame. */
#define USUAL        0.25
#define JITTER       0.5
#define CLOSE        0.02

typedef struct {
  GstClFrameTime time, previous; /* previous: of the frame before */
  guint64 n_frames;              /* 1 if the frame before was measured, too */
  GstClockTime distance;         /* from the frame before */
  GstClockTime nominal;          /* duration of a frame by the caps; 0: none */
  guint64 buffer_flags;
} Frame;

/* The last frames, oldest first; the first n_decided have been decided. */
typedef struct {
  gboolean has_last;
  GstClFrameTime last;
  Frame frames[N_BEFORE + 1 + N_AFTER];
  guint n_frames, n_decided;
} Gap;

/* --- the rate ------------------------------------------------------------- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Returns the usual duration of a frame: the mean of those near the median. */
static gdouble
get_own_duration (const Frame *frames, guint n)
{
  gdouble durations[N_BEFORE], median, sum = 0.0;
  guint n_usual = 0;

  for (guint i = 0; i < n; i++)
    durations[i] = (gdouble) frames[i].distance / frames[i].n_frames;
  qsort (durations, n, sizeof *durations, compare);
  median = durations[n / 2];
  for (guint i = 0; i < n; i++) {
    if (ABS (durations[i] - median) <= USUAL * median) {
      sum += durations[i];
      n_usual++;
    }
  }

  return sum / n_usual;
}

/* Returns the number of missing frames in @distance, which has @n_frames. */
static guint64
count_missing (gdouble distance, guint64 n_frames, gdouble duration)
{
  const gdouble missing = distance / duration - n_frames;

  return missing > MISSING ? MAX ((guint64) (missing + 0.5), 1) : 0;
}

/* Returns TRUE if @n frames are at a constant rate, but for missing frames:
 * @share of them have the usual distance, and all together are on the grid. */
static gboolean
is_constant (const Frame *frames, guint n, gdouble duration, gdouble share)
{
  gdouble distance = 0.0, offset;
  guint64 n_frames = 0, n_missing = 0;
  guint n_usual = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble due = frames[i].n_frames * duration;

    distance += frames[i].distance;
    n_frames += frames[i].n_frames;
    n_missing += count_missing (frames[i].distance, frames[i].n_frames,
        duration);
    n_usual += ABS (frames[i].distance - due) <= USUAL * duration;
  }
  /* late frames seem to be missing, but the frames after them come early */
  n_missing = MIN (n_missing, count_missing (distance, n_frames, duration));
  offset = distance - (n_frames + n_missing) * duration;

  return n_usual >= share * n &&
         ABS (offset) <= (JITTER + CLOSE * n) * duration;
}

/* Returns the duration of a frame in nanoseconds: that of the caps, unless the
 * @n frames before do not keep it. 0: unknown. */
static gdouble
get_duration (const Frame *frames, guint n, GstClockTime nominal)
{
  gdouble own;

  if (nominal > 0 && is_constant (frames, n, nominal, USUAL_BEFORE))
    return nominal;
  if (n < MIN_BEFORE_OWN)
    return 0.0;

  own = get_own_duration (frames, n);

  return own > 0.0 && is_constant (frames, n, own, USUAL_BEFORE) ? own : 0.0;
}

/* --- gaps ----------------------------------------------------------------- */

/* Returns the number of frames that are missing before frame @index; 0 if there
 * is no evidence. */
static guint64
find_missing (const Gap *self, guint index)
{
  const Frame *frame = &self->frames[index];
  const guint n_before = MIN (index, N_BEFORE);
  const guint n_after = MIN (self->n_frames - 1 - index, N_AFTER);
  const Frame *before = frame - n_before, *after = frame + 1;
  const guint first = index - MIN (n_before, NEAR);
  const guint last = index + MIN (n_after, NEAR);
  const gdouble duration = get_duration (before, n_before, frame->nominal);
  guint64 n_missing, n_frames = 0;
  gdouble distance = 0.0;

  if (duration <= 0.0 || n_before < MIN_BEFORE || n_after < MIN_AFTER)
    return 0;
  n_missing = count_missing (frame->distance, frame->n_frames, duration);
  if (n_missing == 0 || !is_constant (after, n_after, duration, USUAL_AFTER))
    return 0;

  /* a late frame is followed or preceded by distances that are shorter */
  for (guint i = first; i <= last; i++) {
    distance += self->frames[i].distance;
    n_frames += self->frames[i].n_frames;
  }

  return MIN (n_missing, count_missing (distance, n_frames, duration));
}

/* Decides on the first frame that has not been decided. */
static void
decide (Gap *self, const GstClDetection *detection)
{
  const guint index = self->n_decided++;
  const Frame *frame = &self->frames[index];
  const guint64 n_missing = find_missing (self, index);
  const gdouble value = n_missing;
  GstClDetection with = *detection;
  GstClockTime covered;
  GstClFrameTime start;

  if (n_missing == 0 || n_missing < detection->settings->gap_min_frames)
    return;

  /* no frame lies within the gap */
  covered = frame->distance / (gdouble) (frame->n_frames + n_missing) *
            frame->n_frames;
  start = gst_cl_frame_time_shift (&frame->previous, covered);
  start.frame = frame->time.frame;
  with.word = gst_cl_buffer_evidence (frame->buffer_flags, "timestamps");
  detection->counts->n_missing += n_missing;
  gst_cl_detection_post_start (&with, &start, NULL, &value);
  gst_cl_detection_post_end (&with, &start, &frame->time,
      frame->distance - covered, NULL, &value);
}

/* --- the stream ----------------------------------------------------------- */

/* Decides on all frames, and forgets them: the next frame follows none. */
static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Gap *self = state;

  while (self->n_decided < self->n_frames)
    decide (self, detection);
  memset (self, 0, sizeof *self);
}

static gboolean
is_before (GstClockTime a, GstClockTime b)
{
  return GST_CLOCK_TIME_IS_VALID (a) && GST_CLOCK_TIME_IS_VALID (b) && a <= b;
}

/* Returns TRUE if the time between two frames is the same on both axes, and
 * known: no other segment or rate begins. */
static gboolean
follows (const GstClFrameTime *frame, const GstClFrameTime *last)
{
  return frame->frame > last->frame &&
         is_before (last->timestamp, frame->timestamp) &&
         is_before (last->running_time, frame->running_time) &&
         frame->timestamp - last->timestamp ==
             frame->running_time - last->running_time;
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Gap *self = state;

  if (self->has_last && !follows (&at->time, &self->last))
    finish (self, detection, at);
  if (self->has_last) {
    if (self->n_frames == G_N_ELEMENTS (self->frames)) {
      memmove (self->frames, self->frames + 1,
          sizeof self->frames - sizeof *self->frames);
      self->n_frames--;
      self->n_decided--;
    }
    self->frames[self->n_frames++] = (Frame){
      .time = at->time,
      .previous = self->last,
      .n_frames = at->time.frame - self->last.frame,
      .distance = at->time.timestamp - self->last.timestamp,
      .nominal = frame->nominal_duration,
      .buffer_flags = frame->buffer_flags,
    };
  }
  self->has_last = TRUE;
  self->last = at->time;
  if (self->n_frames - self->n_decided > N_AFTER)
    decide (self, detection);
}

static const GstClProperty gap_properties[] = {
  /**
   * GstClFrameSum:gap-min-frames:
   *
   * Least number of missing frames of an event `gap`.
   *
   * Since: 0.3
   */
  { "gap-min-frames", "Least number of missing frames of a gap",
      GST_CL_PROPERTY_UINT64, GST_CL_EVENT_FIELD (gap_min_frames),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u64 = { 1, 1, G_MAXINT64 } },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_gap = {
  .type = GST_CL_EVENT_GAP,
  .name = "gap",
  .needs = GST_CL_STATISTIC (TIMES),
  .word = "evidence",
  .values = { "frames" },
  .state_bytes = sizeof (Gap),
  .step = step,
  .finish = finish,
  .properties = gap_properties,
};
