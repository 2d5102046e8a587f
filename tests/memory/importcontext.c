/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The OpenCL context of elements in tests of imports. */

#include "memory/importcontext.h"

#include <CL/cl.h>

guint64
import_context_bytes (GstHarness *h, const gchar *name)
{
  g_autoptr (GstContext)
      context = gst_element_get_context (h->element, "gst.cl.context");
  const GValue *value = gst_structure_get_value (
      gst_context_get_structure (context), "context");
  guint64 n_bytes;

  g_object_get (g_value_get_object (value), name, &n_bytes, NULL);

  return n_bytes;
}

gboolean
import_context_is_on_cpu (void)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (
      gst_element_factory_make ("clframesum", NULL));
  g_autoptr (GstContext) context = NULL;
  cl_device_type type = 0;

  gst_element_set_state (element, GST_STATE_PAUSED);
  context = gst_element_get_context (element, "gst.cl.context");
  if (context)
    clGetDeviceInfo (g_value_get_pointer (gst_structure_get_value (
                         gst_context_get_structure (context), "cl-device")),
        CL_DEVICE_TYPE, sizeof type, &type, NULL);
  gst_element_set_state (element, GST_STATE_NULL);

  return (type & CL_DEVICE_TYPE_CPU) != 0;
}
