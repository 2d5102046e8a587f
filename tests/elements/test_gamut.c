/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clframesum takes the colorimetry in caps for: docs/statistics.md, "The
 * colour range". */

#include "elements/base/gstclgamut.h"

#include "suite.h"

/* Kinds of formats with a rule of their own. */
typedef enum { YUV, RGB, GRAY, N_KINDS } Kind;

static const struct {
  const gchar *name;
  Kind kind;
  guint depth;
} formats[] = {
  { "I420", YUV, 8 },
  { "YUY2", YUV, 8 },
  { "AYUV", YUV, 8 },
  { "P010_10LE", YUV, 10 },
  { "I422_12LE", YUV, 12 },
  { "Y444_16LE", YUV, 16 },
  { "RGB", RGB, 8 },
  { "BGRx", RGB, 8 },
  { "GBRA", RGB, 8 },
  { "GBR_10LE", RGB, 10 },
  { "ARGB64", RGB, 16 },
  { "GRAY8", GRAY, 8 },
  { "GRAY16_LE", GRAY, 16 },
};

/* The first and last valid codes at 8 bits. */
typedef struct {
  guint low, high;
} Codes;

#define FULL                                                                   \
  {                                                                            \
    0, 255                                                                     \
  }
#define LUMA                                                                   \
  {                                                                            \
    16, 235                                                                    \
  }
#define OTHER                                                                  \
  {                                                                            \
    16, 240                                                                    \
  }

/* The expectation, by the range in the caps; caps without colorimetry have an
 * unknown range. Matrix, transfer function and primaries have no column: each
 * of their values, known or unknown, gives the same row. */
static const struct {
  Kind kind;
  GstVideoColorRange range;
  gboolean is_full;
  Codes codes[3], lavfi[3]; /* of components 0 to 2; lavfi: of BRNG */
} rows[] = {
  { YUV, GST_VIDEO_COLOR_RANGE_UNKNOWN, FALSE, { LUMA, OTHER, OTHER },
      { LUMA, OTHER, OTHER } },
  { YUV, GST_VIDEO_COLOR_RANGE_0_255, TRUE, { FULL, FULL, FULL },
      { LUMA, OTHER, OTHER } },
  { YUV, GST_VIDEO_COLOR_RANGE_16_235, FALSE, { LUMA, OTHER, OTHER },
      { LUMA, OTHER, OTHER } },
  { RGB, GST_VIDEO_COLOR_RANGE_UNKNOWN, TRUE, { FULL, FULL, FULL },
      { FULL, FULL, FULL } },
  { RGB, GST_VIDEO_COLOR_RANGE_0_255, TRUE, { FULL, FULL, FULL },
      { FULL, FULL, FULL } },
  { RGB, GST_VIDEO_COLOR_RANGE_16_235, FALSE, { LUMA, LUMA, LUMA },
      { LUMA, LUMA, LUMA } },
  { GRAY, GST_VIDEO_COLOR_RANGE_UNKNOWN, TRUE, { FULL }, { FULL } },
  { GRAY, GST_VIDEO_COLOR_RANGE_0_255, TRUE, { FULL }, { FULL } },
  { GRAY, GST_VIDEO_COLOR_RANGE_16_235, FALSE, { LUMA }, { LUMA } },
};

/* Returns the index of the row. */
static guint
find_row (Kind kind, GstVideoColorRange range)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (rows[i].kind == kind && rows[i].range == range)
      return i;
  }
  fail ("the table has no row for range %d", range);

  return 0;
}

/* Scales codes of 8 bits; the largest code has all bits set. */
static Codes
at_depth (Codes codes, guint depth)
{
  return (Codes){ codes.low << (depth - 8),
    codes.high == 255 ? (1u << depth) - 1 : codes.high << (depth - 8) };
}

static void
expect_codes (const GstVideoInfo *info, guint depth, guint row)
{
  const guint n = GST_VIDEO_INFO_N_COMPONENTS (info);

  for (guint c = 0; c < n; c++) {
    const Codes full = FULL;
    const gboolean is_alpha = c == GST_VIDEO_COMP_A;
    const Codes codes = at_depth (is_alpha ? full : rows[row].codes[c], depth);
    const Codes lavfi = at_depth (is_alpha ? full : rows[row].lavfi[c], depth);
    const gboolean is_chroma = c > 0 && GST_VIDEO_INFO_IS_YUV (info);
    const Codes luma = LUMA, chroma = OTHER;
    const Codes limited = at_depth (is_alpha    ? full
                                    : is_chroma ? chroma
                                                : luma,
        depth);
    guint low, high;

    gst_cl_gamut_limits (info, depth, c, &low, &high);
    fail_unless (low == codes.low && high == codes.high,
        "%s, row %u, component %u of %u bits: %u .. %u, not %u .. %u",
        GST_VIDEO_INFO_NAME (info), row, c, depth, low, high, codes.low,
        codes.high);
    gst_cl_gamut_limits_limited (info, depth, c, &low, &high);
    fail_unless (low == limited.low && high == limited.high,
        "%s, component %u of %u bits: limited range is %u .. %u, not %u .. %u",
        GST_VIDEO_INFO_NAME (info), c, depth, low, high, limited.low,
        limited.high);
    gst_cl_gamut_limits_lavfi (info, depth, c, &low, &high);
    fail_unless (low == lavfi.low && high == lavfi.high,
        "%s, row %u, component %u of %u bits: BRNG counts outside %u .. %u, "
        "not %u .. %u",
        GST_VIDEO_INFO_NAME (info), row, c, depth, low, high, lavfi.low,
        lavfi.high);
  }
}

