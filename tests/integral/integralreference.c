/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference of integral images, one sum after the other. */

#include "integralreference.h"

#include "harness/harness.h"

#include <string.h>

static gint
border_of (const GstClIntegralProblem *problem)
{
  return problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

gsize
ref_integral_size_bytes (const GstClIntegralProblem *problem)
{
  const gint border = border_of (problem);

  return (gsize) (problem->width + border) * (problem->height + border) *
         problem->channels * problem->sum_bytes;
}

/* Stores @exact with the type of @problem; conversions of C round to nearest,
 * ties to even; those to a narrower integer wrap. */
static void
store (const GstClIntegralProblem *problem, guint64 exact, guint8 *at)
{
  const guint32 narrow = (guint32) exact;
  const gfloat single = (gfloat) exact;
  const gdouble twice = (gdouble) exact;

  if (problem->is_float && problem->sum_bytes == 4)
    memcpy (at, &single, sizeof single);
  else if (problem->is_float)
    memcpy (at, &twice, sizeof twice);
  else if (problem->sum_bytes == 8)
    memcpy (at, &exact, sizeof exact);
  else
    memcpy (at, &narrow, sizeof narrow);
}

/* Returns sample (x, y), 0 outside the frame. */
static guint64
get_sample (const guint8 *bytes, const GstClComponent *component, gint x,
    gint y)
{
  if (x < 0 || y < 0 || x >= component->width || y >= component->height)
    return 0;

  return test_code_at (bytes, component, x, y);
}

static void
store_sum (const GstClIntegralProblem *problem, gint channel, gint x, gint y,
    guint64 exact, guint8 *sums)
{
  const gsize length = (gsize) problem->width + border_of (problem);

  store (problem, exact,
      sums + (((gsize) y * length + x) * problem->channels + channel) *
                 problem->sum_bytes);
}

/* Adds a running sum along the row to the sum in the row above. */
static void
sum_rows (const GstClIntegralProblem *problem, gint channel,
    const guint8 *bytes, const GstClComponent *component, guint8 *sums)
{
  const gint border = border_of (problem);
  g_autofree guint64 *above = g_new0 (guint64, (gsize) problem->width + border);

  for (gint y = 0; y < problem->height + border; y++) {
    guint64 row = 0;

    for (gint x = 0; x < problem->width + border; x++) {
      const guint64 sample = get_sample (bytes, component, x - border,
          y - border);

      row += problem->kind == GST_CL_INTEGRAL_SQUARES ? sample * sample
                                                      : sample;
      above[x] += row;
      store_sum (problem, channel, x, y, above[x], sums);
    }
  }
}

/* By the definition, each row up adds a span that is longer by one at each end.
 * The sums of the samples left of a span's ends are prefix sums along
 * diagonals: @right for right ends, @left for left ones. Ends outside the frame
 * are as at its edge. */
static void
sum_spans (const GstClIntegralProblem *problem, gint channel,
    const guint8 *bytes, const GstClComponent *component, guint8 *sums)
{
  const gint border = border_of (problem);
  const gint width = problem->width;
  g_autofree guint64 *right = g_new0 (guint64, (gsize) width + 1);
  g_autofree guint64 *left = g_new0 (guint64, (gsize) width + 1);
  g_autofree guint64 *prefix = g_new0 (guint64, (gsize) width + 1);

  for (gint y = -border; y < problem->height; y++) {
    for (gint x = 0; x < width; x++)
      prefix[x + 1] = prefix[x] + get_sample (bytes, component, x, y);
    for (gint x = 0; x <= width; x++)
      right[x] = prefix[x] + right[MIN (x + 1, width)];
    for (gint x = width; x > 0; x--)
      left[x] = prefix[x] + left[x - 1];

    for (gint x = -border; x < width; x++)
      store_sum (problem, channel, x + border, y + border,
          right[x + 1] - left[MAX (x, 0)], sums);
  }
}

void
ref_integral (const GstClIntegralProblem *problem, gint channel,
    const guint8 *bytes, const GstClComponent *component, guint8 *sums)
{
  if (problem->kind == GST_CL_INTEGRAL_TILTED)
    sum_spans (problem, channel, bytes, component, sums);
  else
    sum_rows (problem, channel, bytes, component, sums);
}
