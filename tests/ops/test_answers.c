/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known-answer tests: the digests in the tables equal those of the scalar
 * references, and each row of each table has them on this device.
 *
 * After a change of the problems or samples of the answers, the failures print
 * the new digests. */

#include "oprow.h"
#include "blocks/blocksreference.h"
#include "cells/cellsreference.h"
#include "differencemap/differencemapreference.h"
#include "errors/errorsreference.h"
#include "flash/flashreference.h"
#include "harness/harness.h"
#include "integral/integralreference.h"
#include "light/lightreference.h"
#include "localmean/localmeanreference.h"
#include "metrics/metricsreference.h"
#include "moments/momentsreference.h"
#include "operation/operationreference.h"
#include "ops/knownanswer.h"
#include "ops/packing/packingprivate.h"
#include "packing/packingreference.h"
#include "profiles/profilesreference.h"
#include "scopedraw/scopedrawreference.h"
#include "scopes/scopesreference.h"
#include "ssim/ssimreference.h"
#include "statistics/metrics/metricsprivate.h"
#include "statistics/scopes/scopedrawprivate.h"
#include "xpsnr/xpsnrcomponents.h"

#include <string.h>

typedef guint64 (*Reference) (gconstpointer problem);

/* --- digests of the references -------------------------------------------- */

static guint64
digest_integral (gconstpointer user_problem)
{
  const GstClIntegralProblem *problem = user_problem;
  const gsize n_bytes = ref_integral_size_bytes (problem);
  const GstClComponent component = { .stride_bytes = problem->width,
    .pixel_stride_bytes = 1,
    .width = problem->width,
    .height = problem->height,
    .sample = problem->sample };
  g_autofree guint8 *samples = gst_cl_answer_samples (0);
  g_autofree guint8 *sums = g_malloc (n_bytes);

  ref_integral (problem, 0, samples, &component, sums);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, sums,
      n_bytes / problem->sum_bytes, problem->sum_bytes);
}

static guint16 *
make_results (const GstClLocalMeanProblem *problem, const guint32 *samples)
{
  const GstClWindow *window = &problem->window;

  switch (problem->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_COPY:
      return ref_local_mean_copy (samples, problem->width, problem->height,
          window);
    case GST_CL_LOCAL_MEAN_OPERATION_MEAN:
      return ref_local_mean (samples, problem->width, problem->height, window,
          4, gst_cl_local_mean_largest_code (problem));
    default:
      return ref_local_op (samples, problem);
  }
}

static guint64
digest_local_mean (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *problem = user_problem;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);
  g_autofree guint32 *samples = g_new (guint32, GST_CL_ANSWER_SAMPLES);
  g_autofree guint16 *results = NULL;
  gint columns, rows;

  for (gsize i = 0; i < GST_CL_ANSWER_SAMPLES; i++)
    samples[i] = bytes[i];
  results = make_results (problem, samples);
  ref_local_mean_size (problem->width, problem->height, &problem->window,
      &columns, &rows);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, results,
      (gsize) columns * rows, sizeof *results);
}

/* The samples of the seeds from @seed on, one for each component. */
static void
make_samples (const GstClPictureShape *shape, guint seed, guint8 **bytes)
{
  for (guint c = 0; c < shape->n_components; c++)
    bytes[c] = gst_cl_answer_samples (seed + c);
}

static void
free_samples (const GstClPictureShape *shape, guint8 **bytes)
{
  for (guint c = 0; c < shape->n_components; c++)
    g_free (bytes[c]);
}

static guint64
digest_blocks (gconstpointer user_problem)
{
  const GstClComponent *shape = &((const GstClPictureShape *) user_problem)
                                     ->shapes[0];
  g_autofree guint8 *samples = gst_cl_answer_samples (0);
  g_autofree guint64 *columns = g_new (guint64, shape->width);
  g_autofree guint64 *rows = g_new (guint64, shape->height);
  guint64 digest;

  ref_blocks (samples, shape, columns, rows);
  digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, columns, shape->width,
      sizeof *columns);

  return gst_cl_answer_digest (digest, rows, shape->height, sizeof *rows);
}

static guint64
digest_cells (gconstpointer user_problem)
{
  const GstClPictureShape *problem = user_problem;
  g_autofree guint8 *samples = gst_cl_answer_samples (0);
  guint32 means[GST_CL_N_CELLS];

  ref_cells (samples, &problem->shapes[0], means);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, means, GST_CL_N_CELLS,
      sizeof *means);
}

