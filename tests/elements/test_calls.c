/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often a frame calls the driver, where threads of many streams take turns.
 */

#include "elements/common.h"
#include "elements/drivercalls.h"
#include "elements/frames.h"

#define N_WARM   4  /* frames until a stream is as it stays */
#define N_FRAMES 12 /* that are counted */
#define N_START  16 /* frames in which a stream makes its buffers */
#define MAX_LATE 11 /* buffers for results that come after that */

#define METRICS " statistics=moments+range+percentiles+temporal"

static const gchar *const lines[] = {
  "clframesum stats-meta=false",
  "clframesum",
  "clframesum async-depth=2",
  ("clframesum stats-meta=false" METRICS),
};

/* Each of their results that is on its way has a buffer. */
static const gchar *const metrics_lines[] = {
  "clframesum" METRICS,
  "clframesum async-depth=2" METRICS,
  "clframesum stats-meta=false" METRICS,
};

static void
run_frames (GstHarness *h, const GstVideoInfo *info, guint n_frames)
{
  for (guint i = 0; i < n_frames; i++) {
    fail_unless_equals_int (gst_harness_push (h, frame_new (info, i)),
        GST_FLOW_OK);
    gst_clear_buffer (&(GstBuffer *){ gst_harness_try_pull (h) });
  }
}

/* One transfer each way, one command that keeps the kernels behind the first,
 * and a flush of either queue. What says when the frame is done is the read of
 * its result. Whoever reads that waits; nobody else needs to. */
GST_START_TEST (few_calls_for_a_frame)
{
  GstHarness *h = harness_new (lines[__i__]);
  DriverCalls before, after;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 640, 360, &info);
  run_frames (h, &info, N_WARM);
  before = driver_calls_get ();
  run_frames (h, &info, N_FRAMES);
  after = driver_calls_get ();
  harness_free (h);

  fail_unless_equals_int (after.transfers - before.transfers, 2 * N_FRAMES);
  fail_if (after.launches - before.launches < N_FRAMES);
  fail_if (after.synchronized - before.synchronized > N_FRAMES);
  fail_if (after.flushes - before.flushes > 2 * N_FRAMES);
}

GST_END_TEST;

/* Pinned memory is made for the results that may be on their way, and those of
 * a stream without depth are few, however slow the thread that takes them. */
GST_START_TEST (few_buffers_for_results)
{
  GstHarness *h = harness_new (metrics_lines[__i__]);
  GstVideoInfo info;
  gint n_buffers;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  run_frames (h, &info, N_START);
  n_buffers = driver_calls_get ().buffers;
  run_frames (h, &info, 4 * N_START);
  fail_if (driver_calls_get ().buffers - n_buffers > MAX_LATE);
  harness_free (h);
}

GST_END_TEST;

static Suite *
calls_suite (void)
{
  Suite *suite = suite_create ("calls");
  TCase *tcase = tcase_create ("frames");

  suite_add_tcase (suite, tcase);
  /* of a device that shares the host's memory frames are read where they lie */
  if (g_strcmp0 (g_getenv ("GST_OPENCL_HOST_UNIFIED"), "0") == 0) {
    tcase_add_loop_test (tcase, few_calls_for_a_frame, 0, G_N_ELEMENTS (lines));
    tcase_add_loop_test (tcase, few_buffers_for_results, 0,
        G_N_ELEMENTS (metrics_lines));
  }

  return suite;
}

ELEMENT_CHECK_MAIN (calls);
