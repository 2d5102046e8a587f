/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two-buffer ping-pong reduction: rows of each sample type and block size,
 * their checks and times. */

#include "reductions.h"

#include "bench.h"
#include "timing.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "statistics/moments/moments.h"

#define TECHNIQUE     "reductions"
/* Approximate number of rows, each with two measurements. */
#define N_ROWS        19
#define N_SAMPLES_MIN 3 /* of each round */
#define N_SAMPLES_MAX 50
#define LONG_RUN_US   50000
/* Bytes of local memory for each work-item of an inner group. */
#define LOCAL_FLOAT   4
#define LOCAL_MOMENTS 28

static const gint blocks[] = { 8, 16, 32 };

typedef enum {
  REDUCTION_INNER, /* a work-group halves a block in local memory */
  REDUCTION_OUTER, /* a work-item sums a block in a loop */
  REDUCTION_MIXED, /* outer while there are many blocks, then inner */
  REDUCTION_N_METHODS
} ReductionMethod;

/* The fastest row of a method so far. */
typedef struct {
  gdouble us; /* 0: none */
  gint block;
} ReductionBest;

/* The frame of one type of samples. */
typedef struct {
  Bench *bench;
  ReductionFrame frame;
  const gchar *name;     /* of the type */
  cl_mem mem, profiling; /* the samples in memory of both contexts */
  ReductionBest best[REDUCTION_N_METHODS];
} ReductionSeries;

static const gchar *const method_names[REDUCTION_N_METHODS] = { "inner",
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
  return self->series->bench->allowed_us / (2 * N_ROWS);
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
  return g_strdup_printf ("%s, block %d, %s", method_names[method], self->block,
      self->series->name);
}

