/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Test frames and regions for metrics. */

#include "metricscase.h"
#include "metricsreference.h"

#include <string.h>

#define N_FRAMES     4
#define MAX_ZONES    6
#define MAX_OTHERS   4 /* regions that may overlap all others */
#define MAX_REGIONS  (1 + MAX_ZONES + MAX_OTHERS)
#define SAME_REGIONS 3 /* steps: results are written and used repeatedly */

/* --- frames -------------------------------------------------------------- */

static guint
picture_code (Harness *h, guint depth, gint x, gint y, guint noise)
{
  const guint n_codes = 1u << depth;
  const gint row = (y / 16) % 2 ? y % 4 : y;
  guint code = (guint) (x * 5 + row * 3) * (n_codes / 256) / 4 + n_codes / 8;

  if (y % 7 == 3 && x / 3 % 4 == 1)
    code += n_codes / 3;
  if (noise)
    code += g_rand_int (h->rand) >> (32 - noise);

  return code % n_codes;
}

void
metrics_case_fill_picture (Harness *h, TestFrame *frame, guint noise)
{
  for (guint c = 0; c < frame->format->n_components; c++) {
    for (gint y = 0; y < frame->components[c].height; y++) {
      for (gint x = 0; x < frame->components[c].width; x++)
        test_frame_put (frame, c, x, y,
            picture_code (h, frame->sample.depth, x + c, y, noise));
    }
  }
  test_frame_upload (h, frame);
}

/* A third of the samples is 0, a third the greatest code, the others are
 * random. */
static void
fill_extremes (Harness *h, TestFrame *frame)
{
  const guint greatest = (1u << frame->sample.depth) - 1;

  test_frame_fill (h, frame, FILL_RANDOM);
  for (guint c = 0; c < frame->format->n_components; c++) {
    for (gint y = 0; y < frame->components[c].height; y++) {
      for (gint x = 0; x < frame->components[c].width; x++) {
        const gint choice = g_rand_int_range (h->rand, 0, 3);

        if (choice < 2)
          test_frame_put (frame, c, x, y, choice == 0 ? 0 : greatest);
      }
    }
  }
  test_frame_upload (h, frame);
}

/* A picture, an almost identical one, random codes, and extreme codes. */
static void
fill_sequence (Harness *h, TestFrame **frames)
{
  const guint depth = frames[0]->sample.depth;

  test_frame_fill (h, frames[0], FILL_ZERO);
  metrics_case_fill_picture (h, frames[0], 0);
  test_frame_fill (h, frames[1], FILL_ZERO);
  metrics_case_fill_picture (h, frames[1], depth - 7);
  test_frame_fill (h, frames[2], g_rand_int_range (h->rand, 0, N_FILL_TYPES));
  fill_extremes (h, frames[3]);
}

/* --- comparison ---------------------------------------------------------- */

/* The input of a comparison, for messages. */
typedef struct {
  Harness *h;
  const TestFrame *frame;
  const gchar *row;
  guint step, metrics;
  GstClRegion region;
} Place;

static void
compare (const Place *place, const gchar *what, gint64 got, gint64 want)
{
  if (got == want)
    return;

  harness_fail (place->h, NULL,
      "%s, %s of %u bits << %u, %dx%d pad %d guard %d, metrics 0x%x, step %u, "
      "region %d,%d %dx%d: %s: expected %" G_GINT64_FORMAT
      ", found %" G_GINT64_FORMAT,
      place->row, place->frame->format->name, place->frame->sample.depth,
      place->frame->sample.shift, place->frame->width, place->frame->height,
      place->frame->spacing.pad_bytes, place->frame->spacing.guard_bytes,
      place->metrics, place->step, place->region.x, place->region.y,
      place->region.width, place->region.height, what, want, got);
}

static void
compare_counts (const Place *place, const gchar *what, const guint32 *got,
    const guint32 *want, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (got[i] != want[i]) {
      g_autofree gchar *bin = g_strdup_printf ("%s %u", what, i);

      compare (place, bin, got[i], want[i]);
      return;
    }
  }
}

/* Compare a number of a component, or of the region, by its scope in
 * METRIC_NUMBERS. */
