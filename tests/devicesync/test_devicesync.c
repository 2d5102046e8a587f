/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device-wide barriers: the ring, giving up, and what a barrier costs. */

#include "harness/harness.h"
#include "ops/devicesync/devicesync.h"
#include "devicesyncreference.h"

#include <stdio.h>
#include <string.h>

#define CASE_PREFIX "devicesync/"

#define RINGS_PER_COUNT 3 /* of each count of groups */

/* A ring on the device, and what it should hold. */
typedef struct {
  GstClDeviceSyncOp *op;
  cl_mem mem;
  guint32 *want;
  guint length;
} Ring;

/* The row that the case is named after. */
static const GstClImplementation *
row_of_case (const Harness *h)
{
  return gst_cl_op_table_find (&gst_cl_device_sync_table,
      h->label + strlen (CASE_PREFIX));
}

static GstClDeviceSyncOp *
op_new (const Harness *h, guint n_groups, GError **error)
{
  const GstClDeviceSyncProblem problem = { n_groups };
  const GstClCandidate candidate = gst_cl_implementation_usual (row_of_case (h),
      &problem, h->context->device);

  return gst_cl_device_sync_op_new (h->context, &candidate, &problem, error);
}

static gboolean
ring_init (Harness *h, Ring *ring, guint n_groups)
{
  g_autoptr (GError) error = NULL;

  *ring = (Ring){ 0 };
  ring->op = op_new (h, n_groups, &error);
  if (ring->op) {
    ring->length = gst_cl_device_sync_op_ring_length (ring->op);
    ring->want = g_new (guint32, ring->length);
    ring->mem = gst_cl_buffer_new (h->context,
        ring->length * sizeof *ring->want, &error);
  }
  if (!ring->mem)
    harness_fail (h, error, "new ring of %u groups", n_groups);

  return ring->mem != NULL;
}

static void
ring_clear (Ring *ring)
{
  gst_cl_device_sync_op_free (ring->op);
  gst_cl_buffer_free (ring->mem);
  g_free (ring->want);
}

/* @is_random: else all ones, which stay equal to each other. */
static void
ring_fill (Harness *h, Ring *ring, gboolean is_random)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ring->length; i++)
    ring->want[i] = is_random ? g_rand_int (h->rand) : 1;
  if (!gst_cl_buffer_write (h->context, ring->mem, 0,
          ring->length * sizeof *ring->want, ring->want, &error))
    harness_fail (h, error, "write the ring");
}

/* TRUE if the ring is as it should be. *is_done: nobody gave up. */
static gboolean
ring_run (Harness *h, Ring *ring, guint n_rounds, gboolean *is_done)
{
  const gsize bytes = ring->length * sizeof *ring->want;
  g_autofree guint32 *got = g_malloc (bytes);
  g_autoptr (GError) error = NULL;

  ref_device_sync_ring (ring->want, ring->length, n_rounds);
  if (gst_cl_device_sync_op_run (ring->op, ring->mem, n_rounds, &error) &&
      gst_cl_device_sync_op_check (ring->op, is_done, &error) &&
      gst_cl_buffer_read (h->context, ring->mem, 0, bytes, got, &error))
    return memcmp (got, ring->want, bytes) == 0;

  harness_fail (h, error, "run the ring");

  return FALSE;
}

/* ---- checks ---- */

/* Fills, runs and compares. Barriers that somebody gave up may leave anything,
 * but must say so; the next run takes several launches, and is right. */
static void
check_run (Harness *h, Ring *ring, gboolean is_random, guint n_rounds)
{
  gboolean is_done = TRUE, is_right;

  ring_fill (h, ring, is_random);
  is_right = ring_run (h, ring, n_rounds, &is_done);
  if (!is_done) {
    ring_fill (h, ring, is_random);
    is_right = ring_run (h, ring, n_rounds, &is_done);
    if (!is_done)
      harness_fail (h, NULL, "gave up twice");
  }
  if (!is_right)
    harness_fail (h, NULL, "%u elements, %u rounds, %s: a barrier failed",
        ring->length, n_rounds, is_random ? "random" : "all ones");
}

/* Group counts to try: 1, 2, 3, .., all compute units. */
static guint
next_count (const Harness *h, guint n_groups)
{
  const guint most = h->context->device->compute_units;

  return n_groups == most ? most + 1 : MIN (most, n_groups + n_groups / 2 + 1);
}

