/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of maps of differences, in the simplest code. */

#include "differencemapreference.h"

#include "harness/harness.h"

void
ref_difference_map (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b, guint gain,
    guint8 *map_bytes, const GstClComponent *map)
{
  for (gint y = 0; y < a->height; y++) {
    for (gint x = 0; x < a->width; x++) {
      const gint difference = (gint) test_code_at (a_bytes, a, x, y) -
                              (gint) test_code_at (b_bytes, b, x, y);
      const guint level = gain * (guint) ABS (difference) /
                          (1u << (a->sample.depth - 8));

      map_bytes[map->offset_bytes + (gsize) y * (gsize) map->stride_bytes +
                (gsize) x] = (guint8) MIN (level, 255);
    }
  }
}