static guint64
digest_difference_map (gconstpointer problem)
{
  const GstClComponent *shape = problem;
  const gsize n_bytes = (gsize) shape->width * (gsize) shape->height;
  const GstClComponent map = { .stride_bytes = shape->width };
  g_autofree guint8 *a = gst_cl_answer_samples (0);
  g_autofree guint8 *b = gst_cl_answer_samples (
      GST_CL_ANSWER_COMPARED_SEED (0));
  g_autofree guint8 *bytes = g_malloc (n_bytes);

  ref_difference_map (a, shape, b, shape, GST_CL_DIFFERENCE_MAP_ANSWER_GAIN,
      bytes, &map);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, bytes, n_bytes, 1);
}

static guint64
digest_errors (gconstpointer user_problem)
{
  const GstClErrorsProblem *problem = user_problem;
  const GstClPictureShape *picture = &problem->picture;
  const guint n = picture->n_components;
  GstClErrors errors[GST_CL_PIXEL_COMPONENTS];
  guint64 histograms[GST_CL_PIXEL_COMPONENTS][GST_CL_ERRORS_N_BINS];
  guint64 digest;

  for (guint c = 0; c < n; c++) {
    g_autofree guint8 *a = gst_cl_answer_samples (c);
    g_autofree guint8 *b = gst_cl_answer_samples (
        GST_CL_ANSWER_COMPARED_SEED (c));

    ref_errors (a, &picture->shapes[c], b, &picture->shapes[c], &errors[c],
        histograms[c]);
  }
  digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, errors,
      n * sizeof *errors / sizeof (guint64), sizeof (guint64));
  if (problem->has_histogram)
    digest = gst_cl_answer_digest (digest, histograms, n * GST_CL_ERRORS_N_BINS,
        sizeof (guint64));

  return digest;
}

static guint64
digest_flash (gconstpointer user_problem)
{
  const GstClFlashProblem *problem = user_problem;
  guint64 digest = GST_CL_ANSWER_DIGEST;
  RefFlash reference = { 0 };

  for (guint picture = 0; picture < 2; picture++) {
    guint8 *bytes[GST_CL_PIXEL_COMPONENTS];
    GstClFlashTile tiles[GST_CL_FLASH_N_TILES];
    GstClFlashCounts counts;

    make_samples (&problem->picture, picture * GST_CL_PIXEL_COMPONENTS, bytes);
    ref_flash_measure (&reference, problem, (const guint8 *const *) bytes,
        problem->picture.shapes, &counts, tiles);
    free_samples (&problem->picture, bytes);

    const guint64 sums[] = { counts.luminance, counts.red,
      counts.n_changed_luminance, counts.n_changed_red };

    digest = gst_cl_answer_digest (digest, sums, G_N_ELEMENTS (sums),
        sizeof sums[0]);
    digest = gst_cl_answer_digest (digest, tiles, 4 * GST_CL_FLASH_N_TILES,
        sizeof (guint32));
  }
  ref_flash_clear (&reference);

  return digest;
}

static guint64
digest_light (gconstpointer user_problem)
{
  const GstClLightProblem *problem = user_problem;
  const GstClPictureInput input = { problem->picture.shapes, TRUE, NULL };
  guint8 *bytes[GST_CL_PIXEL_COMPONENTS];
  guint32 histogram[1024];
  GstClLightCounts counts;
  guint64 digest;

  make_samples (&problem->picture, 0, bytes);
  ref_light (problem, (const guint8 *const *) bytes, &input, histogram,
      &counts);
  free_samples (&problem->picture, bytes);
  digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, histogram,
      counts.n_codes, sizeof *histogram);
  digest = gst_cl_answer_digest (digest, counts.max, G_N_ELEMENTS (counts.max),
      sizeof *counts.max);

  return gst_cl_answer_digest (digest, counts.n_beyond,
      G_N_ELEMENTS (counts.n_beyond), sizeof *counts.n_beyond);
}