static void
check_row (Harness *h)
{
  const guint most = h->context->device->compute_units;

  for (guint n = 1; n <= most; n = next_count (h, n)) {
    /* where one op gives up, which a CPU may, the next one tries again */
    for (guint i = 0; i < RINGS_PER_COUNT; i++) {
      Ring ring;

      if (ring_init (h, &ring, n)) {
        check_run (h, &ring, FALSE, 100);
        check_run (h, &ring, TRUE, g_rand_int_range (h->rand, 0, 60));
        check_run (h, &ring, TRUE, g_rand_int_range (h->rand, 0, 60));
      }
      ring_clear (&ring);
    }
  }
}

/* The check itself: without barriers the ring comes out wrong. On a CPU two
 * work-groups, which start when they like, cannot keep step by chance; PoCL 7.1
 * keeps the work-items of one in step even where no barrier asks for it. */
static void
check_none (Harness *h)
{
  gboolean is_done;
  Ring ring;

  if (h->context->device->family == GST_CL_FAMILY_CPU &&
      h->context->device->compute_units > 1 && ring_init (h, &ring, 2)) {
    ring_fill (h, &ring, FALSE);
    if (ring_run (h, &ring, 100, &is_done))
      harness_fail (h, NULL, "the ring is right without a barrier");
    ring_clear (&ring);
  }
}

/* Nobody may wait: said at once, and made good by several launches. */
static void
check_giving_up (Harness *h)
{
  const guint n_groups = MIN (2, h->context->device->compute_units);
  gboolean is_done = TRUE;
  Ring ring;

  g_setenv ("GST_OPENCL_SPIN_LIMIT", "0", TRUE);
  if (ring_init (h, &ring, n_groups)) {
    ring_fill (h, &ring, FALSE);
    ring_run (h, &ring, 1000, &is_done);
    if (is_done)
      harness_fail (h, NULL, "waited without being allowed to");

    ring_fill (h, &ring, TRUE);
    if (!ring_run (h, &ring, 10, &is_done) || !is_done)
      harness_fail (h, NULL, "wrong in several launches");
  }
  ring_clear (&ring);
  g_unsetenv ("GST_OPENCL_SPIN_LIMIT");
}

/* More groups than compute units are refused, with both numbers. */
static void
check_limits (Harness *h)
{
  const guint most = h->context->device->compute_units;
  const guint counts[] = { 0, most + 1, G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GstClDeviceSyncOp) op = op_new (h, counts[i], &error);

    if (op || !g_error_matches (error, GST_CL_ERROR, CL_INVALID_VALUE))
      harness_fail (h, error, "%u groups on %u compute units", counts[i], most);
  }
}

static void
check_barrier (Harness *h)
{
  check_row (h);
  check_giving_up (h);
  check_limits (h);
}

/* ---- benchmark ---- */

/* Two barriers each: microseconds of a run are nanoseconds of a barrier. */
#define BENCH_ROUNDS 500

static gboolean
bench_run (gpointer user_data, GError **error)
{
  const Ring *ring = user_data;

  return gst_cl_device_sync_op_run (ring->op, ring->mem, BENCH_ROUNDS, error);
}

static void
bench_row (Harness *h)
{
  static const guint counts[] = { 1, 2, 32, 64, 128 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autofree gchar *name = g_strdup_printf ("%s, %u groups, 1000 barriers",
        h->label, counts[i]);
    g_autoptr (GError) error = NULL;
    gboolean is_done = TRUE;
    Ring ring;

    if (counts[i] > h->context->device->compute_units)
      break;
    if (ring_init (h, &ring, counts[i])) {
      ring_fill (h, &ring, FALSE);
      harness_bench (h, name, (gint) ring.length, 1,
          ring.length * sizeof *ring.want * 4 * BENCH_ROUNDS, bench_run, &ring);
      if (!gst_cl_device_sync_op_check (ring.op, &is_done, &error))
        harness_fail (h, error, "%s", name);
      if (!is_done)
        fprintf (stderr, "%s: gave up, the time is of no use\n", name);
    }
    ring_clear (&ring);
  }
}

static void
check_case (Harness *h)
{
  switch (row_of_case (h)->method) {
    case GST_CL_DEVICE_SYNC_NONE:
      check_none (h);
      break;
    case GST_CL_DEVICE_SYNC_LAUNCHES:
      check_row (h);
      break;
    default:
      check_barrier (h);
  }
}

int
main (int argc, char **argv)
{
  const guint n_rows = gst_cl_device_sync_table.n_rows;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree HarnessCase *cases = g_new0 (HarnessCase, n_rows);

  for (guint i = 0; i < n_rows; i++) {
    gchar *name = g_strconcat (CASE_PREFIX,
        gst_cl_device_sync_table.rows[i].name, NULL);

    g_ptr_array_add (names, name);
    cases[i] = (HarnessCase){ name, check_case, bench_row, FALSE };
  }

  return harness_main (argc, argv, cases, n_rows);
}
