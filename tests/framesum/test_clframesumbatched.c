/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: frames of several streams that share launches, as on a GPU. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "faults/layer.h"
#include "framesum/gpudevice.h"
#include "suite.h"

#define N_STREAMS 5
#define N_FRAMES  40    /* of each stream, in threads */
#define HELD_US   20000 /* time that frames wait for others */
#define META      "GstClFrameSumMeta"
#define PLANES    7

typedef struct {
  GstHarness *h;
  GstVideoInfo info;
  guint number;
} Stream;

static void
streams_open (Stream *streams, const gchar *line, guint n)
{
  for (guint i = 0; i < n; i++) {
    streams[i] = (Stream){ .h = harness_new (line), .number = i };
    harness_set_format (streams[i].h, GST_VIDEO_FORMAT_I420, 69, 51,
        &streams[i].info);
  }
}

static void
streams_close (Stream *streams, guint n)
{
  for (guint i = 0; i < n; i++)
    harness_free (streams[i].h);
}

/* Frame @i of @self. */
static GstBuffer *
stream_frame (const Stream *self, guint i)
{
  return frame_new (&self->info, 1000 * self->number + i);
}

static void
stream_push (Stream *self, guint i)
{
  fail_unless_equals_int (gst_harness_push (self->h, stream_frame (self, i)),
      GST_FLOW_OK);
}

/* Checks that the next message of @self has the statistics of frame @i. */
static void
expect_message (Stream *self, guint i)
{
  g_autoptr (GstBus) bus = harness_bus (self->h);
  g_autoptr (GstBuffer) frame = stream_frame (self, i);
  GstMessage *message = pop_element_message (bus, "clframesum");

  fail_unless (message != NULL);
  expect_statistics (gst_message_get_structure (message), frame, &self->info,
      PLANES);
  gst_message_unref (message);
}

/* --- threads ------------------------------------------------------------- */

static gpointer
run_stream (gpointer user_data)
{
  Stream *self = user_data;

  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) frame = stream_frame (self, i);
    g_autoptr (GstBuffer) out = harness_run (self->h, gst_buffer_ref (frame));
    GstCustomMeta *meta = gst_buffer_get_custom_meta (out, META);

    fail_unless (meta != NULL);
    expect_statistics (gst_custom_meta_get_structure (meta), frame, &self->info,
        PLANES);
  }

  return NULL;
}

/* Each stream has the results of its own frames, in order. */
TEST (threads)
{
  Stream streams[N_STREAMS];
  GThread *all[N_STREAMS];

  streams_open (streams, "clframesum", N_STREAMS);
  for (guint i = 0; i < N_STREAMS; i++)
    all[i] = g_thread_new ("stream", run_stream, &streams[i]);
  for (guint i = 0; i < N_STREAMS; i++)
    g_thread_join (all[i]);
  streams_close (streams, N_STREAMS);
}

/* --- launches ------------------------------------------------------------ */

/* Two frames of each stream, so that all streams share launches afterwards: the
 * first frame shares none, as its stream is alone. */
static void
begin (Stream *streams)
{
  for (guint frame = 0; frame < 2; frame++) {
    for (guint i = 0; i < N_STREAMS; i++) {
      stream_push (&streams[i], frame);
      harness_drain (streams[i].h);
      expect_message (&streams[i], frame);
    }
  }
}

static gint
n_launches (void)
{
  return (gint) layer_count (ENTRY_clEnqueueNDRangeKernel);
}

/* Waits until @n kernels have been launched. */
static void
expect_launches (gint n)
{
  for (guint i = 0; n_launches () < n && i < 10000; i++)
    g_usleep (1000);
  fail_unless_equals_int (n_launches (), n);
}

/* Makes the device hold the launch of frame 2 of the first stream. Returns the
 * number of kernels that were launched before. */
static gint
hold_a_launch (Stream *streams)
{
  gint before;

  gpu_device_hold (TRUE);
  before = n_launches ();
  stream_push (&streams[0], 2);
  expect_launches (before + 1);

  return before;
}

/* While the device has a launch, frames wait until there is one of each
 * stream. */
