/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers across the work-groups of one launch: whether they work, and the
 * cost of one, compared with a launch. */

#include "barriersring.h"
#include "barrierssentence.h"
#include "bench.h"
#include "timing.h"

#define TECHNIQUE "barriers"

/* Before it is timed, a ring of random numbers makes rounds until a run is long
 * enough, or has this many rounds. */
#define LEAST_ROUNDS 4
#define MOST_ROUNDS  512

/* Rounds of a run. If a CPU device has more threads than a busy machine has
 * free cores, a barrier may take a time slice of the scheduler, and one run as
 * long as thousands of others. */
#define MOST_ROUNDS_GPU   (1 << 20)
#define MOST_ROUNDS_CPU   256
#define MOST_ROUNDS_QUICK 4

/* The time of a row is divided into this many runs, so that none is long enough
 * for a display driver to end it. */
#define RUNS_PER_ROW    20
#define SHORTEST_RUN_US 500
#define LONGEST_RUN_US  20000

/* Number of rings: one may give up by chance on a CPU. */
#define TRIES_CPU 3
#define TRIES_GPU 1

static const guint group_sizes[] = { 32, 64, 256, 1024 };

enum { NONE, LAUNCHES, FIRST_BARRIER };

static const BarriersKind kinds[] = {
  [NONE] = { .name = "none", .barrier = "NO_BARRIER", .expected_wrong = TRUE },
  [LAUNCHES] = { .name = "launches",
      .barrier = "NO_BARRIER",
      .takes_several_launches = TRUE },
  [FIRST_BARRIER] = { .name = "every-item", .barrier = "EVERY_ITEM" },
  { .name = "leader", .barrier = "LEADER" },
  { .name = "flags", .barrier = "FLAGS" },
  { .name = "atomics", .barrier = "ATOMICS", .needs_scoped_atomics = TRUE },
};

/* Rings of one size. */
typedef struct {
  guint n_items, n_groups;
  /* of half a round, with its barrier or launch; 0: none, or a wrong one */
  gdouble ns[G_N_ELEMENTS (kinds)];
} Size;

typedef struct {
  Bench *bench;
  gint64 end_us; /* when all rows should be complete */
  guint n_rows_left;
  GArray *sizes; /* number of sizes complete or running */
} Sweep;

/* ---- a ring ---- */

/* Result of a ring. */
typedef struct {
  guint n_elements, n_wrong; /* elements that were compared */
  guint64 n_rounds;          /* rounds that were timed */
  Spread round;              /* us, with its two barriers or launches */
} BarriersOutcome;

typedef struct {
  BarriersRing *ring;
  guint n_rounds;
} Run;

static gboolean
run_rounds (gpointer user_data, GError **error)
{
  const Run *run = user_data;

  return barriers_ring_run (run->ring, run->n_rounds, error);
}

/* Counts the elements that differ from the reference. */
static gboolean
compare (BarriersRing *ring, const guint32 *expected, BarriersOutcome *outcome,
    gboolean *gave_up, GError **error)
{
  guint32 elements[BARRIERS_RING_LENGTH];

  if (!barriers_ring_read (ring, elements, gave_up, error))
    return FALSE;

  outcome->n_elements += BARRIERS_RING_LENGTH;
  for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
    outcome->n_wrong += elements[i] != expected[i];

  return TRUE;
}

static guint
most_rounds (const Bench *bench)
{
  if (bench->is_quick)
    return MOST_ROUNDS_QUICK;

  return bench->context->device->family == GST_CL_FAMILY_CPU ? MOST_ROUNDS_CPU
                                                             : MOST_ROUNDS_GPU;
}

/* Finds the number of rounds that take about @aimed_us, on random numbers, and
 * checks their result. */
static gboolean
check_and_count (Bench *bench, BarriersRing *ring, gint64 aimed_us,
    guint *n_rounds, BarriersOutcome *outcome, gboolean *gave_up,
    GError **error)
{
  GstClContext *context = bench->context;
  g_autoptr (GRand) rand = bench_rand (bench, TECHNIQUE, "ring");
  guint32 expected[BARRIERS_RING_LENGTH];
  const guint most = most_rounds (bench);
  Run run = { ring, 1 };
  gint64 us = 0;

  for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
    expected[i] = g_rand_int (rand);
  /* the first round may compile */
  if (!barriers_ring_fill (ring, expected, error) ||
      !run_rounds (&run, error) || !gst_cl_context_finish (context, error))
    return FALSE;

  for (guint n = LEAST_ROUNDS; n <= MIN (MOST_ROUNDS, most) && us < aimed_us;
       n *= 2) {
    const gint64 start_us = g_get_monotonic_time ();

    run.n_rounds = n;
    if (!run_rounds (&run, error) || !gst_cl_context_finish (context, error))
      return FALSE;
    us = MAX (g_get_monotonic_time () - start_us, 1);
  }

  *n_rounds = (guint) CLAMP (aimed_us * run.n_rounds / us, 1, most);
  barriers_reference_ring (expected, (guint) barriers_ring_n_rounds (ring));

  return compare (ring, expected, outcome, gave_up, error);
}

