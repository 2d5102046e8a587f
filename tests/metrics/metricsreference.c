/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of metrics of a region, in the simplest code: the region is
 * cropped, then measured. */

#include "metricsreference.h"

#include "harness/harness.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846264338327950288L

/* One component of a cropped region. */
typedef struct {
  gint x, y, width, height; /* its position in the frame */
  guint *codes;
} Cut;

static guint
code_at (const RefMetricFrame *frame, guint c, gint x, gint y)
{
  const GstClComponent *component = &frame->components[c];

  return test_code_at (frame->bytes[c], component, x, y);
}

/* Number of the frame's samples for each one of component @c, across or
 * down. */
static gint
subsampling (gint frame_size, gint size)
{
  gint n = 1;

  while ((frame_size + n - 1) / n > size)
    n *= 2;

  return n;
}

static Cut
cut_out (const GstClMetricsProblem *problem, const RefMetricFrame *frame,
    const GstClRegion *region, guint c)
{
  const GstClComponent *component = &problem->shapes[c];
  const gint x_step = subsampling (problem->shapes[0].width, component->width);
  const gint y_step = subsampling (problem->shapes[0].height,
      component->height + (gint) problem->n_missing_rows[c]);
  Cut cut = { .x = component->width, .y = component->height };
  gint x_end = 0, y_end = 0;

  for (gint x = component->width - 1; x >= 0; x--) {
    if (x * x_step >= region->x && x * x_step < region->x + region->width) {
      cut.x = x;
      x_end = MAX (x_end, x + 1);
    }
  }
  for (gint y = component->height - 1; y >= 0; y--) {
    if (y * y_step >= region->y && y * y_step < region->y + region->height) {
      cut.y = y;
      y_end = MAX (y_end, y + 1);
    }
  }
  cut.width = MAX (x_end - cut.x, 0);
  cut.height = MAX (y_end - cut.y, 0);
  cut.codes = g_new0 (guint, (gsize) cut.width * cut.height + 1);

  for (gint y = 0; y < cut.height; y++) {
    for (gint x = 0; x < cut.width; x++)
      cut.codes[y * cut.width + x] = code_at (frame, c, cut.x + x, cut.y + y);
  }

  return cut;
}

static guint
get (const Cut *cut, gint x, gint y)
{
  return cut->codes[y * cut->width + x];
}

static guint64
sum_differences (const Cut *a, const Cut *b)
{
  guint64 sum = 0;

  for (gint i = 0; i < a->width * a->height; i++)
    sum += labs ((long) a->codes[i] - (long) b->codes[i]);

  return sum;
}

/* |a + c - 2 b| of rows y - 1 and y + 1 of @ends and row y of @middle. */
static guint64
bend (const Cut *ends, const Cut *middle, gint x, gint y)
{
  return labs ((long) get (ends, x, y - 1) + (long) get (ends, x, y + 1) -
               2 * (long) get (middle, x, y));
}

/* The sums of idet, without the first and the last two rows. */
static void
measure_fields (const Cut *cut, const Cut *before,
    GstClComponentMetrics *metrics)
{
  guint64 previous[2] = { 0 }, current[2] = { 0 }, own[2] = { 0 },
          change[2] = { 0 };

  for (gint y = 2; y < cut->height - 2; y++) {
    const gint parity = (cut->y + y) % 2;

    for (gint x = 0; x < cut->width; x++) {
      previous[parity] += bend (cut, before, x, y);
      current[parity] += bend (before, cut, x, y);
      own[parity] += bend (cut, cut, x, y);
      change[parity] += labs (
          (long) get (cut, x, y) - (long) get (before, x, y));
    }
  }

  metrics->fields_previous_even = previous[0];
  metrics->fields_previous_odd = previous[1];
  metrics->fields_current_even = current[0];
  metrics->fields_current_odd = current[1];
  metrics->fields_own_even = own[0];
  metrics->fields_own_odd = own[1];
  metrics->fields_change_even = change[0];
  metrics->fields_change_odd = change[1];
}