static guint64
digest_metrics (gconstpointer user_problem)
{
  const GstClMetricsProblem *problem = user_problem;
  guint64 digest = GST_CL_ANSWER_DIGEST;
  g_autofree guint8 *first = gst_cl_answer_samples (0);
  g_autofree guint8 *second = gst_cl_answer_samples (1);
  const RefMetricFrame frames[] = { { problem->shapes, { first } },
    { problem->shapes, { second } } };

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    for (guint r = 0; r < GST_CL_METRICS_N_ANSWER_REGIONS; r++) {
      GstClRegionMetrics metrics;

      ref_frame_metrics (problem, &frames[i], &frames[0], &frames[0],
          &gst_cl_metrics_answer_regions[r], &metrics);
      digest = gst_cl_metrics_digest (digest, problem, &metrics);
      ref_metrics_clear (&metrics);
    }
  }

  return digest;
}

static guint64
digest_moments (gconstpointer user_problem)
{
  const GstClMomentsProblem *problem = user_problem;
  guint64 digest = GST_CL_ANSWER_DIGEST;

  for (guint seed = 0; seed < 2; seed++) {
    g_autofree guint8 *samples = gst_cl_answer_samples (seed);
    const GstClMoments moments = ref_frame_stats (samples,
        &problem->components[0]);

    digest = gst_cl_answer_moments (digest, &moments);
  }

  return digest;
}

static guint64
digest_packing (gconstpointer answered)
{
  const GstClPackingProblem *asked = answered;
  const gboolean packs = asked->method == GST_CL_PACKING_METHOD_PACK;
  GstClPackingProblem problem;
  GstVideoInfo info;
  g_autofree guint8 *random = gst_cl_answer_samples (0);
  g_autofree guint8 *result = g_malloc0 (GST_CL_ANSWER_SAMPLES);
  RefPackedPlane plane = { 0, 0 };

  gst_cl_packing_answer_info (answered, &info);
  gst_cl_packing_problem_init (&problem, &info, asked->method,
      asked->component_mask);
  plane.stride_bytes = GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);
  ref_packing (&problem, &plane, packs ? result : random,
      packs ? random : result);
  if (packs)
    return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, result,
        GST_VIDEO_INFO_SIZE (&info), 1);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, result,
      gst_cl_packing_problem_bytes (&problem) /
          problem.components[0].sample.bytes,
      problem.components[0].sample.bytes);
}

static guint64
digest_profiles (gconstpointer user_problem)
{
  const GstClPictureShape *problem = user_problem;
  g_autofree guint8 *samples = gst_cl_answer_samples (0);
  GstClProfile profile = ref_profile (samples, &problem->shapes[0]);
  const guint32 *const rows[] = { profile.row_sum, profile.row_min,
    profile.row_max, profile.row_difference, profile.row_field_difference };
  const guint32 *const columns[] = { profile.column_sum, profile.column_min,
    profile.column_max, profile.column_difference };
  guint64 digest = GST_CL_ANSWER_DIGEST;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    digest = gst_cl_answer_digest (digest, rows[i], profile.n_rows,
        sizeof *rows[i]);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    digest = gst_cl_answer_digest (digest, columns[i], profile.n_columns,
        sizeof *columns[i]);
  ref_profile_clear (&profile);

  return digest;
}

static guint64
digest_scopes (gconstpointer user_problem)
{
  const GstClScopesProblem *problem = user_problem;
  const GstClPictureInput input = { problem->picture.shapes, TRUE, NULL };
  guint8 *bytes[GST_CL_PIXEL_COMPONENTS];
  g_autofree guint32 *words = NULL;
  gsize n_words = (gsize) problem->vectorscope_bins * problem->vectorscope_bins;

  make_samples (&problem->picture, 0, bytes);
  n_words += (gsize) problem->picture.shapes[0].width *
             GST_CL_PIXEL_COMPONENTS * problem->waveform_bins;
  words = g_new (guint32, n_words);
  n_words = ref_scopes (problem, (const guint8 *const *) bytes, &input, words);
  free_samples (&problem->picture, bytes);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, words, n_words,
      sizeof *words);
}

static guint64
digest_ssim (gconstpointer user_problem)
{
  const GstClPictureShape *problem = user_problem;
  guint64 digest = GST_CL_ANSWER_DIGEST;

  for (guint picture = 0; picture < 2; picture++) {
    for (guint c = 0; c < problem->n_components; c++) {
      const guint seed = picture * GST_CL_PIXEL_COMPONENTS + c;
      g_autofree guint8 *a = gst_cl_answer_samples (seed);
      g_autofree guint8 *b = gst_cl_answer_samples (
          GST_CL_ANSWER_COMPARED_SEED (seed));
      const gint64 sum = ref_ssim (a, &problem->shapes[c], b,
          &problem->shapes[c]);

      digest = gst_cl_answer_digest (digest, &sum, 1, sizeof sum);
    }
  }

  return digest;
}

