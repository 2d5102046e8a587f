/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Import paths: which path a frame uses, whether the path transfers the frame's
 * bytes, and that a path that fails is disabled. CUDA's driver, GStreamer's
 * CUDA library and the import of CUDA memory are mocks. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/cudafixture.h"
#include "memory/cudastream.h"
#include "memory/importcontext.h"
#include "mocks/cuda.h"
#include "mocks/external.h"
#include "mocks/gstcuda.h"
#include "suite.h"

#include <CL/cl.h>

#define N_FRAMES CUDA_N_FRAMES

/* --- results of clframesum ------------------------------------------------ */

static const struct {
  GstVideoFormat format;
  gint width, height;
  FrameLayout layout;
} cases[] = {
  { GST_VIDEO_FORMAT_NV12, 320, 240, LAYOUT_PLAIN },
  { GST_VIDEO_FORMAT_NV12, 319, 241, LAYOUT_PADDED },
  { GST_VIDEO_FORMAT_I420, 317, 3, LAYOUT_CROPPED },
  { GST_VIDEO_FORMAT_P010_10LE, 33, 17, LAYOUT_PADDED },
  { GST_VIDEO_FORMAT_BGRx, 64, 48, LAYOUT_PLAIN },
  { GST_VIDEO_FORMAT_GRAY8, 1, 1, LAYOUT_PLAIN },
};

LOOP_TEST (cuda_frames_are_not_mapped_by_host, G_N_ELEMENTS (cases))
{
  const gint n_maps = cuda_n_host_maps (), n_acquired = external_n_acquired ();
  GstHarness *h = cuda_expect_same_statistics (cuda, cases[__i__].format,
      cases[__i__].width, cases[__i__].height, cases[__i__].layout);

  fail_unless_equals_int (cuda_n_host_maps (), n_maps);
  fail_unless (external_n_acquired () >= n_acquired + N_FRAMES);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-to-device"), 0);
  fail_unless (import_context_bytes (h, "bytes-within-device") >=
               (guint64) N_FRAMES * cases[__i__].width * cases[__i__].height);
  harness_free (h);
}

#define CHECK_COPIES 2

/* Decoders of GStreamer 1.24 do not wait for their writes. The copy of a frame
 * is ordered after them, and the host waits once. */
TEST (host_waits_once_per_frame)
{
  const gint n_waits = cuda_n_waits ();

  cuda_context_use_stream (cuda);
  harness_free (cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_GRAY8, 320,
      240, LAYOUT_PADDED));
  fail_unless_equals_int (cuda_n_waits () - n_waits, N_FRAMES + CHECK_COPIES);
}

/* Frames may come from several decoders in turn, and change size. */
TEST (contexts_and_sizes_change)
{
  GstObject *later = cuda_context_new (0);
  const gint n_maps = cuda_n_host_maps ();
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum", CUDA_FEATURE, &info,
      GST_VIDEO_FORMAT_GRAY8, 300, 200);

  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) frame = frame_new (&info, i);

    /* frames of both contexts are in flight at the same time */
    g_free (cuda_measure (h, frame, i % 5 < 2 ? cuda : later));
    if (i == N_FRAMES / 2)
      cuda_set_caps (h, CUDA_FEATURE, &info, GST_VIDEO_FORMAT_GRAY8, 400, 300);
  }
  fail_unless_equals_int (cuda_n_host_maps (), n_maps);
  harness_free (h);
  ASSERT_OBJECT_REFCOUNT (later, "later context", 1);
  gst_object_unref (later);
}

/* Threads that share a queue make NVIDIA's driver spin. Kernels that only read
 * CUDA memory wait for none on the queues of the context. A host-unified device
 * has one queue. */
TEST (kernels_do_not_share_a_queue)
{
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum statistics=moments+range",
      CUDA_FEATURE, &info, GST_VIDEO_FORMAT_GRAY8, 320, 240);
  g_autoptr (GstContext) shared = NULL;
  g_autoptr (GstBuffer) frame = frame_new (&info, 0);
  const GstStructure *structure;
  gpointer context = NULL, queue = NULL;
  cl_event gate;

  if (!runs_as_discrete ()) {
    harness_free (h);
    return;
  }

  g_free (cuda_measure (h, frame, cuda));
  shared = gst_element_get_context (h->element, "gst.cl.context");
  structure = gst_context_get_structure (shared);
  fail_unless (gst_structure_get (structure, "cl-context", G_TYPE_POINTER,
      &context, "cl-queue", G_TYPE_POINTER, &queue, NULL));
  gate = clCreateUserEvent (context, NULL);
  clEnqueueBarrierWithWaitList (queue, 1, &gate, NULL);

  g_free (cuda_measure (h, frame, cuda));

  clSetUserEventStatus (gate, CL_COMPLETE);
  clReleaseEvent (gate);
  harness_free (h);
}

