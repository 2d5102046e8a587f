/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event repeat: frames that repeat the frame before in a picture that
 * moves. A repeated frame differs much less from the frame before than its
 * neighbours do, whatever noise a codec has added. */

#include <string.h>

#include "gstcleventsprivate.h"

/* Neighbours on each side that decide on a frame: two held frames of a picture
 * that changes every fifth frame. */
#define WINDOW 10

/* The fewest neighbours on each side, at the ends of a stream. */
#define MIN_WINDOW 4

/* The most repeated frames in a row. A longer still is a freeze. */
#define MAX_RUN 7

/* The neighbours of repeated frames have at least this share of the motion: a
 * ball at its turning point slows down first. */
#define MIN_EDGE 0.5

/* Frames from one repeated frame to the next one of the same event, and the
 * longest period. */
#define MAX_PERIOD 30

/* Times that a pattern must occur. */
#define N_PERIODS 3

typedef struct {
  GstClInstant at;
  gdouble change; /* from the frame before, as share of 2^depth */
} Frame;

typedef struct {
  /* The last frames, oldest first; the first n_decided have been decided. */
  Frame frames[2 * WINDOW + 1];
  guint n_frames, n_decided;

  /* The decisions on the last frames, latest first. */
  guint8 decisions[N_PERIODS * MAX_PERIOD];
  guint n_decisions;

  gboolean is_open, is_posted;
  GstClInstant start, end; /* end: after the last repeated frame */
  guint64 n_repeated;
  guint n_since_start, n_since_last;
  guint period;                        /* of the last repeated frame; 0: none */
  guint64 n_of_period[MAX_PERIOD + 1]; /* repeated frames, by their period */
} Repeat;

/* --- one frame ------------------------------------------------------------ */

/* Returns the second greatest change of @n frames, so that a single cut does
 * not count; 0 for less than two. */
static gdouble
second_greatest (const Frame *frames, guint n)
{
  gdouble first = 0.0, second = 0.0;

  for (guint i = 0; i < n; i++) {
    if (frames[i].change > first) {
      second = first;
      first = frames[i].change;
    } else if (frames[i].change > second) {
      second = frames[i].change;
    }
  }

  return second;
}

/* Returns TRUE if frame @index repeats the frame before. Motion on both sides
 * is the evidence. */
static gboolean
is_repeated (const Repeat *self, guint index,
    const GstClEventSettings *settings)
{
  const Frame *frames = self->frames;
  const guint before = MIN (index, WINDOW);
  const guint after = MIN (self->n_frames - 1 - index, WINDOW);
  const gdouble motion = MIN (second_greatest (frames + index - before, before),
      second_greatest (frames + index + 1, after));
  const gdouble limit = motion * settings->repeat_ratio;
  guint first = index, last = index;

  if (before < MIN_WINDOW || after < MIN_WINDOW || motion <= 0.0 ||
      motion < settings->repeat_motion || frames[index].change > limit)
    return FALSE;

  while (first > index - before && frames[first - 1].change <= limit)
    first--;
  while (last < index + after && frames[last + 1].change <= limit)
    last++;

  return last - first < MAX_RUN && first > index - before &&
         last < index + after &&
         frames[first - 1].change >= MIN_EDGE * motion &&
         frames[last + 1].change >= MIN_EDGE * motion;
}

/* --- patterns ------------------------------------------------------------- */

/* Returns the number of frames after which the decisions recur; 0 if they do
 * not, or if all frames are repeated. */
static guint
find_period (const Repeat *self)
{
  for (guint n = 2; n <= MAX_PERIOD && N_PERIODS * n <= self->n_decisions;
       n++) {
    if (memchr (self->decisions, FALSE, n) &&
        memcmp (self->decisions, self->decisions + n, (N_PERIODS - 1) * n) == 0)
      return n;
  }

  return 0;
}

/* Counts the newest decision, a repeated frame, for the period that it belongs
 * to; also the repeated frames from which a new period was found. */
static void
count_period (Repeat *self)
{
  const guint period = find_period (self);
  const guint n = period == self->period ? 1 : N_PERIODS * period;

  for (guint i = 0; i < n && period > 0; i++)
    self->n_of_period[period] += self->decisions[i];
  self->period = period;
}

/* Returns the period that at least half of the repeated frames of the event
 * belong to; 0 if there is none. */
