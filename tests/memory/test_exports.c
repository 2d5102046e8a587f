/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldownload writes frames to memory of other elements: the bytes must be
 * correct on each export path, and the frames must stay on the GPU if possible.
 * CUDA's driver, GStreamer's CUDA library and the import of CUDA memory are
 * mocks. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/cudafixture.h"
#include "memory/cudastream.h"
#include "memory/exportharness.h"
#include "faults/layer.h"
#include "memory/importcontext.h"
#include "mocks/clock.h"
#include "mocks/cuda.h"
#include "mocks/external.h"
#include "mocks/gstcuda.h"
#include "suite.h"

#define N_FRAMES 8 /* more than are in flight */
#define LATER_US (11 * G_USEC_PER_SEC)

/* --- harnesses ----------------------------------------------------------- */

/* Sets the size of later frames, which are in system memory. */
static void
set_size (GstHarness *h, GstVideoInfo *info, gint width, gint height)
{
  gst_video_info_set_format (info, GST_VIDEO_INFO_FORMAT (info), (guint) width,
      (guint) height);
  info->fps_n = 25;
  info->fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

static gboolean
is_in_cuda (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1 &&
         gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
             "gst.cuda.memory");
}

/* Checks that @description outputs N_FRAMES frames in CUDA memory of @context
 * with the same samples as in system memory. Returns the harness with CUDA
 * memory, transfer full; *n_maps (may be NULL) receives how often its frames
 * were mapped by the host. */
static GstHarness *
expect_same_frames (const gchar *description, gboolean in_cuda,
    GstObject *context, GstVideoFormat format, gint width, gint height,
    gint *n_maps)
{
  GstVideoInfo info, out_info;
  GstHarness *h = export_harness_new (description, in_cuda, context, &info,
      format, width, height);
  GstHarness *host = harness_new_with_video_meta (description);
  gint n = 0;

  gst_harness_set_src_caps (host, gst_video_info_to_caps (&info));
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) plain = frame_new (&info, i);
    g_autoptr (GstBuffer)
        frame = frame_copy_to_layout (plain, &info, LAYOUT_PADDED);
    g_autoptr (GstBuffer)
        expected = harness_run (host, gst_buffer_copy_deep (frame));
    const gint n_before = cuda_n_host_maps ();
    g_autoptr (GstBuffer) found = harness_run (h,
        in_cuda ? cuda_buffer_new (cuda, frame) : gst_buffer_copy_deep (frame));

    n += cuda_n_host_maps () - n_before;
    fail_unless (is_in_cuda (found));
    harness_out_info (h, &out_info);
    frame_expect_components (found, expected, &out_info, description);
  }
  harness_free (host);
  if (n_maps)
    *n_maps = n;

  return h;
}

/* --- frames -------------------------------------------------------------- */

static const struct {
  const gchar *description;
  gboolean in_cuda;
  GstVideoFormat format;
  gint width, height;
} cases[] = {
  { "clupload ! cldownload", FALSE, GST_VIDEO_FORMAT_NV12, 320, 240 },
  { "clupload ! cldownload", FALSE, GST_VIDEO_FORMAT_I420, 319, 241 },
  { "clupload ! cldownload", FALSE, GST_VIDEO_FORMAT_BGRx, 65, 47 },
  { "clupload ! cldownload", FALSE, GST_VIDEO_FORMAT_GRAY8, 1, 1 },
  { "clupload ! cldownload", TRUE, GST_VIDEO_FORMAT_NV12, 322, 240 },
  { "cllocalmean kernel-width=5 ! cldownload", FALSE, GST_VIDEO_FORMAT_Y444,
      130, 70 },
  { "cllocalmean kernel-width=5 ! cldownload", TRUE, GST_VIDEO_FORMAT_NV12, 130,
      70 },
};

LOOP_TEST (output_is_in_cuda_memory, G_N_ELEMENTS (cases))
{
  gint n_maps;
  GstHarness *h = expect_same_frames (cases[__i__].description,
      cases[__i__].in_cuda, cuda, cases[__i__].format, cases[__i__].width,
      cases[__i__].height, &n_maps);

  /* a host-unified device reads its input in place */
  if (runs_as_discrete () || !cases[__i__].in_cuda)
    fail_unless_equals_int (n_maps, 0);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-from-device"), 0);
  fail_unless (import_context_bytes (h, "bytes-within-device") >=
               (guint64) N_FRAMES * cases[__i__].width * cases[__i__].height);
  harness_free (h);
}

/* Frames in CUDA memory pass unchanged if downstream requests CUDA memory. */
TEST (cuda_memory_passes_unchanged)
{
  GstVideoInfo info;
  GstHarness *h = export_harness_new ("cldownload", TRUE, cuda, &info,
      GST_VIDEO_FORMAT_NV12, 64, 48);
  g_autoptr (GstBuffer) frame = frame_new (&info, 0);
  GstBuffer *in = cuda_buffer_new (cuda, frame);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  GstBuffer *out = harness_run (h, in);

  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  gst_buffer_unref (out);
  harness_free (h);
}

