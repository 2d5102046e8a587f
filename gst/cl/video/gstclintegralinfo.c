/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of integral images. */

#include "gstclintegralinfo.h"

static const gchar *const layout_names[] = {
  [GST_CL_LAYOUT_INCLUSIVE] = "inclusive",
  [GST_CL_LAYOUT_EXCLUSIVE] = "exclusive",
};

static const struct {
  const gchar *name;
  guint sum_bytes;
  gboolean is_float;
} formats[] = {
  { GST_CL_INTEGRAL_FORMAT_U32, 4, FALSE },
  { GST_CL_INTEGRAL_FORMAT_U64, 8, FALSE },
  { GST_CL_INTEGRAL_FORMAT_F32, 4, TRUE },
};

const gchar *
gst_cl_layout_name (GstClLayout layout)
{
  return layout_names[layout];
}

gboolean
gst_cl_integral_is_structure (const GstStructure *structure)
{
  return gst_structure_has_name (structure, GST_CL_INTEGRAL_MEDIA_TYPE);
}

static gboolean
read_format (GstClIntegralInfo *info, const GstStructure *structure)
{
  const gchar *name = gst_structure_get_string (structure, "format");

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (g_strcmp0 (name, formats[i].name) == 0) {
      info->sum_bytes = formats[i].sum_bytes;
      info->is_float = formats[i].is_float;
      return TRUE;
    }
  }

  return FALSE;
}

#define SQUARE_BYTES 8 /* of a sum of squares */

/* The maximum size of all sums of a sample. */
#define BYTES_OF_ALL_SUMS (8 + SQUARE_BYTES + 8)

/* Returns the number of rows and columns of zeros before the sums. */
static gsize
count_extra (const GstClIntegralInfo *info)
{
  return info->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

static gsize
count_sums (const GstClIntegralInfo *info)
{
  const gsize extra = count_extra (info);

  return (info->width + extra) * (info->height + extra) * info->channels;
}

/* Returns TRUE if width, height and channels are in range and the size of all
 * arrays in bytes does not overflow: after an overflow, a short buffer would
 * pass for a whole one. */
static gboolean
is_possible (const GstClIntegralInfo *info)
{
  const gsize extra = count_extra (info);
  gsize n;

  return info->width > 0 && info->height > 0 && info->channels > 0 &&
         info->channels <= GST_CL_INTEGRAL_MAX_CHANNELS &&
         g_size_checked_mul (&n, info->width + extra, info->height + extra) &&
         g_size_checked_mul (&n, n, info->channels * BYTES_OF_ALL_SUMS);
}

gboolean
gst_cl_integral_info_from_caps (GstClIntegralInfo *info, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *layout;

  if (!gst_cl_integral_is_structure (structure))
    return FALSE;

  layout = gst_structure_get_string (structure, "layout");
  if (!read_format (info, structure) || !layout ||
      !gst_structure_get_int (structure, "width", &info->width) ||
      !gst_structure_get_int (structure, "height", &info->height) ||
      !gst_structure_get_int (structure, "channels", &info->channels))
    return FALSE;

  info->layout = g_str_equal (layout, layout_names[GST_CL_LAYOUT_EXCLUSIVE])
                     ? GST_CL_LAYOUT_EXCLUSIVE
                     : GST_CL_LAYOUT_INCLUSIVE;
  info->has_squares = info->has_tilted = FALSE;
  gst_structure_get_boolean (structure, "squares", &info->has_squares);
  gst_structure_get_boolean (structure, "tilted", &info->has_tilted);
  if (!gst_structure_get_fraction (structure, "framerate", &info->fps_n,
          &info->fps_d)) {
    info->fps_n = 0;
    info->fps_d = 1;
  }

  return is_possible (info);
}

/* Returns the offset of the tilted sums. */
static gsize
tilted_offset (const GstClIntegralInfo *info)
{
  return count_sums (info) *
         (info->sum_bytes + (info->has_squares ? SQUARE_BYTES : 0));
}

gsize
gst_cl_integral_info_size (const GstClIntegralInfo *info)
{
  return tilted_offset (info) +
         (info->has_tilted ? count_sums (info) * info->sum_bytes : 0);
}

GstClSums
gst_cl_integral_info_sums (const GstClIntegralInfo *info, cl_mem mem,
    gsize offset_bytes)
{
  return (GstClSums){
    .mem = mem,
    .offset_bytes = offset_bytes,
    .layout = info->layout,
    .width = info->width,
    .height = info->height,
    .channels = info->channels,
    .sum_bytes = info->sum_bytes,
    .is_float = info->is_float,
  };
}

GstClSums
gst_cl_integral_info_squares (const GstClIntegralInfo *info, cl_mem mem,
    gsize offset_bytes)
{
  GstClSums squares = gst_cl_integral_info_sums (info, mem,
      offset_bytes + count_sums (info) * info->sum_bytes);

  squares.sum_bytes = SQUARE_BYTES;

  return squares;
}

GstClSums
gst_cl_integral_info_tilted (const GstClIntegralInfo *info, cl_mem mem,
    gsize offset_bytes)
{
  return gst_cl_integral_info_sums (info, mem,
      offset_bytes + tilted_offset (info));
}
