/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference of an integral image, by loops over samples. */

#include <gst/check/gstcheck.h>

#include "frames.h"
#include "reference.h"

/* One channel and its exact sums, including the border. */
typedef struct {
  const guint16 *codes;
  gint width, height, border;
  const gchar *what; /* for messages */
} Channel;

static gint
get_int (const GstStructure *structure, const gchar *field)
{
  gint value = -1;

  fail_unless (gst_structure_get_int (structure, field, &value), "no field %s",
      field);

  return value;
}

static gboolean
get_boolean (const GstStructure *structure, const gchar *field)
{
  gboolean value = FALSE;

  fail_unless (gst_structure_get_boolean (structure, field, &value),
      "no field %s", field);

  return value;
}

/* Returns the number of components that are summed together. */
static gint
count_channels (const GstVideoInfo *info, gint component)
{
  if (component >= 0 || !GST_VIDEO_INFO_IS_RGB (info) ||
      GST_VIDEO_INFO_N_PLANES (info) > 1)
    return 1;

  return GST_VIDEO_INFO_N_COMPONENTS (info);
}

static guint64
get_code (const Channel *channel, gint x, gint y)
{
  if (x < 0 || y < 0 || x >= channel->width || y >= channel->height)
    return 0;

  return channel->codes[(gsize) y * channel->width + x];
}

static guint64 *
new_table (const Channel *channel)
{
  return g_new0 (guint64, (gsize) (channel->width + channel->border) *
                              (channel->height + channel->border));
}

/* @power: 1 sums of the codes, 2 of their squares. */
static guint64 *
make_sums (const Channel *channel, guint power)
{
  const gint width = channel->width + channel->border;
  guint64 *table = new_table (channel), *next = table;

  for (gint y = -channel->border; y < channel->height; y++) {
    guint64 row = 0;

    for (gint x = -channel->border; x < channel->width; x++, next++) {
      const guint64 code = get_code (channel, x, y);

      row += power == 2 ? code * code : code;
      *next = row + (y > -channel->border ? next[-width] : 0);
    }
  }

  return table;
}

/* Adds a span for every row above, longer by one sample on each side than that
 * of the row below; @spans: sums of codes along each row. */
static guint64 *
make_tilted (const Channel *channel)
{
  const gint length = channel->width + 1;
  guint64 *table = new_table (channel), *next = table;
  g_autofree guint64 *spans = g_new0 (guint64,
      (gsize) length * channel->height);

  for (gint y = 0; y < channel->height; y++) {
    for (gint x = 0; x < channel->width; x++)
      spans[(gsize) y * length + x + 1] = spans[(gsize) y * length + x] +
                                          get_code (channel, x, y);
  }

  for (gint y = -channel->border; y < channel->height; y++) {
    for (gint x = -channel->border; x < channel->width; x++, next++) {
      for (gint j = 0; j <= y; j++) {
        const gint from = CLAMP (x - (y - j), 0, channel->width);
        const gint to = CLAMP (x + (y - j) + 1, 0, channel->width);

        *next += spans[(gsize) j * length + to] -
                 spans[(gsize) j * length + from];
      }
    }
  }

  return table;
}

/* Returns whether sum @i of @array, of type @format, is @exact in this type. */
static gboolean
is_sum (const guint8 *array, const gchar *format, gsize i, guint64 exact)
{
  if (g_str_has_prefix (format, "U32")) {
    return ((const guint32 *) array)[i] == (guint32) exact;
  } else if (g_str_has_prefix (format, "F32")) {
    return ((const gfloat *) array)[i] == (gfloat) exact;
  } else {
    guint64 word; /* at any multiple of four bytes */
    gdouble twice;

    memcpy (&word, array + i * sizeof word, sizeof word);
    memcpy (&twice, array + i * sizeof twice, sizeof twice);

    return g_str_has_prefix (format, "F64") ? twice == (gdouble) exact
                                            : word == exact;
  }
}

static void
expect_array (const guint8 *array, const gchar *format, const Channel *channel,
    gint index, gint n_channels, guint64 *table, const gchar *name)
{
  const gint width = channel->width + channel->border;
  const gsize n = (gsize) width * (channel->height + channel->border);

  for (gsize i = 0; i < n; i++) {
    if (!is_sum (array, format, i * n_channels + index, table[i]))
      fail ("%s %dx%d, channel %d, array %s of %s: the value at %d, %d is not "
            "%" G_GUINT64_FORMAT,
          channel->what, channel->width, channel->height, index, name, format,
          (gint) (i % width), (gint) (i / width), table[i]);
  }
  g_free (table);
}

static gsize
bytes_of (const gchar *format)
{
  return strstr (format, "64") ? 8 : 4;
}

void
expect_integral (GstBuffer *out, const GstCaps *caps, GstBuffer *in,
    const GstVideoInfo *info, gint component)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (structure, "format");
  const gchar *squares_format = format[0] == 'F' ? "F64" : "U64";
  const gint n_channels = count_channels (info, component);
  const gint border = g_strcmp0 (gst_structure_get_string (structure, "layout"),
                          "exclusive") == 0;
  const gboolean has_squares = get_boolean (structure, "squares");
  const gboolean has_tilted = get_boolean (structure, "tilted");
  GstMapInfo map;

  fail_unless (gst_structure_has_name (structure, "video/x-integral-image"));
  fail_unless_equals_int (get_int (structure, "channels"), n_channels);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  for (gint c = 0; c < n_channels; c++) {
    Channel channel = { .border = border, .what = GST_VIDEO_INFO_NAME (info) };
    g_autofree guint16 *codes = frame_codes (in, info, MAX (component, 0) + c,
        &channel.width, &channel.height);
    const gsize n_sums = (gsize) (channel.width + border) *
                         (channel.height + border) * n_channels;
    gsize end = n_sums * bytes_of (format);

    channel.codes = codes;
    fail_unless_equals_int (get_int (structure, "width"), channel.width);
    fail_unless_equals_int (get_int (structure, "height"), channel.height);
    expect_array (map.data, format, &channel, c, n_channels,
        make_sums (&channel, 1), "sum");
    if (has_squares) {
      expect_array (map.data + end, squares_format, &channel, c, n_channels,
          make_sums (&channel, 2), "sum of squares");
      end += n_sums * 8;
    }
    if (has_tilted) {
      expect_array (map.data + end, format, &channel, c, n_channels,
          make_tilted (&channel), "tilted sum");
      end += n_sums * bytes_of (format);
    }
    fail_unless_equals_uint64 (map.size, end);
  }
  gst_buffer_unmap (out, &map);
}
