/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of frame statistics, in the simplest code. */

#include "momentsreference.h"

#include "harness/harness.h"

GstClMoments
ref_frame_stats (const guint8 *bytes, const GstClComponent *component)
{
  GstClMoments stats = { .min = G_MAXUINT };

  for (gint y = 0; y < component->height; y++) {
    for (gint x = 0; x < component->width; x++) {
      const guint64 sample = test_code_at (bytes, component, x, y);

      stats.count++;
      stats.sum += sample;
      stats.sum_squares += sample * sample;
      stats.min = MIN (stats.min, sample);
      stats.max = MAX (stats.max, sample);
    }
  }

  return stats;
}
