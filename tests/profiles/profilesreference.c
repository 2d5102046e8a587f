/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of profiles, in the simplest code. */

#include "profilesreference.h"

#include "harness/harness.h"

/* The numbers of rows or of columns. */
typedef struct {
  guint32 *sum, *min, *max, *difference, *field_difference;
} Lines;

static Lines
lines_new (guint n)
{
  Lines lines = { g_new0 (guint32, n + 1), g_new0 (guint32, n + 1),
    g_new0 (guint32, n + 1), g_new0 (guint32, n + 1), g_new0 (guint32, n + 1) };

  for (guint i = 0; i < n; i++)
    lines.min[i] = G_MAXUINT32;

  return lines;
}

/* Adds a sample to line @i. @before and @before_2 are the samples one and two
 * lines before, or the sample itself. */
static void
add (const Lines *lines, gint i, guint v, guint before, guint before_2)
{
  lines->sum[i] += v;
  lines->min[i] = MIN (lines->min[i], v);
  lines->max[i] = MAX (lines->max[i], v);
  lines->difference[i] += ABS ((gint) v - (gint) before);
  lines->field_difference[i] += ABS ((gint) v - (gint) before_2);
}

GstClProfile
ref_profile (const guint8 *bytes, const GstClComponent *component)
{
  const gint width = component->width, height = component->height;
  const Lines rows = lines_new (height), columns = lines_new (width);

  for (gint y = 0; y < height; y++) {
    for (gint x = 0; x < width; x++) {
      const guint v = test_code_at (bytes, component, x, y);

      add (&rows, y, v, test_code_at (bytes, component, x, MAX (y - 1, 0)),
          test_code_at (bytes, component, x, y > 1 ? y - 2 : y));
      add (&columns, x, v, test_code_at (bytes, component, MAX (x - 1, 0), y),
          v);
    }
  }
  g_free (columns.field_difference);

  return (GstClProfile){ height, width, rows.sum, rows.min, rows.max,
    rows.difference, rows.field_difference, columns.sum, columns.min,
    columns.max, columns.difference };
}

void
ref_profile_clear (GstClProfile *profile)
{
  g_free ((gpointer) profile->row_sum);
  g_free ((gpointer) profile->row_min);
  g_free ((gpointer) profile->row_max);
  g_free ((gpointer) profile->row_difference);
  g_free ((gpointer) profile->row_field_difference);
  g_free ((gpointer) profile->column_sum);
  g_free ((gpointer) profile->column_min);
  g_free ((gpointer) profile->column_max);
  g_free ((gpointer) profile->column_difference);
}