/* A ring of ones: elements stay equal, and are known after any number of
 * rounds. */
static gboolean
measure_ring (Bench *bench, BarriersRing *ring, gint64 allowed_us,
    BarriersOutcome *outcome, gboolean *gave_up, GError **error)
{
  const gint64 aimed_us = CLAMP (allowed_us / RUNS_PER_ROW, SHORTEST_RUN_US,
      LONGEST_RUN_US);
  guint32 elements[BARRIERS_RING_LENGTH];
  Run run = { .ring = ring };

  if (!check_and_count (bench, ring, aimed_us, &run.n_rounds, outcome, gave_up,
          error))
    return FALSE;
  if (*gave_up)
    return TRUE;

  for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
    elements[i] = 1;
  if (!barriers_ring_fill (ring, elements, error) ||
      !timing_measure (bench->context, run_rounds, &run, allowed_us / 2,
          &outcome->round, error))
    return FALSE;

  outcome->round.median /= run.n_rounds;
  outcome->round.low /= run.n_rounds;
  outcome->round.high /= run.n_rounds;
  outcome->n_rounds = barriers_ring_n_rounds (ring);
  for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
    elements[i] = barriers_reference_of_ones (outcome->n_rounds);

  return compare (ring, elements, outcome, gave_up, error);
}

/* Returns whether @error means that the device does not support such a ring.
 * Some compilers fail at atomics that their devices list. */
static gboolean
is_refusal (const BarriersKind *kind, const GError *error)
{
  return g_error_matches (error, GST_CL_ERROR, CL_INVALID_VALUE) ||
         g_error_matches (error, GST_CL_ERROR, CL_INVALID_DEVICE) ||
         (kind->needs_scoped_atomics &&
             gst_cl_error_is_compiler_failure (error));
}

/* Runs rings of @kind for about @allowed_us, at least a few rounds. *@refusal
 * receives the reason why *@outcome is not set (transfer full): the device does
 * not support the ring, or every ring gave up; otherwise NULL. FALSE with
 * @error if the device failed. */
static gboolean
measure_kind (Bench *bench, const BarriersKind *kind, guint n_items,
    guint n_groups, gint64 allowed_us, BarriersOutcome *outcome,
    gchar **refusal, GError **error)
{
  const GstClDevice *device = bench->context->device;
  const guint n_tries = device->family == GST_CL_FAMILY_CPU ? TRIES_CPU
                                                            : TRIES_GPU;

  *refusal = NULL;
  for (guint i = 0; i < n_tries; i++) {
    g_autoptr (GError) reason = NULL;
    g_autoptr (BarriersRing) ring = barriers_ring_new (bench->context, kind,
        n_items, n_groups, &reason);
    gboolean gave_up;

    if (!ring && is_refusal (kind, reason)) {
      *refusal = g_strdup (reason->message);
      return TRUE;
    }
    if (!ring) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }

    *outcome = (BarriersOutcome){ 0 };
    if (!measure_ring (bench, ring, allowed_us, outcome, &gave_up, error))
      return FALSE;
    if (!gave_up)
      return TRUE;
  }

  *refusal = g_strdup_printf (
      "gave up after %u reads: not all work-groups reached the barrier",
      gst_cl_device_spin_limit (device));

  return TRUE;
}

/* ---- rows ---- */

/* Returns the time of a barrier or a launch, without the sums of the ring. */
static gdouble
net_ns (const Size *size, guint kind)
{
  return size->ns[kind] - size->ns[NONE];
}

static gchar *
describe (const Size *size, guint kind, const BarriersOutcome *outcome)
{
  const gchar *step = kind == LAUNCHES ? "launch" : "barrier";
  const gdouble wrong_share = outcome->n_wrong / (gdouble) outcome->n_elements;
  const gdouble net = net_ns (size, kind);
  g_autofree gchar *whole = barriers_format_ns (size->ns[kind]);
  g_autofree gchar *part = net > 0 ? barriers_format_ns (net) : NULL;

  if (kind == NONE)
    return g_strdup_printf ("%s for half a round, %.1f %% of elements wrong",
        whole, 100 * wrong_share);

  return g_strdup_printf ("%s a %s, %s with half a round, %" G_GUINT64_FORMAT
                          " rounds",
      part ? part : "nothing measurable", step, whole, outcome->n_rounds);
}

