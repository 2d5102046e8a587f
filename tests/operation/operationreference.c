/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on local means, in integers, by docs/cllocalmean.md. */

#include "operationreference.h"

#include <math.h>
#include <string.h>

/* Extremes of the frame, for WOLF. */
typedef struct {
  guint largest_deviation; /* 1/256 of a code */
  guint smallest;          /* code */
} Extremes;

static gint64
floor_divide (gint64 a, gint64 b)
{
  gint64 q = a / b;

  while (q * b > a)
    q--;

  return q;
}

/* Returns the largest integer whose square is at most @square. */
static guint64
root (guint64 square)
{
  guint64 low = 0, high = G_GUINT64_CONSTANT (1) << 32;

  while (high - low > 1) {
    const guint64 middle = (low + high) / 2;

    if (middle * middle <= square)
      low = middle;
    else
      high = middle;
  }

  return low;
}

guint
ref_local_op_deviation (const RefMoments *m)
{
  g_assert (m->n > 0);
  /* around the whole part of the mean; both quotients have 32 fraction bits */
  const guint64 a = m->sum / m->n, b = m->sum % m->n;
  const guint64 c = m->squares - 2 * a * m->sum + a * a * m->n;
  const guint64 square = (c / m->n << 32) + (c % m->n << 32) / m->n;
  const guint64 fraction = (b << 32) / m->n;
  const guint64 below = fraction * fraction >> 32;

  /* the square of a fraction below 1: fits 64 bits */
  return (guint) root ((square > below ? square - below : 0) >> 16);
}

/* Rounds @k to 1/65536, halves up; the product likewise. */
static gint64
weighted (gdouble k, gint64 value)
{
  return floor_divide (value * (gint64) floor (k * 65536 + .5) + 32768, 65536);
}

static gint64
threshold (const GstClLocalMeanProblem *problem, gint64 m, gint64 s,
    const Extremes *extremes)
{
  const GstClLocalMeanFactors *f = &problem->factors;
  const gint64 r = MAX ((gint64) floor (f->r * 256 + .5), 1);
  const gint64 largest = extremes->largest_deviation;
  gint64 above;

  switch (problem->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_MEAN_C:
      return floor_divide (m + 128, 256) * 256;
    case GST_CL_LOCAL_MEAN_OPERATION_BRADLEY:
      return m - weighted (f->k, m);
    case GST_CL_LOCAL_MEAN_OPERATION_NIBLACK:
      return m + weighted (f->k, s);
    case GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA:
      return m + weighted (f->k, floor_divide (m * (s - r), r));
    case GST_CL_LOCAL_MEAN_OPERATION_WOLF:
      above = m - 256 * (gint64) extremes->smallest;
      return m - weighted (f->k, largest
                                     ? above - floor_divide (above * s, largest)
                                     : above);
    default:
      return m + weighted (f->k, (gint64) root (2 * s * s + m * m));
  }
}

static guint
result (const GstClLocalMeanProblem *problem, guint code,
    const RefMoments *moments, const Extremes *extremes)
{
  g_assert (moments->n > 0);
  const GstClLocalMeanFactors *f = &problem->factors;
  const gint64 max = (1 << problem->sample.depth) - 1;
  const gint64 m = MIN ((gint64) (256 * moments->sum / moments->n), 256 * max);
  const gint64 s = MIN (ref_local_op_deviation (moments), 128 * max);
  const gint64 rounded = floor_divide (m + 128, 256);
  gint64 t;

  switch (problem->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_MEAN:
      return (guint) rounded;
    case GST_CL_LOCAL_MEAN_OPERATION_STDDEV:
      return (guint) floor_divide (s + 128, 256);
    case GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE:
      return (guint) CLAMP ((max + 1) / 2 + (gint64) code - rounded, 0, max);
    case GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE:
      t = (gint64) code * (gint64) floor (f->target + .5) * 256;
      return m ? (guint) MIN ((t + m / 2) / m, max) : 0;
    default:
      break;
  }

  t = threshold (problem, m, s, extremes) -
      (gint64) floor (f->offset * 256 + .5);
  if (problem->operation >= GST_CL_LOCAL_MEAN_OPERATION_NIBLACK)
    t = CLAMP (floor_divide (t + 128, 256), 0, max) * 256;

  return (256 * (gint64) code > t) != (f->invert != 0) ? (guint) max : 0;
}

static Extremes
find_extremes (const guint32 *samples, const GstClLocalMeanProblem *problem,
    const RefMoments *moments, gsize n_results)
{
  Extremes extremes = { 0, G_MAXUINT };

  for (gsize i = 0; i < n_results; i++)
    extremes.largest_deviation = MAX (extremes.largest_deviation,
        ref_local_op_deviation (&moments[i]));
  for (gsize i = 0; i < (gsize) problem->width * problem->height; i++)
    extremes.smallest = MIN (extremes.smallest, samples[i]);
  extremes.smallest = MIN (extremes.smallest,
      (1u << problem->sample.depth) - 1);

  return extremes;
}

/* Returns the moments of each window. Those of the last call are kept: tests
 * compare several operations on the same samples. */
static const RefMoments *
find_moments (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, gint columns, gint rows)
{
  static struct {
    gint width, height, rows;
    GstClWindow window;
    guint32 *samples;
    RefMoments *moments;
  } last;
  const gsize n_bytes = sizeof *samples * (gsize) width * (gsize) height;

  if (last.width == width && last.height == height && last.rows == rows &&
      memcmp (&last.window, window, sizeof *window) == 0 &&
      memcmp (last.samples, samples, n_bytes) == 0)
    return last.moments;

  g_free (last.samples);
  g_free (last.moments);
  last.width = width;
  last.height = height;
  last.rows = rows;
  last.window = *window;
  last.samples = g_memdup2 (samples, n_bytes);
  last.moments = g_new0 (RefMoments, (gsize) columns * rows);
  for (gint j = 0; j < rows; j++) {
    for (gint i = 0; i < columns; i++)
      ref_local_mean_moments (samples, width, height, window, i, j,
          &last.moments[j * columns + i]);
  }

  return last.moments;
}

guint16 *
ref_local_op (const guint32 *samples, const GstClLocalMeanProblem *problem)
{
  const GstClWindow *window = &problem->window;
  g_autofree guint16 *codes = ref_local_mean_copy (samples, problem->width,
      problem->height, window);
  const RefMoments *moments;
  Extremes extremes;
  gint columns, rows;
  guint16 *results;

  ref_local_mean_size (problem->width, problem->height, window, &columns,
      &rows);
  if (problem->n_result_rows)
    rows = problem->n_result_rows;
  results = g_new (guint16, (gsize) columns * rows);
  moments = find_moments (samples, problem->width, problem->height, window,
      columns, rows);
  extremes = find_extremes (samples, problem, moments, (gsize) columns * rows);
  for (gint i = 0; i < columns * rows; i++)
    results[i] = (guint16) result (problem,
        MIN (codes[i], (1u << problem->sample.depth) - 1), &moments[i],
        &extremes);

  return results;
}
