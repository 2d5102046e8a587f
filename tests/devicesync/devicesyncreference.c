/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring of the device-wide barriers, round after round. */

#include "devicesyncreference.h"

#include <string.h>

void
ref_device_sync_ring (guint32 *ring, guint length, guint n_rounds)
{
  g_autofree guint32 *before = g_new (guint32, length);

  for (guint round = 0; round < n_rounds; round++) {
    memcpy (before, ring, length * sizeof *ring);
    for (guint i = 0; i < length; i++)
      ring[i] = before[i] + before[(i + 1) % length] + before[(i + 2) % length];
  }
}
