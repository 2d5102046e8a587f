/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers of caps, and conversions from caps to caps. */

#include "parsers.h"

#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclpool.h"
#include "elements/integral/gstclintegral.h"
#include "elements/localmean/gstcllocalmeancaps.h"

/* --- integral images ----------------------------------------------------- */

static const gchar *const formats[] = { GST_CL_INTEGRAL_FORMAT_U32,
  GST_CL_INTEGRAL_FORMAT_U64, GST_CL_INTEGRAL_FORMAT_F32, "", "U32BE" };
static const gchar *const layouts[] = { "inclusive", "exclusive", "", "none" };

static gint
pick_number (FuzzBytes *bytes)
{
  return fuzz_bytes_chance (bytes, 128) ? (gint) fuzz_bytes_u32 (bytes)
                                        : fuzz_bytes_u8 (bytes);
}

static GstStructure *
new_integral (FuzzBytes *bytes)
{
  const guint8 has = ~fuzz_bytes_u8 (bytes);
  GstStructure *structure = gst_structure_new_empty (
      GST_CL_INTEGRAL_MEDIA_TYPE);

  if (has & 1)
    gst_structure_set (structure, "format", G_TYPE_STRING,
        formats[fuzz_bytes_below (bytes, G_N_ELEMENTS (formats))], NULL);
  if (has & 2)
    gst_structure_set (structure, "layout", G_TYPE_STRING,
        layouts[fuzz_bytes_below (bytes, G_N_ELEMENTS (layouts))], NULL);
  if (has & 4)
    gst_structure_set (structure, "width", G_TYPE_INT, pick_number (bytes),
        NULL);
  if (has & 8)
    gst_structure_set (structure, "height", G_TYPE_INT, pick_number (bytes),
        NULL);
  if (has & 16)
    gst_structure_set (structure, "channels", G_TYPE_INT, pick_number (bytes),
        NULL);
  if (has & 32)
    gst_structure_set (structure, "squares", G_TYPE_BOOLEAN,
        fuzz_bytes_u8 (bytes) & 1, NULL);
  if (has & 64)
    gst_structure_set (structure, "tilted", G_TYPE_BOOLEAN,
        fuzz_bytes_u8 (bytes) & 1, NULL);
  if (has & 128)
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION,
        (gint) fuzz_bytes_u8 (bytes), 1, NULL);

  return structure;
}

/* Returns the bytes of all arrays, in arithmetic with a larger range than
 * gsize. */
static gdouble
count_bytes (const GstClIntegralInfo *info)
{
  const guint extra = info->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
  const guint a_sum = info->sum_bytes + (info->has_squares ? 8 : 0) +
                      (info->has_tilted ? info->sum_bytes : 0);

  return ((gdouble) info->width + extra) * ((gdouble) info->height + extra) *
         info->channels * a_sum;
}

void
fuzz_parse_integral_caps (FuzzBytes *bytes)
{
  g_autoptr (GstCaps) caps = gst_caps_new_full (new_integral (bytes), NULL);
  g_autoptr (GstBuffer)
      buffer = gst_buffer_new_allocate (NULL, fuzz_bytes_u8 (bytes), NULL);
  GstClIntegralInfo info;
  gsize n_bytes;

  gst_cl_pool_check_buffer (caps, buffer, NULL);
  if (!gst_cl_integral_info_from_caps (&info, caps)) {
    g_assert_false (gst_cl_buffer_pool_size (caps, &n_bytes));
    return;
  }

  /* no sum is after the end of an image that is reported as complete */
  g_assert_cmpint (info.width, >, 0);
  g_assert_cmpint (info.height, >, 0);
  g_assert_cmpint (info.channels, >=, 1);
  g_assert_cmpint (info.channels, <=, 4);
  g_assert_true (gst_cl_buffer_pool_size (caps, &n_bytes));
  g_assert_cmpuint (n_bytes, ==, gst_cl_integral_info_size (&info));
  g_assert_cmpfloat ((gdouble) n_bytes, >=, count_bytes (&info) * 0.999);
  if (gst_cl_integral_info_size (&info) > gst_buffer_get_size (buffer))
    g_assert_false (gst_cl_pool_check_buffer (caps, buffer, NULL));
}