/* If downstream also accepts system memory, the output is in system memory,
 * whatever the order of the caps. */
LOOP_TEST (system_memory_is_preferred, 4)
{
  GstVideoInfo info;
  const gboolean in_cuda = __i__ & 1;
  GstHarness *h = export_harness_new_with_caps (
      in_cuda ? "cldownload" : "clupload ! cldownload", in_cuda,
      "video/x-raw(" CUDA_FEATURE "); video/x-raw", cuda, &info,
      GST_VIDEO_FORMAT_NV12, 64, 48);
  g_autoptr (GstBuffer) frame = frame_new (&info, 0);
  g_autoptr (GstCaps) caps = NULL;

  if (__i__ & 2)
    g_object_set_data (G_OBJECT (h->sinkpad), "own-order", h);
  gst_buffer_unref (harness_run (h,
      in_cuda ? cuda_buffer_new (cuda, frame) : gst_buffer_copy_deep (frame)));
  caps = harness_out_caps (h);
  fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  harness_free (h);
}

/* --- export paths that fail ----------------------------------------------- */

static const struct {
  CudaFault cuda;
  ExternalFault external;
} faults[] = {
  { CUDA_EXPORTS_FAIL, EXTERNAL_WORKS },
  { CUDA_COPIES_OTHER_BYTES, EXTERNAL_WORKS },
  { CUDA_COPIES_OTHER_ROWS, EXTERNAL_WORKS },
  { CUDA_COPIES_FAIL, EXTERNAL_WORKS },
  { CUDA_WAITS_FAIL, EXTERNAL_WORKS },
  { CUDA_WORKS, EXTERNAL_IMPORTS_FAIL },
};

/* After a failed check, the host writes the frames. */
LOOP_TEST (failing_path_is_disabled, G_N_ELEMENTS (faults))
{
  gint n_maps;

  cuda_set_fault (faults[__i__].cuda);
  external_set_fault (faults[__i__].external);
  harness_free (expect_same_frames ("clupload ! cldownload", FALSE, cuda,
      GST_VIDEO_FORMAT_NV12, 322, 240, &n_maps));
  fail_unless (n_maps >= N_FRAMES);
}

TEST (output_of_another_gpu_is_written_by_host)
{
  GstObject *other = cuda_context_new (1);
  gint n_maps;

  harness_free (expect_same_frames ("clupload ! cldownload", FALSE, other,
      GST_VIDEO_FORMAT_I420, 322, 240, &n_maps));
  fail_unless (n_maps >= N_FRAMES);
  gst_object_unref (other);
}

static const struct {
  CudaFault cuda;
  ExternalFault external;
  const gchar *parts[3];
} failures[] = {
  { CUDA_COPIES_FAIL, EXTERNAL_WORKS, { "CUDA", "copy a frame" } },
  { CUDA_WAITS_FAIL, EXTERNAL_WORKS, { "CUDA", "wait for a copy" } },
  { CUDA_WORKS, EXTERNAL_COPIES_FAIL,
      { "copy a frame for CUDA", "CL_MEM_COPY_OVERLAP" } },
};

/* A failure after the check is an error, and leaks nothing. */
LOOP_TEST (failed_copy_is_an_error, G_N_ELEMENTS (failures))
{
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small (cuda, &frame);
  g_autoptr (GstBus) bus = harness_bus (h);
  const gboolean is_of_cuda = failures[__i__].cuda != CUDA_WORKS;

  gst_buffer_unref (harness_run (h, gst_buffer_copy_deep (frame)));
  cuda_set_fault (failures[__i__].cuda);
  external_set_fault (failures[__i__].external);
  harness_run_into (h, gst_buffer_copy_deep (frame), GST_FLOW_ERROR);
  expect_one_error (bus, is_of_cuda ? GST_RESOURCE_ERROR : GST_LIBRARY_ERROR,
      is_of_cuda ? (gint) GST_RESOURCE_ERROR_FAILED
                 : (gint) GST_LIBRARY_ERROR_FAILED,
      failures[__i__].parts);
  fail_unless_equals_int (cuda_n_running (), 0);
  harness_free (h);
}

/* If the end of OpenCL's copy is unknown, CUDA does not read the memory, and it
 * is not freed before the device is idle. */
TEST (failed_wait_is_an_error)
{
  static const gchar *const parts[] = { "copy a frame for CUDA", NULL };
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small (cuda, &frame);
  g_autoptr (GstBus) bus = harness_bus (h);
  gint n_alive;

  gst_buffer_unref (harness_run (h, gst_buffer_copy_deep (frame)));
  n_alive = cuda_n_alive ();
  layer_fail_waits (TRUE);
  harness_run_into (h, gst_buffer_copy_deep (frame), GST_FLOW_ERROR);
  fail_unless_equals_int (cuda_n_alive (), n_alive);
  layer_fail_waits (FALSE);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, parts);
  harness_free (h);
}

