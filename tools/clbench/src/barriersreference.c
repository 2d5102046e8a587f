/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference of the ring, on the host. */

#include "barriersreference.h"

#include <string.h>

void
barriers_reference_ring (guint32 *ring, guint n_rounds)
{
  /* the ring continues with its first two elements */
  guint32 before[BARRIERS_RING_LENGTH + 2];

  for (guint round = 0; round < n_rounds; round++) {
    memcpy (before, ring, BARRIERS_RING_LENGTH * sizeof *ring);
    memcpy (before + BARRIERS_RING_LENGTH, ring, 2 * sizeof *ring);
    for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
      ring[i] = before[i] + before[i + 1] + before[i + 2];
  }
}

guint32
barriers_reference_of_ones (guint64 n_rounds)
{
  guint32 power = 1;

  for (guint32 square = 3; n_rounds > 0; n_rounds >>= 1, square *= square) {
    if (n_rounds & 1)
      power *= square;
  }

  return power;
}
