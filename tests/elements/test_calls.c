/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The number of driver calls per frame is bounded: threads of many streams wait
 * for these calls. */

#include "elements/common.h"
#include "elements/frames.h"
#include "faults/layer.h"
#include "suite.h"

#define N_WARM   4  /* frames until a stream is in its steady state */
#define N_FRAMES 12 /* frames that are counted */
#define N_START  16 /* frames in which a stream allocates its buffers */
#define MAX_LATE 11 /* buffers for results that are allocated later */

#define METRICS " statistics=moments+range+percentiles+temporal"

static const gchar *const lines[] = {
  "clframesum stats-meta=false",
  "clframesum",
  "clframesum async-depth=2",
  ("clframesum stats-meta=false" METRICS),
};

/* Each frame in flight has a buffer for its results. */
static const gchar *const metrics_lines[] = {
  "clframesum" METRICS,
  "clframesum async-depth=2" METRICS,
  "clframesum stats-meta=false" METRICS,
};

static void
run_frames (GstHarness *h, const GstVideoInfo *info, FrameLayout layout,
    guint n_frames)
{
  for (guint i = 0; i < n_frames; i++) {
    g_autoptr (GstBuffer) frame = frame_new (info, i);
    GstBuffer *pushed = frame_copy_to_layout (frame, info, layout);

    fail_unless_equals_int (gst_harness_push (h, pushed), GST_FLOW_OK);
    gst_clear_buffer (&(GstBuffer *){ gst_harness_try_pull (h) });
  }
}

/* Returns the number of memories of an I420 frame; each has a transfer. */
static guint
n_memories (FrameLayout layout)
{
  switch (layout) {
    case LAYOUT_PLANES:
    case LAYOUT_CUT:
      return 3;
    case LAYOUT_SPLIT:
      return 2;
    default:
      return 1;
  }
}

/* A frame needs one transfer to the device for each of its memories, and one
 * transfer of its results to the host. For each memory there is one command
 * with which kernels wait for the transfer; each transfer has a flush. No other
 * call detects that a frame is complete: the reader of its results waits for
 * their transfer. */
LOOP_TEST (few_calls_for_a_frame, G_N_ELEMENTS (lines) * N_LAYOUTS)
{
  const gchar *line = lines[__i__ / N_LAYOUTS];
  const FrameLayout layout = __i__ % N_LAYOUTS;
  const gint n = n_memories (layout);
  GstHarness *h = harness_new (line);
  guint calls[N_ENTRY_POINTS] = { 0 };
  gint n_transfers, n_synchronized, n_flushes;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 640, 360, &info);
  run_frames (h, &info, layout, N_WARM);
  layer_take_counts (calls);
  memset (calls, 0, sizeof calls);
  run_frames (h, &info, layout, N_FRAMES);
  layer_take_counts (calls);
  harness_free (h);

  n_transfers = calls[ENTRY_clEnqueueReadBuffer] +
                calls[ENTRY_clEnqueueWriteBuffer];
  n_synchronized = calls[ENTRY_clEnqueueMarkerWithWaitList] +
                   calls[ENTRY_clEnqueueBarrierWithWaitList];
  n_flushes = calls[ENTRY_clFlush];
  fail_unless (n_transfers == (n + 1) * N_FRAMES,
      "%s, %s: %d transfers for %d frames of %d memories, expected one for "
      "each memory and one for the results",
      line, frame_layout_name (layout), n_transfers, N_FRAMES, n);
  fail_if (calls[ENTRY_clEnqueueNDRangeKernel] < N_FRAMES);
  fail_unless (n_synchronized <= n * N_FRAMES,
      "%s, %s: %d markers and barriers for %d frames of %d memories, "
      "expected at most one for each memory",
      line, frame_layout_name (layout), n_synchronized, N_FRAMES, n);
  fail_unless (n_flushes <= (n + 1) * N_FRAMES,
      "%s, %s: %d flushes for %d frames of %d memories, expected at most "
      "one for each memory and one for the results",
      line, frame_layout_name (layout), n_flushes, N_FRAMES, n);
}

/* Pinned memory is allocated for the results in flight; a stream with depth 0
 * has few of them, however slow the consuming thread is. */
LOOP_TEST (few_buffers_for_results, G_N_ELEMENTS (metrics_lines))
{
  GstHarness *h = harness_new (metrics_lines[__i__]);
  GstVideoInfo info;
  guint n_buffers;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  run_frames (h, &info, LAYOUT_PLAIN, N_START);
  n_buffers = layer_count (ENTRY_clCreateBuffer);
  run_frames (h, &info, LAYOUT_PLAIN, 4 * N_START);
  fail_if (layer_count (ENTRY_clCreateBuffer) - n_buffers > MAX_LATE);
  harness_free (h);
}

/* Host-unified devices read frames in place. */
SUITE (.can_run = runs_as_discrete);
