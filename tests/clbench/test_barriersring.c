/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring of clbench barriers: its reference, its limits, giving up. */

#include "clbench/barriersring.h"
#include "harness/harness.h"

#include <string.h>

static const BarriersKind leader = { .name = "leader", .barrier = "LEADER" };
static const BarriersKind launches = { "launches", "NO_BARRIER",
  .takes_several_launches = TRUE };

static void
fill_random (Harness *h, guint32 *elements)
{
  for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
    elements[i] = g_rand_int (h->rand);
}

/* ---- reference ---- */

/* Compares barriers_reference_ring() with a formula for two rounds, and with
 * barriers_reference_of_ones(). */
static void
check_reference (Harness *h)
{
  const guint n = BARRIERS_RING_LENGTH;
  guint32 before[BARRIERS_RING_LENGTH], ring[BARRIERS_RING_LENGTH];

  fill_random (h, before);
  memcpy (ring, before, sizeof ring);
  barriers_reference_ring (ring, 2);
  for (guint i = 0; i < n; i++) {
    const guint32 expected = before[i] + 2 * before[(i + 1) % n] +
                             3 * before[(i + 2) % n] + 2 * before[(i + 3) % n] +
                             before[(i + 4) % n];

    if (ring[i] != expected)
      harness_fail (h, NULL,
          "element %u after two rounds: expected %u, found %u", i, expected,
          ring[i]);
  }

  for (guint n_rounds = 0; n_rounds < 100; n_rounds++) {
    for (guint i = 0; i < n; i++)
      ring[i] = 1;
    barriers_reference_ring (ring, n_rounds);
    if (ring[0] != barriers_reference_of_ones (n_rounds) ||
        ring[n - 1] != ring[0])
      harness_fail (h, NULL,
          "a ring of ones after %u rounds: expected %u, found %u", n_rounds,
          barriers_reference_of_ones (n_rounds), ring[0]);
  }
}

/* ---- the ring on the device ---- */

/* No ring has 0 groups, more groups than the device has compute units, or
 * larger groups than the device supports. */
static void
check_limits (Harness *h)
{
  const GstClDevice *device = h->context->device;
  const guint most = device->compute_units;
  const guint sizes[][2] = {
    { 64, 0 },
    { 64, most + 1 },
    { 64, G_MAXUINT },
    { (guint) device->max_work_group_size + 1, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (BarriersRing) ring = barriers_ring_new (h->context, &leader,
        sizes[i][0], sizes[i][1], &error);

    if (ring || !g_error_matches (error, GST_CL_ERROR, CL_INVALID_VALUE))
      harness_fail (h, error,
          "%u groups of %u work-items on %u compute units: expected "
          "CL_INVALID_VALUE, found %s",
          sizes[i][1], sizes[i][0], most, ring ? "a ring" : "another error");
  }
}

/* Runs a ring of @most_groups work-groups, or fewer if the device has fewer
 * compute units. Returns whether its elements are correct. */
static gboolean
run_ring (Harness *h, const BarriersKind *kind, guint n_items,
    guint most_groups, gboolean *gave_up)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (BarriersRing) ring = barriers_ring_new (h->context, kind, n_items,
      MIN (most_groups, h->context->device->compute_units), &error);
  guint32 expected[BARRIERS_RING_LENGTH], got[BARRIERS_RING_LENGTH];

  fill_random (h, expected);
  if (!ring || !barriers_ring_fill (ring, expected, &error)) {
    harness_fail (h, error, "cannot create or fill a ring with barrier %s",
        kind->name);
    return FALSE;
  }

  for (guint i = 0; i < 3; i++) {
    if (!barriers_ring_run (ring, (guint) g_rand_int_range (h->rand, 0, 60),
            &error))
      harness_fail (h, error, "cannot run the ring with barrier %s",
          kind->name);
  }
  barriers_reference_ring (expected, (guint) barriers_ring_n_rounds (ring));
  if (!barriers_ring_read (ring, got, gave_up, &error))
    harness_fail (h, error, "cannot read the ring with barrier %s", kind->name);

  return memcmp (got, expected, sizeof got) == 0;
}

static void
check_rounds (Harness *h)
{
  gboolean gave_up = FALSE;

  if (!run_ring (h, &launches, 64, 2, &gave_up) || gave_up)
    harness_fail (h, NULL, "a ring in several launches: %s",
        gave_up ? "a wait gave up" : "its elements are wrong");
}

/* Each group has elements of the ring, also if it has more work-items than
 * elements. */
static void
check_sizes (Harness *h)
{
  static const guint n_items[] = { 32, 64, 256, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (n_items); i++) {
    gboolean is_right = FALSE, gave_up = TRUE;

    if (n_items[i] > h->context->device->max_work_group_size)
      continue;
    /* on a CPU the groups may not run at the same time */
    for (guint try = 0; try < 3 && gave_up; try++)
      is_right = run_ring (h, &leader, n_items[i], 3, &gave_up);
    if (!is_right && !gave_up)
      harness_fail (h, NULL, "a barrier of groups of %u failed", n_items[i]);
  }
}

/* The spin limit is 0: a ring with a barrier reports that a wait gave up, a
 * ring in several launches is correct. */
static void
check_giving_up (Harness *h)
{
  gboolean gave_up = FALSE;

  g_setenv ("GST_OPENCL_SPIN_LIMIT", "0", TRUE);
  run_ring (h, &leader, 64, 2, &gave_up);
  if (!gave_up)
    harness_fail (h, NULL, "the spin limit is 0, but no wait gave up");
  if (!run_ring (h, &launches, 64, 2, &gave_up) || gave_up)
    harness_fail (h, NULL, "a ring in several launches: %s",
        gave_up ? "a wait gave up" : "its elements are wrong");
  g_unsetenv ("GST_OPENCL_SPIN_LIMIT");
}

int
main (int argc, char **argv)
{
  static const HarnessCase cases[] = {
    { .name = "barriersring/reference", .check = check_reference },
    { .name = "barriersring/limits", .check = check_limits },
    { .name = "barriersring/rounds", .check = check_rounds },
    { .name = "barriersring/sizes", .check = check_sizes },
    { .name = "barriersring/giving-up", .check = check_giving_up },
  };

  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
