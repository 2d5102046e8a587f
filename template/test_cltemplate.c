/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element cltemplate: results, depths, changes while playing. */

#include "suite.h"

#include <gst/check/gstharness.h>

#define WIDTH  5
#define HEIGHT 3

#ifndef WITHOUT_PROPERTIES
#define ELEMENT "cltemplate amount=20"
#else
#define ELEMENT "cltemplate"
#endif

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
make_harness (void)
{
  GstHarness *h = gst_harness_new_parse (ELEMENT);
  g_autofree gchar *caps = g_strdup_printf (
      "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1", WIDTH,
      HEIGHT);

  gst_harness_set_src_caps_str (h, caps);

  return h;
}

TEST (test_samples_are_shifted_and_clamped)
{
  GstHarness *h = make_harness ();

  fail_unless_equals_int (push_frame (h, 0), 20);
  fail_unless_equals_int (push_frame (h, 235), 255);
  fail_unless_equals_int (push_frame (h, 250), 255);

  gst_harness_teardown (h);
}

#ifndef WITHOUT_PROPERTIES
static void
count_choices (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer n_choices)
{
  if (g_str_equal (gst_debug_category_get_name (category), "clop"))
    (*(guint *) n_choices)++;
}

/* The ops stay: the amount is an argument of their kernel. */
TEST (test_change_applies_from_next_frame)
{
  GstHarness *h = make_harness ();
  guint n_choices = 0, n_before;

  gst_debug_set_threshold_for_name ("clop", GST_LEVEL_DEBUG);
  gst_debug_add_log_function (count_choices, &n_choices, NULL);
  fail_unless_equals_int (push_frame (h, 100), 120);
  n_before = n_choices;
  fail_unless (n_before > 0);
  gst_harness_set (h, "cltemplate", "amount", -30, NULL);
  fail_unless_equals_int (push_frame (h, 100), 70);
  fail_unless_equals_int (n_choices, n_before);
  gst_debug_remove_log_function (count_choices);
  gst_debug_unset_threshold_for_name ("clop");

  gst_harness_teardown (h);
}

#endif

/* Codes of 8 bits count more where samples have more. */
TEST (test_the_amount_grows_with_the_depth)
{
  GstHarness *h = gst_harness_new_parse (ELEMENT);
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
  fail_unless_equals_int (GUINT16_FROM_LE (result), 0x0101 + (20 << 8));
  gst_buffer_unref (buffer);

  gst_harness_teardown (h);
}
