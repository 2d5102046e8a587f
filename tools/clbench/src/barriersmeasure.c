/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the barriers of a ring, and measures the time of its rounds. */

#include "barriersmeasure.h"

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
  g_autoptr (GRand) rand = bench_rand (bench, "barriers", "ring");
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

gboolean
barriers_measure (Bench *bench, const BarriersKind *kind, guint n_items,
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
