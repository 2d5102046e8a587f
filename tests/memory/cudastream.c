/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in CUDA memory through elements. */

#include "memory/cudastream.h"

#include "elements/common.h"
#include "mocks/gstcuda.h"

void
cuda_set_caps (GstHarness *h, const gchar *feature, GstVideoInfo *info,
    GstVideoFormat format, gint width, gint height)
{
  GstCaps *caps;

  gst_video_info_set_format (info, format, (guint) width, (guint) height);
  info->fps_n = 25;
  info->fps_d = 1;
  caps = gst_video_info_to_caps (info);
  if (feature)
    gst_caps_set_features_simple (caps, gst_caps_features_new (feature, NULL));
  gst_harness_set_src_caps (h, caps);
}

GstHarness *
cuda_harness_new (const gchar *description, const gchar *feature,
    GstVideoInfo *info, GstVideoFormat format, gint width, gint height)
{
  GstHarness *h = harness_new_with_video_meta (description);

  cuda_set_caps (h, feature, info, format, width, height);

  return h;
}

gchar *
cuda_measure (GstHarness *h, GstBuffer *frame, GstObject *context)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  GstBuffer *in = context ? cuda_buffer_new (context, frame)
                          : gst_buffer_copy_deep (frame);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  GstBuffer *out = harness_run (h, in);

  /* frames pass unchanged */
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  gst_buffer_unref (out);
  harness_drain (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL);
  expect_no_error (bus);

  return gst_structure_to_string (gst_message_get_structure (message));
}

GstHarness *
cuda_expect_same_statistics (GstObject *context, GstVideoFormat format,
    gint width, gint height, FrameLayout layout)
{
  GstVideoInfo info;
  /* results contain the name of their element */
  const gchar *description = "clframesum name=same";
  GstHarness *h = cuda_harness_new (description, CUDA_FEATURE, &info, format,
      width, height);
  GstHarness *host = cuda_harness_new (description, NULL, &info, format, width,
      height);

  for (guint i = 0; i < CUDA_N_FRAMES; i++) {
    g_autoptr (GstBuffer) plain = frame_new (&info, i);
    g_autoptr (GstBuffer) frame = frame_copy_to_layout (plain, &info, layout);
    g_autofree gchar *expected = NULL;
    g_autofree gchar *found = NULL;

    GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
    expected = cuda_measure (host, frame, NULL);
    found = cuda_measure (h, frame, context);
    fail_unless_equals_string (found, expected);
  }
  harness_free (host);

  return h;
}

gboolean
cuda_is_offered (GstHarness *h)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "sink");
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  gboolean offers = FALSE;

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    offers |= gst_caps_features_contains (gst_caps_get_features (caps, i),
        CUDA_FEATURE);

  return offers;
}
