/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects the device of an element. */

#include "gstclcontexthelper.h"

#include "cl/memory/gstclquarantine.h"

enum { PROP_0, PROP_DEVICE, PROP_DEVICE_NAME, PROP_WAIT_FOR_KERNELS };

#define DEFAULT_DEVICE "auto"

void
gst_cl_context_helper_init (GstClContextHelper *self)
{
  self->wanted = g_strdup (DEFAULT_DEVICE);
}

void
gst_cl_context_helper_clear (GstClContextHelper *self)
{
  g_clear_pointer (&self->wanted, g_free);
  gst_clear_object (&self->context);
}

GParamSpec *
gst_cl_context_helper_install (GObjectClass *object_class)
{
  GParamSpec *name;

  /**
   * GstClBaseFilter:device:
   *
   * The OpenCL device: `auto` (the device in the environment variable
   * GST_OPENCL_DEVICE, else a GPU if there is one, else any device), `gpu`,
   * `cpu`, `accelerator`, `P.D` (platform and device number as in `clinfo -l`),
   * a UUID, or part of the name of the device or platform.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_DEVICE,
      g_param_spec_string ("device", "Device",
          "OpenCL device: auto, gpu, cpu, accelerator, P.D, a UUID or part of "
          "a name",
          DEFAULT_DEVICE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  /**
   * GstClBaseFilter:device-name:
   *
   * Name of the device in use; NULL before the element has started.
   *
   * Since: 0.1
   */
  name = g_param_spec_string ("device-name", "Device name",
      "Name of the OpenCL device in use, once started", NULL,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_DOC_SHOW_DEFAULT);
  g_object_class_install_property (object_class, PROP_DEVICE_NAME, name);

  /**
   * GstClBaseFilter:wait-for-kernels:
   *
   * TRUE: the first frame waits until the kernels for this device are compiled,
   * which takes seconds if they are not in the cache. FALSE: the first frames
   * use kernels that compile fast and run slower, with the same results.
   *
   * Since: 0.3
   */
  g_object_class_install_property (object_class, PROP_WAIT_FOR_KERNELS,
      g_param_spec_boolean ("wait-for-kernels", "Wait for kernels",
          "Whether the first frame waits until the fastest kernels are "
          "compiled",
          FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  return name;
}

void
gst_cl_context_helper_set_property (GstClContextHelper *self, GObject *element,
    guint id, const GValue *value, GParamSpec *pspec)
{
  const gchar *wanted;

  GST_OBJECT_LOCK (element);
  switch (id) {
    case PROP_DEVICE:
      wanted = g_value_get_string (value);
      g_free (self->wanted);
      self->wanted = g_strdup (wanted ? wanted : DEFAULT_DEVICE);
      break;
    case PROP_WAIT_FOR_KERNELS:
      self->waits_for_kernels = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (element, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (element);
}

void
gst_cl_context_helper_get_property (GstClContextHelper *self, GObject *element,
    guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (element);
  switch (id) {
    case PROP_DEVICE:
      g_value_set_string (value, self->wanted);
      break;
    case PROP_DEVICE_NAME:
      g_value_set_string (value,
          self->context ? self->context->device->name : NULL);
      break;
    case PROP_WAIT_FOR_KERNELS:
      g_value_set_boolean (value, self->waits_for_kernels);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (element, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (element);
}

gboolean
gst_cl_context_helper_open (GstClContextHelper *self, GstElement *element)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *wanted = NULL;
  GstClContext *context;

  GST_OBJECT_LOCK (element);
  wanted = g_strdup (self->wanted);
  GST_OBJECT_UNLOCK (element);

  context = gst_cl_ensure_element_context (element, wanted, &error);
  if (!context) {
    gst_cl_post_error (element, error);
    return FALSE;
  }

  gst_cl_context_forget_failure (context);
  GST_OBJECT_LOCK (element);
  self->context = context;
  GST_OBJECT_UNLOCK (element);

  return TRUE;
}

void
gst_cl_context_helper_close (GstClContextHelper *self, GstElement *element)
{
  GstClContext *context;

  GST_OBJECT_LOCK (element);
  context = g_steal_pointer (&self->context);
  GST_OBJECT_UNLOCK (element);

  if (context)
    gst_cl_quarantine_release (context);
  gst_clear_object (&context);
}

gboolean
gst_cl_context_helper_answer (GstClContextHelper *self, GstElement *element,
    GstQuery *query)
{
  g_autoptr (GstClContext) context = NULL;

  GST_OBJECT_LOCK (element);
  context = self->context ? gst_object_ref (self->context) : NULL;
  GST_OBJECT_UNLOCK (element);

  return gst_cl_handle_context_query (query, context);
}
