/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of one block size: checks, times and texts. */

#include "reductionsprivate.h"

#include "timing.h"

#define N_SAMPLES_MIN 3 /* of each round */
#define N_SAMPLES_MAX 50
#define LONG_RUN_US   50000
/* Bytes of local memory for each work-item of an inner group. */
#define LOCAL_FLOAT   4
#define LOCAL_MOMENTS 28

const gchar *const reduction_method_names[REDUCTION_N_METHODS] = { "inner",
  "outer", "mixed" };

/* One block size: rounds in both contexts, and the time of each round. */
typedef struct {
  ReductionSeries *series;
  gint block;
  ReductionRounds *rounds, *profiling;
  guint n_rounds;
  guint n_outer; /* of the current method, which begins with outer rounds */
  gdouble round_us[2][REDUCTION_MAX_ROUNDS + 1]; /* by is_outer; from 1 */
} Blocks;

static gboolean
is_outer (const Blocks *self, guint round)
{
  return round <= self->n_outer;
}

/* --- correctness ---------------------------------------------------------- */

/* Runs round by round. *@correct receives whether every partial of every round
 * equals the reference. */
static gboolean
check_rounds (const Blocks *self, gboolean *correct, GError **error)
{
  const ReductionFrame *frame = &self->series->frame;
  g_autofree gpointer partials = NULL;

  *correct = TRUE;
  for (guint round = 1; round <= self->n_rounds && *correct; round++) {
    const ReductionGrid before = reduction_rounds_grid (self->rounds,
        round - 1);
    const gsize n_partials = reduction_n_partials (
        reduction_rounds_grid (self->rounds, round));
    g_autofree gpointer found = g_malloc (
        n_partials * reduction_partial_bytes (frame));
    gpointer expected;

    if (!reduction_rounds_run (self->rounds, round, is_outer (self, round),
            error) ||
        !reduction_rounds_read (self->rounds, round, found, error))
      return FALSE;

    expected = reduction_reference (frame, partials, before, self->block,
        is_outer (self, round));
    *correct = reduction_partials_equal (frame, found, expected, n_partials);
    g_free (partials);
    partials = expected;
  }

  return TRUE;
}

/* Checks every possible mixture, not only the chosen one. */
static gboolean
check_mixtures (const Blocks *self, gboolean *correct, GError **error)
{
  Blocks mixture = *self;

  if (!check_rounds (self, correct, error))
    return FALSE;

  for (guint n_outer = 1; n_outer < self->n_rounds && *correct; n_outer++) {
    mixture.n_outer = n_outer;
    if (!check_rounds (&mixture, correct, error))
      return FALSE;
  }

  return TRUE;
}

/* --- times ---------------------------------------------------------------- */

static gboolean
run_all (gpointer user_data, GError **error)
{
  const Blocks *self = user_data;

  for (guint round = 1; round <= self->n_rounds; round++) {
    if (!reduction_rounds_run (self->rounds, round, is_outer (self, round),
            error))
      return FALSE;
  }

  return TRUE;
}

/* Time for one of the two measurements of a row. */
static gint64
row_allowed_us (const Blocks *self)
{
  return self->series->bench->allowed_us / (2 * REDUCTION_N_ROWS);
}

/* Appends the device time of each round of one run; samples[0] is that of all
 * rounds. */
static gboolean
sample_rounds (Blocks *self, GArray *samples[], GError **error)
{
  GstClContext *context = self->series->bench->profiling;
  gdouble sum_us = 0;

  for (guint round = 1; round <= self->n_rounds; round++) {
    gdouble us;

    if (!reduction_rounds_run (self->profiling, round, is_outer (self, round),
            error) ||
        !gst_cl_context_finish (context, error))
      return FALSE;
    us = timing_take_profile_ns (context) / 1e3;
    g_array_append_val (samples[round], us);
    sum_us += us;
  }
  g_array_append_val (samples[0], sum_us);

  return TRUE;
}