/* Frames in the host's and in CUDA memory alternate: each is compared with the
 * one before, which was on another queue. */
TEST (queues_of_a_stream_alternate)
{
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum name=same statistics=temporal",
      CUDA_FEATURE, &info, GST_VIDEO_FORMAT_GRAY8, 320, 240);
  GstHarness *host = cuda_harness_new (
      "clframesum name=same statistics=temporal", NULL, &info,
      GST_VIDEO_FORMAT_GRAY8, 320, 240);

  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) frame = frame_new (&info, i);
    g_autofree gchar *expected = cuda_measure (host, frame, NULL);
    g_autofree gchar *found = NULL;

    found = cuda_measure (h, frame, i % 3 ? cuda : NULL);
    fail_unless_equals_string (found, expected);
  }
  harness_free (host);
  harness_free (h);
}

/* In a context of several devices, memory is imported for the context's own
 * device. */
TEST (context_with_two_devices)
{
  const gint n_maps = cuda_n_host_maps ();

  external_set_fault (EXTERNAL_HAS_TWO_DEVICES);
  harness_free (cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_NV12, 322,
      240, LAYOUT_PLAIN));
  fail_unless_equals_int (cuda_n_host_maps (), n_maps);
}

#define N_STREAMS 4

static gpointer
play_stream (gpointer data)
{
  harness_free (cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_NV12, 322,
      240, LAYOUT_PADDED));

  return NULL;
}

TEST (streams_share_a_gpu)
{
  const gint n_maps = cuda_n_host_maps ();
  GThread *streams[N_STREAMS];

  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = g_thread_new ("stream", play_stream, NULL);
  for (guint i = 0; i < N_STREAMS; i++)
    g_thread_join (streams[i]);
  fail_unless_equals_int (cuda_n_host_maps (), n_maps);
}

#define SCHED_AUTO          0
#define SCHED_SPIN          1
#define SCHED_BLOCKING_SYNC 4

/* Threads sleep while they wait, unless the application has requested
 * spinning. */
TEST (decoders_sleep_while_they_wait)
{
  static const guint flags[][2] = { { SCHED_AUTO, SCHED_BLOCKING_SYNC },
    { SCHED_SPIN, SCHED_SPIN } };

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    cuda_context_set_flags (cuda, flags[i][0]);
    harness_free (cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_GRAY8, 64,
        48, LAYOUT_PLAIN));
    /* older drivers have no such function */
    fail_unless_equals_int (cuda_context_flags (cuda),
        flags[i][cuda_is_older () ? 0 : 1]);
  }
}

/* --- other elements ------------------------------------------------------ */

/* Frames are mapped for the host by cldownload only, as it must read them. */
static const struct {
  const gchar *description;
  gboolean maps;
} lines[] = {
  { "cllocalmean kernel-width=5", FALSE },
  { "clintegral ! cllocalmean", FALSE },
  { "clscope mode=side", FALSE },
  { "clupload ! cldownload", FALSE },
  { "cldownload", TRUE },
  { "clupload ! cllocalmean", FALSE },
};

/* The output for frames in CUDA memory equals that for others. */
LOOP_TEST (all_elements_accept_cuda_memory, G_N_ELEMENTS (lines))
{
  const gchar *description = lines[__i__].description;
  const gint n_maps = cuda_n_host_maps ();
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new (description, CUDA_FEATURE, &info,
      GST_VIDEO_FORMAT_NV12, 130, 70);
  GstHarness *host = cuda_harness_new (description, NULL, &info,
      GST_VIDEO_FORMAT_NV12, 130, 70);

  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) plain = frame_new (&info, i);
    g_autoptr (GstBuffer)
        frame = frame_copy_to_layout (plain, &info, LAYOUT_PADDED);
    g_autoptr (GstBuffer) expected = NULL;
    g_autoptr (GstBuffer) found = NULL;
    GstVideoInfo out_info;

    expected = harness_run (host, gst_buffer_copy_deep (frame));
    found = harness_run (h, cuda_buffer_new (cuda, frame));
    harness_out_info (h, &out_info);
    frame_expect_components (found, expected, &out_info, description);
  }
  if (runs_as_discrete () && !lines[__i__].maps)
    fail_unless_equals_int (cuda_n_host_maps (), n_maps);
  harness_free (host);
  harness_free (h);
}

