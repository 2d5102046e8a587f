/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame, its integral image from the device, and the reference. */

#include "integralcase.h"
#include "integralreference.h"
#include "cl/memory/gstclbuffer.h"
#include "oprow.h"

#include <string.h>

const GstClImplementation *
integral_row (const gchar *name)
{
  return op_row_find (&gst_cl_integral_table, name);
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
    harness_fail (h, error, "cannot create an op of %s for %dx%d",
        gst_cl_candidate_name (candidate), problem->width, problem->height);

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
  candidate = gst_cl_implementation_untuned (row, problem, device);

  return integral_case_candidate (h, &candidate, problem);
}

#define GUARD_BYTE 0x5A

/* Components in random order, as in packed formats; with one channel any
 * component of the pixel. */
static void
choose_components (Harness *h, IntegralCase *pair)
{
  const gint channels = pair->problem.channels;
  const gint n = (gint) pair->planes[0]->n_components;
  const gint first = g_rand_int_range (h->rand, 0, n);

  for (gint i = 0; i < channels; i++) {
    const gboolean is_planar = pair->n_planes > 1;
    const TestPlane *plane = pair->planes[is_planar ? i : 0];

    pair->components[i] = plane->components[is_planar ? 0 : (first + i) % n];
    pair->bytes[i] = plane->bytes;
  }
}

/* Bytes that misalign frames and sums; none in a benchmark, whose frames are
 * aligned as those of a pool. */
static gint
choose_bytes (Harness *h, gint element_bytes, gint begin, gint end)
{
  return h->is_bench ? 0
                     : element_bytes * g_rand_int_range (h->rand, begin, end);
}

void
integral_case_init (Harness *h, IntegralCase *pair,
    const GstClIntegralProblem *problem, gboolean is_planar)
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

  *pair = (IntegralCase){ .problem = *problem };
  pair->n_planes = is_planar ? problem->channels : 1;
  for (gint i = 0; i < pair->n_planes; i++) {
    pair->planes[i] = test_plane_new_of (h, problem->sample, problem->width,
        problem->height, is_planar ? 1 : n_components,
        problem->pixel_stride_bytes / (gint) problem->sample.bytes,
        choose_bytes (h, bytes, 0, 40), choose_bytes (h, bytes, 0, 20));
  }
  choose_components (h, pair);

  pair->size_bytes = 2 * guard_bytes + ref_integral_size_bytes (problem);
  pair->want = g_malloc (pair->size_bytes);
  pair->got = g_malloc (pair->size_bytes);
  pair->sums = (GstClSums){
    .mem = gst_cl_buffer_new (h->context, pair->size_bytes, &error),
    .offset_bytes = guard_bytes,
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = problem->sum_bytes,
    .is_float = problem->is_float,
  };
  if (!pair->sums.mem)
    g_error ("cannot allocate sums: %s", error->message);
}

void
integral_case_clear (IntegralCase *pair)
{
  for (gint i = 0; i < pair->n_planes; i++)
    test_plane_free (pair->planes[i]);
  gst_cl_buffer_free (pair->sums.mem);
  g_free (pair->want);
  g_free (pair->got);
}

void
integral_case_fill (Harness *h, IntegralCase *pair, FillType fill)
{
  for (gint i = 0; i < pair->n_planes; i++)
    test_plane_fill (h, pair->planes[i], fill);

  memset (pair->want, GUARD_BYTE, pair->size_bytes);
  for (gint i = 0; i < pair->problem.channels; i++) {
    ref_integral (&pair->problem, i, pair->bytes[i], &pair->components[i],
        pair->want + pair->sums.offset_bytes);
  }
}

gboolean
integral_case_run (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    GError **error)
{
  memset (pair->got, GUARD_BYTE, pair->size_bytes);

  return gst_cl_buffer_write (h->context, pair->sums.mem, 0, pair->size_bytes,
             pair->got, error) &&
         gst_cl_integral_op_run (op, pair->components, &pair->sums, error) &&
         gst_cl_buffer_read (h->context, pair->sums.mem, 0, pair->size_bytes,
             pair->got, error);
}

void
integral_case_check (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    FillType fill)
{
  g_autoptr (GError) error = NULL;
  const GstClIntegralProblem *problem = &pair->problem;

  integral_case_fill (h, pair, fill);
  if (!integral_case_run (h, pair, op, &error)) {
    harness_fail (h, error, "cannot compute sums of %dx%d", problem->width,
        problem->height);
    return;
  }

  test_bytes_equal (h, pair->got, pair->want, pair->size_bytes,
      "%dx%d, %u bits, %d channels, pixel stride %d, %s, kind %d, %s of %u "
      "bytes, fill %s, row stride %d, sums at byte %" G_GSIZE_FORMAT,
      problem->width, problem->height, problem->sample.depth, problem->channels,
      problem->pixel_stride_bytes,
      problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? "exclusive" : "inclusive",
      problem->kind, problem->is_float ? "floats" : "sums", problem->sum_bytes,
      fill_type_name (fill), pair->components[0].stride_bytes,
      pair->sums.offset_bytes);
}
