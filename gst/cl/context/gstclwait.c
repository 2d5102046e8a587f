/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for one command. */

#include "gstclwait.h"

/* From one look at a command to the next: the first time, and at most, since
 * each is twice as long as the one before. */
#define FIRST_NAP_US 50
#define LAST_NAP_US  400

#define PROCESSORS_PER_SPINNING 4 /* threads that wait */

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

static void
nap_until_done (cl_event event)
{
  cl_int status = CL_QUEUED;
  gulong nap_us = FIRST_NAP_US;

  while (clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
             sizeof status, &status, NULL) == CL_SUCCESS &&
         status > CL_COMPLETE) {
    g_usleep (nap_us);
    nap_us = MIN (2 * nap_us, LAST_NAP_US);
  }
}

gboolean
gst_cl_context_wait (GstClContext *self, cl_event *event, const gchar *what,
    GError **error)
{
  cl_int status = CL_SUCCESS;
  cl_int code;
  gint n_waiting;

  if (!*event)
    return TRUE;

  n_waiting = g_atomic_int_add (&self->n_waiting, 1) + 1;
  if (shall_sleep (self, n_waiting))
    nap_until_done (*event);
  /* the command's own failure says more than that of the wait */
  code = clWaitForEvents (1, event);
  g_atomic_int_add (&self->n_waiting, -1);

  if (code != CL_SUCCESS &&
      clGetEventInfo (*event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
          &status, NULL) == CL_SUCCESS &&
      status < 0)
    code = status;
  g_clear_pointer (event, clReleaseEvent);

  return gst_cl_check (code, what, error);
}
