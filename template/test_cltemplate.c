/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element cltemplate: results, depths, changes while playing. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define WIDTH  5
#define HEIGHT 3

/* A frame of one byte a sample, every one @code, goes through; returns what
 * becomes of its first sample. */
static guint8
push_frame (GstHarness *h, guint8 code)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_ROUND_UP_4 (WIDTH) * HEIGHT, NULL);
  guint8 result;

  gst_buffer_memset (buffer, 0, code, -1);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_extract (buffer, 0, &result, 1), 1);
  gst_buffer_unref (buffer);

  return result;
}

static GstHarness *
make_harness (gint amount)
{
  GstHarness *h = gst_harness_new ("cltemplate");
  g_autofree gchar *caps = g_strdup_printf (
      "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1", WIDTH,
      HEIGHT);

  g_object_set (h->element, "amount", amount, NULL);
  gst_harness_set_src_caps_str (h, caps);

  return h;
}

GST_START_TEST (test_samples_are_shifted_and_cut)
{
  GstHarness *h = make_harness (20);

  fail_unless_equals_int (push_frame (h, 0), 20);
  fail_unless_equals_int (push_frame (h, 235), 255);
  fail_unless_equals_int (push_frame (h, 250), 255);

  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_a_change_counts_from_the_next_frame_on)
{
  GstHarness *h = make_harness (0);

  fail_unless_equals_int (push_frame (h, 100), 100);
  g_object_set (h->element, "amount", -30, NULL);
  fail_unless_equals_int (push_frame (h, 100), 70);

  gst_harness_teardown (h);
}

GST_END_TEST;

/* Codes of 8 bits count more where samples have more. */
GST_START_TEST (test_the_amount_grows_with_the_depth)
{
  GstHarness *h = gst_harness_new_parse ("cltemplate amount=3");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_ROUND_UP_4 (2 * WIDTH) * HEIGHT, NULL);
  guint16 result;

  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=GRAY16_LE,width=" G_STRINGIFY (
          WIDTH) ",height=" G_STRINGIFY (HEIGHT) ",framerate=25/1");
  gst_buffer_memset (buffer, 0, 1, -1);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_extract (buffer, 0, &result, 2), 2);
  fail_unless_equals_int (GUINT16_FROM_LE (result), 0x0101 + (3 << 8));
  gst_buffer_unref (buffer);

  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
cltemplate_suite (void)
{
  Suite *suite = suite_create ("cltemplate");
  TCase *tests = tcase_create ("frames");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_samples_are_shifted_and_cut);
  tcase_add_test (tests, test_a_change_counts_from_the_next_frame_on);
  tcase_add_test (tests, test_the_amount_grows_with_the_depth);

  return suite;
}

GST_CHECK_MAIN (cltemplate);
