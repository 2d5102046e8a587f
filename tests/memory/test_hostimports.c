/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways of host memory to the device that do not bring a frame's bytes are left
 * out. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/importcontext.h"
#include "standins/external.h"

static void
teardown (void)
{
  external_set_fault (EXTERNAL_WORKS);
}

/* Pushes a frame of @value, which comes to @flow. */
static void
push_gray (GstHarness *h, const GstVideoInfo *info, guint8 value,
    GstFlowReturn flow)
{
  if (flow == GST_FLOW_OK)
    gst_buffer_unref (harness_run (h, frame_new_filled (info, value)));
  else
    harness_run_into (h, frame_new_filled (info, value), flow);
}

static gdouble
pop_mean (GstHarness *h)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  const GValue *means;

  harness_settle (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL);
  means = gst_structure_get_value (gst_message_get_structure (message), "mean");

  return g_value_get_double (gst_value_array_get_value (means, 0));
}

/* Frames are copied then. */
GST_START_TEST (memory_in_place_is_left_out_where_it_is_another)
{
  const gchar *unified = g_getenv ("GST_OPENCL_HOST_UNIFIED");
  GstVideoInfo info;
  GstHarness *h;

  /* on other devices nothing is read in place */
  if ((unified && unified[0] == '0') || !import_context_is_on_cpu ())
    return;

  external_set_fault (HOST_MEMORY_IS_COPIED);
  h = harness_new ("clframesum");
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  push_gray (h, &info, 77, GST_FLOW_OK);
  fail_unless_equals_float (pop_mean (h), 77);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-to-device"),
      640 * 480);
  harness_free (h);
}

GST_END_TEST;

/* There is no other way: an error, and no wrong number. */
GST_START_TEST (host_memory_that_does_not_arrive_is_an_error)
{
  static const gchar *const parts[] = { "pinned host memory", NULL };
  g_autofree gchar *unified = g_strdup (g_getenv ("GST_OPENCL_HOST_UNIFIED"));
  g_autoptr (GstBus) bus = NULL;
  GstVideoInfo info;
  GstHarness *h;

  g_setenv ("GST_OPENCL_HOST_UNIFIED", "0", TRUE);
  external_set_fault (HOST_MEMORY_ARRIVES_NOT);
  h = harness_new ("clframesum");
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  bus = harness_bus (h);
  push_gray (h, &info, 77, GST_FLOW_ERROR);
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, parts);
  harness_free (h);
  if (unified)
    g_setenv ("GST_OPENCL_HOST_UNIFIED", unified, TRUE);
  else
    g_unsetenv ("GST_OPENCL_HOST_UNIFIED");
}

GST_END_TEST;

static Suite *
hostimports_suite (void)
{
  Suite *suite = suite_create ("hostimports");
  TCase *tcase = tcase_create ("ways");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, teardown);
  tcase_add_test (tcase, memory_in_place_is_left_out_where_it_is_another);
  tcase_add_test (tcase, host_memory_that_does_not_arrive_is_an_error);

  return suite;
}

ELEMENT_CHECK_MAIN (hostimports);
