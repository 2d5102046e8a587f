/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum analytics-meta=true: events as classes. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

static GstStructure *
pop_structure (GstHarness *h, const gchar *name)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = pop_element_message (bus, name);

  return message ? gst_structure_copy (gst_message_get_structure (message))
                 : NULL;
}

/* --- classes ------------------------------------------------------------- */

/* Removes classes that the frame before showed from @classes, then adds and
 * removes those of the messages on the bus. */
static void
follow_messages (GstHarness *h, GHashTable *classes)
{
  GstStructure *event;

  g_hash_table_remove (classes, "gst-opencl/events/scene");
  while ((event = pop_structure (h, "clframesum-event"))) {
    const gchar *name = gst_structure_get_string (event, "event");
    gchar *class = g_strconcat ("gst-opencl/events/", name, NULL);
    guint zone;

    if (gst_structure_get_uint (event, "zone", &zone)) {
      g_free (class);
      class = g_strdup_printf ("gst-opencl/events/%s/zone/%u", name, zone);
    }
    if (g_str_equal (gst_structure_get_string (event, "state"), "start"))
      g_hash_table_add (classes, g_strdup (class));
    else
      fail_unless (g_hash_table_remove (classes, class));
    g_free (class);
    gst_structure_free (event);
  }
}

static void
expect_classes (GstBuffer *buffer, GHashTable *classes)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  const guint n = g_hash_table_size (classes);
  gpointer state = NULL;
  GstAnalyticsMtd mtd;

  fail_unless_equals_int (meta != NULL, n > 0);
  if (!meta)
    return;

  fail_unless_equals_int (gst_analytics_relation_get_length (meta), 1);
  fail_unless (gst_analytics_relation_meta_iterate (meta, &state,
      gst_analytics_cls_mtd_get_mtd_type (), &mtd));
  fail_unless_equals_int (gst_analytics_cls_mtd_get_length (&mtd), n);
  for (guint i = 0; i < n; i++) {
    fail_unless (g_hash_table_contains (classes,
        g_quark_to_string (gst_analytics_cls_mtd_get_quark (&mtd, i))));
    fail_unless_equals_float (gst_analytics_cls_mtd_get_level (&mtd, i), 1);
  }
}

/* Scenes of 10 frames; at the end, nothing is open. */
LOOP_TEST (test_classes, 2)
{
  static const guint8 scenes[] = { 100, 10, 100, 250, 100 };
  g_autofree gchar *description = g_strconcat (
      "clframesum analytics-meta=true black-min-duration=200000000 "
      "freeze-duration=200000000 events=black+freeze+scene ",
      __i__ ? "zone-events=true grid-columns=2 grid-rows=2" : "", NULL);
  g_autoptr (GHashTable)
      classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GstHarness) h = harness_new (description);
  guint n_classes = 0;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 48, 20, &info);
  for (guint i = 0; i < 50; i++) {
    /* grey moves */
    GstBuffer *frame = frame_new_filled (&info,
        scenes[i / 10] + (i / 10 % 2 ? 0 : i % 2 * 2));
    g_autoptr (GstBuffer) out = NULL;

    GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
    out = harness_run (h, frame);
    follow_messages (h, classes);
    expect_classes (out, classes);
    n_classes += g_hash_table_size (classes);
  }
  fail_unless_equals_int (g_hash_table_size (classes), 0);
  /* 4 cuts; black and two freezes, which are reported after 5 of 10 frames, of
   * the frame and of each zone */
  fail_unless_equals_int (n_classes, 4 + (__i__ ? 5 : 1) * 3 * 5);
}
#else
TEST (test_missing_library)
{
  static const gchar *const parts[] = { "analytics-meta", "1.24", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum analytics-meta=true");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 8, 8, &info);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, parts);
}
#endif

SUITE (.start = harness_share_context);
