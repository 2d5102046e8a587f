/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches of one work-item, and their completion. */

#include "latencylaunch.h"

#include "cl/context/gstclprogram.h"

/* --- launches ------------------------------------------------------------- */

cl_kernel
latency_single_kernel (GstClContext *context, const gchar *name, GError **error)
{
  return gst_cl_program_create_kernel (context, "clbench/latency.cl", "", name,
      error);
}

void
latency_single_kernel_free (cl_kernel kernel)
{
  if (kernel)
    clReleaseKernel (kernel);
}

gboolean
latency_launch (GstClContext *context, cl_kernel kernel, LatencyWords words,
    const guint32 *numbers, guint n_numbers, cl_event *event, GError **error)
{
  const gsize one[3] = { 1, 1, 1 };
  cl_int code = words.shared
                    ? shared_words_set_argument (words.shared, kernel, 0)
                    : clSetKernelArg (kernel, 0, sizeof words.mem, &words.mem);

  for (guint i = 0; i < n_numbers && code == CL_SUCCESS; i++)
    code = clSetKernelArg (kernel, i + 1, sizeof *numbers, &numbers[i]);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel (context->queue, kernel, 3, NULL, one, one, 0,
        NULL, event);

  return gst_cl_check (code, "enqueue a kernel of one work-item", error);
}

/* --- callbacks from a thread of the driver -------------------------------- */

/* Data of a callback; it may be called after the host has given up. */
typedef struct {
  GMutex lock;
  GCond cond;
  gboolean is_done;
} Call;

static Call *
new_call (void)
{
  Call *call = g_atomic_rc_box_new0 (Call);

  g_mutex_init (&call->lock);
  g_cond_init (&call->cond);

  return call;
}

static void
clear_call (gpointer data)
{
  Call *call = data;

  g_mutex_clear (&call->lock);
  g_cond_clear (&call->cond);
}

static void
unref_call (gpointer call)
{
  g_atomic_rc_box_release_full (call, clear_call);
}

static void CL_CALLBACK
on_end (cl_event event, cl_int status, void *user_data)
{
  Call *call = user_data;

  g_mutex_lock (&call->lock);
  call->is_done = TRUE;
  g_cond_signal (&call->cond);
  g_mutex_unlock (&call->lock);
  unref_call (call);
}

static gboolean
wait_for_call (Call *call, gint64 deadline_us)
{
  gboolean is_done;

  g_mutex_lock (&call->lock);
  while (!call->is_done &&
         g_cond_wait_until (&call->cond, &call->lock, deadline_us))
    ;
  is_done = call->is_done;
  g_mutex_unlock (&call->lock);

  return is_done;
}

gboolean
latency_wait_for_call (GstClContext *context, cl_event event, gint64 allowed_us,
    gboolean *was_called, GError **error)
{
  Call *call = new_call ();
  gboolean is_good;

  g_atomic_rc_box_acquire (call);
  is_good = gst_cl_check (clSetEventCallback (event, CL_COMPLETE, on_end, call),
      "set the callback of an event", error);
  if (!is_good)
    unref_call (call);
  is_good = is_good &&
            gst_cl_context_flush (context, GST_CL_QUEUE_COMPUTE, error);
  if (is_good)
    *was_called = wait_for_call (call, g_get_monotonic_time () + allowed_us);
  unref_call (call);

  return is_good;
}