static gboolean
repeat_rounds (Blocks *self, GArray *samples[], GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();

  for (guint n = 0; n < N_SAMPLES_MAX; n++) {
    if (n >= N_SAMPLES_MIN &&
        g_get_monotonic_time () - start_us > row_allowed_us (self))
      break;
    if (!sample_rounds (self, samples, error))
      return FALSE;
  }

  return TRUE;
}

/* Fills round_us of the current method, which is inner or outer in all rounds.
 * *@run receives the device time of a whole run. */
static gboolean
time_rounds (Blocks *self, Spread *run, GError **error)
{
  GArray *samples[REDUCTION_MAX_ROUNDS + 1] = { NULL };
  gboolean is_done;

  for (guint round = 0; round <= self->n_rounds; round++)
    samples[round] = g_array_new (FALSE, FALSE, sizeof (gdouble));

  is_done = repeat_rounds (self, samples, error);
  *run = timing_spread (samples[0]);
  for (guint round = 1; round <= self->n_rounds; round++) {
    const Spread spread = timing_spread (samples[round]);

    self->round_us[is_outer (self, round)][round] = spread.median;
  }
  for (guint round = 0; round <= self->n_rounds; round++)
    g_array_unref (samples[round]);

  return is_done;
}

/* Returns the time of a whole run of the current method. For long runs the
 * device time is accurate enough, and saves more runs. */
static gboolean
time_method (Blocks *self, ReductionMethod method, Spread *run, GError **error)
{
  if (method != REDUCTION_MIXED) {
    if (!time_rounds (self, run, error))
      return FALSE;
    if (run->median >= LONG_RUN_US)
      return TRUE;
  }

  return timing_measure (self->series->bench->context, run_all, self,
      row_allowed_us (self), run, error);
}

/* Returns how many rounds outer runs, while there are many blocks, before inner
 * runs the rest, for the shortest total time. */
static guint
choose_n_outer (const Blocks *self)
{
  gdouble best_us = G_MAXDOUBLE;
  guint best = 0;

  for (guint n_outer = 0; n_outer <= self->n_rounds; n_outer++) {
    gdouble us = 0;

    for (guint round = 1; round <= self->n_rounds; round++)
      us += self->round_us[round <= n_outer][round];
    if (us < best_us) {
      best_us = us;
      best = n_outer;
    }
  }

  return best;
}

/* --- rows ----------------------------------------------------------------- */

/* The buffer of each round, its size and its time: "A 256x256 39.0 us, B 16x16
 * 5.812 us". */
static gchar *
describe_rounds (const Blocks *self, ReductionMethod method)
{
  GString *text = g_string_new (NULL);

  for (guint round = 1; round <= self->n_rounds; round++) {
    const ReductionGrid grid = reduction_rounds_grid (self->rounds, round);
    const gboolean outer = is_outer (self, round);
    g_autofree gchar *time = report_format_us (self->round_us[outer][round]);

    g_string_append_printf (text, "%s%s %dx%d%s %s", round > 1 ? ", " : "",
        round % 2 ? "A" : "B", grid.width, grid.height,
        method != REDUCTION_MIXED ? ""
        : outer                   ? " outer"
                                  : " inner",
        time);
  }

  return g_string_free (text, FALSE);
}

static GVariant *
get_figures (const Blocks *self, gdouble median_us)
{
  const ReductionFrame *frame = &self->series->frame;
  const gdouble bytes = (gdouble) frame->width * frame->height *
                        reduction_sample_bytes (frame);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sd}"));
  for (guint round = 1; round <= self->n_rounds; round++) {
    g_autofree gchar *name = g_strdup_printf ("round_%u_us", round);

    g_variant_builder_add (&builder, "{sd}", name,
        self->round_us[is_outer (self, round)][round]);
  }
  g_variant_builder_add (&builder, "{sd}", "outer_rounds",
      (gdouble) self->n_outer);
  g_variant_builder_add (&builder, "{sd}", "gb_per_s", bytes / 1e3 / median_us);

  return g_variant_builder_end (&builder);
}

static gchar *
name_row (const Blocks *self, ReductionMethod method)
{
  return g_strdup_printf ("%s, block %d, %s", reduction_method_names[method],
      self->block, self->series->name);
}

