/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that the device may still read after a failed wait are neither freed
 * nor returned to their pool. A separate program: the plugin registers the
 * types that test_quarantine.c has linked. */

#include <CL/cl.h>

#include "elements/common.h"
#include "faults/layer.h"
#include "elements/frames.h"
#include "suite.h"

static void
note_free (gpointer user_data, GstMiniObject *where_the_object_was)
{
  *(gboolean *) user_data = TRUE;
}

/* Returns the queue that the element of the harness uses; retained. */
static cl_command_queue
get_queue (GstHarness *h)
{
  GstQuery *query = gst_query_new_context ("gst.cl.context");
  cl_command_queue queue = NULL;
  GstContext *context;

  fail_unless (gst_pad_query (GST_PAD_PEER (h->srcpad), query));
  gst_query_parse_context (query, &context);
  fail_unless (gst_structure_get (gst_context_get_structure (context),
      "cl-queue", G_TYPE_POINTER, &queue, NULL));
  clRetainCommandQueue (queue);
  gst_query_unref (query);

  return queue;
}

/* A buffer that the device reads in place is kept, and not returned to its
 * pool, after the element has been freed. */
LOOP_TEST (frames_read_in_place, 3)
{
  static const gchar *const descriptions[] = { "cllocalmean",
    "clframesum stats-meta=false", "clupload ! cllocalmean" };
  static gboolean has_ended; /* the buffer outlives this function */
  GstHarness *h = harness_new (descriptions[__i__]);
  cl_command_queue queue;
  GstBuffer *buffer;
  GstVideoInfo info;

  has_ended = FALSE;
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  buffer = frame_new (&info, 1);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_free, &has_ended);
  gst_buffer_unref (harness_run (h, buffer));
  queue = get_queue (h);
  layer_fail_waits (TRUE);
  /* the device may be idle by now */
  layer_fail (ENTRY_clGetEventInfo, CL_DEVICE_NOT_AVAILABLE);
  harness_free (h);
  fail_if (has_ended);

  /* PoCL crashes if the process ends while it compiles kernels */
  layer_fail_waits (FALSE);
  layer_fail (ENTRY_clGetEventInfo, CL_SUCCESS);
  clFinish (queue);
  clReleaseCommandQueue (queue);
}

/* A discrete device has copied its input. */
static gboolean
reads_in_place (void)
{
  return !runs_as_discrete ();
}

SUITE (.can_run = reads_in_place);