static guint64
digest_scope_draw (gconstpointer user_problem)
{
  const GstClScopeDrawProblem *problem = user_problem;
  const gsize n_bytes = gst_cl_scope_draw_answer_bytes (problem);
  g_autofree guint8 *out = g_malloc0 (n_bytes);
  g_autofree guint32 *graticule = gst_cl_scope_draw_answer_words (2,
      (gsize) problem->width * (gsize) problem->height, 32);
  g_autofree guint32 *zones = gst_cl_scope_draw_answer_words (3,
      1u << problem->shape.shapes[0].sample.depth, 24);
  g_autoptr (GHashTable) peaks = g_hash_table_new (NULL, NULL);
  RefScopeMemory memory = { .graticule = graticule,
    .zones = zones,
    .peaks = peaks,
    .planes = { out, out, out } };
  GstClScopeDrawInput input;

  gst_cl_scope_draw_answer_input (problem, &input);
  input.components = problem->shape.shapes;
  make_samples (&problem->shape, 0, (guint8 **) memory.bytes);
  for (guint i = 0; i < G_N_ELEMENTS (input.counts); i++)
    memory.counts[i] = gst_cl_scope_draw_answer_words (i,
        input.counts[i].layout.n_words, 6);
  ref_scope_draw (problem, &input, &memory);
  input.intensity = 100;
  ref_scope_draw (problem, &input, &memory);
  free_samples (&problem->shape, (guint8 **) memory.bytes);
  for (guint i = 0; i < G_N_ELEMENTS (input.counts); i++)
    g_free ((gpointer) memory.counts[i]);

  return gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, out, n_bytes, 1);
}

static guint64
digest_xpsnr (gconstpointer user_problem)
{
  const GstClXpsnrProblem *problem = user_problem;
  const GstClPictureShape *shape = &problem->picture;
  guint64 digest = GST_CL_ANSWER_DIGEST;
  RefXpsnr reference = { 0 };

  for (guint picture = 0; picture < 3; picture++) {
    const guint seed = picture * GST_CL_PIXEL_COMPONENTS;
    guint8 *bytes[GST_CL_XPSNR_COMPONENTS], *others[GST_CL_XPSNR_COMPONENTS];
    const RefXpsnrPicture original = { (const guint8 *const *) bytes,
      shape->shapes };
    const RefXpsnrPicture compared = { (const guint8 *const *) others,
      shape->shapes };
    g_autofree GstClXpsnrBlock *blocks = NULL;
    guint n_blocks;

    make_samples (shape, seed, bytes);
    make_samples (shape, GST_CL_ANSWER_COMPARED_SEED (seed), others);
    blocks = ref_xpsnr_measure_components (&reference, problem, &original,
        &compared, &n_blocks);
    free_samples (shape, bytes);
    free_samples (shape, others);
    digest = gst_cl_answer_digest (digest, blocks,
        n_blocks * sizeof *blocks / sizeof (guint64), sizeof (guint64));
  }
  ref_xpsnr_clear (&reference);

  return digest;
}

static const struct {
  const GstClOpTable *table;
  Reference reference;
} ops[] = {
  { &gst_cl_blocks_table, digest_blocks },
  { &gst_cl_cells_table, digest_cells },
  { &gst_cl_difference_map_table, digest_difference_map },
  { &gst_cl_errors_table, digest_errors },
  { &gst_cl_flash_table, digest_flash },
  { &gst_cl_integral_table, digest_integral },
  { &gst_cl_light_table, digest_light },
  { &gst_cl_local_mean_table, digest_local_mean },
  { &gst_cl_metrics_table, digest_metrics },
  { &gst_cl_moments_table, digest_moments },
  { &gst_cl_packing_table, digest_packing },
  { &gst_cl_profiles_table, digest_profiles },
  { &gst_cl_scope_draw_table, digest_scope_draw },
  { &gst_cl_scopes_table, digest_scopes },
  { &gst_cl_ssim_table, digest_ssim },
  { &gst_cl_xpsnr_table, digest_xpsnr },
};

