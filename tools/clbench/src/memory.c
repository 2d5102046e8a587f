/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Guarantees of the device about the order of memory accesses: a litmus test
 * for each guarantee that kernels of the plugin rely on, and broken variants
 * that leave out a part that the guarantee requires.
 *
 * A broken variant that no device detects proves nothing. PoCL with two threads
 * detects all variants except those with DETECTED_ON_GPUS: its compiler keeps
 * values in registers that are neither volatile nor ordered by a fence, its
 * threads run two work-groups at a time, and it runs the work-items of a group
 * one after the other from barrier to barrier. */

#include "atomics.h"
#include "bench.h"
#include "memorylitmus.h"
#include "memoryreference.h"
#include "timing.h"

#define TECHNIQUE "memory"

/* On a device that can detect it, a broken variant runs until it is detected,
 * at most for the longer of DETECTION_TIME_FACTOR times the time of a row and
 * MIN_DETECTION_TIME_US. */
#define DETECTION_TIME_FACTOR 4
#define MIN_DETECTION_TIME_US (3 * G_USEC_PER_SEC)
#define MAX_RUNS_THAT_GAVE_UP 3 /* runs that give up before the first result */

/* Devices that can detect a broken variant. */
typedef enum {
  DETECTED_ANYWHERE,
  DETECTED_BY_TWO_UNITS, /* not by a CPU of one compute unit, which runs one
                          * group after the other */
  DETECTED_ON_GPUS,      /* not on x86, which keeps stores in order, and not by
                          * PoCL, which runs the work-items of a group one after
                          * the other */
} DetectedOn;

typedef struct {
  const gchar *name;
  MemoryTest test;
  const gchar *left_out; /* the part that a broken variant leaves out; NULL:
                          * none */
  DetectedOn detected_on;
  const gchar *operation; /* a round of memory_litmus_n_rounds() */
  gboolean is_scoped;     /* also tested with scopes of OpenCL C */
} MemoryRow;

