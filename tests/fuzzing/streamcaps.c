/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps as upstream might send them. */

#include "streamcaps.h"

#include "cl/memory/gstclmemory.h"
#include "cl/video/gstclintegralinfo.h"

#define MAX_SIDE 72

/* Each adds kernels to compile: one format of each kind. */
static const gchar *const formats[] = { "GRAY8", "I420", "NV12", "RGBA", "BGRx",
  "YUY2", "GRAY16_LE", "I420_10LE", "AV12", "GBR", "Y210", "v210",
  "NV12_10LE32", "RGB16", "I420_10BE" };

static const gchar *const sum_formats[] = { GST_CL_INTEGRAL_FORMAT_U32,
  GST_CL_INTEGRAL_FORMAT_U64, GST_CL_INTEGRAL_FORMAT_F32, "U8" };

/* Sizes at which arithmetic overflows. */
static const gint strange_sides[] = { 0, -1, 1, 32767, 65535, 65536, 92681,
  G_MAXINT - 1, G_MAXINT, G_MININT };

static gint
pick_side (FuzzBytes *bytes)
{
  const guint8 byte = fuzz_bytes_u8 (bytes);

  return byte < 248 ? 1 + byte % MAX_SIDE
                    : strange_sides[fuzz_bytes_below (bytes,
                          G_N_ELEMENTS (strange_sides))];
}

static GstStructure *
new_video (FuzzBytes *bytes)
{
  const guint format = fuzz_bytes_below (bytes, G_N_ELEMENTS (formats));
  const gint width = pick_side (bytes);
  const gint height = pick_side (bytes);
  GstStructure *structure = gst_structure_new ("video/x-raw", "format",
      G_TYPE_STRING, formats[format], "width", G_TYPE_INT, width, "height",
      G_TYPE_INT, height, NULL);

  if (!fuzz_bytes_chance (bytes, 32))
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  if (fuzz_bytes_chance (bytes, 32))
    gst_structure_set (structure, "interlace-mode", G_TYPE_STRING,
        fuzz_bytes_chance (bytes, 128) ? "interleaved" : "alternate", NULL);
  if (fuzz_bytes_chance (bytes, 32))
    gst_structure_set (structure, "colorimetry", G_TYPE_STRING,
        fuzz_bytes_chance (bytes, 128) ? "bt709" : "9:9:9:9", NULL);

  return structure;
}

static GstStructure *
new_integral (FuzzBytes *bytes)
{
  const guint8 arrays = fuzz_bytes_u8 (bytes);
  const guint format = fuzz_bytes_below (bytes, G_N_ELEMENTS (sum_formats));
  const gint width = pick_side (bytes);
  const gint height = pick_side (bytes);
  const gint channels = (gint) fuzz_bytes_below (bytes, 6);

  return gst_structure_new (GST_CL_INTEGRAL_MEDIA_TYPE, "format", G_TYPE_STRING,
      sum_formats[format], "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, "channels", G_TYPE_INT, channels, "framerate", GST_TYPE_FRACTION,
      25, 1, "layout", G_TYPE_STRING, arrays & 1 ? "exclusive" : "inclusive",
      "squares", G_TYPE_BOOLEAN, (arrays & 2) != 0, "tilted", G_TYPE_BOOLEAN,
      (arrays & 4) != 0, NULL);
}

/* A field is missing, or has another type. */
static void
spoil (FuzzBytes *bytes, GstStructure *structure)
{
  const guint field = fuzz_bytes_below (bytes,
      (guint) gst_structure_n_fields (structure));
  g_autofree gchar *name = g_strdup (
      gst_structure_nth_field_name (structure, field));

  switch (fuzz_bytes_below (bytes, 3)) {
    case 0:
      gst_structure_remove_field (structure, name);
      break;
    case 1:
      gst_structure_set (structure, name, G_TYPE_STRING, "none", NULL);
      break;
    default:
      gst_structure_set (structure, name, G_TYPE_INT,
          (gint) fuzz_bytes_u32 (bytes), NULL);
      break;
  }
}

/* Returns the bytes of a buffer, if GStreamer or the plugin can compute
 * them. */
static gsize
find_size (const GstCaps *caps, FuzzShape *shape)
{
  GstClIntegralInfo integral;

  shape->is_video = FALSE;
  if (gst_cl_integral_info_from_caps (&integral, caps))
    return gst_cl_integral_info_size (&integral);
  shape->is_video = gst_structure_has_name (gst_caps_get_structure (caps, 0),
                        "video/x-raw") &&
                    gst_video_info_from_caps (&shape->video, caps);

  return shape->is_video ? GST_VIDEO_INFO_SIZE (&shape->video) : 64;
}

GstCaps *
fuzz_stream_caps_new (FuzzBytes *bytes, FuzzShape *shape)
{
  const guint8 kind = fuzz_bytes_u8 (bytes);
  const gboolean is_integral = kind % 8 == 1 || kind % 8 == 7;
  GstStructure *structure = is_integral ? new_integral (bytes)
                                        : new_video (bytes);
  GstCapsFeatures *features = gst_caps_features_new_empty ();
  GstCaps *caps;

  if (kind >= 240)
    spoil (bytes, structure);
  caps = gst_caps_new_full (structure, NULL);
  shape->is_device = (kind & 2) != 0;
  if (shape->is_device)
    gst_caps_features_add (features, GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY);
  if (g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"),
          "alternate") == 0)
    gst_caps_features_add (features, GST_CAPS_FEATURE_FORMAT_INTERLACED);
  gst_caps_set_features_simple (caps, features);
  shape->n_bytes = find_size (caps, shape);

  return caps;
}
