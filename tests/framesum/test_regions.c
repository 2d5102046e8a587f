/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of a frame that are measured. */

#include "elements/base/gstclregions.h"

#include "suite.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

static void
set_info (GstVideoInfo *info, gint width, gint height)
{
  gst_video_info_set_format (info, GST_VIDEO_FORMAT_I420, width, height);
}

/* Returns the regions of the settings as text, or the text of the error (g_free
 * ()). */
static gchar *
try_settings (GstClRegions *regions, const GstClRegionSettings *settings,
    gint width, gint height)
{
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;

  set_info (&info, width, height);
  if (gst_cl_regions_set (regions, settings, &info, &error))
    return NULL;
  fail_unless (error->domain == GST_CORE_ERROR &&
               error->code == GST_CORE_ERROR_NEGOTIATION);

  return g_strdup (error->message);
}

static void
expect_region (const GstClRegions *regions, guint index, gint x, gint y,
    gint width, gint height)
{
  const GstClRegion *got = &g_array_index (regions->regions, GstClRegion,
      index);

  fail_unless (index < regions->regions->len);
  fail_unless (got->x == x && got->y == y && got->width == width &&
                   got->height == height,
      "region %u is %d,%d %dx%d", index, got->x, got->y, got->width,
      got->height);
}

TEST (test_rectangles)
{
  static const struct {
    gint set[4], expected[4]; /* x, y, width, height in 100x50 */
    gboolean is_whole;
  } rows[] = {
    { { 0, 0, 0, 0 }, { 0, 0, 100, 50 }, TRUE },
    { { 0, 0, 100, 50 }, { 0, 0, 100, 50 }, TRUE },
    { { 0, 0, 100, 49 }, { 0, 0, 100, 49 }, FALSE },
    { { 10, 20, 0, 0 }, { 10, 20, 90, 30 }, FALSE },
    { { 99, 49, 1, 1 }, { 99, 49, 1, 1 }, FALSE },
  };
  GstClRegionSettings settings;
  GstClRegions regions;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  gst_cl_regions_init (&regions);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    settings.position_x = rows[i].set[0];
    settings.position_y = rows[i].set[1];
    settings.width = rows[i].set[2];
    settings.height = rows[i].set[3];
    fail_unless (try_settings (&regions, &settings, 100, 50) == NULL);
    fail_unless_equals_int (regions.regions->len, 1);
    fail_unless_equals_int (gst_cl_regions_n_zones (&regions), 0);
    fail_unless_equals_int (regions.is_whole, rows[i].is_whole);
    expect_region (&regions, 0, rows[i].expected[0], rows[i].expected[1],
        rows[i].expected[2], rows[i].expected[3]);
  }
  gst_cl_regions_clear (&regions);
}

TEST (test_settings_beyond_the_frame)
{
  static const struct {
    GstClRegionSettings settings;
    const gchar *parts[3];
  } rows[] = {
    { { .position_x = 100 }, { "100x50", "position-x 100", "width" } },
    { { .position_y = 50 }, { "I420", "position-y 50", "height" } },
    { { .position_x = 1, .width = 100 }, { "position-x 1", "width 100", "" } },
    { { .height = 51 }, { "position-y 0", "height 51", "" } },
    { { .height = G_MAXINT, .position_y = 49 }, { "position-y 49", "", "" } },
    { { .grid_columns = 101, .grid_rows = 1 },
        { "grid-columns 101", "100x50", "zones" } },
    { { .grid_columns = 1, .grid_rows = 3, .height = 2 },
        { "grid-rows 3", "100x2", "zones" } },
    { { .grid_columns = 32, .grid_rows = 32 },
        { "grid-columns 32", "grid-rows 32", "1023" } },
  };
  GstClRegions regions;

  gst_cl_regions_init (&regions);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstClRegionSettings settings = rows[i].settings;
    g_autofree gchar *text = NULL;

    settings.grid_columns = MAX (settings.grid_columns, 1);
    settings.grid_rows = MAX (settings.grid_rows, 1);
    text = try_settings (&regions, &settings, 100, 50);
    fail_unless (text != NULL, "row %u", i);
    for (guint k = 0; k < 3; k++)
      fail_unless (strstr (text, rows[i].parts[k]), "no '%s' in '%s'",
          rows[i].parts[k], text);
  }
  gst_cl_regions_clear (&regions);
}

/* Row by row, without gaps; together they cover the rectangle. */
TEST (test_zones)
{
  GstClRegionSettings settings;
  GstClRegions regions;
  guint index = 1;
  gint y = 5;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  settings.position_x = 3;
  settings.position_y = 5;
  settings.width = 50;
  settings.height = 31;
  settings.grid_columns = 7;
  settings.grid_rows = 4;
  gst_cl_regions_init (&regions);
  fail_unless (try_settings (&regions, &settings, 100, 50) == NULL);
  fail_unless_equals_int (gst_cl_regions_n_zones (&regions), 28);
  fail_unless_equals_int (regions.regions->len, 29);

  for (guint row = 0; row < 4; row++) {
    const gint height = row == 0 ? 7 : 8;
    gint x = 3;

    for (guint column = 0; column < 7; column++, index++) {
      const gint width = column == 6 ? 8 : 7;

      expect_region (&regions, index, x, y, width, height);
      x += width;
    }
    fail_unless_equals_int (x, 53);
    y += height;
  }
  fail_unless_equals_int (y, 36);
  gst_cl_regions_clear (&regions);
}

/* --- regions of interest ------------------------------------------------- */

