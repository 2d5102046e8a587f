/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for measuring local means: frames of zeros. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"

#define SQUARES_BYTES 8 /* of a sum of squares */

typedef struct {
  GstClLocalMeanIo io; /* first member: the io of run() */
  GstClComponent samples, results;
  GstClSums sums, squares;
} Trial;

static gboolean
fill_plane (GstClComponent *plane, GstClContext *context, GError **error)
{
  plane->mem = gst_cl_buffer_new_zeroed (context,
      (gsize) plane->stride_bytes * plane->height, error);

  return plane->mem != NULL;
}

/* Returns the number of sums of an input that is an integral image. */
static guint64
count_sums (const GstClLocalMeanProblem *problem)
{
  const guint border = problem->layout == GST_CL_LAYOUT_EXCLUSIVE;

  return ((guint64) problem->width + border) *
         ((guint64) problem->height + border) * problem->channels;
}

static gboolean
make_sums (GstClSums *sums, GstClContext *context,
    const GstClLocalMeanProblem *problem, guint sum_bytes, GError **error)
{
  *sums = (GstClSums){
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = sum_bytes,
  };
  sums->mem = gst_cl_buffer_new_zeroed (context,
      count_sums (problem) * sum_bytes, error);

  return sums->mem != NULL;
}

static gboolean
make_image (Trial *self, GstClContext *context,
    const GstClLocalMeanProblem *problem, GError **error)
{
  self->io.sums = &self->sums;
  if (!make_sums (&self->sums, context, problem, problem->sum_bytes, error))
    return FALSE;
  if (!gst_cl_local_mean_needs_squares (problem->operation))
    return TRUE;

  self->io.squares = &self->squares;

  return make_sums (&self->squares, context, problem, SQUARES_BYTES, error);
}

static gboolean
make_input (Trial *self, GstClContext *context,
    const GstClLocalMeanProblem *problem, GError **error)
{
  if (problem->from_sums)
    return make_image (self, context, problem, error);

  self->io.samples = &self->samples;
  self->samples = gst_cl_local_mean_plane (&problem->sample, problem->width,
      problem->height, problem->src_pixel_stride_bytes);

  return fill_plane (&self->samples, context, error);
}

gpointer
gst_cl_local_mean_trial_new (GstClContext *context, gconstpointer problem,
    GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  Trial *self = g_new0 (Trial, 1);
  gint width, height;

  gst_cl_local_mean_result_size (p, &width, &height);
  self->io.results = &self->results;
  self->results = gst_cl_local_mean_plane (&p->sample, width, height,
      p->dst_pixel_stride_bytes);
  if (!make_input (self, context, p, error) ||
      !fill_plane (&self->results, context, error))
    g_clear_pointer (&self, gst_cl_local_mean_trial_free);

  return self;
}

void
gst_cl_local_mean_trial_free (gpointer trial)
{
  Trial *self = trial;

  if (!self)
    return;

  gst_cl_buffer_free (self->samples.mem);
  gst_cl_buffer_free (self->results.mem);
  gst_cl_buffer_free (self->sums.mem);
  gst_cl_buffer_free (self->squares.mem);
  g_free (self);
}

/* Counts the integral images of the input, or those that each candidate makes,
 * with 8 bytes per sum, in one piece; samples need little memory in
 * comparison. */
guint64
gst_cl_local_mean_trial_count_bytes (gconstpointer problem, guint n_candidates)
{
  const GstClLocalMeanProblem *p = problem;
  const guint squares_bytes = gst_cl_local_mean_needs_squares (p->operation)
                                  ? SQUARES_BYTES
                                  : 0;

  if (p->from_sums)
    return count_sums (p) * (p->sum_bytes + squares_bytes);

  return (guint64) p->width * p->height * (sizeof (cl_ulong) + squares_bytes) *
         n_candidates;
}