/* Reads caps of formats[@format] with @colorimetry (NULL: none), which must
 * give the row of @range. */
static void
expect_range (guint format, const gchar *colorimetry, GstVideoColorRange range)
{
  const guint row = find_row (formats[format].kind, range);
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, formats[format].name, "width", G_TYPE_INT, 16, "height",
      G_TYPE_INT, 16, NULL);
  GstVideoInfo info;

  if (colorimetry)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  fail_unless (gst_cl_gamut_info_from_caps (&info, caps));
  fail_unless (gst_cl_gamut_is_full (&info) == rows[row].is_full,
      "%s with %s is taken for %s range", formats[format].name,
      colorimetry ? colorimetry : "no colorimetry",
      rows[row].is_full ? "limited" : "full");
  expect_codes (&info, formats[format].depth, row);
}

/* --- all combinations ---------------------------------------------------- */

static const GEnumClass *
values_of (GType type)
{
  return g_type_class_ref (type); /* until the program ends */
}

/* Every range, matrix, transfer function and primaries of the running
 * GStreamer, in every combination. */
LOOP_TEST (test_every_combination, G_N_ELEMENTS (formats))
{
  const GEnumClass *ranges = values_of (GST_TYPE_VIDEO_COLOR_RANGE);
  const GEnumClass *matrices = values_of (GST_TYPE_VIDEO_COLOR_MATRIX);
  const GEnumClass *transfers = values_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION);
  const GEnumClass *primaries = values_of (GST_TYPE_VIDEO_COLOR_PRIMARIES);

  fail_unless (ranges->n_values >= 3 && matrices->n_values >= 7 &&
               transfers->n_values >= 16 && primaries->n_values >= 11);
  for (guint r = 0; r < ranges->n_values; r++) {
    for (guint m = 0; m < matrices->n_values; m++) {
      for (guint t = 0; t < transfers->n_values; t++) {
        for (guint p = 0; p < primaries->n_values; p++) {
          g_autofree gchar *text = g_strdup_printf ("%d:%d:%d:%d",
              ranges->values[r].value, matrices->values[m].value,
              transfers->values[t].value, primaries->values[p].value);

          expect_range (__i__, text, ranges->values[r].value);
        }
      }
    }
  }
}

/* Caps without colorimetry, with a name, and with a text that GStreamer cannot
 * read, at any size. */
TEST (test_names)
{
  static const struct {
    const gchar *text;
    GstVideoColorRange range;
  } names[] = {
    { NULL, GST_VIDEO_COLOR_RANGE_UNKNOWN },
    { "none of these", GST_VIDEO_COLOR_RANGE_UNKNOWN },
    { "", GST_VIDEO_COLOR_RANGE_UNKNOWN },
    { "bt601", GST_VIDEO_COLOR_RANGE_16_235 },
    { "bt709", GST_VIDEO_COLOR_RANGE_16_235 },
    { "smpte240m", GST_VIDEO_COLOR_RANGE_16_235 },
    { "bt2020", GST_VIDEO_COLOR_RANGE_16_235 },
    { "bt2020-10", GST_VIDEO_COLOR_RANGE_16_235 },
    { "bt2100-pq", GST_VIDEO_COLOR_RANGE_16_235 },
    { "bt2100-hlg", GST_VIDEO_COLOR_RANGE_16_235 },
    { "sRGB", GST_VIDEO_COLOR_RANGE_0_255 },
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      expect_range (f, names[i].text, names[i].range);
  }
}

/* Codes with fewer bits than their format, as with significant-bits. */
TEST (test_fewer_bits)
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      GstVideoInfo info;

      if (rows[i].kind != formats[f].kind)
        continue;
      gst_video_info_set_format (&info,
          gst_video_format_from_string (formats[f].name), 16, 16);
      info.colorimetry.range = rows[i].range;
      for (guint depth = 9; depth <= formats[f].depth; depth++)
        expect_codes (&info, depth, i);
    }
  }
}

/* GStreamer warns of each invalid combination. */
static void
disable_warnings (void)
{
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
}

SUITE (.start = disable_warnings);
