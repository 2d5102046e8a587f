/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event flash. */

#include "statistics/series/gstcleventsprivate.h"

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
