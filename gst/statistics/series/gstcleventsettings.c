/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of events as integers. */

#include "gstcleventsettings.h"

/* The ends of limited luma at 8 bits, ITU-R BT.601. */
#define LOWEST  16
#define HIGHEST 235

guint
gst_cl_black_limit (gdouble threshold, guint depth, gboolean is_full_range)
{
  const gint max = (1 << depth) - 1, factor = 1 << (depth - 8);

  if (is_full_range)
    return (guint) (threshold * max);

  /* The order of operations is that of FFmpeg, since it decides the last
   * bit. */
  return (guint) (LOWEST * factor + threshold * (HIGHEST - LOWEST) * factor);
}

guint
gst_cl_white_limit (gdouble threshold, guint depth, gboolean is_full_range)
{
  const guint max = (1u << depth) - 1, factor = 1u << (depth - 8);
  const guint ends = is_full_range ? max : (LOWEST + HIGHEST) * factor;

  return ends - gst_cl_black_limit (threshold, depth, is_full_range);
}

guint64
gst_cl_freeze_limit (gdouble noise, guint64 count, guint depth)
{
  guint64 low = 0, high = count * ((G_GUINT64_CONSTANT (1) << depth) - 1);

  /* The quotient increases monotonically with the sum, so that bisection finds
   * the last sum below the limit. A product of doubles may differ by one. */
  while (low < high) {
    const guint64 middle = low + (high - low + 1) / 2;
    const gdouble mean = (gdouble) middle / count /
                         (G_GUINT64_CONSTANT (1) << depth);

    if (mean <= noise)
      low = middle;
    else
      high = middle - 1;
  }

  return low;
}