static void
add_row (Blocks *self, ReductionMethod method, gboolean correct,
    const Spread *spread)
{
  g_autofree gchar *name = name_row (self, method);
  g_autofree gchar *detail = describe_rounds (self, method);
  ReductionBest *best = &self->series->best[method];
  const ReportRow row = {
    .technique = REDUCTION_TECHNIQUE,
    .row = name,
    .correct = correct,
    .median_us = spread->median,
    .low_us = spread->low,
    .high_us = spread->high,
    .detail = detail,
    .figures = get_figures (self, spread->median),
  };

  report_add (self->series->bench->report, &row);
  /* a mixture of one method only is that method */
  if (method == REDUCTION_MIXED &&
      (self->n_outer == 0 || self->n_outer == self->n_rounds))
    return;
  if (correct && (best->us == 0 || spread->median < best->us))
    *best = (ReductionBest){ spread->median, self->block };
}

static gboolean
bench_method (Blocks *self, ReductionMethod method, GError **error)
{
  Bench *bench = self->series->bench;
  g_autofree gchar *name = name_row (self, method);
  g_autofree gchar *progress = g_strdup_printf ("%s: %s", REDUCTION_TECHNIQUE,
      name);
  gboolean correct;
  Spread spread;

  bench_progress (bench, progress);
  self->n_outer = method == REDUCTION_INNER   ? 0
                  : method == REDUCTION_OUTER ? self->n_rounds
                                              : choose_n_outer (self);

  if (!(method == REDUCTION_MIXED ? check_mixtures : check_rounds) (self,
          &correct, error) ||
      !time_method (self, method, &spread, error))
    return FALSE;

  add_row (self, method, correct, &spread);

  return TRUE;
}

/* --- blocks --------------------------------------------------------------- */

/* Returns NULL if the device supports an inner work-group of the block,
 * otherwise the reason; transfer full. */
static gchar *
refuse_inner (const ReductionSeries *series, gint block)
{
  const GstClDevice *device = series->bench->context->device;
  const gsize n_items = (gsize) block * block;
  const gsize local_bytes = n_items * (series->frame.is_float ? LOCAL_FLOAT
                                                              : LOCAL_MOMENTS);

  if (n_items > device->max_work_group_size)
    return g_strdup_printf ("work-groups of %zu items; the device supports %zu",
        n_items, device->max_work_group_size);
  if (local_bytes > device->local_bytes)
    return g_strdup_printf (
        "%zu bytes of local memory; the device has %" G_GUINT64_FORMAT,
        local_bytes, device->local_bytes);

  return NULL;
}

static void
skip_method (const Blocks *self, ReductionMethod method, const gchar *reason)
{
  g_autofree gchar *name = name_row (self, method);

  report_skip (self->series->bench->report, REDUCTION_TECHNIQUE, name, reason);
}

static gboolean
bench_methods (Blocks *self, const gchar *refusal, GError **error)
{
  if (refusal) {
    skip_method (self, REDUCTION_INNER, refusal);
    skip_method (self, REDUCTION_MIXED, refusal);
    return bench_method (self, REDUCTION_OUTER, error);
  }

  for (ReductionMethod method = 0; method < REDUCTION_N_METHODS; method++) {
    if (!bench_method (self, method, error))
      return FALSE;
  }

  return TRUE;
}

gboolean
reduction_bench_block (ReductionSeries *series, gint block, GError **error)
{
  Bench *bench = series->bench;
  Blocks self = { .series = series, .block = block };
  g_autofree gchar *refusal = refuse_inner (series, block);
  gboolean is_done = FALSE;

  self.rounds = reduction_rounds_new (bench->context, &series->frame,
      series->mem, block, !refusal, error);
  if (self.rounds)
    self.profiling = reduction_rounds_new (bench->profiling, &series->frame,
        series->profiling, block, !refusal, error);
  if (self.profiling) {
    self.n_rounds = reduction_rounds_count (self.rounds);
    is_done = bench_methods (&self, refusal, error);
  }
  reduction_rounds_free (self.rounds);
  reduction_rounds_free (self.profiling);

  return is_done;
}