static void
measure_component (const GstClMetricsProblem *problem, const Cut *cut, guint c,
    GstClComponentMetrics *metrics)
{
  const guint n_codes = 1u << problem->shapes[c].sample.depth;
  guint32 *histogram = g_new0 (guint32, problem->n_bins);
  gboolean is_first = TRUE;

  *metrics = (GstClComponentMetrics){ .least_x = -1,
    .least_y = -1,
    .greatest_x = -1,
    .greatest_y = -1,
    .histogram = histogram };

  for (gint y = 0; y < cut->height; y++) {
    for (gint x = 0; x < cut->width; x++) {
      const guint64 v = get (cut, x, y);

      metrics->moments.count++;
      metrics->moments.sum += v;
      metrics->moments.sum_squares += v * v;
      metrics->bits |= v;
      histogram[v / (n_codes / problem->n_bins)]++;
      if (is_first || v < metrics->moments.min) {
        metrics->moments.min = v;
        metrics->least_x = cut->x + x;
        metrics->least_y = cut->y + y;
      }
      if (is_first || v > metrics->moments.max) {
        metrics->moments.max = v;
        metrics->greatest_x = cut->x + x;
        metrics->greatest_y = cut->y + y;
      }
      is_first = FALSE;
    }
  }
}

guint
ref_hue (gint u, gint v)
{
  long double degrees;

  if (u == 0 && v == 0)
    return 180;
  /* the multiples of 45 are the only whole degrees that occur exactly */
  if (u == 0)
    return v > 0 ? 180 : 0;
  if (v == 0)
    return u > 0 ? 270 : 90;
  if (abs (u) == abs (v))
    return u > 0 ? (v > 0 ? 225 : 315) : (v > 0 ? 135 : 45);

  degrees = atan2l (u, v) * 180 / PI + 180;

  return (guint) floorl (degrees) % GST_CL_METRICS_HUES;
}

static void
measure_chroma (const GstClMetricsProblem *problem, const Cut *u, const Cut *v,
    GstClRegionMetrics *metrics)
{
  const gint n_codes = 1 << problem->shapes[0].sample.depth,
             middle = n_codes / 2;
  guint32 *saturations = g_new0 (guint32, problem->n_bins);
  guint32 *hues = g_new0 (guint32, GST_CL_METRICS_HUES);

  for (gint i = 0; i < u->width * u->height; i++) {
    const gint from_u = (gint) u->codes[i] - middle;
    const gint from_v = (gint) v->codes[i] - middle;
    const guint saturation = floorl (
        sqrtl ((long double) from_u * from_u + (long double) from_v * from_v));

    saturations[saturation / (n_codes / problem->n_bins)]++;
    hues[ref_hue (from_u, from_v)]++;
  }

  metrics->saturation = saturations;
  metrics->hue = hues;
}

/* TOUT's filter of one column, over rows y - j, y, y + j. */
static gboolean
sticks_out (const Cut *cut, gint x, gint y, gint j, gint step)
{
  const gint above = get (cut, x, y - j), v = get (cut, x, y);
  const gint below = get (cut, x, y + j);

  return (abs (above - v) + abs (below - v)) / 2 - abs (below - above) > step;
}

static gboolean
is_outlier (const Cut *cut, gint x, gint y, gint step)
{
  if (x < 1 || x + 1 >= cut->width || y < 1 || y + 1 >= cut->height)
    return FALSE;

  for (gint i = x - 1; i <= x + 1; i++) {
    if (!sticks_out (cut, i, y, 1, step))
      return FALSE;
    if (y >= 2 && y + 2 < cut->height && !sticks_out (cut, i, y, 2, step))
      return FALSE;
  }

  return TRUE;
}

static gboolean
is_repeated (const Cut *cut, gint y, guint depth)
{
  gint64 difference = 0;

  if (y < 4)
    return FALSE;
  for (gint x = 0; x < cut->width; x++)
    difference += abs ((gint) get (cut, x, y) - (gint) get (cut, x, y - 4));

  return difference < (gint64) cut->width * (1 << (depth - 8));
}

/* |L| of J. Immerkaer. */
static guint64
noise_at (const Cut *cut, gint x, gint y)
{
  static const gint weights[3] = { 1, -2, 1 };
  gint64 sum = 0;

  for (gint j = 0; j < 3; j++) {
    for (gint i = 0; i < 3; i++)
      sum += weights[i] * weights[j] * (gint64) get (cut, x + i - 1, y + j - 1);
  }

  return ABS (sum);
}

