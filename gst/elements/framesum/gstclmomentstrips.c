/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments of frames that exceed the largest buffer of the device. */

#include "gstclmomentstrips.h"

#include "elements/base/gstclstrip.h"
#include "ops/moments/moments.h"
#include "ops/tieredop.h"

struct _GstClMomentStrips {
  const GstClStatisticsShape *shape;
  gint n_rows; /* of each strip but the last one */

  /* for strips of n_rows, and for the last one; NULL: it has n_rows, too */
  GstClTieredOp *op, *last_op;
};

static gint
count_rows (GstClContext *context, const GstVideoInfo *info)
{
  return gst_cl_strip_rows (context, GST_VIDEO_INFO_HEIGHT (info),
      gst_cl_strip_plane_bytes (info));
}

gboolean
gst_cl_moment_strips_are_needed (GstClContext *context,
    const GstClStatisticsShape *shape)
{
  return gst_cl_strip_plane_bytes (&shape->info) >
             context->device->max_alloc_bytes &&
         count_rows (context, &shape->info) > 0;
}

static GstClTieredOp *
make_op (const GstClMomentStrips *self, GstClContext *context, gint n_rows,
    gint reduction, gboolean may_measure, GError **error)
{
  const GstVideoInfo info = gst_cl_strip_info (&self->shape->info, n_rows);
  GstClMomentsProblem problem = { .n_components = self->shape->n_components };

  for (guint i = 0; i < problem.n_components; i++)
    problem.components[i] = gst_cl_component_of_info (&info,
        self->shape->component_ids[i]);

  return gst_cl_tiered_op_new (&gst_cl_moments_tiered, context, reduction,
      &problem, may_measure, error);
}

GstClMomentStrips *
gst_cl_moment_strips_new (GstClContext *context,
    const GstClStatisticsShape *shape, gint reduction, gboolean may_measure,
    GError **error)
{
  GstClMomentStrips *self = g_new0 (GstClMomentStrips, 1);
  gint n_last;

  self->shape = shape;
  self->n_rows = count_rows (context, &shape->info);
  n_last = GST_VIDEO_INFO_HEIGHT (&shape->info) % self->n_rows;
  self->op = make_op (self, context, self->n_rows, reduction, may_measure,
      error);
  if (self->op && n_last > 0)
    self->last_op = make_op (self, context, n_last, reduction, may_measure,
        error);
  if (!self->op || (n_last > 0 && !self->last_op))
    g_clear_pointer (&self, gst_cl_moment_strips_free);

  return self;
}

void
gst_cl_moment_strips_free (GstClMomentStrips *self)
{
  if (!self)
    return;

  gst_cl_tiered_op_free (self->op);
  gst_cl_tiered_op_free (self->last_op);
  g_free (self);
}

/* --- measuring ------------------------------------------------------------ */

typedef struct {
  GstClMomentsOp *op;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
} Work;

static gboolean
run (gpointer user_data, GError **error)
{
  Work *work = user_data;

  return gst_cl_moments_op_run (work->op, work->components, error);
}

static const GstClFrameWork strip_work = { .run = run };

/* Measures @strip of @n_rows as the current frame of @frames. */
static gboolean
measure_strip (GstClMomentStrips *self, GstClInFlight *frames, GstBuffer *strip,
    gint n_rows, guint component_mask, GstClMoments *moments, GError **error)
{
  const GstVideoInfo info = gst_cl_strip_info (&self->shape->info, n_rows);
  const GstClFrame *frame = gst_cl_in_flight_take_components (frames, strip,
      &info, component_mask, GST_MAP_READ, error);
  Work work;

  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->shape->n_components; i++)
    work.components[i] = gst_cl_frame_component (frame,
        self->shape->component_ids[i]);
  work.op = gst_cl_tiered_op_next (
      n_rows == self->n_rows ? self->op : self->last_op, error);

  return work.op && gst_cl_in_flight_run (frames, &strip_work, &work, error) &&
         gst_cl_moments_op_read (work.op, moments, error);
}

static void
add_moments (GstClMoments *to, const GstClMoments *more)
{
  to->sum += more->sum;
  to->sum_squares += more->sum_squares;
  to->count += more->count;
  to->min = MIN (to->min, more->min);
  to->max = MAX (to->max, more->max);
}

gboolean
gst_cl_moment_strips_measure (GstClMomentStrips *self, GstClInFlight *frames,
    GstBuffer *buffer, guint component_mask, GstClMoments *moments,
    GError **error)
{
  const gint height = GST_VIDEO_INFO_HEIGHT (&self->shape->info);

  for (gint row = 0; row < height; row += self->n_rows) {
    const gint n_rows = MIN (self->n_rows, height - row);
    GstClMoments of_strip[GST_VIDEO_MAX_COMPONENTS];
    g_autoptr (GstBuffer) strip = gst_cl_strip_buffer (buffer,
        &self->shape->info, row, n_rows, error);

    if (!strip || !measure_strip (self, frames, strip, n_rows, component_mask,
                      of_strip, error))
      return FALSE;
    for (guint i = 0; i < self->shape->n_components; i++) {
      if (row == 0)
        moments[i] = of_strip[i];
      else
        add_moments (&moments[i], &of_strip[i]);
    }

    /* the caller ends the last one */
    if (row + n_rows < height &&
        (!gst_cl_in_flight_end (frames, strip, error) ||
            !gst_cl_in_flight_begin (frames, error)))
      return FALSE;
  }

  return TRUE;
}