#define DIFFER                                                                 \
  "clkernelmix source=\"__kernel void k (GST_CL_IN (a), GST_CL_IN (b), "       \
  "GST_CL_OUT (out)) { int x = get_global_id (0), y = get_global_id (1); "     \
  "for (int c = 0; c < gst_cl_components (out); c++) gst_cl_store (out, c, "   \
  "x, y, abs (gst_cl_load (a, c, x, y) - gst_cl_load (b, c, x, y))); }\""

/* Pushes the frames, in CUDA memory if @in_cuda, to clkernelmix; returns its
 * output. transfer full */
static GstBuffer *
run_mix (GstBuffer *const *frames, const gboolean *in_cuda,
    const GstVideoInfo *info)
{
  GstHarness *h = harness_new_of_pad (DIFFER, "sink_0");
  GstHarness *inputs[] = { h, harness_new_input (h, "sink_1") };
  GstBuffer *out;

  for (guint i = 0; i < 2; i++) {
    GstCaps *caps = gst_video_info_to_caps (info);
    GstBuffer *frame = in_cuda[i] ? cuda_buffer_new (cuda, frames[i])
                                  : gst_buffer_copy_deep (frames[i]);

    if (in_cuda[i])
      gst_caps_set_features_simple (caps,
          gst_caps_features_new (CUDA_FEATURE, NULL));
    gst_harness_set_src_caps (inputs[i], caps);
    GST_BUFFER_PTS (frame) = 0;
    GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (inputs[i], frame), GST_FLOW_OK);
  }
  out = gst_harness_pull (h);
  fail_unless (out != NULL);
  gst_harness_teardown (inputs[1]);
  harness_free (h);

  return out;
}

/* Each input has its own memory. */
TEST (several_inputs_accept_cuda_memory)
{
  const gint n_maps = cuda_n_host_maps ();
  GstVideoInfo info;
  GstBuffer *frames[2], *expected = NULL;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 130, 70);
  info.fps_n = 25;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) plain = frame_new (&info, i);

    frames[i] = frame_copy_to_layout (plain, &info, LAYOUT_PADDED);
  }
  for (guint k = 0; k < 4; k++) {
    const gboolean in_cuda[] = { k & 1, k & 2 };
    GstBuffer *out = run_mix (frames, in_cuda, &info);

    if (!expected)
      expected = gst_buffer_ref (out);
    frame_expect_components (out, expected, &info, "clkernelmix");
    gst_buffer_unref (out);
  }
  if (runs_as_discrete ())
    fail_unless_equals_int (cuda_n_host_maps (), n_maps);
  gst_buffer_unref (expected);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (frames[i]);
}

/* --- import paths that fail ----------------------------------------------- */

static const struct {
  CudaFault cuda;
  ExternalFault external;
} faults[] = {
  { CUDA_EXPORTS_FAIL, EXTERNAL_WORKS },
  { CUDA_COPIES_OTHER_BYTES, EXTERNAL_WORKS },
  { CUDA_COPIES_OTHER_ROWS, EXTERNAL_WORKS },
  { CUDA_COPIES_FAIL, EXTERNAL_WORKS },
  { CUDA_WORKS, EXTERNAL_IMPORTS_FAIL },
};

/* Counts lines of the log about disabled import paths. */
static void
count_disabled_paths (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer n_lines)
{
  if (level == GST_LEVEL_INFO &&
      g_str_has_prefix (gst_debug_message_get (message),
          "no frame uses CUDA memory: "))
    g_atomic_int_inc ((gint *) n_lines);
}

/* The host copies the frames that have already arrived, with correct results;
 * elements no longer offer the caps. */
LOOP_TEST (failing_path_is_disabled, G_N_ELEMENTS (faults))
{
  const gint n_maps = cuda_n_host_maps ();
  gint n_lines = 0;
  GstHarness *h;

  gst_debug_add_log_function (count_disabled_paths, &n_lines, NULL);
  gst_debug_set_threshold_for_name ("climportcheck", GST_LEVEL_INFO);
  cuda_set_fault (faults[__i__].cuda);
  external_set_fault (faults[__i__].external);
  h = cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_NV12, 322, 240,
      LAYOUT_PADDED);
  fail_unless (cuda_n_host_maps () >= n_maps + N_FRAMES);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-within-device"),
      0);
  fail_if (cuda_is_offered (h));
  harness_free (h);
  gst_debug_unset_threshold_for_name ("climportcheck");
  gst_debug_remove_log_function (count_disabled_paths);
  fail_unless_equals_int (n_lines, 1);
}

