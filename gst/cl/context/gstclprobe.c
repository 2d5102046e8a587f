/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a device compiles, found out by a small program. */

#include "gstclprobe.h"
#include "cl/device/gstcldeviceverdict.h"
#include "gstclprogram.h"

/* Anything may come from a compiler that does not do, but for these. */
static gboolean
is_gone_or_full (const GError *error)
{
  static const cl_int codes[] = { CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES,
    CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    if (g_error_matches (error, GST_CL_ERROR, codes[i]))
      return TRUE;
  }

  return FALSE;
}

gboolean
gst_cl_probe_try (GstClContext *context, GError **error)
{
  g_autoptr (GError) reason = NULL;
  cl_kernel kernel;

  if (gst_cl_device_verdict_get (context->device) == GST_CL_DEVICE_VERDICT_ABLE)
    return TRUE;

  kernel = gst_cl_program_create_kernel (context, "probe/probe.cl", "",
      "probe_all", &reason);
  if (kernel) {
    clReleaseKernel (kernel);
    gst_cl_device_verdict_set (context->device, GST_CL_DEVICE_VERDICT_ABLE);
    return TRUE;
  }

  if (!is_gone_or_full (reason))
    gst_cl_device_verdict_set_unable (context->device, reason->message);
  g_propagate_error (error, g_steal_pointer (&reason));

  return FALSE;
}
