/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in CUDA memory of several streams that share launches, as on a GPU. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/cudafixture.h"
#include "memory/cudastream.h"
#include "mocks/cuda.h"
#include "mocks/external.h"
#include "mocks/gstcuda.h"
#include "suite.h"

#define N_STREAMS  6
#define MAX_ROUNDS 20

static gpointer
play_stream (gpointer unused)
{
  harness_free (cuda_expect_same_statistics (cuda, GST_VIDEO_FORMAT_NV12, 322,
      240, LAYOUT_PADDED));

  return NULL;
}

static void
play_streams (void)
{
  GThread *streams[N_STREAMS];

  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = g_thread_new ("stream", play_stream, NULL);
  for (guint i = 0; i < N_STREAMS; i++)
    g_thread_join (streams[i]);
}

/* Frames that share a launch are acquired and released together, and each
 * stream has its own statistics. Which frames share a launch is random: streams
 * run until some have. */
TEST (frames_are_acquired_together)
{
  const gint n_maps = cuda_n_host_maps ();

  for (guint i = 0;
       i < MAX_ROUNDS && (i == 0 || external_n_acquired_together () < 2); i++)
    play_streams ();
  fail_unless (external_n_acquired_together () >= 2);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_int (cuda_n_host_maps (), n_maps);
}

typedef struct {
  GstHarness *h;
  GstVideoInfo info;
} Stream;

static void
stream_open (Stream *self)
{
  self->h = cuda_harness_new ("clframesum", CUDA_FEATURE, &self->info,
      GST_VIDEO_FORMAT_NV12, 64, 48);
}

static GstBuffer *
stream_frame (Stream *self, guint number)
{
  g_autoptr (GstBuffer) plain = frame_new (&self->info, number);

  return cuda_buffer_new (cuda, plain);
}

static const struct {
  ExternalFault fault;
  GQuark (*domain) (void);
  gint code;
  const gchar *said;
} failures[] = {
  { EXTERNAL_ACQUIRES_FAIL, gst_library_error_quark, GST_LIBRARY_ERROR_FAILED,
      "CL_INVALID_MEM_OBJECT" },
  { EXTERNAL_LAUNCHES_FAIL, gst_resource_error_quark, GST_RESOURCE_ERROR_FAILED,
      "CL_OUT_OF_RESOURCES" },
};

/* A stream whose frame cannot be acquired, or cannot be read, ends with an
 * error; acquired memory is released, and another stream continues. */
LOOP_TEST (failed_frame_ends_its_stream, G_N_ELEMENTS (failures))
{
  const gchar *const said[] = { failures[__i__].said, NULL };
  Stream streams[2];
  g_autoptr (GstBus) bus = NULL;

  for (guint i = 0; i < 2; i++)
    stream_open (&streams[i]);
  for (guint frame = 0; frame < 2; frame++) {
    for (guint i = 0; i < 2; i++)
      gst_buffer_unref (
          harness_run (streams[i].h, stream_frame (&streams[i], frame)));
  }

  external_set_fault (failures[__i__].fault);
  harness_run_into (streams[0].h, stream_frame (&streams[0], 2),
      GST_FLOW_ERROR);
  external_set_fault (EXTERNAL_WORKS);
  fail_unless_equals_int (external_n_held (), 0);
  bus = harness_bus (streams[0].h);
  expect_one_error (bus, failures[__i__].domain (), failures[__i__].code, said);
  gst_buffer_unref (harness_run (streams[1].h, stream_frame (&streams[1], 2)));
  fail_unless_equals_int (external_n_held (), 0);
  for (guint i = 0; i < 2; i++)
    harness_free (streams[i].h);
}

static gboolean
can_run_as_gpu (void)
{
  external_report_cpu_as_gpu ();

  return cuda_can_run ();
}

SUITE (.can_run = can_run_as_gpu, .start = harness_share_context,
    .setup = cuda_setup, .teardown = cuda_teardown);
