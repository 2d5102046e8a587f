/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The number of driver calls per frame is bounded: threads of many streams wait
 * for these calls. Sub-buffers do not overlap. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "elements/common.h"
#include "elements/frames.h"
#include "faults/layer.h"
#include "mocks/realfunction.h"
#include "suite.h"

#define N_WARM   4  /* frames until a stream is in its steady state */
#define N_FRAMES 12 /* frames that are counted */
#define N_START  16 /* frames in which a stream allocates its buffers */
#define MAX_LATE 11 /* buffers for results that are allocated later */

#define METRICS " statistics=moments+range+percentiles+temporal"

/* Statistics that have ops of their own share a read. */
static const struct {
  const gchar *line;
  gint n_reads;
} lines[] = {
  { "clframesum stats-meta=false", 1 },
  { "clframesum", 1 },
  { "clframesum async-depth=2", 1 },
  { "clframesum stats-meta=false" METRICS, 1 },
  { "clframesum stats-meta=false" METRICS
    "+profiles+blockiness+cells+flash+light+levels+waveform+vectorscope",
      2 },
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

/* A frame needs one transfer to the device for each of its memories, and one or
 * two transfers of its results to the host, with one flush. For each memory
 * there is one command with which kernels wait for the transfer; each of these
 * transfers has a flush. No other call detects that a frame is complete: the
 * reader of its results waits for their transfer. */
LOOP_TEST (few_calls_for_a_frame, G_N_ELEMENTS (lines) * N_LAYOUTS)
{
  const gchar *line = lines[__i__ / N_LAYOUTS].line;
  const gint n_reads = lines[__i__ / N_LAYOUTS].n_reads;
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
  fail_unless (n_transfers == (n + n_reads) * N_FRAMES,
      "%s, %s: %d transfers for %d frames of %d memories, expected one for "
      "each memory and %d for the results",
      line, frame_layout_name (layout), n_transfers, N_FRAMES, n, n_reads);
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

/* Returns the queue of the kernels of the element, and sets @context to its
 * context; both borrowed. */
static cl_command_queue
get_queue (GstBus *bus, cl_context *context)
{
  g_autoptr (GstMessage)
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_HAVE_CONTEXT);
  g_autoptr (GstContext) offered = NULL;
  gpointer handle = NULL, queue = NULL;

  fail_unless (message != NULL);
  gst_message_parse_have_context (message, &offered);
  fail_unless (
      gst_structure_get (gst_context_get_structure (offered), "cl-context",
          G_TYPE_POINTER, &handle, "cl-queue", G_TYPE_POINTER, &queue, NULL));
  *context = handle;

  return queue;
}

/* A new threshold of an event does not wait for the frames before: they are
 * behind a gate that only opens afterwards. Each frame has the threshold with
 * which it arrived: the second one alone is black. */
TEST (thresholds_wait_for_nothing)
{
  static const gdouble ratios[] = { 1.0, 0.0, 1.0 };
  GstHarness *h = harness_new (
      "clframesum async-depth=4 events=black black-min-duration=0");
  g_autoptr (GstElement) element = harness_element (h, "clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  cl_command_queue queue;
  cl_context context;
  cl_event gate;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  run_frames (h, &info, LAYOUT_PLAIN, 1);
  queue = get_queue (bus, &context);
  gate = clCreateUserEvent (context, NULL);
  clEnqueueBarrierWithWaitList (queue, 1, &gate, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++) {
    g_object_set (element, "picture-black-ratio", ratios[i], NULL);
    run_frames (h, &info, LAYOUT_PLAIN, 1);
  }
  clSetUserEventStatus (gate, CL_COMPLETE);
  clReleaseEvent (gate);
  gst_harness_push_event (h, gst_event_new_eos ());

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstMessage)
        message = pop_element_message (bus, "clframesum-event");
    const GstStructure *event;
    guint64 number = 0;

    fail_unless (message != NULL);
    event = gst_message_get_structure (message);
    fail_unless_equals_string (gst_structure_get_string (event, "state"),
        i == 0 ? "start" : "end");
    fail_unless (gst_structure_get_uint64 (event, "frame", &number));
    fail_unless_equals_uint64 (number, 2 + i);
  }
  fail_unless (pop_element_message (bus, "clframesum-event") == NULL);
  harness_free (h);
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

/* --- sub-buffers ---------------------------------------------------------- */

typedef struct {
  cl_mem parent, part;
  gsize begin, end; /* bytes */
} Part;

static GMutex lock; /* all below */
static GArray *parts;
static guint n_parts, n_overlaps; /* created so far */

/* lock held */
static gboolean
overlaps (const Part *part)
{
  for (guint i = 0; i < parts->len; i++) {
    const Part *other = &g_array_index (parts, Part, i);

    if (other->parent == part->parent && other->begin < part->end &&
        part->begin < other->end)
      return TRUE;
  }

  return FALSE;
}

cl_mem
clCreateSubBuffer (cl_mem parent, cl_mem_flags flags,
    cl_buffer_create_type type, const void *user_region, cl_int *code)
{
  const cl_buffer_region *region = user_region;
  Part part = { parent,
    REAL (clCreateSubBuffer) (parent, flags, type, region, code),
    region->origin, region->origin + region->size };

  g_mutex_lock (&lock);
  if (!parts)
    parts = g_array_new (FALSE, FALSE, sizeof part);
  n_parts++;
  n_overlaps += overlaps (&part);
  g_array_append_val (parts, part);
  g_mutex_unlock (&lock);

  return part.part;
}

cl_int
clReleaseMemObject (cl_mem mem)
{
  g_mutex_lock (&lock);
  for (guint i = 0; parts && i < parts->len; i++) {
    if (g_array_index (parts, Part, i).part == mem)
      g_array_remove_index_fast (parts, i--);
  }
  g_mutex_unlock (&lock);

  return REAL (clReleaseMemObject) (mem);
}

/* NVIDIA's driver 580 crashes if a sub-buffer is released while another one
 * overlaps a part of it. A picture of 100 samples a row has no cells. */
TEST (results_do_not_overlap)
{
  static const gint widths[] = { 0, 100, 640, 100, 301, 0 };
  GstHarness *h = harness_new ("clframesum statistics=cells+light+waveform");
  g_autoptr (GstElement) element = harness_element (h, "clframesum");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 640, 480, &info);
  n_parts = n_overlaps = 0;
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_object_set (element, "width", widths[i], NULL);
    run_frames (h, &info, LAYOUT_PLAIN, 2);
  }
  harness_free (h);
  fail_unless (n_parts > G_N_ELEMENTS (widths));
  fail_unless_equals_int (n_overlaps, 0);
  fail_unless_equals_int (parts->len, 0);
}

/* Host-unified devices read frames in place. */
SUITE (.can_run = runs_as_discrete);
