/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a command: asked for, or told by the driver. */

#include "gstclcompletion.h"

cl_int
gst_cl_completion_state (cl_event event)
{
  cl_int status = CL_QUEUED;
  const cl_int code = clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
      sizeof status, &status, NULL);

  return code == CL_SUCCESS ? status : code;
}

gboolean
gst_cl_completion_poll (cl_event event, gboolean *is_done, GError **error)
{
  const cl_int state = gst_cl_completion_state (event);

  *is_done = state == CL_COMPLETE;

  return gst_cl_check (MIN (state, CL_SUCCESS),
      "ask whether a command has ended", error);
}

typedef struct {
  GstClCompletionFunc func;
  gpointer user_data;
} Notice;

static void CL_CALLBACK
forward (cl_event event, cl_int status, void *user_data)
{
  Notice *notice = user_data;

  notice->func (status, notice->user_data);
  g_free (notice);
}

gboolean
gst_cl_completion_notify (cl_event event, GstClCompletionFunc func,
    gpointer user_data, GError **error)
{
  Notice *notice = g_new (Notice, 1);

  *notice = (Notice){ func, user_data };
  if (gst_cl_check (clSetEventCallback (event, CL_COMPLETE, forward, notice),
          "be told that a command has ended", error))
    return TRUE;
  g_free (notice);

  return FALSE;
}
