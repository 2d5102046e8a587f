/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments of frames that exceed the largest buffer of the device. */

#include "gstclmomentstrips.h"

#include "elements/base/gstclstrip.h"
#include "ops/tieredop.h"
#include "statistics/moments/moments.h"

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

/* Arguments for the work on the strips of one frame. */
typedef struct {
  GstClMomentStrips *self;
  GstClStrips strips;
  GstClMoments *moments; /* of the strips so far */
} Work;

static void
add_moments (GstClMoments *to, const GstClMoments *more)
{
  to->sum += more->sum;
  to->sum_squares += more->sum_squares;
  to->count += more->count;
  to->min = MIN (to->min, more->min);
  to->max = MAX (to->max, more->max);
}

static gboolean
measure_strip (const GstClFrame *strip, gint row, gpointer user_data,
    GError **error)
{
  Work *work = user_data;
  const GstClMomentStrips *self = work->self;
  const gboolean is_last = GST_VIDEO_INFO_HEIGHT (&strip->info) != self->n_rows;
  GstClMomentsOp *op = gst_cl_tiered_op_next (
      is_last ? self->last_op : self->op, error);
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  GstClMoments of_strip[GST_VIDEO_MAX_COMPONENTS];

  for (guint i = 0; i < self->shape->n_components; i++)
    components[i] = gst_cl_frame_component (strip,
        self->shape->component_ids[i]);
  if (!op || !gst_cl_in_flight_begin_kernels (work->strips.frames, error) ||
      !gst_cl_moments_op_run (op, components, error) ||
      !gst_cl_in_flight_end_kernels (work->strips.frames, error) ||
      !gst_cl_moments_op_read (op, of_strip, error))
    return FALSE;

  for (guint i = 0; i < self->shape->n_components; i++) {
    if (row == 0)
      work->moments[i] = of_strip[i];
    else
      add_moments (&work->moments[i], &of_strip[i]);
  }

  return TRUE;
}

gboolean
gst_cl_moment_strips_measure (GstClMomentStrips *self, GstClInFlight *frames,
    GstBuffer *buffer, guint component_mask, GstClMoments *moments,
    GError **error)
{
  Work work = { .self = self,
    .strips = { frames, buffer, &self->shape->info, self->n_rows,
        component_mask },
    .moments = moments };

  return gst_cl_strips_run (&work.strips, measure_strip, &work, error);
}
