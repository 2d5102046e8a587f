/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event border: bars of one colour around the picture. */

#include "statistics/series/gstcleventsprivate.h"

typedef struct {
  GstClActiveArea area;
  gboolean is_posted;
  GstClInstant start; /* of the current borders */
  GstClInstant next;  /* the first frame with other borders */
} Border;

/* Returns the kind of the borders; NULL without borders. */
static const gchar *
find_kind (const guint64 *widths)
{
  const gboolean has_sides = widths[GST_CL_SIDE_LEFT] > 0 ||
                             widths[GST_CL_SIDE_RIGHT] > 0;
  const gboolean has_ends = widths[GST_CL_SIDE_TOP] > 0 ||
                            widths[GST_CL_SIDE_BOTTOM] > 0;

  if (has_sides && has_ends)
    return "windowbox";

  return has_sides ? "pillarbox" : has_ends ? "letterbox" : NULL;
}

/* Posts the start or, with @end, the end of the event of @widths. */
static void
post (const Border *self, const GstClDetection *detection,
    const guint64 *widths, const GstClInstant *end)
{
  GstClDetection named = *detection;
  gdouble values[GST_CL_N_SIDES];

  named.word = find_kind (widths);
  for (guint s = 0; s < GST_CL_N_SIDES; s++)
    values[s] = widths[s];
  if (end)
    gst_cl_detection_post_end (&named, &self->start.time, &end->time,
        end->position - self->start.position, NULL, values);
  else
    gst_cl_detection_post_start (&named, &self->start.time, NULL, values);
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Border *self = state;

  if (self->is_posted)
    post (self, detection, self->area.widths, at_end);
}

/* Returns how long frames have shown the current borders. */
static GstClockTime
get_duration (const Border *self, const GstClInstant *at)
{
  return (self->area.has_next ? self->next.position : at->position) -
         self->start.position;
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Border *self = state;
  const GstClockTime min_duration = detection->settings->border_min_duration;
  GstClActiveArea before;
  gboolean is_new;

  if (gst_cl_active_area_ends (&self->area, &frame->borders)) {
    finish (self, detection, at);
    *self = (Border){ 0 };
  }
  before = self->area;
  is_new = gst_cl_active_area_add (&self->area, &frame->borders, at->position,
      min_duration);

  if (self->area.has_next && self->area.next_since == at->position)
    self->next = *at;
  if (is_new) {
    if (self->is_posted)
      post (self, detection, before.widths, &self->next);
    self->is_posted = FALSE;
    self->start = before.is_known ? self->next : *at;
  }
  if (self->area.is_known && !self->is_posted &&
      find_kind (self->area.widths) &&
      get_duration (self, at) >= min_duration) {
    self->is_posted = TRUE;
    post (self, detection, self->area.widths, NULL);
  }
}

static const GstClProperty border_properties[] = {
  /**
   * GstClFrameSum:border-min-duration:
   *
   * Time for which frames must show other borders before the active area
   * changes, and minimum duration of an event `border`.
   *
   * Since: 0.3
   */
  { "border-min-duration",
      "Time for which frames must show other borders, in nanoseconds",
      GST_CL_EVENT_UINT64 (border_min_duration, GST_SECOND / 2) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_border = {
  .type = GST_CL_EVENT_BORDER,
  .name = "border",
  .needs = GST_CL_STATISTIC (ACTIVE_AREA),
  .word = "kind",
  .values = { "left", "right", "top", "bottom" },
  .state_bytes = sizeof (Border),
  .step = step,
  .finish = finish,
  .properties = border_properties,
};
