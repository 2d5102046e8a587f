/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory that the device may still write to after a failed wait is not
 * freed. */

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclimportcheck.h"
#include "cl/memory/gstclquarantine.h"
#include "cl/memory/gstclreadback.h"
#include "elements/common.h"
#include "faults/layer.h"
#include "suite.h"

#define N_SLOTS    2
#define SLOT_BYTES 4096

static GstClContext *context;
static cl_event gate; /* enqueued commands run once it is complete */

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
  layer_fail_waits (FALSE);
  clReleaseEvent (gate);
  gst_clear_object (&context);
}

/* Log function: *@n_bytes receives the number of bytes in the quarantine, from
 * the warning. */
static void
find_kept_bytes (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer n_bytes)
{
  const gchar *text = strrchr (gst_debug_message_get (message), ':');

  if (level == GST_LEVEL_WARNING &&
      g_str_equal (gst_debug_category_get_name (category), "clquarantine"))
    *(guint64 *) n_bytes = g_ascii_strtoull (text + 1, NULL, 10);
}

/* Returns the number of bytes in the quarantine. */
static guint64
kept_bytes (void)
{
  guint64 n_bytes = 0;

  layer_fail_waits (TRUE);
  gst_debug_set_threshold_for_name ("clquarantine", GST_LEVEL_WARNING);
  gst_debug_add_log_function (find_kept_bytes, &n_bytes, NULL);
  gst_cl_quarantine_release (context);
  gst_debug_remove_log_function (find_kept_bytes);
  layer_fail_waits (FALSE);

  return n_bytes;
}

/* The staging buffers of a readback are freed after the device has written to
 * them. */
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
  layer_fail_waits (TRUE);
  if (waits_before) {
    fail_unless (gst_cl_readback_wait (readback, 0, &error) == NULL);
    fail_unless (
        g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE));
  }
  gst_cl_readback_free (readback);
  /* while waits fail, nothing is freed */
  fail_unless_equals_uint64 (kept_bytes (), N_SLOTS * SLOT_BYTES);
  fail_unless_equals_uint64 (kept_bytes (), N_SLOTS * SLOT_BYTES);

  fail_unless_equals_int (clSetUserEventStatus (gate, CL_COMPLETE), CL_SUCCESS);
  gst_cl_quarantine_release (context);
  fail_unless_equals_uint64 (kept_bytes (), 0);
  gst_cl_buffer_free (mem);
}

LOOP_TEST (readback_slots_are_kept, 2)
{
  check_readback (__i__);
}

/* try() of GstClImportCheck: the device writes to all memory of @run once the
 * gate is complete. */
static gboolean
try_behind_gate (GstClContext *of, const GstClImportCheckRun *run,
    gpointer data, GError **error)
{
  guint8 *own = g_malloc (run->size_bytes);
  cl_mem mem = gst_cl_buffer_new_filled (of, run->size_bytes, run->bytes,
      error);
  cl_int code = clEnqueueBarrierWithWaitList (run->queue, 1, &gate, NULL);

  g_ptr_array_add (run->lent, own);
  code |= clEnqueueReadBuffer (run->queue, mem, CL_FALSE, 0, run->size_bytes,
      own, 0, NULL, NULL);
  code |= clEnqueueReadBuffer (run->queue, mem, CL_FALSE, 0, run->size_bytes,
      run->back, 0, NULL, NULL);
  fail_unless_equals_int (code, CL_SUCCESS);
  *(gsize *) data = run->size_bytes;
  gst_cl_buffer_free (mem);
  layer_fail_waits (TRUE);

  return gst_cl_check (gst_cl_finish (run->queue), "wait", error);
}

TEST (memory_of_a_check_is_kept)
{
  const GstClImportCheck check = { "behind a gate", .try = try_behind_gate };
  g_autoptr (GError) error = NULL;
  gsize n_bytes = 0;

  fail_if (gst_cl_import_check_passes (&check, context, &n_bytes, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE));
  fail_unless (n_bytes > 0);
  fail_unless_equals_uint64 (kept_bytes (), n_bytes);

  fail_unless_equals_int (clSetUserEventStatus (gate, CL_COMPLETE), CL_SUCCESS);
  gst_cl_quarantine_release (context);
  fail_unless_equals_uint64 (kept_bytes (), 0);
}

static void
set (gpointer data)
{
  *(gboolean *) data = TRUE;
}

/* All queues are idle: an object that enters the quarantine is freed at
 * once. */
TEST (idle_objects_are_freed_at_once)
{
  gboolean freed = FALSE;

  fail_unless_equals_int (clSetUserEventStatus (gate, CL_COMPLETE), CL_SUCCESS);
  gst_cl_quarantine_add (context, 1, &freed, set);
  fail_unless (freed);
  fail_unless_equals_uint64 (kept_bytes (), 0);
}

SUITE (.setup = setup, .teardown = teardown);
