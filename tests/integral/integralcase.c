/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame and its integral image, as the device makes it and as it should
 * be. */

#include "integralcase.h"
#include "integralreference.h"

#include <string.h>

const GstClImplementation *
integral_row (const gchar *name)
{
  return gst_cl_op_table_find (&gst_cl_integral_table, name);
}

const GstClImplementation *
integral_case_row (const Harness *h)
{
  return integral_row (h->label + strlen (INTEGRAL_CASE_PREFIX));
}

GstClIntegralOp *
integral_case_candidate (Harness *h, const GstClCandidate *candidate,
    const GstClIntegralProblem *problem)
{
  g_autoptr (GError) error = NULL;
  GstClIntegralOp *op = gst_cl_integral_op_new (h->context, candidate, problem,
      &error);

  if (!op)
    harness_fail (h, error, "new %s %dx%d", gst_cl_candidate_name (candidate),
        problem->width, problem->height);

  return op;
}

GstClIntegralOp *
integral_case_op (Harness *h, const GstClImplementation *row,
    const GstClIntegralProblem *problem)
{
  const GstClDevice *device = h->context->device;
  GstClCandidate candidate;

  if (!gst_cl_implementation_supports (row, problem, device))
    row = gst_cl_op_table_first (&gst_cl_integral_table, row->method, problem,
        device);
  candidate = gst_cl_implementation_usual (row, problem, device);

  return integral_case_candidate (h, &candidate, problem);
}

#define GUARD_BYTE 0x5A

/* Components in random order, as packed formats have them; of one channel any
 * component of the pixel. */
static void
choose_components (Harness *h, Trial *trial)
{
  const gint channels = trial->problem.channels;
  const gint n = (gint) trial->planes[0]->n_components;
  const gint first = g_rand_int_range (h->rand, 0, n);

  for (gint i = 0; i < channels; i++) {
    const gboolean is_planar = trial->n_planes > 1;
    const TestPlane *plane = trial->planes[is_planar ? i : 0];

    trial->components[i] = plane->components[is_planar ? 0 : (first + i) % n];
    trial->bytes[i] = plane->bytes;
  }
}

/* Bytes that shift frames and sums against each other; none in a benchmark,
 * whose frames lie as a pool's do. */
static gint
choose_bytes (Harness *h, gint element_bytes, gint begin, gint end)
{
  return h->is_bench ? 0
                     : element_bytes * g_rand_int_range (h->rand, begin, end);
}

void
trial_init (Harness *h, Trial *trial, const GstClIntegralProblem *problem,
    gboolean is_planar)
{
  g_autoptr (GError) error = NULL;
  const gint bytes = (gint) problem->sample.bytes;
  const gint word_bytes = problem->starts_at_word ? (gint) sizeof (cl_uint)
                                                  : (gint) problem->sum_bytes;
  const gsize guard_bytes = choose_bytes (h, word_bytes, 1, 9);
  const gint n_components = problem->channels > 1
                                ? problem->channels
                                : g_rand_int_range (h->rand, 1,
                                      problem->pixel_stride_bytes /
                                              (gint) problem->sample.bytes +
                                          1);

  *trial = (Trial){ .problem = *problem };
  trial->n_planes = is_planar ? problem->channels : 1;
  for (gint i = 0; i < trial->n_planes; i++) {
    trial->planes[i] = test_plane_new_of (h, problem->sample, problem->width,
        problem->height, is_planar ? 1 : n_components,
        problem->pixel_stride_bytes / (gint) problem->sample.bytes,
        choose_bytes (h, bytes, 0, 40), choose_bytes (h, bytes, 0, 20));
  }
  choose_components (h, trial);

  trial->size_bytes = 2 * guard_bytes + ref_integral_size_bytes (problem);
  trial->want = g_malloc (trial->size_bytes);
  trial->got = g_malloc (trial->size_bytes);
  trial->sums = (GstClSums){
    .mem = gst_cl_buffer_new (h->context, trial->size_bytes, &error),
    .offset_bytes = guard_bytes,
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = problem->sum_bytes,
    .is_float = problem->is_float,
  };
  if (!trial->sums.mem)
    g_error ("sums: %s", error->message);
}

void
trial_clear (Trial *trial)
{
  for (gint i = 0; i < trial->n_planes; i++)
    test_plane_free (trial->planes[i]);
  gst_cl_buffer_free (trial->sums.mem);
  g_free (trial->want);
  g_free (trial->got);
}

void
trial_fill (Harness *h, Trial *trial, FillType fill)
{
  for (gint i = 0; i < trial->n_planes; i++)
    test_plane_fill (h, trial->planes[i], fill);

  memset (trial->want, GUARD_BYTE, trial->size_bytes);
  for (gint i = 0; i < trial->problem.channels; i++) {
    ref_integral (&trial->problem, i, trial->bytes[i], &trial->components[i],
        trial->want + trial->sums.offset_bytes);
  }
}

gboolean
trial_run (Harness *h, Trial *trial, GstClIntegralOp *op, GError **error)
{
  memset (trial->got, GUARD_BYTE, trial->size_bytes);

  return gst_cl_buffer_write (h->context, trial->sums.mem, 0, trial->size_bytes,
             trial->got, error) &&
         gst_cl_integral_op_run (op, trial->components, &trial->sums, error) &&
         gst_cl_buffer_read (h->context, trial->sums.mem, 0, trial->size_bytes,
             trial->got, error);
}

void
trial_check (Harness *h, Trial *trial, GstClIntegralOp *op, FillType fill)
{
  g_autoptr (GError) error = NULL;
  const GstClIntegralProblem *problem = &trial->problem;

  trial_fill (h, trial, fill);
  if (!trial_run (h, trial, op, &error)) {
    harness_fail (h, error, "run %dx%d", problem->width, problem->height);
    return;
  }

  test_bytes_equal (h, trial->got, trial->want, trial->size_bytes,
      "%dx%d, %u bits, %d channels, pixel stride %d, %s, kind %d, %u byte %s, "
      "fill %s, "
      "row "
      "stride %d, sums at %" G_GSIZE_FORMAT,
      problem->width, problem->height, problem->sample.depth, problem->channels,
      problem->pixel_stride_bytes,
      problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? "exclusive" : "inclusive",
      problem->kind, problem->sum_bytes, problem->is_float ? "floats" : "sums",
      fill_type_name (fill), trial->components[0].stride_bytes,
      trial->sums.offset_bytes);
}
