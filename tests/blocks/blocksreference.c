/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the sums of blocks, in the simplest code. */

#include "blocksreference.h"

#include "harness/harness.h"

static gint64
code_at (const guint8 *bytes, const GstClComponent *component, gint x, gint y)
{
  return test_code_at (bytes, component, x, y);
}

/* Returns the ratio of the step from (x, y) to (x + dx, y + dy). */
static guint64
ratio_at (const guint8 *bytes, const GstClComponent *component, gint x, gint y,
    gint dx, gint dy)
{
  const guint64 one = 1u << (24 - component->sample.depth);
  guint64 step = 0, around = 0;

  for (gint i = -3; i <= 3; i++) {
    const gint64 difference = ABS (
        code_at (bytes, component, x + i * dx, y + i * dy) -
        code_at (bytes, component, x + (i + 1) * dx, y + (i + 1) * dy));

    if (i == 0)
      step = difference;
    else
      around += difference;
  }
  around = MAX (around, 1);

  return (step * one + around / 2) / around;
}

void
ref_blocks (const guint8 *bytes, const GstClComponent *component,
    guint64 *columns, guint64 *rows)
{
  const gint width = component->width, height = component->height;

  for (gint x = 0; x < width; x++) {
    columns[x] = 0;
    for (gint y = 1; y < height && x >= 3 && x < width - 4; y++)
      columns[x] += ratio_at (bytes, component, x, y, 1, 0);
  }
  for (gint y = 0; y < height; y++) {
    rows[y] = 0;
    for (gint x = 1; x < width && y >= 3 && y < height - 4; x++)
      rows[y] += ratio_at (bytes, component, x, y, 0, 1);
  }
}