TEST (frames_share_a_launch)
{
  Stream streams[N_STREAMS];
  gint before;

  /* a device that reads frames in place needs no transfer */
  if (!runs_as_discrete ())
    return;

  streams_open (streams, "clframesum stats-meta=false", N_STREAMS);
  begin (streams);

  before = hold_a_launch (streams);
  for (guint i = 1; i < N_STREAMS; i++)
    stream_push (&streams[i], 2);
  g_usleep (HELD_US);
  fail_unless_equals_int (n_launches (), before + 1);
  stream_push (&streams[0], 3);
  expect_launches (before + 2);
  for (guint i = 1; i < N_STREAMS; i++)
    stream_push (&streams[i], 3);
  gpu_device_hold (FALSE);
  expect_launches (before + 3);

  for (guint i = 0; i < N_STREAMS; i++) {
    harness_drain (streams[i].h);
    expect_message (&streams[i], 2);
    expect_message (&streams[i], 3);
  }
  fail_unless_equals_int (n_launches (), before + 3);
  streams_close (streams, N_STREAMS);
}

/* A stream that ends or is flushed does not delay the results of others.
 */
TEST (streams_leave)
{
  Stream streams[N_STREAMS];

  if (!runs_as_discrete ())
    return;

  streams_open (streams, "clframesum stats-meta=false", N_STREAMS);
  begin (streams);

  gpu_device_hold (TRUE);
  for (guint i = 0; i < N_STREAMS - 1; i++)
    stream_push (&streams[i], 2);
  /* a flush waits for the device */
  gpu_device_hold (FALSE);
  gst_harness_push_event (streams[1].h, gst_event_new_flush_start ());
  gst_harness_push_event (streams[1].h, gst_event_new_flush_stop (TRUE));
  harness_free (streams[0].h);

  for (guint i = 2; i < N_STREAMS - 1; i++) {
    harness_drain (streams[i].h);
    expect_message (&streams[i], 2);
  }
  streams_close (streams + 1, N_STREAMS - 1);
}

/* A stream whose launch fails ends with an error; later streams are measured.
 */
TEST (a_launch_fails)
{
  static const gchar *const said[] = { "CL_OUT_OF_RESOURCES", NULL };
  Stream streams[N_STREAMS], others[2];
  g_autoptr (GstBus) bus = NULL;

  if (!runs_as_discrete ())
    return;

  streams_open (streams, "clframesum", N_STREAMS);
  for (guint i = 0; i < N_STREAMS; i++)
    gst_buffer_unref (
        harness_run (streams[i].h, stream_frame (&streams[i], 0)));

  layer_fail (ENTRY_clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES);
  harness_run_into (streams[1].h, stream_frame (&streams[1], 1),
      GST_FLOW_ERROR);
  layer_fail (ENTRY_clEnqueueNDRangeKernel, CL_SUCCESS);
  bus = harness_bus (streams[1].h);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, said);
  streams_close (streams, N_STREAMS);

  streams_open (others, "clframesum stats-meta=false", 2);
  for (guint i = 0; i < 2; i++)
    stream_push (&others[i], 1);
  for (guint i = 0; i < 2; i++) {
    harness_drain (others[i].h);
    expect_message (&others[i], 1);
  }
  streams_close (others, 2);
}

/* If a shared launch fails and its frames fail separately, too, each stream
 * ends with an error. */
TEST (a_launch_of_all_fails)
{
  Stream streams[N_STREAMS];

  if (!runs_as_discrete ())
    return;

  streams_open (streams, "clframesum stats-meta=false", N_STREAMS);
  begin (streams);

  hold_a_launch (streams);
  layer_fail (ENTRY_clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES);
  for (guint i = 1; i < N_STREAMS; i++)
    stream_push (&streams[i], 2);
  stream_push (&streams[0], 3);
  gpu_device_hold (FALSE);

  for (guint i = 0; i < N_STREAMS; i++) {
    g_autoptr (GstBus) bus = harness_bus (streams[i].h);
    g_autoptr (GstMessage) message = NULL;
    g_autofree gchar *debug = NULL;

    message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
        GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, NULL, &debug);
    fail_unless (strstr (debug, "CL_OUT_OF_RESOURCES") != NULL,
        "no CL_OUT_OF_RESOURCES in: %s", debug);
  }
  layer_fail (ENTRY_clEnqueueNDRangeKernel, CL_SUCCESS);
  streams_close (streams, N_STREAMS);
}

/* A failed test resets the device. */
static void
let_device_go (void)
{
  gpu_device_hold (FALSE);
  layer_fail (ENTRY_clEnqueueNDRangeKernel, CL_SUCCESS);
}

SUITE (.start = harness_share_context, .teardown = let_device_go);
