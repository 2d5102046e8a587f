/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light levels. */

#include "gstcllight.h"

#include <math.h>

const gdouble gst_cl_light_percents[GST_CL_LIGHT_N_PERCENTILES] = { 1, 5, 10,
  25, 50, 75, 90, 95, 98, 99, 99.98, GST_CL_LIGHT_ROBUST_PERCENT };

/* Returns the rank, from 1, of the percentile: the least number of pixels that
 * are at least this share of all. */
static guint64
rank_of (gdouble percent, guint64 n)
{
  /* the products are exact but for their last bits */
  const gdouble rank = ceil (percent * n / 100 - 1e-6);

  return CLAMP ((guint64) MAX (rank, 1), 1, n);
}

/* A walk through a histogram by rising ranks. */
typedef struct {
  const GstClLightCounts *counts;
  guint64 n_left_out; /* of the darkest pixels, skipped */
  guint code;         /* the next one */
  guint64 n_passed;   /* pixels before code, of those not left out */
} Walk;

/* Returns the code of the pixel of @rank, which is not below that of the call
 * before. */
static guint
walk_to (Walk *self, guint64 rank)
{
  while (self->n_passed < rank) {
    const guint64 n = self->counts->histogram[self->code];
    const guint64 n_out = MIN (n, self->n_left_out);

    self->n_left_out -= n_out;
    self->n_passed += n - n_out;
    self->code++;
  }

  return self->code - 1;
}

static void
set_average (GstClLightLevels *levels, const GstClLightCounts *counts,
    const GstClLightCurve *curve, guint64 n_left_out, guint64 n)
{
  gdouble sum = 0;

  for (guint code = 0; code < counts->n_codes; code++) {
    const guint64 n_out = MIN (counts->histogram[code], n_left_out);

    n_left_out -= n_out;
    if (counts->histogram[code] > n_out)
      sum += (gdouble) (counts->histogram[code] - n_out) *
             gst_cl_light_of_code (curve, code);
  }
  levels->average = sum / n;
}

void
gst_cl_light_levels_init (GstClLightLevels *levels,
    const GstClLightCounts *counts, const GstClLightCurve *curve,
    guint64 n_left_out)
{
  const guint64 n = counts->n_pixels - MIN (n_left_out, counts->n_pixels);
  Walk walk = { counts, n_left_out, 0, 0 };
  guint64 n_above;

  *levels = (GstClLightLevels){ 0 };
  if (n == 0)
    return;

  for (guint i = 0; i < GST_CL_LIGHT_N_PERCENTILES; i++)
    levels->percentiles[i] = gst_cl_light_of_code (curve,
        walk_to (&walk, rank_of (gst_cl_light_percents[i], n)));
  levels->robust_max = levels->percentiles[GST_CL_LIGHT_N_PERCENTILES - 1];
  n_above = n - walk.n_passed;
  levels->left_out = (gdouble) n_above / n;

  for (guint c = 0; c < 3; c++) {
    levels->max_rgb[c] = gst_cl_light_of_code (curve, counts->max[c]);
    levels->max = MAX (levels->max, levels->max_rgb[c]);
  }
  set_average (levels, counts, curve, n_left_out, n);
}

gdouble
gst_cl_light_beyond (const GstClLightCounts *counts, guint index)
{
  return counts->n_pixels > 0
             ? (gdouble) counts->n_beyond[index] / counts->n_pixels
             : 0.0;
}
