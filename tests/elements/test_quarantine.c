/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the device may still use after a wait has failed is neither freed nor
 * given back. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>

#include "cl/gstclbuffer.h"
#include "cl/gstclquarantine.h"
#include "cl/gstclreadback.h"
#include "common.h"
#include "frames.h"

/* --- waits that fail ----------------------------------------------------- */

/* These stand before the loader's: the plugin and the layer below it call them,
 * the driver does not. */
static gint waits_fail; /* atomic */

cl_int
clWaitForEvents (cl_uint n, const cl_event *events)
{
  static cl_int (*real) (cl_uint, const cl_event *);

  if (g_atomic_int_get (&waits_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clWaitForEvents");

  return real (n, events);
}

cl_int
clFinish (cl_command_queue queue)
{
  static cl_int (*real) (cl_command_queue);

  if (g_atomic_int_get (&waits_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clFinish");

  return real (queue);
}

/* --- results ------------------------------------------------------------- */

#define N_SLOTS    2
#define SLOT_BYTES 4096

static GstClContext *context;
static cl_event gate; /* what is enqueued runs once it is complete */

static void
setup (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);
  cl_int code;

  fail_unless (device != NULL);
  context = gst_cl_context_new (device, FALSE, NULL);
  fail_unless (context != NULL);
  gate = clCreateUserEvent (context->handle, &code);
  fail_unless_equals_int (code, CL_SUCCESS);
  fail_unless_equals_int (
      clEnqueueBarrierWithWaitList (context->queue, 1, &gate, NULL),
      CL_SUCCESS);
}

static void
teardown (void)
{
  g_atomic_int_set (&waits_fail, FALSE);
  clReleaseEvent (gate);
  gst_clear_object (&context);
}

/* The slots of a readback are freed once the device has written to them. */
static void
check_readback (gboolean waits_before)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *data = g_malloc0 (SLOT_BYTES);
  GstClReadback *readback = gst_cl_readback_new (context, N_SLOTS, SLOT_BYTES,
      NULL);
  cl_mem mem = gst_cl_buffer_new_filled (context, SLOT_BYTES, data, NULL);

  fail_unless (readback && mem);
  fail_unless (gst_cl_readback_enqueue (readback, 0, mem, NULL));
  g_atomic_int_set (&waits_fail, TRUE);
  if (waits_before) {
    fail_unless (gst_cl_readback_wait (readback, 0, &error) == NULL);
    fail_unless (
        g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE));
  }
  gst_cl_readback_free (readback);
  fail_unless_equals_uint64 (gst_cl_quarantine_bytes (context),
      N_SLOTS * SLOT_BYTES);

  /* as long as waits fail, nothing is freed */
  gst_cl_quarantine_release (context);
  fail_unless_equals_uint64 (gst_cl_quarantine_bytes (context),
      N_SLOTS * SLOT_BYTES);

  g_atomic_int_set (&waits_fail, FALSE);
  fail_unless_equals_int (clSetUserEventStatus (gate, CL_COMPLETE), CL_SUCCESS);
  gst_cl_quarantine_release (context);
  fail_unless_equals_uint64 (gst_cl_quarantine_bytes (context), 0);
  gst_cl_buffer_free (mem);
}

GST_START_TEST (slots_of_results)
{
  check_readback (__i__);
}

GST_END_TEST;

static void
set (gpointer data)
{
  *(gboolean *) data = TRUE;
}

/* A wait that fails once: all queues are done, and nothing is kept. */
GST_START_TEST (what_is_done_is_freed_at_once)
{
  gboolean freed = FALSE;

  fail_unless_equals_int (clSetUserEventStatus (gate, CL_COMPLETE), CL_SUCCESS);
  gst_cl_quarantine_add (context, 1, &freed, set);
  fail_unless (freed);
  fail_unless_equals_uint64 (gst_cl_quarantine_bytes (context), 0);
}

GST_END_TEST;

/* --- frames -------------------------------------------------------------- */

static void
note_end (gpointer user_data, GstMiniObject *where_the_object_was)
{
  *(gboolean *) user_data = TRUE;
}

/* A buffer that the device reads where it lies stays alive, and away from its
 * pool, when the element is gone. */
GST_START_TEST (frames_read_in_place)
{
  static const gchar *const descriptions[] = { "cllocalmean",
    "clframesum stats-meta=false", "clupload ! cllocalmean" };
  static gboolean has_ended; /* the buffer outlives this function */
  GstHarness *h = harness_new (descriptions[__i__]);
  GstBuffer *buffer;
  GstVideoInfo info;

  has_ended = FALSE;
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  buffer = frame_new (&info, 1);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_end, &has_ended);
  gst_buffer_unref (harness_run (h, buffer));
  g_atomic_int_set (&waits_fail, TRUE);
  harness_free (h);
  fail_if (has_ended);
  g_atomic_int_set (&waits_fail, FALSE);
}

GST_END_TEST;

static Suite *
quarantine_suite (void)
{
  Suite *suite = suite_create ("quarantine");
  TCase *layer = tcase_create ("results");
  TCase *elements = tcase_create ("frames");

  suite_add_tcase (suite, layer);
  tcase_add_checked_fixture (layer, setup, teardown);
  tcase_add_loop_test (layer, slots_of_results, 0, 2);
  tcase_add_test (layer, what_is_done_is_freed_at_once);
  suite_add_tcase (suite, elements);
  /* a device with memory of its own has copied what it reads */
  if (g_strcmp0 (g_getenv ("GST_OPENCL_HOST_UNIFIED"), "0") != 0)
    tcase_add_loop_test (elements, frames_read_in_place, 0, 3);

  return suite;
}

ELEMENT_CHECK_MAIN (quarantine);