static void
check_references (Harness *h)
{
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++) {
    const GstClOpTable *table = ops[i].table;

    for (guint a = 0; a < table->n_answers; a++) {
      const guint64 digest = ops[i].reference (table->answers[a].problem);

      if (digest != table->answers[a].digest)
        harness_fail (h, NULL,
            "%s, %s: the table has digest 0x%016" G_GINT64_MODIFIER
            "x, the reference computes 0x%016" G_GINT64_MODIFIER "x",
            table->name, table->answers[a].name, table->answers[a].digest,
            digest);
    }
  }
}

/* --- digests of the rows -------------------------------------------------- */

/* One answer by one row. */
typedef struct {
  GstClContext *context;
  const GstClOpTable *table;
  const GstClImplementation *row;
  const GstClAnswer *answer;
  guint64 digest; /* of the last result */
} Computation;

/* "answers/OP/ROW" */
static Computation
find_row (const Harness *h)
{
  Computation self = { .context = h->context };
  g_auto (GStrv) parts = g_strsplit (h->label, "/", 3);

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++) {
    if (g_str_equal (ops[i].table->name, parts[1])) {
      self.table = ops[i].table;
      self.row = op_row_find (self.table, parts[2]);
    }
  }

  return self;
}

static gboolean
compute (gpointer user_data, GError **error)
{
  Computation *self = user_data;
  const GstClCandidate candidate = gst_cl_implementation_untuned (self->row,
      self->answer->problem, self->context->device);

  return self->table->compute_answer (self->context, &candidate,
      self->answer->problem, &self->digest, error);
}

/* One of the answers that the row supports, for one in four rows of an op; on a
 * GPU all: each is a program, and the tests of ops compare all rows. */
static void
check_row (Harness *h)
{
  Computation self = find_row (h);
  guint n_supported = 0, n_computed = 0;

  if (!harness_draws (h, (guint) (self.row - self.table->rows),
          MIN (self.table->n_rows, 4)))
    return;
  harness_choose_optimizer (h, self.row);
  for (guint a = 0; a < self.table->n_answers; a++)
    n_supported += gst_cl_implementation_supports (self.row,
        self.table->answers[a].problem, h->context->device);

  for (guint a = 0, i = 0; a < self.table->n_answers; a++) {
    g_autoptr (GError) error = NULL;

    self.answer = &self.table->answers[a];
    if (!gst_cl_implementation_supports (self.row, self.answer->problem,
            h->context->device) ||
        !harness_draws (h, i++ + h->seed / 4, n_supported))
      continue;

    if (!compute (&self, &error))
      harness_fail (h, error, "%s: cannot compute the answer",
          self.answer->name);
    else if (self.digest != self.answer->digest)
      harness_fail (h, NULL,
          "%s: expected digest 0x%016" G_GINT64_MODIFIER
          "x, found 0x%016" G_GINT64_MODIFIER "x",
          self.answer->name, self.answer->digest, self.digest);
    n_computed++;
  }
  /* a row for CPUs may support nothing on a GPU */
  if (n_computed == 0 && (self.row->family != GST_CL_FAMILY_CPU ||
                             h->context->device->family == GST_CL_FAMILY_CPU))
    harness_fail (h, NULL, "the row supports none of the known answers");
}

/* The time of a self-test after its programs have been loaded. */
static void
bench_row (Harness *h)
{
  Computation self = find_row (h);

  self.answer = gst_cl_op_table_find_answer (self.table, self.row, NULL,
      h->context->device);
  if (self.answer)
    harness_bench (h, h->label, GST_CL_ANSWER_WIDTH, GST_CL_ANSWER_HEIGHT,
        GST_CL_ANSWER_SAMPLES, compute, &self);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (HarnessCase));
  HarnessCase next = { "answers/references", check_references, NULL, FALSE };

  g_array_append_val (cases, next);
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++) {
    const GstClOpTable *table = ops[i].table;

    for (guint r = 0; r < table->n_rows; r++) {
      gchar *name = g_strdup_printf ("answers/%s/%s", table->name,
          table->rows[r].name);

      g_ptr_array_add (names, name);
      next = (HarnessCase){ name, check_row, bench_row, FALSE };
      g_array_append_val (cases, next);
    }
  }

  return harness_main (argc, argv, (const HarnessCase *) cases->data,
      cases->len);
}
