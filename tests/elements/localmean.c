/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames through cllocalmean. */

#include "localmean.h"

#include "frames.h"
#include "reference.h"

void
local_mean_set (GstHarness *h, const gchar *text)
{
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  g_auto (GStrv) settings = g_strsplit (text, " ", -1);

  for (guint i = 0; settings[i]; i++) {
    g_auto (GStrv) pair = g_strsplit (settings[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
  }
}

void
local_mean_push (GstHarness *h, const GstVideoInfo *info, guint seed)
{
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  g_autoptr (GstBuffer) in = frame_new (info, seed);
  g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));
  GstVideoInfo out_info;

  harness_out_info (h, &out_info);
  expect_means (element, out, &out_info, in, info);
}

void
local_mean_run (GstHarness *h, GstVideoFormat format, gint width, gint height)
{
  GstVideoInfo info;

  harness_set_format (h, format, width, height, &info);
  local_mean_push (h, &info, width * 1000 + height);
}

void
local_mean_run_integral (GstHarness *h, GstVideoFormat format,
    GstVideoFormat out_format, guint n_components)
{
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info, out_info;

  harness_set_format (h, format, 33, 17, &info);
  in = frame_new (&info, format);
  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&out_info), out_format);
  fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&out_info), 25);
  for (guint c = 0; c < n_components; c++)
    expect_component_means (element, out, &out_info, c, in, &info, c);
}
