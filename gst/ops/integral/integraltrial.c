/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for measuring implementations of integral images: a frame of zeros. */

#include "integralprivate.h"

#include "cl/memory/gstclbuffer.h"

typedef struct {
  GstClIntegralIo io; /* first member: the public part */
  GstClComponent components[GST_CL_INTEGRAL_MAX_CHANNELS];
  GstClSums sums;
} TrialFrame;

/* Components are interleaved in one plane, or have a plane each. */
static gboolean
make_components (TrialFrame *trial, GstClContext *context,
    const GstClIntegralProblem *problem, GError **error)
{
  const gint stride_bytes = problem->width * problem->pixel_stride_bytes;
  const gsize plane_bytes = (gsize) stride_bytes * problem->height;
  const gboolean is_packed = problem->pixel_stride_bytes >=
                             problem->channels * (gint) problem->sample.bytes;
  const gsize distance_bytes = is_packed ? problem->sample.bytes : plane_bytes;
  const gsize size_bytes = plane_bytes * (is_packed ? 1 : problem->channels);
  cl_mem mem = gst_cl_buffer_new_zeroed (context, size_bytes, error);

  for (gint i = 0; i < problem->channels; i++)
    trial->components[i] = (GstClComponent){ .mem = mem,
      .offset_bytes = i * distance_bytes,
      .stride_bytes = stride_bytes,
      .pixel_stride_bytes = problem->pixel_stride_bytes,
      .width = problem->width,
      .height = problem->height,
      .sample = problem->sample };

  return mem != NULL;
}

static guint64
count_sums_bytes (const GstClIntegralProblem *problem)
{
  return gst_cl_integral_count_sums (problem) * problem->sum_bytes;
}

static gboolean
make_sums (TrialFrame *trial, GstClContext *context,
    const GstClIntegralProblem *problem, GError **error)
{
  trial->sums = (GstClSums){
    .mem = gst_cl_buffer_new (context,
        count_sums_bytes (problem) + sizeof (cl_uint), error),
    .offset_bytes = problem->starts_at_word ? sizeof (cl_uint) : 0,
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = problem->sum_bytes,
    .is_float = problem->is_float,
  };

  return trial->sums.mem != NULL;
}

gpointer
gst_cl_integral_io_new (GstClContext *context, gconstpointer problem,
    GError **error)
{
  TrialFrame *trial = g_new0 (TrialFrame, 1);

  trial->io = (GstClIntegralIo){ trial->components, &trial->sums };
  if (make_components (trial, context, problem, error) &&
      make_sums (trial, context, problem, error))
    return trial;

  gst_cl_integral_io_free (trial);

  return NULL;
}

void
gst_cl_integral_io_free (gpointer io)
{
  TrialFrame *trial = io;

  gst_cl_buffer_free (trial->components[0].mem);
  gst_cl_buffer_free (trial->sums.mem);
  g_free (trial);
}

guint64
gst_cl_integral_count_bytes (gconstpointer problem, guint n_candidates)
{
  /* the ops have scratch memory of about this size */
  return count_sums_bytes (problem) * n_candidates;
}