/* --- conversions ---------------------------------------------------------- */

/* Caps with lists and ranges, as text. */
static const gchar *const words[] = { "video/x-raw", GST_CL_INTEGRAL_MEDIA_TYPE,
  ", format = I420", ", format = { GRAY8, RGBA }", ", format = (string) U32LE",
  ", width = [ 1, max ]", ", width = { 1, 5, [ 7, 9 ] }", ", width = 16",
  ", width = 2147483647", ", height = [ 2, 1000, 2 ]", ", height = 17",
  ", height = { }", ", channels = [ 1, 4 ]", ", channels = 3",
  ", layout = exclusive", ", layout = { inclusive, exclusive }",
  ", squares = true", ", tilted = { true, false }", ", framerate = 25/1",
  ", colorimetry = bt709", ", format = 7", ", width = none",
  ", channels = (string) 1", ", squares = 1" };

static GstStructure *
new_words (FuzzBytes *bytes)
{
  g_autoptr (GString) text = g_string_new (words[fuzz_bytes_u8 (bytes) & 1]);

  for (guint n = fuzz_bytes_below (bytes, 8); n > 0; n--)
    g_string_append (text,
        words[2 + fuzz_bytes_below (bytes, G_N_ELEMENTS (words) - 2)]);

  return gst_structure_from_string (text->str, NULL);
}

static GstClIntegralChoice
pick_choice (FuzzBytes *bytes)
{
  GstClIntegralChoice choice;

  choice.component = (gint) fuzz_bytes_below (bytes, 5) - 1;
  choice.layout = fuzz_bytes_u8 (bytes) & 1 ? GST_CL_LAYOUT_EXCLUSIVE
                                            : GST_CL_LAYOUT_INCLUSIVE;
  choice.sum_format = fuzz_bytes_below (bytes, 4);
  choice.squares = fuzz_bytes_u8 (bytes) & 1;
  choice.tilted = fuzz_bytes_u8 (bytes) & 1;

  return choice;
}

static GstClWindow
pick_window (FuzzBytes *bytes)
{
  GstClWindow window = { 0 };

  window.kernel_width = 1 + (gint) fuzz_bytes_u16 (bytes) % 32767;
  window.kernel_height = 1 + (gint) fuzz_bytes_u16 (bytes) % 32767;
  window.anchor_x = (gint) fuzz_bytes_u8 (bytes) - 1;
  window.anchor_y = (gint) fuzz_bytes_u8 (bytes) - 1;
  window.step_x = 1 + (gint) fuzz_bytes_u16 (bytes) % 32767;
  window.step_y = 1 + (gint) fuzz_bytes_u8 (bytes);
  window.border = fuzz_bytes_below (bytes, 7);

  return window;
}

void
fuzz_parse_mapped_caps (FuzzBytes *bytes)
{
  const GstPadDirection direction = fuzz_bytes_u8 (bytes) & 1 ? GST_PAD_SRC
                                                              : GST_PAD_SINK;
  g_autoptr (GstStructure) structure = new_words (bytes);
  const GstClIntegralChoice choice = pick_choice (bytes);
  const GstClWindow window = pick_window (bytes);
  const gboolean split_fields = fuzz_bytes_u8 (bytes) & 1;
  GstCaps *caps;

  if (!structure)
    return;

  caps = gst_cl_integral_map_structure (&choice, direction, structure);
  g_clear_pointer (&caps, gst_caps_unref);
  caps = gst_cl_local_mean_map_structure (&window, split_fields, direction,
      structure);
  g_clear_pointer (&caps, gst_caps_unref);
}