static void
add_roi (GstBuffer *buffer, const gchar *type, gint id, guint x, guint y,
    guint width, guint height)
{
  GstVideoRegionOfInterestMeta
      *meta = gst_buffer_add_video_region_of_interest_meta (buffer, type, x, y,
          width, height);

  meta->id = id;
}

/* Regions within the frame are unchanged, others are cut to it. */
TEST (test_regions_of_interest)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstClRegionSettings settings;
  GstClRegions fixed, regions;
  GstVideoInfo info;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  set_info (&info, 100, 50);
  gst_cl_regions_init (&fixed);
  gst_cl_regions_init (&regions);
  fail_unless (gst_cl_regions_set (&fixed, &settings, &info, NULL));

  add_roi (buffer, "face", 7, 10, 20, 30, 5);
  add_roi (buffer, "outside", 8, 100, 0, 10, 10);
  add_roi (buffer, "empty", 9, 0, 0, 0, 10);
  add_roi (buffer, "car", -3, 90, 40, G_MAXUINT, 11);

  for (guint run = 0; run < 2; run++) {
    gst_cl_regions_copy (&regions, &fixed);
    gst_cl_regions_add_rois (&regions, buffer, &info);
    fail_unless_equals_int (regions.regions->len, 3);
    fail_unless_equals_int (regions.labels->len, 2);
    expect_region (&regions, 0, 0, 0, 100, 50);
    for (guint i = 0; i < 2; i++) {
      const GstClRegionLabel *label = &g_array_index (regions.labels,
          GstClRegionLabel, i);
      const gboolean is_face = g_str_equal (label->type, "face");

      fail_unless_equals_int (label->id, is_face ? 7 : -3);
      if (is_face)
        expect_region (&regions, 1 + i, 10, 20, 30, 5);
      else
        expect_region (&regions, 1 + i, 90, 40, 10, 10);
    }
  }
  gst_cl_regions_clear (&regions);
  gst_cl_regions_clear (&fixed);
}

/* Bytes that are not UTF-8 become U+FFFD, others are unchanged. */
TEST (test_types_of_any_bytes)
{
  static const gchar *const types[] = { "caf\u00e9\x1f\n", "\xff"
                                                           "face\xc3" };
  static const gchar *const expected[] = { "caf\u00e9\x1f\n", "\ufffd"
                                                              "face\ufffd" };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstClRegionSettings settings;
  GstClRegions regions;
  GstVideoInfo info;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  set_info (&info, 100, 50);
  gst_cl_regions_init (&regions);
  fail_unless (gst_cl_regions_set (&regions, &settings, &info, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    add_roi (buffer, types[i], i, 0, 0, 10, 10);
  gst_cl_regions_add_rois (&regions, buffer, &info);
  fail_unless_equals_int (regions.labels->len, G_N_ELEMENTS (types));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    const GstClRegionLabel *label = &g_array_index (regions.labels,
        GstClRegionLabel, i);

    fail_unless_equals_string (label->type, expected[label->id]);
  }
  gst_cl_regions_clear (&regions);
}

#ifdef HAVE_ANALYTICS
/* After other metas; edges may be left of the frame. */
TEST (test_boxes_of_detectors)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstAnalyticsRelationMeta *meta = gst_buffer_add_analytics_relation_meta (
      buffer);
  GstClRegionSettings settings;
  GstAnalyticsODMtd box;
  GstClRegions regions;
  GstVideoInfo info;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  set_info (&info, 100, 50);
  gst_cl_regions_init (&regions);
  fail_unless (gst_cl_regions_set (&regions, &settings, &info, NULL));
  add_roi (buffer, "face", 7, 10, 20, 30, 5);
  fail_unless (gst_analytics_relation_meta_add_od_mtd (meta,
      g_quark_from_string ("dog"), -5, 40, 20, 20, .5f, &box));
  fail_unless (gst_analytics_relation_meta_add_od_mtd (meta, 0, 200, 0, 20, 20,
      .5f, &box));
  fail_unless (
      gst_analytics_relation_meta_add_od_mtd (meta, 0, 1, 2, 3, 4, .5f, &box));

  gst_cl_regions_add_rois (&regions, buffer, &info);
  fail_unless_equals_int (regions.labels->len, 3);
  expect_region (&regions, 2, 0, 40, 15, 10);
  expect_region (&regions, 3, 1, 2, 3, 4);
  fail_unless_equals_string (
      g_array_index (regions.labels, GstClRegionLabel, 1).type, "dog");
  fail_unless_equals_string (
      g_array_index (regions.labels, GstClRegionLabel, 2).type, "");
  fail_unless_equals_int (
      g_array_index (regions.labels, GstClRegionLabel, 2).id, box.id);
  gst_cl_regions_clear (&regions);
}
#endif

TEST (test_number_of_regions_is_limited)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstClRegionSettings settings;
  GstClRegions regions;
  GstVideoInfo info;

  settings = (GstClRegionSettings){ .grid_columns = 1, .grid_rows = 1 };
  set_info (&info, 100, 50);
  gst_cl_regions_init (&regions);
  fail_unless (gst_cl_regions_set (&regions, &settings, &info, NULL));
  for (guint i = 0; i < GST_CL_METRICS_MAX_REGIONS; i++)
    add_roi (buffer, "spot", i, i % 100, i % 50, 1, 1);
  gst_cl_regions_add_rois (&regions, buffer, &info);
  fail_unless_equals_int (regions.regions->len, GST_CL_METRICS_MAX_REGIONS);
  fail_unless_equals_int (regions.labels->len, GST_CL_METRICS_MAX_REGIONS - 1);
  gst_cl_regions_clear (&regions);
}