/* clang-format off */
#define TEST(KIND, function, does)                                             \
  { .kind = MEMORY_##KIND, .kernel = "memory_" function, .operation = does }
#define GUARANTEE(row, KIND, function, does, counted)                          \
  { .name = row, .test = TEST (KIND, function, does), .operation = counted,    \
    .is_scoped = TRUE }
#define VARIANT(row, KIND, function, does, counted, without)                   \
  { .name = row, .test = TEST (KIND, function, does), .operation = counted,    \
    .left_out = without }
#define ATOMIC(KIND, space, what, WHAT, seen)                                  \
  GUARANTEE (space " " what, KIND, space, MEMORY_##WHAT, "atomic"),            \
  GUARANTEE (space " " what ", result", KIND, space,                           \
      MEMORY_##WHAT | MEMORY_WITH_RESULT, "atomic"),                           \
  { .name = space " " what ": plain",                                          \
    .test = TEST (KIND, space, MEMORY_##WHAT | MEMORY_PLAIN),                  \
    .operation = "access", .left_out = "a read and a write",                   \
    .detected_on = seen },                                                     \
  { .name = space " " what ", result: plain",                                  \
    .test = TEST (KIND, space,                                                 \
        MEMORY_##WHAT | MEMORY_WITH_RESULT | MEMORY_PLAIN),                    \
    .operation = "access", .left_out = "a read and a write",                   \
    .detected_on = seen }

static const MemoryRow rows[] = {
  GUARANTEE ("message: release, acquire", POST, "post", 0, "message"),
  VARIANT ("message: no fence", POST, "post_no_fence", 0, "message",
      "no fence"),
  { .name = "message: flag not volatile",
    .test = { .kind = MEMORY_POST, .kernel = "memory_post_not_volatile",
      .missing_is_wrong = TRUE },
    .operation = "message", .left_out = "a flag that is not volatile" },
  GUARANTEE ("message: device barrier", MESSAGE, "message", 0, "message"),
  VARIANT ("message: no barrier", MESSAGE, "message_no_barrier", 0, "message",
      "no barriers"),
  { .name = "message: group barrier",
    .test = TEST (MESSAGE, "message_group", 0), .operation = "message",
    .left_out = "no fence beyond the work-group",
    .detected_on = DETECTED_ON_GPUS },
  { .name = "launch order", .test = TEST (LAUNCHES, "launches", 0),
    .operation = "launch" },
  VARIANT ("launch order: one launch", ONE_LAUNCH, "one_launch", 0, "step",
      "one launch for all"),
  ATOMIC (GLOBAL, "global", "add", ADD, DETECTED_BY_TWO_UNITS),
  ATOMIC (GLOBAL, "global", "min", MIN, DETECTED_BY_TWO_UNITS),
  ATOMIC (GLOBAL, "global", "max", MAX, DETECTED_BY_TWO_UNITS),
  ATOMIC (LOCAL, "local", "add", ADD, DETECTED_ANYWHERE),
  ATOMIC (LOCAL, "local", "min", MIN, DETECTED_ANYWHERE),
  ATOMIC (LOCAL, "local", "max", MAX, DETECTED_ANYWHERE),
  GUARANTEE ("histogram", HISTOGRAM, "histogram", 0, "count"),
  { .name = "histogram: plain count",
    .test = TEST (HISTOGRAM, "histogram", MEMORY_PLAIN_COUNT),
    .operation = "count", .left_out = "local bins by ++",
    .detected_on = DETECTED_ON_GPUS },
  { .name = "histogram: plain merge",
    .test = TEST (HISTOGRAM, "histogram", MEMORY_PLAIN_MERGE),
    .operation = "count", .left_out = "a read and a write of global bins",
    .detected_on = DETECTED_BY_TWO_UNITS },
  VARIANT ("histogram: no barrier", HISTOGRAM, "histogram_no_barrier", 0,
      "count", "no barriers"),
  GUARANTEE ("local exchange", EXCHANGE, "exchange_local", 0, "barrier"),
  VARIANT ("local exchange: no barrier", EXCHANGE, "exchange_local_no_barrier",
      0, "round", "no barriers"),
  GUARANTEE ("global exchange", EXCHANGE, "exchange_global", 0,
      "barrier"),
  VARIANT ("global exchange: no barrier", EXCHANGE,
      "exchange_global_no_barrier", 0, "round", "no barriers"),
};
/* clang-format on */

/* Totals for the sentence. */
typedef struct {
  Bench *bench;
  gint64 share_us; /* time of a row */
  guint n_guarantees, n_held, n_variants, n_detected;
  guint n_skipped;               /* guarantees and variants */
  GString *broken;               /* guarantees that do not hold; may be empty */
  gdouble add_ns, add_result_ns; /* a global atomic; 0: unknown */
} Sweep;

/* ---- a row ---- */

static gboolean
is_detected_here (const Sweep *sweep, const MemoryRow *row)
{
  const GstClDevice *device = sweep->bench->context->device;

  return row->detected_on == DETECTED_ANYWHERE ||
         device->family != GST_CL_FAMILY_CPU ||
         (row->detected_on == DETECTED_BY_TWO_UNITS &&
             device->compute_units > 1);
}

static gboolean
is_enough (const Sweep *sweep, const MemoryRow *row,
    const MemoryOutcome *outcome, gint64 spent_us)
{
  if (outcome->n_runs == 0)
    return outcome->n_gave_up >= MAX_RUNS_THAT_GAVE_UP;
  if (row->left_out && outcome->n_wrong == 0 && is_detected_here (sweep, row))
    return spent_us >=
           MAX (DETECTION_TIME_FACTOR * sweep->share_us, MIN_DETECTION_TIME_US);

  return spent_us >= sweep->share_us;
}

static gboolean
run_row (const Sweep *sweep, const MemoryRow *row, MemoryLitmus *litmus,
    MemoryOutcome *outcome, GError **error)
{
  gint64 start_us;
  guint n_first;

  /* the first launch of a kernel may compile it */
  if (!memory_litmus_run (litmus, outcome, error))
    return FALSE;
  n_first = outcome->us->len;

  start_us = g_get_monotonic_time ();
  do {
    if (!memory_litmus_run (litmus, outcome, error))
      return FALSE;
  } while (
      !is_enough (sweep, row, outcome, g_get_monotonic_time () - start_us));
  /* the first run counts only if all others have given up */
  if (outcome->us->len > n_first)
    g_array_remove_range (outcome->us, 0, n_first);

  return TRUE;
}

static gchar *
format_ns (gdouble ns)
{
  return ns < 1e4 ? g_strdup_printf ("%.3g ns", ns)
                  : g_strdup_printf ("%.3g us", ns / 1e3);
}

static gchar *
describe (const Sweep *sweep, const MemoryRow *row,
    const MemoryOutcome *outcome, gdouble ns)
{
  const gdouble share = outcome->n_results > 0
                            ? 100.0 * (gdouble) outcome->n_wrong /
                                  (gdouble) outcome->n_results
                            : 0;
  g_autofree gchar *time = format_ns (ns);

  if (!row->left_out)
    return g_strdup_printf ("%s a%s %s, %" G_GUINT64_FORMAT " runs", time,
        row->operation[0] == 'a' ? "n" : "", row->operation, outcome->n_runs);
  if (outcome->n_wrong == 0 && !is_detected_here (sweep, row))
    return g_strdup_printf ("%s; %s may detect it", row->left_out,
        row->detected_on == DETECTED_BY_TWO_UNITS ? "two compute units"
                                                  : "GPUs");

  return g_strdup_printf ("%s: %.3g %% wrong in %" G_GUINT64_FORMAT " runs",
      row->left_out, share, outcome->n_runs);
}

static GVariant *
list_figures (const MemoryOutcome *outcome, gdouble ns)
{
  return g_variant_new_parsed ("{'runs': %d, 'runs_that_gave_up': %d, "
                               "'results': %d, 'wrong_results': %d, "
                               "'ns_per_operation': %d}",
      (gdouble) outcome->n_runs, (gdouble) outcome->n_gave_up,
      (gdouble) outcome->n_results, (gdouble) outcome->n_wrong, ns);
}

static void
count (Sweep *sweep, const MemoryRow *row, const gchar *name,
    const MemoryOutcome *outcome, gdouble ns)
{
  const gboolean is_right = outcome->n_wrong == 0;

  if (row->left_out) {
    sweep->n_variants++;
    sweep->n_detected += !is_right;
    return;
  }

  sweep->n_guarantees++;
  sweep->n_held += is_right;
  if (!is_right)
    g_string_append_printf (sweep->broken, "%s%s",
        sweep->broken->len > 0 ? ", " : "", name);
  if (g_str_equal (name, "global add"))
    sweep->add_ns = ns;
  else if (g_str_equal (name, "global add, result"))
    sweep->add_result_ns = ns;
}

static void
report_row (Sweep *sweep, const MemoryRow *row, const gchar *name,
    const MemoryLitmus *litmus, const MemoryOutcome *outcome)
{
  const Spread spread = timing_spread (outcome->us);
  const gboolean is_of_pairs = row->test.kind <= MEMORY_MESSAGE;
  /* messages of all pairs are in flight at once: the figure is the time of
   * one */
  const gdouble n = is_of_pairs ? memory_litmus_n_rounds (litmus)
                                : memory_litmus_n_operations (litmus);
  const gdouble ns = 1e3 * spread.median / n;
  g_autofree gchar *detail = describe (sweep, row, outcome, ns);
  const ReportRow result = {
    .technique = TECHNIQUE,
    .row = name,
    .correct = outcome->n_wrong == 0,
    .expected_wrong = row->left_out != NULL,
    .us = spread,
    .per_second = spread.median > 0
                      ? 1e6 * memory_litmus_n_operations (litmus) /
                            spread.median
                      : 0,
    .detail = detail,
    .figures = list_figures (outcome, ns),
  };

  report_add (sweep->bench->report, &result);
  count (sweep, row, name, outcome, ns);
}

static void
skip (Sweep *sweep, const gchar *name, const gchar *reason)
{
  report_skip (sweep->bench->report, TECHNIQUE, name, reason);
  sweep->n_skipped++;
}

/* @options: build options of the kernels; "": every device must compile
 * them. */
static gboolean
bench_row (Sweep *sweep, const MemoryRow *row, const gchar *name,
    const gchar *options, GError **error)
{
  Bench *bench = sweep->bench;
  g_autoptr (GRand) rand = bench_rand (bench, TECHNIQUE, name);
  g_autoptr (GArray) us = g_array_new (FALSE, FALSE, sizeof (gdouble));
  g_autoptr (GError) reason = NULL;
  g_autoptr (MemoryLitmus) litmus = NULL;
  MemoryOutcome outcome = { .us = us };

  report_progress (bench->report, TECHNIQUE, name);
  litmus = memory_litmus_new (bench->context, &row->test, options,
      bench->is_quick, g_rand_int (rand), &reason);
  if (!litmus &&
      (gst_cl_error_is_compiler_failure (reason) ||
          g_error_matches (reason, GST_CL_ERROR, CL_INVALID_VALUE))) {
    skip (sweep, name, reason->message);
    return TRUE;
  }
  if (!litmus) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }

  if (!run_row (sweep, row, litmus, &outcome, error))
    return FALSE;
  if (outcome.n_runs > 0)
    report_row (sweep, row, name, litmus, &outcome);
  else
    skip (sweep, name, "a work-group gave up waiting for another");

  return TRUE;
}

/* ---- all rows ---- */

static gboolean
bench_scoped_row (Sweep *sweep, const MemoryRow *row, const gchar *options,
    const GError *reason, GError **error)
{
  g_autofree gchar *name = g_strdup_printf ("scoped %s", row->name);

  if (options)
    return bench_row (sweep, row, name, options, error);

  skip (sweep, name, reason->message);

  return TRUE;
}

static void
conclude (const Sweep *sweep)
{
  g_autoptr (GString) words = g_string_new (NULL);

  if (sweep->n_held == sweep->n_guarantees)
    g_string_append_printf (words, "All %u guarantees that were tested hold",
        sweep->n_guarantees);
  else
    g_string_append_printf (words,
        "%u guarantees were tested, %u hold; these do not: %s",
        sweep->n_guarantees, sweep->n_held, sweep->broken->str);
  if (sweep->n_skipped > 0)
    g_string_append_printf (words, ", %u rows were skipped", sweep->n_skipped);
  g_string_append_printf (words, "; %u of %u broken variants were detected",
      sweep->n_detected, sweep->n_variants);
  if (sweep->add_ns > 0 && sweep->add_result_ns > 0)
    g_string_append_printf (words,
        "; a global atomic add costs %.2f times as much if its result is "
        "used (%.3g ns, otherwise %.3g)",
        sweep->add_result_ns / sweep->add_ns, sweep->add_result_ns,
        sweep->add_ns);
  g_string_append_c (words, '.');
  report_conclude (sweep->bench->report, TECHNIQUE, words->str);
}

gboolean
bench_memory (Bench *bench, GError **error)
{
  g_autoptr (GString) broken = g_string_new (NULL);
  g_autoptr (GError) reason = NULL;
  const gchar *options = atomics_option (bench->context->device, &reason);
  guint n_rows = G_N_ELEMENTS (rows);
  Sweep sweep = {
    .bench = bench,
    .broken = broken,
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    n_rows += options && rows[i].is_scoped;
  /* the rest is for first runs, which compile */
  sweep.share_us = bench->allowed_us * 4 / 5 / n_rows;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!bench_row (&sweep, &rows[i], rows[i].name, "", error))
      return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!rows[i].is_scoped)
      continue;
    if (!bench_scoped_row (&sweep, &rows[i], options, reason, error))
      return FALSE;
  }
  conclude (&sweep);

  return TRUE;
}