#define COMPONENT_MOMENTS(name)                                                \
  compare (place, #name, got->moments.name, want->moments.name);
#define COMPONENT_MIN(name)                                                    \
  compare (place, #name, got->moments.min, want->moments.min);
#define COMPONENT_MAX(name)                                                    \
  compare (place, #name, got->moments.max, want->moments.max);
#define COMPONENT_EACH(name) compare (place, #name, got->name, want->name);
#define COMPONENT_FRAME(name)                                                  \
  compare (place, #name, got->name, is_0 ? want->name : 0);
#define COMPONENT_FIRST(name)
#define COMPARE_COMPONENT(type, name, merge, metric, scope)                    \
  if (metrics & GST_CL_METRIC_##metric) {                                      \
    COMPONENT_##scope (name)                                                   \
  }

#define REGION_MOMENTS(name)
#define REGION_MIN(name)
#define REGION_MAX(name)
#define REGION_EACH(name)
#define REGION_FRAME(name)
#define REGION_FIRST(name) compare (place, #name, got->name, want->name);
#define COMPARE_REGION(type, name, merge, metric, scope)                       \
  if (metrics & GST_CL_METRIC_##metric) {                                      \
    REGION_##scope (name)                                                      \
  }

static void
compare_component (const Place *place, guint c, guint n_bins, gboolean is_0,
    const GstClComponentMetrics *got, const GstClComponentMetrics *want)
{
  const guint metrics = place->metrics;
  g_autofree gchar *histogram = g_strdup_printf ("component %u, bin", c);

  compare (place, "count", got->moments.count, want->moments.count);
  METRIC_NUMBERS (COMPARE_COMPONENT)
  if (metrics & GST_CL_METRIC_HISTOGRAM)
    compare_counts (place, histogram, got->histogram, want->histogram, n_bins);
}

static void
compare_region (const Place *place, const GstClMetricsProblem *problem,
    gboolean is_0, const GstClRegionMetrics *got,
    const GstClRegionMetrics *want)
{
  const guint metrics = problem->metrics;

  for (guint c = 0; c < problem->n_components; c++)
    compare_component (place, c, problem->n_bins, is_0, &got->components[c],
        &want->components[c]);
  METRIC_NUMBERS (COMPARE_REGION)
  if (metrics & GST_CL_METRIC_SHARPNESS)
    compare (place, "differences", got->n_sharpness, want->n_sharpness);
  if (metrics & GST_CL_METRIC_NOISE)
    compare (place, "samples of noise", got->n_noise, want->n_noise);
  if (metrics & GST_CL_METRIC_CHROMA) {
    compare_counts (place, "saturation", got->saturation, want->saturation,
        problem->n_bins);
    compare_counts (place, "hue", got->hue, want->hue, GST_CL_METRICS_HUES);
  }
}

/* --- one case ------------------------------------------------------------ */

static gint
shifted_up (gint size, gint shift)
{
  return (size + (1 << shift) - 1) >> shift;
}

GstClMetricsProblem
metrics_case_problem (const TestFrame *frame, guint metrics, guint n_bins)
{
  const guint depth = frame->sample.depth;
  GstClMetricsProblem problem = { .n_components = frame->format->n_components,
    .metrics = metrics,
    .n_bins = n_bins,
    .max_regions = GST_CL_METRICS_MAX_REGIONS };

  for (guint c = 0; c < problem.n_components; c++) {
    problem.shapes[c] = frame->components[c];
    problem.n_missing_rows[c] = shifted_up (frame->height,
                                    frame->format->places[c].y_shift) -
                                frame->components[c].height;
    problem.gamut_low[c] = (c == 3 ? 0 : 16) << (depth - 8);
    problem.gamut_high[c] = (1u << depth) - 1 -
                            ((c == 3 ? 0 : 20 - c) << (depth - 8));
  }

  return problem;
}

GstClMetricsOp *
metrics_case_op (Harness *h, const GstClImplementation *row,
    const GstClMetricsProblem *problem, guint n_items, GError **error)
{
  GstClCandidate candidate = gst_cl_implementation_untuned (row, problem,
      h->context->device);

  if (n_items > 0)
    candidate.values[0] = n_items;

  return gst_cl_metrics_op_new (h->context, &candidate, problem, error);
}

static GstClRegion
random_region (Harness *h, gint width, gint height)
{
  GstClRegion region = { .x = g_rand_int_range (h->rand, 0, width),
    .y = g_rand_int_range (h->rand, 0, height) };

  region.width = g_rand_int_range (h->rand, 1, width - region.x + 1);
  region.height = g_rand_int_range (h->rand, 1, height - region.y + 1);

  return region;
}

static RefMetricFrame
ref_frame (const TestFrame *frame)
{
  RefMetricFrame bytes = { .components = frame->components };

  for (guint c = 0; c < frame->format->n_components; c++)
    bytes.bytes[c] = test_frame_bytes (frame, c);

  return bytes;
}

static guint64
freeze_sum (const GstClMetricsProblem *problem,
    const GstClRegionMetrics *metrics)
{
  guint64 sum = 0;

  for (guint c = 0; c < problem->n_components; c++)
    sum += metrics->components[c].freeze_difference;

  return sum;
}

/* The regions of a frame, and the earlier frames that it is compared with. */
typedef struct {
  const GstClRegion *regions;
  guint n_regions;
  guint n_references;        /* region 0, and the zones after it */
  const TestFrame *previous; /* NULL: none */
  const TestFrame *references[MAX_REGIONS]; /* NULL: none */
} Compared;

/* Sets the limit of each reference. That of a zone is at random also one that
 * any difference exceeds, or one that none does. */
static void
set_limits (Harness *h, const Compared *compared, const TestFrame *frame,
    guint64 *limits)
{
  /* frames 0 and 1 differ by less: by noise of depth - 7 bits */
  const guint64 of_sample = 1u << (frame->sample.depth - 7);

  for (guint r = 0; r < compared->n_references; r++) {
    const GstClRegion *region = &compared->regions[r];
    const guint64 limit = of_sample * region->width * region->height;
    const guint64 limits_of_zone[] = { limit, 0, G_MAXUINT64 };

    limits[r] = limits_of_zone[g_rand_int_range (h->rand, 0, 3)];
  }
  limits[0] = of_sample * frame->width * frame->height;
}

/* Runs @op over @frame, compares with the reference, and advances the earlier
 * frames of @compared. */
static void
check_step (Place *place, GstClMetricsOp *op,
    const GstClMetricsProblem *problem, const TestFrame *frame,
    Compared *compared)
{
  const guint n_regions = compared->n_regions;
  const GstClRegion *regions = compared->regions;
  const TestFrame **references = compared->references;
  g_autofree GstClRegionMetrics *got = g_new0 (GstClRegionMetrics, n_regions);
  const TestFrame *previous = compared->previous ? compared->previous : frame;
  const RefMetricFrame now = ref_frame (frame), before = ref_frame (previous);
  const guint slot = place->step % 2;
  guint64 limits[MAX_REGIONS];
  const GstClMetricsIo io = { frame->components, regions, n_regions, limits,
    compared->n_references };
  g_autoptr (GError) error = NULL;

  set_limits (place->h, compared, frame, limits);
  if (!gst_cl_metrics_op_run (op, &io, &error) ||
      !gst_cl_metrics_op_fetch (op, slot, &error) ||
      !gst_cl_metrics_op_result (op, slot, got, n_regions, &error)) {
    harness_fail (place->h, error, "%s: cannot measure a frame", place->row);
    return;
  }

  for (guint r = 0; r < n_regions; r++) {
    const gboolean has_reference = r < compared->n_references;
    GstClRegionMetrics want;
    RefMetricFrame frozen;

    if (has_reference && !references[r])
      references[r] = frame;
    if (has_reference)
      frozen = ref_frame (references[r]);
    ref_frame_metrics (problem, &now, &before, has_reference ? &frozen : NULL,
        &regions[r], &want);
    place->region = regions[r];
    compare_region (place, problem, r == 0, &got[r], &want);
    if (has_reference && freeze_sum (problem, &want) > limits[r])
      references[r] = frame;
    ref_metrics_clear (&want);
  }
  compared->previous = frame;
  place->step++;
}

/* Splits regions[0] into zones, the regions after it: a random number of
 * columns or rows. Returns the number of zones; 0 if none is compared with a
 * reference of its own. */
static guint
split_into_zones (Harness *h, guint metrics, GstClRegion *regions)
{
  const GstClRegion *whole = &regions[0];
  const gboolean are_columns = g_rand_boolean (h->rand);
  const gint size = are_columns ? whole->width : whole->height;
  const gint n = g_rand_int_range (h->rand, 0, MIN (size, MAX_ZONES) + 1);

  if (!(metrics & GST_CL_METRIC_ZONES))
    return 0;

  for (gint i = 0; i < n; i++) {
    const gint start = size * i / n, end = size * (i + 1) / n;
    GstClRegion *zone = &regions[1 + i];

    *zone = *whole;
    if (are_columns) {
      zone->x += start;
      zone->width = end - start;
    } else {
      zone->y += start;
      zone->height = end - start;
    }
  }

  return n;
}

void
metrics_case_check (Harness *h, const MetricsCase *params)
{
  static const guint sequence[] = { 0, 1, 3, 2, 1, 1, 0 };
  static const guint forget_before = 4, forget_zones_before = 5;
  TestFrame *frames[N_FRAMES];
  GstClRegion regions[MAX_REGIONS] = { { 0, 0, params->width,
      params->height } };
  Compared compared = { .regions = regions };
  guint n_zones = 0, n_others = 0;
  g_autoptr (GError) error = NULL;
  GstClMetricsProblem problem;
  GstClMetricsOp *op;

  for (guint i = 0; i < N_FRAMES; i++)
    frames[i] = test_frame_new (h, params->format, params->sample,
        params->width, params->height,
        (TestSpacing){ g_rand_int_range (h->rand, 0, 37),
            g_rand_int_range (h->rand, 0, 37), g_rand_boolean (h->rand) });
  fill_sequence (h, frames);

  problem = metrics_case_problem (frames[0], params->metrics, params->n_bins);
  op = metrics_case_op (h, params->row, &problem, 0, &error);
  if (!op)
    harness_fail (h, error, "%s: cannot create an op", params->row->name);

  Place place = { h, frames[0], params->row->name, 0, params->metrics, { 0 } };
  for (guint i = 0; op && i < harness_count (h, G_N_ELEMENTS (sequence), 3);
       i++) {
    const gboolean has_other_zones = i == 0 || i == forget_before ||
                                     i == forget_zones_before;

    if (i == forget_before) {
      gst_cl_metrics_op_forget (op);
      compared.previous = compared.references[0] = NULL;
      regions[0] = random_region (h, params->width, params->height);
    }
    if (i == forget_zones_before)
      gst_cl_metrics_op_forget_zones (op);
    if (has_other_zones) {
      n_zones = split_into_zones (h, params->metrics, regions);
      memset (compared.references + 1, 0,
          MAX_ZONES * sizeof compared.references[0]);
    }
    if (has_other_zones || i % SAME_REGIONS == 0) {
      n_others = g_rand_int_range (h->rand, 0, MAX_OTHERS + 1);
      for (guint k = 0; k < n_others; k++)
        regions[1 + n_zones + k] = random_region (h, params->width,
            params->height);
    }
    compared.n_references = 1 + n_zones;
    compared.n_regions = compared.n_references + n_others;
    check_step (&place, op, &problem, frames[sequence[i]], &compared);
  }

  gst_cl_metrics_op_free (op);
  for (guint i = 0; i < N_FRAMES; i++)
    test_frame_free (frames[i]);
}

/* Measures @frame @n_times, each time with all @regions. */
static void
check_regions (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics, const GstClRegion *regions,
    guint n_regions, guint n_times, guint n_items)
{
  const GstClMetricsProblem problem = metrics_case_problem (frame, metrics,
      1u << frame->sample.depth);
  g_autoptr (GError) error = NULL;
  Place place = { h, frame, row->name, 0, metrics, { 0 } };
  Compared compared = { .regions = regions,
    .n_regions = n_regions,
    .n_references = 1 };
  GstClMetricsOp *op = metrics_case_op (h, row, &problem, n_items, &error);

  if (!op) {
    harness_fail (h, error, "%s: cannot create an op", row->name);
    return;
  }

  for (guint i = 0; i < n_times; i++)
    check_step (&place, op, &problem, frame, &compared);
  gst_cl_metrics_op_free (op);
}

void
metrics_case_check_rows (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics)
{
  g_autofree GstClRegion *rows = g_new (GstClRegion, frame->height);

  for (gint y = 0; y < frame->height; y++)
    rows[y] = (GstClRegion){ 0, y, frame->width, 1 };
  check_regions (h, row, frame, metrics, rows, frame->height, 2, 0);
}

void
metrics_case_check_whole (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics, guint n_items)
{
  const GstClRegion whole = { 0, 0, frame->width, frame->height };

  check_regions (h, row, frame, metrics, &whole, 1, 1, n_items);
}