TEST (memory_of_another_gpu_is_copied_by_host)
{
  GstObject *other = cuda_context_new (1);
  const gint n_maps = cuda_n_host_maps ();
  GstHarness *h = cuda_expect_same_statistics (other, GST_VIDEO_FORMAT_NV12,
      322, 240, LAYOUT_PLAIN);

  fail_unless (cuda_n_host_maps () >= n_maps + N_FRAMES);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-within-device"),
      0);
  /* memory of this GPU is still offered */
  fail_unless (cuda_is_offered (h));
  harness_free (h);
  gst_object_unref (other);
}

/* Elements do not offer the caps of CUDA memory if their device cannot import
 * it, although their pad templates have these caps. */
TEST (other_devices_do_not_offer_cuda_memory)
{
  static const gchar *const elements[] = { "clframesum", "cllocalmean",
    "clintegral", "clscope", "clupload", "cldownload" };

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstHarness *h;

    h = harness_new (elements[i]);
    fail_unless (cuda_is_offered (h), "%s does not offer CUDA memory",
        elements[i]);
    harness_free (h);
    external_set_fault (EXTERNAL_IS_MISSING);
    h = harness_new (elements[i]);
    fail_if (cuda_is_offered (h), "%s offers CUDA memory", elements[i]);
    harness_free (h);
    external_set_fault (EXTERNAL_WORKS);
    cuda_set_fault (CUDA_HIDES_FIRST_GPU);
    h = harness_new (elements[i]);
    fail_if (cuda_is_offered (h), "%s offers CUDA memory", elements[i]);
    harness_free (h);
    cuda_set_fault (CUDA_WORKS);
  }
}

static const struct {
  CudaFault fault;
  const gchar *parts[4];
} failures[] = {
  { CUDA_COPIES_FAIL, { "CUDA", "copy a frame", "CUDA_ERROR_OF_MOCK" } },
  { CUDA_WAITS_FAIL, { "CUDA", "wait for a copy", "CUDA_ERROR_OF_MOCK" } },
};

/* A copy that fails after the import check is an error. After a failed wait,
 * the copy has ended before the frame is returned. */
LOOP_TEST (failed_copy_is_an_error, G_N_ELEMENTS (failures))
{
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum", CUDA_FEATURE, &info,
      GST_VIDEO_FORMAT_GRAY8, 64, 48);
  g_autoptr (GstBuffer) frame = frame_new (&info, 0);
  g_autoptr (GstBus) bus = harness_bus (h);

  g_free (cuda_measure (h, frame, cuda));
  cuda_set_fault (failures[__i__].fault);
  harness_run_into (h, cuda_buffer_new (cuda, frame), GST_FLOW_ERROR);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      failures[__i__].parts);
  fail_unless_equals_int (cuda_n_running (), 0);
  harness_free (h);
}

/* Acquired memory is released, also if the transfer fails. */
TEST (failed_upload_releases_memory)
{
  static const gchar *const parts[] = { "copy a frame", "CL_MEM_COPY_OVERLAP",
    NULL };
  GstVideoInfo info;
  GstHarness *h;
  g_autoptr (GstBuffer) frame = NULL;
  g_autoptr (GstBus) bus = NULL;
  gint n_acquired;

  /* host-unified devices upload nothing */
  if (!runs_as_discrete ())
    return;

  h = cuda_harness_new ("clupload", CUDA_FEATURE, &info, GST_VIDEO_FORMAT_GRAY8,
      64, 48);
  bus = harness_bus (h);
  frame = frame_new (&info, 0);
  gst_buffer_unref (harness_run (h, cuda_buffer_new (cuda, frame)));
  n_acquired = external_n_acquired ();
  external_set_fault (EXTERNAL_COPIES_FAIL);
  harness_run_into (h, cuda_buffer_new (cuda, frame), GST_FLOW_ERROR);
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, parts);
  fail_unless_equals_int (external_n_acquired (), n_acquired + 1);
  fail_unless_equals_int (external_n_held (), 0);
  harness_free (h);
}

SUITE (CUDA_SUITE);
