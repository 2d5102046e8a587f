/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images one sum after the other. */

#include "integral.h"

#include <string.h>

/* The sums of one channel while they are made: 64 bits wide, whatever is asked
 * for, since wrapping at the end is wrapping at each step. */
typedef struct {
  const GstClIntegralSpec *spec;
  gint border; /* rows and columns before the frame's own */
  guint8 *first;
} Table;

static guint8 *
locate (const Table *table, gint x, gint y)
{
  const gsize length = (gsize) table->spec->width + table->border;

  return table->first + ((gsize) y * length + x) * table->spec->channels *
                            table->spec->sum_bytes;
}

/* 0 for what lies before the table. */
static guint64
get_sum (const Table *table, gint x, gint y)
{
  guint64 wide = 0;
  guint32 narrow;

  if (x < 0 || y < 0)
    return 0;
  if (table->spec->sum_bytes == 8) {
    memcpy (&wide, locate (table, x, y), sizeof wide);
    return wide;
  }
  memcpy (&narrow, locate (table, x, y), sizeof narrow);

  return narrow;
}

static void
set_sum (const Table *table, gint x, gint y, guint64 sum)
{
  const guint32 narrow = (guint32) sum;

  if (table->spec->sum_bytes == 8)
    memcpy (locate (table, x, y), &sum, sizeof sum);
  else
    memcpy (locate (table, x, y), &narrow, sizeof narrow);
}

gsize
ref_integral_size_bytes (const GstClIntegralSpec *spec)
{
  const gint border = spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;

  return (gsize) (spec->width + border) * (spec->height + border) *
         spec->channels * spec->sum_bytes;
}

void
ref_integral (const GstClIntegralSpec *spec, gint channel, const guint8 *bytes,
    const GstClComponent *component, guint8 *sums)
{
  const gint border = spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
  const Table table = { spec, border, sums + channel * spec->sum_bytes };

  for (gint y = 0; y < spec->height + border; y++) {
    for (gint x = 0; x < spec->width + border; x++) {
      guint64 sample = 0;

      if (x >= border && y >= border)
        sample = bytes[component->offset_bytes +
                       (gsize) (y - border) * component->stride_bytes +
                       (gsize) (x - border) * component->pixel_stride_bytes];

      set_sum (&table, x, y,
          sample + get_sum (&table, x - 1, y) + get_sum (&table, x, y - 1) -
              get_sum (&table, x - 1, y - 1));
    }
  }
}
