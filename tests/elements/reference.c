/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference results of the elements, by loops over samples. */

#include "reference.h"

#include <math.h>

#include <gst/check/gstcheck.h>

#include "frames.h"

void
expect_same_bytes (GstBuffer *a, GstBuffer *b)
{
  g_autoptr (GBytes) bytes_of_a = frame_bytes (a);
  g_autoptr (GBytes) bytes_of_b = frame_bytes (b);

  fail_unless (g_bytes_equal (bytes_of_a, bytes_of_b),
      "the bytes of two buffers differ");
}

static gint
get_int (const GstStructure *structure, const gchar *field)
{
  gint value = -1;

  fail_unless (gst_structure_get_int (structure, field, &value), "no field %s",
      field);

  return value;
}

/* --- statistics ---------------------------------------------------------- */

/* Entry @index of array @field, which must be of type @type and have @n. */
static const GValue *
get_entry (const GstStructure *stats, const gchar *field, GType type,
    guint index, guint n)
{
  const GValue *array = gst_structure_get_value (stats, field), *value;

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "%s is not an array",
      field);
  fail_unless (gst_value_array_get_size (array) == n,
      "%s: expected %u entries, found %u", field, n,
      gst_value_array_get_size (array));
  value = gst_value_array_get_value (array, index);
  fail_unless (G_VALUE_TYPE (value) == type, "%s: expected type %s, found %s",
      field, g_type_name (type), G_VALUE_TYPE_NAME (value));

  return value;
}

static void
expect_uint64 (const GstStructure *stats, const gchar *field, guint index,
    guint n, guint64 expected)
{
  const guint64 got = g_value_get_uint64 (
      get_entry (stats, field, G_TYPE_UINT64, index, n));

  fail_unless (got == expected,
      "%s[%u] is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, field, index,
      got, expected);
}

static void
expect_uint (const GstStructure *stats, const gchar *field, guint index,
    guint n, guint expected)
{
  const guint got = g_value_get_uint (
      get_entry (stats, field, G_TYPE_UINT, index, n));

  fail_unless (got == expected, "%s[%u] is %u, not %u", field, index, got,
      expected);
}

static void
expect_double (const GstStructure *stats, const gchar *field, guint index,
    guint n, gdouble expected)
{
  const gdouble got = g_value_get_double (
      get_entry (stats, field, G_TYPE_DOUBLE, index, n));

  fail_unless (fabs (got - expected) <= 1e-9 * (1 + fabs (expected)),
      "%s[%u] is %.17g, not %.17g", field, index, got, expected);
}

/* Checks entry @index (of @n) of every array against values that are computed
 * from the samples. */
static void
expect_component_statistics (const GstStructure *stats, guint index, guint n,
    const guint16 *codes, gsize count)
{
  guint64 sum = 0, squares = 0;
  guint min = G_MAXUINT16, max = 0;
  gdouble mean, variance = 0;

  for (gsize i = 0; i < count; i++) {
    sum += codes[i];
    squares += (guint64) codes[i] * codes[i];
    min = MIN (min, codes[i]);
    max = MAX (max, codes[i]);
  }
  mean = (gdouble) sum / count;
  for (gsize i = 0; i < count; i++)
    variance += (codes[i] - mean) * (codes[i] - mean) / count;

  expect_uint64 (stats, "count", index, n, count);
  expect_uint64 (stats, "sum", index, n, sum);
  expect_uint64 (stats, "sum-squares", index, n, squares);
  expect_double (stats, "mean", index, n, mean);
  expect_double (stats, "variance", index, n, variance);
  expect_double (stats, "stddev", index, n, sqrt (variance));
  expect_uint (stats, "min", index, n, min);
  expect_uint (stats, "max", index, n, max);
}

void
expect_statistics (const GstStructure *stats, GstBuffer *in,
    const GstVideoInfo *info, guint planes)
{
  const gchar *names = GST_VIDEO_INFO_IS_RGB (info) ? "RGBA" : "YUVA";
  guint n = 0, index = 0;

  fail_unless_equals_int (get_int (stats, "width"),
      GST_VIDEO_INFO_WIDTH (info));
  fail_unless_equals_int (get_int (stats, "height"),
      GST_VIDEO_INFO_FIELD_HEIGHT (info));
  fail_unless_equals_int (get_int (stats, "depth"),
      GST_VIDEO_INFO_COMP_DEPTH (info, 0));
  fail_unless_equals_string (gst_structure_get_string (stats, "format"),
      GST_VIDEO_INFO_NAME (info));

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++)
    n += (planes >> c) & 1;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const gchar name[] = { names[c], '\0' };
    g_autofree guint16 *codes = NULL;
    gint width, height;

    if (!((planes >> c) & 1))
      continue;
    codes = frame_codes (in, info, c, &width, &height);
    fail_unless_equals_string (g_value_get_string (get_entry (stats,
                                   "components", G_TYPE_STRING, index, n)),
        name);
    expect_component_statistics (stats, index++, n, codes,
        (gsize) width * height);
  }
}