static void
add_row (Blocks *self, ReductionMethod method, gboolean correct,
    const Spread *spread)
{
  g_autofree gchar *name = name_row (self, method);
  g_autofree gchar *detail = describe_rounds (self, method);
  ReductionBest *best = &self->series->best[method];
  const ReportRow row = {
    .technique = TECHNIQUE,
    .row = name,
    .correct = correct,
    .us = *spread,
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
  gboolean correct;
  Spread spread;

  report_progress (bench->report, TECHNIQUE, name);
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

  report_skip (self->series->bench->report, TECHNIQUE, name, reason);
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

/* Adds the rows of each method with blocks of @block x @block. */
static gboolean
bench_block (ReductionSeries *series, gint block, GError **error)
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

/* --- the kernels of clframesum, chosen and run as in the element ---------- */

#define ROW "clframesum, 8-bit"

typedef struct {
  GstClMomentsProblem problem; /* one component */
  GstClMomentsOp *op;
} FrameSum;

static gboolean
run_frame_sum (gpointer user_data, GError **error)
{
  FrameSum *sum = user_data;

  return gst_cl_moments_op_run (sum->op, sum->problem.components, error);
}

/* *@correct receives whether the result of a run equals that of plain code. */
static gboolean
check_frame_sum (FrameSum *sum, const ReductionFrame *frame, gboolean *correct,
    GError **error)
{
  const ReductionGrid grid = { frame->width, frame->height };
  /* one block for the whole frame */
  g_autofree GstClMoments *expected = reduction_reference (frame, NULL, grid,
      MAX (grid.width, grid.height), TRUE);
  GstClMoments result = { 0 };

  if (!run_frame_sum (sum, error) ||
      !gst_cl_moments_op_read (sum->op, &result, error))
    return FALSE;

  *correct = reduction_partials_equal (frame, &result, expected, 1);

  return TRUE;
}

static gboolean
add_frame_sum (Bench *bench, FrameSum *sum, const ReductionFrame *frame,
    const gchar *candidate, gint64 allowed_us, gchar **words, GError **error)
{
  ReportRow row = { .technique = TECHNIQUE, .row = ROW };
  g_autofree gchar *detail = g_strdup_printf ("uses %s", candidate);
  g_autofree gchar *time = NULL;
  Spread spread;

  if (!check_frame_sum (sum, frame, &row.correct, error) ||
      !timing_measure (bench->context, run_frame_sum, sum, allowed_us, &spread,
          error))
    return FALSE;

  row.us = spread;
  row.detail = detail;
  report_add (bench->report, &row);

  time = report_format_us (spread.median);
  *words = g_strdup_printf ("clframesum uses %s, %s", candidate, time);

  return TRUE;
}

/* Adds the row of the kernels that clframesum runs on the device for @frame, of
 * 8 bits. @mem: its samples in the memory of the context without profiling.
 * *@words receives the name of the implementation and its time; transfer
 * full */
static gboolean
bench_frame_sum (Bench *bench, const ReductionFrame *frame, cl_mem mem,
    gint64 allowed_us, gchar **words, GError **error)
{
  const GstClComponent component = {
    .mem = mem,
    .stride_bytes = frame->width,
    .pixel_stride_bytes = 1,
    .width = frame->width,
    .height = frame->height,
    .sample = { .bytes = 1, .depth = 8 },
  };
  FrameSum sum = { .problem = { 1, { component } } };
  GstClCandidate candidate;
  gboolean is_done;

  report_progress (bench->report, TECHNIQUE, ROW);
  candidate = gst_cl_op_table_choose (&gst_cl_moments_table, bench->context,
      GST_CL_REDUCTION_AUTO, &sum.problem, !bench->is_quick, error);
  if (!candidate.implementation)
    return FALSE;
  sum.op = gst_cl_moments_op_new (bench->context, &candidate, &sum.problem,
      error);
  if (!sum.op)
    return FALSE;

  is_done = add_frame_sum (bench, &sum, frame,
      gst_cl_candidate_name (&candidate), allowed_us, words, error);
  gst_cl_moments_op_free (sum.op);

  return is_done;
}

/* --- all rows ------------------------------------------------------------- */

static void
fill_samples (Bench *bench, const ReductionFrame *frame, gpointer samples)
{
  const gsize n_samples = (gsize) frame->width * frame->height;
  g_autoptr (GRand)
      rand = bench_rand (bench, TECHNIQUE, frame->is_float ? "float" : "8-bit");

  for (gsize i = 0; i < n_samples; i++) {
    /* a float holds 24 bits */
    const guint32 number = g_rand_int (rand) >> 8;

    if (frame->is_float)
      ((gfloat *) samples)[i] = (gfloat) number / (1 << 24);
    else
      ((guint8 *) samples)[i] = (guint8) number;
  }
}

/* Returns the fastest method; REDUCTION_N_METHODS: no method was correct. */
static ReductionMethod
find_winner (const ReductionSeries *series)
{
  ReductionMethod winner = REDUCTION_N_METHODS;

  for (ReductionMethod method = 0; method < REDUCTION_N_METHODS; method++) {
    const gdouble us = series->best[method].us;

    if (us > 0 &&
        (winner == REDUCTION_N_METHODS || us < series->best[winner].us))
      winner = method;
  }

  return winner;
}

/* "outer is fastest for float (block 16, 39.0 us, 2.56 times as fast as
 * inner)". transfer full */
static gchar *
describe_winner (const ReductionSeries *series)
{
  const ReductionMethod winner = find_winner (series);
  g_autofree gchar *time = NULL;
  GString *text;

  if (winner == REDUCTION_N_METHODS)
    return g_strdup_printf ("no method is correct for %s", series->name);

  time = report_format_us (series->best[winner].us);
  text = g_string_new (NULL);
  g_string_printf (text, "%s is fastest for %s (block %d, %s",
      method_names[winner], series->name, series->best[winner].block, time);
  for (ReductionMethod method = REDUCTION_INNER; method <= REDUCTION_OUTER;
       method++) {
    if (method != winner && series->best[method].us > 0)
      g_string_append_printf (text, ", %.2f times as fast as %s",
          series->best[method].us / series->best[winner].us,
          method_names[method]);
  }
  g_string_append_c (text, ')');

  return g_string_free (text, FALSE);
}

static gboolean
bench_on_device (ReductionSeries *series, gchar **words, GError **error)
{
  Bench *bench = series->bench;
  g_autofree gchar *winner = NULL, *taken = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    if (!bench_block (series, blocks[i], error))
      return FALSE;
  }
  winner = describe_winner (series);

  if (series->frame.is_float) {
    *words = g_steal_pointer (&winner);
    return TRUE;
  }

  if (!bench_frame_sum (bench, &series->frame, series->mem,
          bench->allowed_us / (2 * N_ROWS), &taken, error))
    return FALSE;
  *words = g_strdup_printf ("%s; %s", winner, taken);

  return TRUE;
}

/* *@words receives the fastest method; transfer full */
static gboolean
bench_series (ReductionSeries *series, gchar **words, GError **error)
{
  Bench *bench = series->bench;
  ReductionFrame *frame = &series->frame;
  const gsize size_bytes = (gsize) frame->width * frame->height *
                           reduction_sample_bytes (frame);
  g_autofree gpointer samples = g_malloc (size_bytes);
  gboolean is_done;

  fill_samples (bench, frame, samples);
  frame->samples = samples;
  series->mem = gst_cl_buffer_new_filled (bench->context, size_bytes, samples,
      error);
  if (series->mem)
    series->profiling = gst_cl_buffer_new_filled (bench->profiling, size_bytes,
        samples, error);
  is_done = series->profiling && bench_on_device (series, words, error);
  gst_cl_buffer_free (series->mem);
  gst_cl_buffer_free (series->profiling);

  return is_done;
}

gboolean
bench_reductions (Bench *bench, GError **error)
{
  /* small frames have ragged blocks and take three rounds of 8 */
  ReductionSeries floats = {
    .bench = bench,
    .frame = { TRUE, bench->is_quick ? 72 : 4096, bench->is_quick ? 40 : 4096,
        NULL },
    .name = "float",
  };
  ReductionSeries video = {
    .bench = bench,
    .frame = { FALSE, bench->is_quick ? 70 : 3840, bench->is_quick ? 34 : 2160,
        NULL },
    .name = "8-bit",
  };
  g_autofree gchar *float_words = NULL, *video_words = NULL, *sentence = NULL;

  if (!bench_series (&floats, &float_words, error) ||
      !bench_series (&video, &video_words, error))
    return FALSE;

  sentence = g_strdup_printf ("%s; %s.", float_words, video_words);
  report_conclude (bench->report, TECHNIQUE, sentence);

  return TRUE;
}
