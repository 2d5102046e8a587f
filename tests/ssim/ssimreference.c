/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of SSIM, in the simplest code. */

#include "ssimreference.h"

#include "harness/harness.h"

#include <gst/gst.h>
#include <math.h>

#define WINDOW 8 /* samples, in both directions */
#define STEP   4 /* from a window to the next */

typedef struct {
  gint64 s1, s2, ss, s12;
} Sums;

static Sums
sum_window (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b, gint x, gint y)
{
  Sums sums = { 0, 0, 0, 0 };

  for (gint j = y; j < y + WINDOW; j++) {
    for (gint i = x; i < x + WINDOW; i++) {
      const gint64 p = test_code_at (a_bytes, a, i, j);
      const gint64 q = test_code_at (b_bytes, b, i, j);

      sums.s1 += p;
      sums.s2 += q;
      sums.ss += p * p + q * q;
      sums.s12 += p * q;
    }
  }

  return sums;
}

static gint64
value_of (const Sums *sums, guint depth)
{
  const gdouble max = (1u << depth) - 1;
  const gint64 c1 = (gint64) floor (.01 * .01 * max * max * 64 + .5);
  const gint64 c2 = (gint64) floor (.03 * .03 * max * max * 64 * 63 + .5);
  const gint64 squares = sums->s1 * sums->s1 + sums->s2 * sums->s2;
  const gint64 n1 = 2 * sums->s1 * sums->s2 + c1, d1 = squares + c1;
  const gint64 n2 = 2 * (sums->s12 * 64 - sums->s1 * sums->s2) + c2;
  const gint64 d2 = sums->ss * 64 - squares + c2;
  const guint64 q1 = gst_util_uint64_scale ((guint64) n1, GST_CL_SSIM_ONE,
      (guint64) d1);
  const guint64 q2 = gst_util_uint64_scale ((guint64) ABS (n2), GST_CL_SSIM_ONE,
      (guint64) d2);
  const gint64 size = (gint64) (q1 * q2 / GST_CL_SSIM_ONE);

  return n2 < 0 ? -size : size;
}

gint64
ref_ssim (const guint8 *a_bytes, const GstClComponent *a, const guint8 *b_bytes,
    const GstClComponent *b)
{
  gint64 sum = 0;

  for (gint y = 0; y + WINDOW <= a->height; y += STEP) {
    for (gint x = 0; x + WINDOW <= a->width; x += STEP) {
      const Sums sums = sum_window (a_bytes, a, b_bytes, b, x, y);

      sum += value_of (&sums, a->sample.depth);
    }
  }

  return sum;
}