static GVariant *
list_figures (const Size *size, guint kind, const BarriersOutcome *outcome)
{
  GVariantBuilder figures;

  g_variant_builder_init (&figures, G_VARIANT_TYPE ("a{sd}"));
#define ADD(name, value)                                                       \
  g_variant_builder_add (&figures, "{sd}", name, (gdouble) (value))
  ADD ("items", size->n_items);
  ADD ("groups", size->n_groups);
  ADD ("rounds", outcome->n_rounds);
  ADD ("ns_with_work", size->ns[kind]);
  if (kind == LAUNCHES)
    ADD ("ns_per_launch", net_ns (size, kind));
  else if (kind != NONE)
    ADD ("ns_per_barrier", net_ns (size, kind));
  ADD ("wrong_share", outcome->n_wrong / (gdouble) outcome->n_elements);
#undef ADD

  return g_variant_builder_end (&figures);
}

static void
add_row (const Sweep *sweep, Size *size, guint kind, const gchar *name,
    const BarriersOutcome *outcome)
{
  g_autofree gchar *detail = NULL;

  size->ns[kind] = outcome->round.median * 1e3 / 2;
  detail = describe (size, kind, outcome);

  const ReportRow row = {
    .technique = TECHNIQUE,
    .row = name,
    .correct = outcome->n_wrong == 0,
    .expected_wrong = kinds[kind].expected_wrong,
    .us = outcome->round,
    .detail = detail,
    .figures = list_figures (size, kind, outcome),
  };
  report_add (sweep->bench->report, &row);
  if (outcome->n_wrong > 0 && kind >= FIRST_BARRIER)
    size->ns[kind] = 0; /* not a candidate for the fastest */
}

static gboolean
bench_row (Sweep *sweep, Size *size, guint kind, GError **error)
{
  const gint64 left_us = sweep->end_us - g_get_monotonic_time ();
  g_autofree gchar *name = g_strdup_printf ("%s, %u items, %u %s",
      kinds[kind].name, size->n_items, size->n_groups,
      size->n_groups == 1 ? "group" : "groups");
  g_autofree gchar *refusal = NULL;
  BarriersOutcome outcome;

  report_progress (sweep->bench->report, TECHNIQUE, name);
  if (!measure_kind (sweep->bench, &kinds[kind], size->n_items, size->n_groups,
          MAX (left_us, 0) / sweep->n_rows_left, &outcome, &refusal, error))
    return FALSE;

  if (refusal)
    report_skip (sweep->bench->report, TECHNIQUE, name, refusal);
  else
    add_row (sweep, size, kind, name, &outcome);
  sweep->n_rows_left--;

  return TRUE;
}

/* ---- the technique ---- */

static void
conclude (const Sweep *sweep)
{
  const guint n_units = sweep->bench->context->device->compute_units;
  g_autoptr (GArray)
      barriers = g_array_new (FALSE, FALSE, sizeof (BarriersCost));
  g_autoptr (GArray)
      launches = g_array_new (FALSE, FALSE, sizeof (BarriersCost));
  g_autofree gchar *sentence = NULL;

  for (guint i = 0; i < sweep->sizes->len; i++) {
    const Size *size = &g_array_index (sweep->sizes, Size, i);

    for (guint kind = LAUNCHES; kind < G_N_ELEMENTS (kinds); kind++) {
      const BarriersCost cost = { kinds[kind].name, size->n_items,
        net_ns (size, kind) };

      if (size->n_groups == n_units && size->ns[kind] > 0)
        g_array_append_val (kind == LAUNCHES ? launches : barriers, cost);
    }
  }

  sentence = barriers_sentence (barriers, launches, n_units);
  report_conclude (sweep->bench->report, TECHNIQUE, sentence);
}

/* 1, 2, 4, ..., all compute units. */
static guint
next_count (guint n_groups, guint most)
{
  return n_groups == most ? most + 1 : MIN (2 * n_groups, most);
}

static guint
count_rows (guint most)
{
  guint n_counts = 0;

  for (guint n = 1; n <= most; n = next_count (n, most))
    n_counts++;

  return n_counts * G_N_ELEMENTS (group_sizes) * G_N_ELEMENTS (kinds);
}

static gboolean
bench_size (Sweep *sweep, guint n_items, guint n_groups, GError **error)
{
  const Size new_size = { .n_items = n_items, .n_groups = n_groups };
  Size *size;

  g_array_append_val (sweep->sizes, new_size);
  size = &g_array_index (sweep->sizes, Size, sweep->sizes->len - 1);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    if (!bench_row (sweep, size, kind, error))
      return FALSE;
  }

  return TRUE;
}

gboolean
bench_barriers (Bench *bench, GError **error)
{
  const guint most = bench->context->device->compute_units;
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (Size));
  Sweep sweep = {
    .bench = bench,
    .end_us = g_get_monotonic_time () + bench->allowed_us,
    .n_rows_left = count_rows (most),
    .sizes = sizes,
  };

  for (guint i = 0; i < G_N_ELEMENTS (group_sizes); i++) {
    for (guint n = 1; n <= most; n = next_count (n, most)) {
      if (!bench_size (&sweep, group_sizes[i], n, error))
        return FALSE;
    }
  }
  conclude (&sweep);

  return TRUE;
}