static void
measure_first (const GstClMetricsProblem *problem, const Cut *cut,
    GstClRegionMetrics *metrics)
{
  const guint depth = problem->shapes[0].sample.depth;

  for (gint y = 0; y < cut->height; y++) {
    metrics->n_repeated_rows += is_repeated (cut, y, depth);

    for (gint x = 0; x < cut->width; x++) {
      const gint64 v = get (cut, x, y);

      metrics->n_outliers += is_outlier (cut, x, y, 4 * (1 << (depth - 8)));
      if (x > 0 && x + 1 < cut->width && y > 0 && y + 1 < cut->height) {
        metrics->noise += noise_at (cut, x, y);
        metrics->n_noise++;
      }
      if (x + 1 < cut->width) {
        metrics->sharpness += (get (cut, x + 1, y) - v) *
                              (get (cut, x + 1, y) - v);
        metrics->n_sharpness++;
      }
      if (y + 1 < cut->height) {
        metrics->sharpness += (get (cut, x, y + 1) - v) *
                              (get (cut, x, y + 1) - v);
        metrics->n_sharpness++;
      }
    }
  }
}

static guint64
count_out_of_gamut (const GstClMetricsProblem *problem,
    const RefMetricFrame *frame, const GstClRegion *region)
{
  const GstClComponent *shapes = problem->shapes;
  gint x_steps[4], y_steps[4];
  guint64 n = 0;

  for (guint c = 0; c < problem->n_components; c++) {
    x_steps[c] = subsampling (shapes[0].width, shapes[c].width);
    y_steps[c] = subsampling (shapes[0].height,
        shapes[c].height + (gint) problem->n_missing_rows[c]);
  }

  for (gint y = region->y; y < region->y + region->height; y++) {
    for (gint x = region->x; x < region->x + region->width; x++) {
      gboolean is_out = FALSE;

      for (guint c = 0; c < problem->n_components; c++) {
        const guint v = code_at (frame, c, x / x_steps[c],
            MIN (y / y_steps[c], shapes[c].height - 1));

        is_out |= v < problem->gamut_low[c] || v > problem->gamut_high[c];
      }
      n += is_out;
    }
  }

  return n;
}

void
ref_frame_metrics (const GstClMetricsProblem *problem,
    const RefMetricFrame *frame, const RefMetricFrame *previous,
    const RefMetricFrame *reference, const GstClRegion *region,
    GstClRegionMetrics *metrics)
{
  Cut cuts[4];

  g_assert (problem->n_components > 0);
  *metrics = (GstClRegionMetrics){ 0 };

  for (guint c = 0; c < problem->n_components; c++) {
    const Cut before = cut_out (problem, previous, region, c);

    cuts[c] = cut_out (problem, frame, region, c);
    measure_component (problem, &cuts[c], c, &metrics->components[c]);
    metrics->components[c].difference = sum_differences (&cuts[c], &before);
    if (reference) {
      const Cut frozen = cut_out (problem, reference, region, c);

      metrics->components[c].freeze_difference = sum_differences (&cuts[c],
          &frozen);
      g_free (frozen.codes);
    }
    measure_fields (&cuts[c], &before, &metrics->components[c]);
    g_free (before.codes);
  }

  if (problem->n_components >= 3 && cuts[1].width == cuts[2].width &&
      cuts[1].height == cuts[2].height)
    measure_chroma (problem, &cuts[1], &cuts[2], metrics);
  measure_first (problem, &cuts[0], metrics);
  metrics->n_out_of_gamut = count_out_of_gamut (problem, frame, region);

  for (guint c = 0; c < problem->n_components; c++)
    g_free (cuts[c].codes);
}

void
ref_metrics_clear (GstClRegionMetrics *metrics)
{
  for (guint c = 0; c < G_N_ELEMENTS (metrics->components); c++)
    g_free ((gpointer) metrics->components[c].histogram);
  g_free ((gpointer) metrics->saturation);
  g_free ((gpointer) metrics->hue);
}