/* After an allocation failure the host writes the frames, and allocation is
 * tried again some seconds later. */
LOOP_TEST (memory_is_allocated_again_later, 2)
{
  GstVideoInfo info;
  GstHarness *h = export_harness_new ("clupload ! cldownload", FALSE, cuda,
      &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  g_autoptr (GstBuffer) small = frame_new (&info, 0);
  g_autoptr (GstBuffer) large = NULL;
  const gboolean is_for_check = __i__ == 0;
  const gint n_refused = cuda_n_refused ();
  guint64 n_bytes;

  if (!is_for_check)
    gst_buffer_unref (harness_run (h, gst_buffer_copy_deep (small)));
  n_bytes = import_context_bytes (h, "bytes-within-device");
  cuda_set_fault (CUDA_HAS_NO_MEMORY);
  set_size (h, &info, 640, 480);
  large = frame_new (&info, 0);
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) found = harness_run (h, gst_buffer_copy_deep (large));

    frame_expect_components (found, large, &info, "written by the host");
  }
  fail_unless_equals_int (cuda_n_refused () - n_refused, 1);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-within-device"),
      n_bytes);

  cuda_set_fault (CUDA_WORKS);
  clock_advance (LATER_US);
  gst_buffer_unref (harness_run (h, gst_buffer_copy_deep (large)));
  fail_unless (import_context_bytes (h, "bytes-within-device") > n_bytes);
  harness_free (h);
}

/* --- pools --------------------------------------------------------------- */

/* Chains with different elements between cldownload and the pool. */
static const gchar *const chains[] = { "clupload ! cldownload",
  "clupload ! cldownload ! queue",
  "clupload ! cldownload ! identity ! queue ! identity" };

/* Without a pool there is one error, and later frames add none. */
LOOP_TEST (missing_pool_is_an_error, G_N_ELEMENTS (chains))
{
  static const gchar *const parts[] = { "no pool", NULL };
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small_of (chains[__i__], NULL, &frame);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < 2; i++)
    harness_run_into (h, gst_buffer_copy_deep (frame), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
  harness_free (h);
}

TEST (pool_with_other_memory_is_an_error)
{
  static const gchar *const parts[] = { "other memory", CUDA_FEATURE, NULL };
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small (EXPORT_OTHER_MEMORY, &frame);
  g_autoptr (GstBus) bus = harness_bus (h);

  harness_run_into (h, gst_buffer_copy_deep (frame), GST_FLOW_ERROR);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
  harness_free (h);
}

/* Pushes a copy of @buffer and waits for the output, which a queue may delay.
 * transfer full */
static GstBuffer *
run_and_wait (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (buffer)),
      GST_FLOW_OK);

  return gst_harness_pull (h);
}

/* Downstream has a CUDA context and no pool, like cudadownload of GStreamer
 * 1.22. */
LOOP_TEST (pool_is_created_without_downstream_pool, G_N_ELEMENTS (chains))
{
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small_of (chains[__i__], EXPORT_NO_POOL,
      &frame);
  GstHarness *host = harness_new_with_video_meta (chains[__i__]);
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->srcpad);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_harness_set_src_caps (host, g_steal_pointer (&caps));
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) expected = run_and_wait (host, frame);
    g_autoptr (GstBuffer) found = run_and_wait (h, frame);

    fail_unless (is_in_cuda (found) && found->pool);
    frame_expect_components (found, expected, &info, chains[__i__]);
  }
  fail_unless (import_context_bytes (h, "bytes-within-device") > 0);
  expect_no_error (bus);
  harness_free (host);
  harness_free (h);
}

/* An element that is flushing, as when a pipeline stops, proposes no pool: this
 * is no error. */
LOOP_TEST (flush_is_no_error, G_N_ELEMENTS (chains))
{
  g_autoptr (GstBuffer) frame = NULL;
  GstHarness *h = export_harness_new_small_of (chains[__i__], EXPORT_FLUSHING,
      &frame);
  g_autoptr (GstBus) bus = harness_bus (h);

  harness_run_into (h, gst_buffer_copy_deep (frame), GST_FLOW_FLUSHING);
  expect_no_error (bus);

  g_object_set_data (G_OBJECT (h->sinkpad), "context", cuda);
  GST_PAD_UNSET_FLUSHING (h->sinkpad);
  if (__i__ == 0) /* a queue accepts frames after a flush */
    gst_buffer_unref (harness_run (h, gst_buffer_copy_deep (frame)));
  harness_free (h);
}

SUITE (CUDA_SUITE);
