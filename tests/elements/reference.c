/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elements must give, by loops over samples. */

#include "reference.h"

#include <math.h>

#include <gst/check/gstcheck.h>

#include "frames.h"

void
expect_same_bytes (GstBuffer *a, GstBuffer *b)
{
  g_autoptr (GBytes) bytes_of_a = frame_bytes (a);
  g_autoptr (GBytes) bytes_of_b = frame_bytes (b);

  fail_unless (g_bytes_equal (bytes_of_a, bytes_of_b), "bytes differ");
}

static gint
get_int (const GstStructure *structure, const gchar *field)
{
  gint value = -1;

  fail_unless (gst_structure_get_int (structure, field, &value), "%s", field);

  return value;
}

/* --- local means --------------------------------------------------------- */

typedef enum { BORDER_SHRINK, BORDER_VALID, BORDER_REPLICATE } Border;

typedef struct {
  gint width, height, anchor_x, anchor_y, step_x, step_y;
  Border border;
  guint planes;
} Window;

static Window
read_window (GstElement *element)
{
  Window w;

  g_object_get (element, "kernel-width", &w.width, "kernel-height", &w.height,
      "anchor-x", &w.anchor_x, "anchor-y", &w.anchor_y, "step-x", &w.step_x,
      "step-y", &w.step_y, "border-mode", &w.border, "planes", &w.planes, NULL);
  if (w.anchor_x < 0)
    w.anchor_x = w.width / 2;
  if (w.anchor_y < 0)
    w.anchor_y = w.height / 2;

  return w;
}

/* How often @step fits until the last window has to begin. */
static gint
count_results (gint size, gint kernel, gint step, Border border)
{
  gint n = 0;

  for (gint at = 0; at < size; at += step) {
    if (border != BORDER_VALID || at + kernel <= size)
      n++;
  }

  return n;
}

/* The mean of the window whose result belongs to sample (x, y). */
static guint8
mean_at (const guint8 *samples, gint width, gint height, const Window *w,
    gint x, gint y)
{
  guint64 sum = 0, n = 0;

  for (gint j = y - w->anchor_y; j < y - w->anchor_y + w->height; j++) {
    for (gint i = x - w->anchor_x; i < x - w->anchor_x + w->width; i++) {
      const gboolean is_inside = i >= 0 && i < width && j >= 0 && j < height;

      if (is_inside || w->border == BORDER_REPLICATE) {
        sum += samples[(gsize) CLAMP (j, 0, height - 1) * width +
                       CLAMP (i, 0, width - 1)];
        n++;
      }
    }
  }

  /* a window beyond the frame has no mean; the elements give 0 */
  return n ? (sum + n / 2) / n : 0;
}

/* @is_filtered FALSE: each result is the sample that it belongs to. */
static void
expect_samples (const Window *w, gboolean is_filtered, const guint8 *out,
    gint out_width, gint out_height, const guint8 *in, gint width, gint height,
    const gchar *what)
{
  const gboolean is_valid = w->border == BORDER_VALID;

  fail_unless_equals_int (out_width,
      count_results (width, w->width, w->step_x, w->border));
  fail_unless_equals_int (out_height,
      count_results (height, w->height, w->step_y, w->border));

  for (gint j = 0; j < out_height; j++) {
    for (gint i = 0; i < out_width; i++) {
      const gint x = i * w->step_x + (is_valid ? w->anchor_x : 0);
      const gint y = j * w->step_y + (is_valid ? w->anchor_y : 0);
      const guint8 got = out[(gsize) j * out_width + i];
      const guint8 expected = is_filtered ? mean_at (in, width, height, w, x, y)
                                          : in[(gsize) y * width + x];

      if (got != expected)
        fail ("%s %dx%d, window %dx%d, step %dx%d, border %d: result %d, %d is "
              "%d, not %d",
            what, width, height, w->width, w->height, w->step_x, w->step_y,
            w->border, i, j, got, expected);
    }
  }
}

void
expect_component_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, guint out_component, GstBuffer *in,
    const GstVideoInfo *in_info, guint in_component)
{
  const Window window = read_window (element);
  gint width, height, out_width, out_height;
  g_autofree guint8 *samples = frame_component (in, in_info, in_component,
      &width, &height);
  g_autofree guint8 *means = frame_component (out, out_info, out_component,
      &out_width, &out_height);

  expect_samples (&window, (window.planes >> out_component) & 1, means,
      out_width, out_height, samples, width, height,
      GST_VIDEO_INFO_NAME (in_info));
}

void
expect_means (GstElement *element, GstBuffer *out, const GstVideoInfo *out_info,
    GstBuffer *in, const GstVideoInfo *in_info)
{
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (out_info),
      GST_VIDEO_INFO_FORMAT (in_info));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (in_info); c++)
    expect_component_means (element, out, out_info, c, in, in_info, c);

  if (frame_has_padding (in_info)) {
    const Window window = read_window (element);
    g_autofree guint8 *from = frame_padding (in, in_info);
    g_autofree guint8 *to = frame_padding (out, out_info);

    expect_samples (&window, FALSE, to, GST_VIDEO_INFO_WIDTH (out_info),
        GST_VIDEO_INFO_HEIGHT (out_info), from, GST_VIDEO_INFO_WIDTH (in_info),
        GST_VIDEO_INFO_HEIGHT (in_info), "x");
  }
}

/* --- statistics ---------------------------------------------------------- */

/* Entry @index of array @field, which must be of type @type and have @n. */
static const GValue *
get_entry (const GstStructure *stats, const gchar *field, GType type,
    guint index, guint n)
{
  const GValue *array = gst_structure_get_value (stats, field), *value;

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "%s is no array", field);
  fail_unless (gst_value_array_get_size (array) == n, "%s has %u entries",
      field, gst_value_array_get_size (array));
  value = gst_value_array_get_value (array, index);
  fail_unless (G_VALUE_TYPE (value) == type, "%s is of %s", field,
      G_VALUE_TYPE_NAME (value));

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

/* Entry @index of @n of every array, from the samples themselves. */
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
      GST_VIDEO_INFO_HEIGHT (info));
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
