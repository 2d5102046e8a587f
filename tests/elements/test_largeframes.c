/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that exceed the largest buffer of the device. */

#include "common.h"
#include "frames.h"
#include "reference.h"
#include "smalldevice.h"
#include "suite.h"

#define LARGEST      128000
#define WIDTH        321 /* a GRAY8 frame is somewhat larger */
#define HEIGHT       403
#define ALL          0xf /* planes */
/* somewhat less than the sums of 4 bytes of a GRAY8 frame, and than those of 8
 * bytes of a subsampled component and of its squares */
#define LARGEST_SUMS 500000
#define PARTS(...)   ((const gchar *const[]){ __VA_ARGS__, NULL })

/* Ops on whole frames: the error contains both sizes and the height that
 * fits. */
TEST (test_errors)
{
  static const gchar *const cases[][3] = {
    { "clframesum statistics=histogram", "of 307200 bytes", "up to 400 rows" },
    { "clframesum fields=true", "of 307200 bytes", "up to 400 rows" },
    { "cllocalmean", "of 307200 bytes", "up to 400 rows" },
    { "clintegral tilted=true", "of 2457600 bytes", "up to 50 rows" },
    { "clupload", "of 307200 bytes", "up to 400 rows" },
    { "clscope", "of 1228800 bytes", "up to 100 rows" },
  };

  small_device_set_largest_buffer (640 * 400);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstHarness) h = harness_new (cases[i][0]);
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_GRAY8,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 640, 480);
    gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
    gst_harness_push (h, frame_new (&info, 1));
    expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        PARTS (cases[i][1], "allows 256000 bytes", cases[i][2]));
  }
}

/* Pushes a random frame in @layout, whose moments must be right. */
static void
push_and_compare (GstHarness *h, GstVideoFormat format, gint width, gint height,
    FrameLayout layout)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstStructure) stats = NULL;
  GstVideoInfo info;

  harness_set_format (h, format, width, height, &info);
  in = frame_new (&info, (guint) layout + 1);
  gst_buffer_unref (harness_run (h, frame_copy_to_layout (in, &info, layout)));
  expect_no_error (bus);
  g_object_get (h->element, "stats", &stats, NULL);
  expect_statistics (stats, in, &info, ALL);
}

/* Planes that exceed the largest buffer together are imported one by one. */
TEST (test_planes)
{
  g_autoptr (GstHarness) h = NULL;

  small_device_set_largest_buffer (640 * 480);
  h = harness_new ("clframesum");
  push_and_compare (h, GST_VIDEO_FORMAT_I420, 640, 480, LAYOUT_PLAIN);
}

/* Planes that exceed it are measured in strips. */
TEST (test_moments_in_strips)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_BGR };
  g_autoptr (GstHarness) h = NULL;

  small_device_set_largest_buffer (LARGEST);
  h = harness_new ("clframesum");
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    for (guint layout = 0; layout < N_LAYOUTS; layout++)
      push_and_compare (h, formats[i], WIDTH, HEIGHT, layout);
  }
}

TEST (test_formats_in_strips)
{
  GstVideoFormat const *(*const lists[]) (
      guint *) = { test_formats, test_wide_formats };
  g_autoptr (GstHarness) h = NULL;

  small_device_set_largest_buffer (LARGEST);
  h = harness_new ("clframesum");
  for (guint list = 0; list < G_N_ELEMENTS (lists); list++) {
    guint n;
    const GstVideoFormat *formats = lists[list](&n);

    for (guint i = 0; i < n; i++)
      push_and_compare (h, formats[i], WIDTH, HEIGHT, LAYOUT_PLAIN);
  }
}

/* Returns the moments of a random frame as text. Rows of 329 columns have a
 * place for each sample. g_free() */
static gchar *
measure_packed (GstVideoFormat format, gsize largest)
{
  static const gchar *const fields[] = { "count", "sum", "sum-squares", "min",
    "max" };
  g_autoptr (GstHarness) h = NULL;
  g_autoptr (GstStructure) stats = NULL;
  GString *text = g_string_new (NULL);
  GstVideoInfo info;

  small_device_set_largest_buffer (largest);
  h = harness_new ("clframesum");
  harness_set_format (h, format, 329, HEIGHT, &info);
  gst_buffer_unref (harness_run (h, frame_new (&info, 5)));
  g_object_get (h->element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (stats, fields[i]);
    g_autofree gchar *numbers = gst_value_serialize (value);

    g_string_append_printf (text, "%s %s ", fields[i], numbers);
  }

  return g_string_free (text, FALSE);
}

/* Each strip of a packed frame is unpacked. */
TEST (test_packed_formats_in_strips)
{
  guint n;
  const GstVideoFormat *formats = test_packed_formats (&n);

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *whole = measure_packed (formats[i], 0);
    g_autofree gchar *strips = measure_packed (formats[i], LARGEST);

    fail_unless_equals_string (strips, whole);
  }
}

/* Integral images that exceed it are summed in strips, if downstream reads
 * system memory. */
TEST (test_integral_images_in_strips)
{
  static const struct {
    const gchar *description;
    gint component;
  } cases[] = {
    { "clintegral", -1 },
    { "clintegral layout=exclusive squares=true", -1 },
    { "clintegral sum-format=f32 squares=true", -1 },
    { "clintegral sum-format=u64 layout=exclusive", -1 },
    { "clintegral sum-format=u64 squares=true component=1", 1 },
  };
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_BGR };

  small_device_set_largest_buffer (LARGEST_SUMS);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      g_autoptr (GstHarness) h = harness_new (cases[i].description);
      g_autoptr (GstBus) bus = harness_bus (h);
      g_autoptr (GstBuffer) in = NULL;
      GstVideoInfo info;

      harness_set_format (h, formats[f], WIDTH, HEIGHT, &info);
      in = frame_new (&info, i + f);
      for (guint layout = 0; layout < N_LAYOUTS; layout++) {
        g_autoptr (GstBuffer)
            out = harness_run (h, frame_copy_to_layout (in, &info, layout));
        g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);

        expect_no_error (bus);
        expect_integral (out, caps, in, &info, cases[i].component);
      }
    }
  }
}
