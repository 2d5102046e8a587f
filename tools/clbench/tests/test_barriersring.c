/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scalar reference of the ring of barriers. */

#include "barriersring.h"
#include "suite.h"

#include <string.h>

/* A formula for two rounds. */
TEST (test_two_rounds)
{
  const guint n = BARRIERS_RING_LENGTH;
  g_autoptr (GRand) rand = g_rand_new_with_seed (54);
  guint32 before[BARRIERS_RING_LENGTH], ring[BARRIERS_RING_LENGTH];

  for (guint i = 0; i < n; i++)
    before[i] = g_rand_int (rand);
  memcpy (ring, before, sizeof ring);
  barriers_reference_ring (ring, 2);

  for (guint i = 0; i < n; i++)
    fail_unless_equals_int64 (ring[i],
        (guint32) (before[i] + 2 * before[(i + 1) % n] +
                   3 * before[(i + 2) % n] + 2 * before[(i + 3) % n] +
                   before[(i + 4) % n]));
}

/* A ring of ones, whose elements stay equal. */
TEST (test_ones)
{
  const guint n = BARRIERS_RING_LENGTH;
  guint32 ring[BARRIERS_RING_LENGTH];

  for (guint n_rounds = 0; n_rounds < 100; n_rounds++) {
    for (guint i = 0; i < n; i++)
      ring[i] = 1;
    barriers_reference_ring (ring, n_rounds);
    fail_unless_equals_int64 (ring[0], barriers_reference_of_ones (n_rounds));
    fail_unless_equals_int64 (ring[n - 1], ring[0]);
  }
}
