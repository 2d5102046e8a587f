/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saturation and hue: the lookup tables of the kernels. */

#include "metricschroma.h"

#include <math.h>

#define N_DEGREES     90
#define TANGENT_SCALE 1099511627776.0L /* 2^40 */
#define N_CODES       256
#define MIDDLE        128

/* Far less than the distance of any pair of codes from the next whole degree,
 * unless it is exactly on one; far more than the error of doubles. */
#define DEGREES_TOLERANCE 1e-9

static guint
exact_hue (gint u, gint v)
{
  const gdouble degrees = atan2 (u, v) * 180 / G_PI + 180;

  return (guint) floor (degrees + DEGREES_TOLERANCE) % GST_CL_METRICS_HUES;
}

/* The table of saturation | hue << 16, by u | v << 8. */
static gpointer
table_of_pairs (const GstClMetricsProblem *problem, gsize *n_bytes)
{
  guint32 *table = g_new (guint32, N_CODES * N_CODES);

  for (gint v = 0; v < N_CODES; v++) {
    for (gint u = 0; u < N_CODES; u++) {
      const gint from_u = u - MIDDLE, from_v = v - MIDDLE;
      const guint saturation = sqrt (from_u * from_u + from_v * from_v);
      const guint hue = exact_hue (from_u, from_v);

      table[u | v << 8] = saturation * problem->n_bins / N_CODES | hue << 16;
    }
  }
  *n_bytes = N_CODES * N_CODES * sizeof *table;

  return table;
}

/* The table of saturation | degrees within the quadrant << 16, by y | x times
 * the number of y; x and y are distances from the middle. A megabyte at 10
 * bits. */
static gpointer
table_of_quadrant (const GstClMetricsProblem *problem, gsize *n_bytes)
{
  const guint depth = problem->shapes[0].sample.depth;
  const guint n = (1u << (depth - 1)) + 1;
  guint32 *table = g_new (guint32, n * n);

  for (guint x = 0; x < n; x++) {
    for (guint y = 0; y < n; y++) {
      const guint saturation = sqrt (x * x + y * y);
      const gdouble degrees = x > 0 ? atan2 (y, x) * 180 / G_PI : 0;

      table[y + x * n] = saturation * problem->n_bins >> depth |
                         (guint) (degrees + DEGREES_TOLERANCE) << 16;
    }
  }
  *n_bytes = (gsize) n * n * sizeof *table;

  return table;
}

/* The table of tangents of whole degrees below 90, rounded to 1 /
 * TANGENT_SCALE; that of 45 is 1. */
static gpointer
table_of_tangents (gsize *n_bytes)
{
  guint64 *tangents = g_new (guint64, N_DEGREES);

  for (guint i = 0; i < N_DEGREES; i++)
    tangents[i] = llroundl (
        tanl (i * 3.14159265358979323846264338327950288L / 180) *
        TANGENT_SCALE);
  *n_bytes = N_DEGREES * sizeof *tangents;

  return tangents;
}

gpointer
gst_cl_metrics_chroma_table (const GstClMetricsProblem *problem, gsize *n_bytes)
{
  const guint depth = problem->shapes[0].sample.depth;

  if (depth == 8)
    return table_of_pairs (problem, n_bytes);
  if (depth <= MAX_QUADRANT_DEPTH)
    return table_of_quadrant (problem, n_bytes);

  return table_of_tangents (n_bytes);
}
