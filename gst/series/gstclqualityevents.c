/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events noisy, blocky, flash and levels. */

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

/* --- flash ---------------------------------------------------------------- */

typedef struct {
  GstClSpan span;
  const gchar *kind; /* of the event */
} Flash;

static void
step_flash (gpointer state, const GstClDetection *detection,
    const GstClInstant *at, const GstClSeriesFrame *frame)
{
  static const gchar *const kinds[] = { "luminance", "red" };
  const GstClFlashState *flash = &frame->flash;
  GstClDetection named = *detection;
  Flash *self = state;
  guint64 results[GST_CL_FLASH_N_KINDS], transitions;
  guint worst;

  for (guint i = 0; i < GST_CL_FLASH_N_KINDS; i++)
    results[i] = MAX (flash->result[i], flash->region_result[i]);
  worst = results[GST_CL_FLASH_OF_RED] > results[GST_CL_FLASH_OF_LUMINANCE]
              ? GST_CL_FLASH_OF_RED
              : GST_CL_FLASH_OF_LUMINANCE;
  transitions = MAX (flash->transitions[worst],
      flash->region_transitions[worst]);
  if (!self->span.has_begun)
    self->kind = kinds[worst];
  named.word = self->kind;

  gst_cl_span_step (&self->span, &named, at,
      results[worst] >= GST_CL_FLASH_EXTENDED,
      results[worst] >= GST_CL_FLASH_WARNING, 0,
      (const gdouble[]){ results[worst], transitions, flash->x, flash->y,
          flash->width, flash->height });
}

static void
finish_flash (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  GstClDetection named = *detection;
  Flash *self = state;

  named.word = self->kind;
  gst_cl_span_finish (&self->span, &named, at_end);
}

static const GstClProperty flash_properties[] = {
  /**
   * GstClFrameSum:flash-area:
   *
   * Share of the picture, or of a third of it in each direction, that flashes
   * must exceed for an event `flash`.
   *
   * Since: 0.3
   */
  { "flash-area", "Share of the picture or of a region that flashes exceed",
      GST_CL_EVENT_DOUBLE (flash_area, 0.25, 0.0, 1.0) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_flash = {
  .type = GST_CL_EVENT_FLASH,
  .name = "flash",
  .needs = GST_CL_STATISTIC (FLASH),
  .word = "kind",
  .values = { "result", "transitions", "x", "y", "width", "height" },
  .state_bytes = sizeof (Flash),
  .step = step_flash,
  .finish = finish_flash,
  .properties = flash_properties,
};

/* --- levels --------------------------------------------------------------- */

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
