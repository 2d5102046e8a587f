/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments of frames that exceed the largest buffer of the device. */

#include "gstclmomentstrips.h"

#include "ops/moments/moments.h"
#include "ops/tieredop.h"

/* A strip has at most this part of the largest buffer, since buffers may have
 * larger strides than the caps, and three strips are in flight. */
#define PART_OF_LARGEST 4

/* Strips begin at multiples of this many rows, so that rows of subsampled
 * planes are whole. */
#define ROW_UNIT 4

struct _GstClMomentStrips {
  const GstClStatisticsShape *shape;
  gint n_rows; /* of each strip but the last one */

  /* for strips of n_rows, and for the last one; NULL: it has n_rows, too */
  GstClTieredOp *op, *last_op;
};

/* Returns the bytes of the largest plane. */
static gsize
count_plane_bytes (const GstVideoInfo *info)
{
  gsize most = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint row_bytes, n_rows;

    gst_cl_frame_plane_extent (info, p, &row_bytes, &n_rows);
    most = MAX (most,
        (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, p) * (gsize) n_rows);
  }

  return most;
}

/* Returns the rows of a strip; 0 if a strip of the fewest rows is too large. */
static gint
count_strip_rows (GstClContext *context, const GstVideoInfo *info)
{
  const guint64 n_rows = gst_util_uint64_scale (
      context->device->max_alloc_bytes / PART_OF_LARGEST,
      (guint64) GST_VIDEO_INFO_HEIGHT (info), count_plane_bytes (info));

  return (gint) MIN (n_rows, (guint64) GST_VIDEO_INFO_HEIGHT (info)) /
         ROW_UNIT * ROW_UNIT;
}

gboolean
gst_cl_moment_strips_are_needed (GstClContext *context,
    const GstClStatisticsShape *shape)
{
  return count_plane_bytes (&shape->info) > context->device->max_alloc_bytes &&
         count_strip_rows (context, &shape->info) > 0;
}

/* Returns the caps' description of a strip of @n_rows. */
static GstVideoInfo
get_strip_info (const GstClMomentStrips *self, gint n_rows)
{
  GstVideoInfo info = self->shape->info;

  GST_VIDEO_INFO_HEIGHT (&info) = n_rows;

  return info;
}

static GstClTieredOp *
make_op (const GstClMomentStrips *self, GstClContext *context, gint n_rows,
    gint reduction, gboolean may_measure, GError **error)
{
  const GstVideoInfo info = get_strip_info (self, n_rows);
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
  self->n_rows = count_strip_rows (context, &shape->info);
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

static guint
vertical_subsampling (const GstVideoInfo *info, guint plane)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_INFO_COMP_PLANE (info, c) == plane)
      return GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c);
  }

  return 0;
}

/* Returns a buffer with the memory of @buffer, and a meta that describes the
 * strip of @n_rows from @row on. NULL with @error; transfer full. */
static GstBuffer *
make_strip (const GstClMomentStrips *self, GstBuffer *buffer, gint row,
    gint n_rows, GError **error)
{
  const GstVideoInfo *info = &self->shape->info;
  g_autoptr (GstBuffer) strip = gst_buffer_new ();
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!gst_cl_frame_plane_layout (buffer, info, p, &offsets[p], &strides[p],
            error))
      return NULL;
    offsets[p] += (gsize) (row >> vertical_subsampling (info, p)) *
                  (gsize) strides[p];
  }
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    gst_buffer_append_memory (strip, gst_buffer_get_memory (buffer, i));
  gst_buffer_add_video_meta_full (strip, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) n_rows, GST_VIDEO_INFO_N_PLANES (info), offsets, strides);

  return g_steal_pointer (&strip);
}

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
  const GstVideoInfo info = get_strip_info (self, n_rows);
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
    g_autoptr (GstBuffer) strip = make_strip (self, buffer, row, n_rows, error);

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
