/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of a frame. */

#include "parsers.h"

#include "elements/base/gstclregions.h"

static gint
pick_side (FuzzBytes *bytes)
{
  return (gint) ((fuzz_bytes_chance (bytes, 64) ? fuzz_bytes_u32 (bytes)
                                                : fuzz_bytes_u8 (bytes)) &
                 G_MAXINT);
}

static void
add_metas (GstBuffer *buffer, FuzzBytes *bytes)
{
  for (guint n = fuzz_bytes_below (bytes, 16); n > 0; n--) {
    g_autofree gchar *type = fuzz_bytes_text (bytes, 4);
    guint at[4];

    for (guint i = 0; i < G_N_ELEMENTS (at); i++)
      at[i] = fuzz_bytes_chance (bytes, 64) ? fuzz_bytes_u32 (bytes)
                                            : fuzz_bytes_u8 (bytes);
    gst_buffer_add_video_region_of_interest_meta (buffer, type, at[0], at[1],
        at[2], at[3]);
  }
}

/* Each region has samples, and none outside the frame. */
static void
check (const GstClRegions *regions, const GstVideoInfo *info)
{
  for (guint i = 0; i < regions->regions->len; i++) {
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
      const GstClRegion region = gst_cl_regions_samples (regions, i, info, c,
          GST_CL_ROWS_ALL);

      g_assert_cmpint (region.x, >=, 0);
      g_assert_cmpint (region.y, >=, 0);
      g_assert_cmpint (region.width, >, 0);
      g_assert_cmpint (region.height, >, 0);
      g_assert_cmpint (region.width, <=,
          GST_VIDEO_INFO_COMP_WIDTH (info, c) - region.x);
      g_assert_cmpint (region.height, <=,
          GST_VIDEO_INFO_COMP_HEIGHT (info, c) - region.y);
    }
  }
  for (guint i = 0; i < regions->labels->len; i++)
    g_assert_true (g_utf8_validate (
        g_array_index (regions->labels, GstClRegionLabel, i).type, -1, NULL));
}

void
fuzz_parse_regions (FuzzBytes *bytes)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_NV12 };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstClRegionSettings settings;
  GstClRegions regions;
  GstVideoInfo info;
  GstVideoFormat format;
  guint width, height;

  format = formats[fuzz_bytes_below (bytes, G_N_ELEMENTS (formats))];
  width = 1 + fuzz_bytes_u8 (bytes);
  height = 1 + fuzz_bytes_u8 (bytes);
  gst_video_info_set_format (&info, format, width, height);
  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  settings.position_x = pick_side (bytes);
  settings.position_y = pick_side (bytes);
  settings.width = pick_side (bytes);
  settings.height = pick_side (bytes);
  settings.grid_columns = 1 + (gint) fuzz_bytes_below_many (bytes, 1023);
  settings.grid_rows = 1 + (gint) fuzz_bytes_below_many (bytes, 1023);
  add_metas (buffer, bytes);

  gst_cl_regions_init (&regions);
  if (gst_cl_regions_set (&regions, &settings, &info, NULL)) {
    gst_cl_regions_add_rois (&regions, buffer, &info);
    check (&regions, &info);
  }
  gst_cl_regions_clear (&regions);
}
