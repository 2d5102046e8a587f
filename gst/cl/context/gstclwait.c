/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a command has ended, and waiting for it. */

#include "gstclwait.h"

/* From one look at a command to the next: the first time, and at most, since
 * each is twice as long as the one before. */
#define FIRST_NAP_US 50
#define LAST_NAP_US  400

#define PROCESSORS_PER_SPINNING 4 /* threads that wait */

cl_int
gst_cl_completion_state (cl_event event)
{
  cl_int status = CL_QUEUED;
  const cl_int code = clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
      sizeof status, &status, NULL);

  return code == CL_SUCCESS ? status : code;
}

void
gst_cl_context_expect_long_waits (GstClContext *self)
{
  g_atomic_int_set (&self->has_long_waits, TRUE);
}

/* Threads that may spin at once. GLib asks the system each time. */
static gint
max_spinning (void)
{
  static gsize n = 0;

  if (g_once_init_enter (&n))
    g_once_init_leave (&n,
        MAX (g_get_num_processors () / PROCESSORS_PER_SPINNING, 1));

  return (gint) n;
}

/* TRUE if the thread that waits as one of @n_waiting is to sleep. Drivers of
 * devices that share the host's memory do not spin. */
static gboolean
shall_sleep (GstClContext *self, gint n_waiting)
{
  return g_atomic_int_get (&self->has_long_waits) ||
         (self->is_split && n_waiting > max_spinning ());
}

/* Returns the state of @event then. */
static cl_int
nap_until_ended (cl_event event)
{
  gulong nap_us = FIRST_NAP_US;
  cl_int state;

  while ((state = gst_cl_completion_state (event)) > CL_COMPLETE) {
    g_usleep (nap_us);
    nap_us = MIN (2 * nap_us, LAST_NAP_US);
  }

  return state;
}

/* Returns what came of the command of @event. */
static cl_int
wait_for (GstClContext *self, cl_event event, gboolean reads)
{
  const gint n_waiting = g_atomic_int_add (&self->n_waiting, 1) + 1;
  const gboolean sleeps = shall_sleep (self, n_waiting);
  cl_int state = sleeps ? nap_until_ended (event) : CL_COMPLETE;
  cl_int code = CL_SUCCESS;

  /* only this makes the command's bytes visible to the host */
  if (reads || !sleeps) {
    code = clWaitForEvents (1, &event);
    state = gst_cl_completion_state (event);
  }
  g_atomic_int_add (&self->n_waiting, -1);

  /* The command's own failure says more than that of the wait, and NVIDIA's
   * driver waits with success for a command that has failed. */
  return state < 0 ? state : code;
}

gboolean
gst_cl_context_wait (GstClContext *self, cl_event *event, const gchar *what,
    GError **error)
{
  cl_int code;

  if (!*event)
    return TRUE;

  code = wait_for (self, *event, TRUE);
  g_clear_pointer (event, clReleaseEvent);

  return gst_cl_check (code, what, error);
}

gboolean
gst_cl_context_wait_for_end (GstClContext *self, cl_event *event,
    const gchar *what, GError **error)
{
  cl_int code;

  if (!*event)
    return TRUE;

  code = gst_cl_completion_state (*event);
  if (code > CL_COMPLETE)
    code = wait_for (self, *event, FALSE);
  g_clear_pointer (event, clReleaseEvent);

  return gst_cl_check (code, what, error);
}
