/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means of windows and integral images, one after the other. */

#include "windowsreference.h"

/* Means along a row of windows, from the sums of their columns. */
static void
average_row (const guint *columns, gint width, gint size, guint8 *means)
{
  const guint n = (guint) (size * size);
  guint sum = 0;

  for (gint x = 0; x < width; x++) {
    sum += columns[x];
    if (x >= size)
      sum -= columns[x - size];
    if (x >= size - 1)
      means[x - size + 1] = (guint8) ((sum + n / 2) / n);
  }
}

guint8 *
windows_reference_means (const guint8 *samples, gint width, gint height,
    gint size)
{
  const gsize stride = (gsize) (width - size + 1);
  guint8 *means = g_malloc (stride * (height - size + 1));
  g_autofree guint *columns = g_new0 (guint, width);

  for (gint y = 0; y < height; y++) {
    const guint8 *row = samples + (gsize) y * width;

    for (gint x = 0; x < width; x++)
      columns[x] += row[x];
    if (y < size - 1)
      continue;

    average_row (columns, width, size, means + (y - size + 1) * stride);
    row -= (gsize) (size - 1) * width;
    for (gint x = 0; x < width; x++)
      columns[x] -= row[x];
  }

  return means;
}

guint32 *
windows_reference_sums (const guint8 *samples, gint width, gint height)
{
  const gsize stride = (gsize) width + 1;
  guint32 *sums = g_new0 (guint32, stride * (height + 1));

  for (gint y = 0; y < height; y++) {
    guint32 *above = sums + y * stride, *row = above + stride;
    guint32 row_sum = 0;

    for (gint x = 0; x < width; x++) {
      row_sum += samples[(gsize) y * width + x];
      row[x + 1] = above[x + 1] + row_sum;
    }
  }

  return sums;
}