static guint
get_period (const Repeat *self)
{
  guint period = 0;

  for (guint n = 1; n <= MAX_PERIOD; n++) {
    if (self->n_of_period[n] > self->n_of_period[period])
      period = n;
  }

  return 2 * self->n_of_period[period] >= self->n_repeated ? period : 0;
}

/* --- the event ------------------------------------------------------------ */

static void
get_values (const Repeat *self, gdouble values[2])
{
  values[0] = get_period (self);
  values[1] = self->n_repeated;
}

static void
post_start (Repeat *self, const GstClDetection *detection)
{
  gdouble values[2];

  if (self->is_posted)
    return;

  self->is_posted = TRUE;
  get_values (self, values);
  gst_cl_detection_post_start (detection, &self->start.time, NULL, values);
}

static void
end (Repeat *self, const GstClDetection *detection)
{
  gdouble values[2];

  if (!self->is_open)
    return;

  post_start (self, detection);
  get_values (self, values);
  gst_cl_detection_post_end (detection, &self->start.time, &self->end.time,
      self->end.position - self->start.position, NULL, values);
  self->is_open = self->is_posted = FALSE;
}

/* Adds repeated frame @index, which is the latest decision. */
static void
add_repeated (Repeat *self, const GstClDetection *detection, guint index)
{
  if (!self->is_open) {
    self->is_open = TRUE;
    self->start = self->frames[index].at;
    self->n_repeated = self->n_since_start = 0;
    memset (self->n_of_period, 0, sizeof self->n_of_period);
  }
  self->end = self->frames[index + 1].at;
  self->n_since_last = 0;
  self->n_repeated++;
  detection->counts->n_repeated++;
  count_period (self);
}

/* Decides on the first frame that has not been decided. */
static void
decide (Repeat *self, const GstClDetection *detection)
{
  const guint index = self->n_decided++;
  const gboolean repeats = is_repeated (self, index, detection->settings);

  memmove (self->decisions + 1, self->decisions,
      sizeof self->decisions - sizeof *self->decisions);
  self->decisions[0] = repeats;
  self->n_decisions = MIN (self->n_decisions + 1, sizeof self->decisions);
  self->n_since_start++;
  self->n_since_last++;

  if (repeats)
    add_repeated (self, detection, index);
  if (self->is_open && (self->period > 0 || self->n_since_start > MAX_PERIOD))
    post_start (self, detection);
  if (self->n_since_last > MAX_PERIOD)
    end (self, detection);
}

/* Decides on all frames, and ends the event: the next frame has none to compare
 * with. */
static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Repeat *self = state;

  while (self->n_decided < self->n_frames)
    decide (self, detection);
  end (self, detection);
  memset (self, 0, sizeof *self);
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Repeat *self = state;

  if (frame->previous_count == 0) {
    finish (self, detection, at);
    return;
  }

  if (self->n_frames == G_N_ELEMENTS (self->frames)) {
    memmove (self->frames, self->frames + 1,
        sizeof self->frames - sizeof *self->frames);
    self->n_frames--;
    self->n_decided--;
  }
  self->frames[self->n_frames++] = (Frame){ *at,
    gst_cl_ratio (frame->previous_sad, frame->previous_count) /
        (1u << frame->depth) };
  if (self->n_frames - self->n_decided > WINDOW)
    decide (self, detection);
}

static const GstClProperty repeat_properties[] = {
  /**
   * GstClFrameSum:repeat-ratio:
   *
   * Greatest difference of a repeated frame from the frame before, as share of
   * the differences around it.
   *
   * Since: 0.3
   */
  { "repeat-ratio",
      "Greatest difference of a repeated frame, as share of those around it",
      GST_CL_EVENT_DOUBLE (repeat_ratio, 0.3, 0.0, 1.0) },

  /**
   * GstClFrameSum:repeat-motion:
   *
   * Least mean absolute difference of the frames around a repeated frame, as
   * share of 2^depth: a picture that moves less shows no repeated frames.
   *
   * Since: 0.3
   */
  { "repeat-motion",
      "Least mean difference around a repeated frame, as share of 2^depth",
      GST_CL_EVENT_DOUBLE (repeat_motion, 0.002, 0.0, 1.0) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_repeat = {
  .type = GST_CL_EVENT_REPEAT,
  .name = "repeat",
  .needs = GST_CL_STATISTIC (CHANGE),
  .values = { "period", "frames" },
  .state_bytes = sizeof (Repeat),
  .step = step,
  .finish = finish,
  .properties = repeat_properties,
};
