/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties under control of a GstControlSource: each frame is processed with
 * the values at its own time. */

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "common.h"
#include "frames.h"
#include "suite.h"

#define WIDTH    32
#define HEIGHT   8
#define N_FRAMES 6

/* Adds a control source: @property of @element is @from at 0 s and grows by
 * @slope a second. */
static void
control (GstElement *element, const gchar *property, gdouble from,
    gdouble slope)
{
  g_autoptr (GstControlSource) source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_timed_value_control_source_set (values, 0, from));
  fail_unless (gst_timed_value_control_source_set (values,
      N_FRAMES * GST_SECOND, from + N_FRAMES * slope));
  fail_unless (gst_object_add_control_binding (GST_OBJECT (element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (element), property,
          source)));
}

/* A frame of a stream with one a second; column x has the code 3 * x + 7. */
static GstBuffer *
new_ramp (const GstVideoInfo *info, guint t)
{
  GstBuffer *frame = frame_new_filled (info, 0);
  GstMapInfo map;

  GST_BUFFER_PTS (frame) = t * GST_SECOND;
  GST_BUFFER_DURATION (frame) = GST_SECOND;
  fail_unless (gst_buffer_map (frame, &map, GST_MAP_WRITE));
  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++)
      map.data[y * GST_VIDEO_INFO_PLANE_STRIDE (info, 0) + x] = 3 * x + 7;
  }
  gst_buffer_unmap (frame, &map);

  return frame;
}

/* Windows of one sample: normalize turns every sample into the target. */
TEST (test_a_number)
{
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean operation=normalize kernel-width=1 kernel-height=1");
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  GstVideoInfo info;

  control (element, "target", 40, 12);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  for (guint t = 0; t < N_FRAMES; t++) {
    g_autoptr (GstBuffer) out = harness_run (h, new_ramp (&info, t));
    g_autofree guint8 *samples = frame_component (out, &info, 0, NULL, NULL);

    for (guint i = 0; i < WIDTH * HEIGHT; i++)
      fail_unless_equals_int (samples[i], 40 + 12 * t);
  }
}

/* The window grows from 1 to 11 columns. */
TEST (test_a_window)
{
  g_autoptr (GstHarness) h = harness_new ("cllocalmean kernel-height=1");
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  GstVideoInfo info;

  control (element, "kernel-width", 1, 2);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  for (guint t = 0; t < N_FRAMES; t++) {
    g_autoptr (GstBuffer) out = harness_run (h, new_ramp (&info, t));
    g_autofree guint8 *samples = frame_component (out, &info, 0, NULL, NULL);

    /* at the left edge, the right half of the window only */
    fail_unless_equals_int (samples[0], 7 + (3 * t + 1) / 2);
    fail_unless_equals_int (samples[WIDTH / 2], 3 * WIDTH / 2 + 7);
  }
}

/* The rectangle of one column moves to the right. */
TEST (test_a_rectangle)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum width=1");
  g_autoptr (GstElement) element = harness_element (h, "clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  control (element, "position-x", 3, 4);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  for (guint t = 0; t < N_FRAMES; t++)
    gst_buffer_unref (harness_run (h, new_ramp (&info, t)));
  harness_drain (h);
  for (guint t = 0; t < N_FRAMES; t++) {
    g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");
    const GValue *min;

    fail_unless (message != NULL);
    min = gst_structure_get_value (gst_message_get_structure (message), "min");
    fail_unless_equals_int (
        g_value_get_uint (gst_value_array_get_value (min, 0)),
        3 * (3 + 4 * t) + 7);
  }
}

SUITE (.start = harness_share_context);
